"""Dice drawn for the tests by nothing but affine maps and polygons, apart from every renderer and from the reader."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
Colour = tuple[int, int, int]
PLACES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
SIDES = {1: (2, 3), 2: (1, 3), 3: (1, 2), 4: (1, 2), 5: (1, 3), 6: (2, 3)}
"""Two faces that stand beside each."""


@dataclass(frozen=True)
class Die:
    """A die to draw: `at` its top's middle and `edge` in pixels, `turn` and `tilt` (of the camera) in degrees.

    `pitch` and `pip` are the pips' distance from the middle row and their radius, in half edges.
    """

    value: int
    at: tuple[float, float] = (80, 80)
    edge: float = 60
    turn: float = 20
    tilt: float = 0
    body: Colour = (235, 240, 240)
    ink: Colour = (25, 25, 25)
    pitch: float = 0.5
    pip: float = 0.19
    lost: int = 0


class Drawing:
    """A tray to draw dice on, four times finer than the frame it gives."""

    FINE = 4

    def __init__(self, width: int = 160, height: int = 160, ground: Colour = (70, 110, 60)) -> None:
        self.canvas = np.full((height * self.FINE, width * self.FINE, 3), ground, np.uint8)

    def fill(self, points: NDArray[np.float64], colour: Colour) -> None:
        """Fill a polygon; pixel centres are whole numbers, as the reader has it."""
        fine = np.round(((points + 0.5) * self.FINE - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(self.canvas, [fine], colour, cv2.LINE_AA, 4)

    def face(self, at: NDArray[np.float64], axes: NDArray[np.float64], die: Die, value: int, light: float) -> None:
        """Draw one face: `axes` (2, 2) takes the square -1 to 1 to pixels."""
        shade = tuple(round(c * light) for c in die.body)
        self.fill(at + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ axes.T, (shade[0], shade[1], shade[2]))
        ring = np.linspace(0, 2 * math.pi, 48, endpoint=False)
        for place in PLACES[value][die.lost :]:
            spot = np.array(place) * die.pitch + die.pip * np.stack([np.cos(ring), np.sin(ring)], axis=1)
            ink = tuple(round(c * light) for c in die.ink)
            self.fill(at + spot @ axes.T, (ink[0], ink[1], ink[2]))

    def die(self, die: Die) -> Drawing:
        """Draw a die and the sides that a camera tilted by `die.tilt` sees below its top."""
        half, turn, tilt = die.edge / 2, math.radians(die.turn), math.radians(die.tilt)
        squash = np.diag([1, math.cos(tilt)])
        u = squash @ np.array([math.cos(turn), math.sin(turn)]) * half
        v = squash @ np.array([-math.sin(turn), math.cos(turn)]) * half
        down = np.array([0, math.sin(tilt)]) * half
        top = np.array(die.at, float)
        if die.tilt:
            for axis, other, value, light in ((u, v, SIDES[die.value][0], 0.85), (v, u, SIDES[die.value][1], 0.7)):
                way = axis if axis[1] > 0 else -axis
                self.face(top + way + down, np.stack([other, down], axis=1), replace(die, lost=0), value, light)
        self.face(top, np.stack([u, v], axis=1), die, die.value, 1.0)
        return self

    def spot(self, at: tuple[float, float], radius: float, colour: Colour) -> Drawing:
        """Draw a disc: a highlight, a crumb."""
        ring = np.linspace(0, 2 * math.pi, 48, endpoint=False)
        self.fill(np.array(at) + radius * np.stack([np.cos(ring), np.sin(ring)], axis=1), colour)
        return self

    def frame(self, blur: float = 0.6, noise: float = 0.0, seed: int = 1) -> Frame:
        """Return the picture a camera would give."""
        height, width = (side // self.FINE for side in self.canvas.shape[:2])
        small = cv2.resize(self.canvas, (width, height), interpolation=cv2.INTER_AREA)
        soft = cv2.GaussianBlur(small, (0, 0), blur) if blur else small
        grain = np.random.default_rng(seed).normal(0, noise, soft.shape)
        return np.asarray(np.clip(soft + grain, 0, 255), np.uint8)


@pytest.fixture
def drawing() -> type[Drawing]:
    return Drawing


@pytest.fixture
def a_die() -> type[Die]:
    return Die
