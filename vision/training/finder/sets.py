"""A set of drawn tables as files: a PNG a table and labels.json, in the form of `trays.sets`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.finder import table
from training.finder.table import Lying
from training.finder.targets import box_of

NOTE = "Renders, not photographs: made by training.finder from the seed given here. Pixels, origin top left."
SIZE = (1280, 960)
"""What a webcam gives, pixels."""

WHOLE = 0.98
"""Share of a die in view below which its value is not asked for."""


def write_set(out: Path, seed: int, count: int) -> None:
    """Draw `count` tables into `out`. labels.json is written last: a folder that has it is whole."""
    out.mkdir(parents=True, exist_ok=True)
    pictures = [write_table(out, seed, k) for k in range(count)]
    (out / "labels.json").write_text(json.dumps({"note": NOTE, "seed": seed, "pictures": pictures}, indent=1))


def write_table(out: Path, seed: int, k: int) -> dict[str, Any]:
    """Draw one table, numerals in pen strokes, into a file and return its labels."""
    name, drawn = f"mixed-{k:04d}.png", table.draw(np.random.default_rng((seed, k)), size=SIZE, pipped=0.2)
    if not cv2.imwrite(str(out / name), drawn.frame):
        raise OSError(f"{out / name} could not be written")
    return {"file": name, "dice": [as_json(die) for die in drawn.dice]}


def as_json(die: Lying) -> dict[str, Any]:
    """Return a label in plain types; the value None where the picture does not tell it."""
    box = [round(side, 1) for side in box_of(die.outline)]
    told = die.told and die.seen >= WHOLE
    return {"die": die.die, "value": die.value if told else None, "cocked": False, "box": box, "top_box": box}
