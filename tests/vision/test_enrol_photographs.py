"""Other people's dice, enrolled from one photograph a face and read in others: a part of benchmarks.enrol."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from benchmarks import enrol as bench
from benchmarks.numerals import Case

from dicevision import enrol, numerals
from dicevision.enrol import DieSet
from dicevision.image import Frame
from dicevision.numerals import NumeralNets
from dicevision.read import read

DATA = Path(__file__).parents[3] / "shared/data"


@cache
def nets() -> NumeralNets:
    cv2.setNumThreads(1)
    return numerals.shipped()


@cache
def photographs(name: str, containing: str = "") -> list[Case]:
    if not (DATA / "labels.csv").exists():
        if os.environ.get("CI"):
            pytest.fail(f"CI=true, and {DATA} is not there: the photographs are part of the tests there")
        pytest.skip(f"no photographs at {DATA}")
    return list(bench.photographed(DATA, name, containing=containing))


def counts(known: DieSet, rest: list[Case]) -> tuple[int, int, int, int]:
    """Read, right, sure, wrong among the sure."""
    reads = [bench.read(one, known, nets()) for one in rest]
    sure = [one for one in reads if one.sure(enrol.SURE_AT)]
    return len(reads), sum(one.right for one in reads), len(sure), sum(not one.right for one in sure)


def test_a_d6_in_a_leather_tray() -> None:
    """Four photographs a face, one that shows the whole die enrolled; cut off and aslant ones among the rest."""
    taken = [one for number in "1469" for one in photographs("leather-tray", f"0{number}.jpg")]
    ((known, rest),) = bench.rounds(taken, 1, nets())
    read, right, sure, wrong = counts(known, rest)
    assert read == 18
    assert right >= 17
    assert sure >= 9
    assert wrong == 0


def test_a_bullet_shaped_d4_from_one_pose_of_five() -> None:
    known, rest = next(bench.poses(photographs("tower-tray", "d4_"), nets()))
    read, right, sure, wrong = counts(known, rest)
    assert (read, right, wrong) == (16, 16, 0)
    assert sure >= 12


def test_strangers_are_not_forced() -> None:
    known, _ = next(bench.poses(photographs("tower-tray", "d4_"), nets()))
    read, _, _, wrong = counts(known, photographs("tower-tray", "d8_"))
    assert (read, wrong) == (8, 0)


def test_in_whole_photographs_an_enrolled_die_is_sure_more_often() -> None:
    """Found, enrolled and read by the product alone: 12 photographs, of which 3 are sure without the set."""
    photographs("leather-tray", "none")  # skips or fails where there are no photographs
    frames = {(v, n): picture(f"leather-tray/d6_{v}_{n:02}.jpg") for v in range(1, 7) for n in (1, 3, 7)}
    known = DieSet("blue", tuple(taken(frames[v, 1], v) for v in range(1, 7)))
    told = [(v, die) for (v, n), frame in frames.items() if n > 1 for die in read(frame, own=known).dice]
    sure = [(v, die.value) for v, die in told if die.status == "sure"]
    assert len(told) == 12
    assert len(sure) >= 8
    assert all(value == right for right, value in sure)


def picture(name: str) -> Frame:
    return np.asarray(cv2.imread(str(DATA / "photos" / name)), np.uint8)


def taken(frame: Frame, value: int) -> enrol.Face:
    (die,) = read(frame).dice
    return enrol.enrolled(frame, numerals.place(frame, die.outline, nets()).disc, "D6", value)
