"""How well numerals are read, apart from finding: `python -m benchmarks.numerals --data ../shared/data`.

Photographs of single dice, set by set, then renders never seen. Each die is read twice: its type not told, and told.
A reading is sure where the probability of die and value together reaches the threshold and it is no unmarked 6 or 9.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path

import cv2
import numpy as np

from benchmarks.outlines import BY_SET
from benchmarks.photographs import photograph_sets
from dicevision import numerals
from dicevision.image import Frame, Points
from dicevision.numerals import NumeralNets, NumeralReading
from training import glyphs
from training.singles import render

THRESHOLDS = (0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True)
class Case:
    """One die: where it comes from, its outline (None: not found), what it shows, and the tilt that its place adds."""

    set: str
    name: str
    frame: Frame
    outline: Points | None
    die: str
    value: int
    away: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Read:
    """A case with its readings: die unknown and die known; None where the die was not found."""

    case: Case
    free: NumeralReading | None
    known: NumeralReading | None

    @property
    def right(self) -> bool:
        """Die and value both right, and not torn between 6 and 9."""
        return self.free is not None and self.free.best[:2] == (self.case.die, self.case.value) and not self.free.torn

    @property
    def right_value(self) -> bool:
        """The value right when the die is told."""
        return self.known is not None and self.known.values[0][0] == self.case.value and not self.known.torn

    def sure(self, threshold: float) -> bool:
        """Whether it would be used without asking."""
        return self.free is not None and self.free.best[2] >= threshold and not self.free.torn


def photographed(data: Path) -> Iterator[Case]:
    """Every labelled numeral die of the four sets."""
    for name, find in BY_SET.items():
        for sample in photograph_sets(data)[name]:
            for label in sample.labels:
                if label.value is not None:
                    frame = sample.frame()
                    yield Case(subset(name, sample.name), sample.name, frame, find(frame), str(label.die), label.value)


def subset(name: str, file: str) -> str:
    """turntable-d20 is two cameras: `top` from above, `color` tilted."""
    return f"{name} {'top' if '_top' in file else 'tilted'}" if name == "turntable-d20" else name


def rendered(count: int, fonts: Path | None) -> Iterator[Case]:
    """`count` renders of a seed of their own, less those with pips or a sign on top.

    fonts: the outlines of fonts kept back from training; without them, pen strokes.
    """
    kept = glyphs.load(fonts) if fonts else ()
    for k in range(count):
        one = render(np.random.default_rng((770077, k)), kept)
        if one.top.numeral:
            yield Case("renders never seen", str(k), one.picture, one.outline, one.die, one.value, one.away)


def read(case: Case, nets: NumeralNets, tilt: tuple[float, float] | None) -> Read:
    """Read one case twice: die unknown, die known."""
    if case.outline is None:
        return Read(case, None, None)
    free, known = (
        numerals.read_numeral(case.frame, case.outline, nets, die=die, tilt=tilt, overhead=case.away)
        for die in (None, case.die)
    )
    return Read(case, free, known)


ONE_CAMERA = ("tower-tray", "turntable-d20 top", "turntable-d20 tilted")
"""Sets that one fixed camera took of dice near its axis: their common tilt is what a table learns from its own dice."""


def read_set(cases: list[Case], nets: NumeralNets) -> dict[str, list[Read]]:
    """A set read with the camera's tilt unknown and, where one camera took it, with its dice's common tilt."""
    name = cases[0].set
    unknown = {name: [read(case, nets, None) for case in cases]}
    if name not in ONE_CAMERA:
        return unknown
    placed = [numerals.place(case.frame, case.outline, nets) for case in cases if case.outline is not None]
    tilt = numerals.common_tilt(placed)
    return unknown | {f"{name}, tilt learnt": [read(case, nets, tilt) for case in cases]}


def counts(reads: list[Read]) -> dict[str, object]:
    """The figures of one set or die."""
    wrong = {str(t): [sum(r.sure(t) for r in reads), sum(r.sure(t) and not r.right for r in reads)] for t in THRESHOLDS}
    return {
        "dice": len(reads),
        "not found": sum(r.free is None for r in reads),
        "die right": sum(r.free is not None and r.free.best[0] == r.case.die for r in reads),
        "die and value right": sum(r.right for r in reads),
        "value right, die known": sum(r.right_value for r in reads),
        "torn between 6 and 9": sum(r.free is not None and r.free.torn for r in reads),
        "sure, of these wrong": wrong,
    }


def failures(reads: Iterable[Read]) -> list[dict[str, object]]:
    """Each die not read right: what it is, what was read, how sure."""
    return [
        {
            "set": r.case.set, "name": r.case.name, "is": f"{r.case.die} {r.case.value}",
            "read": f"{r.free.best[0]} {r.free.best[1]}", "p": round(r.free.best[2], 3), "torn": r.free.torn,
            "die known": str(r.known.values[0][0]),
        }
        for r in reads if r.free is not None and r.known is not None and not (r.right and r.right_value)
    ]  # fmt: skip


def confusion(reads: Iterable[Read]) -> dict[str, int]:
    """(die, value) pairs that were taken for others, with the die known, by how often."""
    pairs = Counter(
        f"{r.case.die} {r.case.value} as {r.known.values[0][0]}" for r in reads if r.known and not r.right_value
    )
    return dict(pairs.most_common())


def table(by_set: dict[str, list[Read]]) -> str:
    """One line a set, then one a die type of it."""
    head = f"{'set':38}{'dice':>6}{'die':>6}{'both':>6}{'value':>7}{'torn':>6}   sure/wrong at " + "  ".join(
        map(str, THRESHOLDS)
    )
    return "\n".join([head, *(line for name, reads in by_set.items() for line in lines(name, reads))])


def lines(name: str, reads: list[Read]) -> Iterator[str]:
    """A set's line and its dice's."""
    dice = sorted({r.case.die for r in reads})
    yield line(name, reads)
    if len(dice) > 1:
        yield from (line(f"  {die}", [r for r in reads if r.case.die == die]) for die in dice)


def line(name: str, reads: list[Read]) -> str:
    """One line of figures."""
    sure = "  ".join(
        f"{sum(r.sure(t) for r in reads)}/{sum(r.sure(t) and not r.right for r in reads)}" for t in THRESHOLDS
    )
    die = sum(r.free is not None and r.free.best[0] == r.case.die for r in reads)
    torn = sum(r.free is not None and r.free.torn for r in reads)
    both, value = sum(r.right for r in reads), sum(r.right_value for r in reads)
    return f"{name:38}{len(reads):6}{die:6}{both:6}{value:7}{torn:6}   {sure}"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numerals", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with labels.csv and photos/")
    parser.add_argument("--models", type=Path, help="folder with other nets than the shipped ones")
    parser.add_argument("--fonts", type=Path, help="outlines of fonts kept back (OUT/fonts-held.npz of a training run)")
    parser.add_argument("--renders", type=int, default=1000)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    nets = numerals.in_folder(given.models) if given.models else numerals.shipped()
    by_set: dict[str, list[Read]] = {}
    cases = chain(photographed(given.data) if given.data else (), rendered(given.renders, given.fonts))
    for _, group in groupby(sorted(cases, key=lambda case: case.set), key=lambda case: case.set):
        by_set |= read_set(list(group), nets)
    if given.json:
        told = {
            name: {**counts(reads), "confusion": confusion(reads), "failures": failures(reads)}
            for name, reads in by_set.items()
        }
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        sys.stdout.write(table(by_set) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
