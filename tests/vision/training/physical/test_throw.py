"""Dice at rest by MuJoCo. Only where it is installed (`pip install -e .[physical]`): it is no part of the product."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="rendering trays alone needs mujoco (`pip install -e .[physical]`)")

from training.physical import labels, scene, throw
from training.physical.die import Pose

INSIDE = (150.0, 120.0)


def test_dice_lie_on_the_floor_and_the_same_seed_gives_the_same_poses() -> None:
    dice = scene.some_dice(1, 0, (), 8)

    def settled(seed: int) -> list[Pose]:
        return throw.settle(dice, throw.some_tosses(np.random.default_rng(seed), 8, INSIDE), INSIDE)

    once, again, other = settled(1), settled(1), settled(2)
    for one, a, b in zip(dice, once, again, strict=True):
        assert np.array_equal(a.turn, b.turn)
        assert np.array_equal(a.middle_mm, b.middle_mm)
        points = a.placed(one.points_mm)
        assert points[:, 2].min() > -0.05
        assert (np.abs(points[:, :2]) < np.array(INSIDE) / 2 + 0.1).all()
        if not labels.up(one, a).cocked:
            assert points[:, 2].min() < 0.05
    assert not np.allclose(once[0].middle_mm, other[0].middle_mm)


def test_a_film_begins_in_the_air_and_ends_at_rest() -> None:
    dice = scene.some_dice(1, 0, (), 2)
    tosses = throw.some_tosses(np.random.default_rng(3), 2, INSIDE)
    shots = throw.film(dice, tosses, INSIDE, rate=15, seconds=3)
    assert len(shots) == 46
    assert shots[0][0].middle_mm[2] > 30
    assert np.allclose(shots[-1][0].middle_mm, shots[-2][0].middle_mm, atol=0.05)
    assert shots[-1][0].middle_mm[2] < 16
