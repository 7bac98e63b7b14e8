"""A die with signs of its own, as a camera over a tray sees it: one render, a sign drawn on its top, turned and moved.

All of it is our own rendering; no photograph is in it.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from tests.support.clips import Frame

from training.trays import Camera, DiePose, Light, Sensor, Tray, render_tray
from training.trays.geometry import look, place, top_face

SIZE = (480, 360)
CAMERA = Camera(width_px=SIZE[0], height_px=SIZE[1], view_mm=110, distance_mm=450)
"""A die of 16 mm is 80 pixels wide."""
BLUE = "#234f9a"
BLANK = DiePose(0, 0, value=1, yaw_deg=0, body=BLUE, pips=BLUE)
SIGNS = "KOSZA&"
"""What faces 1 to 6 show: letters and an ampersand, which no reader of numerals takes for a number."""


@cache
def _tray(*dice: DiePose) -> Frame:
    tray = Tray("felt", width_mm=600, depth_mm=450, wall_mm=0)
    sensor = Sensor(noise=0.0, jpeg=0)
    return render_tray(dice, tray=tray, camera=CAMERA, lamp=Light(), webcam=sensor, seed=3)[0]


def empty() -> Frame:
    """The tray with nothing in it."""
    return _tray()


def rune(sign: str, turn_deg: float = 0.0, at: tuple[float, float] = (240, 180)) -> Frame:
    """The die with a sign on top, turned and with its middle at a place of the picture."""
    die = _signed(sign)
    to = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), turn_deg, 1.0)
    to[0, 2] += at[0] - SIZE[0] / 2
    to[1, 2] += at[1] - SIZE[1] / 2
    moved = cv2.warpAffine(die, to, SIZE, flags=cv2.INTER_LINEAR)
    near = cv2.warpAffine(_near(), to, SIZE, flags=cv2.INTER_LINEAR)[..., None]
    return np.asarray(moved * near + empty() * (1.0 - near), np.uint8)


def face(value: int, turn_deg: float = 0.0, at: tuple[float, float] = (240, 180)) -> Frame:
    """The die with that face up."""
    return rune(SIGNS[value - 1], turn_deg, at)


def png(picture: Frame) -> bytes:
    """A picture as a file's bytes."""
    done, data = cv2.imencode(".png", picture)
    assert done
    return data.tobytes()


@cache
def _near() -> Frame:
    """The die's surroundings that go with it, 1 inside and fading out to 0."""
    disc = np.zeros((SIZE[1], SIZE[0]), np.float32)
    cv2.circle(disc, (SIZE[0] // 2, SIZE[1] // 2), 74, 1.0, -1)
    return np.asarray(cv2.GaussianBlur(disc, (31, 31), 8))


@cache
def _signed(sign: str) -> Frame:
    square = np.zeros((200, 200), np.uint8)
    (wide, high), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_DUPLEX, 5, 14)
    start = (100 - wide // 2, 100 + high // 2)
    cv2.putText(square, sign, start, cv2.FONT_HERSHEY_DUPLEX, 5, 255, 14, cv2.LINE_AA)
    corners = np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32)
    onto = cv2.getPerspectiveTransform(corners, np.asarray(top_face(look(CAMERA), place(BLANK)), np.float32))
    ink = cv2.warpPerspective(square, onto, SIZE, flags=cv2.INTER_AREA)[..., None] / 255
    return np.asarray(_tray(BLANK) * (1 - ink) + np.array([235, 240, 245]) * ink, np.uint8)
