"""Cubes projected by hand: a top off the middle of its outline tells a lean that its pips hardly show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicevision import lean, seek
from dicevision.image import Points
from dicevision.seek import Box, Found

FRAME = np.zeros((480, 640, 3), np.uint8)
MIDDLE = (320.0, 240.0)
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
TOP = [1, 5, 7, 3]
FINDER: Any = None


def cube(at: tuple[float, float] = MIDDLE, turn: float = 0, tilt: float = 0, to: float = 0) -> tuple[Points, Box]:
    """Top face and box, seen from straight above without perspective, of a cube of 60 pixels.

    It leans by `tilt` degrees towards the direction `to`, degrees from right to down.
    """
    a, b, c = np.radians([turn, tilt, to])
    yaw = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    way = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    nod = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    seen = (CORNERS @ (way @ nod @ way.T @ yaw).T)[:, :2] * 30 + at
    low, high = seen.min(axis=0), seen.max(axis=0)
    return seen[TOP].astype(np.float32), (float(low[0]), float(low[1]), *(float(s) for s in high - low))  # type: ignore[return-value]


@pytest.mark.parametrize("turn", [0, 20, 45])
def test_a_flat_die_in_the_middle_has_its_top_in_its_middle(turn: float) -> None:
    assert lean.tilt_of(FRAME, *cube(turn=turn)) == pytest.approx((0, 0), abs=1e-3)


@pytest.mark.parametrize(("to", "way"), [(0, (1, 0)), (90, (0, -1)), (180, (-1, 0))])
def test_a_lean_shows_as_its_sine_the_way_it_goes(to: float, way: tuple[float, float]) -> None:
    told = lean.tilt_of(FRAME, *cube(turn=30, tilt=20, to=to))
    assert told == pytest.approx(np.multiply(way, np.sin(np.radians(20))), abs=0.06)


def test_the_usual_tilt_is_most_dices() -> None:
    dice = [cube((250, 240)), cube((320, 180), turn=30), cube((320, 310), turn=50), cube((400, 240), tilt=30)]
    tops, boxes = [top for top, _ in dice], [box for _, box in dice]
    tilts = lean.tilts(FRAME, tops, boxes)
    told = lean.usual(tilts)
    assert told is not None
    assert len(tilts) == 4
    assert lean.usual(tilts[:1]) is None
    assert len(lean.tilts(FRAME, tops, boxes[:1])) == 1, "a die that is not found at a glance tells nothing"
    alone = lean.tilt_of(FRAME, *dice[3])
    assert abs(alone[0] - told[0]) > 0.35


@pytest.mark.parametrize(("tilt", "again", "expected"), [(35, 35, True), (5, 35, False), (35, 5, False)])
def test_a_die_leans_where_glance_and_closer_look_say_so(
    tilt: float, again: float, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, box = cube(tilt=35)
    glance, nearer = (off(top, box, share) for share in (tilt / 35, again / 35))
    monkeypatch.setattr(seek, "closer", lambda *_: [Found(0.9, nearer, top)])
    assert lean.leans(FRAME, top, [glance, (10, 10, 60, 60)], FINDER, (0.0, 0.0)) == expected


def off(top: Points, box: Box, share: float) -> Box:
    """The box moved so that the top is off its middle by a share of what it was."""
    x, y = (top.mean(axis=0) - seek.middle(box)) * (1 - share)
    return box[0] + float(x), box[1] + float(y), box[2], box[3]


def test_only_a_box_of_the_dies_size_about_its_top_is_its_own() -> None:
    top, box = cube()
    wide: Box = (box[0] - 90, box[1] - 90, box[2] + 180, box[3] + 180)
    small: Box = (MIDDLE[0] - 9, MIDDLE[1] - 9, 18, 18)
    beside: Box = (box[0] + 60, box[1], box[2], box[3])
    assert lean.box_of(top, [wide, small, beside]) is None
    assert lean.box_of(top, [wide, beside, box]) == box
