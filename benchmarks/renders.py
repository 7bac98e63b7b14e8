"""Sets of our own renders, made once from a fixed seed and kept in `out/`; always named renders, never photographs."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

from benchmarks.photographs import Sample, photograph
from benchmarks.scoring import Label
from training.finder.sets import write_set as write_mixed
from training.trays import sets
from training.trays.throws import Kind

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "out/renders"
SEED = 2026
COUNT = 120
"""Scenes a set. A hundred and twenty hold some 400 dice: a misread in a hundred shows, one in five hundred may not."""
SETS: dict[str, Callable[[Path], None]] = {
    **{f"renders-{kind}": partial(sets.write_set, kind=kind, seed=SEED, count=COUNT) for kind in get_args(Kind)},
    "renders-mixed": partial(write_mixed, seed=SEED, count=COUNT),
}
"""What draws each set into a folder."""

NAMES = tuple(SETS)


def render_set(name: str) -> list[Sample]:
    """Return a set of renders, drawing it first where its files are not there (some minutes)."""
    folder = KEPT / f"{name}-{drawn_by(name)}"
    if not (folder / "labels.json").is_file():
        print(f"Drawing {COUNT} scenes of {name} into {folder}, once: some minutes.", file=sys.stderr)
        SETS[name](folder)
    pictures = json.loads((folder / "labels.json").read_text())["pictures"]
    return [Sample(f"{name}/{one['file']}", labels(one), partial(photograph, folder / one["file"])) for one in pictures]


def labels(picture: dict[str, Any]) -> tuple[Label, ...]:
    """Return one picture's labels; a die's place is its upper face."""
    return tuple(Label(die["die"], die["value"], tuple(die["top_box"]), die["cocked"]) for die in picture["dice"])


RENDERERS = {"renders-mixed": ("*.py", "faces/*.py", "finder/*.py", "trays/geometry.py")}
"""The modules of vision/training that draw a set, where they are not those of `trays`."""


def drawn_by(name: str) -> str:
    """Return a short name for the set's renderer as it stands, so that a changed one draws it anew."""
    source, training = hashlib.sha256(f"{SEED} {COUNT}".encode()), ROOT / "vision/training"
    for path in sorted(path for glob in RENDERERS.get(name, ("trays/*.py",)) for path in training.glob(glob)):
        source.update(path.read_bytes())
    return source.hexdigest()[:12]
