"""Where the dice fall: the tray's outline in the camera's picture, its scale, and how it looks with nothing in it.

    tray = Tray(corners=((0.1, 0.1), (0.9, 0.1), (0.9, 0.95), (0.1, 0.95)), width_mm=300)
    picture = tray.picture(frame)          # the tray alone, turned as the players see it

What is read, shown and kept on a tape is the tray's picture; places of dice are shares of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from dicevision import settle
from dicevision.image import Flags, Frame, Points
from dicevision.settle import Small

Corner = tuple[float, float]
WHOLE: tuple[Corner, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

MARKER_IDS = (0, 1, 2, 3)
"""ArUco markers of the dictionary 4X4_50 round the tray, clockwise from its far left corner as players see it."""

LEAST_SHARE = 0.02
"""A tray that covers less of the picture is a slip of the hand; dice in it would be too small to read."""


class BadTray(ValueError):
    """Corners that make no tray; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the tray: corners as shares of the tray's picture."""

    name: str
    corners: tuple[Corner, ...]


@dataclass(frozen=True, slots=True)
class Tray:
    """A tray as the camera sees it.

    corners: at least three, as shares of the camera's picture (x, y from 0 to 1, origin top left), in order round it.
    turn: quarter turns clockwise that bring the picture to how the players see it.
    width_mm: the length of the tray's edge from the first corner to the second, where it was measured.
    zones: parts of it, of which the first that holds a die gives it its name.
    """

    corners: tuple[Corner, ...] = WHOLE
    turn: int = 0
    width_mm: float | None = None
    zones: tuple[Zone, ...] = ()

    def __post_init__(self) -> None:
        """BadTray unless the corners lie in the picture and go once round something."""
        if not 3 <= len(self.corners) <= 12:
            raise BadTray(f"A tray has 3 to 12 corners; got {len(self.corners)}.")
        if not all(math.isfinite(x) and math.isfinite(y) and 0 <= x <= 1 and 0 <= y <= 1 for x, y in self.corners):
            raise BadTray("A tray's corners lie in the picture, from 0 to 1 both ways.")
        if self.turn not in (0, 1, 2, 3):
            raise BadTray(f"A picture is turned by 0, 1, 2 or 3 quarters; got {self.turn}.")
        if self.width_mm is not None and not 20 <= self.width_mm <= 3000:
            raise BadTray(f"A tray is 20 to 3000 mm wide; got {self.width_mm:g}.")
        if _crossed(self.corners):
            raise BadTray("The tray's edges cross each other: give its corners in order round it.")
        if abs(cv2.contourArea(np.array(self.corners, np.float32))) < LEAST_SHARE:
            raise BadTray("The tray marked is too small to read dice in; mark all of it, or bring the camera nearer.")

    def picture(self, frame: Frame) -> Frame:
        """The tray's part of a frame, upright for the players."""
        x0, y0, x1, y1 = self._box(frame)
        return np.ascontiguousarray(np.rot90(frame[y0:y1, x0:x1], -self.turn))

    def outline(self, frame: Frame) -> Points:
        """The tray's corners in its own picture, as shares of it."""
        x0, y0, x1, y1 = self._box(frame)
        high, wide = frame.shape[:2]
        at = np.array([((x * wide - x0) / (x1 - x0), (y * high - y0) / (y1 - y0)) for x, y in self.corners], float)
        for _ in range(self.turn):
            at = np.stack([1 - at[:, 1], at[:, 0]], axis=1)
        return np.asarray(at.clip(0, 1), np.float32)

    def px_per_mm(self, frame: Frame) -> float | None:
        """Pixels of the frame to a millimetre, along the tray's first edge; None where that was not measured."""
        if self.width_mm is None:
            return None
        (x0, y0), (x1, y1) = self.corners[:2]
        return math.hypot((x1 - x0) * frame.shape[1], (y1 - y0) * frame.shape[0]) / self.width_mm

    def zone_of(self, at: Corner) -> str | None:
        """The first zone that holds a place of the tray's picture."""
        return next((zone.name for zone in self.zones if holds(zone.corners, at)), None)

    def _box(self, frame: Frame) -> tuple[int, int, int, int]:
        high, wide = frame.shape[:2]
        xs, ys = [x for x, _ in self.corners], [y for _, y in self.corners]
        x0, y0 = math.floor(min(xs) * wide), math.floor(min(ys) * high)
        return x0, y0, max(x0 + 1, math.ceil(max(xs) * wide)), max(y0 + 1, math.ceil(max(ys) * high))


def _crossed(corners: tuple[Corner, ...]) -> bool:
    """Whether two edges that do not meet at a corner cross."""
    edges = list(zip(corners, (*corners[1:], corners[0]), strict=True))
    pairs = ((a, b) for i, a in enumerate(edges) for b in edges[i + 2 :] if not (i == 0 and b is edges[-1]))
    return any(_cross(*a, *b) for a, b in pairs)


def _cross(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Corner, b: Corner, p: Corner) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def holds(corners: tuple[Corner, ...], at: Corner) -> bool:
    """Whether a place lies in a polygon or on its edge."""
    return cv2.pointPolygonTest(np.array(corners, np.float32), (float(at[0]), float(at[1])), False) >= 0


def find_markers(frame: Frame) -> tuple[Corner, ...] | None:
    """The tray's corners where the four printed markers are seen: of each, the corner that points into the tray."""
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    found, ids, _ = detector.detectMarkers(frame)
    if ids is None:
        return None
    squares = {int(number): square.reshape(4, 2) for number, square in zip(ids.ravel(), found, strict=True)}
    if any(number not in squares for number in MARKER_IDS):
        return None
    middle = np.mean([squares[number].mean(axis=0) for number in MARKER_IDS], axis=0)
    inner = [min(squares[number], key=lambda corner: float(np.hypot(*(corner - middle)))) for number in MARKER_IDS]
    high, wide = frame.shape[:2]
    return tuple((float(np.clip(x / wide, 0, 1)), float(np.clip(y / high, 0, 1))) for x, y in inner)


def marker(number: int, side_px: int = 240) -> Frame:
    """A printable marker, black on white with the white edge that it needs to be seen."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    picture = cv2.aruco.generateImageMarker(dictionary, number, side_px)
    edge = side_px // 6
    framed = np.pad(np.asarray(picture, np.uint8), edge, constant_values=255)
    return np.asarray(cv2.cvtColor(framed, cv2.COLOR_GRAY2BGR), np.uint8)


@dataclass(frozen=True, slots=True)
class Empty:
    """How the tray looks with nothing in it. It is compared without what light does to all of it, and learnt anew."""

    cells: Small

    def covered(self, now: Small, noise: Small) -> Flags:
        """Which cells show something that was not there; none where the picture has another shape."""
        if now.shape != self.cells.shape:
            return np.zeros(now.shape[:2], np.bool_)
        return settle.changed(settle.difference(now, self.cells), noise)
