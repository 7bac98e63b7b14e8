"""What is told of dice read by their numerals: rules on made-up readings, doubts, and the camera's tilt."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicevision import numbered, numerals, seek
from dicevision.numbered import Look, Told
from dicevision.numerals import NumeralReading, Placed
from dicevision.seek import Found
from training.singles import render

SIZE = (640, 480)
AGREE = (0.5, 1.0, 0.0, 0.0, 0.2, -1.0, 1.0, 0.0, -1.0)
NOTHING = (0.0,) * 8 + (-9.0,)
"""Weights by which nothing is believed."""
SURE_AT = 0.95


def found(x: float = 200, y: float = 150, side: float = 80, likely: float = 0.99) -> Found:
    corners = np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], np.float32)
    return Found(likely, (x, y, side, side), corners)


def reading(p: float = 0.99, value: int = 17, die: str = "D20", nothing: float = 0.0, torn: bool = False) -> Any:
    rest = 1 - p - nothing
    other = value % 20 + 1
    return NumeralReading(
        dice=((die, 1 - nothing - 1e-4), ("D12", 1e-4)),
        values=((value, p), (other, rest)),
        joint=(((die, value), p), ((die, other), rest)),
        nothing=nothing,
        mark_seen=1.0,
        torn=torn,
        disc=np.eye(2, 3),
        tilt=(0.0, 0.0),
        looks=2,
    )


def told(
    one: Found | None = None, what: NumeralReading | None = None, shape: float = 0.95, lean: float | None = None
) -> Told:
    return numbered.told(Look(one or found(), what or reading(), shape, lean), SIZE, AGREE, SURE_AT)


def belief(p: float, likely: float, shape: float, lean: float = 0.1) -> float:
    return numbered.belief(Look(found(likely=likely), reading(p), shape, lean), AGREE)


def test_a_die_seen_and_read_clearly_is_sure() -> None:
    got = told()
    assert (got.die, got.value, got.sure, got.reasons) == ("D20", 17, True, ())


@pytest.mark.parametrize(
    ("one", "what", "reason"),
    [
        (found(x=0), None, "cut by the edge"),
        (found(x=560), None, "cut by the edge"),
        (found(y=400), None, "cut by the edge"),
        (found(side=20), None, "too small"),
        (found(x=20, y=20, side=430), None, "too large"),
        (found(likely=0.05), None, "may be no die"),
        (found(likely=0.4), reading(0.6), "may be no die"),
        (None, reading(0.5, 9, torn=True), "a 6 or a 9"),
        (None, reading(0.05, nothing=0.9), "no numeral"),
        (None, reading(0.5), "the numeral may be 17 or 18"),
    ],
)
def test_what_makes_a_die_a_question_is_said(one: Found | None, what: NumeralReading | None, reason: str) -> None:
    got = told(one, what)
    assert not got.sure
    assert any(reason in said for said in got.reasons), got.reasons
    assert got.candidates


@pytest.mark.parametrize(("pips", "p", "sure"), [(0.0, 0.92, True), (0.5, 0.92, False), (0.5, 0.97, True)])
def test_a_die_whose_pips_geometry_does_not_count_needs_half_the_doubt(pips: float, p: float, sure: bool) -> None:
    """One in ten may be doubted of a numeral, one in twenty of pips."""
    seen = replace(reading(p, 3, "D6"), pips=pips)
    assert numbered.told(Look(found(), seen, 0.9, 0.1), SIZE, (0, 1, 0, 0, 0, 0, 0, 0, 0), 0.9).sure == sure


def test_pips_that_geometry_does_not_count_are_a_question_where_nothing_tells_whether_the_die_leans() -> None:
    seen = replace(reading(0.999, 3, "D6"), pips=0.9)
    one, three = (numbered.told(Look(found(), seen, 0.9, lean), SIZE, AGREE, SURE_AT) for lean in (None, 0.1))
    assert (one.sure, one.reasons) == (False, (numbered.ALONE,))
    assert three.sure


@pytest.mark.parametrize(("die", "value", "sure"), [("D100", 10, False), ("D100", 20, True), ("D10", 10, True)])
def test_a_ten_on_a_tens_die_may_be_a_d10s(die: str, value: int, sure: bool) -> None:
    got = told(what=reading(0.999, value, die))
    assert (got.sure, got.reasons) == (sure, () if sure else (numbered.EITHER_TEN,))


@pytest.mark.parametrize(("likely", "is_cut", "told"), [(0.6, False, True), (0.6, True, False), (0.7, True, True)])
def test_what_the_frame_cuts_is_told_only_where_it_is_likely_a_die(likely: float, is_cut: bool, told: bool) -> None:
    assert numbered.worth_telling(Look(found(likely=likely), reading(0.6), 0.9), NOTHING, is_cut) == told


def test_what_the_finder_alone_takes_for_a_die_is_told_though_the_other_net_doubts_it() -> None:
    """A die of odd signs is like none that `locate` has learnt: it is asked about, and never passed over."""
    assert numbered.worth_telling(Look(found(likely=0.1), reading(0.05), 0.9, named=0.7), NOTHING)
    assert not numbered.worth_telling(Look(found(likely=0.1), reading(0.05), 0.9, named=0.4), NOTHING)
    assert not told(found(likely=0.09)).sure


def test_a_speck_is_not_told() -> None:
    assert numbered.worth_telling(Look(found(side=seek.SMALLEST_PX), reading(0.9), 0.9), AGREE)
    assert not numbered.worth_telling(Look(found(side=seek.SMALLEST_PX - 1), reading(0.9), 0.9), AGREE)


@pytest.mark.parametrize(("p", "is_cut", "told"), [(0.7, False, True), (0.5, False, False), (0.7, True, True)])
def test_what_is_believed_is_told_though_it_is_hardly_a_die(p: float, is_cut: bool, told: bool) -> None:
    """By its numeral alone here, where the frame cuts it too: it is asked about, and not passed over."""
    by_numeral = (0, 1, 0, 0, 0, 0, 0, 0, 0)
    assert numbered.worth_telling(Look(found(likely=0.2), reading(p), 0.9), by_numeral, is_cut) == told


@pytest.mark.parametrize(("likely", "p", "sure"), [(0.4, 0.99, True), (0.11, 0.9, False), (0.09, 0.9999, False)])
def test_a_clear_numeral_outweighs_some_doubt_of_a_die(likely: float, p: float, sure: bool) -> None:
    """By hand, odds of die and numeral multiplied: 66, 1.1, and none where it is hardly a die."""
    got = numbered.told(Look(found(likely=likely), reading(p), 0.9), SIZE, (1, 1, 0, 0, 0, 0, 0, 0, 0), SURE_AT)
    assert (got.sure, got.die) == (sure, "D20" if sure else None)


def test_what_may_be_no_die_has_no_type() -> None:
    assert told(found(likely=0.4), reading(0.6)).die is None
    assert told(found(likely=0.05)).die is None
    assert told(None, reading(0.05, nothing=0.9)).die is None
    assert told(None, reading(0.5)).die == "D20"


shares = st.floats(0.01, 0.99)


@given(shares, shares, shares)
def test_candidates_are_shares_of_one_best_first(p: float, likely: float, shape: float) -> None:
    got = told(found(likely=likely), reading(p), shape)
    ranked = [share for _, share in got.candidates]
    assert ranked == sorted(ranked, reverse=True) or got.candidates[0][0] == 17
    assert sum(ranked) <= 1 + 1e-6
    assert got.candidates[0] == (17, got.belief)
    assert got.sure == (not got.reasons)


@given(shares, st.floats(0.6, 0.99), shares)
def test_belief_grows_with_each_part_of_the_evidence(p: float, likely: float, shape: float) -> None:
    base = belief(p, likely, shape)
    assert belief(0.995, likely, shape) >= base
    assert belief(p, 0.995, shape) >= base
    assert belief(p, likely, 0.995) >= base
    assert belief(p, likely, shape, lean=0.25) <= base
    assert numbered.belief(Look(found(likely=likely), replace(reading(p), agreed=0.5), shape, 0.1), AGREE) <= base


def test_belief_is_logistic() -> None:
    """By hand: even odds of a die give 0, four to one in the value ln 4 = 1.386, a shape of 0.5 nothing."""
    got = numbered.belief(Look(found(likely=0.5), reading(0.8), 0.5), (1, 1, 0, 0, 1, 0, 0, 0, 0))
    assert got == pytest.approx(0.8)


@pytest.mark.parametrize(("die", "lean", "cocked"), [("D20", 0.2, False), ("D20", 0.4, True), ("D6", 0.4, False)])
def test_a_die_that_leans_is_cocked_and_asked_about(die: str, lean: float, cocked: bool) -> None:
    got = told(None, reading(0.99, 3, die), lean=lean)
    assert got.cocked == cocked
    assert got.sure != cocked


# ---- the camera's tilt


def placed(tilt: tuple[float, float]) -> Placed:
    return Placed(np.full(7, 1 / 7), np.eye(2, 3), tilt)


def frame() -> Any:
    return np.zeros((480, 640, 3), np.uint8)


def test_what_may_be_no_die_says_nothing_of_the_camera() -> None:
    dice = [found(280, 200, 80), found(281, 201, 80, likely=0.3), found(279, 199, 80, likely=0.3)]
    tilts = [placed((0.0, 0.3)), placed((0.9, 0.0)), placed((0.9, 0.0))]
    assert numbered.aslant(frame(), dice, tilts, None) == [None, None, None]


def test_a_die_alone_says_nothing_of_the_camera() -> None:
    assert numbered.aslant(frame(), [found()], [placed((0.1, 0.4))], None) == [None]
    assert numbered.aslant(frame(), [], [], None) == []


def test_what_a_table_has_learnt_counts_for_a_die_alone() -> None:
    (seen,) = numbered.aslant(frame(), [found(280, 200, 80)], [placed((0.1, 0.9))], (0.0, 0.3))
    assert seen == pytest.approx((0.0, 0.3), abs=0.01)


def test_most_dice_say_how_the_camera_looks() -> None:
    dice = [found(280, 200, 80), found(281, 201, 80), found(279, 199, 80)]
    tilts = numbered.aslant(frame(), dice, [placed((0.0, 0.3)), placed((0.01, 0.31)), placed((0.5, -0.6))], None)
    assert all(seen == pytest.approx((0.01, 0.3), abs=0.02) for seen in tilts)


def test_dice_read_by_their_pips_say_how_the_camera_looks_too() -> None:
    one = [found(280, 200, 80)]
    beside = [(0.0, 0.3), (0.02, 0.32)]
    (seen,) = numbered.aslant(frame(), one, [placed((0.5, -0.6))], None, beside)
    assert seen == pytest.approx((0.02, 0.3), abs=0.02)
    assert numbered.aslant(frame(), one, [placed((0.1, 0.1))], None, beside[:1]) != [None]


@pytest.mark.parametrize(("beside", "known"), [(1, False), (2, True)])
def test_a_lean_is_told_against_dice_read_by_their_pips(beside: int, known: bool) -> None:
    """Three dice tell it: this one and two beside it."""
    picture, die = clear_d20()
    (look,) = numbered.looks(picture, [die], numerals.mine(), beside=[(0.0, 0.0)] * beside)
    assert (look.lean is not None) == known


@pytest.mark.parametrize(("x", "y"), [(0, 200), (560, 200), (280, 0), (280, 400), (40, 380)])
def test_a_die_off_the_axis_shows_its_outer_side(x: float, y: float) -> None:
    """By projection: a pole of length 1 at the die's place, seen from straight above, leans away from the middle."""
    focal = numbered.FOCAL * 640
    ground = np.array([x + 40 - 320, y + 40 - 240, focal]) / focal
    top = ground * (1, 1, 1) - (0, 0, 0.01)
    lean = (top[:2] / top[2] - ground[:2]) / 0.01
    size = np.hypot(*lean) / np.sqrt(1 + np.hypot(*lean) ** 2)
    got = numbered.away(frame(), found(x, y).box)
    assert got == pytest.approx((lean * (1, -1) / np.hypot(*lean) * size).tolist(), abs=0.03)


def test_the_cameras_tilt_over_many_frames_is_the_median() -> None:
    assert numbered.median([]) is None
    assert numbered.median([(0.0, 0.3), (0.02, 0.28), (0.9, -0.4)]) == pytest.approx((0.02, 0.28))


def test_an_outline_grows_about_its_middle() -> None:
    outline = numbered.grown(found(100, 60, 80).outline)
    assert outline.mean(axis=0) == pytest.approx((140, 100))
    assert np.ptp(outline, axis=0) == pytest.approx((80 * numbered.GROWN, 80 * numbered.GROWN))


# ---- a plan, and the colour


@cache
def clear_d20() -> tuple[Any, Found]:
    """A drawn D20 that shows 17 as clearly as nine in ten of certainty ask."""
    nets = numerals.mine()
    for k in range(60):
        one = render(np.random.default_rng((99, k)), die="D20", value=17)
        die = Found(0.99, one.box, one.outline)
        got = numbered.looks(one.picture, [die], nets)[0].reading
        if got.best[:2] == ("D20", 17) and got.best[2] > 0.9:
            return one.picture, die
    raise AssertionError("of sixty twenty-sided dice none was read clearly")


@pytest.mark.parametrize("plan", [["D20"], ["D12"], ["D10", "D10"], ["D8", "D4"]])
def test_a_plan_rules_no_type_out(plan: list[str]) -> None:
    picture, die = clear_d20()
    got = numbered.looks(picture, [die], numerals.mine(), plan)[0].reading
    assert got.best[:2] == ("D20", 17)


def test_the_main_colour_is_the_bodys_and_not_the_inks() -> None:
    picture = frame()
    cv2.rectangle(picture, (200, 150), (280, 230), (30, 160, 220), -1)
    cv2.putText(picture, "20", (215, 205), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 4)
    assert numbered.colour(picture, found().outline) == (30, 160, 220)
    off = replace(found(), outline=found().outline - (180, 0)).outline
    assert len(numbered.colour(picture, off)) == 3
