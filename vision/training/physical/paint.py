"""What is on a die, as textures: its colour, how rough and how clear it is, and how deep its numerals are cut."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training import surface
from training.physical.die import Die
from training.physical.mesh import Cell, cells

Texture = NDArray[np.float32]

PX_PER_MM = 11.0
"""Of a face: a die that is 175 pixels wide shows no finer."""

DEEP_MM = 0.22
"""How deep the deepest numerals are cut."""


@dataclass(frozen=True, slots=True)
class Paint:
    """(S, S, 3) and (S, S): linear colour (red green blue), roughness, clearness, height in mm."""

    colour: Texture
    roughness: Texture
    clear: Texture
    height: Texture


def _rgb(light: tuple[float, ...]) -> Texture:
    return np.array(light[::-1], np.float32)


def paint(rng: np.random.Generator, die: Die) -> Paint:
    """Paint a die all over."""
    stuff, places = die.stuff, cells(die.body)
    across = math.ceil(math.sqrt(len(places)))
    cell_px = int(np.clip(2 * max(cell.half for cell in places) * die.mm * PX_PER_MM, 96, 288))
    size = across * cell_px
    worn = 1 - stuff.worn * np.clip(surface.noise(rng, size, 9) * 0.7 + 0.3, 0, 1)
    ink = _ink(die, places, size) * worn
    bare = _body(rng, die, places, cell_px, size)
    colour = bare + (_rgb(stuff.ink) - bare) * ink[..., None]
    smudge = 1 + 0.15 * surface.noise(rng, size, 7)
    rough = (0.45 - 0.33 * stuff.gloss) * smudge * (1 - ink) + float(rng.uniform(0.35, 0.7)) * ink
    cut = cv2.GaussianBlur(ink, (0, 0), max(0.6, 0.09 * PX_PER_MM))
    return Paint(
        np.clip(colour, 0.004, 0.88).astype(np.float32),
        np.clip(rough, 0.06, 0.9).astype(np.float32),
        np.asarray(stuff.clear * (1 - ink), np.float32),
        np.asarray(-DEEP_MM * stuff.deep * cut, np.float32),
    )


def _ink(die: Die, places: list[Cell], size: int) -> Texture:
    """Where there is ink, 0 to 1: what stands on each face, even-odd."""
    canvas = np.zeros((size, size), np.uint8)
    by_face = {id(face): cell for face, cell in zip(die.body.faces, places, strict=True)}
    for face, one in die.numerals:
        pixels = [by_face[id(face)].uv(contour) * size for contour in one.contours]
        mask = np.zeros((size, size), np.uint8)
        cv2.fillPoly(mask, [np.round(at * 16 - 8).astype(np.int32) for at in pixels], 255, cv2.LINE_AA, 4)
        canvas = np.maximum(canvas, mask)
    return np.asarray(canvas.astype(np.float32) / 255, np.float32)


def _points(die: Die, places: list[Cell], cell_px: int, size: int) -> Texture:
    """The point of the surface, mm, under each pixel of the texture."""
    points = np.zeros((size, size, 3), np.float32)
    at = (np.arange(cell_px, dtype=np.float32) + 0.5) / cell_px * 2 - 1
    for cell in places:
        x, y = (round(share * size) for share in cell.corner)
        flat = cell.middle + cell.half * (at[None, :, None] * cell.east - at[:, None, None] * cell.north)
        points[y : y + cell_px, x : x + cell_px] = flat * die.mm
    return points


def _body(rng: np.random.Generator, die: Die, places: list[Cell], cell_px: int, size: int) -> Texture:
    """The body's colour: plain, marbled through and through, or speckled."""
    stuff = die.stuff
    if stuff.drawn is not None:
        shown = surface.albedo(rng, stuff.drawn, size)
        return np.ascontiguousarray(np.clip(shown, 0.03, 0.94)[..., ::-1] ** 2.2, np.float32)
    first, second = _rgb(stuff.body), _rgb(stuff.second)
    base = np.broadcast_to(first, (size, size, 3)).astype(np.float32)
    if stuff.pattern == "marble":
        field = swirl(rng, _points(die, places, cell_px, size))
        share = np.clip(field * rng.uniform(0.5, 2.5) + rng.uniform(0, 0.8), 0, 1)[..., None]
        return np.asarray(base + (second - base) * share, np.float32)
    if stuff.pattern == "speckle":
        field = surface.noise(rng, size, max(8, int(size / PX_PER_MM / rng.uniform(0.35, 0.9))))
        return np.asarray(base + (second - base) * np.clip((field - rng.uniform(0.9, 1.8)) * 4, 0, 1)[..., None])
    return base


def swirl(rng: np.random.Generator, points_mm: Texture) -> Texture:
    """A smooth field through space, -1 to 1, drawn out into streaks: waves that bend each other."""
    bent = points_mm / np.float32(rng.uniform(5, 9))
    for scale in (1.0, 1.7, 2.9):
        ways = rng.normal(0, 1, (3, 3)).astype(np.float32)
        bent = bent + np.float32(0.6 / scale) * np.sin(scale * (bent @ ways) + rng.uniform(0, 6, 3).astype(np.float32))
    way = rng.normal(0, 1, 3).astype(np.float32)
    return np.asarray(np.sin(bent @ way * np.float32(1.5)), np.float32)
