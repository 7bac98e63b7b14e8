"""Drawn tables kept on disk in shards, each from its own seed: a stopped run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training import glyphs
from training.finder import table
from training.finder.table import Table

SCENES = 250
"""Scenes a shard."""

RICH_IN_D4S = 0.4
"""Share of D4s in shards that are rich in them: few shapes look less like the other dice's."""

HELD, HELD_SEED = 1, 1097
"""How many shards are only measured on, in fonts kept back, and what is added to the seed for them."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Some scenes. frames: (N, H, W, 3) uint8. One row a die: scene (D,), corners (D,), seen (D,) the share in view.

    points: (sum of corners, 2) the outlines, one after another, pixels.
    """

    frames: NDArray[np.uint8]
    scene: NDArray[np.int64]
    corners: NDArray[np.int64]
    seen: NDArray[np.float32]
    points: NDArray[np.float32]

    def dice(self) -> list[list[tuple[NDArray[np.float32], float]]]:
        """For each scene its dice: outline and the share in view."""
        outlines = np.split(self.points, np.cumsum(self.corners)[:-1]) if len(self.corners) else []
        found: list[list[tuple[NDArray[np.float32], float]]] = [[] for _ in self.frames]
        for scene, seen, outline in zip(self.scene, self.seen, outlines, strict=True):
            found[scene].append((outline, float(seen)))
        return found


def make(seed: int, number: int, count: int, fonts: Sequence[glyphs.Font], d4: float = 0.0) -> Shard:
    """`count` scenes from (seed, number) alone; see `table.draw`."""
    cv2.setNumThreads(1)
    return joined([table.draw(np.random.default_rng((seed, number, k)), fonts, d4=d4) for k in range(count)])


def joined(tables: Sequence[Table]) -> Shard:
    """Scenes as arrays."""
    dice = [(k, die) for k, one in enumerate(tables) for die in one.dice]
    return Shard(
        np.stack([one.frame for one in tables]),
        np.array([k for k, _ in dice], np.int64),
        np.array([len(die.outline) for _, die in dice], np.int64),
        np.array([die.seen for _, die in dice], np.float32),
        np.concatenate([np.zeros((0, 2), np.float32), *(die.outline for _, die in dice)]),
    )


def write(path: Path, seed: int, number: int, count: int, fonts: Path | None, d4: float = 0.0) -> None:
    """Make one file, whole or not at all; nothing where it is there."""
    if path.exists():
        return
    shard = make(seed, number, count, glyphs.load(fonts) if fonts else (), d4)
    part = path.with_suffix(".part.npz")
    np.savez(part, **{field.name: getattr(shard, field.name) for field in fields(Shard)})
    part.replace(path)


def path_of(folder: Path, seed: int, number: int) -> Path:
    """Where a shard lies."""
    return folder / f"{seed}-{number:04d}.npz"


def load(path: Path) -> Shard:
    """A shard from disk."""
    with np.load(path) as file:
        return Shard(**{field.name: file[field.name] for field in fields(Shard)})
