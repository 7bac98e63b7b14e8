"""Labels: the value by pose, leaning, and what of a die is seen."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from training import marking, solids
from training.physical import labels
from training.physical.die import KINDS, Die, Pose, some_die, some_style
from training.trays.geometry import look
from training.trays.model import Camera

VIEW = look(Camera(640, 480, distance_mm=400, view_mm=120))
ABOVE = np.array([0.0, 0.0, 10.0])


def die(kind: str, seed: int = 0) -> Die:
    rng = np.random.default_rng(seed)
    return some_die(rng, kind, some_style(rng, ()))


def lying(one: Die, index: int, lean_deg: float = 0.0, turned_deg: float = 30.0) -> Pose:
    """With the face (tetrahedron: corner) of that index up, then leaning."""
    up = -one.body.faces[index].normal if one.body.name == "D4" else one.body.numbered[index].normal
    x, z = np.array([1.0, 0, 0]), np.array([0.0, 0, 1])
    flat = solids.turn(z, np.radians(turned_deg)) @ solids.resting(up)
    return Pose(solids.turn(x, np.radians(lean_deg)) @ flat, ABOVE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_face_that_is_up_is_the_value(kind: str) -> None:
    one = die(kind)
    assert sorted(one.values) == sorted(marking.VALUES[one.die])
    for index, value in enumerate(one.values):
        found = labels.up(one, lying(one, index))
        assert (found.index, found.value, found.cocked) == (index, value, False)
        assert found.lean_deg < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_value_is_that_of_the_highest_numeral(kind: str) -> None:
    """By another way: of all that is printed, what stands on the face that is up lies highest, or round the apex."""
    one = die(kind, 3)
    pose = lying(one, 1)
    if one.body.name == "D4":
        corners = marking.tetrahedron_corners(one.body) @ pose.turn.T
        assert labels.up(one, pose).value == one.values[int(corners[:, 2].argmax())]
        return
    heights = [float((np.concatenate(printed.contours) @ pose.turn.T)[:, 2].mean()) for face, printed in one.numerals]
    assert int(np.argmax(heights)) == 1
    assert labels.up(one, pose).value == one.values[1]


@pytest.mark.parametrize(("lean", "cocked"), [(0.0, False), (7.9, False), (8.1, True), (20.0, True)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_die_that_leans_is_cocked_and_keeps_its_value(kind: str, lean: float, cocked: bool) -> None:
    one = die(kind)
    found = labels.up(one, lying(one, 2, lean))
    assert found.cocked is cocked
    assert found.lean_deg == pytest.approx(lean, abs=1e-4)
    assert found.value == one.values[2]


def test_a_crystal_on_its_end_is_cocked() -> None:
    one = die("crystal D4")
    end = np.array([1.0, 0, 0])
    assert labels.up(one, Pose(solids.resting(end), ABOVE)).cocked


def test_the_outline_holds_the_upper_face_and_little_more_than_the_sharp_solid() -> None:
    one = die("D20")
    pose = lying(one, 4)
    label = labels.labelled([one], [pose], VIEW)[0]
    sharp = np.concatenate([face.corners for face in one.body.faces]) * one.mm
    around = cv2.convexHull(VIEW.project(pose.placed(sharp)))
    assert all(cv2.pointPolygonTest(label.outline, (float(x), float(y)), False) >= 0 for x, y in label.top)
    assert 0.9 < cv2.contourArea(label.outline) / cv2.contourArea(around) <= 1
    assert label.seen == pytest.approx(1.0, abs=0.02)


def square(x: float, y: float, side: float) -> Any:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], np.float32)


def test_the_nearer_die_hides_the_farther_and_the_frame_cuts() -> None:
    outlines = [square(100, 100, 100), square(150, 100, 100), square(-40, 300, 80)]
    near_last = labels.seen(outlines, [500.0, 400.0, 450.0], (640, 480))
    near_first = labels.seen(outlines, [400.0, 500.0, 450.0], (640, 480))
    assert near_last == pytest.approx([0.5, 1.0, 0.5], abs=0.02)
    assert near_first == pytest.approx([1.0, 0.5, 0.5], abs=0.02)


def test_a_screen_hides_all_dice() -> None:
    outlines = [square(100, 100, 100), square(300, 100, 100)]
    assert labels.seen(outlines, [400.0, 300.0], (640, 480), [square(120, 50, 230)]) == pytest.approx(
        [0.2, 0.5], abs=0.02
    )


def test_a_die_that_is_hidden_is_labelled_without_a_value() -> None:
    one, over = die("D6"), die("D12", 1)
    low, high = lying(one, 0), Pose(lying(over, 0).turn, np.array([4.0, 0.0, 40.0]))
    hidden, plain = labels.labelled([one, over], [low, high], VIEW)
    assert (hidden.value, hidden.shows) == (None, one.values[0])
    assert plain.value == over.values[0]
