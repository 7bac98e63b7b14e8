"""The outline of the one die in a photograph, by a step of the benchmark's own.

The numeral reader is measured apart from the finder, so the die is found simply here, set by set; the outlines of all
450 photographs were looked at, and each holds its die.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.image import Frame, Points

Mask = NDArray[Any]


def largest(mask: Mask) -> Points | None:
    """The convex hull of the largest blob of a mask."""
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    return np.asarray(cv2.convexHull(max(contours, key=cv2.contourArea))[:, 0], np.float32)


def cleaned(mask: Mask, size: int) -> Mask:
    """Specks gone, gaps closed."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((size, size), np.uint8))
    return cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((size * 3, size * 3), np.uint8))


TOWER_TRAY = (390, 190, 1500, 1290)
"""Left, top, right, bottom of tower-tray's floor, pixels."""


def in_tower_tray(frame: Frame) -> Points | None:
    """Whatever is bright on the black floor and does not touch its border."""
    left, top, right, bottom = TOWER_TRAY
    bright = np.zeros(frame.shape[:2], np.uint8)
    floor = cv2.GaussianBlur(frame, (0, 0), 2).max(axis=2)[top:bottom, left:right]
    bright[top:bottom, left:right] = floor > 70
    _, numbers, stats, _ = cv2.connectedComponentsWithStats(cleaned(bright, 5))
    x, y, width, height, _ = stats.T
    inside = (x > left) & (y > top) & (x + width < right) & (y + height < bottom)
    areas = np.where(inside, stats[:, cv2.CC_STAT_AREA], 0)
    return largest(numbers == int(np.argmax(areas))) if areas.any() else None


def in_leather_tray(frame: Frame) -> Points | None:
    """Whatever is bluer than the red leather, within the hexagon."""
    smooth = cv2.GaussianBlur(frame, (0, 0), 3).astype(int)
    height, width = frame.shape[:2]
    corners = [[0.0, 0.5], [0.22, 0.0], [0.78, 0.0], [1.0, 0.5], [0.78, 1.0], [0.22, 1.0]]
    tray = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(tray, (np.array(corners) * (width, height)).astype(np.int32), 1)
    return largest(cleaned((smooth[..., 0] > smooth[..., 2] - 25) & (tray > 0), 7))


def backdrop(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """The colour behind the die: a plane through the top and bottom 20 rows, channel by channel."""
    height, width = lab.shape[:2]
    y, x = np.mgrid[:height, :width]
    terms = np.stack([np.ones(height * width), x.ravel() / width, y.ravel() / height], axis=1)
    edge = np.r_[0 : 20 * width, (height - 20) * width : height * width]
    flat = lab.reshape(-1, 3)
    planes = [terms @ np.linalg.lstsq(terms[edge], flat[edge, k], rcond=None)[0] for k in range(3)]
    return np.stack(planes, axis=1).reshape(lab.shape).astype(np.float32)


def unlike_backdrop(frame: Frame) -> Mask:
    """Pixels whose colour is not the backdrop's; lightness counts less than half, for shadows are no dice."""
    smooth = cv2.GaussianBlur(frame, (0, 0), 1.5)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate(
        [lab[:20].reshape(-1, 3), lab[-20:].reshape(-1, 3), lab[:, :20].reshape(-1, 3), lab[:, -20:].reshape(-1, 3)]
    )
    spread = np.maximum(np.median(np.abs(rim - np.median(rim, axis=0)), axis=0) * 1.5, [6, 2.5, 2.5])
    off = (lab - backdrop(lab)) / spread * (0.45, 1, 1)
    level = np.clip(np.sqrt((off * off).sum(axis=2)) * 12, 0, 255).astype(np.uint8)
    cut, _ = cv2.threshold(level, 0, 255, cv2.THRESH_OTSU)
    return cleaned(level > max(cut * 0.85, 40), 5)


def on_plain_ground(frame: Frame) -> Points | None:
    """The one thing unlike its backdrop, its edge drawn by GrabCut."""
    rough = unlike_backdrop(frame)
    hull = largest(rough)
    if hull is None:
        return None
    x, y, width, height = cv2.boundingRect(hull)
    pad = int(0.15 * max(width, height))
    guess = np.full(frame.shape[:2], cv2.GC_BGD, np.uint8)
    guess[max(0, y - pad) : y + height + pad, max(0, x - pad) : x + width + pad] = cv2.GC_PR_BGD
    guess[rough > 0] = cv2.GC_PR_FGD
    guess[cv2.erode(rough, np.ones((15, 15), np.uint8)) > 0] = cv2.GC_FGD
    cv2.setRNGSeed(1)
    cv2.grabCut(frame, guess, (0, 0, 0, 0), np.zeros((1, 65)), np.zeros((1, 65)), 3, cv2.GC_INIT_WITH_MASK)
    return largest(cleaned((guess == cv2.GC_FGD) | (guess == cv2.GC_PR_FGD), 7))


BY_SET: dict[str, Callable[[Frame], Points | None]] = {
    "tower-tray": in_tower_tray,
    "leather-tray": in_leather_tray,
    "turntable-all": on_plain_ground,
    "turntable-d20": on_plain_ground,
}
"""How each set's die is found."""
