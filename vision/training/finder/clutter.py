"""What lies on tables and is no die: hands, sleeves, pens, cards, coins, a tray's rim; and what `faces.litter` has.

Each draws into a BGR picture, 0 to 255, at any size.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from training import scene, surface
from training.faces import litter
from training.faces.litter import Canvas, paint

Lots = np.random.Generator
SKIN = ((120, 150, 210), (90, 120, 180), (60, 85, 135), (40, 55, 90), (150, 180, 235))
"""Skins, BGR."""


def tray(rng: Lots, picture: Canvas) -> None:
    """A tray on a table: rim, walls lit unequally, and a floor of its own; square, six-sided, round."""
    height, width = picture.shape[:2]
    side = max(height, width)
    corners = int(rng.choice([4, 4, 4, 6, 8, 40]))
    turn = np.pi / corners + (rng.normal(0, 0.03) if rng.random() < 0.7 else rng.uniform(0, np.pi))
    angles = np.arange(corners) * 2 * np.pi / corners + turn
    reach = np.array([width, height]) / 2 * rng.uniform(0.75, 1.15) / np.cos(np.pi / corners)
    ring = np.stack([np.cos(angles), np.sin(angles)], 1) * reach
    middle = np.array([width, height]) * (0.5 + rng.normal(0, 0.04, 2))
    wall, slip = rng.uniform(0.75, 0.97), rng.normal(0, 0.03, 2) * side
    floor = np.ascontiguousarray(scene.background(rng, side)[:height, :width] * 255).astype(np.uint8)
    outer, inner = middle + ring, middle + slip + ring * wall
    colour = np.array(paint(rng))
    cv2.fillPoly(picture, [whole(middle + ring * rng.uniform(1.02, 1.12))], (colour * 0.8).tolist(), cv2.LINE_AA)
    for k in range(corners):
        quad = np.stack([outer[k - 1], outer[k], inner[k], inner[k - 1]])
        cv2.fillPoly(picture, [whole(quad)], np.clip(colour * rng.uniform(0.5, 1.1), 0, 255).tolist(), cv2.LINE_AA)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [whole(inner)], 255, cv2.LINE_AA)
    blend(picture, floor, mask)


def whole(points: np.ndarray) -> np.ndarray:
    """Points as whole pixels."""
    return np.asarray(np.rint(points), np.int32)


def blend(picture: Canvas, other: np.ndarray, mask: np.ndarray) -> None:
    """Lay `other` over the picture where `mask` (0 to 255) says."""
    share = mask[..., None].astype(np.float32) / 255
    picture[...] = picture + (other - picture.astype(np.float32)) * share


def shaded(rng: Lots, picture: Canvas, mask: np.ndarray, colour: tuple[float, float, float]) -> None:
    """A rounded thing of one colour: darker towards its edge, a little uneven, a shadow beside it."""
    height, width = mask.shape
    far = max(3.0, 0.02 * max(height, width))
    shadow = cv2.GaussianBlur(np.roll(mask, (int(far), int(rng.normal(0, far))), (0, 1)), (0, 0), far)
    picture[...] = picture * (1 - rng.uniform(0.1, 0.6) * (shadow[..., None].astype(np.float32) / 255))
    depth = cv2.GaussianBlur(mask, (0, 0), far * rng.uniform(1, 4)).astype(np.float32) / 255
    uneven = 1 + 0.06 * surface.noise(rng, max(height, width), int(rng.integers(4, 30)))[:height, :width]
    light = (rng.uniform(0.4, 0.8) + rng.uniform(0.2, 0.6) * depth) * uneven
    blend(picture, np.clip(np.array(colour, np.float32) * light[..., None], 0, 255), mask)


def hand(rng: Lots, picture: Canvas) -> None:
    """Fingers and palm reaching in from an edge, with a sleeve now and then."""
    height, width = picture.shape[:2]
    size = max(height, width) * rng.uniform(0.1, 0.35)
    angle = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-way[1], way[0]])
    palm = np.array([width, height]) / 2 - way * np.array([width, height]) * rng.uniform(0.1, 0.6)
    mask = np.zeros((height, width), np.uint8)
    colour = np.array(SKIN[int(rng.integers(len(SKIN)))]) * rng.uniform(0.7, 1.2)
    cv2.ellipse(mask, (tuple(palm.tolist()), (size, size * 0.85), float(np.degrees(angle))), 255, -1, cv2.LINE_AA)
    cv2.line(mask, *ends(palm, palm - way * 3 * size), 255, max(2, int(size * 0.7)), cv2.LINE_AA)
    for k in range(int(rng.integers(1, 6))):
        root = palm + across * size * (k - 2) * 0.2 + way * size * 0.3
        bend = way * rng.uniform(0.3, 1.0) + across * rng.normal(0, 0.25)
        cv2.line(mask, *ends(root, root + bend * size), 255, max(2, int(size * 0.2)), cv2.LINE_AA)
    shaded(rng, picture, mask, tuple(colour.tolist()))
    if rng.random() < 0.6:
        cuff = np.zeros_like(mask)
        start = palm - way * size * rng.uniform(0.6, 1.2)
        cv2.line(cuff, *ends(start, start - way * 3 * size), 255, max(2, int(size * 1.1)), cv2.LINE_8)
        shaded(rng, picture, cuff, paint(rng))


def ends(a: np.ndarray, b: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two places as cv2.line takes them."""
    return (round(float(a[0])), round(float(a[1]))), (round(float(b[0])), round(float(b[1])))


def pen(rng: Lots, picture: Canvas) -> None:
    """A pen, a pencil, a ruler, a stick of glue: long, of two colours."""
    height, width = picture.shape[:2]
    size = max(height, width)
    a = rng.uniform(-0.1, 1.1, 2) * (width, height)
    angle, long, thick = (
        rng.uniform(0, 2 * np.pi),
        rng.uniform(0.2, 0.8) * size,
        max(2, int(rng.uniform(0.01, 0.08) * size)),
    )
    way = np.array([np.cos(angle), np.sin(angle)])
    mask = np.zeros((height, width), np.uint8)
    cv2.line(mask, *ends(a, a + way * long), 255, thick, cv2.LINE_AA)
    shaded(rng, picture, mask, paint(rng))
    tip = np.zeros_like(mask)
    cv2.line(tip, *ends(a, a + way * long * rng.uniform(0.1, 0.4)), 255, thick, cv2.LINE_AA)
    blend(picture, np.broadcast_to(np.array(paint(rng), np.float32), picture.shape), tip)


def card(rng: Lots, picture: Canvas) -> None:
    """A playing card, a note, a tile or a token board: flat, square-cornered or rounded, with figures on it."""
    thing = np.full((256, 256, 3), paint(rng) if rng.random() < 0.5 else (240, 240, 240), np.uint8)
    mask = np.zeros((256, 256), np.float32)
    wide, high = int(rng.integers(60, 126)), int(rng.integers(60, 126))
    cv2.rectangle(mask, (128 - wide, 128 - high), (128 + wide, 128 + high), 1.0, -1)
    ink = paint(rng)
    if rng.random() < 0.5:
        cv2.rectangle(thing, (134 - wide, 134 - high), (122 + wide, 122 + high), paint(rng), int(rng.integers(1, 5)))
    for _ in range(int(rng.integers(0, 7))):
        at = (128 + int(rng.uniform(-0.9, 0.4) * wide), 128 + int(rng.uniform(-0.6, 0.9) * high))
        text = litter.WORDS[int(rng.integers(len(litter.WORDS)))] if rng.random() < 0.5 else str(int(rng.integers(21)))
        cv2.putText(
            thing, text, at, int(rng.integers(8)), rng.uniform(0.5, 3.5), ink, int(rng.integers(1, 6)), cv2.LINE_AA
        )
    size = float(np.exp(rng.uniform(np.log(0.08), np.log(0.7)))) * picture.shape[1]
    litter.laid(rng, picture, thing, mask, size)


def cap(rng: Lots, picture: Canvas) -> None:
    """A bottle cap, a button, a ball, a coin with relief: round and shaded."""
    height, width = picture.shape[:2]
    size = float(np.exp(rng.uniform(np.log(0.012), np.log(0.12)))) * width
    at = rng.uniform(0, 1, 2) * (width, height)
    mask = np.zeros((height, width), np.uint8)
    flat = rng.uniform(0.6, 1)
    cv2.ellipse(mask, (tuple(at.tolist()), (2 * size, 2 * size * flat), 0.0), 255, -1, cv2.LINE_AA)
    shaded(rng, picture, mask, paint(rng))
    for _ in range(int(rng.integers(0, 3))):
        inner = 2 * size * rng.uniform(0.3, 0.95)
        cv2.ellipse(
            picture, (tuple(at.tolist()), (inner, inner * flat), 0.0), paint(rng), max(1, int(size / 9)), cv2.LINE_AA
        )


def blob(rng: Lots, picture: Canvas) -> None:
    """A crumb, a meeple, a rubber, a crumpled tissue: a lump of any outline, shaded."""
    height, width = picture.shape[:2]
    size = float(np.exp(rng.uniform(np.log(0.01), np.log(0.2)))) * width
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(5, 14))))
    ring = np.stack([np.cos(angles), np.sin(angles)], 1) * rng.uniform(0.4, 1.3, (len(angles), 1)) * size
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [whole(rng.uniform(0, 1, 2) * (width, height) + ring)], 255, cv2.LINE_AA)
    shaded(rng, picture, mask, paint(rng))


def grid(rng: Lots, picture: Canvas) -> None:
    """A battle map's squares or hexagons, seen a little aslant."""
    height, width = picture.shape[:2]
    pitch, colour = float(np.exp(rng.uniform(np.log(0.03), np.log(0.25)))) * width, paint(rng)
    turn, squash = rng.uniform(0, np.pi), rng.uniform(0.7, 1)
    lean = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn) * squash, np.cos(turn) * squash]]) * pitch
    sides = 4 if rng.random() < 0.5 else 6
    angles = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    cell = np.stack([np.cos(angles), np.sin(angles)], 1) / np.sqrt(2 if sides == 4 else 3)
    far = int(1.5 * width / pitch) + 1
    thick = int(rng.integers(1, 3))
    for row in range(-far, far + 1):
        rise = row * (1 if sides == 4 else np.sqrt(0.75))
        across = np.arange(-far, far + 1) + (0 if sides == 4 else 0.5 * (row % 2))
        cells = [whole(np.add(cell, (x, rise)) @ lean.T + (width / 2, height / 2)) for x in across]
        cv2.polylines(picture, cells, True, colour, thick, cv2.LINE_AA)


def shade(rng: Lots, picture: Canvas) -> None:
    """A shadow's or a lamp's edge across the table."""
    height, width = picture.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    points = rng.uniform(-0.3, 1.3, (4, 2)) * (width, height)
    cv2.fillConvexPoly(mask, cv2.convexHull(whole(points)), 255, cv2.LINE_AA)
    soft = cv2.GaussianBlur(mask, (0, 0), float(np.exp(rng.uniform(0, 3.3)))).astype(np.float32)[..., None] / 255
    picture[...] = np.clip(picture * (1 + (rng.uniform(0.35, 1.5) - 1) * soft), 0, 255)


THINGS: tuple[Callable[[Lots, Canvas], None], ...] = (
    hand, hand, pen, card, card, cap, cap, blob, blob, shade, shade,
    *(thing for thing in litter.THINGS if thing is not litter.numeral),
)  # fmt: skip


def ground(rng: Lots, width: int, height: int) -> Canvas:
    """A table, in half of the cases with a tray on it, and what lies about; no die."""
    side = max(width, height)
    picture = np.ascontiguousarray(scene.background(rng, side)[:height, :width] * 255).astype(np.uint8)
    if rng.random() < 0.15:
        litter.cloth(rng, picture)
    if rng.random() < 0.2:
        grid(rng, picture)
    before = int(rng.choice([0, 1, 3], p=[0.5, 0.3, 0.2]))
    for _ in range(before):
        THINGS[int(rng.integers(len(THINGS)))](rng, picture)
    if rng.random() < 0.4:
        tray(rng, picture)
        if rng.random() < 0.2:
            grid(rng, picture)
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.45, 0.25, 0.18, 0.12]))):
        THINGS[int(rng.integers(len(THINGS)))](rng, picture)
    return picture
