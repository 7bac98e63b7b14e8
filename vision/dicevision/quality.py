"""What is wrong with a picture of the tray, in sentences a player can act on.

    for fault in faults(picture, dice): print(fault.says)

Each threshold says where it comes from; "measured" is on this project's own renders (tests/vision/test_quality.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from dicevision.image import Frame
from dicevision.read import DieReading

DARK = 35.0
"""Grey level, of 255, that a quarter of the tray reaches in fair light, black trays too (measured: 45 to 60)."""

BLOWN = 0.04
"""The share of pixels at 250 and above that is more than highlights on dice: a mirrored lamp, too long an exposure."""

CLIPPED = 0.25
"""The same for pixels of which one channel alone is at its end: a coloured tray that is lit too much turns pale so."""

LEAST_DIE_PX = 35
"""A die's width that numerals and pips can be read from; the reader was made for 35 pixels and up."""

BLURRED = 9.0
"""The least `sharpness`. Drawn dice of 44 to 195 pixels have 15 to 55 in focus, 9 to 12 where the lens smears a point
over a twenty-fifth of the die (standard deviation), and 6 to 9 over a seventeenth: pips then run together."""

ALIKE = 14.0
"""CIELAB distance of a die's body from the tray round it below which its end is hard to find (2.3 is just noticed)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: a word for programs, a sentence for people."""

    what: str
    says: str


def faults(picture: Frame, dice: Sequence[DieReading]) -> tuple[Fault, ...]:
    """What is wrong with the tray's picture, worst first; the dice that were read in it help to tell."""
    return tuple(fault for fault in (_dark(picture), _blown(picture), *_of_dice(picture, dice)) if fault is not None)


def _dark(picture: Frame) -> Fault | None:
    grey = cv2.cvtColor(picture[::4, ::4].copy(), cv2.COLOR_BGR2GRAY)
    if float(np.quantile(grey, 0.75)) >= DARK:
        return None
    return Fault("dark", "The picture is too dark: bring a lamp, or open the camera's exposure.")


def _blown(picture: Frame) -> Fault | None:
    some = picture[::4, ::4]
    if float((some.min(axis=2) >= 250).mean()) < BLOWN and float((some.max(axis=2) >= 253).mean()) < CLIPPED:
        return None
    return Fault(
        "blown out",
        "Part of the picture is white with light: move the lamp so that it is not mirrored, or lower the exposure.",
    )


def _of_dice(picture: Frame, dice: Sequence[DieReading]) -> list[Fault | None]:
    if not dice:
        return []
    wide = float(np.median([max(die.box[2:]) for die in dice]))
    return [
        _far(wide) or _blurred(picture, dice),
        _alike(picture, dice),
    ]  # of few pixels nothing says how sharp they are


def _far(wide: float) -> Fault | None:
    if wide >= LEAST_DIE_PX:
        return None
    return Fault(
        "far",
        f"The dice are {wide:.0f} pixels wide and want {LEAST_DIE_PX} or more: bring the camera nearer, or choose "
        "a higher resolution.",
    )


def _blurred(picture: Frame, dice: Sequence[DieReading]) -> Fault | None:
    if float(np.median([sharpness(picture, die) for die in dice])) >= BLURRED:
        return None
    return Fault(
        "blurred", "The dice are blurred: focus the camera, clean its lens, or fix it so that it does not move."
    )


def sharpness(picture: Frame, die: DieReading) -> float:
    """How steep a die's edges are: how often its whole contrast would fit into its width at the steepest.

    The 98th percentile of the gradient, over the contrast, times the die's width in pixels: the same for a die near and
    far, bright and dark.
    """
    grey = cv2.cvtColor(np.ascontiguousarray(_round(picture, die, 0.2)), cv2.COLOR_BGR2GRAY).astype(np.float32)
    soft = cv2.GaussianBlur(grey, (3, 3), 0.6)
    steps = np.hypot(np.diff(soft, axis=1)[:-1], np.diff(soft, axis=0)[:, :-1])
    contrast = float(np.quantile(soft, 0.98) - np.quantile(soft, 0.02))
    return float(np.quantile(steps, 0.98)) / max(contrast, 1.0) * max(die.box[2:])


def _alike(picture: Frame, dice: Sequence[DieReading]) -> Fault | None:
    close = [die for die in dice if _apart(picture, die) < ALIKE]
    if not close:
        return None
    which = "A die has" if len(close) == 1 else f"{len(close)} dice have"
    return Fault("alike", f"{which} the tray's own colour: lay a cloth or a sheet of another colour in it.")


def _apart(picture: Frame, die: DieReading) -> float:
    """CIELAB distance (CIE 1976) of a die's body from the ground beside it."""
    body = np.array([[[int(die.colour[at : at + 2], 16) for at in (5, 3, 1)]]], np.float32) / 255
    piece = _round(picture, die, 0.6).copy()
    high, wide = piece.shape[:2]
    rim = np.ones((high, wide), np.bool_)
    rim[high // 6 : high - high // 6, wide // 6 : wide - wide // 6] = False
    ground = np.median(piece[rim], axis=0).astype(np.float32).reshape(1, 1, 3) / 255
    one, other = (cv2.cvtColor(each, cv2.COLOR_BGR2LAB) for each in (body, ground))
    return float(np.linalg.norm(one - other))


def _round(picture: Frame, die: DieReading, margin: float) -> Frame:
    """A die's box with a margin, as a share of it, within the picture."""
    x, y, wide, high = die.box
    x0, y0 = max(0, int(x - margin * wide)), max(0, int(y - margin * high))
    piece = picture[y0 : int(y + (1 + margin) * high) + 1, x0 : int(x + (1 + margin) * wide) + 1]
    return piece if min(piece.shape[:2]) >= 3 else picture
