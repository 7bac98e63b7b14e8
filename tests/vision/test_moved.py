"""Which dice came or moved: on renders of dice that lie, are turned, shifted, taken up, in other light."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.clips import Frame, scene

from dicevision import moved
from dicevision.read import DieReading
from training.trays import DiePose, Light

FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
BOXES = {-30: (71, 75, 44, 44), 25: (191, 128, 48, 49)}
"""Where they lie in the picture, by x_mm."""


def read(pose: DiePose, value: int | None = None, shift: int = 0) -> DieReading:
    x, y, wide, high = BOXES[int(pose.x_mm)]
    box = (x + shift, y, wide, high)
    status = "unsure" if value is None else "sure"
    return DieReading("D6", value, status, False, 0.9, box, np.zeros((4, 2), np.float32), "#ffffff", (), ())


def noisy(picture: Frame, light: float = 1.0) -> Frame:
    grain = np.random.default_rng(5).normal(0, 3, picture.shape)
    return np.clip(picture * light + grain, 0, 255).astype(np.uint8)


BEFORE = noisy(scene(FIVE, THREE))
LYING = moved.lying(BEFORE, [read(FIVE, 5), read(THREE, 3)])
ASIDE = Light(azimuth_deg=20, elevation_deg=35)


@pytest.mark.parametrize("light", [0.6, 1.0, 1.1])
@pytest.mark.parametrize("lamp", [Light(), ASIDE], ids=["lamp", "lamp moved"])
@pytest.mark.parametrize("values", [(5, 3), (None, 3), (None, None)])
def test_dice_left_from_the_last_throw_are_not_read_again(
    light: float, lamp: Light, values: tuple[int | None, int | None]
) -> None:
    now = noisy(scene(FIVE, THREE, lamp=lamp), light)
    assert moved.came(now, [read(FIVE, values[0], shift=2), read(THREE, values[1])], LYING) == ()


def test_a_die_thrown_again_counts_and_the_other_does_not() -> None:
    for again, value in ((replace(FIVE, value=2, yaw_deg=75), 2), (replace(FIVE, yaw_deg=80, x_mm=-22), 5)):
        now, die = noisy(scene(again, THREE)), read(FIVE, value, shift=0 if value == 2 else 17)
        assert moved.came(now, [die, read(THREE, 3)], LYING) == (die,)


def test_a_die_turned_where_it_lies_with_no_value_read_came() -> None:
    die = read(FIVE)
    assert moved.came(noisy(scene(replace(FIVE, yaw_deg=65), THREE)), [die, read(THREE, 3)], LYING) == (die,)


def test_another_face_in_the_same_place_came() -> None:
    die = read(FIVE, 4)
    assert moved.came(noisy(scene(replace(FIVE, value=4), THREE)), [die, read(THREE, 3)], LYING) == (die,)


def test_two_dice_read_in_one_place_are_not_the_same_old_one_twice() -> None:
    one, other = read(FIVE, 5), read(FIVE, 5, shift=4)
    assert len(moved.came(BEFORE, [one, other], LYING)) == 1


def test_a_die_that_the_reader_misses_for_once_is_kept_and_one_taken_up_is_not() -> None:
    assert [old.die.value for old in moved.kept(BEFORE, [read(THREE, 3)], LYING)] == [5]
    assert moved.kept(noisy(scene(THREE)), [read(THREE, 3)], LYING) == ()
    assert len(moved.kept(noisy(scene(THREE)), [read(THREE, 3)], LYING, covered=True)) == 1


def test_a_flat_place_is_like_nothing() -> None:
    flat = np.full((240, 320, 3), 90, np.uint8)
    assert moved.likeness(flat, LYING[0]) == 0.0
    assert moved.came(flat, [read(FIVE, 5)], moved.lying(flat, [read(FIVE, 5)])) != ()


def test_large_dice_are_compared_by_the_mean_of_their_pixels() -> None:
    large = np.kron(BEFORE, np.ones((6, 6, 1), np.uint8)).astype(np.uint8)
    dice = [replace(old.die, box=tuple(6 * side for side in old.die.box)) for old in LYING]  # type: ignore[arg-type]
    assert moved.came(large, dice, moved.lying(large, dice)) == ()
    for old, die in zip(LYING, dice, strict=True):
        assert np.abs(moved.patch(large, die).astype(int) - old.patch).mean() < 6
