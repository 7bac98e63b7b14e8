"""Training of one net, epoch by epoch, with a checkpoint after each so that a stopped run goes on where it was."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from dicevision import crops
from training import augment, nets
from training.shards import CLASSES, NONE, Shard, joined, load
from training.solids import SHAPES

BATCH = 64

PEAK = 2.5e-3
"""The highest learning rate of the cycle; AdamW with batches of 64 took it without diverging."""

WARM = 0.15
"""Share of a run in which the rate climbs."""


CPU = Path("/proc/cpuinfo")

BFLOAT16 = {"avx512_bf16", "amx_bf16"}
"""Flags of processors that multiply in bfloat16. One that has AVX-512 alone took 1.5 times as long in it as in float32,
one without AVX-512 ten times."""


@cache
def halved(about: Path = CPU) -> bool:
    """Whether this processor multiplies in bfloat16 faster than in float32; not where the system does not say."""
    try:
        told = about.read_text()
    except OSError:
        return False
    return any(BFLOAT16 & set(line.split()) for line in told.splitlines() if line.startswith(("flags", "Features")))


@dataclass(frozen=True, slots=True)
class Task:
    """One net to train.

    rows: how many examples a shard holds. batch: some of them -> (input, targets). score: outputs and targets -> named
    figures.
    """

    name: str
    rows: Callable[[Shard], int]
    net: Callable[[], nn.Sequential]
    batch: Callable[[Shard, np.ndarray[Any, Any], torch.Generator, bool], tuple[Tensor, dict[str, Tensor]]]
    loss: Callable[[Tensor, dict[str, Tensor]], Tensor]
    score: Callable[[Tensor, dict[str, Tensor]], dict[str, float]]


def _pixels(crops: Any) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(crops.transpose(0, 3, 1, 2))).float()


LABELS = (*CLASSES, ("none", 0))
"""The numeral net's class outputs in order."""

_SWAP = {6: 9, 9: 6}
TWIN = torch.tensor(
    [LABELS.index(two) if (two := (d, _SWAP.get(v, v))) in LABELS else k for k, (d, v) in enumerate(LABELS)]
)
"""For each label that of the same die with 6 and 9 exchanged."""

SIX_OR_NINE = torch.tensor([value in _SWAP for _, value in LABELS])
DIE_OF = torch.tensor([list(dict.fromkeys(d for d, _ in LABELS)).index(die) for die, _ in LABELS])


def numeral_batch(
    shard: Shard, rows: np.ndarray[Any, Any], rng: torch.Generator, train: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Faces turned at random; a 6 or 9 that nothing marks counts half as each, for that is all a picture can tell."""
    x = augment.faces(_pixels(shard.face[rows]), rng, train)
    if train:
        x = augment.hide(augment.recolour(x, rng), rng)
    labels = torch.from_numpy(shard.labels[rows])
    soft = functional.one_hot(labels[:, 0], len(LABELS)).float()
    torn = labels[:, 2] == 1
    soft[torn] = (soft[torn] + functional.one_hot(TWIN[labels[torn, 0]], len(LABELS)).float()) / 2
    signs = labels[:, [1, 3]].float()
    return augment.level(x), {"soft": soft, "klass": labels[:, 0], "signs": signs, "torn": torn}


def numeral_loss(out: Tensor, target: dict[str, Tensor]) -> Tensor:
    """Cross entropy on the class, on pips, and on the mark where the numeral is a 6 or a 9."""
    value = -(target["soft"] * functional.log_softmax(out[:, :-2], 1)).sum(1).mean()
    mark, pips = functional.binary_cross_entropy_with_logits(out[:, -2:], target["signs"], reduction="none").T
    asked = SIX_OR_NINE[target["klass"]].float()
    return value + 0.5 * (mark * asked).sum() / asked.sum().clamp(min=1) + 0.3 * pips.mean()


def numeral_score(out: Tensor, target: dict[str, Tensor]) -> dict[str, float]:
    """Shares right: class, die type, value with the type known (unmarked 6 and 9 left out), mark seen."""
    klass = target["klass"]
    told = ~target["torn"] & (klass != NONE)
    logits = out[:, :-2]
    known = logits.masked_fill(DIE_OF[None] != DIE_OF[klass][:, None], -1e9).argmax(1)
    six = SIX_OR_NINE[klass]
    return {
        "class": float((logits.argmax(1) == klass)[told].float().mean()),
        "die": float((DIE_OF[logits.argmax(1)] == DIE_OF[klass]).float().mean()),
        "value of known die": float((known == klass)[told].float().mean()),
        "none called none": float((logits.argmax(1) == NONE)[klass == NONE].float().mean()),
        "numeral called none": float((logits.argmax(1) == NONE)[klass != NONE].float().mean()),
        "mark": float(((out[:, -2] > 0) == (target["signs"][:, 0] > 0))[six].float().mean()) if six.any() else 1.0,
        "pips": float(((out[:, -1] > 0) == (target["signs"][:, 1] > 0)).float().mean()),
    }


def locate_batch(
    shard: Shard, rows: np.ndarray[Any, Any], rng: torch.Generator, train: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Whole dice; hardly turned, for a tilted camera shows the top face nearer the picture's top."""
    x, geometry = _pixels(shard.whole[rows]), torch.from_numpy(shard.geometry[rows])
    away = torch.from_numpy(shard.away[rows])
    if train:
        x, geometry, away = augment.mirror(x, geometry, augment.misjudged(away, rng), rng)
    x, geometry = augment.wholes(x, geometry, rng, train)
    if train:
        x = augment.hide(augment.recolour(x, rng), rng)
    planes = (away * crops.AWAY)[:, :, None, None].expand(-1, -1, *x.shape[2:])
    return torch.cat([augment.level(x), planes], 1), {
        "geometry": geometry,
        "shape": torch.from_numpy(shard.shape[rows]),
    }


def locate_loss(out: Tensor, target: dict[str, Tensor]) -> Tensor:
    """Cross entropy on the shape; the disc's and tilt's errors, robustly."""
    shape = functional.cross_entropy(out[:, : len(SHAPES)], target["shape"])
    error = functional.smooth_l1_loss(out[:, len(SHAPES) : nets.LOCATE_OUT], target["geometry"], beta=0.05)
    return shape + 12 * error


def locate_score(out: Tensor, target: dict[str, Tensor]) -> dict[str, float]:
    """Share of shapes right; the disc's centre's error in its own radii (median, 95th percentile); its size's error."""
    geometry, found = target["geometry"], out[:, len(SHAPES) : nets.LOCATE_OUT]
    radius = (geometry[:, 2] + geometry[:, 4]) / 2
    off = (found[:, :2] - geometry[:, :2]).norm(dim=1) / radius
    size = ((found[:, 2] + found[:, 4]) / 2 / radius).log().abs()
    return {
        "shape": float((out[:, : len(SHAPES)].argmax(1) == target["shape"]).float().mean()),
        "centre off, median": float(off.median()),
        "centre off, 95th": float(off.quantile(0.95)),
        "size off, median": float(size.median()),
        "tilt off, mean": float((found[:, 5:] - geometry[:, 5:]).norm(dim=1).mean()),
    }


TASKS = {
    "numeral": Task("numeral", lambda shard: len(shard.face), nets.numeral, numeral_batch, numeral_loss, numeral_score),
    "locate": Task("locate", lambda shard: len(shard.whole), nets.locate, locate_batch, locate_loss, locate_score),
}


def evaluate(task: Task, net: nn.Sequential, paths: Sequence[Path]) -> dict[str, float]:
    """The task's figures on the whole dice or top faces of shards, nothing augmented."""
    net.eval()
    rng, outs, targets = torch.Generator().manual_seed(0), [], []
    with torch.no_grad():
        for path in paths:
            shard = load(path)
            for start in range(0, len(shard.whole), 500):
                x, target = task.batch(shard, np.arange(start, min(start + 500, len(shard.whole))), rng, False)
                outs.append(net(x))
                targets.append(target)
    joined = {key: torch.cat([t[key] for t in targets]) for key in targets[0]}
    return task.score(torch.cat(outs), joined)


def pace(done: float) -> float:
    """The learning rate when the share `done` of a run is over: up to PEAK while WARM, then down to nothing."""
    if done < WARM:
        return PEAK * (0.04 + 0.96 * (1 - math.cos(math.pi * done / WARM)) / 2)
    return PEAK * (1 + math.cos(math.pi * (done - WARM) / (1 - WARM))) / 2 + 1e-7


@dataclass(frozen=True, slots=True)
class Run:
    """A net in training, with what it takes to go on after a stop. height: multiplies the learning rate throughout."""

    net: nn.Sequential
    optimiser: Any
    height: float = 1.0

    def state(self) -> dict[str, Any]:
        """All that is learnt so far."""
        return {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])


def begin(task: Task, seed: int, after: Path | None = None, height: float = 0.5) -> Run:
    """A net that knows nothing; or, `after` a finished run's checkpoint, its weights and `height` of the rate."""
    torch.manual_seed(seed)
    net = task.net().to(memory_format=torch.channels_last)
    if after is not None:
        net.load_state_dict(torch.load(after, weights_only=True)["net"])
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02)
    return Run(net, optimiser, 1.0 if after is None else height)


def step(task: Task, run: Run, x: Tensor, target: dict[str, Tensor], rate: float) -> float:
    """One batch at a learning rate: forward in bfloat16 where faster, loss, backward, update. Returns the loss."""
    for group in run.optimiser.param_groups:
        group["lr"] = rate
    with torch.autocast("cpu", torch.bfloat16, enabled=halved()):
        out = run.net(x.to(memory_format=torch.channels_last))
    loss = task.loss(out.float(), target)
    run.optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(run.net.parameters(), 2.0)
    run.optimiser.step()
    return float(loss.detach())


def shard_over(task: Task, run: Run, shard: Shard, rng: torch.Generator, span: tuple[float, float]) -> list[float]:
    """Every example of a shard once, mixed; `span`: the shares of the whole run done before and after. The losses."""
    mixed = torch.randperm(task.rows(shard), generator=rng).numpy()
    batches = [mixed[start : start + BATCH] for start in range(0, len(mixed), BATCH)]
    first, last = span
    rates = [run.height * pace(first + (last - first) * k / len(batches)) for k in range(len(batches))]
    return [
        step(task, run, *task.batch(shard, rows, rng, True), rate) for rows, rate in zip(batches, rates, strict=True)
    ]


def epoch_over(
    task: Task, run: Run, paths: Sequence[Path], epoch: int, epochs: int, seed: int, beside: Sequence[Shard] = ()
) -> float:
    """Every render once, shards in order in the first epoch, then in one drawn from `seed`; the mean loss.

    beside: photographs that come with every shard.
    """
    torch.manual_seed(seed * 1000 + epoch)
    rng, losses = torch.Generator().manual_seed(seed * 1000 + epoch), []
    run.net.train()
    order = torch.randperm(len(paths), generator=rng).tolist() if epoch else range(len(paths))
    part = 1 / (epochs * len(paths))
    for n, k in enumerate(order):
        done = epoch / epochs + n * part
        losses += shard_over(task, run, joined(load(paths[k]), beside), rng, (done, done + part))
    return sum(losses) / len(losses)


def fit(
    task: Task,
    train: Sequence[Path],
    held: Sequence[Path],
    folder: Path,
    epochs: int,
    seed: int,
    until: int | None = None,
    after: Path | None = None,
    beside: Sequence[Shard] = (),
    height: float = 0.5,
) -> nn.Sequential:
    """Train over the `train` shards, measuring on the `held` ones after each epoch.

    until: the epoch to stop after. after: the checkpoint of a finished run to start from, at `height` of the rate.
    beside: photographs to learn from too. Goes on from the checkpoint in `folder`, where there is one, exactly as if it
    had never stopped.
    """
    torch.set_num_threads(1)
    run, kept = begin(task, seed, after, height), folder / f"{task.name}.checkpoint.pt"
    done = _resume(kept, run)
    for epoch in range(done, epochs if until is None else until):
        began = time.monotonic()
        loss = epoch_over(task, run, train, epoch, epochs, seed, beside)
        line = {
            "net": task.name,
            "epoch": epoch + 1,
            "loss": round(loss, 4),
            "seconds": round(time.monotonic() - began),
        }
        _keep(kept, run, epoch + 1)
        with (folder / f"{task.name}.log.jsonl").open("a") as log:
            log.write(json.dumps({**line, **evaluate(task, run.net, held)}) + "\n")
    return run.net.eval()


def _keep(path: Path, run: Run, epoch: int) -> None:
    part = path.with_suffix(".part")
    torch.save({**run.state(), "epoch": epoch}, part)
    part.replace(path)


def _resume(path: Path, run: Run) -> int:
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    run.restore(state)
    return int(state["epoch"])
