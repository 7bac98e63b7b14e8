"""What the picture shows on and round a face: are its empty places empty, is it one surface, where does it end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.blobs import Blobs, determinants, gather, half_axes2, inverses, median
from dicevision.image import Flags, Floats, Frame, Rows
from dicevision.pips import NODES, Face, padded

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


@dataclass(frozen=True, slots=True)
class Laid:
    """Patterns of two pips and more side by side, so that one step serves them all.

    value: (N,) pips counted. rows: (N, M) the blobs of each, the first repeated where another has more. count: (N,) how
    many are its own. centre: (N, 2) pixels. axes: (N, 2, 2) as in `Face`. pip_px: (N,) a pip's radius, pixels. radius:
    (N,) the same in pitches. places: (N, M, 2) where its pips lie on it, pitches.
    """

    value: Rows
    rows: Rows
    count: Rows
    centre: Floats
    axes: Floats
    pip_px: Floats
    radius: Floats
    places: Floats

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(cls, blobs: Blobs, faces: Sequence[Face]) -> Laid:
        """Lay one face or more side by side."""
        rows, count = padded([f.pips.tolist() for f in faces])
        centre, axes = np.array([f.centre for f in faces]), np.array([f.axes for f in faces])
        pip_px = middles(blobs.radius[rows], count)
        radius = pip_px / np.sqrt(np.abs(determinants(axes.astype(np.float64))) + 1e-6)
        places = (blobs.xy[rows] - centre[:, None]) @ inverses(axes).transpose(0, 2, 1)
        return cls(np.array([f.value for f in faces]), rows, count, centre, axes, pip_px, radius, places)

    def take(self, index: Rows) -> Laid:
        """Return the faces of `index`."""
        return Laid(*(getattr(self, f.name)[index] for f in fields(self)))


def middles(values: Floats, count: Rows) -> Floats:
    """(N,) medians of the first `count` (N,) of each row of `values` (N, M)."""
    own = np.where(np.arange(values.shape[1]) < count[:, None], values.astype(np.float64), np.inf)
    own.sort(axis=1)
    each = np.arange(len(own))
    return np.asarray((own[each, (count - 1) // 2] + own[each, count // 2]) / 2)


def looks(frame: Frame, blobs: Blobs, laid: Laid) -> list[Surface]:
    """Compare the picture at every node of faces with the colours of their pips and bodies."""
    radius, q = laid.radius[:, None], laid.places
    body, ink = usual(np.stack([blobs.outside, blobs.inside]), laid.rows, laid.count)
    way = ink - body
    contrast = np.linalg.norm(way, axis=1) + 1e-3
    nodes = (NODES[:, None] + MIDDLE * radius[:, None, None]).reshape(len(laid), -1, 2)
    places = np.concatenate([np.broadcast_to(PLACES, (len(laid), *PLACES.shape)), nodes], axis=1)
    at = placed(laid.centre, laid.axes, places)
    along, across = split(gather(frame, at[..., 0], at[..., 1]), body, way / contrast[:, None], contrast)
    odd = (np.abs(along) > 0.35) | (across > 0.35)
    bare = distances2(PLACES, q).min(axis=1) > (1.6 * radius) ** 2
    count = bare.sum(axis=1)
    rough = np.where(count > 0, (odd[:, : len(PLACES)] & bare).sum(axis=1) / np.maximum(count, 1), 1.0)
    pip_like = np.hypot(along, across)[:, len(PLACES) :].reshape(len(laid), len(NODES), -1).mean(axis=2)
    empty = np.abs(NODES[:, None] - q[:, None]).max(axis=3).min(axis=2) > 0.5
    emptiest = np.where(empty & RELEVANT[laid.value], pip_like, 0.0).max(axis=1)
    strength = np.abs(blobs.inside[laid.rows] - body[:, None]).max(axis=2) / np.abs(way).max(axis=1)[:, None]
    figures = (strength.min(axis=1), emptiest, rough, contrast)
    each = zip(*(figure.tolist() for figure in figures), body, ink, strict=True)
    return [Surface(faint, bare, rough, body, ink, contrast) for faint, bare, rough, contrast, body, ink in each]


def usual(colours: Floats, rows: Rows, count: Rows) -> Floats:
    """(K, N, 3) medians of K `colours` (K, B, 3) of spots over the first `count` (N,) of each row of `rows` (N, M)."""
    none = np.arange(rows.shape[1]) >= count[:, None]
    own = np.where(none[:, :, None], np.float32(np.nan), colours[:, rows]).swapaxes(2, 3)
    (middle,) = quantiles(np.sort(own, axis=3).reshape(-1, rows.shape[1]), np.tile(np.repeat(count, 3), 2), (0.5,))
    return np.asarray(middle.reshape(len(colours), len(rows), 3), np.float32)


def distances2(places: Floats, q: Floats) -> Floats:
    """(N, M, K) squares of the distances of `places` (K, 2) from `q` (N, M, 2)."""
    x, y = (places[:, k] - q[:, :, None, k] for k in range(2))
    return np.asarray(x * x + y * y)


RELEVANT = np.array([[k < 5 or value % 2 == 0 for k in range(len(NODES))] for value in range(7)])
"""(value, node) which nodes would make another value if they held a pip: all but the edges' middles of a face with a
centre."""


def pip_radius(blobs: Blobs, face: Face) -> float:
    """A pip's radius in pitches."""
    (a, b), (c, d) = face.axes.tolist()
    return median(blobs.radius[face.pips]) / math.sqrt(abs(a * d - b * c) + 1e-6)


def split(colours: NDArray[Any], body: Floats, unit: Floats, contrast: Floats) -> tuple[Floats, Floats]:
    """Each colour's part along body to ink (0 to 1) and its distance from that line, in contrasts.

    colours: (N, K, 3). body, unit: (N, 3). contrast: (N,). `unit` is the direction from body to ink.
    """
    off = (colours - body[:, None]) / contrast[:, None, None]
    along = (off @ unit[:, :, None])[:, :, 0]
    return along, np.sqrt(np.maximum(np.einsum("nkc,nkc->nk", off, off) - along * along, 0))


def placed(centre: Floats, axes: Floats, places: Floats) -> Floats:
    """(N, K, 2) pixels of `places` (N, K, 2) in each of N `axes` (N, 2, 2) round `centre` (N, 2)."""
    return np.asarray(centre[:, None] + places @ axes.transpose(0, 2, 1))


# --- where a body ends ---------------------------------------------------------------------------------------

RIM_RAYS = 24
RIM_STEPS = 40
SHARES = np.linspace(0, 1, RIM_STEPS)
"""How far along a ray its samples lie."""

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
    for a pattern in the middle of its face. marked: share of the body before its ends that is not of its colour; 0 for
    a face with marks of its own.
    """

    reach: Floats
    near: float
    half: float
    closed: float
    aside: float
    marked: float


def rims(
    frame: Frame, centre: Floats, axes: Floats, span: tuple[Floats, float], floor: Floats, marks: Floats | None
) -> list[Rim]:
    """Follow the colour outwards from each `centre` (N, 2), from span[0] (N,) to span[1], until it steps away.

    A step is a change of more than `floor` (N,) grey levels between two samples and the two after them, so that slow
    shading is none. `marks` (N, M, 3), places and radii in `axes`, are passed over: they are the face's own pips.
    """
    if len(centre) == 0:
        return []
    radii = (span[0][:, None] + (span[1] - span[0])[:, None] * SHARES).astype(np.float32)[:, None]
    seen = np.broadcast_to(radii, (len(centre), RIM_RAYS, RIM_STEPS))
    if marks is not None:
        seen = np.take_along_axis(seen, stand_ins(on_marks(radii, marks)), -1)
    rays = RIM_DIRECTIONS @ axes.transpose(0, 2, 1)
    x, y = (centre[:, k, None, None] + rays[:, :, k, None] * seen for k in range(2))
    colours = np.array(cv2.split(gather(frame, x, y).reshape(-1, RIM_STEPS, 3)), np.int16).reshape(3, *x.shape)
    if min(x.min(), y.min()) < 0 or x.max() > frame.shape[1] - 1 or y.max() > frame.shape[0] - 1:
        colours[:, (x < 0) | (y < 0) | (x > frame.shape[1] - 1) | (y > frame.shape[0] - 1)] = BEYOND
    floor = floor[:, None, None]
    reach = first_steps(colours, radii, floor)
    marked = marks_on(colours, radii, reach, floor) if marks is None else np.zeros(len(centre))
    return summaries(reach, axes, marked)


def on_marks(radii: Floats, marks: Floats) -> Flags:
    """(N, RIM_RAYS, RIM_STEPS) which samples at `radii` (N, 1, RIM_STEPS) lie on one of the `marks` (N, M, 3)."""
    x, y = (way[:, None] * radii for way in RIM_DIRECTIONS.T)
    off_x, off_y = (each[:, None] - marks[:, :, k, None, None] for k, each in enumerate((x, y)))
    off_x *= off_x
    off_y *= off_y
    off_x += off_y
    return np.asarray((off_x < marks[:, :, 2, None, None] ** 2).any(axis=1))


def stand_ins(hidden: Flags) -> Rows:
    """For each sample of a ray itself; for a hidden one the last before it that is not, or the first after it."""
    order = np.arange(RIM_STEPS)
    first = np.argmin(hidden, axis=-1)
    last = np.maximum.accumulate(np.where(hidden, -1, order), axis=-1)
    return np.where(last < 0, first[..., None], last)


BEYOND = -255
"""What stands for a colour beyond the frame: farther from any than those are from one another."""

LASTING = 5
"""Samples over which a step must last, before and after: a highlight, a speck or a pip is passed sooner."""


def first_steps(colours: NDArray[np.int16], radii: Floats, floor: Floats) -> Floats:
    """(N, RIM_RAYS) the radius of each ray's first lasting step, nan where none.

    colours: (3, N, RIM_RAYS, RIM_STEPS). radii: (N, 1, RIM_STEPS). floor: (N, 1, 1).
    """
    pair = colours[..., 1:] + colours[..., :-1]  # twice the mean of two samples: whole numbers are compared sooner
    length = pair.shape[-1] - 2
    row = np.concatenate([pair[..., :1]] * LASTING + [pair] + [pair[..., -1:]] * LASTING, axis=-1)
    before, after = (row[..., LASTING + k : LASTING + k + length] for k in (0, 2))
    step = largest(after - before) > whole(2 * floor)
    for more in (3, LASTING):
        later, earlier = (row[..., k : k + length] for k in (LASTING + 2 + more, LASTING - more))
        step &= largest(later - before) > whole(1.4 * floor)
        step &= largest(after - earlier) > whole(1.4 * floor)
    first = step.argmax(axis=-1)
    at = radii[np.arange(len(radii))[:, None], 0, first + 2]
    return np.where(step.any(axis=-1), at, np.nan).astype(np.float32)


def whole(floor: Floats) -> NDArray[np.int16]:
    """The largest whole numbers that are not above `floor`: a whole number is above both or neither."""
    return np.floor(floor).astype(np.int16)


def largest(difference: Floats) -> Floats:
    """The largest of three channels' absolute differences; (3, ...) to (...)."""
    return np.asarray(np.abs(difference).max(axis=0))


def marks_on(colours: NDArray[np.int16], radii: Floats, reach: Floats, floor: Floats) -> Floats:
    """(N,) share of the samples well before each ray's end that differ from the ray's usual colour by a step."""
    end = np.where(np.isfinite(reach), reach, radii[..., -1])
    before = radii < np.float32(0.85) * end[..., None]
    usual = (colours * before).sum(axis=-1) / np.maximum(before.sum(axis=-1), 1)
    odd = largest(colours - usual[..., None]) > 2 * floor
    return np.asarray((odd & before).sum(axis=(1, 2)) / np.maximum(before.sum(axis=(1, 2)), 1))


def summaries(reach: Floats, axes: Floats, marked: Floats) -> list[Rim]:
    """Put rays into figures."""
    ordered = np.sort(reach * TO_SIDE, axis=1)
    count = np.isfinite(ordered).sum(axis=1)
    near, half = quantiles(ordered, count, (0.2, 0.4))
    figures = (near, half, count / RIM_RAYS, lopsidedness(reach, axes), marked)
    return [
        Rim(own, near, half, closed, aside, mark) if closed >= 0.25 else Rim(own, 0.0, 0.0, closed, 9.0, mark)
        for own, near, half, closed, aside, mark in zip(reach, *(each.tolist() for each in figures), strict=True)
    ]


def quantiles(ordered: Floats, count: Rows, shares: tuple[float, ...]) -> Floats:
    """(len(shares), N) quantiles of the first `count` (N,) values of each row, which are in order."""
    at = np.array(shares)[:, None] * np.maximum(count - 1, 0)
    low, rows = at.astype(np.intp), np.arange(len(ordered))
    a, b = ordered[rows, low], ordered[rows, np.ceil(at).astype(np.intp)]
    return np.asarray(a + (b - a) * (at - low))


def lopsidedness(reach: Floats, axes: Floats) -> Floats:
    """(N,) how much farther each body reaches one way than the other, over most lines through the centre.

    A cube turned by t from the camera shows its side, 2 tan t halves of a face deep, along the short axis only.
    """
    low, high, short = half_axes2(axes @ axes.transpose(0, 2, 1))
    flat = np.sqrt(np.maximum(low, 1e-6) / high)[:, None]
    slant = 2 * np.sqrt(1 - np.minimum(1.0, flat + 0.03) ** 2) / flat
    way = RIM_DIRECTIONS[: RIM_RAYS // 2] @ axes.transpose(0, 2, 1)
    aslant = np.abs(way @ short[:, :, None])[:, :, 0] / np.hypot(way[..., 0], way[..., 1])
    ratio = np.abs(np.log(reach[:, : RIM_RAYS // 2] / reach[:, RIM_RAYS // 2 :])) - np.log(1 + slant * aslant)
    count = np.isfinite(ratio).sum(axis=1)
    (usual,) = quantiles(np.sort(ratio, axis=1), count, (0.75,))
    return np.where(count >= 5, np.exp(np.maximum(0.0, usual)), 9.0)
