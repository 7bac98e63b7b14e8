"""Sets of our own renders, made once from a fixed seed and kept in `out/`; always named renders, never photographs."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks.photographs import NoData, Sample, install, photograph
from benchmarks.scoring import Label
from training.families import fonts_of
from training.finder.sets import write_set as write_mixed
from training.marking import VALUES
from training.physical import sets as physical
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

TRAYS, WRONG_PLAN = "renders-trays", "renders-trays-wrong-plan"
"""Whole trays by `training.physical`. Every fifth scene is of the second set: read with a plan of dice not there."""
TRAYS_AT = KEPT / f"renders-trays-{physical.RECIPE}-{SEED}"
TRAYS_COUNT = 25
"""Scenes of eight dice that are rendered where none are there: some ten minutes of a core. 250 are 2,000 dice."""
EVERY = 5

NAMES = (*SETS, TRAYS, WRONG_PLAN)


def at_hand() -> tuple[str, ...]:
    """Return the sets that a run of all sets reads: rendered trays only where some are there already."""
    return NAMES if rendered() else tuple(SETS)


def rendered() -> list[Path]:
    """Return the labels of the trays rendered so far, from the first scene on without a gap."""
    found: list[Path] = []
    while (labels := TRAYS_AT / f"tray-{len(found):04d}.json").is_file():
        found.append(labels)
    return found


def render_set(name: str) -> list[Sample]:
    """Return a set of renders, drawing it first where its files are not there (some minutes)."""
    if name in (TRAYS, WRONG_PLAN):
        return trays(wrong_plan=name == WRONG_PLAN)
    folder = KEPT / f"{name}-{drawn_by(name)}"
    if not (folder / "labels.json").is_file():
        print(f"Drawing {COUNT} scenes of {name} into {folder}, once: some minutes.", file=sys.stderr)
        SETS[name](folder)
    pictures = json.loads((folder / "labels.json").read_text())["pictures"]
    return [Sample(f"{name}/{one['file']}", labels(one), partial(photograph, folder / one["file"])) for one in pictures]


def trays(wrong_plan: bool) -> list[Sample]:
    """Return the scenes read without a plan, or the others, each with a wrong one."""
    found = rendered() or render_trays()
    chosen = [path for number, path in enumerate(found) if (number % EVERY == EVERY - 1) == wrong_plan]
    if not chosen:
        raise NoData(
            f"Only {len(found)} trays are rendered, and every {EVERY}th is read with a wrong plan: render more."
        )
    return [tray(path, wrong_plan) for path in chosen]


def tray(path: Path, wrong_plan: bool) -> Sample:
    """Return one rendered tray."""
    told = json.loads(path.read_text())
    plan = absent(told) if wrong_plan else ()
    return Sample(f"{TRAYS}/{told['file']}", labels(told), partial(photograph, path.with_suffix(".png")), plan)


def absent(told: dict[str, Any]) -> tuple[str, ...]:
    """Return a wrong plan for a scene: as many dice as lie there, all of one type, of which there is none or fewest."""
    lying = [die["die"] for die in told["dice"]]
    fewest = min(lying.count(die) for die in VALUES)
    rng = np.random.default_rng((*told["seed"], 10))
    return (str(rng.choice([die for die in VALUES if lying.count(die) == fewest])),) * len(lying)


def render_trays() -> list[Path]:
    """Render the set at its usual size."""
    if not all(importlib.util.find_spec(engine) for engine in ("mitsuba", "mujoco", "fontTools")):
        raise NoData(
            f"No trays are rendered in {TRAYS_AT}, and their engines are not installed: "
            f"{install('physical')}, or see docs/renders.md."
        )
    print(f"Rendering {TRAYS_COUNT} trays into {TRAYS_AT}, once: ten minutes of a core and more.", file=sys.stderr)
    return list(physical.write_set(TRAYS_AT, SEED, range(TRAYS_COUNT), fonts_of("held")))


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
