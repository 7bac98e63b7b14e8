"""The one public call: a frame in, the dice in it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicevision import blobs, dice, judge, stages
from dicevision.find import Seen, Spots
from dicevision.image import Frame, Points, checked, workable
from dicevision.params import Params
from dicevision.verdict import Verdict, outline, verdict

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
    params: Params = Params(),  # noqa: B008
    *,
    plan: Sequence[str] | None = None,  # noqa: ARG001 - the types that are owed: a prior for numerals, not for pips
    trace: Trace | None = None,
) -> TrayReading:
    """Find the dice in `frame` and read each top face. Raises BadFrame for what is not a picture."""
    whole = checked(frame)
    frame, scale = workable(whole, params.most_px)
    size = (frame.shape[1], frame.shape[0])
    spots = Spots.of(blobs.find(frame))
    found = [c for c in dice.find(frame, spots) if c.top.solid > 0.3]
    if trace is not None:
        trace("spots", stages.spots(frame, spots.blobs))
        trace("faces", stages.faces(frame, found))
    net = judge.mine()
    likely = judge.judge(frame, *judge.places([c.top.face for c in found]), net)
    told = [(c, verdict(c, row, net, size, params.sure_at)) for c, row in zip(found, likely, strict=True)]
    readings = [reading(c.top, said, scale) for c, said in told if said is not None]
    return TrayReading((whole.shape[1], whole.shape[0]), tuple(sorted(readings, key=lambda d: d.box[0] * 2 + d.box[2])))


def reading(top: Seen, said: Verdict, scale: float = 1.0) -> DieReading:
    """Put a die into the form that callers get; `scale` takes the pixels worked on to the frame's own."""
    corners = (outline(top.face) + 0.5) * np.float32(scale) - 0.5  # pixel centres lie at whole numbers
    corners = corners.astype(np.float32)
    x0, y0 = np.floor(corners.min(axis=0)).astype(int)
    x1, y1 = np.ceil(corners.max(axis=0)).astype(int)
    blue, green, red = (round(float(c)) for c in top.surface.body)
    return DieReading(
        die="D6",
        value=said.value if said.sure else None,
        status="sure" if said.sure else "unsure",
        cocked=said.cocked,
        confidence=said.belief,
        box=(int(x0), int(y0), int(x1 - x0), int(y1 - y0)),
        outline=corners,
        colour=f"#{red:02x}{green:02x}{blue:02x}",
        candidates=said.candidates,
        reasons=said.reasons,
    )
