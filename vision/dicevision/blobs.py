"""Round spots, dark or light, of every size: what a pip looks like before anybody asks whether it is one.

Spots are the extremes of a difference-of-Gaussians pyramid (Lindeberg 1998; Lowe 2004, section 3), so no size is
preferred. Each is then measured where its profile crosses half its depth along rays, which blur does not move,
and an ellipse is fitted to the crossings: centre and shape come out to a small part of a pixel.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, fields, replace

import cv2
import numpy as np

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


def join(parts: list[Blobs]) -> Blobs:
    """One table of several."""
    return Blobs(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Blobs)))


# --- detection -----------------------------------------------------------------------------------------------

SIGMAS = (1.0, math.sqrt(2), 2.0, 2 * math.sqrt(2))
"""Blur of an octave's four pictures, in its own pixels; Lowe's two intervals an octave."""

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
    octave: Rows


def octaves(plane: Grey, count: int) -> list[list[Grey]]:
    """Four pictures of rising blur an octave, each octave half the size of the last."""
    base = cv2.GaussianBlur(plane, (0, 0), 0.85)
    result = []
    for _ in range(count):
        pictures = [base]
        for low, high in itertools.pairwise(SIGMAS):
            pictures.append(cv2.GaussianBlur(pictures[-1], (0, 0), math.sqrt(high * high - low * low)))
        result.append(pictures)
        base = np.ascontiguousarray(pictures[2][::2, ::2])
        if min(base.shape) < 16:
            break
    return result


def seeds(pyramid: list[list[Grey]], floor: float) -> Seeds:
    """Extremes, in place and in scale, of the pyramid's differences above `floor` grey levels that are no edges."""
    parts = [seeds_of_octave(pictures, octave, floor) for octave, pictures in enumerate(pyramid)]
    return without_repeats(parts)


BAND = 60_000
"""Pixels looked at in one go: small enough to stay in a processor's cache, which is four times faster here."""


def seeds_of_octave(pictures: list[Grey], octave: int, floor: float) -> Seeds:
    """The strongest MOST_SPOTS extremes of one octave, in place and in scale."""
    height, width = pictures[0].shape
    rows = max(8, BAND // width)
    found: list[tuple[Floats, Floats, Floats]] = []
    for top in range(1, height - 1, rows):
        band = slice(top - 1, min(height, top + rows + 1))
        for level, (x, y, answer) in enumerate(extremes([p[band] for p in pictures], floor)):
            xy = np.stack([x, y + (top - 1)], axis=1).astype(np.float32) * 2**octave
            found.append((xy, np.full(len(x), RADIUS_OF[level] * 2**octave, np.float32), answer))
    xy, radius, answer = (np.concatenate([f[i] for f in found]) for i in range(3))
    best = np.argsort(-np.abs(answer))[:MOST_SPOTS]
    return Seeds(xy[best], radius[best], answer[best], np.full(len(best), octave))


def extremes(pictures: list[Grey], floor: float) -> list[tuple[Rows, Rows, Floats]]:
    """Places x, y and answers above `floor` of each difference's extremes, the outermost rows and columns left out."""
    differences = [cv2.subtract(high, low) for low, high in itertools.pairwise(pictures)]
    strengths = [np.abs(d) for d in differences]
    result = []
    for level, strength in enumerate(strengths):
        top = cv2.dilate(strength, AROUND)
        flat = np.flatnonzero((strength >= top) & (strength > floor))
        value = strength.reshape(-1)[flat]
        for other in strengths[max(0, level - 1) : level + 2]:
            largest = value >= other.reshape(-1)[flat]
            flat, value = flat[largest], value[largest]
        result.append(compact(differences[level], flat))
    return result


AROUND = np.ones((3, 3), np.uint8)


def compact(difference: Grey, flat: Rows) -> tuple[Rows, Rows, Floats]:
    """Those of the pixels `flat`, off the border, where `difference` curves alike in all directions: no edges."""
    height, width = difference.shape
    y, x = np.divmod(flat, width)
    inner = (x > 0) & (y > 0) & (x < width - 1) & (y < height - 1)
    x, y, flat = x[inner], y[inner], flat[inner]
    steps = np.array([0, 1, -1, width, -width, width + 1, -width - 1, width - 1, 1 - width])
    here, e, w, s, n, se, nw, sw, ne = np.take(difference.reshape(-1), flat + steps[:, None])
    xx, yy, xy = e + w - 2 * here, s + n - 2 * here, (se + nw - sw - ne) / 4
    alike = xx * yy - xy * xy > 0.06 * (xx + yy) ** 2
    return x[alike], y[alike], here[alike]


def without_repeats(parts: list[Seeds]) -> Seeds:
    """Join octaves, dropping a seed that repeats a stronger one of the same sign and similar size in the next."""
    keep = [np.ones(len(p.xy), bool) for p in parts]
    for k, (fine, coarse) in enumerate(itertools.pairwise(parts)):
        larger = np.maximum(fine.radius[:, None], coarse.radius)
        near = np.abs(fine.xy[:, None] - coarse.xy).max(axis=2) < 0.75 * larger
        near &= (fine.answer[:, None] > 0) == (coarse.answer > 0)
        near &= larger < 2.9 * np.minimum(fine.radius[:, None], coarse.radius)
        stronger = np.abs(fine.answer)[:, None] >= np.abs(coarse.answer)
        keep[k] &= ~(near & ~stronger).any(axis=1)
        keep[k + 1] &= ~(near & stronger).any(axis=0)
    rows = np.concatenate(keep)
    return Seeds(*(np.concatenate([getattr(p, f.name) for p in parts])[rows] for f in fields(Seeds)))


def without_sparks(plane: Grey) -> Grey:
    """`plane` with single wild pixels (hot pixels, salt and pepper) set to their neighbourhood's median.

    A pixel is wild if it lies 5 times further from the median of its 3x3 neighbourhood than nine in ten pixels do,
    and no neighbour is like it: then the 3x3 opening or closing takes it away whole.
    """
    middle = cv2.medianBlur(plane, 3)
    off = cv2.absdiff(plane, middle)
    usual = float(np.percentile(off[::3, ::3], 90))
    return np.where(off > max(12.0, 5 * usual), middle, plane)


# --- measurement ---------------------------------------------------------------------------------------------

CLEAR = 0.05
"""Most rms distance of a pip's edge from its ellipse, in radii, for a large one: sharp pips give 0.015 to 0.03,
letters, grain and shadows 0.06 and more (photographs of dice on a desk with a keyboard). Pixels add to it."""

ANGLES = np.arange(RAYS, dtype=np.float32) * np.float32(2 * math.pi / RAYS)
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
RADII = np.linspace(0.0, REACH, STEPS, dtype=np.float32)


def profiles(picture: Grey, xy: Floats, radius: Floats) -> Floats:
    """(N, RAYS, STEPS) values along rays from each `xy`, out to REACH radii; pixels of `picture`."""
    offset = DIRECTIONS[None, :, None, :] * (radius[:, None, None, None] * RADII[None, None, :, None])
    at = xy[:, None, None, :] + offset
    rows = np.ascontiguousarray(at.reshape(-1, STEPS, 2))
    parts = [
        cv2.remap(
            picture,
            rows[i : i + 30000, :, 0],
            rows[i : i + 30000, :, 1],
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for i in range(0, len(rows), 30000)
    ]
    return np.asarray(np.concatenate(parts).reshape(len(xy), RAYS, STEPS), np.float32)


def crossings(profile: Floats) -> tuple[Floats, Floats]:
    """First way out of each spot (dark, after sign) along each ray, in radii (nan: none), and the depth.

    The level is half way between the spot and the ground that the ray reaches next, so a face's edge or another
    pip further out does not move it. A highlight in the middle is stepped over.
    """
    core = np.sort(profile[:, :, : int(0.8 / REACH * STEPS)].reshape(len(profile), -1), axis=1)
    low = core[:, core.shape[1] // 5]
    ring = profile[:, :, int(1.3 / REACH * STEPS) : int(2.2 / REACH * STEPS) + 1].max(axis=2)
    high = np.median(ring, axis=1)
    level = (low + high)[:, None, None] / 2
    inside = profile < level
    leaves = inside[:, :, :-1] & ~inside[:, :, 1:]
    leaves[:, :, : int(0.35 / REACH * STEPS)] = False
    first = leaves.argmax(axis=2)
    some = leaves.any(axis=2)
    a = np.take_along_axis(profile, first[:, :, None], 2)[:, :, 0]
    b = np.take_along_axis(profile, first[:, :, None] + 1, 2)[:, :, 0]
    part = (level[:, :, 0] - a) / np.where(b > a, b - a, 1)
    out = (first + part) * np.float32(REACH / (STEPS - 1))
    return np.where(some, out, np.nan).astype(np.float32), (high - low).astype(np.float32)


def ellipses(out: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Fit an ellipse to each row of ray lengths: centre (N, 2), shape (N, 2, 2), residual (N,), share used (N,)."""
    points = DIRECTIONS[None] * np.nan_to_num(out)[:, :, None]
    weight = np.isfinite(out).astype(np.float32)
    for limit in (0.25, 0.13):
        centre, shape = conic(points, weight)
        u = points - centre[:, None, :]
        inverse = np.linalg.inv(shape)
        norm = np.sqrt(np.maximum(np.einsum("nri,nij,nrj->nr", u, inverse, u), 1e-9))
        size = np.sqrt(np.sqrt(np.maximum(np.linalg.det(shape), 1e-12)))
        off = np.abs(norm - 1) * np.linalg.norm(u, axis=2) / np.maximum(norm, 1e-6) / size[:, None]
        fine = np.isfinite(out) & (off < limit)
        weight = fine.astype(np.float32)
    used = weight.sum(axis=1)
    residual = np.sqrt((weight * off**2).sum(axis=1) / np.maximum(used, 1))
    return centre, shape, residual.astype(np.float32), (used / RAYS).astype(np.float32)


def conic(points: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Least-squares conic a x^2 + b xy + c y^2 + d x + e y = 1 of each row; what is no ellipse comes out tiny."""
    x, y = points[:, :, 0].astype(np.float64), points[:, :, 1].astype(np.float64)
    m = np.stack([x * x, x * y, y * y, x, y], axis=2) * weight[:, :, None]
    normal = np.einsum("nri,nrj->nij", m, m) + 1e-6 * np.eye(5)
    a, b, c, d, e = np.linalg.solve(normal, m.sum(axis=1)[:, :, None])[:, :, 0].T
    q = np.stack([np.stack([a, b / 2], -1), np.stack([b / 2, c], -1)], -2)
    good = (np.linalg.det(q) > 1e-6) & (a > 0)
    q[~good] = np.eye(2) * 1e4
    half = np.stack([d, e], -1) / 2
    centre = -np.linalg.solve(q, half[:, :, None])[:, :, 0]
    centre[~good] = 0
    size = 1 + np.einsum("ni,nij,nj->n", centre, q, centre)
    shape = np.linalg.inv(q) * np.maximum(size, 1e-6)[:, None, None]
    return centre.astype(np.float32), shape.astype(np.float32)


def measure(pyramid: list[list[Grey]], raw: Grey, s: Seeds) -> Blobs:
    """Measure each seed in the finest picture that holds it with enough pixels, and keep those that an ellipse fits.

    Colours are filled in by `coloured`.
    """
    parts = [empty()]
    for octave in np.unique(s.octave):
        rows = s.octave == octave
        picture, zoom = (raw, 1.0) if octave < 2 else (pyramid[octave - 1][0], float(2 ** (octave - 1)))
        parts.append(measure_in(picture, zoom, s.xy[rows], s.radius[rows], s.answer[rows] > 0))
    return join(parts)


def measure_in(picture: Grey, zoom: float, xy: Floats, radius: Floats, dark: Flags) -> Blobs:
    """Measure spots of one octave in `picture`, which is `zoom` times smaller than the frame."""
    profile = profiles(picture, xy / zoom, radius / zoom) * np.where(dark, 1, -1)[:, None, None].astype(np.float32)
    out, depth = crossings(profile)
    worth = (np.isfinite(out).mean(axis=1) > LEAST_SEEN) & (depth > LEAST_DEPTH)
    xy, radius, dark, depth = xy[worth], radius[worth], dark[worth], depth[worth]
    centre, shape, residual, seen = ellipses(out[worth])
    size = np.sqrt(np.sqrt(np.maximum(np.linalg.det(shape), 1e-12)))
    fine = round_enough(shape, size, radius, residual, seen)
    nothing = np.zeros((int(fine.sum()), 3), np.float32)
    return Blobs(
        xy=(xy + centre * radius[:, None])[fine].astype(np.float32),
        shape=(shape * (radius * radius)[:, None, None])[fine].astype(np.float32),
        radius=(size * radius)[fine].astype(np.float32),
        dark=dark[fine],
        depth=depth[fine],
        residual=residual[fine],
        seen=seen[fine],
        inside=nothing,
        outside=nothing,
        spread=nothing[:, 0],
        clear=(residual < CLEAR + 0.09 / np.maximum(size * radius, 0.5))[fine],
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
    outside = np.median(outer, axis=1)
    off = np.abs(inner - outside[:, None]).max(axis=2)
    ink = (off >= np.median(off, axis=1)[:, None])[:, :, None]
    inside = (inner * ink).sum(axis=1) / ink.sum(axis=1)
    spread = np.median(np.abs(outer - outside[:, None]).max(axis=2), axis=1)
    return replace(
        blobs,
        inside=inside.astype(np.float32),
        outside=outside.astype(np.float32),
        spread=spread.astype(np.float32),
    )


def roots(shape: Floats) -> Floats:
    """Symmetric square roots of (N, 2, 2) shapes: they map the unit circle to the ellipse."""
    det = np.sqrt(np.maximum(np.linalg.det(shape), 1e-12))
    trace = shape[:, 0, 0] + shape[:, 1, 1]
    t = np.sqrt(np.maximum(trace + 2 * det, 1e-12))
    return np.asarray((shape + det[:, None, None] * np.eye(2)) / t[:, None, None], np.float32)


def sample(frame: Frame, xy: Floats, root: Floats, radii: Floats) -> Floats:
    """(N, RAYS * len(radii), 3) colours on ellipses of `radii` times the spot."""
    unit = (DIRECTIONS[:, None, :] * radii[None, :, None]).reshape(-1, 2)
    at = xy[:, None, :] + np.einsum("nij,kj->nki", root, unit)
    x = np.clip(np.rint(at[:, :, 0]).astype(np.intp), 0, frame.shape[1] - 1)
    y = np.clip(np.rint(at[:, :, 1]).astype(np.intp), 0, frame.shape[0] - 1)
    return np.asarray(frame[y, x], np.float32)


# --- the whole -----------------------------------------------------------------------------------------------


def noise_of(pictures: list[Grey]) -> float:
    """Robust size of the finest difference's noise, grey levels (1.48 median absolute value)."""
    step = max(1, min(pictures[0].shape) // 240)
    return 1.48 * float(np.median(np.abs(pictures[1][::step, ::step] - pictures[0][::step, ::step])))


def find(frame: Frame) -> Blobs:
    """All spots of `frame` that an ellipse fits, strongest first in each plane."""
    grey = without_sparks(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)).astype(np.float32)
    count = max(1, int(math.log2(min(grey.shape) / 40)) + 1)
    pyramid = octaves(grey, count)
    s = seeds(pyramid, max(2.5, 4 * noise_of(pyramid[0])))
    return coloured(frame, apart(measure(pyramid, grey, s)))


def apart(blobs: Blobs) -> Blobs:
    """Keep the best-fitting of spots that turned out to be one and the same."""
    blobs = blobs.take(np.argsort(blobs.residual / np.sqrt(blobs.depth), kind="stable"))
    x, y = blobs.xy.T
    larger = np.maximum(blobs.radius[:, None], blobs.radius)
    near = np.hypot(x[:, None] - x, y[:, None] - y) < 0.7 * larger
    near &= np.abs(np.log(blobs.radius[:, None] / blobs.radius)) < math.log(2.0)
    near &= blobs.dark[:, None] == blobs.dark
    keep = np.ones(len(blobs), bool)
    for i in np.flatnonzero(near.sum(axis=1) > 1):
        if keep[i]:
            keep[i + 1 :] &= ~near[i, i + 1 :]
    return blobs.take(keep)


def empty() -> Blobs:
    """No spots."""
    f = np.zeros(0, np.float32)
    three = np.zeros((0, 3), np.float32)
    return Blobs(
        np.zeros((0, 2), np.float32),
        np.zeros((0, 2, 2), np.float32),
        f,
        np.zeros(0, bool),
        f,
        f,
        f,
        three,
        three,
        f,
        np.zeros(0, bool),
    )
