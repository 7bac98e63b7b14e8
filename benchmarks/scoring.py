"""Which detection is which labelled die, and how each came out: pure, and the same for every reader.

    right      sure, and both type and value are the label's
    wrong      sure, and they are not
    unsure     found, not sure
    missed     no detection belongs to the die
    invented   a detection that belongs to no die: sure and unsure counted apart

A label's box may lie round the whole die (board-games), its top face or only the top face's pips (wood-desk), and a
reader's box round the die, its top face or its pips. So a detection may belong to a die when the centre of either
box lies in the other, or when they overlap by `LEAST_OVERLAP`; each takes at most one, nearest centres first.
A label with no box is alone in its photograph: it takes the reader's chief detection.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

Box = tuple[float, float, float, float]
"""x, y, width, height; pixels, origin top left."""

LEAST_OVERLAP = 0.3
"""Intersection over union. Below the usual 0.5 since the boxes may be round different parts of one die."""


class Verdict(StrEnum):
    """How one die, or one detection without a die, came out."""

    RIGHT = "right"
    UNSURE = "unsure"
    WRONG = "wrong"
    MISSED = "missed"
    INVENTED_SURE = "invented sure"
    INVENTED_UNSURE = "invented unsure"


@dataclass(frozen=True, slots=True)
class Label:
    """A die as a person (or the renderer) says it lies. `value` None: there is a die, its value is not known."""

    die: str
    value: int | None
    box: Box | None = None
    cocked: bool = False


@dataclass(frozen=True, slots=True)
class Detection:
    """A die as a reader says it lies. `value` is its best guess even when not `sure`; `die` None: type unknown."""

    box: Box
    die: str | None
    value: int | None
    sure: bool
    confidence: float = 1.0
    cocked: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """One verdict with what it was given on. `label` None: invented; `detection` None: missed."""

    verdict: Verdict
    label: Label | None
    detection: Detection | None

    @property
    def die(self) -> str:
        """The die type it is counted under: the label's, or what the reader took an invented one for."""
        if self.label is not None:
            return self.label.die
        return (self.detection and self.detection.die) or "?"


def centre(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def holds(box: Box, point: tuple[float, float]) -> bool:
    """Whether `point` lies in `box`, its edge included."""
    return box[0] <= point[0] <= box[0] + box[2] and box[1] <= point[1] <= box[1] + box[3]


def overlap(a: Box, b: Box) -> float:
    """Intersection over union, 0 to 1."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / (a[2] * a[3] + b[2] * b[3] - wide * high)


def may_belong(a: Box, b: Box) -> bool:
    """Whether two boxes can be of one die."""
    return holds(a, centre(b)) or holds(b, centre(a)) or overlap(a, b) >= LEAST_OVERLAP


def match(labels: Sequence[Label], detections: Sequence[Detection]) -> dict[int, int]:
    """Return which detection (index) belongs to which label (index), one to one.

    A die whose place is not labelled, one a photograph at most, gets the reader's chief detection of those left.
    """
    alone = [i for i, label in enumerate(labels) if label.box is None]
    if len(alone) > 1:
        raise ValueError(f"a label without a box must be alone in its photograph; got {len(alone)} such labels")
    boxes = [(i, label.box) for i, label in enumerate(labels) if label.box is not None]
    pairs = sorted(
        (math.dist(centre(box), centre(detection.box)), i, j)
        for i, box in boxes
        for j, detection in enumerate(detections)
        if may_belong(box, detection.box)
    )
    taken = nearest_first(pairs)
    left = [j for j in range(len(detections)) if j not in taken.values()]
    return taken | {i: max(left, key=lambda j: chief(detections[j])) for i in alone if left}


def nearest_first(pairs: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Take the pairs in the order given, each side once."""
    taken: dict[int, int] = {}
    for _, label, detection in pairs:
        if label not in taken and detection not in taken.values():
            taken[label] = detection
    return taken


def chief(detection: Detection) -> tuple[bool, float, float]:
    """Rank detections without looking at the label: sure, then confident, then large."""
    return detection.sure, detection.confidence, detection.box[2] * detection.box[3]


def judge(labels: Sequence[Label], detections: Sequence[Detection]) -> list[Judged]:
    """Give every label and every left-over detection its verdict. A label without a value is found, but not judged."""
    belongs = match(labels, detections)
    told = [
        Judged(verdict(label, detections[belongs[i]]), label, detections[belongs[i]])
        if i in belongs
        else Judged(Verdict.MISSED, label, None)
        for i, label in enumerate(labels)
        if label.value is not None
    ]
    left = (detection for j, detection in enumerate(detections) if j not in belongs.values())
    return told + [Judged(invented(detection), None, detection) for detection in left]


def verdict(label: Label, detection: Detection) -> Verdict:
    """How a die with a detection came out.

    A leaning die is right when it is called so, and wrong when it is given as lying flat. A flat die called leaning
    is asked about, so it counts as unsure.
    """
    if not claims(detection):
        return Verdict.RIGHT if label.cocked and detection.cocked else Verdict.UNSURE
    if (detection.die, detection.value) != (label.die, label.value):
        return Verdict.WRONG
    if detection.cocked == label.cocked:
        return Verdict.RIGHT
    return Verdict.WRONG if label.cocked else Verdict.UNSURE


def claims(detection: Detection) -> bool:
    """Whether it would fill a slot without asking: sure, with a type and a value."""
    return detection.sure and detection.die is not None and detection.value is not None


def invented(detection: Detection) -> Verdict:
    """How a detection without a die counts."""
    return Verdict.INVENTED_SURE if claims(detection) else Verdict.INVENTED_UNSURE


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of verdicts. `dice` is how many were there to be read, so right + unsure + wrong + missed."""

    right: int = 0
    unsure: int = 0
    wrong: int = 0
    missed: int = 0
    invented_sure: int = 0
    invented_unsure: int = 0

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> Tally:
        """Count them."""
        counts = dict.fromkeys(Verdict, 0)
        for one in judged:
            counts[one.verdict] += 1
        return cls(**{verdict.value.replace(" ", "_"): count for verdict, count in counts.items()})

    @property
    def dice(self) -> int:
        """How many dice were there to be read."""
        return self.right + self.unsure + self.wrong + self.missed

    @property
    def sure(self) -> int:
        """How many of them were read without asking."""
        return self.right + self.wrong

    @property
    def right_share(self) -> float | None:
        """Right of all dice; None where there were none."""
        return self.right / self.dice if self.dice else None

    @property
    def wrong_share(self) -> float | None:
        """Wrong among the sure; None where none was sure."""
        return self.wrong / self.sure if self.sure else None
