"""What the picture shows on and round a face: are its empty places empty, is it one surface, where does it end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dicevision.blobs import Blobs
from dicevision.image import Flags, Floats, Frame
from dicevision.pips import NODES, Face

GRID = np.linspace(-1.6, 1.6, 21, dtype=np.float32)
"""Where a face is looked at, in pitches: the pips and some body round them."""

MIDDLE = np.array([[0, 0]] + [[0.5 * math.cos(a), 0.5 * math.sin(a)] for a in np.arange(6) * math.pi / 3], np.float32)
"""The middle half of a pip of radius 1."""

PLACES = np.stack(np.meshgrid(GRID, GRID, indexing="ij"), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Surface:
    """How well the picture bears a face out. 0 is body, 1 is pip, in the colours that its own pips give.

    faintest: the least sure of its pips (near 1 for all alike). emptiest: the most pip-like of the places that
    ought to be bare. rough: share of the body between its pips that has neither colour.
    body, ink: its colours, BGR. contrast: their distance, grey levels.
    """

    faintest: float
    emptiest: float
    rough: float
    body: Floats
    ink: Floats
    contrast: float


def look(frame: Frame, blobs: Blobs, face: Face) -> Surface:
    """Compare the picture at every node of `face` with the colours of its pips and of the body round them."""
    body = np.median(blobs.outside[face.pips], axis=0)
    ink = np.median(blobs.inside[face.pips], axis=0)
    way = ink - body
    contrast = float(np.linalg.norm(way)) + 1e-3
    colours = gather(frame, face.centre + PLACES @ face.axes.T)
    along, across = split(colours, body, way, contrast)
    radius = pip_radius(blobs, face)
    q = (blobs.xy[face.pips] - face.centre) @ np.linalg.inv(face.axes).T
    from_pip = np.hypot(*(PLACES[:, None] - q[None]).transpose(2, 0, 1)).min(axis=1)
    bare = from_pip > 1.6 * radius
    odd = (np.abs(along) > 0.35) | (across > 0.35)
    nodes = node_values(frame, face, radius, body, way, contrast)
    empty = np.abs(NODES[:, None] - q[None]).max(axis=2).min(axis=1) > 0.5
    return Surface(
        faintest=float((np.abs(blobs.inside[face.pips] - body).max(axis=1) / np.abs(way).max()).min()),
        emptiest=float(nodes[empty & relevant(face)].max(initial=0.0)),
        rough=float(odd[bare].mean()) if bare.any() else 1.0,
        body=body,
        ink=ink,
        contrast=contrast,
    )


def relevant(face: Face) -> Flags:
    """Nodes that would make another value if they held a pip: all but the edges' middles of a face with a centre."""
    result = np.ones(len(NODES), bool)
    if face.value in (1, 3, 5):
        result[5:] = False
    return result


def node_values(frame: Frame, face: Face, radius: float, body: Floats, way: Floats, contrast: float) -> Floats:
    """(9,) how far each node's colour is from the body's, in contrasts: the mean over the middle of a pip there."""
    at = face.centre + (NODES[:, None] + MIDDLE[None] * radius).reshape(-1, 2) @ face.axes.T
    along, across = split(gather(frame, at), body, way, contrast)
    return np.asarray(np.hypot(along, across).reshape(len(NODES), -1).mean(axis=1))


def pip_radius(blobs: Blobs, face: Face) -> float:
    """A pip's radius in pitches."""
    area = float(np.median(blobs.radius[face.pips])) ** 2
    return math.sqrt(area / (abs(float(np.linalg.det(face.axes))) + 1e-6))


def split(colours: Floats, body: Floats, way: Floats, contrast: float) -> tuple[Floats, Floats]:
    """Each colour's part along body to ink (0 to 1) and its distance from that line, in contrasts."""
    off = (colours - body) / contrast
    unit = way / contrast
    along = off @ unit
    return along, np.linalg.norm(off - along[:, None] * unit, axis=1)


def gather(frame: Frame, at: Floats) -> Floats:
    """(K, 3) colours of the pixels nearest to `at`; beyond the border, the border's."""
    x = np.clip(np.rint(at[:, 0]).astype(np.intp), 0, frame.shape[1] - 1)
    y = np.clip(np.rint(at[:, 1]).astype(np.intp), 0, frame.shape[0] - 1)
    return np.asarray(frame[y, x], np.float32)


# --- where a body ends ---------------------------------------------------------------------------------------

RIM_RAYS = 24
RIM_STEPS = 40
RIM_ANGLES = np.arange(RIM_RAYS) * (2 * math.pi / RIM_RAYS)
RIM_DIRECTIONS = np.stack([np.cos(RIM_ANGLES), np.sin(RIM_ANGLES)], axis=1).astype(np.float32)
TO_SIDE = np.abs(RIM_DIRECTIONS).max(axis=1)
"""A ray's length times this is how far out the side of an upright square lies that it meets."""


@dataclass(frozen=True, slots=True)
class Rim:
    """Where the one-coloured body round a face's centre ends, along rays, in units of the axes it was looked for with.

    reach: (RIM_RAYS,) nan where no end was found. near: the nearest sides (one in five is nearer). half: half the
    face's side, from the nearer part of the sides. closed: share of rays with an end. aside: how much farther the
    body reaches on one side of the centre than on the other, over what a cube seen at the pips' slant would show: 1
    for a pattern in the middle of its face. marked: share of the body before its ends that is not of its colour.
    """

    reach: Floats
    near: float
    half: float
    closed: float
    aside: float
    marked: float


def rim(frame: Frame, centre: Floats, axes: Floats, span: tuple[float, float], floor: float, marks: Floats) -> Rim:
    """Follow the colour outwards from `centre`, from span[0] to span[1], until it steps away.

    A step is a change of more than `floor` grey levels between two samples and the two after them, so that slow
    shading is none. `marks` (N, 3), places and radii in `axes`, are passed over: they are the face's own pips.
    """
    radii = np.linspace(*span, RIM_STEPS, dtype=np.float32)
    places = RIM_DIRECTIONS[:, None] * radii[None, :, None]
    at = centre + places.reshape(-1, 2) @ axes.T
    colours = gather(frame, at).reshape(RIM_RAYS, RIM_STEPS, 3)
    limit = np.array([frame.shape[1] - 1, frame.shape[0] - 1], np.float32)
    colours[((at < 0) | (at > limit)).any(axis=1).reshape(RIM_RAYS, -1)] = -255
    if len(marks):
        gap = np.hypot(places[:, :, 0, None] - marks[:, 0], places[:, :, 1, None] - marks[:, 1])
        colours = carried_over(colours, np.asarray((gap < marks[:, 2]).any(axis=2)))
    reach = first_steps(colours, radii, floor)
    return summary(reach, axes, marks_on(colours, radii, reach, floor))


def carried_over(colours: Floats, hidden: Flags) -> Floats:
    """Give each hidden sample the colour of the last one before it that is not (or the first after it)."""
    order = np.arange(RIM_STEPS)
    first = np.argmin(hidden, axis=1)
    last = np.maximum.accumulate(np.where(hidden, -1, order), axis=1)
    source = np.where(last < 0, first[:, None], last)
    return np.asarray(np.take_along_axis(colours, source[:, :, None], 1))


LASTING = 5
"""Samples over which a step must last, before and after: a highlight, a speck or a pip is passed sooner."""


def first_steps(colours: Floats, radii: Floats, floor: float) -> Floats:
    """(RIM_RAYS,) the radius of each ray's first lasting step, nan where none."""
    pair = (colours[:, 1:] + colours[:, :-1]) / 2
    before, after = pair[:, :-2], pair[:, 2:]
    step = largest(after - before) > floor
    order = np.arange(step.shape[1])
    for more in (3, LASTING):
        later, earlier = np.minimum(order + more, order[-1]), np.maximum(order - more, 0)
        step &= largest(after[:, later] - before) > 0.7 * floor
        step &= largest(after - before[:, earlier]) > 0.7 * floor
    found = step.any(axis=1)
    return np.where(found, radii[step.argmax(axis=1) + 2], np.nan).astype(np.float32)


def largest(difference: Floats) -> Floats:
    """The largest of three channels' absolute differences; (..., 3) to (...)."""
    off = np.abs(difference)
    return np.asarray(np.maximum(np.maximum(off[..., 0], off[..., 1]), off[..., 2]))


def marks_on(colours: Floats, radii: Floats, reach: Floats, floor: float) -> float:
    """Share of the samples well before each ray's end that differ from the ray's usual colour by a step."""
    before = (radii[None] < 0.85 * np.nan_to_num(reach, nan=float(radii[-1]))[:, None]).astype(np.float32)
    count = np.maximum(before.sum(axis=1), 1)
    usual = np.einsum("rsc,rs->rc", colours, before) / count[:, None]
    odd = largest(colours - usual[:, None]) > 2 * floor
    return float((odd * before).sum() / max(1.0, float(before.sum())))


def summary(reach: Floats, axes: Floats, marked: float) -> Rim:
    """Put rays into figures."""
    side = np.sort((reach * TO_SIDE)[np.isfinite(reach)])
    closed = len(side) / RIM_RAYS
    if closed < 0.25:
        return Rim(reach, 0.0, 0.0, closed, 9.0, marked)
    near, half = np.percentile(side, [20, 40])
    return Rim(reach, float(near), float(half), closed, lopsidedness(reach, axes), marked)


def lopsidedness(reach: Floats, axes: Floats) -> float:
    """How much farther the body reaches one way than the other, over most lines through the centre.

    A cube turned by t from the camera shows its side, 2 tan t halves of a face deep, along the short axis only.
    """
    values, vectors = np.linalg.eigh(axes @ axes.T)
    flat = math.sqrt(max(float(values[0]), 1e-6) / float(values[1]))
    slant = 2 * math.sqrt(max(0.0, 1 - min(1.0, flat + 0.03) ** 2)) / flat
    way = RIM_DIRECTIONS[: RIM_RAYS // 2] @ axes.T
    aslant = np.abs(way @ vectors[:, 0]) / np.linalg.norm(way, axis=1)
    ratio = np.abs(np.log(reach[: RIM_RAYS // 2] / reach[RIM_RAYS // 2 :])) - np.log(1 + slant * aslant)
    ratio = ratio[np.isfinite(ratio)]
    return math.exp(max(0.0, float(np.percentile(ratio, 75)))) if len(ratio) >= 5 else 9.0
