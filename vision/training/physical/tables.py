"""Rendered trays in the form of drawn tables (`training.finder`): for the finder to learn from."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.finder import shards, table
from training.finder.table import Lying, Table

CLOSER = 2
"""Of each tray so many parts beside the whole..."""

PART = 0.5
"""...each half as wide: dice are seen in the finder's picture as wide as they may be drawn there."""


def of(folder: Path) -> shards.Shard:
    """What `training.physical.teach` left in a folder, as one shard: each tray whole and in parts."""
    return shards.joined([one for labels in sorted(folder.glob("tray-*.json")) for one in views(labels)])


def tray(labels: Path) -> Table:
    """One tray as it was rendered."""
    frame = cv2.imread(str(labels.with_suffix(".png")))
    if frame is None:
        raise ValueError(f"expected the picture that {labels} names beside it; there is none that can be opened")
    return Table(np.asarray(frame, np.uint8), tuple(lying(die) for die in json.loads(labels.read_text())["dice"]))


def views(labels: Path) -> Iterator[Table]:
    """One tray's views, as large as drawn tables are."""
    whole = tray(labels)
    size, rng = np.array(whole.frame.shape[1::-1]), np.random.default_rng([zlib.crc32(labels.stem.encode()), 12])
    yield view(whole.frame, whole.dice, np.zeros(2), 1.0)
    for _ in range(CLOSER):
        yield view(whole.frame, whole.dice, np.floor(rng.uniform(0, size * (1 - PART))), PART)


def lying(die: dict[str, object]) -> Lying:
    """A label of a rendered tray as a drawn table has it: pixel centres at whole numbers."""
    outline = np.array(die["outline"], np.float32) - 0.5
    told = die["value"] is not None
    return Lying(str(die["die"]), int(str(die["shows"])), outline, float(str(die["seen"])), told, False)


def view(picture: NDArray[np.uint8], dice: tuple[Lying, ...], corner: NDArray[np.float64], share: float) -> Table:
    """A part of a tray, `share` as wide, from `corner` (x, y pixels) on."""
    wide, high = (round(side * share) for side in picture.shape[1::-1])
    x, y = (int(at) for at in corner)
    small = cv2.resize(picture[y : y + high, x : x + wide], table.SIZE, interpolation=cv2.INTER_AREA)
    factor = np.array(table.SIZE) / (wide, high)
    kept = []
    for die in dice:
        outline = ((die.outline + 0.5 - corner) * factor - 0.5).astype(np.float32)
        inside = table.within(outline, table.SIZE)
        if inside > 0:
            kept.append(Lying(die.die, die.value, outline, min(die.seen, inside), die.told, die.pips))
    return Table(np.asarray(small, np.uint8), tuple(kept))
