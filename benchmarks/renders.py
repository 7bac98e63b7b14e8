"""Sets of our own renders, made once from a fixed seed and kept in `out/`; always named renders, never photographs."""

from __future__ import annotations

import hashlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args

from benchmarks.photographs import Sample, photograph
from benchmarks.scoring import Label
from training.trays.sets import write_set
from training.trays.throws import Kind

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "out/renders"
SEED = 2026
COUNT = 120
"""Scenes a set. A hundred and twenty hold some 400 dice: a misread in a hundred shows, one in five hundred may not."""
NAMES: dict[str, Kind] = {f"renders-{kind}": kind for kind in get_args(Kind)}


def render_set(name: str) -> list[Sample]:
    """Return a set of renders, drawing it first where its files are not there (some minutes)."""
    folder = KEPT / f"{name}-{drawn_by()}"
    if not (folder / "labels.json").is_file():
        print(f"Drawing {COUNT} scenes of {name} into {folder}, once: some minutes.", file=sys.stderr)
        write_set(folder, NAMES[name], SEED, COUNT)
    pictures = json.loads((folder / "labels.json").read_text())["pictures"]
    return [Sample(f"{name}/{one['file']}", labels(one), partial(photograph, folder / one["file"])) for one in pictures]


def labels(picture: dict[str, Any]) -> tuple[Label, ...]:
    """Return one picture's labels; a die's place is its upper face."""
    return tuple(Label(die["die"], die["value"], tuple(die["top_box"]), die["cocked"]) for die in picture["dice"])


def drawn_by() -> str:
    """Return a short name for the renderer as it stands, so that a changed one draws its sets anew."""
    source = hashlib.sha256(f"{SEED} {COUNT}".encode())
    for path in sorted((ROOT / "vision/training/trays").glob("*.py")):
        source.update(path.read_bytes())
    return source.hexdigest()[:12]
