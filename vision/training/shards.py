"""Renders kept on disk in shards: made by several processes, each shard from its own seed, so a stopped run goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.crops import SIDE_PX, WHOLE_REACH, disc_affine, sample, whole_affine
from training import glyphs, solids
from training.marking import NEEDS_MARK, VALUES
from training.singles import DICE, Side, Single, render

STORED_PX, STORED_REACH = 100, 1.6
"""The stored face is larger than the net's crop, so that training may turn, shift and stretch it: 100/72 = 1.6/1.15."""

WHOLE_PX = 96
"""Side of the stored whole die, at the net's own resolution, with room for boxes as finders give them."""

WHOLE_STORED = WHOLE_REACH * WHOLE_PX / SIDE_PX
"""That side in units of the longer side of the die's box."""

CLASSES: tuple[tuple[str, int], ...] = tuple((die, value) for die in DICE for value in VALUES[die])
"""What the numeral net tells apart: each value of each die..."""

NONE = len(CLASSES)
"""...and, after them, "no numeral here": strewn pips, a maker's sign, or a disc that is off the face."""

MISPLACED = 0.05
"""Share of renders that give one more face whose disc is off, to be called NONE."""


OTHERS = 3
"""Side faces kept of one render, at most: each is one more numeral to learn from at hardly any cost."""


LEAST_DICE = 100
"""A set of fewer photographs is repeated until it has so many beside the renders of a shard."""

FACES_A_DIE = 3
"""How often a face counts that is the only one of its die: a render has about as many."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Some thousand renders.

    whole: (N, 96, 96, 3) uint8, round the true box. shape: (N,). geometry: (N, 7): disc centre x, y, root xx, xy, yy in
    half sides of the net's own crop of that box, tilt x, y. away: (N, 2), the tilt that the die's place adds. face:
    (M, 100, 100, 3) uint8, the top faces first, then
    side faces. labels: (M, 4): class, marked, torn (a 6 or 9 that needs a mark and has none), pips.
    """

    whole: NDArray[np.uint8]
    shape: NDArray[np.int64]
    geometry: NDArray[np.float32]
    face: NDArray[np.uint8]
    labels: NDArray[np.int64]
    away: NDArray[np.float32]


NAMES = tuple(field.name for field in fields(Shard))


def geometry_of(disc: NDArray[np.float64], to_frame: NDArray[np.float64]) -> NDArray[np.float64]:
    """The disc in the whole crop's own units: centre from the crop's middle and root, both in half sides."""
    step, half = to_frame[0, 0], (SIDE_PX - 1) / 2
    centre = ((disc[:, 2] - to_frame[:, 2]) / step - half) / (SIDE_PX / 2)
    root = disc[:, :2] / step / (SIDE_PX / 2)
    return np.array([*centre, root[0, 0], root[0, 1], root[1, 1]])


def face_of(single: Single, side: Side) -> tuple[NDArray[np.uint8], list[int]]:
    """One numeral, straightened, and its label."""
    stored = sample(single.picture, disc_affine(side.disc, 0.0, STORED_REACH, STORED_PX), STORED_PX)
    if not side.numeral:
        return stored, [NONE, 0, 0, int(side.pips)]
    torn = single.die in NEEDS_MARK and side.value in (6, 9) and not side.marked
    return stored, [CLASSES.index((single.die, side.value)), int(side.marked), int(torn), int(side.pips)]


def misplaced(side: Side, rng: np.random.Generator) -> Side:
    """The same with its disc three quarters of a radius off or more: no place to read a numeral at."""
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.75, 1.3)
    disc = side.disc.copy()
    disc[:, 2] += disc[:, :2] @ (np.cos(angle) * reach, np.sin(angle) * reach)
    return replace(side, disc=disc, numeral=False, pips=False)


def whole_of(single: Single) -> tuple[NDArray[np.uint8], int, NDArray[np.float64]]:
    """The whole die and some of what is round it, its shape, its geometry."""
    geometry = np.array([*geometry_of(single.top.disc, whole_affine(single.box)), *single.tilt])
    stored = whole_affine(single.box, WHOLE_PX, WHOLE_STORED)
    return sample(single.picture, stored, WHOLE_PX), solids.SHAPES.index(single.shape), geometry


def make(seed: int, number: int, count: int, fonts: Sequence[glyphs.Font]) -> Shard:
    """`count` renders from (seed, number) alone."""
    cv2.setNumThreads(1)
    return of(drawn(np.random.default_rng((seed, number, i)), fonts) for i in range(count))


def drawn(rng: np.random.Generator, fonts: Sequence[glyphs.Font]) -> tuple[Single, list[Side]]:
    """A render, and what else of it is to be learnt from than its top."""
    single = render(rng, fonts)
    return single, beside_top(single, rng)


def beside_top(single: Single, rng: np.random.Generator) -> list[Side]:
    """Some of its side faces and, now and then, a disc that is off its top."""
    others = [single.others[k] for k in rng.permutation(len(single.others))[:OTHERS]]
    if single.shape != "D4" and rng.random() < MISPLACED:
        others.append(misplaced(single.top, rng))
    return others


def of(dice: Iterable[tuple[Single, Sequence[Side]]]) -> Shard:
    """A shard of dice, each with the faces beside its top that teach too."""
    wholes, tops, others, away = [], [], [], []
    for single, more in dice:
        wholes.append(whole_of(single))
        away.append(single.away)
        tops.append(face_of(single, single.top))
        others += [face_of(single, side) for side in more]
    whole, shape, geometry = (np.stack(column) for column in zip(*wholes, strict=True))
    face, labels = (np.stack(column) for column in zip(*(tops + others), strict=True))
    return Shard(whole, shape, geometry.astype(np.float32), face, labels, np.array(away, np.float32))


def _make_file(path: Path, seed: int, number: int, count: int, fonts: Path | None) -> None:
    if path.exists():
        return
    save(make(seed, number, count, glyphs.load(fonts) if fonts else ()), path)


def save(shard: Shard, path: Path) -> None:
    """A shard to disk: there whole, or not at all."""
    part = path.with_suffix(".part.npz")
    np.savez(part, **{name: getattr(shard, name) for name in NAMES})
    part.replace(path)


def make_all(folder: Path, seed: int, shards: int, count: int, fonts: Path | None, processes: int) -> list[Path]:
    """Make what is missing of `shards` files of `count` renders; return their paths in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{seed}-{k:04d}.npz" for k in range(shards)]
    with ProcessPoolExecutor(processes) as pool:
        jobs = [pool.submit(_make_file, path, seed, k, count, fonts) for k, path in enumerate(paths)]
        for job in jobs:
            job.result()
    return paths


def joined(shard: Shard, others: Sequence[Shard]) -> Shard:
    """One shard of a shard of renders and those of photographs or rendered trays beside it, each LEAST_DICE or more.

    A photograph's faces count FACES_A_DIE times: hardly any has more than its top. The top faces are no longer the
    first.
    """
    wholes, faces = [np.arange(len(shard.whole))], [np.arange(len(shard.face))]
    whole_at, face_at = len(shard.whole), len(shard.face)
    for other in others:
        times = -(-LEAST_DICE // max(len(other.whole), 1))
        wholes.append(np.tile(np.arange(len(other.whole)) + whole_at, times))
        alone = len(other.face) < 1.5 * len(other.whole)
        faces.append(np.tile(np.arange(len(other.face)) + face_at, times * (FACES_A_DIE if alone else 1)))
        whole_at, face_at = whole_at + len(other.whole), face_at + len(other.face)
    of_die, of_face = np.concatenate(wholes), np.concatenate(faces)
    held = {name: np.concatenate([getattr(one, name) for one in (shard, *others)]) for name in NAMES}
    return Shard(**{name: column[of_face if name in ("face", "labels") else of_die] for name, column in held.items()})


def load(path: Path) -> Shard:
    """A shard from disk."""
    with np.load(path) as file:
        return Shard(**{name: file[name] for name in NAMES})
