"""Which dice of a settled picture came or moved since the last one: the picture decides, the readings help.

A die lies as it lay where the picture round it has not changed, whatever light did to it, or where the same die with
the same value is still in the same place. Every other die came or moved. A die that is covered, or that the reader
misses for once, is not forgotten: it lies there until its place shows something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from dicevision.image import Frame
from dicevision.read import DieReading

UNCHANGED = 0.85
"""The correlation above which a die lies as it lay. Drawn dice leave 0.87 to 1 where a lamp is dimmed or moved to the
other side, 0.80 to 0.86 where they are turned by ten degrees, 0.4 to 0.8 where they are moved by a quarter of that."""

OTHER_VALUE = 0.985
"""The same where another value was read: a five and a four that lie alike to the degree leave 0.97."""

ALIKE = 0.4
"""The correlation that suffices where type, value and place are all the same: a hard new shadow may lie across it."""

NEAR = 0.25
"""Of a die's width: how far a die's middle may seem to wander in its place as its outline is drawn anew."""

PATCH_PX = 28
REACH_PX = 3
"""A die's picture is compared in so many pixels, and may have shifted by so many of them."""

Patch = Frame


@dataclass(frozen=True, slots=True)
class Lying:
    """A die that lies in the tray, and how it looked when it came to lie there."""

    die: DieReading
    patch: Patch

    @property
    def middle(self) -> tuple[float, float]:
        """Its box's middle, in pixels of the tray's picture."""
        return middle(self.die)


def middle(die: DieReading) -> tuple[float, float]:
    """A die's middle, in pixels."""
    x, y, width, height = die.box
    return x + width / 2, y + height / 2


def lying(picture: Frame, dice: Iterable[DieReading]) -> tuple[Lying, ...]:
    """Dice with their looks."""
    return tuple(Lying(die, patch(picture, die)) for die in dice)


def came(picture: Frame, dice: Sequence[DieReading], before: Sequence[Lying]) -> tuple[DieReading, ...]:
    """Of `dice`, read in `picture`, those that did not lie so before."""
    free = list(before)
    new = []
    for die in dice:
        old = _same(picture, die, free)
        if old is None:
            new.append(die)
        else:
            free.remove(old)
    return tuple(new)


def kept(
    picture: Frame, dice: Sequence[DieReading], before: Sequence[Lying], *, covered: bool = False
) -> tuple[Lying, ...]:
    """Of the dice that lay there, those that `dice` lack though the picture still shows them, or they are `covered`."""
    missed = (old for old in before if not any(_near(die, old.die) for die in dice))
    return tuple(old for old in missed if covered or shows(picture, old))


def shows(picture: Frame, old: Lying) -> bool:
    """Whether a die is still seen as it lay."""
    return likeness(picture, old) >= UNCHANGED


def _same(picture: Frame, die: DieReading, before: Iterable[Lying]) -> Lying | None:
    """The die of `before` that this one is, lying as it lay; None where it came or moved."""
    near = [old for old in before if _near(die, old.die)]
    for old in sorted(near, key=lambda old: _apart(die, old.die)):
        other_value = die.value is not None and old.die.value is not None and die.value != old.die.value
        alike = die.value is not None and die.value == old.die.value and die.die == old.die.die
        least = ALIKE if alike else OTHER_VALUE if other_value else UNCHANGED
        if likeness(picture, old) >= least:
            return old
    return None


def _near(die: DieReading, old: DieReading) -> bool:
    return _apart(die, old) <= NEAR * max(*die.box[2:], *old.box[2:])


def _apart(die: DieReading, old: DieReading) -> float:
    (x0, y0), (x1, y1) = middle(die), middle(old)
    return float(np.hypot(x1 - x0, y1 - y0))


def likeness(picture: Frame, old: Lying) -> float:
    """The correlation of a die's look with what is at its place now, -1 to 1; 0 where either is one flat colour."""
    now = patch(picture, old.die)
    core = old.patch[REACH_PX:-REACH_PX, REACH_PX:-REACH_PX]
    if min(float(now.std()), float(core.std())) < 1.0:
        return 0.0
    return float(cv2.matchTemplate(now, core, cv2.TM_CCOEFF_NORMED).max())


def patch(picture: Frame, die: DieReading) -> Patch:
    """The picture of a die and a little round it, grey, PATCH_PX square."""
    x, y = middle(die)
    side = 1.25 * max(die.box[2], die.box[3])
    scale = PATCH_PX / side
    to = np.array([[scale, 0, PATCH_PX / 2 - scale * x], [0, scale, PATCH_PX / 2 - scale * y]], np.float64)
    piece = picture
    if scale < 0.5:  # many pixels become one: take their mean, not one of them
        half = side / 2
        x0, y0 = max(0, int(x - half)), max(0, int(y - half))
        piece = picture[y0 : int(y + half) + 1, x0 : int(x + half) + 1]
        small = max(scale * 2, 1e-3)
        piece = np.asarray(cv2.resize(piece, None, fx=small, fy=small, interpolation=cv2.INTER_AREA), np.uint8)
        to = np.array(
            [[0.5, 0, PATCH_PX / 2 - scale * (x - x0)], [0, 0.5, PATCH_PX / 2 - scale * (y - y0)]], np.float64
        )
    grey = cv2.cvtColor(np.ascontiguousarray(piece), cv2.COLOR_BGR2GRAY)
    return np.asarray(
        cv2.warpAffine(grey, to, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )
