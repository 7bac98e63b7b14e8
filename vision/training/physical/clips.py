"""Throws as films: `python -m training.physical.clips OUT [NAME...]` (vision on PYTHONPATH, `.[physical]`).

An empty tray, dice that fly in from beside it, tumble and come to rest. OUT/NAME gets a JPEG a frame and clip.json
with the dice as they lie at the end. The pictures are renders: say so wherever they are shown or counted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.glyphs import stroke_font
from training.physical import light, sets, throw
from training.physical.die import ACROSS_MM, Die, Pose, Style, some_die
from training.physical.ground import Floor
from training.physical.labels import labelled
from training.physical.scene import Lamp, Scene, Tray
from training.physical.stuff import Stuff
from training.physical.throw import Nudge, Toss
from training.trays.light import linear
from training.trays.model import Camera, Sensor
from training.trays.sensor import develop

SIZE = (480, 360)
RATE = 15.0
"""Frames a second, as a webcam gives in a dim room."""

SAMPLES = 3
QUALITY = 80
"""Of the JPEGs: 60 frames are then a megabyte."""

BEFORE_S = 0.8
"""The tray lies empty so long."""
WALL_MM = 45.0
"""Dice fly in over a wall that is no higher than this."""
BESIDE_MM = (-125.0, 118.0)
"""Where they leave the hand, left of the tray and above it: out of the picture."""

STILL_MM = 0.04
"""A frame in which no die has moved further since the last one rendered is that one, with noise of its own."""

AWAY = Pose(np.eye(3), np.array([0.0, 0.0, -400.0]))
"""Under the table."""

RED = Stuff("plain", tuple(linear("#b93220")), tuple(linear("#b93220")), tuple(linear("#f5f1e8")), 0, 0.5, 0.8, 0)
BLUE = Stuff("plain", tuple(linear("#2f6ab8")), tuple(linear("#2f6ab8")), tuple(linear("#f5f1e8")), 0, 0.5, 0.8, 0)


@dataclass(frozen=True, slots=True)
class Take:
    """One clip. stuff, kinds, after_s: of each die: what it is made of, what it is, when it leaves the hand.

    seed: of the throw. seconds: in all. floor: of the tray. nudges: counted from the first die's leaving the hand.
    """

    seed: int
    kinds: tuple[str, ...]
    stuff: tuple[Stuff, ...]
    after_s: tuple[float, ...]
    seconds: float
    floor: Floor = "felt"
    floor_colour: str = "#2f6b45"
    nudges: tuple[Nudge, ...] = ()


TAKES: dict[str, Take] = {
    "tumbling-pair": Take(2, ("pipped D6",) * 2, (RED,) * 2, (0.0, 0.05), 3.2),
    "rocking-die": Take(
        2,
        ("pipped D6",),
        (BLUE,),
        (0.0,),
        3.2,
        "leather",
        "#5a3423",
        (Nudge(0.66, 0, (55.0, 18.0, 0.0)), Nudge(0.86, 0, (-44.0, -18.0, 0.0)), Nudge(1.06, 0, (33.0, 11.0, 0.0))),
    ),
    "two-apart": Take(6, ("pipped D6",) * 2, (RED,) * 2, (0.0, 0.9), 4.2, "card", "#c9c4b8"),
}


def scene_of(take: Take) -> Scene:
    """The clip's room, tray and dice, under the table as yet."""
    rng = np.random.default_rng(take.seed)
    styles = [Style(stroke_font(rng), stuff, 0.7, 1.05) for stuff in take.stuff]
    dice = tuple(some_die(rng, kind, style) for kind, style in zip(take.kinds, styles, strict=True))
    tray = Tray((124.0, 92.0), 20.0, 9.0, take.floor, take.floor_colour, "#5b3a24")
    camera = Camera(*SIZE, distance_mm=340, view_mm=150, tilt_deg=8)
    lamp = Lamp((-320.0, 260.0, 620.0), 70.0, 0.45, 0.4, 200.0, 4.0)
    webcam = Sensor(blur_px=0.5, noise=0.12, sharpen=0.3, jpeg=0)
    return Scene(dice, (AWAY,) * len(dice), tray, camera, lamp, webcam, 1.2, (take.seed, 0))


def tosses(take: Take) -> list[Toss]:
    """From beside the tray, in over its wall."""
    rng = np.random.default_rng((take.seed, 1))
    return [_toss(rng, after_s, k) for k, after_s in enumerate(take.after_s)]


def _toss(rng: np.random.Generator, after_s: float, k: int) -> Toss:
    x, z = BESIDE_MM
    turn = rng.normal(0, 1, 4)
    at = np.array([x - 2 * ACROSS_MM["D6"] * k, rng.uniform(-14, 14), z])
    speed = np.array([rng.uniform(650, 850), rng.uniform(-120, 120), rng.uniform(150, 260)])
    return Toss(at, turn / np.linalg.norm(turn), speed, rng.normal(0, 18, 3), after_s)


def poses(take: Take, dice: Sequence[Die], inside_mm: tuple[float, float]) -> list[tuple[Pose, ...]]:
    """Every frame's poses, the empty tray's first. A die that is not let go yet is under the table."""
    seconds = take.seconds - BEFORE_S
    flying = throw.film(dice, tosses(take), inside_mm, RATE, seconds, WALL_MM, take.nudges)
    shown = [
        tuple(pose if k / RATE >= after_s else AWAY for pose, after_s in zip(shot, take.after_s, strict=True))
        for k, shot in enumerate(flying)
    ]
    return [(AWAY,) * len(dice)] * round(BEFORE_S * RATE) + shown


def moved_mm(dice: Sequence[Die], one: Sequence[Pose], other: Sequence[Pose]) -> float:
    """How far the point that moved most has moved."""
    apart = [
        np.linalg.norm(a.placed(die.points_mm) - b.placed(die.points_mm), axis=1).max()
        for die, a, b in zip(dice, one, other, strict=True)
    ]
    return float(max(apart))


def frames(drawn: Scene, shots: Sequence[tuple[Pose, ...]]) -> Iterator[NDArray[np.uint8]]:
    """The film. Needs Mitsuba."""
    studio = light.Studio(drawn, SAMPLES)
    lit, seen = studio.shot(shots[0]), shots[0]
    for number, shot in enumerate(shots):
        if moved_mm(drawn.dice, shot, seen) > STILL_MM:
            lit, seen = studio.shot(shot, number), shot
        yield develop(lit, drawn.webcam, np.random.default_rng((*drawn.seed, 11, number)))


def write_clip(out: Path, take: Take) -> None:
    """Render a clip into a folder. clip.json is written last: a folder that has it is whole."""
    out.mkdir(parents=True, exist_ok=True)
    drawn = scene_of(take)
    shots = poses(take, drawn.dice, drawn.tray.inside_mm)
    for number, frame in enumerate(frames(drawn, shots)):
        done, jpeg = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        assert done, "JPEG takes any 8-bit picture"
        (out / f"{number:04d}.jpg").write_bytes(jpeg.tobytes())
    (out / "clip.json").write_text(json.dumps(as_json(drawn, shots[-1], len(shots)), indent=1))


def as_json(drawn: Scene, last: tuple[Pose, ...], count: int) -> dict[str, Any]:
    """What the clip is, and how the dice lie at its end."""
    dice = [sets.die_json(label) for label in labelled(drawn.dice, last, drawn.view)]
    return {"note": sets.NOTE, "rate": RATE, "frames": count, "seed": drawn.seed, "dice": dice}


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.physical.clips", description="Render throws as films.")
    parser.add_argument("out", type=Path, help="a folder, made if need be")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(TAKES)}; all where none is named")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in TAKES]:
        parser.error(f"there is no clip {', '.join(unknown)}; there are {', '.join(TAKES)}")
    for name in given.names or TAKES:
        write_clip(given.out / name, TAKES[name])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
