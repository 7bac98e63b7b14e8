"""What is printed on a die: which value on which face, in which font, how large, and with which mark under 6 and 9."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from training.glyphs import Contour, Font, layout, pips, scribble
from training.solids import Array, Face, Solid, cross

VALUES: dict[str, tuple[int, ...]] = {
    "D4": (1, 2, 3, 4),
    "D6": tuple(range(1, 7)),
    "D8": tuple(range(1, 9)),
    "D10": tuple(range(1, 11)),
    "D12": tuple(range(1, 13)),
    "D20": tuple(range(1, 21)),
    "D100": tuple(range(0, 100, 10)),
}
"""What each die can show. A D10's face "0" is 10; a D100's "00" is 0."""

NEEDS_MARK = ("D10", "D12", "D20")
"""Dice with both a 6 and a 9: on these only the mark, or nothing, tells one from the other."""

MOST_PIPS = 6
"""More are strewn as no maker does, and say nothing."""

_HEIGHT = {
    "D4": (0.34, 0.52),
    "crystal D4": (0.9, 1.5),
    "D6": (0.85, 1.5),
    "D8": (0.75, 1.3),
    "D10": (0.75, 1.3),
    "D12": (0.7, 1.2),
    "D20": (0.7, 1.25),
}
"""A numeral's height in units of the face's inradius, from small to large, seen on dice on sale."""


@dataclass(frozen=True, slots=True)
class Marking:
    """How one die is marked.

    mark: "none", "bar" or "dot"; marked_types_only: whether 6 on a D6 or D8 has it too.
    up: which of a face's possible directions the numerals' tops point along.
    bottom_read: a tetrahedron's numerals stand along the edges instead of at the corners. pips: spots, no numerals.
    signs: values whose face has a maker's sign instead.
    """

    font: Font
    die: str
    shape: str
    height: float
    squeeze: float
    tracking: float
    mark: str
    mark_everywhere: bool
    up: int
    bottom_read: bool
    pips: bool = False
    signs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Printed:
    """What is on one face: contours (N, 3) in the die's own space; several contours fill even-odd.

    marked: it has the mark that tells 6 from 9. numeral: it says the value: a numeral or up to six pips, and no sign.
    pips: it has pips, few or many.
    """

    contours: tuple[Array, ...]
    marked: bool
    numeral: bool = True
    pips: bool = False


def draw(rng: np.random.Generator, font: Font, die: str, shape: str) -> Marking:
    """A marking for a `die` on the solid `shape`."""
    low, high = _HEIGHT[shape]
    mark = str(rng.choice(["none", "bar", "dot"], p=[0.14, 0.5, 0.36]))
    up = 0 if rng.random() < 0.8 else int(rng.integers(12))
    return Marking(
        font=font,
        die=die,
        shape=shape,
        height=float(rng.uniform(low, high)),
        squeeze=float(rng.uniform(0.82, 1.08)),
        tracking=float(rng.uniform(-0.06, 0.08)),
        mark=mark,
        mark_everywhere=bool(rng.random() < 0.35),
        up=up,
        bottom_read=bool(rng.random() < 0.4),
        pips=shape != "D4" and bool(rng.random() < (0.5 if die == "D6" else 0.03)),
        signs=_signs(rng, die),
    )


def _signs(rng: np.random.Generator, die: str) -> tuple[int, ...]:
    """One die in seven has a maker's sign on a face or more."""
    if rng.random() > 0.14:
        return ()
    values = VALUES[die]
    count = 1 if rng.random() < 0.6 else len(values) // 2
    return tuple(rng.choice(values, count, replace=False).tolist())


def text_of(die: str, value: int, ten: bool = False) -> str:
    """What stands on the face: a D10's ten is "0" (some makers print "10": `ten`), a D100's zero is "00"."""
    if die == "D100":
        return f"{value:02d}"
    return "0" if die == "D10" and value == 10 and not ten else str(value)


def is_marked(marking: Marking, text: str) -> bool:
    """Whether this text carries the mark that tells 6 from 9."""
    wanted = marking.die in NEEDS_MARK or (marking.mark_everywhere and marking.die != "D100")
    return marking.mark != "none" and text in ("6", "9") and wanted


def _mark(marking: Marking, contours: Sequence[Contour], rng: np.random.Generator) -> Contour:
    """The bar under a numeral, or the dot at its foot, in the numeral's own units."""
    points = np.concatenate(contours)
    left, right, foot = points[:, 0].min(), points[:, 0].max(), points[:, 1].min()
    if marking.mark == "bar":
        thick, gap = rng.uniform(0.07, 0.14), rng.uniform(0.06, 0.14)
        grow = rng.uniform(-0.06, 0.1)
        box = [
            (left - grow, foot - gap),
            (right + grow, foot - gap),
            (right + grow, foot - gap - thick),
            (left - grow, foot - gap - thick),
        ]
        return np.array(box)
    radius = rng.uniform(0.055, 0.1)
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    middle = (right + radius + rng.uniform(0.02, 0.09), foot + radius)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius + middle)


def flat(marking: Marking, text: str, rng: np.random.Generator) -> tuple[list[Contour], bool]:
    """The numeral's contours, mark and all, height near 1, centred on its own box; and whether it has a mark."""
    contours = layout(marking.font, text, marking.tracking)
    marked = is_marked(marking, text)
    if marked:
        contours = [*contours, _mark(marking, contours, rng)]
        points = np.concatenate(contours)
        slip = (points.min(axis=0) + points.max(axis=0)) / 2 * rng.uniform(0, 1)
        contours = [c - slip for c in contours]
    return contours, marked


def _width_limit(shape: str, text: str) -> float:
    """Two figures side by side must stay on the face: their width in inradii, at most."""
    return 1.45 if shape in ("D8", "D20", "D10") else 1.6 if len(text) > 1 else 2.0


def _on_face(face: Face, at: Array, up: Array, size: float, contours: Sequence[Contour]) -> tuple[Array, ...]:
    right = cross(up, face.normal)
    return tuple(at + size * (c[:, :1] * right + c[:, 1:] * up) for c in contours)


def on_face(marking: Marking, face: Face, value: int, ten: bool, rng: np.random.Generator) -> Printed:
    """One numeral, or what stands in its place, in the middle of one face."""
    if marking.pips or value in marking.signs:
        other = pips(min(value, 12) or 1, rng) if marking.pips else scribble(rng)
        size = face.inradius * (1.0 if marking.pips else min(marking.height, 1.1))
        told = marking.pips and 0 < value <= MOST_PIPS
        return Printed(_on_face(face, face.centre, face.ups[0], size, other), False, told, marking.pips)
    contours, marked = flat(marking, text_of(marking.die, value, ten), rng)
    wide = float(np.ptp(np.concatenate(contours)[:, 0])) * marking.squeeze
    height = min(marking.height, _width_limit(marking.shape, str(value)) / max(wide, 1e-6))
    squeezed = [c * (marking.squeeze, 1.0) for c in contours]
    up = face.ups[marking.up % len(face.ups)]
    return Printed(_on_face(face, face.centre, up, height * face.inradius, squeezed), marked)


def on_tetrahedron(
    marking: Marking, face: Face, by_corner: dict[int, int], corners: Array, rng: np.random.Generator
) -> Iterator[Printed]:
    """Three a face: at each corner its own value, or (bottom-read) along each edge that of the corner opposite."""
    for number, value in by_corner.items():
        away = corners[number] - face.centre
        up = away / np.linalg.norm(away)
        contours, _ = flat(marking, str(value), rng)
        if marking.bottom_read:
            at, size = face.centre - up * face.inradius * 0.58, marking.height * 0.95 * face.inradius
        else:
            at, size = face.centre + up * face.inradius * 0.80, marking.height * face.inradius
        yield Printed(_on_face(face, at, up, size, contours), False)


def printed(
    marking: Marking, solid: Solid, values: Sequence[int], rng: np.random.Generator
) -> list[tuple[Face, Printed]]:
    """Every numeral on the die. `values`: by numbered face; for a tetrahedron by corner."""
    ten = bool(rng.random() < 0.06)
    if solid.name != "D4":
        faces = zip(solid.numbered, values, strict=True)
        return [(face, on_face(marking, face, value, ten, rng)) for face, value in faces]
    corners = tetrahedron_corners(solid)
    found = []
    for face in solid.faces:
        own = [int(np.argmin(np.linalg.norm(corners - c, axis=1))) for c in face.corners]
        mine = {n: values[n] for n in own}
        found += [(face, one) for one in on_tetrahedron(marking, face, mine, corners, rng)]
    return found


def tetrahedron_corners(solid: Solid) -> Array:
    """The four corners (4, 3); corner k lies opposite face k, so a die resting on face k shows corner k on top."""
    return np.stack([-3 * face.centre for face in solid.faces])
