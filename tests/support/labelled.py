"""A folder of labelled "photographs" as shared data has them, made of our own drawn dice."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import cv2
from tests.support.cloth import on_cloth

Row = tuple[str, str, str, str]


def written(folder: Path, rows: Sequence[Row]) -> Path:
    """A folder with labels.csv: file, die, style, value."""
    with (folder / "labels.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("file", "die", "style", "value", "x", "y", "w", "h"))
        table.writerows([*row, "", "", "", ""] for row in rows)
    return folder


def shown(folder: Path, name: str, die: str, value: int, seed: int) -> Row:
    """A drawn die in the place of a photograph, and its label."""
    path = folder / "photos" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), on_cloth(die, value, seed)[0])
    return name, die, "numeral", str(value)
