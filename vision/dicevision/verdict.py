"""What is told of a die that geometry has found and the judge has looked at: sure, unsure and why, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dicevision import judge
from dicevision.dice import Cube
from dicevision.image import Floats, Points
from dicevision.judge import Judge
from dicevision.pips import HALF_FACE, Face

DROPPED_AT = 0.9
"""Likelihood of a side or of no face above which a candidate is not even asked about (docs/judge-card.md)."""

COCKED_AT = 0.5
"""Likelihood that it leans from which a die is called cocked."""

LEAST_CANDIDATE = 0.02
"""Probability below which a value is not offered."""

MARGIN = 1.3
"""A face this much larger that reaches beyond the frame belongs to a die that may be cut by it."""

LEAST_GEOMETRY = 0.02
"""Geometry's belief below which nothing the judge says makes a die sure: both must agree. Drawn at 40 degrees, a side
three under a one on top was sure with a belief of 0."""

LARGEST = 0.6
"""A die's top is at most this share of the frame's shorter side: larger, and no die with a tray round it is seen."""

LEAST_LARGE = 0.3
"""Belief below which so large a face is none at all: spots far apart, one of them on a true die, make such faces, and
that die, of which nothing was counted, would be told of in the face's place."""

DIFFERS_AT = 0.1
"""The judge's share of the counted value among all values below which both are said to differ."""

SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * HALF_FACE

LOOKS_LIKE = {
    judge.SIDE: "it looks like the side of a die",
    judge.COCKED: "it looks as if it leans",
    judge.NONE: "it hardly looks like the top of a die",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is told of one die. belief: the probability that `value` lies on top. candidates: (value, probability)."""

    value: int
    belief: float
    sure: bool
    cocked: bool
    candidates: tuple[tuple[int, float], ...]
    reasons: tuple[str, ...]


def verdicts(
    cubes: Sequence[Cube], likely: Floats, net: Judge, size: tuple[int, int], sure_at: float
) -> list[Verdict | None]:
    """Join geometry's `cubes` and what the judge says of each, `likely`, in a frame of `size` (width, height)."""
    counted = np.array([cube.top.face.value for cube in cubes], np.intp)
    beliefs = judge.agreed(likely, counted, np.array([cube.top.belief for cube in cubes]), net)
    return [verdict(*one, size, sure_at) for one in zip(cubes, likely, beliefs.tolist(), strict=True)]


def verdict(cube: Cube, likely: Floats, belief: float, size: tuple[int, int], sure_at: float) -> Verdict | None:
    """What is told of one die whose counted value is right with probability `belief`; None: no top of a die."""
    if float(likely[judge.SIDE] + likely[judge.NONE]) > DROPPED_AT:
        return None
    if belief < LEAST_LARGE and too_large(cube.top.face, size):
        return None
    value = cube.top.face.value
    cocked = cube.cocked or float(likely[judge.COCKED]) > COCKED_AT
    reasons = (*misplaced(cube.top.face, size), *differs(value, likely))
    borne_out = cube.top.belief >= LEAST_GEOMETRY and not cube.top.grave
    sure = belief >= sure_at and borne_out and not cocked and not reasons
    told = () if sure else (*cube.top.doubts, *reasons, *looks_like(likely)) or ("it is not seen clearly enough",)
    return Verdict(value, belief, sure, cocked, candidates(value, belief, likely), told)


def outline(face: Face, grown: float = 1.0) -> Points:
    """(4, 2) a face's corners, pixels."""
    return np.asarray(face.centre + grown * SQUARE @ face.axes.T, np.float32)


def misplaced(face: Face, size: tuple[int, int]) -> tuple[str, ...]:
    """Why a face lies where no whole die can be: part of the die, and perhaps its true top, may be out of the frame."""
    corners = outline(face, MARGIN)
    cut = bool((corners < 0).any() or (corners > np.array(size) - 1).any())
    large = too_large(face, size)
    return ("it is cut by the edge of the picture",) * cut + ("it is too large for a die on a tray",) * large


def too_large(face: Face, size: tuple[int, int]) -> bool:
    """Whether a die with such a face leaves no room for a tray in the frame."""
    return HALF_FACE * 2 * face.longest > LARGEST * min(size)


def differs(value: int, likely: Floats) -> tuple[str, ...]:
    """What the judge takes the top for, where it plainly sees more pips than were counted.

    Where it sees fewer it proves little: a six's pips run together in its small crop, and geometry has six of them.
    """
    values = likely[: judge.SIDE]
    best = int(values.argmax()) + 1
    if best < value or values[value - 1] >= DIFFERS_AT * values.sum():
        return ()
    return (f"{value} pips are counted, but it looks like a {best}",)


def looks_like(likely: Floats) -> tuple[str, ...]:
    """What the judge takes it for, where that is no top of a flat die."""
    best = int(likely.argmax())
    return (LOOKS_LIKE[best],) if best in LOOKS_LIKE else ()


def candidates(value: int, belief: float, likely: Floats) -> tuple[tuple[int, float], ...]:
    """What it may show, best first: the value counted, and what else the judge takes it for."""
    others = [(v, (1 - belief) * share) for v, share in enumerate(likely[: judge.SIDE].tolist(), 1) if v != value]
    ranked = sorted([(value, belief), *others], key=lambda pair: -pair[1])
    return tuple(pair for pair in ranked if pair[1] > LEAST_CANDIDATE or pair[0] == value)
