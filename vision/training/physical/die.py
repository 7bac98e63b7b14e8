"""One die: its solid and size, what stands on each face, what it is made of; and how it lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from training import marking
from training.glyphs import Font, stroke_font
from training.marking import Printed
from training.physical import mesh
from training.physical.stuff import Stuff, some_stuff, taught_stuff
from training.solids import Array, Face, Solid, solid

KINDS = ("D4", "crystal D4", "D6", "pipped D6", "D8", "D10", "D100", "D12", "D20")
"""What is thrown, each as often: the seven types, with both D4s and both D6s."""

ACROSS_MM = {"D4": 12.6, "crystal D4": 11.0, "D6": 13.2, "D8": 12.0, "D10": 11.6, "D12": 11.4, "D20": 12.6}
"""Millimetres to a unit of the solid (near its circumradius): as the dice of a set of seven on sale."""

EDGE_MM = (0.25, 0.9)
"""Radius of a die's rounded edges, from sharp-edged to tumbled; a D6's may be three times that."""


@dataclass(frozen=True)
class Die:
    """A die of a set.

    values: by numbered face (tetrahedron: by corner). numerals: what is printed, face by face. mm: a unit of the solid.
    share: the edges' rounding, see `mesh.rounded`.
    """

    die: str
    body: Solid
    values: tuple[int, ...]
    numerals: tuple[tuple[Face, Printed], ...]
    mm: float
    share: float
    stuff: Stuff

    @cached_property
    def mesh(self) -> mesh.Mesh:
        """Its surface, in units of the solid."""
        return mesh.rounded(self.body, self.share)

    @property
    def points_mm(self) -> Array:
        """Its surface's points (V, 3) in its own space, mm."""
        return self.mesh.points * self.mm


@dataclass(frozen=True, slots=True)
class Pose:
    """How a die lies. turn: (3, 3), its own axes to the tray's. middle_mm: (3,), where its origin is."""

    turn: Array
    middle_mm: Array

    def placed(self, points_mm: Array) -> Array:
        """Points (N, 3) of the die's own space, in the tray."""
        return points_mm @ self.turn.T + self.middle_mm


@dataclass(frozen=True, slots=True)
class Style:
    """What the dice of one set have in common. mm: their size beside that of dice on sale."""

    font: Font
    stuff: Stuff
    edge_mm: float
    size: float


def some_style(rng: np.random.Generator, fonts: tuple[Font, ...]) -> Style:
    """A set of dice; its numerals are pen strokes where there are no fonts."""
    font = fonts[int(rng.integers(len(fonts)))] if fonts else stroke_font(rng)
    return Style(font, some_stuff(rng), float(rng.uniform(*EDGE_MM)), float(rng.uniform(0.92, 1.12)))


def taught_style(rng: np.random.Generator, fonts: tuple[Font, ...]) -> Style:
    """A set of dice to train with."""
    return replace(some_style(rng, fonts), stuff=taught_stuff(rng))


def some_die(rng: np.random.Generator, kind: str, style: Style) -> Die:
    """A die of that kind and set; which value stands on which face is drawn."""
    pipped, die = kind == "pipped D6", "D6" if kind == "pipped D6" else "D4" if kind == "crystal D4" else kind
    shape = "D10" if die == "D100" else kind if kind == "crystal D4" else die
    body = mesh.closed(solid(shape, rng))
    values = tuple(int(value) for value in rng.permutation(marking.VALUES[die]))
    plan = told(rng, marking.draw(rng, style.font, die, shape), pipped)
    mm = ACROSS_MM[shape] * style.size
    near = min(float(face.normal @ face.centre) for face in body.faces)
    edge = style.edge_mm * (rng.uniform(1, 3) if die == "D6" else 1)
    share = float(min(edge / (near * mm), 0.25))
    return Die(die, body, values, tuple(marking.printed(plan, body, values, rng)), mm, share, style.stuff)


def told(rng: np.random.Generator, plan: marking.Marking, pipped: bool) -> marking.Marking:
    """The marking with every value told: no maker's sign for a numeral, a mark under each 6 and 9 that needs one."""
    mark = str(rng.choice(["bar", "dot"])) if plan.mark == "none" else plan.mark
    return replace(plan, pips=pipped, signs=(), mark=mark)
