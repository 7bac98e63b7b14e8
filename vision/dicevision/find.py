"""Which patterns are faces of dice, which faces belong to one die, and which of them lies on top."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dicevision import pips
from dicevision.blobs import Blobs, roots
from dicevision.image import Flags, Floats, Frame, Rows
from dicevision.pips import HALF_FACE, Face
from dicevision.surface import Rim, Surface, look, pip_radius, rim


@dataclass(frozen=True, slots=True)
class Seen:
    """A face that the picture bears out.

    shape: (2, 2) the ellipse of its pips. flatness: its short over its long axis: the cosine of the angle at which
    the face is seen. half: half the die's edge, pixels. rim: where the body ends.
    belief: 0 to 1, how well everything fits. doubts: why a person should look, in plain words.
    """

    face: Face
    surface: Surface
    shape: Floats
    flatness: float
    half: float
    rim: Rim
    belief: float
    doubts: tuple[str, ...] = ()

    def doubted(self, factor: float, reason: str) -> Seen:
        """Believe it `factor` as much, for `reason`."""
        return replace(self, belief=self.belief * factor, doubts=(*self.doubts, reason) if factor < 1 else self.doubts)


def soft(value: float, good: float, bad: float) -> float:
    """1 at `good` or better, 0 at `bad` or worse, straight between."""
    return min(1.0, max(0.0, (bad - value) / (bad - good)))


def flatness_of(shape: Floats) -> tuple[float, float]:
    """Short over long axis of an ellipse, and its long axis."""
    short, long = np.sqrt(np.maximum(np.linalg.eigvalsh(shape), 1e-6))
    return float(short / long), float(long)


# --- patterns of two and more --------------------------------------------------------------------------------


def faces(frame: Frame, blobs: Blobs, like: Flags) -> list[Seen]:
    """Patterns of two to six, each pip in one of them only: the fullest and best-fitting first."""
    tried = []
    for face in pips.find(blobs, like):
        slack = 0.6 / float(np.median(blobs.radius[face.pips]))
        if face.stray or face.misfit > 0.10 + 0.3 * slack or face.square > 0.28 + 0.3 * slack:
            continue
        seen = examine(frame, blobs, face)
        if seen is not None and seen.belief > 0.03:
            tried.append(seen)
    tried.sort(
        key=lambda s: (s.face.value >= 4, min(s.face.value, 3) if s.face.value < 4 else len(s.face.pips), s.belief),
        reverse=True,
    )
    return without_overlap(tried)


def examine(frame: Frame, blobs: Blobs, face: Face) -> Seen | None:
    """Look at the picture round `face`; None where it plainly is none."""
    surface = look(frame, blobs, face)
    if surface.emptiest > 0.6 or surface.rough > 0.4 or surface.faintest < 0.35:
        return None
    shape = blobs.shape[face.pips].mean(axis=0)
    flatness, _ = flatness_of(face.axes @ face.axes.T if face.value >= 4 else shape)
    _, span = flatness_of(face.axes @ face.axes.T)
    edge = body_of(frame, blobs, face)
    belief = (
        soft(face.misfit, 0.03, 0.16)
        * soft(face.square, 0.1, 0.4)
        * soft(surface.emptiest, 0.15, 0.6)
        * soft(surface.rough, 0.08, 0.4)
        * soft(-surface.faintest, -0.75, -0.35)
        * soft(uneven(blobs, face.pips), 1.0, 2.0)
        * soft(-edge.closed, -0.8, -0.5)
        * soft(edge.lopsided, 3.0, 4.5)
        * soft(-edge.half, -1.35, -1.1)
    )
    return Seen(face, surface, shape, flatness, span * min(max(edge.half, 1.5), 3.0), edge, belief)


def body_of(frame: Frame, blobs: Blobs, face: Face) -> Rim:
    """Where the body round `face` ends, in pitches."""
    floor = max(9.0, 2.0 * float(np.median(blobs.spread[face.pips])))
    radius = pip_radius(blobs, face)
    q = (blobs.xy[face.pips] - face.centre) @ np.linalg.inv(face.axes).T
    marks = np.c_[q, np.full(len(q), radius)]
    return rim(frame, face.centre, face.axes, (0.3, 6.0), floor, marks)


def uneven(blobs: Blobs, rows: Rows) -> float:
    """How much worse pips agree in size, and fit their ellipses, than a camera's noise allows: up to 1 is usual.

    Measured on sharp pips: sizes within 5 %, residual 0.02 radii, and half a pixel's share of each for small ones.
    """
    r = blobs.radius[rows]
    usual = 1 + 1.0 / float(np.median(r))
    size = float(np.std(np.log(r))) / (0.09 * usual)
    fit = float(np.median(blobs.residual[rows])) / (0.03 * usual)
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
    return near < (1.6 if same_plane(a, b) else 0.7)


def apart_in(a: Seen, b: Seen) -> float:
    """How far b's centre lies from a's, in a's half faces, the larger of both directions."""
    q = np.linalg.solve(a.face.axes, b.face.centre - a.face.centre)
    return float(np.abs(q).max()) / HALF_FACE


def same_plane(a: Seen, b: Seen) -> bool:
    """Whether the pips of two faces have the same ellipse, so that the faces may be parallel."""
    slack = 0.5 * max(1 / math.sqrt(max(1e-6, float(np.sqrt(np.linalg.det(s.shape))))) for s in (a, b))
    return float(pips.shape_gap(np.stack([a.shape, b.shape]))[0, 1]) < 0.3 + slack


# --- ones ----------------------------------------------------------------------------------------------------


def ones(frame: Frame, blobs: Blobs, known: list[Seen]) -> list[Seen]:
    """Single pips in the middle of a surface of a die's size, apart from the faces already known."""
    used = {int(i) for s in known for i in s.face.pips}
    tried = [examine_one(frame, blobs, i, known) for i in range(len(blobs)) if i not in used]
    result = sorted((s for s in tried if s is not None), key=lambda s: s.belief, reverse=True)
    return without_overlap(result, tuple(known))


def examine_one(frame: Frame, blobs: Blobs, i: int, known: list[Seen]) -> Seen | None:
    """Judge spot `i` as the only pip of a face."""
    contrast = float(np.linalg.norm(blobs.inside[i] - blobs.outside[i]))
    if contrast < 25 or blobs.spread[i] > 0.15 * contrast or uneven(blobs, np.array([i])) > 1.6:
        return None
    flatness, long = flatness_of(blobs.shape[i])
    axes = roots(blobs.shape[i][None])[0]
    size = size_from(known, blobs, i)
    edge = rim(frame, blobs.xy[i], axes, (1.6, 16.0), max(9.0, 2.0 * float(blobs.spread[i])), np.zeros((0, 3)))
    half = edge.half * 1.08
    belief = soft(-edge.closed, -0.8, -0.5) * soft(uneven(blobs, np.array([i])), 1.0, 1.6)
    if size is None:
        belief *= soft(-half, -3.5, -2.6) * soft(half, 8.0, 10.0) * soft(edge.lopsided, 1.7, 2.6) * 0.6
    else:
        belief *= soft(abs(math.log(max(half, 0.1) / size)), 0.3, 0.6) * soft(edge.lopsided, 3.0, 4.5)
        half = size
    if belief <= 0.05:
        return None
    surface = Surface(1.0, 0.0, 0.0, blobs.outside[i], blobs.inside[i], contrast)
    face = Face(1, np.array([i]), blobs.xy[i], axes * half / HALF_FACE, 0.0, 0.0, 0)
    return Seen(face, surface, blobs.shape[i], flatness, half * long, edge, belief)


def size_from(known: list[Seen], blobs: Blobs, i: int) -> float | None:
    """Half a face in radii of spot `i`, from fuller faces of like colours and pips nearby in size; None without any."""
    sizes = []
    contrast = float(np.linalg.norm(blobs.inside[i] - blobs.outside[i]))
    long = flatness_of(blobs.shape[i])[1]
    for s in known:
        off = max(np.abs(s.surface.body - blobs.outside[i]).max(), np.abs(s.surface.ink - blobs.inside[i]).max())
        if s.face.value >= 2 and off < 0.4 * contrast:
            ratio = s.half / long
            if 2.2 < ratio < 9:
                sizes.append(ratio)
    return float(np.median(sizes)) if sizes else None


# --- faces of one die ----------------------------------------------------------------------------------------


def dice(seen: list[Seen]) -> list[list[Seen]]:
    """Group faces into dice, each with its top face first.

    The face seen least aslant is a top; what lies within a die's reach of it in another plane is its side.
    """
    groups: list[list[Seen]] = []
    for s in sorted(seen, key=lambda s: s.flatness, reverse=True):
        homes = [(reach(g[0], s), g) for g in groups if reach(g[0], s) < 1.8 and not same_plane(g[0], s)]
        if homes:
            min(homes, key=lambda h: h[0])[1].append(s)
        else:
            groups.append([s])
    return groups


def reach(a: Seen, b: Seen) -> float:
    """Distance of two faces' centres in half edges of the larger."""
    return float(np.linalg.norm(a.face.centre - b.face.centre)) / max(a.half, b.half)


def tops(groups: list[list[Seen]]) -> list[Seen]:
    """Each die's top face, doubted where it may be a side."""
    result = []
    usual = float(np.median([g[0].flatness for g in groups])) if len(groups) >= 3 else None
    for group in groups:
        top = group[0]
        if usual is not None:
            top = top.doubted(soft(usual - top.flatness, 0.12, 0.3), "it may be a side face: no other die lies so")
        elif top.flatness < 0.7:
            top = top.doubted(soft(-top.flatness, -0.65, -0.45), "it may be a side face")
        for other in group[1:]:
            if other.flatness > 0.88 * top.flatness and other.face.centre[1] < top.face.centre[1]:
                top = top.doubted(0.3, "two faces are seen equally well")
        result.append(top)
    return result


def unexplained(top: Seen, seen: list[Seen], blobs: Blobs, like: Flags) -> Seen:
    """Doubt a face with pips like its own nearby that no face accounts for."""
    used = {int(i) for s in seen for i in s.face.pips}
    q = (blobs.xy - top.face.centre) @ np.linalg.inv(top.face.axes).T
    own = np.asarray(like[top.face.pips].any(axis=0))
    own[list(used)] = False
    off = np.hypot(q[:, 0], q[:, 1])
    if (own & (off < 3.3)).any():
        top = top.doubted(0.3, "more pips lie beside it")
    strangers = int((own & (off < 9)).sum())
    return top.doubted(soft(strangers, 1, 4), "many spots like its pips lie about")


def find(frame: Frame, blobs: Blobs) -> list[Seen]:
    """The top faces in the picture."""
    if len(blobs) == 0:
        return []
    like = pips.alike(blobs)
    known = faces(frame, blobs, like)
    seen = known + ones(frame, blobs, known)
    return [unexplained(top, seen, blobs, like) for top in tops(dice(seen))]
