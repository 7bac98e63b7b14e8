"""How well a player's own dice are read by comparison: `python -m benchmarks.enrol --data ../shared/data`.

leather-tray: one photograph a face is enrolled, drawn anew each round among those that show the whole die; all others
are read. tower-tray D4: one pose of five is enrolled, the other four are read; each pose in turn. Strangers: every die
of tower-tray held against leather-tray's D6, and leather-tray's and tower-tray's other dice against tower-tray's D4:
none should be sure of a value that it does not show. As at the table, what the numeral nets read counts beside the
comparison (`own.seconded`); with --alone it does not. Renders: one die in many throws (`training.series`), one picture
a face enrolled; on them alone the scores' meaning (`enrol.SPREAD`, `enrol.FOREIGN`) and the threshold were chosen. The
outlines are `benchmarks.outlines`', or with --finder the product's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from benchmarks.numerals import Case
from benchmarks.outlines import BY_SET
from benchmarks.photographs import photograph_sets
from dicevision import enrol, numbered, numerals, own, seek
from dicevision.crops import Affine
from dicevision.enrol import Comparison, DieSet
from dicevision.image import Frame, Points
from dicevision.numerals import NumeralNets
from dicevision.params import Params
from dicevision.seek import Found
from training.series import Series, series
from training.singles import Single

DICE = ("D4", "D6", "D8", "D10", "D100", "D12", "D20")
POSES = "abcde"
LIKELY = 0.9
"""How likely the finder finds it that an outlined thing is a die; `locate` says so too."""

THRESHOLDS = (0.9, 0.95, 0.98, 0.99, 0.995)


def whole(case: Case) -> bool:
    """Whether enrolment would take it: the die lies within the frame."""
    return case.outline is not None and not enrol.is_cut_off(case.frame, case.outline)


def disc_of(case: Case, nets: NumeralNets) -> Affine:
    """Where its top is placed."""
    assert case.outline is not None, f"{case.name}: no die found"
    return numerals.place(case.frame, case.outline, nets).disc


def face(case: Case, nets: NumeralNets) -> enrol.Face:
    """The face it enrols."""
    return enrol.enrolled(case.frame, disc_of(case, nets), case.die, case.value)


@dataclass(frozen=True, slots=True)
class Read:
    """A case compared with a set."""

    case: Case
    comparison: Comparison

    @property
    def right(self) -> bool:
        """Whether the value is right; a stranger's may be too, if its numerals look alike."""
        return self.comparison.best[1] == self.case.value

    def sure(self, threshold: float) -> bool:
        """Whether it would be used without asking."""
        return self.comparison.best[2] >= threshold


Find = Callable[[Frame], Points | None]


def found(frame: Frame) -> Points | None:
    """The outline of the likeliest die that the product's finder sees."""
    finder = seek.mine()
    dice = seek.closer(frame, [box for _, box in seek.glance(frame, finder)], finder)
    return max(dice, key=lambda die: die.likely).outline if dice else None


def photographed(data: Path, name: str, find: Find | None = None, containing: str = "") -> Iterator[Case]:
    """Every labelled die of a set, its photograph cut down to its surroundings; those whose name contains a text.

    find: in place of the benchmark's own way to outline the set's dice. A die that it does not find is told.
    """
    for sample in photograph_sets(data)[name]:
        for label in sample.labels if containing in sample.name else ():
            if label.value is None:
                continue
            frame = sample.frame()
            outline = (find or BY_SET[name])(frame)
            if outline is None:
                sys.stderr.write(f"{sample.name}: no die found\n")
            else:
                yield near(Case(name, sample.name, frame, outline, str(label.die), label.value), outline)


def near(case: Case, outline: Points) -> Case:
    """The case with no more of its frame than half the die's width round it."""
    x, y, width, height = numerals.box_of(outline)
    pad = max(width, height) / 2
    left, top = int(max(0, x - pad)), int(max(0, y - pad))
    part = case.frame[top : int(y + height + pad), left : int(x + width + pad)].copy()
    return replace(case, frame=part, outline=outline - np.array([left, top], np.float32))


def read(case: Case, known: DieSet, nets: NumeralNets, alone: bool = False) -> Read:
    """One die compared with a set; alone: whatever the numeral nets read."""
    assert case.outline is not None, f"{case.name}: no die found"
    seen = enrol.look(case.frame, case.outline, known, nets)
    if alone:
        return Read(case, seen)
    die = Found(LIKELY, numerals.box_of(case.outline), case.outline)
    told = numbered.tell(case.frame, [die], nets, seek.mine().agree, Params().numeral_sure_at)
    return Read(case, own.seconded(seen, told[0], known) if told else seen)


Round = tuple[DieSet, list[Case]]
"""A set, and the cases that are read by it."""


def rounds(cases: Sequence[Case], count: int, nets: NumeralNets, seed: int = 4) -> Iterator[Round]:
    """Sets of one photograph a face, drawn anew, with the photographs left to read."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        chosen = [
            int(rng.choice([k for k, one in enumerate(cases) if whole(one) and one.value == value]))
            for value in sorted({one.value for one in cases})
        ]
        known = DieSet("leather", tuple(face(cases[k], nets) for k in chosen))
        yield known, [one for k, one in enumerate(cases) if k not in chosen]


def poses(cases: Sequence[Case], nets: NumeralNets) -> Iterator[Round]:
    """Sets of the four photographs of one pose, with the other poses' to read."""
    for pose in POSES:
        chosen = [f"/d4_{pose}_" in one.name for one in cases]
        known = DieSet("tower", tuple(face(one, nets) for one, mine in zip(cases, chosen, strict=True) if mine))
        yield known, [one for one, mine in zip(cases, chosen, strict=True) if not mine]


def on_photographs(
    data: Path, nets: NumeralNets, count: int, find: Find | None, alone: bool = False
) -> dict[str, list[Read]]:
    """Every row of the photographs' table."""
    leather, tower = (list(photographed(data, name, find)) for name in ("leather-tray", "tower-tray"))
    d4s, others = [one for one in tower if one.die == "D4"], [one for one in tower if one.die != "D4"]
    by_round, by_pose = list(rounds(leather, count, nets)), list(poses(d4s, nets))
    return {
        "leather-tray, one photograph a face": [
            read(one, known, nets, alone) for known, rest in by_round for one in rest
        ],
        "tower-tray D4, one pose of five": [read(one, known, nets, alone) for known, rest in by_pose for one in rest],
        "strangers to leather-tray's D6": [read(one, by_round[0][0], nets, alone) for one in tower],
        "strangers to tower-tray's D4": [read(one, by_pose[0][0], nets, alone) for one in (*others, *leather)],
    }


def rendered(one: Single) -> Case:
    """A render as a case."""
    return Case("renders", "", one.picture, one.outline, one.die, one.value)


def taken(die: Series, value: int, rng: np.random.Generator, nets: NumeralNets) -> enrol.Face:
    """A picture to enrol: taken again, at most five times, while the disc misses the face, as its owner would see."""
    for _ in range(6):
        one = die.show(rng, value)
        off = float(np.linalg.norm(disc_of(rendered(one), nets)[:, 2] - one.top.disc[:, 2]))
        if off < 0.3 * float(np.linalg.eigvalsh(one.top.disc[:, :2])[-1]):
            break
    return face(rendered(one), nets)


def on_renders(count: int, throws: int, nets: NumeralNets, alone: bool = False) -> dict[str, list[Read]]:
    """`count` dice, each enrolled from one picture a face, `throws` more of each read; half also by another's faces."""
    shown: list[Round] = []
    for k in range(count):
        rng = np.random.default_rng((4242, k))
        die = series(rng, die=DICE[k % len(DICE)])
        known = DieSet(str(k), tuple(taken(die, value, rng, nets) for value in die.values))
        shown.append((known, [rendered(die.show(rng, int(rng.choice(die.values)))) for _ in range(throws)]))
    return {
        "renders, one picture a face": [read(one, known, nets, alone) for known, thrown in shown for one in thrown],
        "renders, strangers": [
            read(one, shown[(k + 1) % count][0], nets, alone)
            for k, (_, thrown) in enumerate(shown)
            for one in thrown[: throws // 2]
        ],
    }


def counts(reads: Sequence[Read]) -> dict[str, object]:
    """The figures of one row. A stranger is wrong where it is sure and shows another value."""
    return {
        "read": len(reads),
        "right": sum(one.right for one in reads),
        "sure, of these wrong": {
            str(t): [sum(one.sure(t) for one in reads), sum(one.sure(t) and not one.right for one in reads)]
            for t in THRESHOLDS
        },
        "wrong where sure at the least": [failure(one) for one in reads if one.sure(THRESHOLDS[0]) and not one.right],
    }


def failure(one: Read) -> dict[str, object]:
    """One die that was read as another for sure."""
    die, value, probability = one.comparison.best
    return {"name": one.case.name, "is": one.case.value, "read": f"{die} {value}", "p": round(probability, 3)}


def table(rows: dict[str, list[Read]]) -> str:
    """One line a row."""
    head = f"{'':40}{'read':>6}{'right':>7}   sure/wrong at " + "  ".join(map(str, THRESHOLDS))
    return "\n".join([head, *(line(name, reads) for name, reads in rows.items())])


def line(name: str, reads: Sequence[Read]) -> str:
    """One row's figures."""
    sure = "  ".join(
        f"{sum(r.sure(t) for r in reads)}/{sum(r.sure(t) and not r.right for r in reads)}" for t in THRESHOLDS
    )
    return f"{name:40}{len(reads):6}{sum(r.right for r in reads):7}   {sure}"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.enrol", description=__doc__)
    parser.add_argument("--finder", action="store_true", help="outline the photographs' dice by the product's finder")
    parser.add_argument("--data", type=Path, help="folder with labels.csv and photos/")
    parser.add_argument(
        "--rounds", type=int, default=10, help="how often leather-tray's enrolled photographs are drawn"
    )
    parser.add_argument("--renders", type=int, default=28, help="how many dice are rendered")
    parser.add_argument("--throws", type=int, default=10, help="of each rendered die")
    parser.add_argument("--alone", action="store_true", help="by comparison alone, whatever the numeral nets read")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    nets = numerals.shipped()
    find = found if given.finder else None
    rows = on_photographs(given.data, nets, given.rounds, find, given.alone) if given.data else {}
    if given.renders:
        rows |= on_renders(given.renders, given.throws, nets, given.alone)
    told = json.dumps({name: counts(reads) for name, reads in rows.items()}) if given.json else table(rows)
    sys.stdout.write(told + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
