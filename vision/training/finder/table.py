"""Dice of every type on a table, as one camera sees them: drawn fast, from a seed, with each die's outline and value.

Numeral dice are those of `singles`, pipped ones those of `faces.scatter`. The same scenes, larger, measure the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from training import scene, singles, surface
from training.faces import scatter
from training.finder.clutter import ground
from training.glyphs import Font
from training.marking import NEEDS_MARK
from training.trays import geometry

Lots = np.random.Generator
SIZE = (320, 240)
"""Width and height of a scene to learn from, pixels: what the finder makes of a frame."""

SPAN = (0.028, 0.55)
"""A die's width as a share of the picture's: 35 pixels of 1280 to a die that fills the view."""

TOUCHING = 0.3
"""Share of dice that are pushed against another."""

GROWN = {"D4": 0.95, "D6": 0.95, "D20": 1.12, "D12": 1.05}
"""A type's width beside the others of its set."""


@dataclass(frozen=True, slots=True)
class Lying:
    """One die of a scene. outline: (N, 2) pixels. seen: the share of it within the picture and not hidden.

    told: its value can be told from the picture (no maker's sign, no unmarked 6 or 9).
    """

    die: str
    value: int
    outline: NDArray[np.float32]
    seen: float
    told: bool
    pips: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A scene: the picture (BGR uint8) and its dice."""

    frame: NDArray[np.uint8]
    dice: tuple[Lying, ...]


def draw(
    rng: Lots, fonts: Sequence[Font] = (), size: tuple[int, int] = SIZE, pipped: float = 0.3, d4: float = 0.0
) -> Table:
    """One scene of `size` (width, height); the same `rng` state gives the same one.

    pipped: share of scenes with pips. d4: share of the other scenes' dice that are D4s whatever else is drawn.
    """
    return pipped_dice(rng, size) if rng.random() < pipped else numeral_dice(rng, fonts, size, d4)


def span_of(rng: Lots, width: int) -> float:
    """A die's width in pixels."""
    return float(np.exp(rng.uniform(*np.log(SPAN)))) * width


# --- dice with numerals ------------------------------------------------------------------------------------------


def numeral_dice(rng: Lots, fonts: Sequence[Font], size: tuple[int, int], d4: float = 0.0) -> Table:
    """A table with up to nine numeral dice, one tilt of the camera for all."""
    width, height = size
    span, tilt = span_of(rng, width), singles.some_tilt(rng)
    pad = int(1.5 * span) + 8
    fine = 2 if span < 60 else 1
    canvas = cv2.copyMakeBorder(ground(rng, width, height), pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    picture = cv2.resize(canvas, None, fx=fine, fy=fine).astype(np.float32) / 255
    light, hidden = int(rng.integers(2**31)), rng.random() < 0.15
    most = 1 if span > 0.3 * width else 4 if span > 0.15 * width else 9
    dice: list[Lying] = []
    for _ in range(int(rng.integers(0 if rng.random() < 0.25 else 1, most + 1))):
        die = "D4" if d4 and rng.random() < d4 else None
        thrown = singles.throw(rng, fonts, die, tilt=singles.seen_from(tilt, (0, 0)))
        wide = span * GROWN.get(thrown.die, 1.0) * rng.uniform(0.88, 1.12)
        shape = outline_of(thrown, wide)
        place = somewhere(rng, shape, [die.outline for die in dice], size, wide)
        if place is None:
            continue
        thrown = at_place(thrown, tilt, (place - np.array(size) / 2) / width)
        stuff = like_ground(rng, np.asarray(canvas, np.uint8), place + pad) if hidden else surface.draw(rng)
        outline = lay(rng, picture, thrown, (place + pad) * fine, wide * fine, stuff, light)
        dice = covered([*dice, labelled(thrown, (outline + 0.5) / fine - 0.5 - pad, size)])
    small = cv2.resize(picture, None, fx=1 / fine, fy=1 / fine, interpolation=cv2.INTER_AREA) if fine > 1 else picture
    cut = small[pad : pad + height, pad : pad + width]
    return Table(scene.shoot(rng, cut, span), tuple(dice))


def at_place(thrown: singles.Thrown, tilt: tuple[float, float], off: NDArray[np.float64]) -> singles.Thrown:
    """The same die as it looks from a camera of `tilt` when it lies `off` the middle."""
    seen = singles.seen_from(tilt, (float(off[0]), float(off[1])))
    return replace(thrown, rotation=singles.lean(seen) @ singles.lean(thrown.tilt).T @ thrown.rotation, tilt=seen)


def outline_of(thrown: singles.Thrown, wide: float) -> NDArray[np.float32]:
    """(N, 2) the outline of a die `wide` pixels wide about (0, 0)."""
    view = singles.View(thrown.rotation, scale_of(thrown, wide), (0.0, 0.0), 0.0)
    points = view.project(np.concatenate([face.corners for face in thrown.body.faces]))
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float32)


def scale_of(thrown: singles.Thrown, wide: float) -> float:
    """Pixels a unit that make a die `wide` pixels wide."""
    corners = np.concatenate([face.corners for face in thrown.body.faces]) @ thrown.rotation.T
    return wide / float(np.ptp(corners[:, :2], axis=0).max())


def somewhere(
    rng: Lots, shape: NDArray[np.float32], others: Sequence[NDArray[np.float32]], size: tuple[int, int], wide: float
) -> NDArray[np.float64] | None:
    """A place for an outline: against another die, or clear of all; now and then cut by the frame. None: no room."""
    if others and rng.random() < TOUCHING:
        return beside(rng, shape, others, size, wide)
    out = -0.3 if rng.random() < 0.12 else 0.62
    for _ in range(12):
        at = (
            rng.uniform(np.full(2, out * wide), np.array(size) - out * wide)
            if wide * 1.3 < min(size)
            else np.array(size) * (0.5 + rng.normal(0, 0.06, 2))
        )
        if all(common(shape + at, other) <= 0 for other in others):
            return np.asarray(at, np.float64)
    return None


def beside(
    rng: Lots, shape: NDArray[np.float32], others: Sequence[NDArray[np.float32]], size: tuple[int, int], wide: float
) -> NDArray[np.float64] | None:
    """A place where an outline touches one of the others, or hides a little of it."""
    other = others[int(rng.integers(len(others)))]
    angle = rng.uniform(0, 2 * np.pi)
    way, middle = np.array([np.cos(angle), np.sin(angle)]), other.mean(axis=0).astype(np.float64)
    near, far = 0.0, 3.0 * wide
    while far - near > 0.3:
        half = (near + far) / 2
        near, far = (half, far) if common(shape + (middle + way * half), other) > 0 else (near, half)
    at = middle + way * (far - rng.uniform(0, 0.05) * wide)
    inside = (at > 0.5 * wide).all() and (at < np.array(size) - 0.5 * wide).all()
    clear = all(common(shape + at, one) < 0.06 * wide * wide for one in others)
    return np.asarray(at) if inside and clear else None


def common(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """The area that two convex outlines share."""
    return float(cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))[0])


def like_ground(rng: Lots, canvas: NDArray[np.uint8], at: NDArray[np.float64]) -> surface.Material:
    """A die nearly of the ground's own colour."""
    x, y = np.clip(at.astype(int), 3, np.array(canvas.shape[1::-1]) - 4)
    colour = canvas[y - 3 : y + 3, x - 3 : x + 3].reshape(-1, 3).mean(axis=0) / 255
    b, g, r = (float(c) for c in np.clip(colour + rng.normal(0, 0.05, 3), 0, 1))
    stuff = surface.draw(rng)
    return replace(stuff, body=((b, g, r), *stuff.body[1:]), ink=surface.ink(rng, (b, g, r)), pattern="plain")


def lay(
    rng: Lots,
    picture: surface.Picture,
    thrown: singles.Thrown,
    at: NDArray[np.float64],
    wide: float,
    stuff: surface.Material,
    light: int,
) -> NDArray[np.float32]:
    """Draw a die into the picture, in place; return its outline. `light`: the seed of the lamp that all dice share."""
    size = int(wide * 1.7) // 2 * 2
    corner = at.astype(int) - size // 2
    part = picture[corner[1] : corner[1] + size, corner[0] : corner[0] + size]
    middle = at - corner
    view = singles.View(
        thrown.rotation, scale_of(thrown, wide), (float(middle[0]), float(middle[1])), rng.uniform(0, 0.1)
    )
    mask, outline = singles.silhouette(rng, thrown, view, size)
    floor = part.copy()
    part *= scene.shadow(np.random.default_rng(light), mask, wide)[..., None]
    singles.lay(rng, part, floor, thrown, view, mask, stuff)
    return np.asarray(outline + corner, np.float32)


def labelled(thrown: singles.Thrown, outline: NDArray[np.floating], size: tuple[int, int]) -> Lying:
    """What is true of a numeral die."""
    value = thrown.values[thrown.top]
    on_top = [
        one for face, one in thrown.numerals if thrown.body.name != "D4" and face is thrown.body.numbered[thrown.top]
    ]
    numeral = all(one.numeral for one in on_top)
    marked = any(one.marked for one in on_top)
    torn = thrown.die in NEEDS_MARK and value in (6, 9) and not marked
    return Lying(thrown.die, value, outline.astype(np.float32), within(outline, size), numeral and not torn, False)


def within(outline: NDArray[np.floating], size: tuple[int, int]) -> float:
    """The share of an outline's area that lies in the picture."""
    frame = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    return common(outline, frame) / max(float(cv2.contourArea(outline.astype(np.float32))), 1e-6)


def covered(dice: list[Lying]) -> list[Lying]:
    """The dice, with what the last one hides of the others taken off."""
    last = dice[-1]
    areas = [max(float(cv2.contourArea(die.outline)), 1e-6) for die in dice[:-1]]
    hidden = [common(die.outline, last.outline) / area for die, area in zip(dice, areas, strict=False)]
    return [*(replace(die, seen=die.seen - h) for die, h in zip(dice, hidden, strict=False)), last]


# --- dice with pips ----------------------------------------------------------------------------------------------


def pipped_dice(rng: Lots, size: tuple[int, int]) -> Table:
    """A table with up to nine pipped dice: `faces.scatter`'s, on this module's ground."""
    width, height = scatter.WIDTH, scatter.HEIGHT
    span = span_of(rng, width) * 0.7
    view = geometry.look(scatter.some_camera(rng, span))
    dice = [(make, geometry.place(make.pose)) for make in scatter.throw(rng, view, span)]
    dice.sort(key=lambda d: -float(np.linalg.norm(d[1].middle - view.eye)))
    picture = cv2.resize(ground(rng, width, height), None, fx=scatter.FINER, fy=scatter.FINER).astype(np.float32) / 255
    light = scatter.some_light(rng)
    scatter.shadows(rng, picture, view, [die for _, die in dice], light, span)
    seen: list[Lying] = []
    for make, die in dice:
        scatter.paint(rng, picture, view, make, die, light)
        outline = scatter.hull(view, make, die)
        flat = die.pose.tilt_deg < geometry.COCKED_DEG
        share = within(outline, (width, height))
        seen = covered([*seen, Lying("D6", geometry.upper_value(die), outline, share, flat, True)])
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    factor = np.array(size) / (width, height)
    moved = tuple(replace(die, outline=((die.outline + 0.5) * factor - 0.5).astype(np.float32)) for die in seen)
    return Table(scatter.specked(rng, scene.shoot(rng, small, span)), moved)
