"""A set of renders as files: a PNG a scene and labels.json."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2

from training.trays.model import DieLabel
from training.trays.throws import Kind, Scene, scenes

NOTE = "Renders, not photographs: made by training.trays from the seed given here. Pixels, origin top left."


def write_set(out: Path, kind: Kind, seed: int, count: int) -> None:
    """Render `count` scenes into `out`. labels.json is written last: a folder that has it is whole."""
    out.mkdir(parents=True, exist_ok=True)
    pictures = [write_scene(out, f"{kind}-{k:04d}.png", scene) for k, scene in enumerate(scenes(kind, seed, count))]
    labels = {"note": NOTE, "kind": kind, "seed": seed, "pictures": pictures}
    (out / "labels.json").write_text(json.dumps(labels, indent=1))


def write_scene(out: Path, name: str, scene: Scene) -> dict[str, Any]:
    """Render one scene into a file and return its labels."""
    frame, labels = scene.draw()
    if not cv2.imwrite(str(out / name), frame):
        raise OSError(f"{out / name} could not be written")
    how = {"camera": asdict(scene.camera), "tray": asdict(scene.tray), "lamp": asdict(scene.lamp)}
    return {"file": name, "dice": [as_json(label) for label in labels], **how, "webcam": asdict(scene.webcam)}


def as_json(label: DieLabel) -> dict[str, Any]:
    """Return a label in plain types, pixels to a tenth."""
    return {
        "die": label.die,
        "value": label.value,
        "cocked": label.cocked,
        "box": [round(side, 1) for side in label.box],
        "top_box": [round(side, 1) for side in label.top_box],
        "outline": label.outline.round(1).tolist(),
        "top_face": label.top_face.round(1).tolist(),
        "hidden": round(label.hidden, 3),
        "pose": asdict(label.pose),
    }
