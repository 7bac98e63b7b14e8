"""What the dice lie on: felt, wood, leather, black cloth or card, with the tray's rim and the table round it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays.geometry import Array, View
from training.trays.light import linear
from training.trays.model import Surface, Tray

USUAL: dict[Surface, str] = {
    "felt": "#2f6b45",
    "wood": "#b58a5e",
    "leather": "#5a3423",
    "black": "#1b1b1e",
    "card": "#c9c4b8",
}
"""Each surface's colour where the tray gives none."""
TABLE = "#6f6a64"
CELL_MM = 1.6
"""Across one pebble of the leather."""
SHEET_MM = 440.0
"""The side of the square that is painted; past it the paint is mirrored."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the rays meet where there is no die. at (H, W, 3) mm, paint (H, W, 3) light, up (H, W): 1 floor, 0 wall."""

    at: Array
    paint: Array
    up: Array


def lay(tray: Tray, view: View, ways: Array, rng: np.random.Generator) -> Ground:
    """Return what each ray (H, W, 3) meets: floor, wall, rim or table."""
    at = down_to(view.eye, ways, 0.0)
    px_per_mm = min(4.0, 1.3 * ways.shape[1] / view.camera.view_mm)
    paint = sample(sheet(tray.surface, tray.colour or USUAL[tray.surface], px_per_mm, rng), at, px_per_mm)
    up = np.ones(at.shape[:2], np.float32)
    if tray.wall_mm > 0:
        add_rim(tray, view, ways, at, paint, up, sheet("wood", tray.rim, px_per_mm, rng), px_per_mm)
    return Ground(at, paint, up)


def down_to(eye: Array, ways: Array, z_mm: float) -> Array:
    """Return where rays come down to a height."""
    return np.asarray(eye + ways * ((z_mm - eye[2]) / np.minimum(ways[..., 2:], -0.02)), np.float32)


def add_rim(
    tray: Tray, view: View, ways: Array, at: Array, paint: Array, up: Array, rim: Array, px_per_mm: float
) -> None:
    """Draw the tray's wall, its rim and the table beyond over the floor."""
    high = down_to(view.eye, ways, tray.wall_mm)
    in_high, in_floor = within(high, tray, 0), within(at, tray, 0)
    on_rim = within(high, tray, tray.rim_mm) & ~in_high
    wall = in_high & ~in_floor
    table = ~in_high & ~on_rim
    paint[on_rim] = sample(rim, high, px_per_mm)[on_rim]
    at[on_rim] = high[on_rim]
    paint[wall] = sample(rim, at, px_per_mm)[wall] * 0.8
    up[wall] = 0
    paint[table] = linear(TABLE)


def within(at: Array, tray: Tray, more_mm: float) -> NDArray[np.bool_]:
    """Return which points are over the tray's floor, or within `more_mm` of it."""
    half = np.array([tray.width_mm / 2 + more_mm, tray.depth_mm / 2 + more_mm])
    return np.asarray((np.abs(at[..., :2]) < half).all(-1))


def sample(sheet: Array, at: Array, px_per_mm: float) -> Array:
    """Return a sheet's paint under points."""
    x, y = ((at[..., k] + SHEET_MM / 2) * px_per_mm for k in (0, 1))
    return np.asarray(cv2.remap(sheet, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.float32)


def sheet(surface: Surface, colour: str, px_per_mm: float, rng: np.random.Generator) -> Array:
    """Paint a square sheet of a surface: (S, S, 3) light."""
    side = int(SHEET_MM * px_per_mm)
    tone = {"felt": felt, "wood": wood, "leather": leather, "black": felt, "card": card}[surface](side, px_per_mm, rng)
    return np.asarray(np.clip(tone[..., None] * linear(colour), 0.002, 1), np.float32)


def grain(side: int, px_per_mm: float, step_mm: tuple[float, float], rng: np.random.Generator) -> Array:
    """Return smooth noise, mean 0 and deviation 1, whose lumps are `step_mm` wide and high."""
    cells = [max(4, int(side / px_per_mm / step)) for step in step_mm]
    small = rng.standard_normal((min(cells[1], side), min(cells[0], side))).astype(np.float32)
    wide = cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)
    return np.asarray((wide - wide.mean()) / wide.std(), np.float32)


def felt(side: int, px_per_mm: float, rng: np.random.Generator) -> Array:
    """Fibres this way and that over slow blotches."""
    fibres = grain(side, px_per_mm, (1.6, 0.35), rng) + grain(side, px_per_mm, (0.35, 1.6), rng)
    blotches, fluff = grain(side, px_per_mm, (30, 30), rng), grain(side, px_per_mm, (0.3, 0.3), rng)
    return np.asarray(1 + 0.07 * fibres + 0.06 * blotches + 0.05 * fluff, np.float32)


def wood(side: int, px_per_mm: float, rng: np.random.Generator) -> Array:
    """Growth rings cut lengthways: bands that wander, with fine pores along them."""
    across = np.linspace(0, side / px_per_mm, side, dtype=np.float32)[:, None]
    wander = 9 * grain(side, px_per_mm, (160, 45), rng) + 0.8 * grain(side, px_per_mm, (60, 4), rng)
    rings = np.sin((across + wander) * 0.62)
    pores = grain(side, px_per_mm, (9, 0.4), rng)
    return np.asarray(1 + 0.1 * rings + 0.05 * pores + 0.06 * grain(side, px_per_mm, (200, 12), rng), np.float32)


def leather(side: int, px_per_mm: float, rng: np.random.Generator) -> Array:
    """Pebbles about CELL_MM across with dark creases between them, worn patches."""
    pebbles = np.ones((side, side), np.uint8)
    count = int((side / px_per_mm / CELL_MM) ** 2)
    pebbles[rng.integers(0, side, count), rng.integers(0, side, count)] = 0
    out_mm = np.asarray(cv2.distanceTransform(pebbles, cv2.DIST_L2, 5), np.float32) / px_per_mm
    worn = grain(side, px_per_mm, (50, 50), rng)
    return np.asarray(1.08 - 0.4 * np.minimum(out_mm / CELL_MM, 0.8) ** 2 + 0.1 * worn, np.float32)


def card(side: int, px_per_mm: float, rng: np.random.Generator) -> Array:
    """Almost nothing: a little tooth."""
    return 1.0 + 0.015 * grain(side, px_per_mm, (0.4, 0.4), rng) + 0.02 * grain(side, px_per_mm, (80, 80), rng)
