"""What the dice of one set are made of: plain, marbled, speckled or clear, more or less glossy, and their ink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import cv2
import numpy as np

from training import surface
from training.trays.light import linear

Pattern = Literal["plain", "marble", "speckle", "clear"]
SHARES = (0.36, 0.3, 0.14, 0.2)
"""How many sets are of each pattern."""

BODIES = (
    "#efe8d4", "#f4f3ef", "#131316", "#2b2b30", "#7d1420", "#b3202c", "#d8563a", "#e08a1e", "#e3bd3a", "#8aa83a",
    "#2f7a3c", "#114a36", "#1d7f86", "#5fb3c9", "#2a5fae", "#14285c", "#4a2a86", "#8a4fa8", "#d07aa6", "#6d3b1f",
    "#a67c52", "#7f858c", "#b9bcc0",
)  # fmt: skip
INKS = ("#f7f5ee", "#0d0d10", "#c9a13c", "#b8bcc4", "#7fd0e0", "#b3202c", "#16295e")
"""Paints as makers use them: white and black most, then gold, silver and colours."""
INK_SHARES = (0.36, 0.3, 0.14, 0.08, 0.04, 0.04, 0.04)

LEAST_CONTRAST = 0.3
"""Of the lightness (CIE L*, 0 to 1) of ink and body: a set with less is not sold as one to be read."""


@dataclass(frozen=True, slots=True)
class Stuff:
    """Colours are linear light, blue green red. second: what marbles or speckles the body. clear, gloss: 0 to 1.

    deep: how deep the numerals are cut, 0 printed to 1. worn: how much of the ink is rubbed off where most is.
    drawn: the material of dice that are drawn to train with, which then paints the body.
    """

    pattern: Pattern
    body: tuple[float, ...]
    second: tuple[float, ...]
    ink: tuple[float, ...]
    clear: float
    gloss: float
    deep: float
    worn: float
    drawn: surface.Material | None = None


def some_stuff(rng: np.random.Generator) -> Stuff:
    """A set as sold."""
    pattern: Pattern = rng.choice(np.array(get_args(Pattern)), p=SHARES)
    body = _varied(rng, str(rng.choice(BODIES)))
    second = _varied(rng, str(rng.choice(BODIES)))
    if pattern == "marble":
        second = body + (second - body) * rng.uniform(0.25, 0.8)
    clear = float(rng.uniform(0.35, 0.9)) if pattern == "clear" else 0.0
    return Stuff(
        pattern,
        tuple(body.tolist()),
        tuple(second.tolist()),
        _ink(rng, body if pattern in ("plain", "clear") else (2 * body + second) / 3),
        clear,
        gloss=float(rng.uniform(0.1, 1)),
        deep=float(rng.uniform(0.2, 1)) if rng.random() < 0.75 else 0.0,
        worn=float(rng.uniform(0, 0.35)) if rng.random() < 0.25 else 0.0,
    )


def taught_stuff(rng: np.random.Generator) -> Stuff:
    """A material that the dice drawn to train with have: other colours, patterns and inks than the judge's sets."""
    stuff = surface.draw(rng)
    body, second, ink = (tuple(float(np.clip(part, 0.03, 0.94) ** 2.2) for part in one)
                         for one in (stuff.body[0], stuff.body[1], stuff.ink))  # fmt: skip
    deep = float(rng.uniform(0.2, 1)) if rng.random() < 0.75 else 0.0
    worn = (1 - stuff.ink_cover) * 1.2
    return Stuff("plain", body, second, ink, stuff.clear, stuff.gloss, deep, worn, stuff)


def _varied(rng: np.random.Generator, colour: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The colour a little off, as no two makers' reds are one red."""
    return np.asarray(np.clip(linear(colour) * np.exp(rng.normal(0, 0.18, 3)), 0.004, 0.85), np.float64)


def _ink(rng: np.random.Generator, body: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, ...]:
    """An ink that stands out."""
    order = rng.choice(len(INKS), len(INKS), replace=False, p=INK_SHARES)
    lights = [linear(INKS[k]) for k in order]
    told = [ink for ink in lights if abs(lightness(ink) - lightness(body)) >= LEAST_CONTRAST]
    best = max(lights, key=lambda ink: abs(lightness(ink) - lightness(body)))
    return tuple(float(part) for part in (told[0] if told else best))


def lightness(light: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> float:
    """CIE L* of linear light (blue green red), 0 to 1."""
    shown = np.asarray(light, np.float32).reshape(1, 1, 3)
    return float(cv2.cvtColor(np.clip(shown, 0, 1), cv2.COLOR_LBGR2LAB)[0, 0, 0]) / 100
