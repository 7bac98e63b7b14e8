"""The tray's floor as textures: felt, leather, wood, black cloth, card, and a printed map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from training import scene
from training.trays import ground
from training.trays.light import linear
from training.trays.model import Surface

Texture = NDArray[np.float32]
Floor = Literal["felt", "wood", "leather", "black", "card", "map"]
Kind = Floor | Literal["drawn"]
"""Those, and the grounds of the dice that are drawn to train with (`training.scene`): the judge never has them."""

SIDE_MM = ground.SHEET_MM
"""The side of the square that a texture covers."""
PX_PER_MM = 3.5

RELIEF_MM: dict[Floor, float] = {"felt": 0.5, "black": 0.4, "leather": 0.35, "wood": 0.05, "card": 0.03, "map": 0.0}
"""How far the light parts of each floor stand out over the dark ones."""
ROUGH: dict[Floor, tuple[float, float]] = {
    "felt": (0.9, 1.0),
    "black": (0.85, 1.0),
    "leather": (0.35, 0.6),
    "wood": (0.25, 0.6),
    "card": (0.6, 0.9),
    "map": (0.2, 0.7),
}
"""Roughness of each floor, from polished to worn; a map may be laminated."""

COLOURS: dict[Floor, tuple[str, ...]] = {
    "felt": ("#2f6b45", "#7a1f2b", "#24406e", "#1f5f68", "#4a3560", "#6b6f74", "#8a6a3c"),
    "black": ("#1b1b1e", "#232428"),
    "leather": ("#5a3423", "#2c2320", "#7a4a2a", "#3b2d4a", "#6e6157"),
    "wood": ("#b58a5e", "#8a5a36", "#5b3a24", "#caa577"),
    "card": ("#c9c4b8", "#e4e1da", "#9aa3a8"),
    "map": ("#c8b48a", "#9fae84", "#b9c1b0", "#d6cdb4"),
}

LAND = ("#6f8f5a", "#87a5b8", "#a58f63", "#5f7a4a", "#b7a77c")
LINES = ("#3a2f24", "#20303a", "#5a1f1a")


@dataclass(frozen=True, slots=True)
class Ground:
    """colour: (S, S, 3) linear light, red green blue. height: (S, S) mm. roughness: of all of it."""

    colour: Texture
    height: Texture
    roughness: float


def some_floor(rng: np.random.Generator) -> tuple[Floor, str]:
    """A floor and its colour."""
    floor: Floor = rng.choice(np.array(get_args(Floor)))
    return floor, str(rng.choice(COLOURS[floor]))


def lay(floor: Kind, colour: str, rng: np.random.Generator) -> Ground:
    """Paint a floor; a drawn one has colours of its own."""
    if floor == "drawn":
        return drawn(rng)
    if floor == "map":
        sheet = printed(colour, rng)
    else:
        surface: Surface = floor
        sheet = ground.sheet(surface, colour, PX_PER_MM, rng)
    light = sheet.mean(axis=2)
    height = RELIEF_MM[floor] * np.clip(light / max(float(light.mean()), 1e-4) - 1, -0.6, 0.6)
    return Ground(np.ascontiguousarray(sheet[..., ::-1]), np.asarray(height, np.float32), rng.uniform(*ROUGH[floor]))


def drawn(rng: np.random.Generator) -> Ground:
    """The ground of a drawn die, its light parts standing out a little."""
    shown = scene.background(rng, int(SIDE_MM * PX_PER_MM))
    sheet = np.clip(shown, 0.01, 0.97) ** 2.2
    high = rng.uniform(0, 0.4) * np.clip(sheet.mean(axis=2) - sheet.mean(), -0.6, 0.6)
    return Ground(
        np.ascontiguousarray(sheet[..., ::-1], np.float32), np.asarray(high, np.float32), float(rng.uniform(0.2, 1))
    )


def printed(colour: str, rng: np.random.Generator) -> Texture:
    """A battle map: land and water, a grid of squares or hexes, roads, names and numbers."""
    side = int(SIDE_MM * PX_PER_MM)
    sheet = np.full((side, side, 3), _shown(colour), np.uint8)
    for _ in range(int(rng.integers(3, 9))):
        cv2.fillPoly(sheet, [_blob(rng, side)], _shown(str(rng.choice(LAND))), cv2.LINE_AA)
    ink, cell = _shown(str(rng.choice(LINES))), rng.uniform(18, 34) * PX_PER_MM
    _grid(sheet, ink, cell, hexes=rng.random() < 0.6)
    for _ in range(int(rng.integers(1, 4))):
        road = np.cumsum(rng.normal(0, side / 14, (12, 2)), axis=0) + rng.uniform(0, side, 2)
        cv2.polylines(sheet, [road.astype(np.int32)], False, ink, int(rng.integers(3, 14)), cv2.LINE_AA)
    for _ in range(int(rng.integers(4, 12))):
        text = str(rng.choice(["HILL 204", "R. ASH", "17", "FORD", "0412", "MILL", "EAST WOOD", "9"]))
        x, y = (int(at) for at in rng.uniform(0, side, 2))
        cv2.putText(sheet, text, (x, y), cv2.FONT_HERSHEY_COMPLEX, rng.uniform(0.6, 1.6), ink, 2, cv2.LINE_AA)
    light = (sheet.astype(np.float32) / 255) ** 2.2
    tone = 1 + 0.03 * ground.grain(side, PX_PER_MM, (40, 40), rng)
    return np.asarray(np.clip(light * tone[..., None], 0.002, 1), np.float32)


def _shown(colour: str) -> tuple[float, float, float]:
    """Blue, green, red, 0 to 255, as it looks."""
    blue, green, red = (float(part) for part in linear(colour) ** (1 / 2.2) * 255)
    return blue, green, red


def _blob(rng: np.random.Generator, side: int) -> NDArray[np.int32]:
    """A smooth closed outline."""
    turns = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    waves = [rng.normal(0, 0.35 / k) * np.cos(k * turns + rng.uniform(0, 6)) for k in range(1, 6)]
    reach = rng.uniform(0.06, 0.25) * side * (1 + np.sum(waves, axis=0))
    return np.asarray(np.stack([np.cos(turns), np.sin(turns)], 1) * reach[:, None] + rng.uniform(0, side, 2), np.int32)


def _grid(sheet: NDArray[np.uint8], ink: tuple[float, float, float], cell: float, hexes: bool) -> None:
    """Draw squares or hexes of that size."""
    side = sheet.shape[0]
    if not hexes:
        for k in range(int(side / cell) + 1):
            at = int(k * cell)
            cv2.line(sheet, (at, 0), (at, side), ink, 2, cv2.LINE_AA)
            cv2.line(sheet, (0, at), (side, at), ink, 2, cv2.LINE_AA)
        return
    turns = np.arange(6) * np.pi / 3
    ring = np.stack([np.cos(turns), np.sin(turns)], 1) * cell / np.sqrt(3)
    for row in range(int(side / cell) + 2):
        for column in range(int(side / cell * 1.16) + 2):
            middle = np.array([column * cell * np.sqrt(3) / 2, (row + 0.5 * (column % 2)) * cell])
            cv2.polylines(sheet, [(ring + middle).astype(np.int32)], True, ink, 2, cv2.LINE_AA)
