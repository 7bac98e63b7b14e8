"""Whether a thing is a die, by the whole die's net too: `locate`'s last output, fitted on what the finder names.

`python -m training.finder.isdie --models DIR --golden FILE --fonts FILE` draws tables in no shard, looks closer at all
that the finder in DIR names there, and fits that output, and how much the finder's own likelihood counts beside it, by
logistic regression on the last map of `locate`, whose other outputs stay as they are. To be run when the finder or
`locate` is trained anew, before `training.finder.agree`. What the finder names in photographs of single dice teaches
too (`--photographs`, less the sets named by `--without`), and in rendered trays (`--rendered`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dicevision import judge, numbered, numerals, seek
from dicevision.crops import blob, sample, whole_affine, with_place
from dicevision.image import Flags, Floats, Frame
from dicevision.numerals import NumeralNets
from dicevision.seek import Finder, Found
from training import again, export, glyphs, nets, photographs
from training.faces.agree import logistic
from training.finder import table
from training.finder.agree import SIZE
from training.finder.table import Table
from training.finder.targets import box_of, same
from training.photographs import Photograph
from training.physical import tables

SEED = 300_007
"""Tables of this seed are in no shard, and not those that the belief is fitted on."""

LEAST = 0.1
"""Likelihood from which what the finder names teaches: less than what it tells, for more that is none."""

RICH_IN_D4S = (3, 0.35)
"""Every third table has so many D4s more: a crystal that lies flat looks like a key."""

RIDGE = 300.0
"""What a weight's square costs, features scaled alike: of 100, 300 and 1,000 the best on 200 tables in kept fonts."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Things named by the finder: input (N, 5, 72, 72) as `locate` gets it; likely: (N,); die: (N,)."""

    given: NDArray[np.float32]
    likely: Floats
    die: Flags


def cases(numbers: range, fonts: Sequence[glyphs.Font], finder: Finder, seed: int = SEED) -> Cases:
    """What the finder names on the tables of `numbers`."""
    rows = [row for k in numbers for row in named(drawn(k, fonts, seed), finder)]
    given, likely, die = zip(*rows, strict=True)
    return Cases(np.stack(given), np.array(likely), np.array(die))


def drawn(k: int, fonts: Sequence[glyphs.Font], seed: int) -> Table:
    """One table."""
    every, share = RICH_IN_D4S
    return table.draw(np.random.default_rng((seed, k)), fonts, SIZE, pipped=0.15, d4=0.0 if k % every else share)


def named(one: Table, finder: Finder) -> Iterator[tuple[NDArray[np.float32], float, bool]]:
    """Input, likelihood and truth of each thing that could be read if it were a die."""
    places = [box for _, box in seek.glance(one.frame, finder)]
    size = (one.frame.shape[1], one.frame.shape[0])
    for thing in seek.closer(one.frame, places, finder):
        if thing.likely >= LEAST and not numbered.misplaced(thing, size):
            yield (
                given_to_locate(one.frame, thing),
                thing.likely,
                any(same(box_of(die.outline), thing.box) for die in one.dice),
            )


def rendered(folder: Path, finder: Finder) -> Cases:
    """What the finder names on the trays that `training.physical.teach` left in a folder."""
    rows = [row for labels in sorted(folder.glob("tray-*.json")) for row in named(tables.tray(labels), finder)]
    if not rows:
        raise SystemExit(f"expected rendered trays with dice in {folder}; the finder names nothing there")
    given, likely, die = zip(*rows, strict=True)
    return Cases(np.stack(given), np.array(likely), np.array(die))


def given_to_locate(frame: Frame, thing: Found) -> NDArray[np.float32]:
    """(5, 72, 72) what `locate` is given of it."""
    crop = sample(frame, whole_affine(numerals.box_of(numbered.grown(thing.outline))))
    return np.asarray(with_place(blob(crop[None]), np.array([numbered.away(frame, thing.box)]))[0])


def photographed(data: Path, without: Collection[str], finder: Finder, nets: NumeralNets) -> Cases:
    """What the finder names in the photographs of single dice in `data`, less the sets left out."""
    sets = photographs.listed(data)
    if not set(without) <= set(sets):
        raise SystemExit(f"expected sets to leave out among {', '.join(sets)}; got {', '.join(without)}")
    taught = [one for name, dice in sets.items() if name not in without for one in dice]
    given, likely, die = zip(*(row for one in taught for row in seen_in(one, finder, nets)), strict=True)
    return Cases(np.stack(given), np.array(likely), np.array(die))


def seen_in(
    photograph: Photograph, finder: Finder, nets: NumeralNets
) -> Iterator[tuple[NDArray[np.float32], float, bool]]:
    """Its one labelled die, and what is none. A thing that reads as a numeral may be a die that no label names."""
    frame = photographs.opened(photograph)
    size = (frame.shape[1], frame.shape[0])
    places = [box for _, box in seek.glance(frame, finder)]
    things = [one for one in seek.closer(frame, places, finder) if one.likely >= LEAST]
    things = [one for one in things if not numbered.misplaced(one, size)]
    read = [numerals.read_numeral(frame, numbered.grown(one.outline), nets) for one in things]
    shares = [dict(one.joint).get((photograph.die, photograph.value), 0.0) for one in read]
    for thing, reading, share in zip(things, read, shares, strict=True):
        mine = share == max(shares) and share >= photographs.TAKEN_AT
        if mine or reading.best[2] < photographs.TAKEN_AT:
            yield given_to_locate(frame, thing), thing.likely, mine


def features(net: nn.Sequential, given: NDArray[np.float32]) -> Floats:
    """(N, 600) the last map of `locate`."""
    with torch.no_grad():
        parts = [net[:-1](torch.from_numpy(given[k : k + 256])) for k in range(0, len(given), 256)]
    return np.asarray(torch.cat(parts).numpy(), np.float64)


def weights(seen: Floats, told: Cases, ridge: float = RIDGE) -> tuple[Floats, float, float]:
    """What each feature, the finder's log odds, and 1 count for a die."""
    middle, spread = seen.mean(axis=0), seen.std(axis=0) + 1e-3
    x = np.column_stack([(seen - middle) / spread, judge.logit(told.likely), np.ones(len(seen))])
    w = logistic(x, told.die, np.array([ridge] * seen.shape[1] + [0.1, 0.1]))
    own = w[:-2] / spread
    return own, float(w[-2]), float(w[-1] - own @ middle)


def log_odds(seen: Floats, likely: Floats, learnt: tuple[Floats, float, float]) -> Floats:
    """(N,) that they are dice."""
    own, by_finder, more = learnt
    return np.asarray(seen @ own + by_finder * judge.logit(likely) + more)


def counted(told: Cases, odds: Floats) -> dict[str, Any]:
    """How many dice and other things have 0.5 or more, by the finder alone and by both."""
    alone, both = told.likely >= 0.5, odds >= 0
    return {
        "things": len(odds), "dice": int(told.die.sum()),
        "dice by finder alone": int((alone & told.die).sum()), "dice by both": int((both & told.die).sum()),
        "false by finder alone": int((alone & ~told.die).sum()), "false by both": int((both & ~told.die).sum()),
    }  # fmt: skip


def kept_out(seen: Floats, told: Cases) -> dict[str, Any]:
    """How many of the last fifth are told right by what the others teach."""
    first = np.arange(len(told.die)) < 0.8 * len(told.die)
    learnt = weights(seen[first], Cases(told.given[first], told.likely[first], told.die[first]))
    rest = Cases(told.given[~first], told.likely[~first], told.die[~first])
    return counted(rest, log_odds(seen[~first], rest.likely, learnt))


def joined(one: Cases, other: Cases) -> Cases:
    """Both, mixed evenly, so that what is kept out holds its share of each."""
    order = np.argsort(np.concatenate([np.linspace(0, 1, len(each.die)) for each in (one, other)]), kind="stable")
    return Cases(
        np.concatenate([one.given, other.given])[order],
        np.concatenate([one.likely, other.likely])[order],
        np.concatenate([one.die, other.die])[order],
    )


def fitted(
    folder: Path,
    golden: Path,
    fonts: Path,
    count: int,
    data: Path | None = None,
    without: Collection[str] = (),
    trays: Path | None = None,
) -> dict[str, Any]:
    """Fit, write locate.onnx, numerals.json and `golden`, and return how many are told right of a fifth kept out."""
    finder = seek.load((folder / "finder.onnx").read_bytes(), (folder / "finder.json").read_text())
    told = cases(range(count), glyphs.load(fonts), finder)
    if data is not None:
        told = joined(told, photographed(data, without, finder, numerals.in_folder(folder)))
    if trays is not None:
        told = joined(told, rendered(trays, finder))
    net = nets.locate()
    again.restore(net, folder / "locate.onnx", [torch.from_numpy(told.given[:256])])
    net.eval()
    seen = features(net, told.given)
    report = {"tables": count, **kept_out(seen, told)}
    own, by_finder, more = weights(seen, told)
    net[-1].second.weight.data[0] = torch.from_numpy(own).float()
    net[-1].second.bias.data[0] = more
    report["cv2.dnn less PyTorch"] = export.write(net, folder / "locate.onnx")
    golden.write_text(
        json.dumps({**json.loads(golden.read_text()), **json.loads(export.proof({"locate": net}))}) + "\n"
    )
    path = folder / "numerals.json"
    held = json.loads(path.read_text())
    held["finder_weight"] = round(by_finder, 4)
    held["about"]["is a die"] = report
    path.write_text(json.dumps(held) + "\n")
    return report


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.finder.isdie", description=__doc__)
    parser.add_argument(
        "--models", type=Path, required=True, help="folder with the finder's and the numeral nets' files"
    )
    parser.add_argument(
        "--golden", type=Path, required=True, help="golden.json, whose outputs of `locate` are made anew"
    )
    parser.add_argument(
        "--fonts", type=Path, required=True, help="outlines of fonts to draw with (OUT/fonts-train.npz)"
    )
    parser.add_argument("--tables", type=int, default=1400)
    parser.add_argument("--photographs", type=Path, help="folder with labels.csv and photos/")
    parser.add_argument("--without", nargs="*", default=[], help="sets of photographs to leave out")
    parser.add_argument("--rendered", type=Path, help="folder that training.physical.teach wrote")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    report = fitted(
        given.models, given.golden, given.fonts, given.tables, given.photographs, given.without, given.rendered
    )
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
