"""Scenes by the hundred from one seed: dice, trays, cameras, lamps and webcams such as tables have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays import geometry
from training.trays.model import Camera, DieLabel, DiePose, Finish, Light, Sensor, Surface, Tray
from training.trays.render import render_tray

Kind = Literal["pips", "cocked"]
"""pips: all dice flat, a third of the throws with a pair that touches. cocked: one die of each throw leans on the
wall or on another die."""

SETS: tuple[tuple[str, str], ...] = (
    ("#e9e4d6", "#17161a"),
    ("#f4f3ef", "#101012"),
    ("#f2efe6", "#1e3f8f"),
    ("#a31621", "#f5f1e8"),
    ("#c9302c", "#141414"),
    ("#1f3f93", "#f5f1e8"),
    ("#6fa8dc", "#12203a"),
    ("#1d6b3a", "#f5f1e8"),
    ("#7cc26b", "#10240f"),
    ("#1c1c20", "#f4f4f0"),
    ("#232326", "#c9a43a"),
    ("#202024", "#d8342f"),
    ("#e7b92f", "#15130c"),
    ("#e8762c", "#1a120b"),
    ("#5b2d86", "#e3c766"),
    ("#e58fb1", "#3a1022"),
    ("#8a8d91", "#0f1012"),
    ("#5a3a22", "#f0e6d2"),
)
"""Body and pips of dice as shops sell them."""

MOST_HIDDEN = 0.2
"""A die that others hide by more is not asked to be read."""
TRIES = 200


@dataclass(frozen=True, slots=True)
class Scene:
    """All that `render_tray` is told."""

    dice: tuple[DiePose, ...]
    tray: Tray
    camera: Camera
    lamp: Light
    webcam: Sensor
    seed: int

    def draw(self) -> tuple[NDArray[np.uint8], tuple[DieLabel, ...]]:
        """Render it."""
        return render_tray(
            self.dice, tray=self.tray, camera=self.camera, lamp=self.lamp, webcam=self.webcam, seed=self.seed
        )


def scenes(kind: Kind, seed: int, count: int) -> Iterator[Scene]:
    """Yield `count` scenes; scene k is the same whatever the count. Every other one is seen from 25 to 60 degrees."""
    for k in range(count):
        yield scene(kind, np.random.default_rng([seed, get_args(Kind).index(kind), k]), oblique=k % 2 == 1)


def scene(kind: Kind, rng: np.random.Generator, oblique: bool) -> Scene:
    """Draw lots for one scene."""
    tray, camera = some_tray(rng), some_camera(rng, oblique)
    size = float(rng.choice([12.0, 14.0, 16.0, 16.0, 16.0, 19.0]))
    thrown = leaning_throw if kind == "cocked" else flat_throw
    dice = thrown(rng, tray, camera, size)
    return Scene(tuple(dice), tray, camera, some_light(rng), some_webcam(rng), int(rng.integers(2**31)))


def some_tray(rng: np.random.Generator) -> Tray:
    """Choose a surface, in its usual colour or another."""
    surface: Surface = rng.choice(np.array(get_args(Surface)))
    colours = {
        "felt": ["#2f6b45", "#7a1f2b", "#24457c", "#4a4a4f", "#8c7a55", "#6b2a6b"],
        "wood": ["#b58a5e", "#d3b48a", "#7a5233", "#4b3323"],
        "leather": ["#5a3423", "#241d1b", "#7b3b2a", "#39424c"],
        "black": ["#1b1b1e", "#0f0f11", "#26262b"],
        "card": ["#c9c4b8", "#efece4", "#b9c4c9", "#d8b9a0"],
    }
    wall = float(rng.choice([0.0, 18.0, 25.0, 35.0]))
    rim = str(rng.choice(["#5b3a24", "#2a2320", "#8a6a45", "#3c3c40"]))
    return Tray(surface, str(rng.choice(colours[surface])), wall_mm=wall, rim=rim)


def some_camera(rng: np.random.Generator, oblique: bool) -> Camera:
    """Hang a camera: over the tray, or looking in from the front."""
    tilt = rng.uniform(25, 60) if oblique else rng.uniform(0, 8)
    return Camera(
        distance_mm=rng.uniform(350, 700),
        view_mm=rng.uniform(160, 290),
        tilt_deg=tilt,
        roll_deg=rng.uniform(-6, 6),
    )


def some_light(rng: np.random.Generator) -> Light:
    """Stand a lamp somewhere: soft or hard, warm or cold."""
    return Light(
        azimuth_deg=rng.uniform(0, 360),
        elevation_deg=rng.uniform(35, 82),
        distance_mm=rng.uniform(600, 1500),
        radius_mm=float(np.exp(rng.uniform(np.log(35), np.log(300)))),
        ambient=rng.uniform(0.25, 0.75),
        tint=str(rng.choice(["#fff4e2", "#ffe3bd", "#ffffff", "#e8f0ff"])),
    )


def some_webcam(rng: np.random.Generator) -> Sensor:
    """Choose a webcam, better or worse."""
    return Sensor(
        blur_px=rng.uniform(0.4, 1.3),
        noise=rng.uniform(0.05, 1.0),
        exposure=float(np.exp(rng.uniform(-0.3, 0.3))),
        sharpen=rng.uniform(0, 0.9),
        vignette=rng.uniform(0, 0.35),
        jpeg=int(rng.integers(70, 96)),
        tint=str(rng.choice(["#ffffff", "#fff6ee", "#eef4ff", "#f4fff2"])),
    )


def some_die(rng: np.random.Generator, size_mm: float) -> DiePose:
    """Choose a die and its face; its place comes later."""
    body, pips = SETS[int(rng.integers(len(SETS)))]
    finish: Finish = rng.choice(np.array(get_args(Finish)), p=[0.72, 0.16, 0.12])
    return DiePose(
        x_mm=0,
        y_mm=0,
        value=int(rng.integers(1, 7)),
        yaw_deg=rng.uniform(0, 360),
        size_mm=size_mm,
        body=body,
        pips=pips,
        finish=finish,
        roundness=rng.uniform(0.06, 0.22),
        pip_size=rng.uniform(0.075, 0.105),
        pip_spread=rng.uniform(0.225, 0.27),
        gloss=rng.uniform(0.1, 0.95),
        pip_depth=rng.uniform(0, 1),
    )


def flat_throw(rng: np.random.Generator, tray: Tray, camera: Camera, size_mm: float) -> list[DiePose]:
    """Throw 0 to 6 flat dice; in a third of the throws one is pushed against another."""
    dice: list[DiePose] = []
    for _ in range(int(rng.choice([0, 1, 2, 3, 4, 5, 6], p=[0.04, 0.1, 0.18, 0.2, 0.2, 0.16, 0.12]))):
        die = some_die(rng, size_mm)
        if len(dice) == 1 and rng.random() < 0.33:
            die = pushed(rng, die, dice[0])
            dice += [die] if fits(die, dice, tray, camera, gap_mm=0) else []
        else:
            dice += thrown(rng, die, dice, tray, camera)
    return dice


def leaning_throw(rng: np.random.Generator, tray: Tray, camera: Camera, size_mm: float) -> list[DiePose]:
    """Throw 1 to 4 flat dice and one that leans on the first of them, or on the wall where the tray has one in view."""
    dice = thrown(rng, some_die(rng, size_mm), [], tray, camera)
    for _ in range(TRIES):
        die = replace(some_die(rng, size_mm), tilt_deg=rng.uniform(14, 38))
        lean = against_wall(rng, die, tray) if tray.wall_mm and rng.random() < 0.5 else pushed(rng, die, dice[0])
        if fits(lean, dice, tray, camera, gap_mm=0):
            dice.append(lean)
            break
    for _ in range(int(rng.integers(0, 4))):
        dice += thrown(rng, some_die(rng, size_mm), dice, tray, camera)
    return dice


def thrown(rng: np.random.Generator, die: DiePose, dice: list[DiePose], tray: Tray, camera: Camera) -> list[DiePose]:
    """Return the die at a free place, in a list; an empty one where no place was found."""
    reach = camera.view_mm / 2
    for _ in range(TRIES):
        lying = replace(die, x_mm=rng.uniform(-reach, reach), y_mm=rng.uniform(-reach, reach))
        if fits(lying, dice, tray, camera, gap_mm=1.5):
            return [lying]
    return []


def pushed(rng: np.random.Generator, die: DiePose, other: DiePose) -> DiePose:
    """Push a die against another from some side until they touch; a leaning one leans away from it."""
    way = rng.uniform(0, 2 * np.pi)
    yaw = other.yaw_deg + float(rng.choice([0, 90])) if rng.random() < 0.4 else die.yaw_deg
    die = replace(die, yaw_deg=yaw, tilt_to_deg=float(np.degrees(way)))

    def at(far: float) -> DiePose:
        return replace(die, x_mm=other.x_mm + far * np.cos(way), y_mm=other.y_mm + far * np.sin(way))

    near, far = 0.0, 3 * die.size_mm
    while far - near > 0.02:
        middle = (near + far) / 2
        near, far = (middle, far) if overlap(at(middle), other, 0) else (near, middle)
    return at(far)


def against_wall(rng: np.random.Generator, die: DiePose, tray: Tray) -> DiePose:
    """Lean a die on one of the tray's long or short walls; it leans away from it."""
    side = int(rng.integers(4))
    way = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])[side]
    die = replace(die, tilt_to_deg=side * 90 + 180.0)
    inside = np.array([tray.width_mm, tray.depth_mm]) / 2 - plan(die).max(0)
    along = rng.uniform(-1, 1, 2) * inside
    reach = float((plan(die) @ way).max())
    x, y = np.where(way != 0, way * (np.array([tray.width_mm, tray.depth_mm]) / 2 - reach), along)
    return replace(die, x_mm=float(x), y_mm=float(y))


def fits(die: DiePose, dice: list[DiePose], tray: Tray, camera: Camera, gap_mm: float) -> bool:
    """Whether a die lies in the tray, wholly in the picture, in no other die, and hides none too much."""
    half = np.array([tray.width_mm, tray.depth_mm]) / 2 + 0.1
    if (np.abs(plan(die)) > half).any() or any(overlap(die, other, gap_mm) for other in dice):
        return False
    view = geometry.look(camera)
    outline = geometry.outline(view, geometry.place(die))
    edge = np.array([camera.width_px, camera.height_px])
    if (outline < 6).any() or (outline > edge - 6).any():
        return False
    return all(hidden(view, a, b) < MOST_HIDDEN for other in dice for a, b in ((die, other), (other, die)))


def hidden(view: geometry.View, back: DiePose, front: DiePose) -> float:
    """Return the share of `back`'s outline that `front` covers; 0 where `front` is the farther one."""
    behind, before = geometry.place(back), geometry.place(front)
    if np.linalg.norm(behind.middle - view.eye) < np.linalg.norm(before.middle - view.eye):
        return 0.0
    outline = geometry.outline(view, behind)
    area, _ = cv2.intersectConvexConvex(outline, geometry.outline(view, before))
    return float(area) / cv2.contourArea(outline)


def plan(die: DiePose) -> NDArray[np.float64]:
    """Return a die's corners as seen from above, edges rounded off: (8, 2) mm."""
    placed = geometry.place(die)
    inner = geometry.corners(placed.half_mm - placed.round_mm) @ placed.turn.T
    out = inner[:, :2] + placed.middle[:2]
    return np.asarray(out + (inner[:, :2] / np.linalg.norm(inner, axis=-1, keepdims=True)) * placed.round_mm)


def overlap(a: DiePose, b: DiePose, gap_mm: float) -> bool:
    """Whether two dice come closer than `gap_mm`, seen from above: no line parts their outlines."""
    one, other = (np.asarray(cv2.convexHull(plan(die).astype(np.float32)).reshape(-1, 2), np.float64) for die in (a, b))
    for hull in (one, other):
        edges = np.roll(hull, -1, 0) - hull
        across = np.stack([edges[:, 1], -edges[:, 0]], -1) / np.linalg.norm(edges, axis=-1, keepdims=True)
        low, high = (one @ across.T), (other @ across.T)
        if ((low.min(0) - high.max(0) >= gap_mm) | (high.min(0) - low.max(0) >= gap_mm)).any():
            return False
    return True
