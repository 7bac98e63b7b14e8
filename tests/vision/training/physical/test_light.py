"""Pictures by Mitsuba. Only where it and MuJoCo are installed (`pip install -e .[physical]`)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

pytest.importorskip("mitsuba", reason="rendering trays alone needs mitsuba (`pip install -e .[physical]`)")
pytest.importorskip("mujoco", reason="rendering trays alone needs mujoco (`pip install -e .[physical]`)")

from training.physical import light, scene
from training.physical.die import Pose


def test_a_die_is_where_its_label_says() -> None:
    drawn = scene.draw(1, 0, (), dice=2, size=(160, 120))
    away = tuple(Pose(pose.turn, pose.middle_mm - (0, 0, 500)) for pose in drawn.poses)
    studio = light.Studio(drawn, samples=4)
    with_dice, without = studio.shot(drawn.poses), studio.shot(away)
    changed = np.abs(np.log((with_dice + 0.01) / (without + 0.01))).max(axis=2) > 0.25
    said = np.zeros((120, 160), np.uint8)
    for label in drawn.labels():
        cv2.fillPoly(said, [np.round(label.outline - 0.5).astype(np.int32)], 1)
    assert (changed & (said > 0)).sum() > 0.5 * said.sum()
    ring = cv2.dilate(said, np.ones((31, 31), np.uint8))
    assert (changed & (ring == 0)).mean() < 0.02


def test_the_picture_is_a_webcams() -> None:
    drawn = scene.draw(1, 1, (), dice=1, size=(80, 60))
    picture = light.picture(drawn, samples=2)
    assert picture.shape == (60, 80, 3)
    assert picture.dtype == np.uint8
    assert 40 < picture.mean() < 200
