"""Cut candidates kept on disk: each shard from its own seed, so that a stopped run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from training.faces.tries import Cut, balanced, join, scattered, thrown

Source = Literal["scatter", "trays"]

SOURCES: dict[Source, tuple[Callable[[np.random.Generator], Cut], int]] = {
    "scatter": (scattered, 60),
    "trays": (thrown, 10),
}
"""How a scene of each source is made, and how many scenes make a shard: some minute's work."""


def path_of(folder: Path, source: Source, seed: int, number: int) -> Path:
    """A shard's file."""
    return folder / f"{source}-{seed}-{number:04d}.npz"


def shard(folder: Path, source: Source, seed: int, number: int) -> Path:
    """Make one shard where it is not there, and return its file."""
    path = path_of(folder, source, seed, number)
    if not path.exists():
        make, count = SOURCES[source]
        name = list(SOURCES).index(source)
        cuts = [make(np.random.default_rng([seed, name, number, k])) for k in range(count)]
        part = path.with_suffix(".part.npz")
        whole = balanced(join([c for c in cuts if len(c.labels)]))
        np.savez(part, pictures=whole.pictures, labels=whole.labels)
        part.replace(path)
    return path


def load(path: Path) -> Cut:
    """Open a shard."""
    with np.load(path) as held:
        return Cut(held["pictures"], held["labels"])
