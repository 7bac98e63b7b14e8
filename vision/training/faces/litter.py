"""What lies on tables beside dice: keys, print, tokens, coins, cloth, cables, dice with numerals."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from training import scene, singles, surface
from training.surface import Picture

Canvas = NDArray[np.uint8]
"""(height, width, 3) BGR that is drawn into."""

WORDS = ("SIZE 3", "D10", "esc", "Dirtside", "HP", "17", "oooo", "8 8 8", "caps lock", "C12.0", "::::", "%", "@", "B&O")


def paint(rng: np.random.Generator) -> tuple[float, float, float]:
    """A colour, BGR 0 to 255."""
    b, g, r = surface._colour(rng)
    return b * 255, g * 255, r * 255


def ground(rng: np.random.Generator, width: int, height: int) -> Picture:
    """A table or tray of `width` x `height` pixels with things on it, none of them a pipped die; 0 to 1."""
    side = max(width, height)
    picture = np.ascontiguousarray(scene.background(rng, side)[:height, :width] * 255).astype(np.uint8)
    if rng.random() < 0.2:
        cloth(rng, picture)
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.4, 0.25, 0.2, 0.15]))):
        THINGS[int(rng.integers(len(THINGS)))](rng, picture)
    return picture.astype(np.float32) / 255


def laid(rng: np.random.Generator, picture: Canvas, thing: Canvas, mask: Picture, size: float) -> None:
    """Lay a flat thing drawn in its own square onto the picture: anywhere, turned, seen at a slant."""
    height, width = picture.shape[:2]
    n = thing.shape[0]
    turn, flat = rng.uniform(0, 2 * np.pi), rng.uniform(0.45, 1.0)
    c, s = np.cos(turn) * size / n, np.sin(turn) * size / n
    m = np.array([[c, -s], [s * flat, c * flat]])
    at = rng.uniform(0, 1, 2) * (width, height)
    to = np.column_stack([m, at - m @ (n / 2, n / 2)])
    seen = cv2.warpAffine(mask, to, (width, height), flags=cv2.INTER_AREA)[..., None]
    flat_thing = cv2.warpAffine(thing, to, (width, height), flags=cv2.INTER_AREA).astype(np.float32)
    picture[...] = picture + (flat_thing - picture) * seen


def blank(rng: np.random.Generator, n: int = 256) -> tuple[Canvas, Picture]:
    """A plain square of some colour, and its mask."""
    return np.full((n, n, 3), paint(rng)).astype(np.uint8), np.ones((n, n), np.float32)


def keyboard(rng: np.random.Generator, picture: Canvas) -> None:
    """Rows of keys with a letter each."""
    thing, mask = blank(rng)
    key, ink = paint(rng), paint(rng)
    if rng.random() < 0.6:
        key, ink = (18.0,) * 3, (230.0,) * 3
    step = int(rng.integers(28, 52))
    for y in range(4, 252 - step, step):
        for x in range(4 + y % 13, 252 - step, step):
            cv2.rectangle(thing, (x, y), (x + step - 5, y + step - 5), key, -1, cv2.LINE_AA)
            letter = chr(int(rng.integers(33, 91)))
            cv2.putText(thing, letter, (x + step // 4, y + step // 2 + 4), 0, step / 80, ink, 1, cv2.LINE_AA)
    laid(rng, picture, thing, mask, rng.uniform(0.3, 1.0) * picture.shape[1])


def wording(rng: np.random.Generator, picture: Canvas) -> None:
    """Words and figures."""
    ink = paint(rng)
    for _ in range(int(rng.integers(1, 9))):
        at = (int(rng.integers(picture.shape[1])), int(rng.integers(picture.shape[0])))
        word = WORDS[int(rng.integers(len(WORDS)))]
        size = float(np.exp(rng.uniform(-1.1, 0.8)))
        cv2.putText(picture, word, at, int(rng.integers(8)), size, ink, int(rng.integers(1, 4)), cv2.LINE_AA)


def tokens(rng: np.random.Generator, picture: Canvas) -> None:
    """Coins and counters: discs, ringed, some with a figure, some in a row as pips never are on a die."""
    size, colour, ink = rng.uniform(4, 40), paint(rng), paint(rng)
    at, way = rng.uniform(0, 1, 2) * picture.shape[1::-1], rng.uniform(-4, 4, 2) * size
    flat = rng.uniform(0.5, 1)
    for _ in range(int(rng.integers(1, 8))):
        centre = (int(at[0]), int(at[1]))
        cv2.ellipse(picture, centre, (int(size), max(1, int(size * flat))), 0, 0, 360, colour, -1, cv2.LINE_AA)
        if size > 10:
            inner = (int(size * 0.8), max(1, int(size * flat * 0.8)))
            cv2.ellipse(picture, centre, inner, 0, 0, 360, ink, 1, cv2.LINE_AA)
            low, figure = (centre[0] - int(size / 3), centre[1] + int(size / 3)), str(int(rng.integers(2, 13)))
            cv2.putText(picture, figure, low, 0, size / 30, ink, max(1, int(size / 12)), cv2.LINE_AA)
        at = at + way if rng.random() < 0.6 else rng.uniform(0, 1, 2) * picture.shape[1::-1]


def board(rng: np.random.Generator, picture: Canvas) -> None:
    """Hexagons or squares of a game board, each with its own colour and here and there a round token."""
    thing, mask = blank(rng)
    step, six = int(rng.integers(30, 70)), rng.random() < 0.6
    inks = [paint(rng) for _ in range(5)]
    for k, y in enumerate(range(0, 256 + step, step)):
        for x in range(-(k % 2) * step // 2, 256 + step, step):
            angles = np.arange(6 if six else 4) * (2 * np.pi / (6 if six else 4)) + (0 if six else np.pi / 4)
            corners = np.array([x, y]) + np.stack([np.sin(angles), np.cos(angles)], 1) * step * 0.56
            cv2.fillPoly(thing, [np.rint(corners).astype(np.int32)], inks[int(rng.integers(5))], cv2.LINE_AA)
            if rng.random() < 0.5:
                cv2.circle(thing, (x, y), step // 5, inks[0], -1, cv2.LINE_AA)
                cv2.putText(
                    thing, str(int(rng.integers(2, 13))), (x - 5, y + 4), 0, step / 130, inks[1], 1, cv2.LINE_AA
                )
    grain = surface.noise(rng, 256, 60)[..., None] * np.float32(rng.uniform(0, 20))
    thing = np.clip(thing + grain, 0, 255).astype(np.uint8)
    laid(rng, picture, thing, mask, rng.uniform(0.3, 1.2) * picture.shape[1])


def cloth(rng: np.random.Generator, picture: Canvas) -> None:
    """Dots, checks or stripes all over."""
    step, colour = int(rng.integers(10, 60)), paint(rng)
    kind, much = rng.integers(3), float(rng.uniform(0.2, 1))
    before = picture.copy()
    for y in range(0, picture.shape[0] + step, step):
        if kind == 1:
            cv2.line(picture, (0, y), (picture.shape[1], y), colour, max(1, step // 4))
        for x in range(0, picture.shape[1] + step, step):
            if kind == 0:
                shift = step // 2 if (y // step) % 2 and step % 2 else 0
                cv2.circle(picture, (x + shift, y), max(1, step // 5), colour, -1, cv2.LINE_AA)
            if kind == 2 and (x // step + y // step) % 2:
                cv2.rectangle(picture, (x, y), (x + step - 1, y + step - 1), colour, -1)
    picture[...] = cv2.addWeighted(picture, much, before, 1 - much, 0)


def cable(rng: np.random.Generator, picture: Canvas) -> None:
    """A dark curve with a lump on it, or a straight edge of something larger."""
    at = rng.uniform(-0.1, 1.1, (4, 2)) * picture.shape[1::-1]
    t = np.linspace(0, 1, 30)[:, None]
    curve = (1 - t) ** 3 * at[0] + 3 * t * (1 - t) ** 2 * at[1] + 3 * t * t * (1 - t) * at[2] + t**3 * at[3]
    ink, wide = paint(rng), int(rng.integers(2, 14))
    cv2.polylines(picture, [np.rint(curve).astype(np.int32)], False, ink, wide, cv2.LINE_AA)
    lump = [np.rint(curve[15] + rng.uniform(-2.5, 2.5, (4, 2)) * wide).astype(np.int32)]
    cv2.fillPoly(picture, [cv2.convexHull(lump[0])], ink, cv2.LINE_AA)


def block(rng: np.random.Generator, picture: Canvas) -> None:
    """A blank cube, a rubber, a figure's base: some hull of one colour with a lighter top and here and there a hole."""
    size, at = rng.uniform(12, 80), rng.uniform(0, 1, 2) * picture.shape[1::-1]
    colour = np.array(paint(rng))
    low = cv2.convexHull((at + rng.uniform(-1, 1, (7, 2)) * size).astype(np.float32))[:, 0]
    shift = np.array([0, size * rng.uniform(0.1, 0.8)], np.float32)
    body = cv2.convexHull(np.concatenate([low, low + shift]))[:, 0]
    cv2.fillPoly(picture, [np.rint(body).astype(np.int32)], (colour * rng.uniform(0.3, 0.9)).tolist(), cv2.LINE_AA)
    cv2.fillPoly(picture, [np.rint(low).astype(np.int32)], colour.tolist(), cv2.LINE_AA)
    if rng.random() < 0.5:
        spot = at + rng.uniform(-0.4, 0.4, 2) * size
        cv2.circle(picture, (int(spot[0]), int(spot[1])), max(1, int(size * rng.uniform(0.06, 0.2))), paint(rng), -1,
                   cv2.LINE_AA)  # fmt: skip


def numeral(rng: np.random.Generator, picture: Canvas) -> None:
    """A die with numerals, cut out of its own render."""
    one = singles.render(rng)
    grow = rng.uniform(0.6, 1.6)
    h, w = (int(n * grow) for n in one.picture.shape[:2])
    if h >= picture.shape[0] or w >= picture.shape[1]:
        return
    small = cv2.resize(one.picture, (w, h), interpolation=cv2.INTER_AREA if grow < 1 else cv2.INTER_LINEAR)
    mask = np.zeros((h, w), np.float32)
    cv2.fillPoly(mask, [np.rint(one.outline * grow).astype(np.int32)], 1.0, cv2.LINE_AA)
    x, y = int(rng.integers(picture.shape[1] - w)), int(rng.integers(picture.shape[0] - h))
    part = picture[y : y + h, x : x + w]
    shaded = part * (1 - 0.5 * cv2.blur(mask, (max(1, w // 8),) * 2)[..., None])
    part[...] = shaded + (small - shaded) * mask[..., None]


THINGS: tuple[Callable[[np.random.Generator, Canvas], None], ...] = (
    keyboard, keyboard, wording, tokens, tokens, board, board, cable, block, numeral, numeral,
)  # fmt: skip
