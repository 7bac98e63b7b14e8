"""What the finder's net shall say of a picture, by the outlines of its dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.seek import CELL_PX, Box

LEAST_SEEN = 0.4
"""Share of a die in view below which it teaches nothing: neither a die nor none."""

AGREE_AT = 0.5
"""Share of all that two boxes cover that both have in common, from which they are round one die."""

INNER = 0.2
"""Cells nearer to a die's centre than this share of its box name its sides."""


@dataclass(frozen=True, slots=True)
class Target:
    """For each cell (h, w) what is to be said.

    centre: 0 to 1. die: 0 or 1. counts: whether the centre is asked about. ways: (4, h, w), logs of cells. weight: how
    much the ways count, 1 a die in all.
    """

    centre: NDArray[np.float32]
    die: NDArray[np.float32]
    counts: NDArray[np.float32]
    ways: NDArray[np.float32]
    weight: NDArray[np.float32]


def box_of(outline: NDArray[np.floating]) -> Box:
    """The box of an outline (N, 2), pixels."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


def same(a: Box, b: Box, least: float = AGREE_AT) -> bool:
    """Whether two boxes' common part is `least` of all that they cover."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(0.0, wide) * max(0.0, high)
    return both >= least * (a[2] * a[3] + b[2] * b[3] - both)


def target(dice: Sequence[tuple[NDArray[np.float32], float]], size: tuple[int, int]) -> Target:
    """For a picture of `size` (width, height) with dice (outline, share in view of the picture it was taken from)."""
    width, height = size
    shape = (height // CELL_PX, width // CELL_PX)
    zero = np.zeros(shape, np.float32)
    made = Target(zero, zero.copy(), np.ones(shape, np.float32), np.zeros((4, *shape), np.float32), zero.copy())
    for outline, seen in dice:
        add(made, outline, seen, size)
    return made


def add(made: Target, outline: NDArray[np.float32], seen: float, size: tuple[int, int]) -> None:
    """Draw one die into the target, over those before it."""
    low = np.maximum(outline.min(axis=0), -0.5)
    high = np.minimum(outline.max(axis=0), np.array(size) - 0.5)
    if (high - low < 1).any():
        return
    cells = (outline + 0.5) / CELL_PX - 0.5
    cv2.fillPoly(made.die, [np.rint(cells * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    whole = np.ptp(outline, axis=0)
    within = float(np.prod(high - low) / np.prod(whole)) * seen
    low, high = (low + 0.5) / CELL_PX, (high + 0.5) / CELL_PX  # now in cells; a cell k spans k to k + 1
    if within < LEAST_SEEN:
        a, b = np.floor(low).astype(int), np.ceil(high).astype(int)
        made.counts[a[1] : b[1], a[0] : b[0]] = 0
        return
    middle, wide = (low + high) / 2, high - low
    x, y = np.meshgrid(np.arange(made.die.shape[1]) + 0.5, np.arange(made.die.shape[0]) + 0.5)
    spread = max(0.7, 0.1 * float(np.sqrt(np.prod(wide))))
    bump = np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * spread**2)).astype(np.float32)
    np.maximum(made.centre, bump, out=made.centre)
    column, row = (int(np.clip(c, 0, n - 1)) for c, n in zip(middle, made.die.shape[::-1], strict=True))
    made.centre[row, column] = 1.0
    made.counts[row, column] = 1.0
    inner = (np.abs(x - middle[0]) < max(0.75, INNER * wide[0])) & (np.abs(y - middle[1]) < max(0.75, INNER * wide[1]))
    ways = np.stack([x - low[0], y - low[1], high[0] - x, high[1] - y])
    inner &= (ways > 0.15).all(axis=0)
    made.ways[:, inner] = np.log(ways[:, inner])
    made.weight[inner] = 1 / max(int(inner.sum()), 1)
