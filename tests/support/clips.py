"""Clips of a tray for the tests, rendered: a few true renders, and between them noise, light, blur and hands.

    clip = Clip()
    clip.rest(scene(), 0.5)
    clip.fly(scene(DiePose(...)), 0.4)      # dice tumble: their places smear until they lie
    for frame, at_s in clip: ...

All of it is our own rendering; no photograph is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays import Camera, DiePose, Light, Sensor, Tray, render_tray

Frame = NDArray[np.uint8]
SIZE = (320, 240)
CAMERA = Camera(width_px=SIZE[0], height_px=SIZE[1], view_mm=150, distance_mm=450)
"""A die of 16 mm is 34 pixels wide."""
CLEAN = Sensor(noise=0.0, jpeg=0)
ABOVE = Light()
"""Where the lamp stands unless a test moves it."""
RATE = 15.0


@cache
def scene(*dice: DiePose, lamp: Light = ABOVE, surface: str = "felt") -> Frame:
    """A tray with these dice, without noise. Rendered once a test run."""
    tray = Tray(surface, width_mm=600, depth_mm=450, wall_mm=0)  # type: ignore[arg-type] # a surface's name
    return render_tray(dice, tray=tray, camera=CAMERA, lamp=lamp, webcam=CLEAN, seed=3)[0]


@cache
def grains(seed: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Noise of deviation 1. Drawn once: each frame has it from another place, which is ten times as fast as drawing."""
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


@dataclass
class Clip:
    """Frames in the order they come, each with its own noise."""

    noise: float = 2.5
    rate: float = RATE
    seed: int = 1
    frames: list[tuple[Frame, float]] = field(default_factory=list)
    at_s: float = 0.0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._last: Frame = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)

    def __iter__(self) -> Iterator[tuple[Frame, float]]:
        return iter(self.frames)

    def put(self, picture: NDArray[Any]) -> None:
        shift = tuple(int(n) for n in self._rng.integers(0, 1 << 16, 2))
        grain = np.roll(grains(self.seed, picture.shape), shift, axis=(0, 1))
        noisy = np.clip(picture + np.float32(self.noise) * grain, 0, 255)
        self.frames.append((noisy.astype(np.uint8), self.at_s))
        self.at_s += 1 / self.rate

    def _count(self, seconds: float) -> int:
        return max(1, round(seconds * self.rate))

    def rest(self, picture: Frame, seconds: float = 0.7) -> Clip:
        """Nothing moves."""
        for _ in range(self._count(seconds)):
            self.put(picture)
        self._last = picture
        return self

    def fly(self, to: Frame, seconds: float = 0.4) -> Clip:
        """Dice come in: blurred blobs run over the tray to where `to` differs from what was there."""
        places = np.abs(to.astype(int) - self._last).max(axis=2) > 25
        ys, xs = np.nonzero(places)
        middle = (int(xs.mean()), int(ys.mean())) if len(xs) else (160, 120)
        count = self._count(seconds)
        for k in range(count):
            picture = self._last.copy()
            share = (k + 1) / count
            at = (int(20 + (middle[0] - 20) * share), int(20 + (middle[1] - 20) * share))
            cv2.ellipse(picture, at, (16, 11), k * 40.0, 0, 360, (200, 205, 210), -1, cv2.LINE_AA)
            self.put(cv2.GaussianBlur(picture, (9, 9), 3))
        self._last = to
        return self

    def rock(self, one: Frame, other: Frame, times: int = 4, every_s: float = 0.1) -> Clip:
        """A die rocks from one pose to the other and back, and comes to rest in `one`."""
        for k in range(times):
            self.rest(other if k % 2 == 0 else one, every_s)
        return self.rest(one, every_s)

    def light(self, to: float, seconds: float = 0.5) -> Clip:
        """The light grows or fades by a factor, over the whole tray, and stays so for the next frames given."""
        base = self._last.astype(np.float32)
        count = self._count(seconds)
        for k in range(count):
            self.put(base * (1 + (to - 1) * (k + 1) / count))
        self._last = np.clip(base * to, 0, 255).astype(np.uint8)
        return self

    def hand(self, seconds: float = 0.6, still_s: float = 0.0, after: Frame | None = None) -> Clip:
        """A hand and sleeve come in from the right, rest, and go; `after` is the tray that they leave."""
        base, count = self._last, self._count(seconds / 2)
        reach = [int(170 * (k + 1) / count) for k in range(count)]
        pause = [reach[-1]] * (self._count(still_s) if still_s else 0)
        for far in reach + pause:
            self.put(with_hand(base, far))
        base = base if after is None else after
        for far in reversed(reach):
            self.put(with_hand(base, far))
        self._last = base
        return self


def with_hand(picture: Frame, far: int) -> Frame:
    """A drawn hand that reaches so many pixels in from the right edge."""
    made = picture.copy()
    left = SIZE[0] - far
    cv2.rectangle(made, (left + 60, 70), (SIZE[0], 150), (120, 60, 40), -1)
    cv2.ellipse(made, (left + 45, 110), (45, 38), 0, 0, 360, (140, 165, 215), -1, cv2.LINE_AA)
    for k in range(4):
        cv2.line(made, (left + 30, 90 + k * 14), (left - 5, 84 + k * 17), (150, 172, 220), 9, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(made, (5, 5), 1), np.uint8)
