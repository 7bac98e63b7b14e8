"""How sure is sure, for dice read by their numerals: `numbered.belief`'s weights, fitted on drawn tables in no shard.

`python -m training.finder.agree --models DIR --fonts FILE` fits them for the nets in DIR and writes them there: to be
run again whenever the finder or a numeral net is trained anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from dicevision import numbered, numerals, seek
from dicevision.image import Flags, Floats
from dicevision.numerals import NumeralNets, NumeralReading
from dicevision.seek import Finder, Found
from training import glyphs
from training.faces.agree import logistic
from training.finder import table
from training.finder.table import Lying, Table
from training.finder.targets import box_of, same

SEED = 100_019
"""Tables of this seed are in no shard."""

SIZE = (1280, 960)
"""Pixels: what a webcam gives."""

THRESHOLDS = (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)


@dataclass(frozen=True, slots=True)
class Cases:
    """Readings of what was found: evidence (N, 9), right (N,); readable: dice in view whose value can be told."""

    evidence: Floats
    right: Flags
    readable: int


def cases(first: int, count: int, fonts: Sequence[glyphs.Font], finder: Finder, nets: NumeralNets) -> Cases:
    """The readings of `count` tables, the `first` of the seed and those after it."""
    rows, readable = [], 0
    for k in range(first, first + count):
        drawn = table.draw(np.random.default_rng((SEED, k)), fonts, SIZE, pipped=0.15)
        readable += sum(die.told and not die.pips and die.seen > 0.98 for die in drawn.dice)
        rows += list(cases_of(drawn, finder, nets))
    evidence, right = zip(*rows, strict=True)
    return Cases(np.array(evidence), np.array(right), readable)


def cases_of(drawn: Table, finder: Finder, nets: NumeralNets) -> Iterator[tuple[Floats, bool]]:
    """The evidence and truth of all that could be called sure in one table."""
    for one in numbered.looks(drawn.frame, seek.likely_dice(drawn.frame, finder), nets):
        doubted = numbered.misplaced(one.found, SIZE) or one.reading.torn or numbered.leans(one)
        if not doubted and one.found.likely >= numbered.LEAST_DIE:
            yield numbered.evidence(one), right(one.found, one.reading, drawn.dice)


def right(found: Found, reading: NumeralReading, dice: Sequence[Lying]) -> bool:
    """Whether a reading is that of the die that lies there, however well its box is found."""
    middle = seek.middle(found.box)
    mine = [die for die in dice if same(box_of(die.outline), found.box) or within(die, middle)]
    return any((die.die, die.value) == reading.best[:2] for die in mine)


def within(die: Lying, place: tuple[float, float]) -> bool:
    """Whether a place lies on a die."""
    return cv2.pointPolygonTest(die.outline, place, False) >= 0


EXPECTED = np.array([1, 1, 1, 1, 1, -1, 1, -1, 0])
"""The sign that each weight must have: the likelier a die, its numeral, its type and its shape, the less it
leans and the more looks agree, the better; and of dice with pips, those come here that geometry is not sure of."""


def weights(evidence: Floats, right: Flags) -> Floats:
    """Logistic regression; evidence that would count the wrong way, as a few hundred cases may have it, is not used."""
    fitted = logistic(evidence, right)
    used = fitted * EXPECTED >= 0
    return fitted if used.all() else logistic(evidence * used, right)


def believed(told: Cases, learnt: Sequence[float] | Floats) -> Floats:
    """(N,) the belief in each reading."""
    return np.asarray(1 / (1 + np.exp(-told.evidence @ np.array(learnt))))


def crossed(told: Cases) -> Floats:
    """(N,) beliefs by weights fitted on the other half of the cases."""
    half = np.arange(len(told.right)) % 2 == 0
    belief = np.zeros(len(told.right))
    for mine in (half, ~half):
        learnt = weights(told.evidence[~mine], told.right[~mine])
        belief[mine] = believed(Cases(told.evidence[mine], told.right[mine], 0), learnt)
    return belief


def curve(told: Cases) -> dict[str, list[int]]:
    """threshold: [sure, of these wrong]."""
    belief = crossed(told)
    sure = {t: belief >= t for t in THRESHOLDS}
    return {str(t): [int(s.sum()), int((s & ~told.right).sum())] for t, s in sure.items()}


def fitted(folder: Path, fonts: Path | None, count: int) -> dict[str, Any]:
    """Fit the weights for the finder in `folder` and the numeral nets there, and write them into finder.json."""
    path = folder / "finder.json"
    finder = seek.load((folder / "finder.onnx").read_bytes(), path.read_text())
    told = cases(0, count, glyphs.load(fonts) if fonts else (), finder, numerals.in_folder(folder))
    held = json.loads(path.read_text())
    held["agree"] = [round(float(weight), 4) for weight in weights(told.evidence, told.right)]
    held["about"]["agree"] = {
        "tables": count, "readable dice": told.readable, "readings": len(told.right), "right": int(told.right.sum()),
        "sure, of these wrong (crossed halves)": curve(told),
    }  # fmt: skip
    path.write_text(json.dumps(held) + "\n")
    return {"agree": held["agree"], **held["about"]["agree"]}


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.finder.agree", description=__doc__)
    parser.add_argument(
        "--models", type=Path, required=True, help="folder with the finder's and the numeral nets' files"
    )
    parser.add_argument("--fonts", type=Path, help="outlines of fonts kept back (OUT/fonts-held.npz of a training run)")
    parser.add_argument("--tables", type=int, default=600)
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    sys.stdout.write(json.dumps(fitted(given.models, given.fonts, given.tables)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
