"""Motion over, or not: a camera's small pictures in, its state out. Pure: no clock, no reading of dice.

    settle = Settle()
    now = settle.see(small(picture), at_s)      # for each frame, in order

Pictures are compared as logarithms of light, less what a lamp, a cloud, the camera's exposure or mains flicker does to
all of them: a smooth field and a shift a row. What is left is compared with what that camera's own noise leaves there,
cell by cell, learnt from frame to frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.image import Flags, Floats, Frame

Small = NDArray[np.float32]
"""A small picture: (h, WIDE, 3) float32, the logarithm of light plus DARK, 0 to 255."""

WIDE = 160
"""Cells along a picture. A die of 1/30 of its width is still five cells wide, and each cell is the mean of some 64
pixels of a 1280-pixel frame: that takes seven eighths of the noise away."""

DARK = 16.0
"""Grey levels added before the logarithm, so that what is black counts for little: a webcam's noise there is some
3 levels of 255."""

STILL_S = 0.3
"""No motion for so long is rest. A die that stands on its edge before it falls moves by more than noise within it."""

STILL_FRAMES = 4
"""The fewest frames that rest is told by, however slow the camera is."""

TIMES_NOISE = 6.0
"""A cell has changed where it differs by so many of its mean differences at rest: 4.8 deviations of normal noise."""

LEAST_CHANGE = 0.03
"""The least difference of logarithms that is a change: 3 %, below the contrast of any die that can be read."""

FIRST_NOISE, CALM = 0.01, 0.06
"""Noise before any is measured; and how fast it is learnt, as the share of each new frame."""


class Motion(StrEnum):
    """What a camera's picture does."""

    MOTION = "motion"
    STILL = "still"


@dataclass(frozen=True, slots=True)
class Now:
    """What one frame told. `still_s`: for how long nothing has moved. `settled`: rest, as above."""

    motion: Motion
    still_s: float
    settled: bool
    noise: float


class Settle:
    """Tells rest from motion for one camera. Feed it every frame, or as many as there is time for."""

    def __init__(self) -> None:
        self._anchor: Small | None = None
        self._anchor_s = 0.0
        self._frames = 0
        self._last: Small | None = None
        self._noise: Small | None = None
        self._learnt = 0

    @property
    def noise(self) -> Small:
        """Each cell's mean difference from frame to frame at rest; (h, WIDE)."""
        assert self._noise is not None, "noise is known once a frame was seen"
        return self._noise

    def see(self, picture: Small, at_s: float, inside: Flags | None = None) -> Now:
        """Take the next frame; `inside`, (h, WIDE), are the cells that count."""
        if self._last is None or picture.shape != self._last.shape:
            self._begin(picture)
        assert self._last is not None
        assert self._anchor is not None
        step = difference(picture, self._last)
        cells = changed(step, self.noise) | changed(difference(picture, self._anchor), self.noise)
        moved = bool(cells.any() if inside is None else (cells & inside).any())
        self._learn(step)
        if moved or self._frames == 0:
            self._anchor, self._anchor_s, self._frames = picture, at_s, 0
        self._frames += 1
        self._last = picture
        still_s = at_s - self._anchor_s
        settled = still_s >= STILL_S and self._frames >= STILL_FRAMES
        return Now(Motion.MOTION if moved else Motion.STILL, still_s, settled, float(np.median(self.noise)))

    def restart(self) -> None:
        """Forget what was known of motion: the camera was away. Its noise is kept."""
        self._last = None

    def _begin(self, picture: Small) -> None:
        self._last = self._anchor = picture
        self._frames = 0
        if self._noise is None or self._noise.shape != picture.shape[:2]:
            self._noise, self._learnt = np.full(picture.shape[:2], FIRST_NOISE, np.float32), 0

    def _learn(self, step: Small) -> None:
        """Learn the noise, fast at first; a cell that moves teaches at most three times what it knows."""
        at_most = np.minimum(step, 3 * self.noise)
        share = max(CALM, 1 / (1 + self._learnt)) if self._learnt else 0.0  # the first frame differs from nothing
        self._noise = np.asarray(self.noise + share * (at_most - self.noise), np.float32)
        self._learnt += 1


def small(picture: Frame) -> Small:
    """A frame as it is compared: cells of light, as logarithms."""
    high = max(8, round(picture.shape[0] * WIDE / picture.shape[1]))
    cells = cv2.resize(picture, (WIDE, high), interpolation=cv2.INTER_AREA)
    return np.asarray(np.log(cells.astype(np.float32) + DARK), np.float32)


def difference(one: Small, other: Small) -> Small:
    """How far two small pictures differ, cell by cell, (h, WIDE): the largest of the three channels.

    Light that came on everything is taken out first: a smooth field (second order in x and y), then a shift a row,
    as mains light gives to a rolling shutter.
    """
    apart = one - other
    apart -= smooth(apart)
    apart -= np.median(apart[:, ::4], axis=1, keepdims=True)
    blue, green, red = cv2.split(np.abs(apart))  # numpy's maximum over the last axis takes twenty times as long
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def smooth(apart: Small) -> Small:
    """The smooth field that explains most of a difference: fitted twice, the second time to what the first fits."""
    high, wide = apart.shape[:2]
    terms, coarse = _grid(high, wide)
    points = apart[2::8, 2::8].reshape(-1, 3)
    fit = _fitted(terms, points, np.median(points, axis=0))
    fit = _fitted(terms, points, terms @ fit)
    field = (coarse @ fit).reshape(15, 20, 3).astype(np.float32)
    return np.asarray(cv2.resize(field, (wide, high)), np.float32)


@lru_cache(maxsize=4)
def _grid(high: int, wide: int) -> tuple[Floats, Floats]:
    """The terms at every eighth cell, and at the 20 by 15 places from which the field is drawn."""
    rows, columns = np.mgrid[2:high:8, 2:wide:8]
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 20), np.linspace(-0.5, 0.5, 15))
    return _terms(columns.ravel() / wide - 0.5, rows.ravel() / high - 0.5), _terms(x.ravel(), y.ravel())


def _fitted(terms: Floats, points: Small, guess: Floats) -> Floats:
    """Fit to the seven tenths of the points that a guess explains best."""
    off = np.abs(points - guess).max(axis=1)
    near = off <= np.partition(off, int(0.7 * (len(off) - 1)))[int(0.7 * (len(off) - 1))]
    return np.asarray(np.linalg.solve(terms[near].T @ terms[near] + np.eye(6) * 1e-6, terms[near].T @ points[near]))


def _terms(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def changed(differs: Small, noise: Small) -> Flags:
    """Which cells differ by more than noise, in patches of at least two by two; (h, WIDE)."""
    over = differs > np.maximum(TIMES_NOISE * noise, LEAST_CHANGE)
    patches = cv2.morphologyEx(over.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return np.asarray(patches, np.bool_)
