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

RIM_RAYS = 32
RIM_ANGLES = np.arange(RIM_RAYS) * (2 * math.pi / RIM_RAYS)
RIM_DIRECTIONS = np.stack([np.cos(RIM_ANGLES), np.sin(RIM_ANGLES)], axis=1).astype(np.float32)
TO_SIDE = np.abs(RIM_DIRECTIONS).max(axis=1)
"""A ray's length times this is how far out the side of an upright square lies that it meets."""


@dataclass(frozen=True, slots=True)
class Rim:
    """Where the one-coloured body round a face's centre ends, along rays, in units of the axes it was looked for with.

    reach: (RIM_RAYS,) nan where no end was found. half: half the face's side, from the nearer third of the sides.
    closed: share of rays with an end. lopsided: the farther ends over the nearer ones: 1 for a face seen from above;
    side faces in view make it up to 2.4 for a camera at 55 degrees.
    """

    reach: Floats
    half: float
    closed: float
    lopsided: float


def rim(frame: Frame, centre: Floats, axes: Floats, span: tuple[float, float], floor: float, pips: Floats) -> Rim:
    """Follow the colour outwards from `centre`, from span[0] to span[1], until it steps away for good.

    The reference follows slow shading; a step is more than `floor` grey levels over two samples. `pips` (N, 3) are
    places and radii, in `axes`, to be passed over.
    """
    radii = np.linspace(*span, 40, dtype=np.float32)
    places = RIM_DIRECTIONS[:, None] * radii[None, :, None]
    at = centre + places.reshape(-1, 2) @ axes.T
    colours = gather(frame, at).reshape(RIM_RAYS, len(radii), 3)
    limit = np.array([frame.shape[1] - 1, frame.shape[0] - 1], np.float32)
    colours[((at < 0) | (at > limit)).any(axis=1).reshape(RIM_RAYS, -1)] = -255
    hidden = np.zeros(places.shape[:2], bool)
    for x, y, r in pips:
        hidden |= np.hypot(places[:, :, 0] - x, places[:, :, 1] - y) < 1.6 * r
    return summary(steps(colours, hidden, radii, floor))


def steps(colours: Floats, hidden: Flags, radii: Floats, floor: float) -> Floats:
    """(RIM_RAYS,) the radius of each ray's first lasting step, nan where none."""
    first = hidden.argmin(axis=1)
    reference = colours[np.arange(RIM_RAYS), first].copy()
    result = np.full(RIM_RAYS, np.nan, np.float32)
    alive = np.ones(RIM_RAYS, bool)
    for k in range(1, len(radii) - 1):
        here = np.abs(colours[:, k] - reference).max(axis=1)
        step = np.minimum(here, np.abs(colours[:, k + 1] - reference).max(axis=1))
        hit = alive & (step > floor) & ~hidden[:, k] & ~hidden[:, k + 1]
        result[hit] = radii[k]
        alive &= ~hit
        follow = ~hidden[:, k] & (here <= floor)
        reference[follow] += (colours[follow, k] - reference[follow]) * 0.25
    return result


def summary(reach: Floats) -> Rim:
    """Put rays into figures."""
    side = np.sort((reach * TO_SIDE)[np.isfinite(reach)])
    if len(side) < 8:
        return Rim(reach, 0.0, len(side) / RIM_RAYS, 9.0)
    low, third, high = np.percentile(side, [12, 33, 88])
    return Rim(reach, float(third), len(side) / RIM_RAYS, float(high / low))
