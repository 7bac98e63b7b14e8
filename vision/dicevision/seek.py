"""Finds dice of any type, pips or numerals, on any ground: a small net looks at the frame, then closer at each place.

Run by cv2.dnn. At a glance over the whole frame it says where dice may be; a closer look at each of them, at the
frame's own resolution, gives its outline and how likely it is a die. Training and figures: docs/model-card.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.crops import Affine, blob, sample
from dicevision.image import Floats, Frame, Points
from dicevision.threads import one_a_thread

OUTPUTS = 6
"""What the net says of each cell: logits of a die's centre and of a die; logs of the ways, in cells, from the cell's
middle to the left, upper, right and lower side of its die's box."""

CELL_PX = 4
"""Side of a cell in pixels of what the net is given, whose sides are multiples of `WHOLE_PX`."""

WHOLE_PX = 16

GLANCE_PX = (320, 640)
"""Longer side of the whole frame as the net is given it: the first for frames up to `LARGE_PX`, the second above, so
that a die of 35 pixels in 1920 is still three cells wide. Of 240 dice in renders-trays 448 left 6 more unseen."""

LARGE_PX = 640
"""Longer side of a frame above which a glance is the finer one. Of 1,729 dice in ray-traced trays of 960x720, 40 to 120
pixels wide, 1,675 are named so, and 1,331 at a glance of 320 (sure and right of 1,593 that lie flat: 809 and 665)."""

NEAR = 0.25
"""Share of the frame's longer side from which a die is looked for in a frame of half that size too: it then fits into
what a cell of the net sees."""

FILLS = 0.4
"""Share of the frame's longer side up to which a die is seen in the first of these pictures. Of 155 dice on five sets
of photographs, enlarged to 0.2 to 0.4 of it, 1 was missed at one size; at 0.6, 35 were seen in the smaller only."""

LARGEST_BESIDE = 3.0
"""A die is at most this many times as long as another one's face: 48 mm beside a D6 of 16. So a die of a known small
face rules out that one fills the view, and hardly a place on bare ground is then looked at closer."""

CLOSER_PX = 128
"""Side of the square that a closer look is given."""

REACH = 2.0
"""Side of that square in units of the longer side of the die's box: what is round a die tells it from a print."""

SMALLEST_PX = 12.0
"""Longer side of a die's box below which nothing on it can be read."""

GLANCE_AT = (0.2, 0.12)
"""Likelihood of a centre from which a place is worth a closer look, in frames up to `LARGE_PX` and above. Of 240 dice
in renders-trays (1280 pixels) 0.2 left 6 more unseen, 0.07 as many as this."""

LEAST_LIKELY = 0.25
"""Likelihood of being a die, on a closer look, below which a place is not told at all."""

SAME = 0.6
"""Share of the smaller of two boxes that lies in the other from which both are one die."""

WEIGHTS = 9
"""How many weights `numbered.belief` has."""

MOST = 24
"""Places looked at closer, the likeliest first: no throw has more dice."""


class BadFinder(ValueError):
    """A model file is not one that the finder can use; the message says what was expected."""


Box = tuple[float, float, float, float]
"""x, y, width, height; pixels."""


@dataclass(frozen=True, slots=True)
class Finder:
    """The net, and the weights of `numbered.belief`. A cv2.dnn net is no two threads' at once."""

    net: Any
    agree: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A die, or what looks like one.

    likely: how likely it is a die, 0 to 1. box: round all of it that is seen. outline: (N, 2) pixels, convex.
    """

    likely: float
    box: Box
    outline: Points


@dataclass(frozen=True, slots=True)
class Maps:
    """The net's answer: centre, die (h, w) likelihoods; ways (4, h, w), logs of cells."""

    centre: Floats
    die: Floats
    ways: Floats

    @classmethod
    def of(cls, out: NDArray[np.float32]) -> Maps:
        """From the net's (OUTPUTS, h, w)."""
        likely = 1 / (1 + np.exp(-np.clip(out[:2], -30, 30)))
        return cls(likely[0], likely[1], out[2:])

    def box(self, row: int, column: int) -> Box:
        """The box of the die that a cell belongs to, in pixels of what the net was given."""
        left, up, right, down = np.exp(np.clip(self.ways[:, row, column], -4.0, 6.0)).tolist()
        x, y = (column + 0.5 - left) * CELL_PX - 0.5, (row + 0.5 - up) * CELL_PX - 0.5
        return x, y, (left + right) * CELL_PX, (up + down) * CELL_PX

    def peaks(self, least: float) -> list[tuple[float, Box]]:
        """Likelihood and box where a centre is likelier than in every cell round it, best first; a die once."""
        high = cv2.dilate(self.centre, np.ones((3, 3), np.uint8))
        rows, columns = np.nonzero((self.centre >= high) & (self.centre >= least))
        found = [(float(self.centre[r, c]), self.box(int(r), int(c))) for r, c in zip(rows, columns, strict=True)]
        return once(sorted(found, key=lambda one: -one[0]), alike)


def once(found: Sequence[tuple[float, Box]], common: Callable[[Box, Box], float]) -> list[tuple[float, Box]]:
    """Leave out boxes that have SAME or more in `common` with a better one; `found`: best first."""
    kept: list[tuple[float, Box]] = []
    for likely, box in found:
        if all(common(box, other) < SAME for _, other in kept):
            kept.append((likely, box))
    return kept


def middle(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def alike(a: Box, b: Box) -> float:
    """The share of the larger box that lies in the other: a numeral's box is not like its die's."""
    return shared(a, b) * min(a[2] * a[3], b[2] * b[3]) / max(a[2] * a[3], b[2] * b[3], 1e-9)


def shared(a: Box, b: Box) -> float:
    """The share of the smaller box that lies in the other."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / max(min(a[2] * a[3], b[2] * b[3]), 1e-9)


def glance(frame: Frame, finder: Finder, face_px: float | None = None) -> list[tuple[float, Box]]:
    """Likelihood and box of all that may be dice in `frame`, best first.

    face_px: the longer side of a die's face that is known to lie there; it tells how large another can be.
    """
    long = max(frame.shape[:2])
    large = long > LARGE_PX
    found = glanced(frame, GLANCE_PX[large], finder, GLANCE_AT[large])
    if face_px is None or face_px * LARGEST_BESIDE > FILLS * long:
        coarse = glanced(frame, GLANCE_PX[0] // 2, finder, GLANCE_AT[0])
        found += [one for one in coarse if max(one[1][2:]) > NEAR * long]
    ranked = sorted(found, key=lambda one: -one[0])
    return [(likely, box) for likely, box in once(ranked, alike) if max(box[2:]) >= SMALLEST_PX][:MOST]


def glanced(frame: Frame, long_px: int, finder: Finder, least: float) -> list[tuple[float, Box]]:
    """Where the net sees `least` or more in the whole frame, made `long_px` pixels long; boxes in the frame's own."""
    height, width = frame.shape[:2]
    step = max(height, width) / long_px
    wide, high = max(1, round(width / step)), max(1, round(height / step))
    small = shrunk(frame, wide, high) if step > 1 else cv2.resize(frame, (wide, high), interpolation=cv2.INTER_LINEAR)
    small = cv2.copyMakeBorder(small, 0, -high % WHOLE_PX, 0, -wide % WHOLE_PX, cv2.BORDER_REPLICATE)
    (maps,) = looked(np.asarray(small, np.uint8)[None], finder)
    scale = (width / wide, height / high)
    return [(likely, in_frame(box, scale)) for likely, box in maps.peaks(least)]


def shrunk(frame: Frame, wide: int, high: int) -> Frame:
    """The frame made smaller by area: to a third of its size, as 1920x1080 is, in two thirds of `resize`'s time."""
    if frame.shape[:2] == (3 * high, 3 * wide):
        means = cv2.blur(frame, (3, 3), anchor=(0, 0))  # each pixel's is that of the nine of which it is the first
        return np.asarray(cv2.resize(means[::3], (wide, high), interpolation=cv2.INTER_NEAREST), np.uint8)
    return np.asarray(cv2.resize(frame, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)


def in_frame(box: Box, scale: tuple[float, float]) -> Box:
    """A box of a smaller picture, of which a pixel is `scale` of the frame's."""
    x, y, width, height = box
    return (x + 0.5) * scale[0] - 0.5, (y + 0.5) * scale[1] - 0.5, width * scale[0], height * scale[1]


def looked(pictures: NDArray[np.uint8], finder: Finder) -> list[Maps]:
    """(N, H, W, 3) pictures through the net."""
    finder.net.setInput(blob(pictures))
    return [Maps.of(out) for out in np.asarray(finder.net.forward(), np.float32)]


def closer(frame: Frame, boxes: Sequence[Box], finder: Finder) -> list[Found]:
    """Look closer at each box; a die found there, or, of likelihood 0, what the box holds if none is."""
    if not boxes:
        return []
    places = [square(box) for box in boxes]
    maps = looked(np.stack([sample(frame, place, CLOSER_PX) for place in places]), finder)
    size = (frame.shape[1], frame.shape[0])
    return [found(one, place, size) for one, place in zip(maps, places, strict=True)]


def apart(dice: Sequence[Found]) -> list[Found]:
    """Each die once, the likeliest first: none that lies mostly in another, nor one that holds it."""
    kept: list[Found] = []
    for die in sorted(dice, key=lambda one: -one.likely):
        if all(shared(die.box, other.box) < SAME for other in kept):
            kept.append(die)
    return kept


def likely_dice(frame: Frame, finder: Finder) -> list[Found]:
    """Whatever in the frame may be a die, looked at closer, each once."""
    places = [box for _, box in glance(frame, finder)]
    return apart([one for one in closer(frame, places, finder) if one.likely >= LEAST_LIKELY])


def square(box: Box) -> Affine:
    """(2, 3) from the pixels of a closer look at a box to the frame's."""
    x, y, width, height = box
    step = REACH * max(width, height) / CLOSER_PX
    corner = np.array([x + width / 2, y + height / 2]) - step * (CLOSER_PX - 1) / 2
    return np.array([[step, 0, corner[0]], [0, step, corner[1]]])


MIDDLE = 0.3
"""How far from the middle of a closer look, as a share of its side, its die's centre is looked for."""


def found(maps: Maps, place: Affine, size: tuple[int, int]) -> Found:
    """The die in the middle of a closer look, in a frame of `size` (width, height)."""
    cells = maps.centre.shape[0]
    low, high = round(cells * (0.5 - MIDDLE / 2)), round(cells * (0.5 + MIDDLE / 2))
    part = maps.centre[low:high, low:high]
    row, column = (int(k) + low for k in np.unravel_index(int(part.argmax()), part.shape))
    box, outline = traced(maps, maps.box(row, column))
    step, corner = float(place[0, 0]), place[:, 2]
    x, y = (float(c) for c in np.array(box[:2]) * step + corner)
    corners = np.clip(outline * step + corner, 0, np.array(size) - 1)
    likely = float(maps.centre[row, column])
    return Found(likely, (x, y, box[2] * step, box[3] * step), np.asarray(corners, np.float32))


BESIDE = 0.2
"""How far beyond its box, as a share of it, a die's own cells may lie."""

DIFFERS = 0.15
"""Share of a die's box by which a side told by its cells may be off the one that is told; farther off, they are
another thing's."""


def traced(maps: Maps, box: Box) -> tuple[Box, Points]:
    """A die's box, made exact by its cells, and its convex outline (N, 2); pixels of the picture.

    Each side is half way between what the die's centre says of it and where its cells end.
    """
    told = np.array([box[:2], (box[0] + box[2], box[1] + box[3])])
    points = ends_of(maps, box)
    if points is None:
        x, y = told.T
        return box, np.array([[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]], np.float32)
    ends = np.array([points.min(axis=0) - 0.5, points.max(axis=0) + 0.5])
    near = np.abs(ends - told) < DIFFERS * max(box[2:])
    low, high = np.where(near, (ends + told) / 2, told)
    spread = low + (points - ends[0]) * ((high - low) / (ends[1] - ends[0]))
    inside = np.clip(spread, low, high).astype(np.float32)
    wide, tall = (float(side) for side in high - low)
    return (float(low[0]), float(low[1]), wide, tall), np.asarray(cv2.convexHull(inside)[:, 0], np.float32)


def ends_of(maps: Maps, box: Box) -> NDArray[np.float64] | None:
    """(N, 2) the first and last of each row of pixels round the middle of `box` that are likely a die's.

    None where hardly any are.
    """
    height, width = (side * CELL_PX for side in maps.die.shape)
    die = cv2.resize(maps.die, (width, height), interpolation=cv2.INTER_LINEAR) > 0.5
    x, y, wide, tall = box
    left, right = (int(np.clip(c, 0, width)) for c in (x - BESIDE * wide, x + (1 + BESIDE) * wide + 1))
    up, down = (int(np.clip(c, 0, height)) for c in (y - BESIDE * tall, y + (1 + BESIDE) * tall + 1))
    _, numbers = cv2.connectedComponents(die[up:down, left:right].astype(np.uint8))
    row, column = (
        int(np.clip(c, 0, n - 1)) for c, n in zip((y + tall / 2 - up, x + wide / 2 - left), numbers.shape, strict=True)
    )
    mine = (numbers == numbers[row, column]) & (numbers > 0)
    if mine.sum() < 0.25 * wide * tall:
        return None
    rows = np.flatnonzero(mine.any(axis=1))
    first, last = mine[rows].argmax(axis=1), mine.shape[1] - 1 - mine[rows, ::-1].argmax(axis=1)
    return np.stack([np.concatenate([first, last]) + left, np.tile(rows, 2) + up], axis=1).astype(np.float64)


def load(onnx: bytes, about_json: str) -> Finder:
    """The finder from its files' contents. Raises BadFinder where they do not fit this reader."""
    cells = CLOSER_PX // CELL_PX
    try:
        agree = tuple(float(weight) for weight in json.loads(about_json)["agree"])
        net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
        net.setInput(np.zeros((1, 3, CLOSER_PX, CLOSER_PX), np.float32))
        shape = np.asarray(net.forward()).shape
    except (KeyError, TypeError, ValueError, cv2.error) as error:
        raise BadFinder(f"expected the finder's ONNX model and its JSON with agree; got {error}") from error
    if shape != (1, OUTPUTS, cells, cells) or len(agree) != WEIGHTS:
        raise BadFinder(
            f"expected outputs {(1, OUTPUTS, cells, cells)} and {WEIGHTS} weights; got {shape} and {len(agree)}"
        )
    return Finder(net, agree)


@cache
def shipped_files() -> tuple[bytes, str]:
    """The contents of the model files in this package."""
    folder = files("dicevision") / "models"
    return (folder / "finder.onnx").read_bytes(), (folder / "finder.json").read_text()


def shipped() -> Finder:
    """A fresh net from the files in this package, for one thread."""
    return load(*shipped_files())


mine = one_a_thread(shipped)
"""This thread's own finder, loaded once."""
