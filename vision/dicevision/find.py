"""Which patterns are faces of dice: each is looked at in the picture, and the best take their pips first."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dicevision import pips
from dicevision.blobs import Blobs, inverses, median, medians, roots
from dicevision.image import Flags, Floats, Frame, Rows
from dicevision.pips import HALF_FACE, Face
from dicevision.surface import RIM_ANGLES, Laid, Rim, Surface, looks, middles, rims


@dataclass(frozen=True, slots=True)
class Spots:
    """A picture's spots and which go together: `like` strictly, `loose` on a rounded die, `kin` with a spoilt one."""

    blobs: Blobs
    like: Flags
    loose: Flags
    kin: Flags

    @classmethod
    def of(cls, blobs: Blobs) -> Spots:
        """Compare all spots."""
        return cls(blobs, *pips.likenesses(blobs))


@dataclass(frozen=True, slots=True)
class Seen:
    """A face that the picture bears out.

    shape: (2, 2) the ellipse of its pips. flatness: its short over its long axis: the cosine of the angle at which
    the face is seen. half: half the die's edge, pixels. rim: where the body ends. solid: 0 to 1, how much it looks
    like a die; belief: 0 to 1, that and how surely its value is what the pattern says.
    doubts: why a person should look, in plain words. grave: one of them stands
    whatever else speaks for the face, so that a person is asked.
    """

    face: Face
    surface: Surface
    shape: Floats
    flatness: float
    half: float
    rim: Rim
    solid: float
    belief: float
    doubts: tuple[str, ...] = ()
    grave: bool = False

    @property
    def radius(self) -> float:
        """Geometric mean of its pips' half axes, pixels."""
        (a, b), (c, d) = self.shape.tolist()
        return math.sqrt(math.sqrt(max(a * d - b * c, 1e-6)))

    def doubted(self, factor: float, reason: str, *, grave: bool = False) -> Seen:
        """Believe it `factor` as much, for `reason`."""
        if factor >= 1:
            return self
        doubts = (*self.doubts, reason)
        return replace(self, belief=self.belief * factor, doubts=doubts, grave=self.grave or grave)


def soft(value: float, good: float, bad: float) -> float:
    """1 at `good` or better, 0 at `bad` or worse, straight between."""
    return min(1.0, max(0.0, (bad - value) / (bad - good)))


def flatness_of(shape: Floats) -> tuple[float, float]:
    """Short over long axis of an ellipse, and its long axis."""
    a, b, d = float(shape[0, 0]), float(shape[0, 1]), float(shape[1, 1])
    middle, off = (a + d) / 2, math.hypot((a - d) / 2, b)
    short, long = math.sqrt(max(middle - off, 1e-6)), math.sqrt(max(middle + off, 1e-6))
    return short / long, long


# --- patterns of two and more --------------------------------------------------------------------------------


def faces(frame: Frame, spots: Spots) -> list[Seen]:
    """Patterns of two to six, each pip in one of them only: the fullest and best-fitting first."""
    patterns = pips.find(spots.blobs, spots.like, spots.loose)
    taken: list[Seen] = []
    for values in ((6, 5, 4), (3, 2)):
        tried = examined(
            frame, spots.blobs, [f for f in free(patterns, taken) if f.value in values and plausible(f, spots)]
        )
        for value in values:
            left = {id(f) for f in free([s.face for s in tried], taken)}
            mine = [s for s in tried if s.face.value == value and id(s.face) in left]
            taken += without_overlap(sorted(mine, key=lambda s: s.belief, reverse=True), tuple(taken))
    return taken


def free(patterns: Sequence[Face], taken: Sequence[Seen]) -> list[Face]:
    """Those of which no pip belongs to a face that is believed."""
    used = {int(i) for s in taken if s.belief > 0.5 for i in s.face.pips}
    return [f for f in patterns if used.isdisjoint(f.pips.tolist())]


def plausible(face: Face, spots: Spots) -> bool:
    """Whether a pattern fits well enough to look at the picture for it."""
    slack = 0.6 / median(spots.blobs.radius[face.pips])
    return face.misfit < 0.10 + 0.3 * slack and face.square < 0.28 + 0.3 * slack


LEAST_SOLID = 0.02
"""Belief below which a face is none."""


def examined(frame: Frame, blobs: Blobs, faces: list[Face]) -> list[Seen]:
    """Look at the picture round faces, leaving out those that plainly are none."""
    if not faces:
        return []
    laid = Laid.of(blobs, faces)
    surfaces = looks(frame, blobs, laid)
    fits = [(fitting(f, s), soft(uneven(blobs, f.pips), 1.0, 2.0)) for f, s in zip(faces, surfaces, strict=True)]
    kept = [k for k, (fit, even) in enumerate(fits) if even * fit >= LEAST_SOLID]
    edges = bodies(frame, blobs, laid.take(np.array(kept, np.intp)))
    radii = laid.radius.tolist()
    seen = (weighed(blobs, faces[k], surfaces[k], radii[k], *fits[k], e) for k, e in zip(kept, edges, strict=True))
    return [s for s in seen if s is not None]


def fitting(face: Face, surface: Surface) -> float:
    """How well the pips fit their pattern, and the picture both: 0 to 1."""
    return (
        soft(face.misfit, 0.03, 0.16)
        * soft(face.square, 0.1, 0.4)
        * soft(surface.emptiest, 0.15, 0.6)
        * soft(surface.rough, 0.08, 0.4)
        * soft(-surface.faintest, -0.75, -0.35)
    )


def weighed(
    blobs: Blobs, face: Face, surface: Surface, radius: float, fit: float, even: float, edge: Rim
) -> Seen | None:
    """How far the end of its body bears out a face of the `fit` of `fitting`, its pips `even`; None: not at all.

    radius: a pip's, in pitches.
    """
    shape = blobs.shape[face.pips].mean(axis=0)
    flat, span = flatness_of(face.axes @ face.axes.T)
    flatness = flat if face.value >= 4 else flatness_of(shape)[0]
    body = (
        soft(-edge.closed, -0.8, -0.5)
        * soft(1 + radius - (edge.near if face.value == 2 else edge.half), -0.15, 0.1)
        * soft(edge.half, 2.9, 3.5)
        * soft(edge.aside, 1.35, 1.9)
    )
    if face.value <= 3:
        body *= soft(-1 / radius, -2.1, -1.7)
    trust = {2: 0.0, 3: 0.2, 4: 0.4, 5: 0.6, 6: 0.6}[face.value]
    solid = (trust + (1 - trust) * body) * even
    if solid * fit < LEAST_SOLID:
        return None
    return Seen(face, surface, shape, flatness, span * min(max(edge.half, 1.5), 3.0), edge, solid, solid * fit)


def bodies(frame: Frame, blobs: Blobs, laid: Laid) -> list[Rim]:
    """Where the bodies round faces end, in pitches."""
    span = np.full(len(laid), 0.3), 6.0
    return rims(frame, laid.centre, laid.axes, span, steps_round(blobs, laid), marks_of(laid))


def marks_of(laid: Laid) -> Floats:
    """(N, M, 3) places and radii of faces' pips in pitches, with the blur round them."""
    reach = laid.radius * (1.35 + 1.2 / laid.pip_px)
    return np.concatenate([laid.places, np.broadcast_to(reach[:, None, None], (*laid.rows.shape, 1))], axis=2)


def steps_round(blobs: Blobs, laid: Laid) -> Floats:
    """(N,) the least change of colour, grey levels, that ends a body: above its own grain and the camera's noise."""
    contrast = np.abs(blobs.inside - blobs.outside)[laid.rows].max(axis=(1, 2)).astype(np.float64)
    grain = middles(blobs.spread[laid.rows], laid.count)
    return np.asarray(np.maximum(np.maximum(8.0, 0.05 * contrast), 2.5 * grain))


def steps_of(blobs: Blobs, rows: Rows) -> Floats:
    """(N,) the same for bodies with one pip each."""
    contrast = np.abs(blobs.inside[rows] - blobs.outside[rows]).max(axis=1, initial=0)
    return np.asarray(np.maximum(np.maximum(8.0, 0.05 * contrast), 2.5 * blobs.spread[rows]))


def uneven(blobs: Blobs, rows: Rows) -> float:
    """How much worse pips agree in size, and fit their ellipses, than a camera's noise allows: up to 1 is usual.

    Measured on sharp pips: sizes within 5 %, residual 0.02 radii, and half a pixel's share of each for small ones.
    """
    radii: list[float] = blobs.radius[rows].tolist()
    logs = [math.log(radius) for radius in radii]
    middle = sum(logs) / len(logs)
    usual = 1 + 1.0 / statistics.median(radii)
    size = math.sqrt(sum((log - middle) ** 2 for log in logs) / len(logs)) / (0.09 * usual)
    fit = median(blobs.residual[rows]) / (0.03 * usual)
    return max(size, fit)


def without_overlap(ordered: list[Seen], taken: tuple[Seen, ...] = ()) -> list[Seen]:
    """Take faces in order, leaving out any that shares a pip with, or lies on, one already taken."""
    kept: list[Seen] = []
    used = {int(i) for s in taken for i in s.face.pips}
    for seen in ordered:
        own = set(seen.face.pips.tolist())
        if own & used or any(clash(other, seen) for other in (*taken, *kept)):
            continue
        kept.append(seen)
        used |= own
    return kept


def clash(a: Seen, b: Seen) -> bool:
    """Whether two faces cannot both be there: one plane, and closer than two dice side by side; or one on the other."""
    near = min(apart_in(a, b), apart_in(b, a))
    return near < 0.7 or (near < 1.6 and same_plane(a, b))


def apart_in(a: Seen, b: Seen) -> float:
    """How far b's centre lies from a's, in a's half faces, the larger of both directions."""
    (m, n), (o, p) = a.face.axes.tolist()
    (x, y), (a_x, a_y) = b.face.centre.tolist(), a.face.centre.tolist()
    x, y = x - a_x, y - a_y
    return float(max(abs(p * x - n * y), abs(m * y - o * x)) / (abs(m * p - n * o) * HALF_FACE + 1e-9))


def same_plane(a: Seen, b: Seen) -> bool:
    """Whether the pips of two faces have the same ellipse, so that the faces may be parallel."""
    return pips.stretch_gap(a.shape, b.shape) < 0.15 + 0.4 / min(a.radius, b.radius)


# --- ones ----------------------------------------------------------------------------------------------------


def ones(frame: Frame, spots: Spots, known: list[Seen]) -> list[Seen]:
    """Single pips in the middle of a surface of a die's size, apart from the faces already known."""
    used = {int(i) for s in known for i in s.face.pips}
    xy = spots.blobs.xy
    free = np.array([i not in used for i in range(len(xy))])
    if known:
        centre, axes = np.stack([s.face.centre for s in known]), np.stack([s.face.axes for s in known])
        q = (xy - centre[:, None]) @ inverses(axes).transpose(0, 2, 1)
        free &= (np.abs(q).max(axis=2) > 0.7 * HALF_FACE).all(axis=0)
    free &= like_a_pip(spots.blobs)
    rows = np.flatnonzero(free)
    edges = round_one(frame, spots.blobs, rows)
    tried = [weighed_one(spots.blobs, int(i), edge, known) for i, edge in zip(rows, edges, strict=True)]
    result = sorted((s for s in tried if s is not None), key=lambda s: s.belief, reverse=True)
    return without_overlap(result, tuple(known))


def like_a_pip(blobs: Blobs) -> Flags:
    """(N,) spots sharp, strong and even enough to be a face's only pip."""
    contrast = np.linalg.norm(blobs.inside - blobs.outside, axis=1)
    rough = blobs.residual / (0.03 * (1 + 1.0 / blobs.radius))
    return np.asarray(blobs.clear & (contrast >= 25) & (blobs.spread <= 0.15 * contrast) & (rough <= 1.6))


def round_one(frame: Frame, blobs: Blobs, rows: Rows) -> list[Rim]:
    """Where the bodies round single pips end, in their radii."""
    start = np.maximum(1.8, 1 + 2.5 / blobs.radius[rows])
    floor = steps_of(blobs, rows)
    return rims(frame, blobs.xy[rows], roots(blobs.shape[rows]), (start, 16.0), floor, None)


def weighed_one(blobs: Blobs, i: int, edge: Rim, known: list[Seen]) -> Seen | None:
    """Judge spot `i`, round which the body ends at `edge`, as the only pip of a face."""
    row = np.array([i])
    half = edge.half * 1.08
    solid = soft(-edge.closed, -0.8, -0.5) * soft(edge.aside, 1.35, 1.9) * soft(edge.marked, 0.04, 0.12)
    if solid * soft(-half, -3.0, -2.4) <= 0.05:
        return None
    solid *= soft(uneven(blobs, row), 1.0, 1.6)
    size = size_from(known, blobs, i)
    if size is None:
        solid *= soft(-half, -4.0, -3.0) * soft(half, 8.0, 10.0) * 0.7
        solid *= soft(irregular(edge), 0.07, 0.14) if solid > 0.05 else 0.0
    else:
        solid *= soft(-half, -3.0, -2.4) * soft(abs(math.log(max(half, 0.1) / size)), 0.4, 0.9)
    if solid <= 0.05:
        return None
    flatness, long = flatness_of(blobs.shape[i])
    contrast = float(np.linalg.norm(blobs.inside[i] - blobs.outside[i]))
    surface = Surface(1.0, 0.0, 0.0, blobs.outside[i], blobs.inside[i], contrast)
    face = Face(1, row, blobs.xy[i], roots(blobs.shape[row])[0] * half / HALF_FACE, 0.0, 0.0)
    return Seen(face, surface, blobs.shape[i], flatness, half * long, edge, solid, solid)


TURNS = np.arange(0, math.pi / 2, math.pi / 24)[:, None]
FACING = np.maximum(np.abs(np.cos(RIM_ANGLES - TURNS)), np.abs(np.sin(RIM_ANGLES - TURNS)))
"""How far out the side of a square lies that each ray meets, as a share of the ray, for every turn of the square."""


def irregular(edge: Rim) -> float:
    """How far a rim is from a square of any turn: the usual share by which its sides' distances differ."""
    side = np.log(edge.reach * FACING)
    side = side[:, np.isfinite(edge.reach)]
    return float(medians(np.abs(side - medians(side)[:, None])).min()) if side.size else 1.0


def size_from(known: list[Seen], blobs: Blobs, i: int) -> float | None:
    """Half a face in radii of spot `i`, from other faces of like colours whose pips are of like size; None without."""
    contrast = float(np.linalg.norm(blobs.inside[i] - blobs.outside[i]))
    long = flatness_of(blobs.shape[i])[1]
    likely = [s for s in known if 2.2 < s.half / long < 9 and s.solid * s.belief > 0.5]
    if not likely:
        return None
    off = np.array([(s.surface.body, s.surface.ink) for s in likely]) - (blobs.outside[i], blobs.inside[i])
    alike = np.abs(off).max(axis=(1, 2)) < 0.4 * contrast
    sizes = [(s.flatness, s.half / long) for s, same in zip(likely, alike.tolist(), strict=True) if same]
    return statistics.median(ratio for _, ratio in sorted(sizes)[-3:]) if sizes else None
