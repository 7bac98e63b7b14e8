"""What a frame is, and the check it passes once, on entry."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
"""A picture: (height, width, 3) uint8, channels blue, green, red."""

Floats = NDArray[np.floating[Any]]
"""Real numbers; the shape stands with each name."""

Flags = NDArray[np.bool_]
"""Truths; the shape stands with each name."""

Rows = NDArray[np.intp]
"""Row numbers of a table."""

Grey = NDArray[Any]
"""One channel: (height, width) float32, 0 to 255 where not said otherwise."""

Points = NDArray[np.float32]
"""Places in a picture: (N, 2) float32, x then y, pixels, origin at the top left pixel's centre."""

SMALLEST_SIDE_PX = 32
"""Below this a die with readable pips and some tray round it does not fit: a pip needs some 2 pixels and a die
is 10 pips wide (measured on casino and hobby dice: the pip's diameter is 0.16 to 0.24 of the face)."""

LARGEST_PX = 40_000_000
"""Pixels in a frame. The largest camera meant is 4000x3000."""


class BadFrame(ValueError):
    """What was given is not a frame that the reader can look at; the message says what was expected."""


def checked(frame: NDArray[Any]) -> Frame:
    """Return `frame` itself, contiguous, or raise BadFrame saying what was expected and what came."""
    if not isinstance(frame, np.ndarray):
        raise BadFrame(f"a frame is a numpy array (height, width, 3) of uint8; got {type(frame).__name__}")
    if frame.dtype != np.uint8:
        raise BadFrame(f"a frame holds uint8 values, 0 to 255; got {frame.dtype}")
    if frame.ndim != 3 or frame.shape[2] != 3:
        raise BadFrame(f"a frame has the shape (height, width, 3), blue green red; got {frame.shape}")
    height, width = frame.shape[:2]
    if min(height, width) < SMALLEST_SIDE_PX:
        raise BadFrame(f"a frame is at least {SMALLEST_SIDE_PX} pixels on each side; got {width}x{height}")
    if height * width > LARGEST_PX:
        raise BadFrame(f"a frame has at most {LARGEST_PX:,} pixels; got {width}x{height}: make it smaller first")
    return np.ascontiguousarray(frame)


def workable(frame: Frame, most_px: int) -> tuple[Frame, float]:
    """Return `frame`, made smaller where it has more than `most_px` pixels, and how many of its pixels one then is."""
    scale = math.sqrt(frame.shape[0] * frame.shape[1] / most_px)
    if scale <= 1:
        return frame, 1.0
    size = (round(frame.shape[1] / scale), round(frame.shape[0] / scale))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8), scale
