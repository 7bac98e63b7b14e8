"""The six patterns of pips, fitted to spots: which spots are one face, where it lies and what it shows.

A face is a square seen from afar, so an affine map takes its own coordinates to pixels: pips sit at -1, 0 and 1
(the *pitch* is the distance from the middle row to an outer row), and every pip of a face is the same circle, so
all have the same ellipse in the picture. The ellipse gives the map up to a turn and a size; two pips give those too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from dicevision.blobs import Blobs, determinants, inverses, places_of, roots
from dicevision.image import Flags, Floats, Rows

PITCH_RADII = (1.65, 5.0)
"""Least and most pitch in pip radii. Touching pips in a column of a six give 2; small pips on a large die 4.5."""

NODES = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1], [0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]], np.float32)
"""Every place where a standard face may have a pip: corners, centre, the middles of the edges."""

ROUNDED = 1.6
"""Ease for patterns that four corners hold together, and for pips that cast doubt on a smaller one."""

HALF_FACE = 1.9
"""Half a face's side in pitches: 1.75 to 2.2 on casino, hobby and board-game dice."""


@dataclass(frozen=True, slots=True)
class Face:
    """A pattern on a face.

    value: pips counted. pips: rows of the blobs. centre: (2,) pixels. axes: (2, 2), takes face coordinates
    (pitches) to pixels. misfit: rms distance of pips from the pattern, pitches. square: how far the pattern is from
    the square its ellipses promise (0: none).
    """

    value: int
    pips: Rows
    centre: Floats
    axes: Floats
    misfit: float
    square: float

    @property
    def longest(self) -> float:
        """Pixels that a pitch has in the direction in which it has most (the spectral norm of `axes`)."""
        (a, b), (c, d) = self.axes.tolist()
        across, down = a * a + b * b, c * c + d * d
        return math.sqrt((across + down) / 2 + math.hypot((across - down) / 2, a * c + b * d))


# --- which spots may share a face ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two spots alike enough to share a face.

    Rows i < j, middle (P, 2), inverse (P, 2, 2) from pixels to the plane where their pips are unit circles,
    half (P, 2): from the middle to j in that plane.
    """

    i: Rows
    j: Rows
    middle: Floats
    inverse: Floats
    half: Floats

    def take(self, index: Rows | Flags) -> Pairs:
        """Return the rows of `index`."""
        return Pairs(*(getattr(self, f.name)[index] for f in fields(self)))


def likenesses(blobs: Blobs) -> tuple[Flags, Flags, Flags]:
    """(N, N) each: which spots agree as pips of one face do; the same on a rounded die; and which may be akin.

    To agree is to have one sign and about one size, shape and colours. On a flat face and a sharp picture ellipses
    agree within 0.1; a rounded die turns its outer pips away by 10 to 15 degrees, which ROUNDED allows for. A spot is
    akin to another if it might be a pip of its face that gloss, blur or an edge has spoilt.
    """
    slack = 0.5 / np.minimum(blobs.radius[:, None], blobs.radius[None, :])
    size = np.log(blobs.radius)
    size = np.abs(size[:, None] - size)
    contrast = np.abs(blobs.inside - blobs.outside).max(axis=1)
    room = 0.5 * np.minimum(contrast[:, None], contrast)
    ground, sign = colour_gap(blobs.outside), blobs.dark[:, None] == blobs.dark
    same = sign & (ground < room) & (colour_gap(blobs.inside) < 1.2 * room) & blobs.clear[:, None] & blobs.clear
    shape = shape_gap(blobs.shape)
    like, loose = (
        same & (size < ease * (0.2 + 0.7 * slack)) & (shape < ease * (0.25 + slack)) for ease in (1.0, ROUNDED)
    )
    kin = sign & (size < 0.5) & (contrast > 0.35 * contrast[:, None]) & (ground < 0.6 * contrast[:, None])
    return np.asarray(like), np.asarray(loose), np.asarray(kin)


def colour_gap(colours: Floats) -> Floats:
    """(N, N) the largest difference of a channel between two of (N, 3) colours."""
    blue, green, red = (np.abs(channel[:, None] - channel) for channel in colours.T)
    return np.asarray(np.maximum(np.maximum(blue, green), red))


def shape_gap(shape: Floats) -> Floats:
    """(N, N) how differently two ellipses are stretched, whatever their size: 0 for the same, log of squared axes."""
    unit = shape / np.sqrt(np.maximum(determinants(shape), 1e-12))[:, None, None]
    swapped = np.stack([unit[:, 1, 1], -unit[:, 0, 1], -unit[:, 1, 0], unit[:, 0, 0]], axis=1)
    trace = swapped @ unit.reshape(-1, 4).T
    return np.asarray(np.arccosh(np.maximum(trace / 2, 1.0)), np.float32)


def stretch_gap(a: Floats, b: Floats) -> float:
    """The same for one pair of ellipses (2, 2)."""
    (a_xx, a_xy), (_, a_yy) = a.tolist()
    (b_xx, b_xy), (_, b_yy) = b.tolist()
    size = math.sqrt(max(a_xx * a_yy - a_xy * a_xy, 1e-12) * max(b_xx * b_yy - b_xy * b_xy, 1e-12))
    return math.acosh(max((a_xx * b_yy - 2 * a_xy * b_xy + a_yy * b_xx) / size / 2, 1.0))


def pairs(blobs: Blobs, like: Flags) -> Pairs:
    """All pairs that are alike and as far apart as two pips of a face may be."""
    reach = 2 * math.sqrt(2) * PITCH_RADII[1] * 2.3 * np.minimum(blobs.radius[:, None], blobs.radius[None])
    i, j = places_of(np.triu(like & (farther(blobs.xy) < reach), 1))
    shape = (blobs.shape[i] + blobs.shape[j]) / 2
    inverse = inverses(roots(shape))
    half = np.einsum("pij,pj->pi", inverse, blobs.xy[j] - blobs.xy[i]) / 2
    length = np.hypot(half[:, 0], half[:, 1])
    fits = (length > 1.0) & (length < math.sqrt(2) * PITCH_RADII[1])
    i, j = i[fits], j[fits]
    return Pairs(i, j, (blobs.xy[i] + blobs.xy[j]) / 2, inverse[fits], half[fits])


def farther(xy: Floats) -> Floats:
    """(N, N) how far each of (N, 2) places is from each along that axis along which it is farther."""
    x, y = np.ascontiguousarray(xy.T)
    return np.asarray(np.maximum(np.abs(x - x[:, None]), np.abs(y - y[:, None])))


# --- twos and threes -----------------------------------------------------------------------------------------


def diagonal_maps(p: Pairs) -> Floats:
    """(P, 2, 2) pixels to face coordinates, taking each pair for opposite corners (-1, -1) and (1, 1)."""
    x, y = p.half[:, 0], p.half[:, 1]
    pitch2 = (x * x + y * y) / 2
    turn = np.stack([np.stack([x + y, y - x], -1), np.stack([x - y, x + y], -1)], -2) / (2 * pitch2)[:, None, None]
    return np.asarray(np.einsum("pij,pjk->pik", turn, p.inverse), np.float32)


def diagonals(blobs: Blobs, like: Flags, p: Pairs) -> list[Face]:
    """Twos and threes: opposite corners with nothing else like them on the face, or one pip half way."""
    length = np.hypot(p.half[:, 0], p.half[:, 1]) / math.sqrt(2)
    p = p.take((length > PITCH_RADII[0]) & (length < PITCH_RADII[1]))
    maps = diagonal_maps(p)
    q = (blobs.xy[None] - p.middle[:, None]) @ maps.transpose(0, 2, 1)
    both = like[p.i] & like[p.j]
    own = like[p.i] | like[p.j]
    own[np.arange(len(p.i)), p.i] = own[np.arange(len(p.i)), p.j] = False
    inside = (np.abs(q[..., 0]) < 1.6) & (np.abs(q[..., 1]) < 1.6) & own
    off = np.hypot(q[:, :, 0], q[:, :, 1])
    middle = inside & both & (off < 0.3)
    count = inside.sum(axis=1)
    rows = np.flatnonzero((count == 0) | (count == 1) & middle.any(axis=1))
    axes = inverses(maps[rows])
    return [diagonal(p, int(row), one, middle[row], off[row]) for row, one in zip(rows, axes, strict=True)]


def diagonal(p: Pairs, row: int, axes: Floats, middle: Flags, off: Floats) -> Face:
    """The two or three of which pair `row` is the corners and `middle` (N,) what lies half way, `off` (N,) from it."""
    between = np.flatnonzero(middle)
    pips = np.array([p.i[row], p.j[row], *between], np.intp)
    misfit = float(off[between[0]]) / math.sqrt(3) if len(between) else 0.0
    return Face(len(pips), pips, p.middle[row], axes, misfit, 0.0)


# --- fours, fives and sixes ----------------------------------------------------------------------------------


def crossing_pairs(p: Pairs, blobs: Blobs) -> tuple[Rows, Rows]:
    """Pairs that share their middle, are about as long, and cross at about a right angle in the face's plane."""
    r = np.sqrt(blobs.radius[p.i] * blobs.radius[p.j])
    a, b = places_of(np.triu(farther(p.middle) < (0.6 * r + 0.6)[:, None], 1))
    other = (p.inverse[a] @ (blobs.xy[p.j[b]] - p.middle[b])[:, :, None])[:, :, 0]
    la, lb = np.hypot(p.half[a, 0], p.half[a, 1]), np.hypot(other[:, 0], other[:, 1])
    cosine = np.abs((p.half[a] * other).sum(axis=1)) / (la * lb)
    pitch = np.sqrt(la * lb / 2)
    good = (np.abs(np.log(la / lb)) < 0.35) & (cosine < 0.55) & (pitch > PITCH_RADII[0]) & (pitch < PITCH_RADII[1])
    return a[good], b[good]


def squares(blobs: Blobs, like: Flags, p: Pairs) -> list[Face]:
    """Fours, fives and sixes: four corners, and what lies on the other nodes; nothing else like them is on the face."""
    a, b = crossing_pairs(p, blobs)
    corners = np.stack([p.i[a], p.j[a], p.i[b], p.j[b]], axis=1)
    ordered = np.sort(corners, axis=1)
    whole = (ordered[:, 1:] > ordered[:, :-1]).all(axis=1)
    whole &= like[corners[:, :, None], corners[:, None]].sum(axis=(1, 2)) >= 10
    corners = corners[whole]
    xy = blobs.xy[corners]
    d, e = (xy[:, 0] - xy[:, 1]) / 2, (xy[:, 2] - xy[:, 3]) / 2
    axes = np.stack([(d + e) / 2, (d - e) / 2], axis=2)
    real = np.abs(determinants(axes)) >= 1e-3
    corners, axes, centre = corners[real], axes[real], xy[real].mean(axis=1)
    q = (blobs.xy[None] - centre[:, None]) @ inverses(axes).transpose(0, 2, 1)
    near = (np.abs(q[..., 0]) < 1.55) & (np.abs(q[..., 1]) < 1.55) & (like[corners].sum(axis=1) >= 2)
    np.put_along_axis(near, corners, values=False, axis=1)
    others = on_nodes(q, near)
    values = [PATTERNS.get(frozenset(node for _, node in own)) for own in others]
    told = [k for k, value in enumerate(values) if value is not None]
    rows, count = padded([corners[k].tolist() + [spot for spot, _ in others[k]] for k in told])
    misfit = misfits(blobs.xy[rows], np.take_along_axis(q[told], rows[:, :, None], axis=1), count)
    round_ = inverses(roots(means(blobs.shape[rows], count))) @ axes[told]
    return [
        Face(value, pips[:n], centre[k], axes[k].astype(np.float32), off, lopsided(m, value))
        for k, pips, n, off, m in zip(told, rows, count.tolist(), misfit.tolist(), round_.tolist(), strict=True)
        if (value := values[k]) is not None
    ]


STRAY = -1
"""Stands for the node of a spot that lies on none but the corners'."""


def on_nodes(q: Floats, near: Flags) -> list[list[tuple[int, int]]]:
    """The spots of each row of `near` (F, N), each with the node of its place in `q` (F, N, 2), or STRAY."""
    face, spot = places_of(near)
    off = np.abs(q[face, spot][:, None] - NODES).max(axis=2)
    at = off.argmin(axis=1)
    node = np.where((off.min(axis=1, initial=9) < 0.33) & (at >= 4), at, STRAY)
    found: list[list[tuple[int, int]]] = [[] for _ in near]
    for k, one in zip(face.tolist(), zip(spot.tolist(), node.tolist(), strict=True), strict=True):
        found[k].append(one)
    return found


PATTERNS = {frozenset[int](): 4, frozenset({4}): 5, frozenset({5, 6}): 6, frozenset({7, 8}): 6}
"""The value of four corners by the other nodes that hold a pip; any others are no pattern."""


def padded(rows: Sequence[list[int]]) -> tuple[Rows, Rows]:
    """(F, M) the rows, the first of each repeated where another is longer; (F,) how long each is."""
    most = max((len(own) for own in rows), default=1)
    full = np.array([own + own[:1] * (most - len(own)) for own in rows], np.intp)
    return full.reshape(-1, most), np.array([len(own) for own in rows], np.intp)


def first_ones(count: Rows, most: int) -> Floats:
    """(F, most) 1 for the first `count` (F,) of each row, 0 for the rest."""
    return (np.arange(most) < count[:, None]).astype(np.float64)


def means(values: Floats, count: Rows) -> Floats:
    """(F, 2, 2) means of the first `count` (F,) of each row of (F, M, 2, 2)."""
    own = first_ones(count, values.shape[1])[:, :, None, None]
    return np.asarray((values * own).sum(axis=1) / count[:, None, None])


def misfits(xy: Floats, q: Floats, count: Rows) -> Floats:
    """(F,) rms distances, pitches, of pips `xy` (F, M, 2) from their nodes after the best affine map of these to them.

    q: (F, M, 2) the pips' places on the face. count: (F,) how many are a face's own.
    """
    own = first_ones(count, xy.shape[1])[:, :, None]
    ideal = np.concatenate([np.rint(q), np.ones_like(own)], axis=2) * own
    across = ideal.transpose(0, 2, 1)
    fit = np.linalg.solve(across @ ideal, across @ xy)
    off2 = ((xy - ideal @ fit) ** 2 * own).sum(axis=(1, 2)) / count
    return np.asarray(np.sqrt(off2) / (np.sqrt(np.abs(determinants(fit))) + 1e-6))


def lopsided(axes: list[list[float]], value: int) -> float:
    """How far `axes` (2, 2) are from a square, in the plane where the pips are circles.

    The log of the ratio of its sides and the cosine between them. A six may be a fifth narrower than long.
    """
    (a, b), (c, d) = axes
    long, wide = math.hypot(a, c), math.hypot(b, d)
    stretch = abs(math.log(long / wide))
    cosine = abs(a * b + c * d) / (long * wide)
    return math.hypot(max(0.0, stretch - (0.2 if value == 6 else 0.0)), cosine)


def find(blobs: Blobs, like: Flags, loose: Flags) -> list[Face]:
    """Every pattern of two to six pips that the spots allow; they compete elsewhere.

    `like` and `loose` are those of `likenesses`.
    """
    if len(blobs) < 2:
        return []
    two = pairs(blobs, loose)
    return squares(blobs, loose, two) + diagonals(blobs, like, two.take(like[two.i, two.j]))
