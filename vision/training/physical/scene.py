"""Whole scenes from a seed: which dice, how they are thrown, where the camera hangs, how the room is lit.

Poses and labels come from lots of their own, so that a change of colours moves no die.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np

from training.glyphs import Font
from training.physical import ground, throw
from training.physical.die import KINDS, Die, Pose, Style, some_die, some_style, taught_style
from training.physical.labels import Label, Outline, labelled
from training.solids import Array
from training.trays.geometry import View, look
from training.trays.model import Camera, Sensor

SIZE = (1280, 960)
"""What a webcam gives, pixels."""

INSIDE_MM = ((120.0, 250.0), (0.7, 0.85))
"""A tray's floor: from how wide to how wide, and its depth as a share of that."""

TRIES = 20

TAUGHT = {"D4": 3, "crystal D4": 3, "D6": 2, "pipped D6": 1, "D8": 2, "D10": 3, "D100": 2, "D12": 2, "D20": 3}
"""How often each kind is thrown to train with: more of those with more values, and of D4s, which are read worst."""

TAUGHT_DICE = ((150.0, 7), (1000.0, 12))
"""(width of the tray's floor, mm, up to which, dice): fuller than what judges, so that more touch."""


@dataclass(frozen=True, slots=True)
class Tray:
    """inside_mm: width and depth of the floor. Its wall is wall_mm high and rim_mm thick."""

    inside_mm: tuple[float, float]
    wall_mm: float
    rim_mm: float
    floor: ground.Kind
    floor_colour: str
    rim_colour: str


@dataclass(frozen=True, slots=True)
class Lamp:
    """One lamp, a ball, in a room. at_mm: (3,). share: of the light on the floor that is the lamp's, 0 to 1.

    warm: 0 daylight to 1 a bulb. window_deg: where the window is, and bright: how much brighter than the wall.
    """

    at_mm: tuple[float, float, float]
    radius_mm: float
    share: float
    warm: float
    window_deg: float
    bright: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a picture is made of. lens_mm: the aperture's radius. seed: for paint, noise and light."""

    dice: tuple[Die, ...]
    poses: tuple[Pose, ...]
    tray: Tray
    camera: Camera
    lamp: Lamp
    webcam: Sensor
    lens_mm: float
    seed: tuple[int, ...]

    @property
    def view(self) -> View:
        """The camera, hung."""
        return look(self.camera)

    def labels(self) -> list[Label]:
        """What is true of each die."""
        return labelled(self.dice, self.poses, self.view, screens(self.tray, self.view))


def boards(tray: Tray) -> dict[str, tuple[Array, Array]]:
    """The tray's four walls: each box's lowest and highest corner, mm."""
    x, y = (side / 2 for side in tray.inside_mm)
    rim, high = tray.rim_mm, tray.wall_mm
    flat = {
        "left": ((-x - rim, -y - rim), (-x, y + rim)),
        "right": ((x, -y - rim), (x + rim, y + rim)),
        "far": ((-x, y), (x, y + rim)),
        "near": ((-x, -y - rim), (x, -y)),
    }
    return {name: (np.array([*low, -3.0]), np.array([*top, high])) for name, (low, top) in flat.items()}


def screens(tray: Tray, view: View) -> list[Outline]:
    """The walls that the camera looks over from outside, in the picture: they hide what lies close behind them."""
    outside = {
        "left": view.eye[0] < -tray.inside_mm[0] / 2,
        "right": view.eye[0] > tray.inside_mm[0] / 2,
        "far": view.eye[1] > tray.inside_mm[1] / 2,
        "near": view.eye[1] < -tray.inside_mm[1] / 2,
    }
    found = [box for name, box in boards(tray).items() if outside[name]]
    corners = [np.array(list(product(*zip(low, top, strict=True)))) for low, top in found]
    return [np.asarray(cv2.convexHull(view.project(each)).reshape(-1, 2), np.float32) for each in corners]


def draw(seed: int, number: int, fonts: Sequence[Font], dice: int = 8, size: tuple[int, int] = SIZE) -> Scene:
    """Scene `number` of a seed; fonts: those to choose from, none for pen strokes. Needs MuJoCo."""
    tray = some_tray(np.random.default_rng((seed, number, 1)))
    return taken(seed, number, some_dice(seed, number, fonts, dice), tray, size)


def taught(seed: int, number: int, fonts: Sequence[Font], size: tuple[int, int] = SIZE) -> Scene:
    """A scene to train with: materials and grounds of the dice drawn for that, none of those that judge."""
    tray = replace(some_tray(np.random.default_rng((seed, number, 1))), floor="drawn")
    dice = next(count for wide, count in TAUGHT_DICE if tray.inside_mm[0] < wide)
    rng, looks = (np.random.default_rng((seed, number, lot)) for lot in (4, 5))
    styles = [taught_style(looks, tuple(fonts)) for _ in range(dice)]
    kinds = rng.choice(list(TAUGHT), dice, p=np.array(list(TAUGHT.values())) / sum(TAUGHT.values()))
    handful = tuple(some_die(rng, str(kind), style) for kind, style in zip(kinds, styles, strict=True))
    return taken(seed, number, handful, tray, size)


def taken(seed: int, number: int, handful: tuple[Die, ...], tray: Tray, size: tuple[int, int]) -> Scene:
    """A picture of a handful in a tray."""
    poses = thrown(seed, number, handful, tray)
    rng = np.random.default_rng((seed, number, 2))
    camera = some_camera(rng, tray, size)
    lamp = some_lamp(rng, look(camera))
    return Scene(handful, poses, tray, camera, lamp, some_webcam(rng), float(rng.uniform(0.6, 3.0)), (seed, number))


def thrown(seed: int, number: int, handful: tuple[Die, ...], tray: Tray, throws: int = 0) -> tuple[Pose, ...]:
    """A handful, at rest, after so many throws before it. One that does not come to rest in time is thrown again."""
    for attempt in range(TRIES * throws, TRIES * (throws + 1)):
        tosses = throw.some_tosses(np.random.default_rng((seed, number, 3, attempt)), len(handful), tray.inside_mm)
        try:
            return tuple(throw.settle(handful, tosses, tray.inside_mm))
        except throw.NotAtRest:
            continue
    raise throw.NotAtRest(f"The dice of scene {number} of seed {seed} came to no rest in {TRIES} throws.")


def some_dice(seed: int, number: int, fonts: Sequence[Font], count: int) -> tuple[Die, ...]:
    """Dice of one set to as many sets as there are dice."""
    rng, looks = (np.random.default_rng((seed, number, lot)) for lot in (4, 5))
    styles = [some_style(looks, tuple(fonts)) for _ in range(int(rng.choice([2, 3, count])))]
    return tuple(one_die(rng, styles) for _ in range(count))


def one_die(rng: np.random.Generator, styles: Sequence[Style]) -> Die:
    """A die of any kind, of one of the sets."""
    return some_die(rng, str(rng.choice(KINDS)), styles[int(rng.integers(len(styles)))])


def some_tray(rng: np.random.Generator) -> Tray:
    """A tray as on tables."""
    wide = float(rng.uniform(*INSIDE_MM[0]))
    floor, colour = ground.some_floor(rng)
    rim = str(rng.choice(["#5b3a24", "#8a5a36", "#2a2522", "#3b2a20", "#6b4a2e", "#1d1d20"]))
    depth = wide * float(rng.uniform(*INSIDE_MM[1]))
    return Tray((wide, depth), float(rng.uniform(16, 34)), float(rng.uniform(6, 14)), floor, colour, rim)


def some_camera(rng: np.random.Generator, tray: Tray, size: tuple[int, int]) -> Camera:
    """A webcam that sees the whole tray, from straight above to 35 degrees."""
    tilt = 0.0 if rng.random() < 0.25 else float(rng.uniform(0, 35))
    width, height = size
    need = max(tray.inside_mm[0] + 2 * tray.rim_mm, (tray.inside_mm[1] + 2 * tray.rim_mm) * width / height)
    view = need * float(rng.uniform(1.04, 1.3)) * (1 + tilt / 250)
    return Camera(width, height, float(rng.uniform(1.6, 3.2) * view), view, tilt, float(rng.normal(0, 2.5)))


def some_lamp(rng: np.random.Generator, view: View) -> Lamp:
    """A lamp that stands or hangs by, out of the camera's sight, in a room with a window."""
    while in_sight(lamp := any_lamp(rng), view):
        pass
    return lamp


def in_sight(lamp: Lamp, view: View) -> bool:
    """Whether the lamp may show in the picture, and hide the tray: it meets the cone round all that the camera sees."""
    x, y, z = (np.array(lamp.at_mm) - view.eye) @ view.turn.T
    away = float(np.linalg.norm((x, y, z)))
    if away <= lamp.radius_mm:
        return True
    seen = np.arctan(np.hypot(view.camera.width_px, view.camera.height_px) / 2 / view.camera.focal_px)
    return bool(np.arctan2(np.hypot(x, y), z) - np.arcsin(lamp.radius_mm / away) < seen)


def any_lamp(rng: np.random.Generator) -> Lamp:
    """A lamp, wherever it is."""
    way, up, far = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(28, 68)), rng.uniform(500, 1400)
    at = far * np.array([np.cos(way) * np.cos(up), np.sin(way) * np.cos(up), np.sin(up)])
    return Lamp(
        (float(at[0]), float(at[1]), float(at[2])),
        radius_mm=float(np.exp(rng.uniform(np.log(30), np.log(160)))),
        share=float(rng.uniform(0.1, 0.65)),
        warm=float(rng.uniform(0, 1)),
        window_deg=float(rng.uniform(0, 360)),
        bright=float(np.exp(rng.uniform(np.log(2), np.log(14)))),
    )


def some_webcam(rng: np.random.Generator) -> Sensor:
    """A webcam, better or worse."""
    return Sensor(
        blur_px=float(rng.uniform(0.35, 1.1)),
        noise=float(rng.uniform(0.05, 0.9)),
        exposure=float(np.exp(rng.uniform(-0.25, 0.35))),
        sharpen=float(rng.uniform(0, 0.8)),
        vignette=float(rng.uniform(0, 0.35)),
        jpeg=int(rng.integers(72, 96)),
        tint=str(rng.choice(["#ffffff", "#fff6ee", "#eef4ff", "#f4fff2", "#fff0dc"])),
    )


def scenes(seed: int, count: int, fonts: Sequence[Font], dice: int = 8) -> Iterator[Scene]:
    """The first `count` scenes of a seed; scene k is the same whatever the count."""
    for number in range(count):
        yield draw(seed, number, fonts, dice)
