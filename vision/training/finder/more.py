"""Trains the finder that ships further: `python -m training.finder.more --out OUT --rendered DIR`.

It sees drawn tables (of a seed that no shard had) and the rendered trays of `training.physical.teach`, in turn, once a
pass. OUT/models gets finder.onnx and finder.json; `training.finder.isdie` and `training.finder.agree` come after it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from dicevision import seek
from training import again
from training.families import prepare_fonts
from training.finder import export, fit, shards
from training.finder.shards import Shard
from training.physical import tables

HEIGHT = 0.4
"""Share of the learning rate, for a net that has learnt."""

UNFOLDED_BY = 30
"""Batches by which the shipped net is taken up."""


def parts(shard: Shard, size: int = shards.SCENES) -> list[Shard]:
    """A shard in shards of `size` scenes, each with scenes from all over it."""
    count = max(1, len(shard.frames) // size)
    starts = np.concatenate([[0], np.cumsum(shard.corners)])
    made = []
    for k in range(count):
        scenes = np.arange(k, len(shard.frames), count)
        dice = np.flatnonzero(np.isin(shard.scene, scenes))
        points = [shard.points[starts[die] : starts[die + 1]] for die in dice]
        made.append(
            Shard(
                shard.frames[scenes],
                np.searchsorted(scenes, shard.scene[dice]),
                shard.corners[dice],
                shard.seen[dice],
                np.concatenate([np.zeros((0, 2), np.float32), *points]),
            )
        )
    return made


def taken_up(learner: fit.Learner, shard: Shard) -> None:
    """Give it the net that ships."""
    rng, dice = np.random.default_rng(0), shard.dice()
    near = [
        fit.batch(
            rng, [fit.glance_of(rng, shard.frames[k], dice[k]) for k in rng.integers(len(dice), size=fit.GLANCES)]
        )
        for _ in range(UNFOLDED_BY)
    ]
    again.restore(learner.net, Path(seek.__file__).with_name("models") / "finder.onnx", [x for x, _ in near])
    learner.net.to(memory_format=torch.channels_last)


def train(learner: fit.Learner, told: Sequence[Shard], passes: int) -> None:
    """So many passes over all shards, mixed anew in each; goes on where it was stopped."""
    order = [
        int(k) for turn in range(passes) for k in np.random.default_rng([learner.seed, turn]).permutation(len(told))
    ]
    for number in range(learner.done, len(order)):
        span = (number / len(order), (number + 1) / len(order))
        loss = learner.over(told[order[number]], span, HEIGHT, hard=True)
        learner.done = number + 1
        learner.keep()
        sys.stdout.write(json.dumps({"shards": learner.done, "of": len(order), "loss": round(loss, 4)}) + "\n")
        sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.finder.more", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("--rendered", type=Path, required=True, help="folder that training.physical.teach wrote")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--shards", type=int, default=6, help=f"drawn, of {shards.SCENES} scenes each")
    parser.add_argument("--passes", type=int, default=3)
    given = parser.parse_args(arguments)
    (given.out / "models").mkdir(parents=True, exist_ok=True)
    fonts, kept = prepare_fonts(given.out)
    drawn = [shards.path_of(given.out, given.seed, k) for k in range(given.shards)]
    for k, path in enumerate(drawn):
        shards.write(path, given.seed, k, shards.SCENES, fonts, shards.RICH_IN_D4S if k % 2 else 0.0)
    held = [shards.path_of(given.out, given.seed + shards.HELD_SEED, k) for k in range(shards.HELD)]
    for k, path in enumerate(held):
        shards.write(path, given.seed + shards.HELD_SEED, k, shards.SCENES, kept)
    told = [*map(shards.load, drawn), *parts(tables.of(given.rendered))]
    learner = fit.Learner(given.out, given.seed)
    if not learner.done:
        taken_up(learner, told[0])
    train(learner, told, given.passes)
    how = {"seed": given.seed, "drawn shards": given.shards, "all shards": len(told), "passes": given.passes}
    made = export.write(learner.net.eval(), given.out / "models", [shards.load(path) for path in held], how)
    sys.stdout.write(json.dumps(made) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
