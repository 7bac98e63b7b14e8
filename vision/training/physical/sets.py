"""A set of trays as files: a PNG and a JSON of labels a scene, so that it can be stopped, gone on with, enlarged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.glyphs import Font
from training.physical import light, scene
from training.physical.labels import Label
from training.physical.scene import Scene

NOTE = "Render, not a photograph: made by training.physical from the seed given here. Pixels, origin top left; mm."

RECIPE = 2
"""Raised when what is drawn from a seed changes: sets of another recipe are other sets."""


def write_set(
    out: Path,
    seed: int,
    numbers: Sequence[int],
    fonts: Sequence[Font],
    *,
    dice: int = 8,
    size: tuple[int, int] = scene.SIZE,
    samples: int = light.SAMPLES,
) -> Iterator[Path]:
    """Render the scenes of those numbers that `out` lacks; yields each scene's labels as they are there."""
    out.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        labels = out / f"tray-{number:04d}.json"
        if not labels.is_file():
            write_scene(labels, scene.draw(seed, number, fonts, dice, size), lambda it: light.picture(it, samples))
        yield labels


def write_scene(labels: Path, drawn: Scene, picture: Callable[[Scene], Any]) -> None:
    """Write one scene's picture, then its labels: where these are, both are whole."""
    file = labels.with_suffix(".png")
    done, png = cv2.imencode(".png", picture(drawn), [cv2.IMWRITE_PNG_COMPRESSION, 6])
    assert done, "PNG takes any 8-bit picture"
    half = labels.with_suffix(".half")
    file.write_bytes(png.tobytes())
    half.write_text(json.dumps(as_json(drawn, file.name), indent=1))
    half.rename(labels)


def as_json(drawn: Scene, file: str) -> dict[str, Any]:
    """A scene in plain types."""
    return {
        "note": NOTE,
        "recipe": RECIPE,
        "seed": drawn.seed,
        "file": file,
        "dice": [die_json(label) for label in drawn.labels()],
        "camera": asdict(drawn.camera),
        "tray": asdict(drawn.tray),
        "lamp": asdict(drawn.lamp),
        "webcam": asdict(drawn.webcam),
    }


def die_json(label: Label) -> dict[str, Any]:
    """A die's label: `value` None where too little is seen to ask for it, `shows` whatever lies up."""
    return {
        "die": label.die,
        "shape": label.shape,
        "value": label.value,
        "shows": label.shows,
        "cocked": label.cocked,
        "lean_deg": round(label.lean_deg, 2),
        "box": _box(label.outline),
        "top_box": _box(label.top),
        "outline": label.outline.round(1).tolist(),
        "top_face": label.top.round(1).tolist(),
        "seen": round(label.seen, 3),
        "pose": {
            "turn": np.round(label.pose.turn, 5).tolist(),
            "middle_mm": np.round(label.pose.middle_mm, 3).tolist(),
        },
    }


def _box(points: Any) -> list[float]:
    """x, y, width and height round points, to a tenth of a pixel."""
    low, high = points.min(axis=0), points.max(axis=0)
    return [round(float(side), 1) for side in (*low, *(high - low))]
