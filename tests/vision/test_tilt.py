"""The camera's tilt, learnt from dice: by many, robustly, and no longer believed once they show another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicevision.tilt import LEAST, MOST, Learnt, Tilt

STEEP, LEVEL = (0.02, 0.45), (0.0, 0.0)
TELLS = st.tuples(st.floats(-0.99, 0.99), st.floats(-0.99, 0.99))


def dice(tilt: Tilt, count: int, seed: int = 1) -> list[Tilt]:
    """What as many dice say of a camera: each off by some 0.17, as drawn ones are."""
    off = np.random.default_rng(seed).normal(0, 0.14, (count, 2))
    return [(tilt[0] + float(x), tilt[1] + float(y)) for x, y in off]


def test_too_few_dice_tell_nothing_and_enough_tell_it() -> None:
    many = dice(STEEP, 30)
    assert Learnt().joined(many[: LEAST - 1]).known is None
    known = Learnt().joined(many).known
    assert known is not None
    assert math.dist(known, STEEP) < 0.08


def test_what_was_kept_holds_until_enough_dice_are_seen() -> None:
    kept = Learnt(STEEP)
    assert kept.known == STEEP
    assert kept.joined(dice(STEEP, LEAST - 1)).known == STEEP
    assert kept.joined(dice(STEEP, LEAST)).known != STEEP


def test_a_third_of_wild_dice_moves_it_little() -> None:
    known = Learnt().joined([*dice(LEVEL, 20), *[(0.9, -0.4)] * 10]).known
    assert known is not None
    assert math.dist(known, LEVEL) < 0.15


def test_it_follows_the_newest_dice() -> None:
    known = Learnt().joined([*dice(LEVEL, MOST), *dice(STEEP, MOST)]).known
    assert known is not None
    assert math.dist(known, STEEP) < 0.08


@pytest.mark.parametrize("count", [3, 8])
@pytest.mark.parametrize("learnt", [Learnt().joined(dice(LEVEL, 20)), Learnt(LEVEL)], ids=["seen", "kept"])
def test_dice_that_show_another_tilt_are_noticed_at_once(learnt: Learnt, count: int) -> None:
    assert not learnt.bears(dice(STEEP, count))


def test_a_camera_moved_by_little_is_noticed_after_more_dice() -> None:
    learnt, little = Learnt().joined(dice(LEVEL, 20)), (0.25, 0.0)
    assert learnt.bears([little] * 3)
    assert not learnt.bears([little] * 8)


def test_one_wild_die_is_only_a_die_that_leans() -> None:
    assert Learnt().joined(dice(LEVEL, 20)).bears([(0.9, 0.0)])


def test_dice_of_the_same_camera_seldom_seem_to_be_of_another() -> None:
    learnt = Learnt().joined(dice(STEEP, 20))
    borne = sum(learnt.bears(dice(STEEP, 3, seed)) for seed in range(200))
    assert borne >= 190


@given(st.lists(TELLS, max_size=60))
def test_whatever_dice_say_it_lies_among_them(said: list[Tilt]) -> None:
    learnt = Learnt().joined(said)
    assert learnt.bears(()) or len(said) >= 3
    if (known := learnt.known) is not None:
        for axis in (0, 1):
            newest = [one[axis] for one in said[-MOST:]]
            assert min(newest) - 1e-4 <= known[axis] <= max(newest) + 1e-4
    assert Learnt().bears(said)
