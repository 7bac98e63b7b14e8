"""Numerals as outlines: from font files (training) and from strokes drawn here (always at hand, no font needed)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Contour = NDArray[np.float64]
"""(N, 2): x to the right, y up, in units of the height of the font's tallest numeral."""

DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Font:
    """Ten numerals. outlines: digit -> contours (even-odd fill), baseline at y 0; advances: digit -> width."""

    name: str
    outlines: dict[str, tuple[Contour, ...]]
    advances: dict[str, float]


def layout(font: Font, text: str, tracking: float = 0.0) -> list[Contour]:
    """The contours of `text`, set in one line, centred on the origin of its own ink, height 1."""
    pen, placed = 0.0, []
    for digit in text:
        placed += [contour + np.array([pen, 0.0]) for contour in font.outlines[digit]]
        pen += font.advances[digit] + tracking
    points = np.concatenate(placed)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    height = max(float(np.ptp(points[:, 1])), 0.5)
    return [(contour - middle) / height for contour in placed]


# ---- strokes

_STROKES: dict[str, list[list[tuple[float, float]]]] = {
    "0": [[(0.5, 1), (0.12, 0.85), (0, 0.5), (0.12, 0.15), (0.5, 0), (0.88, 0.15), (1, 0.5), (0.88, 0.85), (0.5, 1)]],
    "1": [[(0.2, 0.75), (0.55, 1)], [(0.55, 1), (0.55, 0)]],
    "2": [
        [(0.05, 0.75), (0.2, 0.95), (0.5, 1), (0.85, 0.92), (0.92, 0.7), (0.7, 0.45), (0.3, 0.2), (0.02, 0)],
        [(0.02, 0), (1, 0)],
    ],
    "3": [
        [(0.05, 0.88), (0.45, 1), (0.85, 0.9), (0.85, 0.62), (0.45, 0.52)],
        [(0.45, 0.52), (0.9, 0.45), (0.98, 0.2), (0.75, 0.02), (0.4, 0), (0.02, 0.12)],
    ],
    "4": [[(0.75, 0), (0.75, 1)], [(0.75, 1), (0, 0.3)], [(0, 0.3), (1.02, 0.3)]],
    "5": [
        [(0.9, 1), (0.18, 1)],
        [(0.18, 1), (0.1, 0.52)],
        [(0.1, 0.52), (0.45, 0.62), (0.85, 0.52), (0.98, 0.28), (0.8, 0.05), (0.42, 0), (0.03, 0.1)],
    ],
    "6": [
        [
            (0.85, 0.95),
            (0.4, 0.85),
            (0.1, 0.55),
            (0.02, 0.25),
            (0.2, 0.03),
            (0.55, 0),
            (0.9, 0.1),
            (0.95, 0.38),
            (0.7, 0.58),
            (0.3, 0.55),
            (0.06, 0.35),
        ]
    ],
    "7": [[(0, 1), (1, 1)], [(1, 1), (0.6, 0.5), (0.35, 0)]],
    "8": [
        [
            (0.5, 0.54),
            (0.12, 0.68),
            (0.15, 0.92),
            (0.5, 1),
            (0.85, 0.92),
            (0.88, 0.68),
            (0.5, 0.54),
            (0.05, 0.38),
            (0.06, 0.08),
            (0.5, 0),
            (0.94, 0.08),
            (0.95, 0.38),
            (0.5, 0.54),
        ]
    ],
}
_STROKES["9"] = [[(1 - x, 1 - y) for x, y in stroke] for stroke in _STROKES["6"]]
_VARIANTS: dict[str, list[list[list[tuple[float, float]]]]] = {
    "1": [[[(0.5, 1), (0.5, 0)]], [[(0.2, 0.78), (0.55, 1)], [(0.55, 1), (0.55, 0)], [(0.15, 0), (0.95, 0)]]],
    "3": [
        [
            [(0.05, 1), (0.92, 1)],
            [(0.92, 1), (0.42, 0.58)],
            [(0.42, 0.58), (0.85, 0.5), (0.98, 0.25), (0.75, 0.02), (0.35, 0), (0.02, 0.12)],
        ]
    ],
    "4": [[[(0.3, 1), (0, 0.35)], [(0, 0.35), (1, 0.35)], [(0.78, 0.7), (0.78, 0)]]],
    "7": [
        [[(0, 1), (1, 1)], [(1, 1), (0.35, 0)], [(0.25, 0.5), (0.9, 0.5)]],
        [[(0, 0.85), (0, 1)], [(0, 1), (1, 1)], [(1, 1), (0.3, 0)]],
    ],
    "6": [[[(0.75, 1), (0.05, 0.3), (0.25, 0.02), (0.7, 0), (0.98, 0.25), (0.8, 0.52), (0.4, 0.58), (0.1, 0.4)]]],
    "9": [[[(0.25, 0), (0.95, 0.7), (0.75, 0.98), (0.3, 1), (0.02, 0.75), (0.2, 0.48), (0.6, 0.42), (0.9, 0.6)]]],
}
_CELL = 96


def _smooth(points: NDArray[np.float64], rounds: int) -> NDArray[np.float64]:
    """Chaikin's corner cutting: each round replaces a corner by two points; the ends stay."""
    for _ in range(rounds):
        if len(points) < 3:
            break
        a, b = points[:-1], points[1:]
        cut = np.stack([0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b], axis=1).reshape(-1, 2)
        points = np.concatenate([points[:1], cut[1:-1], points[-1:]])
    return points


def _contours_of(mask: NDArray[np.uint8], scale: float, origin: tuple[float, float]) -> tuple[Contour, ...]:
    found, _ = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    kept = [c[:, 0].astype(np.float64) for c in found if len(c) > 2]
    return tuple(np.stack([(c[:, 0] - origin[0]) / scale, (origin[1] - c[:, 1]) / scale], axis=1) for c in kept)


def _pen_drawn(strokes: Sequence[Any], width: float, weight: float, slant: float, rounds: int) -> tuple[Contour, ...]:
    canvas = np.zeros((_CELL * 2, _CELL * 2), np.uint8)
    thick = max(2, round(weight * _CELL))
    for stroke in strokes:
        line = _smooth(np.asarray(stroke, np.float64), rounds)
        x = (line[:, 0] * width + line[:, 1] * slant) * _CELL + _CELL / 2
        y = _CELL * 1.5 - line[:, 1] * _CELL
        pixels = np.round(np.stack([x, y], axis=1) * 16).astype(np.int32)
        cv2.polylines(canvas, [pixels], False, 255, thick, cv2.LINE_8, 4)
    return _contours_of(canvas, _CELL, (_CELL / 2, _CELL * 1.5))


def stroke_font(rng: np.random.Generator) -> Font:
    """A font drawn with a pen here and now: random width, weight, slant, roundness and variants of 1, 3, 4, 6, 7, 9."""
    width, weight = rng.uniform(0.42, 0.72), rng.uniform(0.09, 0.24)
    slant, rounds = rng.normal(0, 0.06), int(rng.integers(0, 4))
    outlines, advances = {}, {}
    curl = rng.random() < 0.3
    for digit in DIGITS:
        options = [_STROKES[digit], *_VARIANTS.get(digit, [])]
        chosen = options[1 if curl else 0] if digit in "69" else options[rng.integers(len(options))]
        shaken = [np.asarray(s) + rng.normal(0, 0.012, (len(s), 2)) * (len(s) > 2) for s in chosen]
        outlines[digit] = _pen_drawn(shaken, width, weight, slant, rounds)
        advances[digit] = width * (0.75 if digit == "1" else 1.0) + weight + 0.12
    return Font("strokes", outlines, advances)


def scribble(rng: np.random.Generator) -> list[Contour]:
    """A sign that is no numeral: a star, or a few pen strokes; centred, height 1."""
    if rng.random() < 0.4:
        tips = int(rng.integers(3, 9))
        angles = np.arange(2 * tips) * np.pi / tips
        radii = np.where(np.arange(2 * tips) % 2, rng.uniform(0.15, 0.45), 0.5)
        return [np.stack([np.sin(angles), np.cos(angles)], axis=1) * radii[:, None]]
    strokes = [rng.uniform(0, 1, (int(rng.integers(2, 6)), 2)) for _ in range(int(rng.integers(2, 5)))]
    contours = _pen_drawn(
        strokes, float(rng.uniform(0.6, 1.1)), float(rng.uniform(0.08, 0.18)), 0.0, int(rng.integers(0, 3))
    )
    points = np.concatenate(contours)
    middle, height = (points.min(axis=0) + points.max(axis=0)) / 2, max(float(np.ptp(points[:, 1])), 0.3)
    return [(contour - middle) / height for contour in contours]


_PIPS = {
    1: [(0, 0)], 2: [(-1, 1), (1, -1)], 3: [(-1, 1), (0, 0), (1, -1)], 4: [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    5: [(-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)], 6: [(-1, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (1, -1)],
}  # fmt: skip


def pips(count: int, rng: np.random.Generator) -> list[Contour]:
    """Spots as on a D6, in units of the face's inradius (more than six: strewn).

    On dice on sale the outer rows lie 0.4 to 0.6 from the middle and a pip's radius is 0.12 to 0.24; a 1 may be larger.
    """
    spread = rng.uniform(0.4, 0.6)
    places = np.array(_PIPS.get(count, rng.uniform(-1.2, 1.2, (count, 2)))) * spread
    radius = rng.uniform(0.12, 0.24) * (rng.uniform(1.2, 1.8) if count == 1 and rng.random() < 0.25 else 1.0)
    radius = min(radius, 0.46 * spread if count == 6 else 0.65 * spread)
    angles = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius
    return [circle + place for place in places]


# ---- font files


def _flat_pen(glyphs: Any) -> Any:
    """A fontTools pen that keeps straightened contours; fontTools is needed for training alone."""
    from fontTools.pens.basePen import BasePen

    class Flat(BasePen):
        def __init__(self) -> None:
            super().__init__(glyphs)
            self.contours: list[list[tuple[float, float]]] = []

        def _moveTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
            self.contours.append([pt])

        def _lineTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
            self.contours[-1].append(pt)

        def _curveToOne(self, a: Any, b: Any, c: Any) -> None:  # noqa: N802
            start = np.asarray(self.contours[-1][-1])
            for t in np.linspace(0, 1, 6)[1:]:
                point = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * np.asarray(a)
                point = point + 3 * (1 - t) * t * t * np.asarray(b) + t**3 * np.asarray(c)
                self.contours[-1].append((float(point[0]), float(point[1])))

    return Flat()


def from_file(path: Path) -> Font | None:
    """The numerals of a font file, or None where it lacks them or they are boxed, dotted or hairline."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with TTFont(path, lazy=True, fontNumber=0) as file:
            names, glyphs = file.getBestCmap(), file.getGlyphSet()
            raw = {d: _outline(glyphs, names[ord(d)]) for d in DIGITS}
            widths = {d: float(glyphs[names[ord(d)]].width) for d in DIGITS}
    except (TTLibError, KeyError, AttributeError, TypeError):
        return None
    if any(not contours for contours in raw.values()):
        return None
    height = max(float(c[:, 1].max()) for cs in raw.values() for c in cs)
    outlines = {d: tuple(c / height for c in cs) for d, cs in raw.items()}
    font = Font(path.stem, outlines, {d: w / height for d, w in widths.items()})
    return font if is_plain(font) else None


def _outline(glyphs: Any, name: str) -> tuple[Contour, ...]:
    pen = _flat_pen(glyphs)
    glyphs[name].draw(pen)
    return tuple(np.asarray(c, np.float64) for c in pen.contours if len(c) > 2)


def mask_of(font: Font, text: str, size: int = 64) -> NDArray[np.uint8]:
    """`text` drawn white on black, `size` pixels high: to look at, and to tell plain fonts from odd ones."""
    contours = layout(font, text)
    wide = int(size * (0.8 * len(text) + 0.8))
    shifted = [np.round((c * (1, -1) * size * 0.8 + (wide / 2, size / 2)) * 16).astype(np.int32) for c in contours]
    canvas = np.zeros((size, wide), np.uint8)
    cv2.fillPoly(canvas, shifted, 255, cv2.LINE_AA, 4)
    return canvas


def is_plain(font: Font) -> bool:
    """Whether the numerals are whole, told apart, and neither boxed, dotted nor hairline."""
    masks = [mask_of(font, digit) for digit in DIGITS]
    if any(len(font.outlines[d]) > 4 for d in DIGITS) or len(font.outlines["1"]) > 1:
        return False
    ink = [float((mask > 127).mean()) for mask in masks]
    if min(ink) < 0.035 or max(ink) > 0.55:
        return False
    pairs = [np.abs(a.astype(int) - b).mean() for i, a in enumerate(masks) for b in masks[:i]]
    return bool(min(pairs) > 4.0)


def from_files(paths: Iterable[Path]) -> list[Font]:
    """Every usable font among `paths`, in the order of their file names."""
    ordered = sorted(paths, key=lambda path: path.name)
    return [font for font in map(from_file, ordered) if font is not None]


def save(fonts: Sequence[Font], path: Path) -> None:
    """Keep fonts as one file of plain arrays, so that many processes can read them fast."""
    flat = {
        f"{i}/{d}/{k}": contour
        for i, font in enumerate(fonts)
        for d in DIGITS
        for k, contour in enumerate(font.outlines[d])
    }
    advances = np.array([[font.advances[d] for d in DIGITS] for font in fonts])
    np.savez_compressed(path, names=np.array([font.name for font in fonts]), advances=advances, **flat)  # type: ignore[arg-type]


def load(path: Path) -> list[Font]:
    """What `save` kept."""
    with np.load(path) as file:
        held = {name: file[name] for name in file.files}
    by_glyph: dict[tuple[int, str], list[Contour]] = {}
    for key in sorted(k for k in held if "/" in k):
        i, digit, _ = key.split("/")
        by_glyph.setdefault((int(i), digit), []).append(held[key])
    return [
        Font(
            str(name),
            {d: tuple(by_glyph[i, d]) for d in DIGITS},
            dict(zip(DIGITS, held["advances"][i].tolist(), strict=True)),
        )
        for i, name in enumerate(held["names"])
    ]
