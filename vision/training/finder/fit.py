"""Training of the finder: shard by shard as they are drawn, with a checkpoint after each; a stopped run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from dicevision.seek import CLOSER_PX, REACH, Box, Maps
from training import augment
from training.finder.net import Finder
from training.finder.shards import Shard, load
from training.finder.targets import Target, box_of, same, target
from training.fit import PEAK, halved, pace

Die = tuple[NDArray[np.float32], float]
Lots = np.random.Generator

GLANCES, GLANCE = 8, (256, 192)
"""Pictures in a batch of whole views, and their width and height."""

FALSE_AT = 0.1
"""Likelihood from which a place that is no die is worth learning from."""

CLOSE_UPS = 24
"""Pictures in a batch of closer looks."""


def moved(outline: NDArray[np.float32], to: NDArray[np.float64]) -> NDArray[np.float32]:
    """An outline under an affine map (2, 3)."""
    return np.asarray(outline @ to[:, :2].T + to[:, 2], np.float32)


def cut(
    frame: NDArray[np.uint8], dice: Sequence[Die], to: NDArray[np.float64], size: tuple[int, int]
) -> tuple[NDArray[np.uint8], Target]:
    """A frame as seen through an affine map, with its target."""
    step = float(np.sqrt(abs(np.linalg.det(to[:, :2]))))
    if step < 0.8:
        frame = np.asarray(cv2.blur(frame, (2, 2) if step > 0.5 else (3, 3)), np.uint8)
    seen = cv2.warpAffine(frame, to, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8), target([(moved(outline, to), share) for outline, share in dice], size)


def flipped(rng: Lots, scale: float, at: NDArray[np.float64], to_at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2, 3): scales, perhaps mirrors, and takes the place `at` to `to_at`."""
    signs = np.where(rng.random(2) < (0.5, 0.25), -1.0, 1.0)
    linear = np.diag(signs * scale * np.exp(rng.normal(0, 0.05, 2)))
    return np.column_stack([linear, to_at - linear @ at])


def glance_of(rng: Lots, frame: NDArray[np.uint8], dice: Sequence[Die]) -> tuple[NDArray[np.uint8], Target]:
    """A whole view: most of the scene, nearer or farther."""
    scale = float(np.exp(rng.uniform(np.log(0.65), np.log(1.35))))
    at = np.array(frame.shape[1::-1]) * rng.uniform(0.35, 0.65, 2)
    return cut(frame, dice, flipped(rng, scale, at, np.array(GLANCE) / 2), GLANCE)


def close_up_of(
    rng: Lots, frame: NDArray[np.uint8], dice: Sequence[Die], false: Sequence[Box] = ()
) -> tuple[NDArray[np.uint8], Target]:
    """A closer look: at a die, as far off as the glance's slips; one in three at a false place, or at any."""
    if dice and rng.random() < 0.67:
        box = box_of(dice[int(rng.integers(len(dice)))][0])
    elif len(false) and rng.random() < 0.85:
        box = false[int(rng.integers(len(false)))]
    else:
        wide = float(np.exp(rng.uniform(np.log(9), np.log(150))))
        box = (rng.uniform() * frame.shape[1] - wide / 2, rng.uniform() * frame.shape[0] - wide / 2, wide, wide)
    wide = max(box[2:])
    at = np.array([box[0] + box[2] / 2, box[1] + box[3] / 2]) + rng.normal(0, 0.06, 2) * wide
    wide *= float(np.exp(rng.normal(0, 0.13)))
    size = (CLOSER_PX, CLOSER_PX)
    return cut(frame, dice, flipped(rng, CLOSER_PX / REACH / wide, at, np.array(size) / 2), size)


Seen = tuple[NDArray[np.uint8], Target]


def batch(rng: Lots, seen: Sequence[Seen]) -> tuple[Tensor, dict[str, Tensor]]:
    """Some pictures as the net is given them, with what it shall say."""
    x = torch.from_numpy(np.stack([picture for picture, _ in seen]).transpose(0, 3, 1, 2).copy()).float()
    lots = torch.Generator().manual_seed(int(rng.integers(2**31)))
    x = augment.level(augment.recolour(x, lots).clamp(0, 255))
    names = ("centre", "die", "counts", "ways", "weight")
    return x, {name: torch.from_numpy(np.stack([getattr(t, name) for _, t in seen])) for name in names}


def loss_of(out: Tensor, told: dict[str, Tensor]) -> Tensor:
    """Centres by the penalty-reduced focal loss of CenterNet (Zhou et al. 2019), dice by cross entropy, box by logs."""
    likely = out[:, 0].sigmoid().clamp(1e-4, 1 - 1e-4)
    here = told["centre"] >= 1
    near = (1 - told["centre"]) ** 4 * likely**2 * torch.log(1 - likely) * told["counts"]
    focal = torch.where(here, (1 - likely) ** 2 * torch.log(likely), near)
    count = here.sum().clamp(min=1)
    die = functional.binary_cross_entropy_with_logits(out[:, 1], told["die"])
    ways = functional.smooth_l1_loss(out[:, 2:], told["ways"], beta=0.05, reduction="none").mean(1)
    return -focal.sum() / count + die + 8 * (ways * told["weight"]).sum() / count


class Learner:
    """The net in training; goes on from the checkpoint in `folder`."""

    def __init__(self, folder: Path, seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.folder, self.seed, self.done = folder, seed, 0
        self.net: nn.Module = Finder().to(memory_format=torch.channels_last)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=PEAK, weight_decay=0.02)
        if self.kept.exists():
            state = torch.load(self.kept, weights_only=True)
            self.net.load_state_dict(state["net"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.done = int(state["done"])

    @property
    def kept(self) -> Path:
        """The checkpoint."""
        return self.folder / "finder.checkpoint.pt"

    def keep(self) -> None:
        """Write the checkpoint whole or not at all."""
        part = self.kept.with_suffix(".part")
        torch.save({"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict(), "done": self.done}, part)
        part.replace(self.kept)

    def step(self, x: Tensor, told: dict[str, Tensor], rate: float) -> float:
        """One batch; the loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", torch.bfloat16, enabled=halved()):
            out = self.net(x.to(memory_format=torch.channels_last))
        loss = loss_of(out.float(), told)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        return float(loss.detach())

    def false_places(self, shard: Shard) -> list[list[Box]]:
        """For each scene where the net, as it stands, sees dice that are none."""
        self.net.eval()
        found = []
        for frame, dice in zip(shard.frames, shard.dice(), strict=True):
            with torch.no_grad():
                x = augment.level(torch.from_numpy(frame.transpose(2, 0, 1)[None].copy()).float())
                maps = Maps.of(self.net(x)[0].numpy())
            boxes = [box_of(outline) for outline, _ in dice]
            places = [box for _, box in maps.peaks(FALSE_AT)]
            found.append([box for box in places if not any(same(box, die, 0.2) for die in boxes)])
        return found

    def over(self, shard: Shard, span: tuple[float, float], height: float = 1.0, hard: bool = False) -> float:
        """Every scene of a shard once whole and three times closer; `span`: the shares of the run before and after.

        height: multiplies the learning rate. hard: closer looks at what the net takes for dice and is none.
        """
        rng = np.random.default_rng([self.seed, self.done])
        dice = shard.dice()
        false: list[list[Box]] = self.false_places(shard) if hard else [[] for _ in dice]
        self.net.train()
        mixed, losses = rng.permutation(len(dice)), []
        starts = range(0, len(mixed) - GLANCES + 1, GLANCES)
        for n, start in enumerate(starts):
            rate = height * pace(span[0] + (span[1] - span[0]) * n / len(starts))
            whole = [glance_of(rng, shard.frames[k], dice[k]) for k in mixed[start : start + GLANCES]]
            near = [
                close_up_of(rng, shard.frames[k], dice[k], false[k]) for k in rng.integers(len(dice), size=CLOSE_UPS)
            ]
            losses += [self.step(*batch(rng, seen), rate) for seen in (whole, near)]
        return sum(losses) / max(1, len(losses))


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle of training: over `shards` from the `first` on, `passes` times, at `height` times the learning rate.

    hard: closer looks at what the net takes for dice and is none.
    """

    shards: int
    passes: int
    height: float = 1.0
    hard: bool = False
    first: int = 0

    @property
    def count(self) -> int:
        """How many shards are seen in all."""
        return self.shards * self.passes


def fit(
    paths: Sequence[Path], folder: Path, cycles: Sequence[Cycle], seed: int, ready: Callable[[Path], None]
) -> nn.Module:
    """Train over `paths` in cycles; `ready` is called before a shard is opened, and waits until it is there."""
    learner, known, before = Learner(folder, seed), dict[Path, Shard](), 0
    for cycle in cycles:
        for number in range(max(0, learner.done - before), cycle.count):
            turn, place = divmod(number, cycle.shards)
            first = turn == 0 and before == 0
            order = (
                np.arange(cycle.shards)
                if first
                else np.random.default_rng([seed, turn, before]).permutation(cycle.shards)
            )
            path, began = paths[cycle.first + int(order[place])], time.monotonic()
            ready(path)
            known[path] = known[path] if path in known else load(path)
            span = (number / cycle.count, (number + 1) / cycle.count)
            loss = learner.over(known[path], span, cycle.height, cycle.hard)
            learner.done = before + number + 1
            learner.keep()
            line = {"shards": learner.done, "loss": round(loss, 4), "seconds": round(time.monotonic() - began)}
            with (folder / "finder.log.jsonl").open("a") as log:
                log.write(json.dumps(line) + "\n")
        before += cycle.count
    return learner.net.eval()
