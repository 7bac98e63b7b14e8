"""The dice as solids: vertices, faces and where each face carries its numeral.

Lengths are in units of the die's own size (circumradius near 1); z is up; faces are counter-clockwise seen from
outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHAPES = ("D4", "crystal D4", "D6", "D8", "D10", "D12", "D20")
"""The solids. A D100 (tens die) is the D10's solid."""

DISC = {"D4": 0.62, "crystal D4": 1.15, "D6": 1.10, "D8": 1.35, "D10": 1.30, "D12": 1.15, "D20": 1.35}
"""Radius of the disc that holds a face's numeral, in units of the face's inradius; for the tetrahedron, of its base's
circumradius, so that the disc holds the numerals at the apex and those along the three edges."""


@dataclass(frozen=True, slots=True)
class Face:
    """One face.

    corners: (N, 3) in order. centre: (3,), where the numeral stands. inradius: from there to the nearest edge.
    ups: (K, 3) unit vectors in the face that a numeral's top may point along.
    numbered: whether the face carries a numeral at all.
    """

    corners: Array
    centre: Array
    normal: Array
    inradius: float
    ups: Array
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex solid and its faces."""

    name: str
    faces: tuple[Face, ...]

    @property
    def numbered(self) -> tuple[Face, ...]:
        """The faces that carry numerals."""
        return tuple(face for face in self.faces if face.numbered)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def cross(a: Array, b: Array) -> Array:
    """The cross product of two vectors (3,): numpy's own, made for whole arrays, costs a quarter of a render."""
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def _ordered(points: Array) -> Array:
    """The corners of one face, counter-clockwise seen from outside (the origin is inside the solid)."""
    centre = points.mean(axis=0)
    normal = _unit(cross(points[1] - points[0], points[2] - points[0]))
    normal = normal if normal @ centre > 0 else -normal
    east = _unit(points[0] - centre)
    north = cross(normal, east)
    angles = np.arctan2((points - centre) @ north, (points - centre) @ east)
    return points[np.argsort(angles)]


def _inradius(corners: Array, centre: Array) -> float:
    sides = np.roll(corners, -1, axis=0) - corners
    away = centre - corners
    distance = np.linalg.norm(np.cross(sides, away), axis=1) / np.linalg.norm(sides, axis=1)
    return float(distance.min())


def _face(points: Array, centre: Array | None = None, ups: Array | None = None, numbered: bool = True) -> Face:
    corners = _ordered(points)
    centre = corners.mean(axis=0) if centre is None else centre
    normal = _unit(cross(corners[1] - corners[0], corners[2] - corners[1]))
    if ups is None:
        ups = np.stack([_unit(corner - centre) for corner in corners])
    return Face(corners, centre, normal, _inradius(corners, centre), ups, numbered)


def _hull_faces(vertices: Array) -> list[Array]:
    """The faces of the convex hull of a few points: every plane through three of them with all others on one side."""
    found: dict[tuple[int, ...], Array] = {}
    for a, b, c in combinations(range(len(vertices)), 3):
        normal = np.cross(vertices[b] - vertices[a], vertices[c] - vertices[a])
        if np.linalg.norm(normal) < 1e-9:
            continue
        side = (vertices - vertices[a]) @ _unit(normal)
        if side.max() < 1e-6 or side.min() > -1e-6:
            members = tuple(np.flatnonzero(np.abs(side) < 1e-6).tolist())
            found[members] = vertices[list(members)]
    return list(found.values())


def _cube() -> Solid:
    vertices = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / np.sqrt(3)
    faces = []
    for points in _hull_faces(vertices):
        corners = _ordered(points)
        middles = (corners + np.roll(corners, -1, axis=0)) / 2
        faces.append(_face(points, ups=np.stack([_unit(m - corners.mean(axis=0)) for m in middles])))
    return Solid("D6", tuple(faces))


def _dodecahedron() -> Array:
    g = (1 + np.sqrt(5)) / 2
    cube = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    rest = [p for s in (-1, 1) for t in (-1, 1) for p in ([0, s / g, t * g], [s / g, t * g, 0], [t * g, 0, s / g])]
    return np.asarray(np.array(cube + rest) / np.sqrt(3))


def _icosahedron() -> Array:
    g = (1 + np.sqrt(5)) / 2
    points = [p for s in (-1, 1) for t in (-g, g) for p in ([0, s, t], [s, t, 0], [t, 0, s])]
    return np.asarray(np.array(points, dtype=np.float64) / np.sqrt(1 + g * g))


def _regular(name: str, vertices: Array) -> Solid:
    return Solid(name, tuple(_face(points) for points in _hull_faces(vertices)))


def _trapezohedron(height: float) -> Solid:
    """A D10: ten kites. Their planarity fixes the equator's zigzag: c = h (1 - cos 36) / (1 + cos 36)."""
    cosine = np.cos(np.pi / 5)
    zigzag = height * (1 - cosine) / (1 + cosine)
    turns = np.arange(10) * np.pi / 5
    equator = np.stack([np.cos(turns), np.sin(turns), zigzag * (-1.0) ** np.arange(10)], axis=1)
    faces = []
    for k in range(10):
        top = 1.0 if k % 2 else -1.0
        apex = np.array([0.0, 0.0, top * height])
        near, left, right = equator[k], equator[k - 1], equator[(k + 1) % 10]
        centre = near + 0.40 * (apex - near)
        axis = _unit(apex - near)
        faces.append(_face(np.stack([apex, left, near, right]), centre, np.stack([axis, -axis])))
    return Solid("D10", tuple(faces))


def _crystal(sections: Sequence[tuple[float, float]]) -> Solid:
    """A long D4 on four sides: (place along x, half width) of each square section; the longest side is numbered."""
    rings = [np.array([[x, h, h], [x, -h, h], [x, -h, -h], [x, h, -h]]) for x, h in sections]
    spans = [sections[i + 1][0] - sections[i][0] for i in range(len(rings) - 1)]
    longest = int(np.argmax(spans))
    faces = []
    for i, (a, b) in enumerate(pairwise(rings)):
        for k in range(4):
            points = np.stack([a[k], a[(k + 1) % 4], b[(k + 1) % 4], b[k]])
            across = _unit(a[(k + 1) % 4] - a[k])
            ups = np.stack([np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]), across, -across])
            faces.append(_face(points, ups=ups, numbered=i == longest))
    ends = [
        _face(ring, numbered=False)
        for ring, (_, h) in zip((rings[0], rings[-1]), (sections[0], sections[-1]), strict=True)
        if h > 0.05
    ]
    return Solid("crystal D4", tuple(faces + ends))


def _round_end(start: float, half: float, length: float) -> list[tuple[float, float]]:
    angles = np.linspace(0, np.pi / 2 * 0.97, 6)[1:]
    return [(start + length * float(np.sin(a)), half * float(np.cos(a))) for a in angles]


def crystal(rng: np.random.Generator) -> Solid:
    """A crystal D4: bullet-shaped (one flat end, one round), pointed at both ends, or round at both."""
    half, body = float(rng.uniform(0.42, 0.62)), float(rng.uniform(0.5, 0.95))
    kind = rng.integers(3)
    if kind == 0:
        return _crystal(
            [(-body, half), (body * 0.45, half), *_round_end(body * 0.45, half, half * rng.uniform(0.8, 1.3))]
        )
    if kind == 1:
        point = float(rng.uniform(0.35, 0.7))
        return _crystal([(-body - point, 0.02), (-body, half), (body, half), (body + point, 0.02)])
    tail = _round_end(body, half, half * 0.6)
    return _crystal([*[(-x, h) for x, h in reversed(tail)], (-body, half), (body, half), *tail])


@cache
def _fixed(name: str) -> Solid:
    if name == "D4":
        return _regular("D4", np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3))
    if name == "D6":
        return _cube()
    if name == "D8":
        return _regular("D8", np.concatenate([np.eye(3), -np.eye(3)]))
    return _regular(name, _dodecahedron() if name == "D12" else _icosahedron())


def solid(name: str, rng: np.random.Generator) -> Solid:
    """The solid called `name`; D10s and crystal D4s differ in their proportions from one maker to the next."""
    if name == "D10":
        return _trapezohedron(float(rng.uniform(0.85, 1.2)))
    return crystal(rng) if name == "crystal D4" else _fixed(name)


def resting(normal: Array) -> Array:
    """The rotation (3, 3) that turns the unit vector `normal` straight up."""
    up = np.array([0.0, 0.0, 1.0])
    axis = cross(normal, up)
    sine, cosine = float(np.linalg.norm(axis)), float(normal @ up)
    if sine < 1e-9:
        return np.eye(3) if cosine > 0 else np.diag([1.0, -1.0, -1.0])
    return turn(axis / sine, float(np.arctan2(sine, cosine)))


def turn(axis: Array, angle_rad: float) -> Array:
    """Rotation by `angle_rad` about the unit vector `axis` (Rodrigues)."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle_rad) * k + (1 - np.cos(angle_rad)) * (k @ k))
