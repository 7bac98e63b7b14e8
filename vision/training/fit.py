"""Training of one net, epoch by epoch, with a checkpoint after each so that a stopped run goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training import augment, nets
from training.shards import CLASSES, Shard, load
from training.solids import SHAPES

BATCH = 128

PEAK = 3e-3
"""The highest learning rate of the cycle; AdamW with batches of 128 took it without diverging."""


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


def _twin() -> Tensor:
    """For each class the class of the same die with 6 and 9 exchanged."""
    swap = {6: 9, 9: 6}
    return torch.tensor(
        [
            CLASSES.index((d, swap[v])) if v in swap and (d, swap[v]) in CLASSES else i
            for i, (d, v) in enumerate(CLASSES)
        ]
    )


TWIN = _twin()
SIX_OR_NINE = torch.tensor([value in (6, 9) for _, value in CLASSES])
DIE_OF = torch.tensor([[d for d, _ in dict.fromkeys((d, 0) for d, _ in CLASSES)].index(die) for die, _ in CLASSES])


def numeral_batch(
    shard: Shard, rows: np.ndarray[Any, Any], rng: torch.Generator, train: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Faces turned at random; a 6 or 9 that nothing marks counts half as each, for that is all a picture can tell."""
    x = augment.faces(_pixels(shard.face[rows]), rng, train)
    if train:
        x = augment.hide(augment.recolour(x, rng), rng)
    labels = torch.from_numpy(shard.labels[rows])
    soft = functional.one_hot(labels[:, 0], len(CLASSES)).float()
    torn = labels[:, 2] == 1
    soft[torn] = (soft[torn] + functional.one_hot(TWIN[labels[torn, 0]], len(CLASSES)).float()) / 2
    return augment.level(x), {"soft": soft, "klass": labels[:, 0], "marked": labels[:, 1].float(), "torn": torn}


def numeral_loss(out: Tensor, target: dict[str, Tensor]) -> Tensor:
    """Cross entropy on the class, and on the mark where the numeral is a 6 or a 9."""
    value = -(target["soft"] * functional.log_softmax(out[:, :-1], 1)).sum(1).mean()
    mark = functional.binary_cross_entropy_with_logits(out[:, -1], target["marked"], reduction="none")
    asked = SIX_OR_NINE[target["klass"]].float()
    return value + 0.5 * (mark * asked).sum() / asked.sum().clamp(min=1)


def numeral_score(out: Tensor, target: dict[str, Tensor]) -> dict[str, float]:
    """Shares right: class, die type, value with the type known (unmarked 6 and 9 left out), mark seen."""
    told = ~target["torn"]
    klass = target["klass"]
    logits = out[:, :-1]
    known = logits.masked_fill(DIE_OF[None] != DIE_OF[klass][:, None], -1e9).argmax(1)
    six = SIX_OR_NINE[klass]
    return {
        "class": float((logits.argmax(1) == klass)[told].float().mean()),
        "die": float((DIE_OF[logits.argmax(1)] == DIE_OF[klass]).float().mean()),
        "value of known die": float((known == klass)[told].float().mean()),
        "mark": float(((out[:, -1] > 0) == (target["marked"] > 0))[six].float().mean()) if six.any() else 1.0,
    }


def locate_batch(
    shard: Shard, rows: np.ndarray[Any, Any], rng: torch.Generator, train: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Whole dice; never turned, for a tilted camera shows the top face nearer the picture's top."""
    x, geometry = _pixels(shard.whole[rows]), torch.from_numpy(shard.geometry[rows])
    if train:
        x, geometry = augment.mirror(x, geometry, rng)
        x = augment.hide(augment.recolour(x, rng), rng)
    return augment.level(x), {"geometry": geometry, "shape": torch.from_numpy(shard.shape[rows])}


def locate_loss(out: Tensor, target: dict[str, Tensor]) -> Tensor:
    """Cross entropy on the shape; the disc's and tilt's errors, robustly."""
    shape = functional.cross_entropy(out[:, : len(SHAPES)], target["shape"])
    error = functional.smooth_l1_loss(out[:, len(SHAPES) :], target["geometry"], beta=0.05)
    return shape + 12 * error


def locate_score(out: Tensor, target: dict[str, Tensor]) -> dict[str, float]:
    """Share of shapes right; the disc's centre's error in its own radii (median, 95th percentile); its size's error."""
    geometry, found = target["geometry"], out[:, len(SHAPES) :]
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


@dataclass(frozen=True, slots=True)
class Run:
    """A net in training, with what it takes to go on after a stop."""

    net: nn.Sequential
    optimiser: Any
    schedule: Any

    def state(self) -> dict[str, Any]:
        """All that is learnt so far."""
        parts = {"net": self.net, "optimiser": self.optimiser, "schedule": self.schedule}
        return {name: part.state_dict() for name, part in parts.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])


def begin(task: Task, steps: int, seed: int) -> Run:
    """A net that knows nothing, and its one-cycle schedule of `steps` batches."""
    torch.manual_seed(seed)
    net = task.net().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02)
    return Run(net, optimiser, torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK, total_steps=steps, pct_start=0.15))


def step(task: Task, run: Run, x: Tensor, target: dict[str, Tensor]) -> float:
    """One batch: forward in bfloat16, loss, backward, update. Returns the loss."""
    with torch.autocast("cpu", torch.bfloat16):
        out = run.net(x.to(memory_format=torch.channels_last))
    loss = task.loss(out.float(), target)
    run.optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(run.net.parameters(), 2.0)
    run.optimiser.step()
    run.schedule.step()
    return float(loss.detach())


def epoch_over(task: Task, run: Run, paths: Sequence[Path], seed: int) -> float:
    """Every render once, shards and rows in an order drawn from `seed`; the mean loss."""
    torch.manual_seed(seed)
    rng, losses = torch.Generator().manual_seed(seed), []
    run.net.train()
    for k in torch.randperm(len(paths), generator=rng).tolist():
        shard = load(paths[k])
        mixed = torch.randperm(task.rows(shard), generator=rng).numpy()
        batches = (mixed[start : start + BATCH] for start in range(0, len(mixed), BATCH))
        losses += [step(task, run, *task.batch(shard, rows, rng, True)) for rows in batches]
    return sum(losses) / len(losses)


def _steps(task: Task, paths: Sequence[Path]) -> int:
    return sum(-(-task.rows(load(path)) // BATCH) for path in paths)


def fit(
    task: Task,
    train: Sequence[Path],
    held: Sequence[Path],
    folder: Path,
    epochs: int,
    seed: int,
    until: int | None = None,
) -> nn.Sequential:
    """Train over the `train` shards, measuring on the `held` ones after each epoch; `until`: the epoch to stop after.

    Goes on from the checkpoint in `folder`, exactly as if it had never stopped.
    """
    torch.set_num_threads(1)
    run, kept = begin(task, epochs * _steps(task, train), seed), folder / f"{task.name}.checkpoint.pt"
    done = _resume(kept, run)
    for epoch in range(done, epochs if until is None else until):
        began = time.monotonic()
        loss = epoch_over(task, run, train, seed * 1000 + epoch)
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
