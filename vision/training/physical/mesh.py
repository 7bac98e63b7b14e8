"""A solid with rounded edges as triangles, each face with its own cell of one square texture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from training.solids import Array, Face, Solid, cross

STEPS = 3
"""Facets from a face's rim to the middle of the edge's rounding; normals are smooth, so only the outline shows them."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """points, normals: (V, 3). uv: (V, 2), 0 to 1, v from the texture's top. triangles: (T, 3), seen from outside."""

    points: Array
    normals: Array
    uv: Array
    triangles: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a face lies in the texture.

    middle, east, north: (3,), the cell's centre on the face and its axes. half: half the cell's side, in units of the
    solid. corner: its top left, share of the texture; side: its side, share of the texture.
    """

    middle: Array
    east: Array
    north: Array
    half: float
    corner: tuple[float, float]
    side: float

    def flat(self, points: Array) -> Array:
        """Points (N, 3) on the face as (N, 2): -1 to 1 over the cell, x right, y up."""
        away = points - self.middle
        return np.stack([away @ self.east, away @ self.north], axis=1) / self.half

    def uv(self, points: Array) -> Array:
        """Points (N, 3) as places in the texture, kept within the cell."""
        x, y = self.flat(points).clip(-1, 1).T
        return np.stack([self.corner[0] + (1 + x) / 2 * self.side, self.corner[1] + (1 - y) / 2 * self.side], axis=1)


def cells(solid: Solid) -> list[Cell]:
    """A cell a face, in rows of a square texture."""
    across = math.ceil(math.sqrt(len(solid.faces)))
    side = 1 / across
    return [_cell(face, ((k % across) * side, (k // across) * side), side) for k, face in enumerate(solid.faces)]


def _cell(face: Face, corner: tuple[float, float], side: float) -> Cell:
    east = face.corners[1] - face.corners[0]
    east = east / np.linalg.norm(east)
    north = cross(face.normal, east)
    x, y = face.corners @ east, face.corners @ north
    middle = (
        east * (x.min() + x.max()) / 2 + north * (y.min() + y.max()) / 2 + face.normal * (face.normal @ face.centre)
    )
    return Cell(middle, east, north, 1.03 * max(np.ptp(x), np.ptp(y)) / 2, corner, side)


def rounded(solid: Solid, share: float) -> Mesh:
    """The solid with its edges rounded: `share` of each face's distance from the middle is the edge's radius.

    The flat part of every face stays where it was, so that the solid rests as a sharp one does.
    """
    around = _around(solid)
    places = cells(solid)
    parts = [_face_patches(solid, k, around, share) for k in range(len(solid.faces))]
    points, normals, uv, triangles = [], [], [], []
    count = 0
    for cell, part in zip(places, parts, strict=True):
        for at, towards in part:
            points.append(at.reshape(-1, 3))
            normals.append(towards.reshape(-1, 3))
            uv.append(cell.uv(at.reshape(-1, 3)))
            triangles.append(_grid(*at.shape[:2]) + count)
            count += at.shape[0] * at.shape[1]
    at, towards = _within(solid, np.concatenate(points)), np.concatenate(normals)
    return Mesh(at, towards, np.concatenate(uv), _outward(at, towards, np.concatenate(triangles)))


def _within(solid: Solid, points: Array) -> Array:
    """The points, none outside the solid: between faces of unequal distance a rounding bulges a little."""
    for face in solid.faces:
        over = np.maximum(points @ face.normal - face.normal @ face.centre, 0)
        points = points - over[:, None] * face.normal
    return points


def _outward(points: Array, normals: Array, triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The triangles that have an area, each counter-clockwise as seen from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    inward = (across * normals[triangles].sum(axis=1)).sum(axis=1) < 0
    turned = np.where(inward[:, None], triangles[:, ::-1], triangles)
    return np.ascontiguousarray(turned[np.linalg.norm(across, axis=1) > 1e-9])


def closed(solid: Solid) -> Solid:
    """The solid with a blank face over each hole: crystals are made without their smallest end."""
    around = _around(solid)
    exact = {_key(corner): corner for face in solid.faces for corner in face.corners}
    open_edges = {b: a for a, b in around if (b, a) not in around}
    caps = []
    while open_edges:
        loop = [next(iter(open_edges))]
        while loop[-1] in open_edges:
            loop.append(open_edges.pop(loop[-1]))
        corners = np.stack([exact[key] for key in loop[:-1]])
        normal = _unit(cross(corners[1] - corners[0], corners[2] - corners[1]))
        centre = corners.mean(axis=0)
        caps.append(Face(corners, centre, normal, float(np.linalg.norm(corners[0] - centre)), normal[None], False))
    return Solid(solid.name, (*solid.faces, *caps))


def _grid(rows: int, columns: int) -> NDArray[np.int32]:
    """Two triangles a square of a grid of points."""
    at = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


Around = dict[tuple[tuple[float, ...], tuple[float, ...]], int]
"""Which face lies to the left of the edge from one corner to another."""


def _key(corner: Array) -> tuple[float, ...]:
    return tuple((np.round(corner, 5) + 0.0).tolist())


def _around(solid: Solid) -> Around:
    return {
        (_key(a), _key(b)): k
        for k, face in enumerate(solid.faces)
        for a, b in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True)
    }


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _face_patches(solid: Solid, k: int, around: Around, share: float) -> list[tuple[Array, Array]]:
    """A face's own grids of points and normals: its flat, half of each edge's rounding, its part of each corner's."""
    face, faces = solid.faces[k], solid.faces
    corners, radius = face.corners, share * float(face.normal @ face.centre)
    cores = corners * (1 - share)
    rim = cores + radius * face.normal
    found = [(np.stack([np.repeat(rim.mean(0)[None], len(rim) + 1, 0), np.vstack([rim, rim[:1]])]), face.normal)]
    flat = [(at, np.broadcast_to(normal, at.shape)) for at, normal in found]
    keys = [_key(corner) for corner in corners]
    n = len(corners)
    over = [faces[around[keys[(i + 1) % n], keys[i]]] for i in range(n)]
    patch = partial(_patch, face.normal, radius, share)
    edges = [patch(cores[[i, (i + 1) % n]], over[i]) for i in range(n)]
    tops = [_corner_normal(solid, corner) for corner in corners]
    return [
        *flat,
        *edges,
        *(_corner_patch(face, cores[i], over[i - 1], over[i], tops[i], share) for i in range(n)),
    ]


def _corner_normal(solid: Solid, corner: Array) -> tuple[Array, float]:
    """The middle of the normals that meet in a corner, and of the faces' distances."""
    meeting = [face for face in solid.faces if np.abs(face.corners - corner).max(axis=1).min() < 1e-5]
    mean = np.mean([face.normal for face in meeting], axis=0)
    return mean / np.linalg.norm(mean), float(np.mean([face.normal @ face.centre for face in meeting]))


def _patch(normal: Array, radius: float, share: float, ends: Array, other: Face) -> tuple[Array, Array]:
    """Half of an edge's rounding: rows along the edge's two ends, columns from the face to the edge's middle."""
    steps = np.linspace(0, 1, STEPS + 1)[:, None]
    middle = _unit(normal + other.normal)
    towards = _unit(normal + (middle - normal) * steps)
    reach = radius + ((radius + share * float(other.normal @ other.centre)) / 2 - radius) * steps
    at = ends[None] + (towards * reach)[:, None]
    return at[::-1], np.broadcast_to(towards[:, None], at.shape)[::-1]


def _corner_patch(
    face: Face, core: Array, before: Face, after: Face, top: tuple[Array, float], share: float
) -> tuple[Array, Array]:
    """A face's part of a rounded corner, between the middles of the two edges that meet there."""
    own, own_far = face.normal, float(face.normal @ face.centre)
    sides = [(_unit(own + f.normal), (own_far + float(f.normal @ f.centre)) / 2) for f in (before, after)]
    u, w = (a[..., None] for a in np.meshgrid(*2 * [np.linspace(0, 1, STEPS + 1)], indexing="ij"))
    weights = ((1 - u) * (1 - w), u * (1 - w), (1 - u) * w, u * w)
    (a, a_far), (b, b_far) = sides
    normals = (own, _unit(a), _unit(b), top[0])
    towards = _unit(sum(weight * normal for weight, normal in zip(weights, normals, strict=True)))  # type: ignore[arg-type] # sum starts from 0
    reach = share * sum(weight * far for weight, far in zip(weights, (own_far, a_far, b_far, top[1]), strict=True))
    return core + towards * reach, towards
