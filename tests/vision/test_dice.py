"""Pipped dice by geometry alone: plain trays are read; whatever is done to them, no wrong value is believed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicevision import blobs
from dicevision.dice import Cube, find
from dicevision.find import Spots
from dicevision.read import read

WHITE, BLACK, RED, BLUE, GREEN = (240, 242, 240), (28, 26, 26), (40, 30, 190), (150, 60, 20), (60, 140, 40)
FELT, WOOD, LEATHER, DARK, PAPER = (70, 110, 60), (120, 165, 200), (60, 70, 150), (18, 16, 16), (225, 230, 232)


@dataclass(frozen=True)
class Told:
    """What geometry says of a die. It is believed from one half; the judge and the threshold come after."""

    value: int
    believed: bool
    at: tuple[float, float]
    doubts: tuple[str, ...]


def told(frame: Any) -> list[Told]:
    """The dice of a frame that look like dice, left to right."""
    cubes = [c for c in find(frame, Spots.of(blobs.find(frame))) if c.top.solid > 0.3]
    dice = [
        Told(c.top.face.value, c.top.belief >= 0.5 and not c.cocked, tuple(c.top.face.centre), c.top.doubts)
        for c in cubes
    ]
    return sorted(dice, key=lambda d: d.at)


def values(dice: list[Told]) -> list[int | None]:
    return [d.value if d.believed else None for d in dice]


def never_wrong(dice: list[Told], truth: set[int]) -> None:
    """Every value that is believed is one that lies there."""
    assert {d.value for d in dice if d.believed} <= truth, dice


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(
    ("body", "ink", "ground"),
    [
        (WHITE, BLACK, FELT),
        (WHITE, BLACK, WOOD),
        (BLACK, WHITE, LEATHER),
        (RED, WHITE, DARK),
        (BLUE, WHITE, WOOD),
        (GREEN, WHITE, PAPER),
        (WHITE, RED, FELT),
    ],
)
def test_values_on_trays_of_every_colour(
    value: int, body: Any, ink: Any, ground: Any, drawing: Any, a_die: Any
) -> None:
    die = a_die(value, body=body, ink=ink, turn=17 * value)
    dice = told(drawing(ground=ground).die(die).frame(noise=2))
    assert values(dice) == [value]
    assert dice[0].at == pytest.approx((80, 80), abs=1)
    assert dice[0].doubts == ()


@pytest.mark.parametrize("edge", [24, 36, 90, 180, 400])
def test_dice_of_every_size(edge: int, drawing: Any, a_die: Any) -> None:
    side = max(160, edge * 2)
    for value in (2, 3, 5, 6):
        die = a_die(value, at=(side / 2, side / 2), edge=edge)
        assert values(told(drawing(side, side).die(die).frame(noise=1))) == [value]


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("tilt", [20, 35, 45])
def test_side_faces_are_not_counted(value: int, tilt: int, drawing: Any, a_die: Any) -> None:
    dice = told(drawing().die(a_die(value, tilt=tilt, turn=25)).frame())
    assert len(dice) <= 1
    never_wrong(dice, {value})


@pytest.mark.parametrize("value", [2, 4, 5, 6])
def test_a_top_seen_at_a_slant_is_told(value: int, drawing: Any, a_die: Any) -> None:
    assert values(told(drawing().die(a_die(value, tilt=30, turn=25)).frame())) == [value]


@pytest.mark.parametrize("value", range(2, 7))
@pytest.mark.parametrize("lost", [1, 2])
def test_a_pip_that_cannot_be_seen_never_makes_another_value_of_four_or_more(
    value: int, lost: int, drawing: Any, a_die: Any
) -> None:
    dice = told(drawing().die(a_die(value, lost=lost)).frame())
    left = value - lost
    assert [d.value for d in dice if d.believed and d.value not in {value, 5 if value == 6 else left}] == []


@pytest.mark.parametrize("way", range(0, 360, 45))
@pytest.mark.parametrize("value", range(1, 7))
def test_a_highlight_on_a_pip_gives_the_value_or_a_question(value: int, way: int, drawing: Any, a_die: Any) -> None:
    die = a_die(value, turn=0)
    first = {1: (0.0, 0.0)}.get(value, (-1.0, -1.0))
    pip = np.array(first) * 0.5 * 30 + 80
    off = np.array([math.cos(math.radians(way)), math.sin(math.radians(way))]) * 2.5
    dice = told(drawing().die(die).spot(tuple(pip + off), 2.4, (255, 255, 255)).frame())
    never_wrong(dice, {value})


@pytest.mark.parametrize(("left", "right"), [(1, 1), (2, 2), (3, 3), (2, 4), (6, 6), (5, 3), (1, 6), (3, 2)])
@pytest.mark.parametrize("turn", [0, 30])
def test_touching_dice_are_two_dice_or_a_question(left: int, right: int, turn: int, drawing: Any, a_die: Any) -> None:
    way = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))]) * 30.5
    tray = drawing(240, 240)
    tray.die(a_die(left, at=tuple(120 - way), turn=turn)).die(a_die(right, at=tuple(120 + way), turn=turn))
    dice = told(tray.frame())
    never_wrong(dice, {left, right})
    assert len([d for d in dice if d.believed]) <= 2


@pytest.mark.parametrize("shift", [0, 8, 20])
def test_touching_sixes_in_line_are_two_sixes(shift: int, drawing: Any, a_die: Any) -> None:
    tray = drawing(240, 240).die(a_die(6, at=(89, 120), turn=0)).die(a_die(6, at=(151, 120 + shift), turn=0))
    assert values(told(tray.frame())) == [6, 6]


@pytest.mark.parametrize("edge", [24, 40, 60])
@pytest.mark.parametrize("blur", [0.8, 1.6, 2.6])
def test_a_six_whose_pips_run_together_is_never_a_two(edge: int, blur: float, drawing: Any, a_die: Any) -> None:
    die = a_die(6, edge=edge, pip=0.24)
    never_wrong(told(drawing().die(die).frame(blur=blur, noise=1)), {6})


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(
    ("body", "ink", "ground"),
    [(BLACK, WHITE, DARK), (WHITE, BLACK, PAPER), ((60, 60, 60), (30, 30, 30), FELT), (RED, BLUE, FELT)],
)
def test_a_die_like_its_tray_or_its_pips_is_read_or_asked_about(
    value: int, body: Any, ink: Any, ground: Any, drawing: Any, a_die: Any
) -> None:
    never_wrong(told(drawing(ground=ground).die(a_die(value, body=body, ink=ink)).frame(noise=2)), {value})


def cubes_of(frame: Any) -> list[Cube]:
    return sorted(find(frame, Spots.of(blobs.find(frame))), key=lambda c: float(c.top.face.centre[0]))


@pytest.mark.parametrize("leaning", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("lean", [32, 38])
def test_a_die_that_leans_among_flat_ones_is_asked_about_and_they_are_not(
    leaning: int, lean: int, drawing: Any, a_die: Any
) -> None:
    tray = drawing(480, 160)  # a die that leans towards the camera shows as one that the camera sees aslant
    for k, value in enumerate([5, 2, 6]):
        tray.die(a_die(value, at=(80 + 110 * k, 80), turn=30 * k))
    cubes = cubes_of(tray.die(a_die(leaning, at=(400, 75), turn=40, tilt=lean)).frame())
    flat = [c for c in cubes if c.top.face.centre[0] < 340]
    assert [c.top.face.value for c in flat] == [5, 2, 6]
    assert not any(c.top.grave or c.cocked for c in flat)
    assert all(c.top.grave or c.cocked for c in cubes if c.top.face.centre[0] > 340)


@pytest.mark.parametrize(("short", "leans"), [(3.2, True), (1.2, False), (0.0, False)])
def test_a_sides_round_pip_tells_a_lean_that_the_tops_own_do_not_show(
    short: float, leans: bool, drawing: Any, a_die: Any
) -> None:
    tray = drawing(480, 160)
    for k, value in enumerate([5, 2, 6, 4]):
        tray.die(a_die(value, at=(80 + 105 * k, 70), turn=30 * k if k < 3 else 0))
    frame = tray.frame()
    side = [np.array([[366, 100], [424, 100], [424, 124], [366, 124]], np.int32)]
    cv2.fillPoly(frame, side, (205, 210, 210))
    if short:
        cv2.ellipse(
            frame, (395 * 16, 112 * 16), (6 * 16, round(short * 16)), 0, 0, 360, (25, 25, 25), -1, cv2.LINE_AA, 4
        )
    cubes = cubes_of(frame)
    assert [c.top.face.value for c in cubes] == [5, 2, 6, 4]
    assert [c.top.grave for c in cubes] == [False, False, False, leans]


@pytest.mark.parametrize("lean", [15, 22])
def test_of_two_dice_that_lie_differently_aslant_neither_is_taken_for_flat(lean: int, drawing: Any, a_die: Any) -> None:
    tray = drawing(320, 200).die(a_die(4, at=(80, 90), tilt=40, turn=25))
    cubes = cubes_of(tray.die(a_die(5, at=(230, 90), tilt=40 - lean, turn=65)).frame())
    tops = [c for c in cubes if c.top.face.centre[1] < 100]
    assert [c.top.face.value for c in tops] == [4, 5]
    assert all(c.top.grave or c.cocked for c in tops)


def test_dice_that_all_lie_aslant_alike_lie_flat(drawing: Any, a_die: Any) -> None:
    tray = drawing(480, 200)
    for k, value in enumerate([4, 2, 5, 3]):
        tray.die(a_die(value, at=(70 + 110 * k, 90), turn=25 + 15 * k, tilt=38))
    tops = [c for c in cubes_of(tray.frame()) if c.top.face.centre[1] < 100]
    assert [c.top.face.value for c in tops] == [4, 2, 5, 3]
    assert not any(c.top.grave or c.cocked for c in tops)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.integers(1, 6),
    turn=st.floats(0, 360),
    edge=st.floats(20, 110),
    tilt=st.sampled_from([0.0, 0.0, 15.0, 30.0, 35.0, 40.0]),
    body=st.sampled_from([WHITE, BLACK, RED, BLUE, GREEN]),
    ground=st.sampled_from([FELT, WOOD, LEATHER, DARK, PAPER]),
    blur=st.floats(0.3, 2.0),
    noise=st.floats(0, 12),
    pitch=st.floats(0.42, 0.56),
    pip=st.floats(0.15, 0.2),
)
def test_whatever_the_picture_a_value_is_right_or_not_given(
    drawing: Any, a_die: Any, value: int, body: Any, ground: Any, blur: float, noise: float, **shape: float
) -> None:
    ink = BLACK if body == WHITE else WHITE
    die = replace(a_die(value, at=(120, 120), body=body, ink=ink), **shape)
    reading = read(drawing(240, 240, ground=ground).die(die).frame(blur=blur, noise=noise))
    assert {d.value for d in reading.dice if d.status == "sure"} <= {value}


def test_dice_come_from_left_to_right(drawing: Any, a_die: Any) -> None:
    tray = drawing(400, 300)
    for value, at in ((5, (300, 60)), (2, (60, 220)), (6, (190, 150))):
        tray.die(a_die(value, at=at))
    assert values(told(tray.frame())) == [2, 6, 5]


@pytest.mark.parametrize("quarter", range(4))
def test_a_turned_picture_reads_the_same(quarter: int, drawing: Any, a_die: Any) -> None:
    tray = drawing(320, 240)
    for value, x in ((1, 60), (4, 160), (3, 260)):
        tray.die(a_die(value, at=(x, 120), turn=x))
    frame = np.rot90(tray.frame(), quarter).copy()
    assert sorted(v or 0 for v in values(told(frame))) == [1, 3, 4]


@pytest.mark.parametrize("ground", [FELT, WOOD, DARK, PAPER])
def test_an_empty_tray_has_no_dice(ground: Any, drawing: Any) -> None:
    assert told(drawing(320, 240, ground=ground).frame(noise=4)) == []


def test_crumbs_and_dust_are_no_dice(drawing: Any) -> None:
    tray, rng = drawing(320, 240, ground=DARK), np.random.default_rng(5)
    for _ in range(60):
        tray.spot((rng.uniform(0, 320), rng.uniform(0, 240)), rng.uniform(1, 3), (200, 200, 200))
    assert [d for d in told(tray.frame()) if d.believed] == []


def test_print_is_no_die(drawing: Any) -> None:
    frame = drawing(320, 240, ground=PAPER).frame()
    for row, text in enumerate(["8 0 6 9 B", "3:1 . i %", "10 20 88", "o : ; 008"]):
        cv2.putText(frame, text, (20, 50 + 50 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.3, (20, 20, 20), 3, cv2.LINE_AA)
    assert [d for d in told(frame) if d.believed] == []
