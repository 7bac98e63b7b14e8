"""What a die is made of: its body's colours (plain, marbled, speckled, clear), its ink, and how light falls on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[Any]
"""(height, width, 3) float32, 0 to 1, blue green red; or (height, width) for a mask."""


@dataclass(frozen=True, slots=True)
class Material:
    """What one die is made of.

    body: three colours, the main one first; pattern: "plain", "marble", "vein" or "speckle"; clear: 0 opaque to 1
    glass; gloss: 0 matt to 1 lacquer; engrave: depth of the numerals' relief; ink, ink_cover: the paint, how much is
    left.
    """

    body: tuple[tuple[float, float, float], ...]
    pattern: str
    clear: float
    gloss: float
    engrave: float
    ink: tuple[float, float, float]
    ink_cover: float


def _colour(rng: np.random.Generator) -> tuple[float, float, float]:
    kind = rng.random()
    if kind < 0.22:
        grey = float(rng.choice([rng.uniform(0, 0.15), rng.uniform(0.85, 1.0), rng.uniform(0.15, 0.85)]))
        return (grey, grey, grey)
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.3, 1.0), rng.uniform(0.15, 1.0)]]], np.float32)
    b, g, r = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
    return (float(b), float(g), float(r))


def luminance(colour: tuple[float, float, float]) -> float:
    """Rec. 601 luma of a BGR colour, 0 to 1."""
    return 0.114 * colour[0] + 0.587 * colour[1] + 0.299 * colour[2]


def _distance(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """How far apart two colours look: mostly in lightness, some in hue."""
    return abs(luminance(a) - luminance(b)) + 0.35 * float(np.abs(np.subtract(a, b)).max())


def ink(rng: np.random.Generator, body: tuple[float, float, float]) -> tuple[float, float, float]:
    """An ink that can be told from the body: mostly well, one in five with little contrast."""
    needed = rng.uniform(0.18, 0.35) if rng.random() < 0.22 else rng.uniform(0.35, 0.8)
    gold = (0.25, 0.65, 0.85)
    options = [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0), gold, (0.85, 0.85, 0.85), *(_colour(rng) for _ in range(4))]
    far = [c for c in options if _distance(c, body) > needed]
    if not far:
        return (1.0, 1.0, 1.0) if luminance(body) < 0.5 else (0.0, 0.0, 0.0)
    return far[int(rng.integers(len(far)))]


def draw(rng: np.random.Generator) -> Material:
    """A material as sold: plain 37 %, marbled 28 %, veined 15 %, speckled 20 %; one in four somewhat clear."""
    pattern = str(rng.choice(["plain", "marble", "vein", "speckle"], p=[0.37, 0.28, 0.15, 0.2]))
    first = _colour(rng)
    near = tuple(float(np.clip(c + rng.uniform(-0.3, 0.3), 0, 1)) for c in first)
    others = [near if rng.random() < 0.7 else _colour(rng), _colour(rng)]
    return Material(
        body=(first, *others),  # type: ignore[arg-type]
        pattern=pattern,
        clear=float(rng.uniform(0.15, 0.8)) if rng.random() < 0.25 else 0.0,
        gloss=float(rng.uniform(0, 1)),
        engrave=float(rng.uniform(0, 0.5)) * (rng.random() < 0.6),
        ink=ink(rng, first),
        ink_cover=float(rng.uniform(0.7, 1.0)),
    )


def noise(rng: np.random.Generator, size: int, cells: int) -> Picture:
    """Smooth noise, mean 0, spread about 1: `cells` random values a side, enlarged."""
    grid = rng.standard_normal((cells + 2, cells + 2), dtype=np.float32)
    big = cv2.resize(grid, None, fx=size / cells, fy=size / cells, interpolation=cv2.INTER_CUBIC)
    return big[:size, :size]


def albedo(rng: np.random.Generator, material: Material, size: int) -> Picture:
    """The body's own colour at each pixel of a `size` x `size` picture."""
    first, second, third = (np.array(c, np.float32) for c in material.body)
    base = np.broadcast_to(first, (size, size, 3)).copy()
    if material.pattern == "marble":
        field = noise(rng, size, int(rng.integers(3, 9))) + 0.5 * noise(rng, size, int(rng.integers(8, 20)))
        share = np.clip(field * rng.uniform(0.4, 2.5) + rng.uniform(-0.3, 0.7), 0, 1)[..., None]
        base += (second - first) * share * rng.uniform(0.4, 1.0)
    if material.pattern == "vein":
        field = noise(rng, size, int(rng.integers(2, 6))) + 0.4 * noise(rng, size, int(rng.integers(6, 16)))
        share = np.abs(np.sin(field * rng.uniform(2, 6) + rng.uniform(0, np.pi))) ** rng.uniform(0.5, 4)
        base += (second - first) * share[..., None] * rng.uniform(0.4, 1.0)
    if material.pattern == "speckle":
        for colour, least in ((second, rng.uniform(0.7, 1.5)), (third, rng.uniform(1.0, 2.2))):
            field = noise(rng, size, max(8, int(size / rng.uniform(2.0, 5.0))))
            base += (colour - base) * np.clip((field - least) * 3, 0, 1)[..., None] * rng.uniform(0.5, 1.0)
    return base


def relief(ink: Picture, light_xy: tuple[float, float], depth_px: float) -> Picture:
    """Light and shade along the rims of an engraved numeral: the mask less itself shifted along the light."""
    dx, dy = light_xy[0] * depth_px, light_xy[1] * depth_px
    shift = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    return cv2.warpAffine(ink, shift, ink.shape[::-1]) - ink


def worn(rng: np.random.Generator, ink: Picture, cover: float) -> Picture:
    """The ink with some of it rubbed off in patches, `cover` being what is left where it is worst."""
    if cover > 0.97:
        return ink
    field = np.clip(noise(rng, ink.shape[0], 9) * 0.7 + 0.9, 0, 1)
    return ink * (cover + (1 - cover) * field)
