"""Training of the judge: shard by shard as they are made, with a checkpoint after each; a stopped run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from dicevision.judge import CLASSES, SIDE
from training import augment
from training.faces.net import judge, seen
from training.faces.shards import load
from training.faces.tries import Cut, join
from training.fit import BATCH, PEAK, Run, halved, pace

SMOOTH = 0.02
"""Share of each label given to the other classes: a few of the labels are wrong, and sureness should say so."""

AGAIN = 2
"""Candidates of earlier shards seen again with each new one, in units of its size. Drawing costs more than learning, so
training keeps pace with the drawing and sees each candidate some three times."""


def opened(paths: Sequence[Path]) -> Cut:
    """Several shards together."""
    return join([load(path) for path in paths])


def pixels(pictures: Any) -> Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float."""
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float()


def begin(seed: int) -> Run:
    """A net that knows nothing."""
    torch.manual_seed(seed)
    net = judge().to(memory_format=torch.channels_last)
    return Run(net, torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02))


def step(run: Run, x: Tensor, labels: Tensor, rate: float) -> float:
    """One batch at a learning rate; the loss."""
    for group in run.optimiser.param_groups:
        group["lr"] = rate
    with torch.autocast("cpu", torch.bfloat16, enabled=halved()):
        out = run.net(x.to(memory_format=torch.channels_last))
    loss = functional.cross_entropy(out.float(), labels, label_smoothing=SMOOTH)
    run.optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(run.net.parameters(), 2.0)
    run.optimiser.step()
    return float(loss.detach())


def over(run: Run, cut: Cut, rng: torch.Generator, span: tuple[float, float]) -> float:
    """Every candidate once, mixed; `span`: the shares of the whole run done before and after. The mean loss."""
    run.net.train()
    mixed = torch.randperm(len(cut.labels), generator=rng).numpy()
    losses = []
    for start in range(0, len(mixed) - BATCH + 1, BATCH):
        rows = mixed[start : start + BATCH]
        x, labels = seen(pixels(cut.pictures[rows]), rng), torch.from_numpy(cut.labels[rows])
        losses.append(step(run, x, labels, pace(span[0] + (span[1] - span[0]) * start / len(mixed))))
    return sum(losses) / max(1, len(losses))


@dataclass(frozen=True, slots=True)
class Lesson:
    """One shard and what is looked at again beside it; `span` of the whole run."""

    number: int
    cut: Cut
    span: tuple[float, float]


def lessons(paths: Sequence[Path], seed: int, first: int, made: Callable[[Path], None]) -> Iterator[Lesson]:
    """The lessons of a run from `first` on; `made` is called before a shard is opened, and waits until it is there."""
    known: list[Cut] = []
    for number, path in enumerate(paths):
        made(path)
        new = load(path)
        if number >= first:
            yield Lesson(
                number, with_earlier(new, known, np.random.default_rng([seed, number])), span(number, len(paths))
            )
        known.append(new)


def span(number: int, count: int) -> tuple[float, float]:
    """The share of a run before and after a lesson."""
    return number / count, (number + 1) / count


def with_earlier(new: Cut, known: Sequence[Cut], rng: np.random.Generator) -> Cut:
    """A new shard and AGAIN times as many candidates of the earlier ones; of the first, all of itself again."""
    old = join(list(known) or [new])
    rows = rng.integers(len(old.labels), size=AGAIN * len(new.labels))
    return join([new, Cut(old.pictures[rows], old.labels[rows])])


def outputs(net: nn.Module, cut: Cut) -> Tensor:
    """Logits of crops as they are."""
    net.eval()
    with torch.no_grad():
        starts = range(0, len(cut.labels), 500)
        return torch.cat([net(augment.level(pixels(cut.pictures[k : k + 500]))) for k in starts])


def score(logits: Tensor, labels: Tensor) -> dict[str, float]:
    """Shares called right, by class; of true tops, the share called with probability 0.9; and of those, the wrong."""
    called, sure = logits.argmax(1), logits.softmax(1).amax(1) > 0.9
    figures = {n: share(called[labels == k] == k) for k, n in enumerate(CLASSES)}
    told = sure & (called < SIDE)
    return {
        **figures,
        "sure of the tops": share(told[labels < SIDE]),
        "wrong of the sure": share((called != labels)[told]),
    }


def share(some: Tensor) -> float:
    """How many of these are true; 0 of none."""
    return round(float(some.float().mean()), 4) if len(some) else 0.0


def temperature(logits: Tensor, labels: Tensor) -> float:
    """What the logits are divided by so that likelihoods are as often right as they say (Guo et al. 2017)."""
    tried = torch.linspace(0.4, 2.5, 85)
    return float(tried[torch.stack([functional.cross_entropy(logits / t, labels) for t in tried]).argmin()])


def fit(paths: Sequence[Path], held: Cut, folder: Path, seed: int, made: Callable[[Path], None]) -> nn.Module:
    """Train over `paths` in order, measuring on `held` now and then; goes on from the checkpoint in `folder`."""
    torch.set_num_threads(1)
    run, kept = begin(seed), folder / "judge.checkpoint.pt"
    for lesson in lessons(paths, seed, resumed(run, kept), made):
        began, rng = time.monotonic(), torch.Generator().manual_seed(seed * 1000 + lesson.number)
        torch.manual_seed(seed * 1000 + lesson.number)
        loss = over(run, lesson.cut, rng, lesson.span)
        keep(kept, run, lesson.number + 1)
        line = {"lesson": lesson.number + 1, "loss": round(loss, 4), "seconds": round(time.monotonic() - began)}
        figures = score(outputs(run.net, held), torch.from_numpy(held.labels)) if lesson.number % 4 == 3 else {}
        with (folder / "judge.log.jsonl").open("a") as log:
            log.write(json.dumps({**line, **figures}) + "\n")
    return run.net.eval()


def keep(path: Path, run: Run, done: int) -> None:
    """Write the checkpoint whole or not at all."""
    part = path.with_suffix(".part")
    torch.save({**run.state(), "done": done}, part)
    part.replace(path)


def resumed(run: Run, path: Path) -> int:
    """Take up the checkpoint where there is one; the lessons done."""
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    run.restore(state)
    return int(state["done"])
