"""The pictures to be read, with what lies in each: photographs by `labels.csv`, and our own renders by seed."""

from __future__ import annotations

import csv
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.scoring import Box, Label

ROOT = Path(__file__).parents[1]

EMPTY_TRAYS = ("tower-tray/background.jpg",)
"""Photographs that data/README.md names as a tray with no die in it; labels.csv, a row a die, cannot."""


BESIDE = {f"tower-tray/d6_a_0{k}.jpg": Label("D8", None, (1755, 655, 180, 165)) for k in range(1, 7)}
"""Dice that lie in view beside the labelled one, seen by eye and in no row of labels.csv: found or not, not judged."""


class NoData(Exception):
    """The photographs are not there, or not as labels.csv says; the message is one sentence."""


class NoSuchSet(NoData):
    """A set was asked for that there is not."""


def install(extra: str) -> str:
    """The command that installs an extra of this checkout into the environment that runs, from any folder."""
    return f"{shlex.quote(sys.executable)} -m pip install -e {shlex.quote(f'{ROOT}[{extra}]')}"


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture with its labels. `frame()` opens it: BGR uint8. plan: die types that are said to be owed."""

    name: str
    labels: tuple[Label, ...]
    frame: Callable[[], NDArray[np.uint8]]
    plan: tuple[str, ...] = ()


def photograph_sets(data: Path) -> dict[str, list[Sample]]:
    """Return every set under `data` (which holds labels.csv and photos/), in the order of its labels."""
    labels = labels_by_file(data / "labels.csv")
    labels |= {name: [] for name in EMPTY_TRAYS if (data / "photos" / name).is_file()}
    sets: dict[str, list[Sample]] = {}
    for name, dice in labels.items():
        sample = Sample(name, tuple(dice), partial(photograph, data / "photos" / name))
        sets.setdefault(name.split("/")[0], []).append(sample)
    return sets


def labels_by_file(path: Path) -> dict[str, list[Label]]:
    """Read labels.csv; its columns are in data/README.md."""
    try:
        with path.open(newline="") as file:
            return collect(csv.DictReader(file))
    except FileNotFoundError:
        raise NoData(f"No {path.name} in {path.parent}: give the folder of labelled photographs with --data.") from None
    except (KeyError, ValueError) as error:
        raise NoData(f"{path} is not a table of labels as data/README.md has it: {error!r}.") from None


def collect(rows: Iterator[dict[str, str]] | csv.DictReader[str]) -> dict[str, list[Label]]:
    """Gather rows by file, in order."""
    found: dict[str, list[Label]] = {}
    for row in rows:
        found.setdefault(row["file"], []).append(Label(row["die"], number(row["value"]), box(row)))
    return {name: [*dice, BESIDE[name]] if name in BESIDE else dice for name, dice in found.items()}


def number(text: str) -> int | None:
    """Return a whole number; None where the cell is empty."""
    return int(text) if text else None


def box(row: dict[str, str]) -> Box | None:
    """Return a row's box; None where it has none."""
    return cast(Box, tuple(float(row[key]) for key in "xywh")) if row["x"] else None


def photograph(path: Path) -> NDArray[np.uint8]:
    """Open one photograph."""
    frame = cv2.imread(str(path))
    if frame is None:
        raise NoData(f"{path} cannot be opened, but labels.csv names it.")
    return cast(NDArray[np.uint8], frame)


def spread(samples: list[Sample], count: int) -> list[Sample]:
    """Return at most `count` of them, evenly spread."""
    step = max(1, len(samples) // count)
    return samples[::step][:count]
