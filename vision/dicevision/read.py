"""The one public call: a frame in, the dice in it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision import blobs, dice, judge, lean, numbered, numerals, seek, stages
from dicevision import own as owned
from dicevision.enrol import DieSet
from dicevision.find import Seen, Spots
from dicevision.image import Frame, Points, checked, workable
from dicevision.numbered import Told
from dicevision.params import Params
from dicevision.verdict import Verdict, outline, verdicts

Trace = Callable[[str, Frame], None]
"""Takes each stage's name and picture (BGR, in the size that the reader works in) as it goes; see `debug`."""


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die as seen.

    die: "D4" to "D20" or "D100"; None where the type could not be told.
    value: what lies on top; None when unsure.
    status: "sure" or "unsure". Only a sure die may be used without asking.
    cocked: it leans: no face lies level.
    confidence: the probability that the best candidate is right, 0 to 1.
    box: x, y, width, height in pixels, round the top face where pips were counted, else round the whole die.
    outline: (N, 2) float32 pixels, round the same.
    colour: "#rrggbb", the main colour of the die's body.
    candidates: (value, probability), best first.
    reasons: why it is unsure, in plain words; empty when sure.
    tilt: the camera's, as this die shows it if it lies flat (`Params.tilt`); None where it shows none.
    """

    die: str | None
    value: int | None
    status: str
    cocked: bool
    confidence: float
    box: tuple[int, int, int, int]
    outline: Points
    colour: str
    candidates: tuple[tuple[int, float], ...]
    reasons: tuple[str, ...]
    tilt: tuple[float, float] | None = None

    def scaled(self, scale: float) -> DieReading:
        """The same in a picture of which a pixel is `scale` of this one's."""
        corners = ((self.outline + 0.5) * np.float32(scale) - 0.5).astype(np.float32)  # pixel centres: whole numbers
        return self if scale == 1.0 else replace(self, outline=corners, box=around(corners))


@dataclass(frozen=True, slots=True)
class TrayReading:
    """All dice of one frame, left to right by centre. `size` is the frame's (width, height) in pixels."""

    size: tuple[int, int]
    dice: tuple[DieReading, ...]

    @property
    def tilts(self) -> tuple[tuple[float, float], ...]:
        """The camera's tilt, by each die that shows it; what a table makes of them: `tilt.Learnt`."""
        return tuple(die.tilt for die in self.dice if die.tilt is not None)


def read(
    frame: NDArray[np.uint8],
    params: Params = Params(),  # noqa: B008
    *,
    plan: Sequence[str] | None = None,
    own: DieSet | None = None,
    trace: Trace | None = None,
) -> TrayReading:
    """Find the dice in `frame` and read each. Raises BadFrame for what is not a picture.

    plan: the die types that are owed. It helps where a numeral is in doubt, and rules no type out.
    own: dice that their owner has shown; those whose pips are not counted for sure are held against their own faces.
    """
    whole = checked(frame)
    frame, scale = workable(whole, params.most_px)
    counted = pipped(frame, params, trace)
    places = [box for _, box in seek.glance(frame, seek.mine(), least_face(counted))]
    tilts = lean.tilts(frame, [one.outline for one in counted if one.confidence >= LEAST_COUNTED], places)
    counted = asked_if_leaning(frame, counted, places, lean.usual(tilts) if params.tilt is None else params.tilt)
    sure = [one for one in counted if one.status == "sure"]
    numeral = others(frame, places, sure, params, plan, trace)
    if own is not None:
        numeral = [owned.told(frame, one, own, numerals.mine()) for one in numeral]
    told = [one.scaled(scale) for one in joined(frame, counted, numeral, params.seconded_at)]
    ranked = tuple(sorted(told, key=lambda d: d.box[0] * 2 + d.box[2]))
    return TrayReading((whole.shape[1], whole.shape[0]), ranked)


def pipped(frame: Frame, params: Params, trace: Trace | None) -> list[DieReading]:
    """The dice that geometry finds by their pips, sure and unsure."""
    size = (frame.shape[1], frame.shape[0])
    spots = Spots.of(blobs.find(frame))
    found = [c for c in dice.find(frame, spots) if c.top.solid > 0.3]
    if trace is not None:
        trace("spots", stages.spots(frame, spots.blobs))
        trace("faces", stages.faces(frame, found))
    net = judge.mine()
    likely = judge.judge(frame, *judge.places([c.top.face for c in found]), net)
    told = verdicts(found, likely, net, size, params.sure_at)
    return [reading(c.top, said) for c, said in zip(found, told, strict=True) if said is not None]


def least_face(counted: Sequence[DieReading]) -> float | None:
    """The longer side, pixels, of the smallest face whose pips were counted for sure; None without any."""
    return min((float(max(one.box[2:])) for one in counted if one.status == "sure"), default=None)


def asked_if_leaning(
    frame: Frame, counted: Sequence[DieReading], places: Sequence[seek.Box], tilt: lean.Tilt | None
) -> list[DieReading]:
    """The same dice; one that was sure is unsure where it leans for a camera of `tilt`, if that is known."""
    if tilt is None:
        return list(counted)
    return [
        replace(one, status="unsure", value=None, reasons=(dice.MAY_LEAN,))
        if one.status == "sure" and lean.leans(frame, one.outline, places, seek.mine(), tilt)
        else one
        for one in counted
    ]


def others(
    frame: Frame,
    places: Sequence[seek.Box],
    explained: Sequence[DieReading],
    params: Params,
    plan: Sequence[str] | None,
    trace: Trace | None,
) -> list[Told]:
    """The dice at `places` that the `explained` ones are not, read by their numerals."""
    finder = seek.mine()
    beside = lean.tilts(frame, [one.outline for one in explained], places)
    places = [box for box in places if not any(of_one_die(one, box) for one in explained)]
    found = [one for one in seek.closer(frame, places, finder) if one.likely >= seek.LEAST_LIKELY]
    found = [one for one in seek.apart(found) if not any(of_one_die(die, one.box) for die in explained)]
    if trace is not None:
        trace("dice", stages.found(frame, found))
    found = [one for one in found if may_be_told(one, (frame.shape[1], frame.shape[0]))]
    return numbered.tell(frame, found, numerals.mine(), finder.agree, params.numeral_sure_at, plan, params.tilt, beside)


def may_be_told(found: seek.Found, size: tuple[int, int]) -> bool:
    """Whether a thing found is to be read.

    What the frame cuts and is hardly a die does not show the camera's tilt, and is not told whatever its numeral.
    """
    return found.likely >= numbered.TRUSTED_AT or not numbered.cut(found, size)


def of_one_die(die: DieReading, box: seek.Box) -> bool:
    """Whether a top face and a box belong to one die: the middle of either lies in the other."""
    if seek.shared(die.box, box) == 0.0:
        return False
    x, y, width, height = box
    top_x, top_y = (float(c) for c in die.outline.mean(axis=0))
    return (x <= top_x <= x + width and y <= top_y <= y + height) or cv2.pointPolygonTest(
        die.outline, seek.middle(box), False
    ) >= 0


def joined(
    frame: Frame, counted: Sequence[DieReading], numeral: Sequence[Told], seconded_at: float
) -> list[DieReading]:
    """One reading a die, of the dice with pips and of those that the finder sees."""
    kept = [one for one in counted if not any(of_one_die(one, other.found.box) for other in numeral)]
    for other in numeral:
        inside = [one for one in counted if of_one_die(one, other.found.box)]
        seconded = [one for one in inside if seconds(other, one, seconded_at)]
        if any(contradicts(one, other) for one in inside):
            other = replace(other, sure=False, reasons=("its pips are counted otherwise",))
        if any(may_lean(one) for one in inside):
            other = replace(other, sure=False, reasons=(dice.MAY_LEAN,))
        told = [*(made_sure(one, other) for one in seconded), *inside, numeral_reading(frame, other)]
        kept.append(max(told, key=lambda one: (one.status == "sure", one.confidence)))
    return kept


LEAST_COUNTED = 0.3
"""What geometry and judge must believe of a die at least for the numeral net to make it sure."""


def seconds(other: Told, counted: DieReading, seconded_at: float) -> bool:
    """Whether the numeral net, which has learnt pips too, sees the same value on a die whose pips are in doubt."""
    same = (other.die, other.value) == (counted.die, counted.candidates[0][0])
    trusted = other.whole and other.seen >= seconded_at and counted.confidence >= LEAST_COUNTED
    return same and trusted and not may_lean(counted) and not other.cocked


def may_lean(counted: DieReading) -> bool:
    """Whether geometry, which knows how the other dice lie, has a die lean: what is read on it is no answer then."""
    return counted.confidence >= LEAST_COUNTED and (counted.cocked or dice.MAY_LEAN in counted.reasons)


def contradicts(counted: DieReading, other: Told) -> bool:
    """Whether pips, though in doubt, speak against the value that the numeral net gives a D6."""
    differ = counted.candidates[0][0] != other.value
    return other.die == "D6" and differ and counted.confidence >= LEAST_COUNTED


def made_sure(counted: DieReading, other: Told) -> DieReading:
    """The same die without its doubts, believed as much as the better of both."""
    (value, share), *rest = counted.candidates
    belief = max(share, other.belief)
    others = tuple((v, min(p, 1 - belief)) for v, p in rest)
    return replace(
        counted, value=value, status="sure", reasons=(), confidence=belief, candidates=((value, belief), *others)
    )


def around(corners: Points) -> tuple[int, int, int, int]:
    """x, y, width, height in whole pixels."""
    x0, y0 = np.floor(corners.min(axis=0)).astype(int)
    x1, y1 = np.ceil(corners.max(axis=0)).astype(int)
    return int(x0), int(y0), int(x1 - x0), int(y1 - y0)


def numeral_reading(frame: Frame, told: Told) -> DieReading:
    """Put a die read by its numeral into the form that callers get."""
    blue, green, red = numbered.colour(frame, told.found.outline)
    return DieReading(
        die=told.die,
        value=told.value if told.sure else None,
        status="sure" if told.sure else "unsure",
        cocked=told.cocked,
        confidence=told.belief,
        box=around(told.found.outline),
        outline=told.found.outline,
        colour=f"#{red:02x}{green:02x}{blue:02x}",
        candidates=told.candidates,
        reasons=told.reasons,
        tilt=told.tilt,
    )


def reading(top: Seen, said: Verdict) -> DieReading:
    """Put a die read by its pips into the form that callers get."""
    corners = outline(top.face)
    blue, green, red = (round(float(c)) for c in top.surface.body)
    return DieReading(
        die="D6",
        value=said.value if said.sure else None,
        status="sure" if said.sure else "unsure",
        cocked=said.cocked,
        confidence=said.belief,
        box=around(corners),
        outline=corners,
        colour=f"#{red:02x}{green:02x}{blue:02x}",
        candidates=said.candidates,
        reasons=said.reasons,
    )
