"""Which faces belong to one die, and which of them lies on top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dicevision.blobs import inverses, median
from dicevision.find import Seen, Spots, faces, ones, same_plane, soft
from dicevision.image import Flags, Floats, Frame
from dicevision.pips import HALF_FACE, stretch_gap
from dicevision.plane import Plane, circle, exactness, gap, slack, table, weight_of
from dicevision.surface import pip_radius


@dataclass(frozen=True, slots=True)
class Cube:
    """A die: the face taken for its top, and what else was seen of it. cocked: no face lies as the table does."""

    top: Seen
    sides: tuple[Seen, ...]
    cocked: bool


def cubes(seen: list[Seen], plane: Plane) -> list[Cube]:
    """Group faces into dice: faces that lie flat are tops, unless they are where another's side would be."""
    gaps = plane.gaps(seen)
    flat = [s for s, gap in zip(seen, gaps, strict=True) if gap < 2.5 * slack(s)]
    flat = [s for s in flat if not any(side_of(other, s, plane) for other in flat if other is not s)]
    rest = [s for s in seen if not any(s is f for f in flat)]
    sides: dict[int, list[Seen]] = {id(s): [] for s in flat}
    loose = []
    for s in rest:
        homes = [(reach(f, s), f) for f in flat if reach(f, s) < 1.9]
        if homes:
            sides[id(min(homes, key=lambda h: h[0])[1])].append(s)
        else:
            loose.append(s)
    return [Cube(s, tuple(sides[id(s)]), cocked=False) for s in flat] + leaning(loose)


def leaning(loose: list[Seen]) -> list[Cube]:
    """Dice of which no face lies flat: the face seen best stands for each."""
    result: list[Cube] = []
    for s in sorted(loose, key=lambda s: s.belief * s.flatness, reverse=True):
        if not any(reach(c.top, s) < 1.9 for c in result):
            result.append(Cube(s, (), cocked=True))
    return result


def reach(a: Seen, b: Seen) -> float:
    """Distance of two faces' centres in half edges of the larger."""
    return math.dist(a.face.centre.tolist(), b.face.centre.tolist()) / max(a.half, b.half)


def side_of(top: Seen, other: Seen, plane: Plane) -> bool:
    """Whether `other` lies where a side of the die under `top` shows, with the ellipse that a side has there."""
    if reach(top, other) > 1.9:
        return False
    way = plane.lean(top.face.centre[None])[0]
    tilt = min(0.99, math.hypot(*way))
    if tilt < 0.3:
        return False
    w = way / tilt * top.half * tilt
    scale = top.half / (top.face.longest * HALF_FACE + 1e-6)
    across = other.face.centre - (top.face.centre - w)
    q = np.linalg.solve(top.face.axes * HALF_FACE * scale, across)
    if abs(float(np.hypot(*q)) - 1) > 0.35 or float(across @ way) > 0.2 * top.half:
        return False
    u = top.face.axes @ np.array([-q[1], q[0]]) * HALF_FACE * scale / float(np.hypot(*q))
    ideal = np.outer(u, u) + np.outer(w, w)
    return stretch_gap(other.shape, ideal) < 0.35 + 2 * slack(other)


LEANS_AT = 1.5
"""How far off the table's plane a face leans, in its `exactness`: of flat ones 99 in 100
are nearer on wood-desk, 95 on renders."""

ALIKE = 0.1
"""Difference of two ellipses, see `gap`, to which a lean of 25 degrees under a camera straight above comes."""

BELOW = 0.35
"""Half edges by which a side's middle lies below its top's at least, where it bears the top out: the sine of the slant
or more, while the middles of two sides may lie level."""

MAY_LEAN = "it may lean"

SQUARELY = 0.17
"""Sine of the angle, ten degrees, within which a plane squarely faces the camera."""

SIDE_OVER = 0.12
"""How much rounder than a flat die's a side may look: 99 in 100 are less."""


def leant(dice: list[Cube], plane: Plane, spots: Spots) -> list[Cube]:
    """Have a person look at dice that do not lie as the table does.

    A face lies flat in the table's plane, or as two others lie. Where those that do not weigh as much as those that
    do, the plane may be a leaning die's own, and all are asked about; but hardly ever do three dice lie alike by
    chance, or one squarely to the camera.
    """
    if not dice:
        return []
    tops = [c.top for c in dice]
    off = plane.off(tops)
    weight = np.array([weight_of(t) for t in tops])
    alike = (agree(tops) & (weight > 0.3)).sum(axis=1)
    lies = (off < LEANS_AT) & np.array([not side_shows(c, plane) for c in dice]) | (alike >= 2)
    lies &= np.array([not pip_shows(c, dice, plane, spots) for c in dice])
    plain = np.array([t.face.value > 1 for t in tops])
    squarely = math.hypot(*plane.normal[:2]) < SQUARELY
    few = not squarely and (lies & (weight > 0.3)).sum() < 3
    split = few and weight[~lies & plain].sum() >= weight[lies].sum() > 0
    return [
        told_to_lean(c, cocked=bool(not split and o > 2 * LEANS_AT)) if split or not flat else c
        for c, flat, o in zip(dice, lies, off, strict=True)
    ]


def told_to_lean(cube: Cube, *, cocked: bool) -> Cube:
    """Doubt a die's top for leaning."""
    return replace(cube, top=cube.top.doubted(0.3, MAY_LEAN, grave=True), cocked=cube.cocked or cocked)


def agree(tops: Sequence[Seen]) -> Flags:
    """(N, N) whether two faces surely lie in one plane, perspective left aside; none with itself."""
    shape, exact = np.array([circle(t) for t in tops]), np.array([exactness(t) for t in tops])
    slack = np.minimum(ALIKE, LEANS_AT * np.hypot(exact[:, None], exact))
    return np.asarray((gap(shape[:, None], shape) < slack) & ~np.eye(len(tops), dtype=bool))


def side_shows(cube: Cube, plane: Plane) -> bool:
    """Whether a side is seen rounder than those of a die that lies flat there: the sine of the slant at most."""
    slant = math.hypot(*plane.lean(cube.top.face.centre[None])[0])
    return any(s.solid * s.belief > 0.3 and s.flatness > slant + SIDE_OVER for s in cube.sides)


PIP_OVER = 0.2
"""How much rounder than a flat die's sides show them a pip beside a top's edge must be for the die to lean: so are 6 of
15 drawn leaning dice that else were taken for flat, and 5 of 337 flat ones (every fourth drawn tray and every twelfth
photograph of wood-desk among them)."""

BESIDE = (0.95, 1.6)
"""How far from a top's middle, in half faces, such a pip lies."""


def pip_shows(cube: Cube, dice: list[Cube], plane: Plane, spots: Spots) -> bool:
    """Whether a side's pip is seen rounder than on the side of a die that lies flat there.

    A leaning die turns a side to the camera, often with too few pips, or too blurred, for a face to be told. They lie
    beside the top's edge, are as long as its pips, in their colours, and flattened along the way to the top's middle.
    """
    top, blobs = cube.top, spots.blobs
    slant = math.hypot(*plane.lean(top.face.centre[None])[0])
    beside = np.abs((blobs.xy - top.face.centre) @ inverses(top.face.axes).T).max(axis=1) / HALF_FACE
    near = spots.kin[top.face.pips].any(axis=0) & blobs.clear & (beside > BESIDE[0]) & (beside < BESIDE[1])
    for face in (top, *(other.top for other in dice if other.top.belief > 0.5)):
        near[face.face.pips] = False
    rows = np.flatnonzero(near)
    if not len(rows):
        return False
    unlike = np.abs(blobs.inside[rows] - top.surface.ink).max(axis=1)
    rows = rows[unlike < 0.5 * np.abs(top.surface.ink - top.surface.body).max()]
    return any(on_a_side(blobs.shape[k], blobs.xy[k] - top.face.centre, top, slant) for k in rows)


def on_a_side(shape: Floats, way: Floats, top: Seen, slant: float) -> bool:
    """Whether an ellipse at `way` from a top's middle is a pip of a side that is seen rounder than at `slant`."""
    values, vectors = np.linalg.eigh(shape)
    short, long = np.sqrt(np.maximum(values, 1e-6)).tolist()
    radial = abs(float(vectors[:, 0] @ way)) / float(np.linalg.norm(way))
    return slant + PIP_OVER < short / long < 0.8 and 0.75 < long / top.radius < 1.25 and radial > 0.85


def judged(cube: Cube, dice: list[Cube], plane: Plane, spots: Spots) -> Cube:
    """Doubt a top that may be a side: alone at a slant, or leaning where others lie flat."""
    top = cube.top
    flat = [c for c in dice if not c.cocked]
    if cube.cocked:
        why = "it leans, or only its side is seen"
        return replace(cube, top=top.doubted(0.2, why), cocked=len(flat) >= 2 and top.belief > 0.5)
    if len(flat) < 3:
        way = plane.lean(top.face.centre[None])[0]
        tilt = float(np.linalg.norm(way))
        steep = math.sqrt(max(0.0, 1 - min(1.0, tilt) ** 2))
        borne = any(float((s.face.centre - top.face.centre) @ way) < -BELOW * tilt * top.half for s in cube.sides)
        good, bad = (0.6, 0.4) if borne else (0.8, 0.7)
        rounder = 0.3 / median(spots.blobs.radius[top.face.pips])  # blur makes small ellipses rounder
        top = top.doubted(soft(rounder - steep, -good, -bad), "seen at a slant: it may be a side face")
        if steep < 0.72 and above(top, plane, spots, cube):
            top = top.doubted(0.3, "more pips lie above it: it may be a side face")
        rivals = [s for s in cube.sides if s.belief > 0.3 and s.flatness > 0.95 * top.flatness]
        if rivals and steep < 0.85:
            top = top.doubted(0.4, "two faces are seen equally well")
    return replace(cube, top=top)


def above(top: Seen, plane: Plane, spots: Spots, cube: Cube) -> bool:
    """Whether pips that no face explains lie where the die's top would be, were `top` one of its sides."""
    off = (spots.blobs.xy - top.face.centre) / top.half
    way = plane.lean(top.face.centre[None])[0]
    kin = np.asarray(spots.kin[top.face.pips].any(axis=0) & spots.blobs.clear)
    there = kin & (off @ (way / np.linalg.norm(way)) > 0.8) & (np.hypot(off[:, 0], off[:, 1]) < 2.2)
    for s in (top, *cube.sides):
        there[s.face.pips] = False
    return bool(there.any())


def unexplained(top: Seen, seen: list[Seen], spots: Spots) -> Seen:
    """Doubt a face with pips like its own on it, or nearby, that no other face accounts for.

    Four, five and six hold every corner, so only what lies within them could make another value; one, two and three
    may be what is left of a larger pattern beside them.
    """
    q = (spots.blobs.xy - top.face.centre) @ inverses(top.face.axes).T
    off, side = np.hypot(q[:, 0], q[:, 1]), np.abs(q).max(axis=1)
    like = np.asarray(spots.loose[top.face.pips].any(axis=0))
    kin = np.asarray(spots.kin[top.face.pips].any(axis=0))
    full = top.face.value >= 4
    reached = 0.0 if full else max(3.3, 7.5 * pip_radius(spots.blobs, top.face))
    own = kin & (side < (1.6 if full else 2.0)) | like & (off < reached)
    far = kin & (off < 8.0) & (off > 2.0)
    for s in seen:
        if s is top or s.face.value >= 3 or reach(s, top) > 1.6 or not same_plane(s, top):
            own[s.face.pips] = False
        if s is top or s.face.value >= 4:
            far[s.face.pips] = False
    if own.any():
        top = top.doubted(0.3, "more pips lie beside it", grave=not full)
    if full:
        return top
    sectors = len(set(((np.arctan2(q[far, 1], q[far, 0]) + math.pi) * 4 / math.pi).astype(int) % 8))
    return top.doubted(soft(sectors, 3, 6), "spots like its pips lie all round it")


def find(frame: Frame, spots: Spots) -> list[Cube]:
    """The dice in the picture."""
    if len(spots.blobs) == 0:
        return []
    known = faces(frame, spots)
    seen = known + ones(frame, spots, known)
    plane = table(seen, (frame.shape[1], frame.shape[0]))
    if plane is None:
        return []
    exact = table(seen, (frame.shape[1], frame.shape[0]), exactly=True)
    dice = cubes(seen, plane)
    dice = leant([judged(c, dice, plane, spots) for c in dice], exact or plane, spots)
    return [replace(c, top=unexplained(c.top, seen, spots)) for c in dice]
