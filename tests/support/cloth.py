"""One drawn die on plain cloth, seen from above: our own render, with what is true of it."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from training import singles, surface
from training.finder import table


def on_cloth(die: str, value: int, seed: int, at: tuple[float, float] = (320, 240), wide: float = 110) -> Any:
    """One die on plain cloth in a frame of 640x480, seen from above, and what is true of it."""
    rng = np.random.default_rng((seed, 7))
    picture = np.full((720, 880, 3), (0.25, 0.4, 0.2), np.float32)
    throws = (singles.throw(rng, (), die, value, tilt=(0.0, 0.02)) for _ in range(20))
    thrown = next(one for one in throws if not spotted(one))
    stuff = surface.Material(((0.85, 0.85, 0.9),) * 3, "plain", 0.0, 0.1, 0.0, (0.05, 0.05, 0.05), 1.0)
    outline = table.lay(rng, picture, thrown, np.array(at) + 120, wide, stuff, 3)
    frame = (np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8), 0, 1) * 255).astype(np.uint8)[120:600, 120:760]
    lying = table.labelled(thrown, outline - 120, (640, 480))
    return np.ascontiguousarray(frame), lying


def spotted(thrown: singles.Thrown) -> bool:
    """Whether a die has pips, which the renderer puts on any type: each is a contour of 14 corners."""
    return all(len(contour) == 14 for _, one in thrown.numerals for contour in one.contours)
