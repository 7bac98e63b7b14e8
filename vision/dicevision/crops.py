"""The two pictures that the numeral reader looks at: the whole die, small, and its top face's disc, straightened."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.image import Frame

SIDE_PX = 72
"""Both crops are SIDE_PX square. A D20's two figures are then some 25 pixels high, and 72 halves three times."""

WHOLE_REACH = 1.25
"""Side of the whole die's crop in units of the longer side of its box: room for a box that is a little off."""

DISC_REACH = 1.15
"""Half side of the face's crop in units of the disc's radius: a rim of the face's surroundings shows its edges."""

AWAY = 2.0
"""What the tilt that a die's place adds (0.5 at most) is multiplied by to vary as much as a levelled picture does."""

LEAST_SPREAD = 6.0
"""Grey levels: what varies less than the noise of a dim camera is not made to look as if it varied more."""

Affine = NDArray[np.float64]
"""(2, 3): maps (x, y, 1) of one picture to the pixels of another."""


def sample(frame: NDArray[Any], to_frame: Affine, side_px: int = SIDE_PX) -> Frame:
    """A (side_px, side_px, 3) picture whose pixel (x, y) is the frame's at `to_frame` @ (x, y, 1).

    Where that makes the frame smaller, the frame is first shrunk by area, so that thin strokes do not vanish.
    Outside the frame its nearest border pixel stands in.
    """
    (a, b, _), (c, d, _) = to_frame.tolist()
    step = math.sqrt(max(abs(a * d - b * c), 1e-12))
    if step > 1.3:
        frame, to_frame = _shrunk(frame, to_frame, side_px, step)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(frame, to_frame, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[return-value]


def _shrunk(frame: NDArray[Any], to_frame: Affine, side_px: int, step: float) -> tuple[NDArray[Any], Affine]:
    """The part of the frame that a crop shows, made smaller by `step`, and the crop's way into it."""
    left, right = _reached(to_frame[0], side_px, frame.shape[1])
    top, bottom = _reached(to_frame[1], side_px, frame.shape[0])
    wide, high = max(1, round((right - left) / step)), max(1, round((bottom - top) / step))
    small = cv2.resize(frame[top:bottom, left:right], (wide, high), interpolation=cv2.INTER_AREA)
    factor = np.array([[wide / (right - left)], [high / (bottom - top)]])
    return small, (to_frame - [[0, 0, left], [0, 0, top]]) * factor + [0, 0, 0.5] * factor - [0, 0, 0.5]


def _reached(row: NDArray[np.float64], side_px: int, size: int) -> tuple[int, int]:
    """From where to where, of `size` columns or rows, a crop reaches by that `row` of its affine, two to spare."""
    along, across, start = row.tolist()
    low = math.floor(start + side_px * (min(along, 0) + min(across, 0))) - 2
    high = math.ceil(start + side_px * (max(along, 0) + max(across, 0))) + 2
    first = min(max(low, 0), size - 2)
    return first, min(max(high, first + 2), size)


def whole_affine(box: tuple[float, float, float, float], side_px: int = SIDE_PX, reach: float = WHOLE_REACH) -> Affine:
    """From the whole die's crop to the frame, for a box (x, y, width, height) in pixels; its side is `reach` boxes."""
    x, y, width, height = box
    step = reach * max(width, height) / side_px
    half = (side_px - 1) / 2
    return np.array([[step, 0, x + width / 2 - 0.5 - half * step], [0, step, y + height / 2 - 0.5 - half * step]])


def disc_affine(disc: Affine, turn_rad: float = 0.0, reach: float = DISC_REACH, side_px: int = SIDE_PX) -> Affine:
    """From the face's crop to the frame, turned by `turn_rad`, for a disc (2, 3) that maps the unit disc to pixels."""
    half = (side_px - 1) / 2
    cosine, sine = np.cos(turn_rad), np.sin(turn_rad)
    step = 2 * reach / side_px
    turned = disc[:, :2] @ np.array([[cosine, -sine], [sine, cosine]]) * step
    return np.column_stack([turned, disc[:, 2] - turned @ (half, half)])


def blob(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(N, H, W, 3) crops as the nets take them: (N, 3, H, W), each channel's mean taken off, one spread for all three.

    The light's colour and strength are gone from it; the spread is at least 6 levels so that flat crops stay flat.
    """
    out = np.empty((len(crops), 3, *crops.shape[1:3]), np.float32)
    for levelled, crop in zip(out, crops, strict=True):
        mean, deviation = cv2.meanStdDev(crop)
        blue, green, red = deviation.ravel().tolist()
        gain = 1 / max(math.sqrt((blue * blue + green * green + red * red) / 3), LEAST_SPREAD)
        levelled[:] = crop.transpose(2, 0, 1)
        levelled -= mean.astype(np.float32)[:, :, None]
        levelled *= np.float32(gain)
    return out


def with_place(pictures: NDArray[np.float32], away: NDArray[np.floating]) -> NDArray[np.float32]:
    """(N, 5, H, W): a net's input (N, 3, H, W) and, in two planes more, the tilts (N, 2) that the dice's places add."""
    count, _, height, width = pictures.shape
    planes = np.broadcast_to((AWAY * np.asarray(away, np.float32))[:, :, None, None], (count, 2, height, width))
    return np.concatenate([pictures, planes], axis=1)
