"""Which dice lean though their pips look flat: a leaning die's top is off the middle of its outline.

A cube's picture is symmetric round its own middle, half an edge under the top face's. So a die tilted by t from the
line of sight has its top off by sin t half edges, while its pips flatten by 1 - cos t: at 20 degrees 0.34 and 0.06.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dicevision import numbered, seek
from dicevision.image import Frame, Points
from dicevision.seek import Box, Finder, middle

HALF_EDGE = 0.7
"""Half an edge in half the longer side of a die's box: of a square turned anyhow 0.71 to 1, less where sides show."""

LEANS_AT = 0.4
"""Sine by which a die's tilt is off the others' from which it may lean, at a glance and on a closer look. Of 229 flat
dice (even drawn trays, every twelfth photograph of wood-desk, trays with a leaning die) 5 were farther off."""

TELL_A_LEAN = 2
"""Dice in view from which the camera's tilt is known; where two of them disagree both may lean."""

OWN = (0.8, 2.2)
"""Longer sides of a die's box in those of its top face's: a smaller or larger box is another thing's."""


Tilt = tuple[float, float]
"""How the camera looks down, as `Params.tilt`."""


def tilts(frame: Frame, tops: Sequence[Points], places: Sequence[Box]) -> list[Tilt]:
    """The camera's tilt by each die with one of the faces `tops`, (4, 2) corners, that is found at a glance.

    places: the boxes of whole dice at a glance.
    """
    return [tilt_of(frame, top, box) for top in tops if (box := box_of(top, places)) is not None]


def usual(tilts: Sequence[Tilt]) -> Tilt | None:
    """The camera's tilt by what each die says of it; None where too few do."""
    return numbered.median(tilts) if len(tilts) >= TELL_A_LEAN else None


def leans(frame: Frame, top: Points, places: Sequence[Box], finder: Finder, tilt: Tilt) -> bool:
    """Whether the die with face `top` leans for a camera of `tilt`: at a glance, and on a closer look too."""
    box = box_of(top, places)
    if box is None or math.dist(tilt_of(frame, top, box), tilt) < LEANS_AT:
        return False
    box = box_of(top, [seek.closer(frame, [box], finder)[0].box])
    return box is not None and math.dist(tilt_of(frame, top, box), tilt) >= LEANS_AT


def box_of(top: Points, places: Sequence[Box]) -> Box | None:
    """The box of the die of which `top` is a face: the nearest of those of its size; None where there is none."""
    x, y = top.mean(axis=0).tolist()
    long = float((top.max(axis=0) - top.min(axis=0)).max())
    near = [
        (off, box)
        for box in places
        if OWN[0] < max(box[2:]) / long < OWN[1] and (off := math.dist((x, y), middle(box)) / max(box[2:])) < 0.5
    ]
    return min(near)[1] if near else None


def tilt_of(frame: Frame, top: Points, box: Box) -> Tilt:
    """The camera's tilt by one die: how far its top is off its middle, less what its place in the frame adds."""
    x, y = (top.mean(axis=0) - middle(box)).tolist()
    half = HALF_EDGE * max(box[2:]) / 2
    right, up = numbered.away(frame, box)
    return x / half - right, -y / half - up
