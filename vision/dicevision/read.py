"""The one public call: a frame in, the dice in it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicevision.image import Frame, Points, checked
from dicevision.params import Params

Trace = Callable[[str, Frame], None]
"""Takes each stage's name and picture (same size as the frame, BGR) as the reader goes; see `debug`."""


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die as seen.

    die: "D4" to "D20" or "D100"; None where the type could not be told.
    value: what lies on top; None when unsure.
    status: "sure" or "unsure". Only a sure die may be used without asking.
    cocked: it leans: no face lies level.
    confidence: the probability that the best candidate is right, 0 to 1.
    box: x, y, width, height in pixels, round the top face.
    outline: (N, 2) float32 pixels, round the top face.
    colour: "#rrggbb", the main colour of the die's body.
    candidates: (value, probability), best first.
    reasons: why it is unsure, in plain words; empty when sure.
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


@dataclass(frozen=True, slots=True)
class TrayReading:
    """All dice of one frame, left to right by centre. `size` is the frame's (width, height) in pixels."""

    size: tuple[int, int]
    dice: tuple[DieReading, ...]


def read(
    frame: NDArray[np.uint8],
    params: Params = Params(),  # noqa: ARG001, B008
    *,
    plan: Sequence[str] | None = None,  # noqa: ARG001 - the types that are owed: a prior for numerals, not for pips
    trace: Trace | None = None,  # noqa: ARG001
) -> TrayReading:
    """Find the dice in `frame` and read each top face. Raises BadFrame for what is not a picture."""
    frame = checked(frame)
    return TrayReading(size=(frame.shape[1], frame.shape[0]), dice=())
