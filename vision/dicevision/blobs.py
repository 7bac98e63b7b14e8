"""Round spots, dark or light, of every size: what a pip looks like before anybody asks whether it is one.

Spots are the extremes of a difference-of-Gaussians pyramid (Lindeberg 1998; Lowe 2004, section 3), so no size is
preferred. Each is then measured where its profile crosses half its depth along rays, which blur does not move,
and an ellipse is fitted to the crossings: centre and shape come out to a small part of a pixel.
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass, fields, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.image import Flags, Floats, Frame, Grey, Rows

RAYS = 20
"""Directions in which a spot's edge is looked for: an ellipse has five unknowns, and half the rays may be lost."""

REACH = 3.6
"""How far a ray goes, in detected radii: a circle seen at 70 degrees has a long axis 3 times its short one."""

STEPS = 20
"""Samples along a ray."""


@dataclass(frozen=True, slots=True)
class Blobs:
    """Measured spots, one a row.

    xy: (N, 2) centre, pixels. shape: (N, 2, 2) ellipse matrix S, points u with u' S^-1 u = 1 lie on its edge.
    radius: (N,) geometric mean of its half axes, pixels. dark: (N,) darker than what is round it (in its plane).
    depth: (N,) difference of inside and outside in its plane, grey levels. residual: (N,) rms distance of the
    crossings from the ellipse, in radii. seen: (N,) share of rays with a crossing. inside, outside: (N, 3) median
    colours, BGR. spread: (N,) median absolute deviation of the colours round it, grey levels.
    clear: (N,) whether the ellipse fits as a pip's does; the others only cast doubt on patterns that ignore them.
    """

    xy: Floats
    shape: Floats
    radius: Floats
    dark: Flags
    depth: Floats
    residual: Floats
    seen: Floats
    inside: Floats
    outside: Floats
    spread: Floats
    clear: Flags

    def __len__(self) -> int:
        return len(self.xy)

    def take(self, index: Rows | Flags) -> Blobs:
        """Return the rows of `index`."""
        return Blobs(*(getattr(self, f.name)[index] for f in fields(self)))


# --- detection -----------------------------------------------------------------------------------------------

SIGMAS = (1.0, math.sqrt(2), 2.0)
"""Blur of an octave's three pictures, in its own pixels; Lowe's two intervals an octave."""

RADIUS_OF = tuple(math.sqrt(2) * math.sqrt(a * b) for a, b in itertools.pairwise(SIGMAS))
"""The disc that each difference answers to most: radius = sqrt(2) sigma (Lindeberg 1998)."""

MOST_SPOTS = 160
"""Spots kept in one octave, the strongest: ten dice show some 150 pips; the rest is the table's pattern."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a spot may be: place (N, 2), radius and signed answer (positive: dark), in the plane's full pixels."""

    xy: Floats
    radius: Floats
    answer: Floats

    def take(self, index: Rows | Flags) -> Seeds:
        """Return the rows of `index`."""
        return Seeds(self.xy[index], self.radius[index], self.answer[index])


def octaves(plane: Grey, count: int) -> list[Floats]:
    """(3, H, W) an octave: pictures of rising blur, each octave half the size of the last."""
    pictures = np.empty((len(SIGMAS), *plane.shape), np.float32)
    blurred(plane, 0.85, pictures[0])
    result: list[Floats] = []
    while True:
        for level, (low, high) in enumerate(itertools.pairwise(SIGMAS)):
            blurred(pictures[level], math.sqrt(high * high - low * low), pictures[level + 1])
        result.append(pictures)
        half = pictures[-1, ::2, ::2]
        if len(result) == count or min(half.shape) < 16:
            return result
        pictures = np.empty((len(SIGMAS), *half.shape), np.float32)
        pictures[0] = half


def blurred(picture: Grey, sigma: float, into: Grey | None = None) -> Grey:
    """`picture`, bytes or float32, as float32 under a Gaussian cut off at 3 sigma, where a thousandth of it is left."""
    kernel = cv2.getGaussianKernel(2 * math.ceil(3 * sigma) + 1, sigma, cv2.CV_32F)
    return cv2.sepFilter2D(picture, cv2.CV_32F, kernel, kernel, dst=into)


def seeds(pyramid: list[Floats], floor: float) -> Seeds:
    """Extremes, in place and in scale, of the pyramid's differences above `floor` grey levels that are no edges."""
    parts = [
        seeds_of_octave(pictures, octave, coarser, floor)
        for octave, (pictures, coarser) in enumerate(itertools.zip_longest(pyramid, pyramid[1:]))
    ]
    return without_repeats(parts)


NEAR_BEST = 0.8
"""Share of the next size's answer that a spot's own must reach: of nearly equal sizes all are measured, and the one
whose ellipse fits best stays. With 1, 4 of wood-desk's 1206 dice, blurred ones, were no longer read."""

BAND = 60_000
"""Pixels looked at in one go: small enough to stay in a processor's cache."""


def seeds_of_octave(pictures: Floats, octave: int, coarser: Floats | None, floor: float) -> Seeds:
    """The strongest MOST_SPOTS extremes of one octave, in place and in scale; `coarser` is the next, half the size."""
    level, x, y, answer = compact(pictures, *extremes(pictures, floor))
    if coarser is not None:
        finest = np.abs(coarser[1][y // 2, x // 2] - coarser[0][y // 2, x // 2])
        most = (level < len(RADIUS_OF) - 1) | (np.abs(answer) >= NEAR_BEST * finest)
        level, x, y, answer = level[most], x[most], y[most], answer[most]
    best = np.argsort(-np.abs(answer))[:MOST_SPOTS]
    xy = np.stack([x[best], y[best]], axis=1).astype(np.float32) * 2**octave
    return Seeds(xy, (np.array(RADIUS_OF)[level[best]] * 2**octave).astype(np.float32), answer[best])


def extremes(pictures: Floats, floor: float) -> tuple[Rows, Rows]:
    """Of the extremes of both differences (3, H, W) above `floor`: which difference, and pixels as `peaks` has them."""
    found = peaks(pictures, floor)
    level, flat = np.repeat([0, 1], [len(places) for places in found]), np.concatenate(found)
    here, other = (np.abs(differences(pictures, one, flat)) for one in (level, 1 - level))
    most = here >= NEAR_BEST * other
    return level[most], flat[most]


def differences(pictures: Floats, level: Rows, flat: Rows) -> Floats:
    """The difference of number `level` (N,) at pixels `flat` (..., N), counted along the rows."""
    size = pictures[0].size
    low = flat + level * size
    values = pictures.reshape(-1)
    return np.asarray(values[low + size] - values[low])


def peaks(pictures: Floats, floor: float) -> list[Rows]:
    """Pixels of each difference, counted along its rows, that are above `floor` and no weaker than the 8 round them.

    The first and last rows have none.
    """
    height, width = pictures[0].shape
    rows = max(8, BAND // width)
    found: list[list[Rows]] = [[] for _ in pictures[1:]]
    for top in range(1, height - 1, rows):
        band = slice(top - 1, min(height, top + rows + 1))
        for level, (low, high) in enumerate(itertools.pairwise(pictures)):
            strength = cv2.absdiff(low[band], high[band])
            peak = strength >= cv2.dilate(strength, AROUND)
            peak &= strength > floor
            found[level].append(np.flatnonzero(peak[1:-1]) + top * width)
    return [np.concatenate(parts) for parts in found]


AROUND = np.ones((3, 3), np.uint8)


def compact(pictures: Floats, level: Rows, flat: Rows) -> tuple[Rows, Rows, Rows, Floats]:
    """Level, x, y and answer of those pixels, off the border, where their difference curves alike in all directions.

    The others are edges.
    """
    height, width = pictures.shape[1:]
    y, x = np.divmod(flat, width)
    inner = (x > 0) & (y > 0) & (x < width - 1) & (y < height - 1)
    level, x, y = level[inner], x[inner], y[inner]
    at = flat[inner] + np.array([0, 1, -1, width, -width, width + 1, -width - 1, width - 1, 1 - width])[:, None]
    here, e, w, s, n, se, nw, sw, ne = differences(pictures, level, at)
    xx, yy, xy = e + w - 2 * here, s + n - 2 * here, (se + nw - sw - ne) / 4
    alike = xx * yy - xy * xy > 0.06 * (xx + yy) ** 2
    return level[alike], x[alike], y[alike], here[alike]


def without_repeats(parts: list[Seeds]) -> Seeds:
    """Join octaves, dropping a seed that repeats a stronger one of the same sign in the next, that of larger ones."""
    keep = [np.ones(len(p.xy), bool) for p in parts]
    for k, (fine, coarse) in enumerate(itertools.pairwise(parts)):
        reach = 0.75 * coarse.radius
        x, y = np.ascontiguousarray(coarse.xy.T)
        near = np.abs(fine.xy[:, :1] - x) < reach
        near &= np.abs(fine.xy[:, 1:] - y) < reach
        i, j = places_of(near)
        same = (fine.answer[i] > 0) == (coarse.answer[j] > 0)
        stronger = np.abs(fine.answer[i]) >= np.abs(coarse.answer[j])
        keep[k][i[same & ~stronger]] = False
        keep[k + 1][j[same & stronger]] = False
    rows = np.concatenate(keep)
    return Seeds(*(np.concatenate([getattr(p, f.name) for p in parts])[rows] for f in fields(Seeds)))


def places_of(flags: Flags) -> tuple[Rows, Rows]:
    """Row and column of each that is true of (N, M) flags, in order; numpy's own takes twice as long where few are."""
    row, column = np.divmod(np.flatnonzero(flags), flags.shape[1])
    return row, column


def without_sparks(plane: Grey) -> Grey:
    """`plane` with single wild pixels (hot pixels, salt and pepper) set to their neighbourhood's median.

    A pixel is wild if it lies 5 times further from the median of its 3x3 neighbourhood than nine in ten pixels do,
    and no neighbour is like it: then the 3x3 opening or closing takes it away whole.
    """
    middle = cv2.medianBlur(plane, 3)
    off = cv2.absdiff(plane, middle)
    counts = np.cumsum(cv2.calcHist([np.ascontiguousarray(off[::3, ::3])], [0], None, [256], [0, 256]), dtype=np.intp)
    usual = float(np.searchsorted(counts, 0.9 * counts[-1]))
    wild = cv2.threshold(off, max(12.0, 5 * usual), 255, cv2.THRESH_BINARY)[1]
    return cv2.copyTo(middle, wild, plane.copy())


# --- measurement ---------------------------------------------------------------------------------------------

CLEAR = 0.05
"""Most rms distance of a pip's edge from its ellipse, in radii, for a large one: sharp pips give 0.015 to 0.03,
letters, grain and shadows 0.06 and more (photographs of dice on a desk with a keyboard). Pixels add to it."""

ANGLES = np.arange(RAYS, dtype=np.float32) * np.float32(2 * math.pi / RAYS)
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
RADII = np.linspace(0.0, REACH, STEPS, dtype=np.float32)
RAY_XY = DIRECTIONS.T[:, :, None] * RADII
"""(2, RAYS, STEPS) samples round a spot, in detected radii."""

MOST_ROWS = 32_000
"""cv2.remap takes no picture of 32,768 rows or more."""


def profiles(pictures: list[Grey], level: Rows, xy: Floats, radius: Floats) -> Floats:
    """(N, RAYS, STEPS) values along rays from each `xy`, out to REACH radii, in its picture.

    pictures: each half the size of the last; `xy` and `radius` are pixels of the first. level: (N,) in rising order,
    which picture each is looked at in.
    """
    zoom = (np.float32(0.5) ** level).astype(np.float32)
    rays = (radius * zoom)[:, None] * RAY_XY.reshape(2, 1, -1)
    rays += (xy.T * zoom)[:, :, None]
    x, y = rays.reshape(2, -1, STEPS)
    ends = np.searchsorted(level, np.arange(len(pictures) + 1)) * RAYS
    parts = [
        cv2.remap(picture, x[i:j], y[i:j], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for picture, (start, end) in zip(pictures, itertools.pairwise(ends.tolist()), strict=True)
        for i, j in itertools.pairwise([*range(start, end, MOST_ROWS), end])
    ]
    return (
        np.asarray(np.concatenate(parts).reshape(len(xy), RAYS, STEPS))
        if parts
        else np.empty((0, RAYS, STEPS), np.float32)
    )


CORE = int(0.8 / REACH * STEPS)
RING = slice(int(1.3 / REACH * STEPS), int(2.2 / REACH * STEPS) + 1)
LEAST_OUT = int(0.35 / REACH * STEPS)
"""Samples that are surely inside a spot; that hold the ground next to it; that no edge is looked for in."""


def crossings(profile: Floats) -> tuple[Floats, Floats]:
    """First way out of each spot (dark, after sign) along each ray, in radii (nan: none), and the depth.

    The level is half way between the spot and the ground that the ray reaches next, so a face's edge or another
    pip further out does not move it. A highlight in the middle is stepped over.
    """
    core = profile[:, :, :CORE].reshape(len(profile), RAYS * CORE)
    fifth = core.shape[1] // 5
    low = np.sort(core, axis=1)[:, fifth]
    high = medians(np.maximum.reduce([profile[:, :, k] for k in range(RING.start, RING.stop)]))
    level = (low + high)[:, None] / 2
    inside = profile < level[:, :, None]
    leaves = inside[:, :, :-1] > inside[:, :, 1:]
    leaves[:, :, :LEAST_OUT] = False
    first = leaves.argmax(axis=2)
    at = np.arange(0, profile.size, STEPS).reshape(first.shape) + first
    some = leaves.reshape(-1)[at - np.arange(first.size).reshape(first.shape)]
    a, b = profile.reshape(-1)[at], profile.reshape(-1)[at + 1]
    part = (level - a) / np.where(b > a, b - a, 1)
    out = (first + part) * np.float32(REACH / (STEPS - 1))
    return np.where(some, out, np.nan).astype(np.float32), (high - low).astype(np.float32)


MOMENTS = tuple(
    np.stack([DIRECTIONS[:, 0] ** (degree - k) * DIRECTIONS[:, 1] ** k for k in range(degree + 1)], axis=1).astype(
        float
    )
    for degree in (4, 3, 2, 1)
)
"""(RAYS, degree + 1) each: x^4, x^3 y ... y^4; x^3 ... y^3; x^2, xy, y^2; x, y of the rays' directions."""

NORMAL = np.array([[0, 1, 2, 5, 6], [1, 2, 3, 6, 7], [2, 3, 4, 7, 8], [5, 6, 7, 9, 10], [6, 7, 8, 10, 11]])
"""Which of all MOMENTS' sums stands where in the normal equations of a conic; the last five are their right side."""


def ellipses(out: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Fit an ellipse to each row of ray lengths: centre (N, 2), shape (N, 2, 2), residual (N,), share used (N,)."""
    crossed = np.isfinite(out)
    length = np.where(crossed, out, 0).astype(np.float64)
    x, y = (length * way for way in DIRECTIONS.T.astype(np.float64))
    fine = crossed
    for limit in (0.25, 0.13):
        centre, inverse, size = conic(length, fine)
        u, v = x - centre[:, :1], y - centre[:, 1:]
        norm2 = inverse[:, :1] * u * u + 2 * inverse[:, 1:2] * u * v + inverse[:, 2:] * v * v
        norm = np.sqrt(np.maximum(norm2, 1e-9))
        off = np.abs(norm - 1) * np.sqrt(u * u + v * v) / np.maximum(norm, 1e-6) / size[:, None]
        fine = crossed & (off < limit)
    used = fine.sum(axis=1)
    residual = np.sqrt((fine * off**2).sum(axis=1) / np.maximum(used, 1))
    a, b, c = inverse.T
    shape = np.stack([c, -b, -b, a], axis=1).reshape(-1, 2, 2) * (size**4)[:, None, None]
    return (
        centre.astype(np.float32),
        shape.astype(np.float32),
        residual.astype(np.float32),
        (used / RAYS).astype(np.float32),
    )


def conic(length: Floats, weight: Flags) -> tuple[Floats, Floats, Floats]:
    """Least-squares conic a x^2 + b xy + c y^2 + d x + e y = 1 of the ends of each row's rays that `weight` names.

    length: (N, RAYS) of the rays. What is no ellipse comes out tiny. Returns centre (N, 2), inverse (N, 3): xx, xy
    and yy of the inverse of its shape, and size (N,), the geometric mean of its half axes.
    """
    ends = length * weight
    square = ends * ends
    powers = (square * square, square * ends, square, ends)
    sums = np.concatenate([power @ ways for power, ways in zip(powers, MOMENTS, strict=True)], axis=1)
    normal = sums[:, NORMAL] + 1e-6 * np.eye(5)
    a, b, c, d, e = np.linalg.solve(normal, sums[:, -5:, None])[:, :, 0].T
    det = a * c - b * b / 4
    good = (det > 1e-6) & (a > 0)
    a, b, c, det = np.where(good, (a, b / 2, c, det), np.array([[1e4], [0.0], [1e4], [1e8]]))
    centre = np.where(good, (b * e - c * d, b * d - a * e) / (2 * det), 0.0)
    grown = np.maximum(1 + a * centre[0] ** 2 + 2 * b * centre[0] * centre[1] + c * centre[1] ** 2, 1e-6)
    return centre.T, np.stack([a, b, c], axis=1) / grown[:, None], np.sqrt(grown / np.sqrt(det))


LARGEST_MEASURED = 7.0
"""Pixels of a spot's radius above which it is measured in a picture half the size: still a hundred pixels."""


def measure(pictures: list[Grey], s: Seeds) -> Blobs:
    """Measure each seed in the coarsest of `pictures` that shows it large enough, and keep those that an ellipse fits.

    pictures: the frame's, then each half the size of the last. Colours are filled in by `coloured`.
    """
    halved = np.maximum(0, np.ceil(np.log2(s.radius / LARGEST_MEASURED))).astype(np.intp)
    halved = np.minimum(halved, len(pictures) - 1)
    order = np.argsort(halved, kind="stable")
    s = s.take(order)
    profile = profiles(pictures, halved[order], s.xy, s.radius)
    profile *= np.where(s.answer > 0, np.float32(1), np.float32(-1))[:, None, None]
    out, depth = crossings(profile)
    worth = (np.isfinite(out).mean(axis=1) > LEAST_SEEN) & (depth > LEAST_DEPTH)
    s, depth = s.take(worth), depth[worth]
    centre, shape, residual, seen = ellipses(out[worth])
    size = np.sqrt(np.sqrt(np.maximum(determinants(shape), 1e-12)))
    fine = round_enough(shape, size, s.radius, residual, seen)
    nothing = np.zeros((int(fine.sum()), 3), np.float32)
    return Blobs(
        xy=(s.xy + centre * s.radius[:, None])[fine],
        shape=(shape * (s.radius * s.radius)[:, None, None])[fine],
        radius=(size * s.radius)[fine],
        dark=(s.answer > 0)[fine],
        depth=depth[fine],
        residual=residual[fine],
        seen=seen[fine],
        inside=nothing,
        outside=nothing,
        spread=nothing[:, 0],
        clear=(residual < CLEAR + 0.09 / np.maximum(size * s.radius, 0.5))[fine],
    )


LEAST_SEEN = 0.6
"""Share of rays that must cross a spot's edge: half of an ellipse fixes its centre badly."""

LEAST_DEPTH = 8.0
"""Grey levels between a spot and its surroundings: 8-bit pictures after JPEG carry steps of 3 to 5 of their own."""


def round_enough(shape: Floats, size: Floats, radius: Floats, residual: Floats, seen: Floats) -> Flags:
    """Whether an ellipse fits, is about as large as the seed said, and no flatter than a face at 78 degrees."""
    flat = np.trace(shape, axis1=1, axis2=2) / np.maximum(size**2, 1e-6)
    fits = (residual < 3 * CLEAR + 0.09 / np.maximum(size * radius, 0.5)) & (seen > LEAST_SEEN)
    return np.asarray(fits & (size > 0.5) & (size < 1.8) & (flat < 5) & (size * radius > 0.9))


def coloured(frame: Frame, blobs: Blobs) -> Blobs:
    """Fill in colours: inside each ellipse, and in the band from 1.5 to 2 of it.

    Inside is the mean of the half of the samples that differs most from the band: a highlight on a pip is nearer to
    the colour of what is round it.
    """
    root = roots(blobs.shape)
    inner = sample(frame, blobs.xy, root, np.array([0.2, 0.5, 0.72], np.float32))
    outer = sample(frame, blobs.xy, root, np.array([1.5, 1.75, 2.0], np.float32))
    outside = medians(outer)
    off = np.abs(inner - outside[:, :, None]).max(axis=1)
    ink = (off >= medians(off)[:, None])[:, None]
    inside = (inner * ink).sum(axis=2) / ink.sum(axis=2)
    spread = medians(np.abs(outer - outside[:, :, None]).max(axis=1))
    return replace(
        blobs,
        inside=inside.astype(np.float32),
        outside=outside.astype(np.float32),
        spread=spread.astype(np.float32),
    )


def medians(values: Floats) -> Floats:
    """The median along the last axis; numpy's own, and its partition, take several times as long as its sort."""
    low, high = (values.shape[-1] - 1) // 2, values.shape[-1] // 2
    ordered = np.sort(values, axis=-1)
    return np.asarray((ordered[..., low] + ordered[..., high]) / 2)


def median(values: Floats) -> float:
    """The median of a few values."""
    return float(statistics.median(values.tolist()))


def determinants(shape: Floats) -> Floats:
    """(...,) determinants of (..., 2, 2)."""
    return np.asarray(shape[..., 0, 0] * shape[..., 1, 1] - shape[..., 0, 1] * shape[..., 1, 0])


UNIT = np.eye(2)


def roots(shape: Floats) -> Floats:
    """Symmetric square roots of (N, 2, 2) shapes: they map the unit circle to the ellipse."""
    det = np.sqrt(np.maximum(determinants(shape), 1e-12))
    trace = shape[:, 0, 0] + shape[:, 1, 1]
    t = np.sqrt(np.maximum(trace + 2 * det, 1e-12))
    return np.asarray((shape + det[:, None, None] * UNIT) / t[:, None, None], np.float32)


def half_axes2(shape: Floats) -> tuple[Floats, Floats, Floats]:
    """Of ellipses (N, 2, 2): the squares of their short and long half axes (N,), and the way (N, 2) of the short one.

    The eigenvalues, and a vector, of symmetric matrices; numpy's own take several times as long for a few.
    """
    a, b, d = shape[:, 0, 0], shape[:, 0, 1], shape[:, 1, 1]
    middle, off = (a + d) / 2, np.hypot((a - d) / 2, b)
    turn = np.arctan2(2 * b, a - d) / 2
    return middle - off, middle + off, np.stack([-np.sin(turn), np.cos(turn)], axis=1)


def inverses(matrix: Floats) -> Floats:
    """(..., 2, 2) inverses; numpy's own takes ten times as long for a few."""
    turned = np.empty_like(matrix)
    turned[..., 0, 0], turned[..., 1, 1] = matrix[..., 1, 1], matrix[..., 0, 0]
    turned[..., 0, 1], turned[..., 1, 0] = -matrix[..., 0, 1], -matrix[..., 1, 0]
    return np.asarray(turned / determinants(matrix)[..., None, None])


def sample(frame: Frame, xy: Floats, root: Floats, radii: Floats) -> Floats:
    """(N, 3, RAYS * len(radii)) colours on ellipses of `radii` times the spot."""
    unit = (DIRECTIONS[:, None, :] * radii[None, :, None]).reshape(-1, 2)
    at = xy[:, None, :] + unit @ root.transpose(0, 2, 1)
    return np.ascontiguousarray(gather(frame, at[..., 0], at[..., 1]).transpose(0, 2, 1), np.float32)


def gather(frame: Frame, x: Floats, y: Floats) -> NDArray[np.uint8]:
    """(..., 3) colours of the pixels nearest to `x`, `y` (...); beyond the border, the border's."""
    if x.size == 0:
        return np.empty((*x.shape, 3), np.uint8)
    across, down = (each.reshape(-1, x.shape[-1]).astype(np.float32, copy=False) for each in (x, y))
    colours = cv2.remap(frame, across, down, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(colours.reshape(*x.shape, 3), np.uint8)


# --- the whole -----------------------------------------------------------------------------------------------


def noise_of(pictures: Floats) -> float:
    """Robust size of the finest difference's noise, grey levels (1.48 median absolute value)."""
    step = max(1, min(pictures[0].shape) // 120)
    return 1.48 * float(medians(np.abs(pictures[1][::step, ::step] - pictures[0][::step, ::step]).ravel()))


LARGE_PX = 1440
"""Longer side of a frame above which spots are looked for in a picture of half its size; they are measured in the frame
itself all the same. A spot's radius is then 2.8 pixels or more: a pip's on a die of 35 pixels in 1920."""

HELD_BYTES = 16 << 20


@cache
def hold_memory() -> None:
    """Have glibc keep up to twice HELD_BYTES of freed memory, once.

    It gives larger pieces back to the system, and to fault a frame's pyramid in anew took 3 of 13 ms. A large block
    that is freed raises its threshold (mallopt(3), M_MMAP_THRESHOLD); elsewhere this does nothing.
    """
    np.empty(HELD_BYTES, np.uint8)


def find(frame: Frame) -> Blobs:
    """All spots of `frame` that an ellipse fits, strongest first in each plane."""
    hold_memory()
    grey = without_sparks(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY))
    halved = max(grey.shape) > LARGE_PX
    plane = cv2.pyrDown(grey) if halved else grey
    pyramid = octaves(plane, max(1, int(math.log2(min(plane.shape) / 40)) + 2))
    s = seeds(pyramid, max(2.5, 4 * noise_of(pyramid[0])))
    if halved:
        s = Seeds(2 * s.xy, 2 * s.radius, s.answer)
    smaller = [some[0] for some in (pyramid if halved else pyramid[1:])]
    return coloured(frame, apart(measure([grey.astype(np.float32), *smaller], s)))


def apart(blobs: Blobs) -> Blobs:
    """Keep the best-fitting of spots that turned out to be one and the same."""
    blobs = blobs.take(np.argsort(blobs.residual / np.sqrt(blobs.depth), kind="stable"))
    x, y = np.ascontiguousarray(blobs.xy.T)
    larger = np.maximum(blobs.radius[:, None], blobs.radius)
    near = np.hypot(x[:, None] - x, y[:, None] - y) < 0.7 * larger
    near &= np.abs(np.log(blobs.radius[:, None] / blobs.radius)) < math.log(2.0)
    near &= blobs.dark[:, None] == blobs.dark
    keep = np.ones(len(blobs), bool)
    for i in np.flatnonzero(near.sum(axis=1) > 1):
        if keep[i]:
            keep[i + 1 :] &= ~near[i, i + 1 :]
    return blobs.take(keep)
