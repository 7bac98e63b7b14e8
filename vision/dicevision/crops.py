"""The two pictures that the numeral reader looks at: the whole die, small, and its top face's disc, straightened."""

from __future__ import annotations

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

LEAST_SPREAD = 6.0
"""Grey levels: what varies less than the noise of a dim camera is not made to look as if it varied more."""

Affine = NDArray[np.float64]
"""(2, 3): maps (x, y, 1) of one picture to the pixels of another."""


def sample(frame: NDArray[Any], to_frame: Affine, side_px: int = SIDE_PX) -> Frame:
    """A (side_px, side_px, 3) picture whose pixel (x, y) is the frame's at `to_frame` @ (x, y, 1).

    Where that makes the frame smaller, the frame is first shrunk by area, so that thin strokes do not vanish.
    Outside the frame its nearest border pixel stands in.
    """
    step = float(np.sqrt(max(abs(np.linalg.det(to_frame[:, :2])), 1e-12)))
    if step > 1.3:
        frame, to_frame = _shrunk(frame, to_frame, side_px, step)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(frame, to_frame, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[return-value]


def _shrunk(frame: NDArray[Any], to_frame: Affine, side_px: int, step: float) -> tuple[NDArray[Any], Affine]:
    corners = np.array([[0, 0, 1], [side_px, 0, 1], [0, side_px, 1], [side_px, side_px, 1]], np.float64) @ to_frame.T
    height, width = frame.shape[:2]
    low = np.clip(np.floor(corners.min(axis=0)) - 2, 0, (width - 2, height - 2)).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0)) + 2, low + 2, (width, height)).astype(int)
    part = frame[low[1] : high[1], low[0] : high[0]]
    wide, high_px = max(1, round(part.shape[1] / step)), max(1, round(part.shape[0] / step))
    small = cv2.resize(part, (wide, high_px), interpolation=cv2.INTER_AREA)
    factor = np.array([wide / part.shape[1], high_px / part.shape[0]])
    moved = to_frame.copy()
    moved[:, 2] -= low
    moved = moved * factor[:, None]
    moved[:, 2] += 0.5 * factor - 0.5
    return small, moved


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
        gain = 1 / max(float(np.sqrt((deviation**2).mean())), LEAST_SPREAD)
        for channel in range(3):
            np.subtract(crop[:, :, channel], np.float32(mean[channel, 0]), out=levelled[channel])
            levelled[channel] *= np.float32(gain)
    return out
