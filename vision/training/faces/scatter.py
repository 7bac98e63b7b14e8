"""Scenes of pipped dice drawn fast, as shaded polygons: hundreds of kinds of dice in any light, each face labelled.

Less true to light than training.trays and forty times as fast; the judge learns from both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from training import scene, surface
from training.faces.litter import ground
from training.faces.truth import Truth, truths
from training.surface import Material, Picture
from training.trays import geometry
from training.trays.cube import PATTERNS
from training.trays.geometry import UP, Array, Placed, View
from training.trays.model import Camera, DiePose
from training.trays.throws import SETS

WIDTH, HEIGHT = 480, 360
FINER = 2
"""Painted at twice the size, then shrunk."""

SPAN_PX = (12, 75)
"""A die's edge in the middle of the picture: below 12 pixels a pip is one pixel."""

CIRCLE = np.stack([np.cos(np.arange(20) * np.pi / 10), np.sin(np.arange(20) * np.pi / 10)], axis=1)


@dataclass(frozen=True, slots=True)
class Make:
    """One kind of die. cut: radius, in half edges, of the ball that its corners are turned to (1.73: none).

    facet: the exponent of a face's outline, 2 a disc, 10 a square. ace: how much larger the pip of its 1 is.
    print: the width of a word over the ace, 0 for none.
    """

    stuff: Material
    pose: DiePose
    cut: float
    facet: float
    ace: float
    word: float
    hollow: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A scene: the picture and its faces."""

    frame: NDArray[np.uint8]
    faces: tuple[Truth, ...]


def draw(rng: np.random.Generator) -> Drawn:
    """One scene; the same `rng` state gives the same one."""
    span = float(np.exp(rng.uniform(*np.log(SPAN_PX))))
    view = geometry.look(some_camera(rng, span))
    dice = [(make, geometry.place(make.pose)) for make in throw(rng, view, span)]
    dice.sort(key=lambda d: -float(np.linalg.norm(d[1].middle - view.eye)))
    picture = cv2.resize(ground(rng, WIDTH, HEIGHT), None, fx=FINER, fy=FINER, interpolation=cv2.INTER_LINEAR)
    light = some_light(rng)
    shadows(rng, picture, view, [die for _, die in dice], light, span)
    owner = np.zeros((HEIGHT, WIDTH), np.uint8)
    for k, (make, die) in enumerate(dice):
        paint(rng, picture, view, make, die, light)
        cv2.fillPoly(owner, [np.rint(hull(view, make, die)).astype(np.int32)], k + 1)
    small = cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    frame = specked(rng, scene.shoot(rng, small, span))
    return Drawn(frame, tuple(face for k, (_, die) in enumerate(dice) for face in truths(view, die, owner, k + 1)))


def some_camera(rng: np.random.Generator, span: float) -> Camera:
    """From straight above to 62 degrees; one in three nearly overhead."""
    tilt = rng.uniform(0, 14) if rng.random() < 0.33 else rng.uniform(14, 62)
    return Camera(WIDTH, HEIGHT, rng.uniform(250, 800), 16.0 * WIDTH / span, tilt, rng.normal(0, 6))


def some_light(rng: np.random.Generator) -> Array:
    """(3,) towards the lamp."""
    a, e = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(30, 85))
    return np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)], np.float32)


# --- which dice, and where ---------------------------------------------------------------------------------------


def throw(rng: np.random.Generator, view: View, span: float) -> list[Make]:
    """Up to nine dice, apart, side by side or leaning; in half of the scenes all are of one make."""
    one = some_make(rng) if rng.random() < 0.5 else None
    makes: list[Make] = []
    for _ in range(int(rng.integers(1, 10 if span < 45 else 6))):
        base = one or some_make(rng)
        pose = replace(base.pose, value=int(rng.integers(1, 7)), yaw_deg=rng.uniform(0, 360))
        pose = beside(rng, pose, makes[-1].pose) if makes and rng.random() < 0.3 else somewhere(rng, pose, view)
        if rng.random() < 0.13:
            pose = replace(pose, tilt_deg=rng.uniform(13, 42), tilt_to_deg=rng.uniform(0, 360))
        if all(apart(pose, other.pose) for other in makes):
            makes.append(replace(base, pose=pose))
    return makes


def somewhere(rng: np.random.Generator, pose: DiePose, view: View) -> DiePose:
    """Put it at a random place in the picture, some of them cut by its edge."""
    at = rng.uniform(-0.01, 1.01, 2) * (WIDTH, HEIGHT)
    way = view.rays(np.asarray(at[:1], np.float32), np.asarray(at[1:], np.float32))[0]
    far = -view.eye[2] / min(float(way[2]), -1e-3)
    x, y, _ = view.eye + far * way
    return replace(pose, x_mm=float(x), y_mm=float(y))


def beside(rng: np.random.Generator, pose: DiePose, other: DiePose) -> DiePose:
    """Push it against another: face to face and parallel, or at any angle."""
    if rng.random() < 0.6:
        way, gap = np.radians(other.yaw_deg + 90 * int(rng.integers(4))), (other.size_mm + pose.size_mm) / 2
        pose = replace(pose, yaw_deg=other.yaw_deg + 90 * int(rng.integers(4)))
    else:
        way, gap = rng.uniform(0, 2 * np.pi), (other.size_mm + pose.size_mm) / 2 * rng.uniform(1.1, 1.5)
    slip, gap = rng.normal(0, 0.25) * pose.size_mm, gap * rng.uniform(1.0, 1.12)
    x = other.x_mm + gap * np.cos(way) - slip * np.sin(way)
    return replace(pose, x_mm=float(x), y_mm=float(other.y_mm + gap * np.sin(way) + slip * np.cos(way)))


def apart(a: DiePose, b: DiePose) -> bool:
    """Whether two dice do not stand in each other, as far as their middles tell."""
    far = np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) / ((a.size_mm + b.size_mm) / 2)
    turned = abs((a.yaw_deg - b.yaw_deg + 45) % 90 - 45) > 3
    return bool(far > (1.12 if turned else 0.99))


def some_make(rng: np.random.Generator) -> Make:
    """A die as sold: casino, hobby, board game, home-made."""
    spread = float(rng.uniform(0.2, 0.29))
    pose = DiePose(
        0, 0, 1,
        size_mm=16 * float(np.exp(rng.normal(0, 0.15))),
        roundness=float(rng.choice([rng.uniform(0.02, 0.1), rng.uniform(0.08, 0.3)])),
        pip_size=float(rng.uniform(0.07, min(0.13, 0.47 * spread))),
        pip_spread=spread,
    )  # fmt: skip
    cut = float(rng.uniform(1.25, 1.5)) if rng.random() < 0.45 else 1.73
    facet = float(np.exp(rng.uniform(np.log(2), np.log(5)))) if cut < 1.7 else 12.0
    ace = float(rng.uniform(1.1, 1.9)) if rng.random() < 0.3 else 1.0
    word = float(rng.uniform(0.5, 0.9)) if rng.random() < 0.1 else 0.0
    return Make(some_stuff(rng), pose, cut, facet, ace, word, float(rng.uniform(0, 0.5)))


def some_stuff(rng: np.random.Generator) -> Material:
    """Two in three as shops sell them by the dozen, plain; the rest of any colour, marbled, speckled or clear."""
    stuff = surface.draw(rng)
    kind = rng.random()
    if kind > 0.67:
        return stuff
    body, ink = SETS[int(rng.integers(3 if kind < 0.3 else len(SETS)))]
    return replace(stuff, body=(bgr(body, rng), *stuff.body[1:]), ink=bgr(ink, rng), pattern="plain", clear=0.0)


def bgr(colour: str, rng: np.random.Generator) -> tuple[float, float, float]:
    """A colour given as #rrggbb, a little off, as blue, green, red 0 to 1."""
    given = np.array([int(colour[i : i + 2], 16) / 255 for i in (5, 3, 1)]) + rng.normal(0, 0.03, 3)
    b, g, r = np.clip(given, 0, 1)
    return float(b), float(g), float(r)


# --- painting ----------------------------------------------------------------------------------------------------


def hull(view: View, make: Make, die: Placed) -> Array:
    """The die's outline, (N, 2) frame pixels."""
    turn, high = np.meshgrid(np.linspace(0, 2 * np.pi, 12, endpoint=False), np.linspace(-1.4, 1.4, 5))
    ball = np.stack([np.cos(turn) * np.cos(high), np.sin(turn) * np.cos(high), np.sin(high)], -1).reshape(-1, 3)
    inner = geometry.corners(die.half_mm - die.round_mm)
    points = (inner[:, None] + ball[None] * die.round_mm).reshape(-1, 3)
    far = np.linalg.norm(points, axis=1, keepdims=True)
    points = points * np.minimum(1, make.cut * die.half_mm / far)
    return np.asarray(cv2.convexHull(view.project(points @ die.turn.T + die.middle)).reshape(-1, 2), np.float32)


def on_face(die: Placed, axis: int, sign: int, uv: Array) -> Array:
    """Places (N, 2) on a face, in half edges, as (N, 3) mm on the tray."""
    own = np.zeros((len(uv), 3))
    own[:, axis] = sign * die.half_mm
    own[:, (axis + 1) % 3], own[:, (axis + 2) % 3] = uv.T * die.half_mm
    return np.asarray(own @ die.turn.T + die.middle, np.float32)


def shadows(
    rng: np.random.Generator, picture: Picture, view: View, dice: Sequence[Placed], light: Array, span: float
) -> None:
    """Darken the ground: each die's cast shadow, soft, and the seam where it stands."""
    dark = np.zeros((HEIGHT, WIDTH), np.uint8)
    low = max(float(light[2]), 0.35)
    for die in dice:
        corners = geometry.corners(die.half_mm * 0.9) @ die.turn.T + die.middle
        cast = corners - light * (corners[:, 2:] / low)
        points = view.project(np.concatenate([cast, corners * (1, 1, 0)]))
        cv2.fillConvexPoly(dark, np.rint(cv2.convexHull(points)[:, 0] * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(dark, (0, 0), max(0.5, span * float(rng.uniform(0.02, 0.25)))).astype(np.float32) / 255
    wide = cv2.resize(soft, (WIDTH * FINER, HEIGHT * FINER))
    picture *= 1 - np.float32(rng.uniform(0, 0.75)) * wide[..., None]


def paint(rng: np.random.Generator, picture: Picture, view: View, make: Make, die: Placed, light: Array) -> None:
    """Draw one die over what is there."""
    edge = hull(view, make, die) * FINER
    low = np.maximum(np.floor(edge.min(axis=0)) - 2, 0).astype(int)
    high = np.minimum(np.ceil(edge.max(axis=0)) + 3, picture.shape[1::-1]).astype(int)
    if (high - low < 4).any():
        return
    part = picture[low[1] : high[1], low[0] : high[0]]
    shape = (part.shape[0], part.shape[1])
    scale = float(np.ptp(edge, axis=0).max())
    mask = filled(shape, [edge - low])
    shade, ink, far = lit(rng, view, make, die, light, low, shape, scale)
    colour = surface.albedo(rng, make.stuff, max(shape))[: shape[0], : shape[1]].copy()
    if make.stuff.clear:
        colour += (cv2.blur(part, (9, 9)) - colour) * np.float32(make.stuff.clear * rng.uniform(0.2, 0.7))
        colour += (np.array(make.stuff.ink, np.float32) - colour) * far[..., None] * np.float32(0.5 * make.stuff.clear)
    rim = surface.relief(ink, (float(light[0]), -float(light[1])), scale * 0.02) * np.float32(make.hollow)
    colour += (np.array(make.stuff.ink, np.float32) - colour) * ink[..., None]
    colour = colour * (shade + rim)[..., None] + gloss(rng, shape, scale, make.stuff.gloss)[..., None]
    part += (colour - part) * mask[..., None]


def filled(
    shape: tuple[int, int], contours: Sequence[Array], value: float = 255, canvas: NDArray[np.uint8] | None = None
) -> Picture:
    """Polygons as a mask, 0 to 1; `canvas` is drawn into where given."""
    canvas = np.zeros(shape, np.uint8) if canvas is None else canvas
    cv2.fillPoly(canvas, [np.rint(c * 16).astype(np.int32) for c in contours], value, cv2.LINE_AA, 4)
    return canvas.astype(np.float32) / 255


def lit(
    rng: np.random.Generator,
    view: View,
    make: Make,
    die: Placed,
    light: Array,
    low: Array,
    shape: tuple[int, int],
    scale: float,
) -> tuple[Picture, Picture, Picture]:
    """Light on each pixel of a die's window, the ink on its near faces, and that on its far ones."""
    ambient, strength = rng.uniform(0.45, 0.9), rng.uniform(0.2, 0.7)
    grey = np.full(shape, (ambient + strength * rng.uniform(0.3, 1.3)) * 127, np.uint8)
    near, far = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    size = min(1.0, float(np.sqrt(max(0.3, make.cut**2 - 1)))) - 0.6 * min(0.3, 2 * make.pose.roundness)
    ring = size * CIRCLE / (np.abs(CIRCLE) ** make.facet).sum(axis=1, keepdims=True) ** (1 / make.facet)
    for value, (axis, sign) in UP.items():
        normal = die.turn[:, axis] * sign
        front = normal @ (view.eye - die.middle - normal * die.half_mm) > 0
        pips = [view.project(on_face(die, axis, sign, c)) * FINER - low for c in marks(make, value)]
        filled(shape, pips, canvas=near if front else far)
        if front:
            level = ambient + strength * max(0.0, float(normal @ light)) + rng.normal(0, 0.03)
            outline = view.project(on_face(die, axis, sign, ring)) * FINER - low
            cv2.fillPoly(
                grey, [np.rint(outline * 16).astype(np.int32)], float(np.clip(level, 0, 2) * 127), cv2.LINE_AA, 4
            )
            if value == 1 and make.word:
                wording(rng, near, view, die, axis, sign, low, make.word)
    soft = cv2.GaussianBlur(grey, (0, 0), max(0.4, scale * (0.01 + 0.12 * make.pose.roundness)))
    return soft.astype(np.float32) / 127, near.astype(np.float32) / 255, far.astype(np.float32) / 255


def marks(make: Make, value: int) -> list[Array]:
    """The pips of a face: circles in half edges."""
    radius = make.pose.pip_size * 2 * (make.ace if value == 1 else 1)
    spread = make.pose.pip_spread * 2
    return [np.asarray(CIRCLE * radius + np.array(at) * spread, np.float32) for at in PATTERNS[value]]


def wording(
    rng: np.random.Generator,
    near: NDArray[np.uint8],
    view: View,
    die: Placed,
    axis: int,
    sign: int,
    low: Array,
    wide: float,
) -> None:
    """A maker's word beside the ace's pip."""
    word = np.zeros((40, 120), np.uint8)
    cv2.putText(word, str(rng.choice(["BICYCLE", "ACE", "CASINO", "LUCKY"])), (4, 30), 0, 0.8, 255, 2, cv2.LINE_AA)
    uv = np.array([[-wide, 0.85], [wide, 0.85], [wide, 0.4], [-wide, 0.4]], np.float32)
    to = np.asarray(view.project(on_face(die, axis, sign, uv)) * FINER - low, np.float32)
    source = np.array([[0, 0], [120, 0], [120, 40], [0, 40]], np.float32)
    m = cv2.getPerspectiveTransform(source, to)
    np.maximum(near, cv2.warpPerspective(word, m, near.shape[::-1]), out=near)


def gloss(rng: np.random.Generator, shape: tuple[int, int], scale: float, much: float) -> Picture:
    """What the lamp and the window add: patches and glints."""
    canvas = np.zeros(shape, np.uint8)
    for _ in range(int(rng.integers(0, 5))):
        at = rng.uniform(0.1, 0.9, 2) * shape[::-1]
        axes = np.exp(rng.uniform(np.log(0.03), np.log(0.35), 2)) * scale
        bright = float(255 * much * rng.uniform(0.1, 0.9) * (1 if axes.max() < 0.12 * scale else 0.5))
        cv2.ellipse(
            canvas, (tuple(at.tolist()), tuple(axes.tolist()), float(rng.uniform(0, 180))), bright, -1, cv2.LINE_AA
        )
    return cv2.GaussianBlur(canvas, (0, 0), max(0.5, scale * rng.uniform(0.005, 0.05))).astype(np.float32) / 255


def specked(rng: np.random.Generator, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Wild pixels, black and white, in one frame of eight."""
    if rng.random() > 0.12:
        return frame
    chance = rng.random(frame.shape[:2])
    share = rng.uniform(0.001, 0.02)
    frame[chance < share / 2], frame[chance > 1 - share / 2] = 0, 255
    return frame
