"""What is told of the dice that pips do not explain: type and value by their numerals, or why nothing is sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from dicevision import numerals, seek
from dicevision.image import Floats, Frame, Points
from dicevision.numerals import NumeralNets, NumeralReading, Placed
from dicevision.seek import Box, Found

LEAST_PX = 28.0
"""Longer side of a die's box below which no numeral is sure: the nets learnt from dice of 34 pixels and more."""

LARGEST = 0.85
"""Share of the frame's shorter side above which a die is none with a tray round it."""

EDGE = 0.02
"""A box that comes this near to the frame's edge, in its own longer sides, may be cut by it."""

DIE_AT = 0.5
"""Likelihood of being a die below which what is not sure has no type: it may be no die."""

LEAST_DIE = 0.1
"""Likelihood of being a die below which nothing is sure, whatever can be read there; from it on the belief weighs it.
Ten D10s in a black tray (tower-tray) have 0.15 to 0.4, with numerals at 0.98. Of 400 drawn tables 557 dice are sure, 7
of them wrong; with 0.5 577 and 5."""

PIPPED = 2.0
"""How much less doubt is allowed of a die with pips: geometry, which counts them better than the net, was not sure of
any on this one. On wood-desk two pipped dice in 581 were misread at 0.90."""

PIPS_AT = 0.1
"""Probability of pips on it from which it may be a die with pips."""

TRUSTED_AT = 0.5
"""Likelihood of being a die from which one tells the camera's tilt."""

TOLD_FROM = ((0.65, 0.0), (0.55, 0.25))
"""(likelihood of being a die, probability of a numeral there): what reaches both of any pair is told. A die is seldom
left out for its odd shape, and a label, a ruler's end or a dark corner seldom asked about."""

BELIEVED_FROM = 0.6
"""Belief from which what reaches none of these pairs is told too: in 505 photographs of pipped dice and 86 of
tower-tray 18 dice and one thing that is none; by a numeral's probability of 0.9 they were 13 and 3."""

LEAST_CANDIDATE = 0.02
"""Probability below which a value is not offered."""

FOCAL = 1.1
"""Focal length, in the picture's longer side, by which dice off the camera's axis are seen aslant: a webcam's of 49
degrees. Telephones have 0.75 to 1.1."""


TELL_A_LEAN = 3
"""Dice in view from which the camera's tilt is known well enough to say that one of them leans."""

LEAN_UNKNOWN = 0.15
"""What a lean that is not known weighs as: more than a flat die's (0.05 to 0.1), for the top face may be another."""

LEANS = 0.22
LEANS_AT = {"D4": 0.55, "D6": 0.55}
"""`Look.lean` above which a die is called cocked. In 72 ray-traced trays 95 in 100 flat D8, D10, D100, D12 and D20 are
under 0.16, 0.19, 0.18, 0.18 and 0.18; of those that were sure, leaning ones by 9 degrees and more too, 2 of 7 that lean
and 1 of 175 that lie flat are above it, and of 448 on drawn tables 7. With 0.3 they were none, none and 5. A cube's own
tilt is known less well."""


ALONE = "its pips cannot be counted, and no dice beside it tell whether it leans"
"""Leaning dice that the net alone made sure, where too few others told the tilt, were a quarter of those misread in
renders-cocked."""


EITHER_TEN = "a tens die's 10, or that of a D10 whose ten is printed so"
"""The top face alone does not tell; nor do both dice's shapes."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one die found. belief: the probability that `die` and `value` are right.

    seen: what the numeral net alone gives both. whole: it lies wholly in the frame, and is not too small or large.
    tilt: the camera's, as this die shows it if it lies flat (`Params.tilt`); None where it is hardly a die, or cut off.
    """

    found: Found
    die: str | None
    value: int
    belief: float
    sure: bool
    cocked: bool
    candidates: tuple[tuple[int, float], ...]
    reasons: tuple[str, ...]
    seen: float = 0.0
    whole: bool = True
    tilt: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one die. shape: the share that its whole shape gives the type read.

    lean: how far (sine of an angle) its own tilt is from that with which the camera sees a flat die there; None where
    the camera's tilt is not known. tilt: the camera's, as this die alone shows it. named: the likelihood of a die that
    the finder alone gave it.
    """

    found: Found
    reading: NumeralReading
    shape: float
    lean: float | None = None
    tilt: tuple[float, float] | None = None
    named: float = 0.0


def tell(
    frame: Frame,
    dice: Sequence[Found],
    nets: NumeralNets,
    agree: Sequence[float],
    sure_at: float,
    plan: Sequence[str] | None = None,
    tilt: tuple[float, float] | None = None,
    beside: Sequence[tuple[float, float]] = (),
) -> list[Told]:
    """Read each die in `frame`. plan: types owed, which rules none out. tilt, beside: as `aslant` takes them."""
    size = (frame.shape[1], frame.shape[0])
    seen = looks(frame, dice, nets, plan, tilt, beside)
    return [told(one, size, agree, sure_at) for one in seen if worth_telling(one, agree, cut(one.found, size))]


def worth_telling(look: Look, agree: Sequence[float], is_cut: bool = False) -> bool:
    """Whether what was found is likely a die (likelier where the frame cuts it) or its reading believed; no speck."""
    likely, large = max(look.found.likely, look.named), max(look.found.box[2:]) >= seek.SMALLEST_PX
    pairs = TOLD_FROM[:1] if is_cut else TOLD_FROM
    named = any(likely >= die and look.reading.best[2] >= numeral for die, numeral in pairs)
    return large and (named or belief(look, agree) >= BELIEVED_FROM)


def looks(
    frame: Frame,
    dice: Sequence[Found],
    nets: NumeralNets,
    plan: Sequence[str] | None = None,
    tilt: tuple[float, float] | None = None,
    beside: Sequence[tuple[float, float]] = (),
) -> list[Look]:
    """Look at each die's numeral and shape. tilt, beside: as `aslant` takes them."""
    weights = dict.fromkeys(plan, 1.0) if plan else None
    outlines = [grown(die.outline) for die in dice]
    off = [away(frame, die.box) for die in dice]
    placed = [numerals.place(frame, outline, nets, one) for outline, one in zip(outlines, off, strict=True)]
    named = [die.likely for die in dice]
    dice = [replace(die, likely=numerals.is_die(one, die.likely, nets)) for die, one in zip(dice, placed, strict=True)]
    tilts = aslant(frame, dice, placed, tilt, beside)
    known = tilt is not None or sum(die.likely >= TRUSTED_AT for die in dice) + len(beside) >= TELL_A_LEAN
    seen, size = [], (frame.shape[1], frame.shape[0])
    for die, outline, one, flat, above, by_finder in zip(dice, outlines, placed, tilts, off, named, strict=True):
        worth = die.likely >= LEAST_DIE and not misplaced(die, size)
        reading = numerals.read_numeral(
            frame, outline, nets, plan=weights, tilt=flat, placed=one, overhead=above, thorough=worth
        )
        lean = float(np.hypot(one.tilt[0] - flat[0], one.tilt[1] - flat[1])) if known and flat else None
        own = (one.tilt[0] - above[0], one.tilt[1] - above[1])
        seen.append(Look(die, reading, shape_of(one, reading.best[0], nets), lean, own, by_finder))
    return seen


def aslant(
    frame: Frame,
    dice: Sequence[Found],
    placed: Sequence[Placed],
    tilt: tuple[float, float] | None,
    beside: Sequence[tuple[float, float]] = (),
) -> list[tuple[float, float] | None]:
    """The tilt that each die is seen with: the camera's, and its own place off the axis; None for a die alone.

    tilt: the camera's, where it is known; else the median of what all that are likely dice say, each less what its
    place adds, and of `beside`: what others in the frame say, which are read by their pips.
    """
    off = [away(frame, die.box) for die in dice]
    trusted = [die.likely >= TRUSTED_AT for die in dice]
    if tilt is None and sum(trusted) + len(beside) < 2:
        return [None for _ in dice]
    if tilt is None:
        pairs = zip(placed, off, trusted, strict=True)
        tilt = median([*beside, *((p.tilt[0] - o[0], p.tilt[1] - o[1]) for p, o, trust in pairs if trust)])
        assert tilt is not None, "two dice or more tell it"
    return [(tilt[0] + o[0], tilt[1] + o[1]) for o in off]


GROWN = 1.05
"""The finder's boxes are 3 % too small on drawn tables, 7 % on turntable-all (medians); the nets that read learnt from
boxes 3 % too large. Of 280 drawn and 50 photographed dice 173 and 43 were right as found, 179 and 47 by 1.03."""


def grown(outline: Points) -> Points:
    """The outline as the nets that read expect it."""
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    return np.asarray(middle + np.float32(GROWN) * (outline - middle), np.float32)


def median(tilts: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The camera's tilt by many dice of one tray or of many of its frames: the median of each part; None of none."""
    if not tilts:
        return None
    x, y = np.median(tilts, axis=0)
    return float(x), float(y)


def away(frame: Frame, box: Box) -> tuple[float, float]:
    """How a die's place off the frame's middle tips its top outward (x right, y up; sine of the angle)."""
    height, width = frame.shape[:2]
    x, y = seek.middle(box)
    reach = FOCAL * max(height, width)
    a, b = (x - width / 2) / reach, -(y - height / 2) / reach
    long = float(np.sqrt(1 + a * a + b * b))
    return a / long, b / long


def shape_of(placed: Placed, die: str, nets: NumeralNets) -> float:
    """The probability of the shapes that `die` can have."""
    return float(sum(p for p, dice in zip(placed.shapes, nets.calibration.shapes, strict=True) if die in dice))


def evidence(look: Look) -> Floats:
    """(9,) what `belief` weighs: five log odds, lean, the share of looks that agree, pips, 1.

    The log odds are those of a die, of its type and value, of the type, of the value given the type, and of the type by
    shape.
    """
    read = look.reading
    p = np.clip([look.found.likely, read.best[2], read.dice[0][1], read.values[0][1], look.shape], 1e-4, 1 - 1e-4)
    lean = LEAN_UNKNOWN if look.lean is None else look.lean
    return np.array([*np.log(p / (1 - p)), lean, read.agreed, read.pips, 1.0])


def belief(look: Look, agree: Sequence[float]) -> float:
    """The probability that type and value are right: logistic regression on drawn tables (docs/model-card.md)."""
    return float(1 / (1 + np.exp(-evidence(look) @ np.array(agree))))


def leans(look: Look) -> bool:
    """Whether no face of it lies level, as far as is known."""
    return look.lean is not None and look.lean > LEANS_AT.get(look.reading.best[0], LEANS)


def told(look: Look, size: tuple[int, int], agree: Sequence[float], sure_at: float) -> Told:
    """Join what was found and what was read, in a frame of `size` (width, height)."""
    die, value, seen = look.reading.best
    misplacement = misplaced(look.found, size)
    believed = min(belief(look, agree), 0.5) if look.reading.torn else belief(look, agree)
    cocked = leans(look)
    reasons = [*misplacement, *numerals.doubts(look.reading, 0.0)]
    reasons += ["it looks as if it leans"] * cocked + ["it may be no die"] * (look.found.likely < LEAST_DIE)
    pipped = look.reading.pips >= PIPS_AT
    reasons += [ALONE] * (pipped and look.lean is None) + [EITHER_TEN] * ((die, value) == ("D100", 10))
    least = 1 - (1 - sure_at) / PIPPED if pipped else sure_at
    sure = believed >= least and not reasons
    if not sure and not reasons:
        hardly = ["it may be no die"] * (look.found.likely < DIE_AT)
        reasons = hardly or list(numerals.doubts(look.reading, 0.999)) or ["it is not seen clearly enough"]
    level = look.tilt if look.found.likely >= TRUSTED_AT and not misplacement else None
    nameless = look.reading.nothing > 0.5 or (look.found.likely < DIE_AT and not sure)
    return Told(
        look.found, None if nameless else die, value, believed, sure, cocked,
        candidates(look.reading, believed), tuple(reasons), seen, not misplacement, level,
    )  # fmt: skip


def misplaced(found: Found, size: tuple[int, int]) -> tuple[str, ...]:
    """Why a die lies where, or is so large or small that, it cannot be read for sure."""
    long = max(found.box[2:])
    return (
        ("it is cut by the edge of the picture",) * cut(found, size)
        + ("it is too large for a die on a tray",) * (long > LARGEST * min(size))
        + ("it is too small to be read",) * (long < LEAST_PX)
    )


def cut(found: Found, size: tuple[int, int]) -> bool:
    """Whether part of it may be out of the frame."""
    x, y, width, height = found.box
    return min(x, y, size[0] - 1 - x - width, size[1] - 1 - y - height) < EDGE * max(width, height)


def candidates(reading: NumeralReading, believed: float) -> tuple[tuple[int, float], ...]:
    """(value, probability) of what it may show, best first, the best with `believed`."""
    (best, _), *others = reading.values
    rest = max(sum(share for _, share in others), 1e-9)
    told = [(value, min(believed, (1 - believed) * share / rest)) for value, share in others]
    return ((best, believed), *((value, share) for value, share in told if share > LEAST_CANDIDATE))


def colour(frame: Frame, outline: Points) -> tuple[int, int, int]:
    """The main colour (blue, green, red) of the body inside an outline: its median, a tenth of the rim left out."""
    middle = outline.mean(axis=0)
    corners = np.rint(middle + 0.85 * (outline - middle)).astype(np.int32)
    x, y, width, height = cv2.boundingRect(corners)
    part = frame[max(y, 0) : y + height, max(x, 0) : x + width]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, corners - (max(x, 0), max(y, 0)), 1)
    inside = part[mask > 0] if mask.any() else part.reshape(-1, 3)
    blue, green, red = (round(float(c)) for c in np.median(inside, axis=0))
    return blue, green, red
