"""Everything about reading that may be set, with its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Params:
    """How to read. The defaults are meant for every tray; a table changes them only with a reason.

    sure_at: the least probability of being right at which a value is given without asking, 0 to 1. Its curve, on
    drawn scenes and photographs, is in docs/judge-card.md.
    numeral_sure_at: the same for dice read by their numerals; its curve is in docs/model-card.md.
    seconded_at: where pips are in doubt, the least probability that the numeral net must give to the value they show
    for it to be sure.
    tilt: how the camera looks down, where a table has learnt it: the world's up as seen in the picture's middle (x
    right, y up, sine of the angle), (0, 0) from straight above. None: told anew from each frame's dice.
    most_px: pixels above which a frame is made smaller before it is looked at. The reader needs some 73 bytes a pixel
    (measured); 3 million keep it near 220 MB, and leave a die of 1/20 of a 4:3 frame's width 100 pixels wide.
    """

    sure_at: float = 0.6
    numeral_sure_at: float = 0.95
    seconded_at: float = 0.8
    tilt: tuple[float, float] | None = None
    most_px: int = 3_000_000
