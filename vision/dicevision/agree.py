"""Several readings of one rest, and what may be believed of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median_low

from dicevision.image import Frame
from dicevision.moved import middle
from dicevision.read import DieReading

LEAST = 2
MOST = 4
"""A die counts as sure when two frames read it alike. One that does not is looked at in so many at most, and is then
unsure."""

SAME_PLACE = 0.4
"""Of a die's width: dice at rest do not wander; their outlines, drawn anew in each frame, do a little."""


@dataclass(frozen=True, slots=True)
class Look:
    """One frame's reading: the tray's picture, the dice in it, when it came, and the tilt that it was read with."""

    picture: Frame
    dice: tuple[DieReading, ...]
    at_s: float
    tilt: tuple[float, float] | None = None


def agreed(looks: Sequence[Look]) -> Look | None:
    """The look to believe; None while another is wanted.

    Where no further look, up to MOST, could bear a die out, it is unsure in it.
    """
    if len(looks) < LEAST:
        return None
    best = _best(looks)
    others = [look.dice for look in looks if look is not best]
    stands = [_stands(die, others) for die in best.dice]
    if all(stands) and (best.dice or len(looks[-1].dice) == 0):
        return best
    doubted = [die for die, ok in zip(best.dice, stands, strict=True) if not ok]
    if len(looks) < MOST and (not best.dice or any(_may_stand(die, looks) for die in doubted)):
        return None
    told = tuple(die if ok else _doubted(die) for die, ok in zip(best.dice, stands, strict=True))
    return replace(best, dice=told)


def _best(looks: Sequence[Look]) -> Look:
    """The look with the most sure dice; of those the one with as many dice as most have, and the newest."""
    usual = median_low(len(look.dice) for look in looks)

    def merit(look: Look) -> tuple[int, int, float]:
        sure = sum(die.status == "sure" for die in look.dice)
        return sure, -abs(len(look.dice) - usual), look.at_s

    return max(looks, key=merit)


def _stands(die: DieReading, others: Sequence[tuple[DieReading, ...]]) -> bool:
    """Whether a die is sure, another look says the same of it, and none says surely otherwise."""
    if die.status != "sure":
        return False
    there = [other for dice in others for other in dice if _same_place(die, other)]
    same = [(other.die, other.value) == (die.die, die.value) for other in there if other.status == "sure"]
    return bool(same) and all(same)


def _may_stand(die: DieReading, looks: Sequence[Look]) -> bool:
    """Whether further looks may yet bear a die out: two must be sure of the same, and none of anything else."""
    sure = [other for look in looks for other in look.dice if other.status == "sure" and _same_place(die, other)]
    return len(sure) + MOST - len(looks) >= LEAST and len({(other.die, other.value) for other in sure}) <= 1


def _same_place(one: DieReading, other: DieReading) -> bool:
    (x, y), (u, v) = middle(one), middle(other)
    reach = SAME_PLACE * max(*one.box[2:], *other.box[2:])
    return abs(x - u) <= reach and abs(y - v) <= reach


def _doubted(die: DieReading) -> DieReading:
    if die.status != "sure":
        return die
    return replace(die, value=None, status="unsure", reasons=(*die.reasons, "it read otherwise in another frame"))
