"""The tray renderer against geometry and counts that are worked out here, apart from its code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from training.trays import Camera, DiePose, Light, Sensor, Tray, render_tray, scenes
from training.trays.geometry import corners, leaning, place, value_up
from training.trays.sets import write_set

CLEAN = Sensor(blur_px=0, noise=0, sharpen=0, vignette=0, jpeg=0)
EVEN = Light(ambient=0.95)
BARE = Tray("card", wall_mm=0)
CLOSE = Camera(width_px=160, height_px=160, distance_mm=800, view_mm=40)
INK = DiePose(0, 0, 1, body="#f4f4f4", pips="#000000", gloss=0, pip_depth=0, roundness=0.08)


def spots(grey: NDArray[np.uint8]) -> int:
    """Count the dark spots of a light die that fills the picture."""
    dark = (grey < 60).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    return sum(bool(stats[k, cv2.CC_STAT_AREA] > 20) for k in range(1, count))


@pytest.mark.parametrize("value", range(1, 7))
def test_seen_from_above_a_die_shows_as_many_pips_as_its_label_says(value: int) -> None:
    pose = replace(INK, value=value, yaw_deg=31 * value)
    frame, (label,) = render_tray([pose], tray=BARE, camera=CLOSE, lamp=EVEN, webcam=CLEAN)
    x, y, w, h = (round(side) for side in label.top_box)
    assert spots(frame[y : y + h, x : x + w, 1]) == label.value == value


def test_opposite_faces_sum_to_seven() -> None:
    for value in range(1, 7):
        assert np.allclose(value_up(value)[2], -value_up(7 - value)[2])


def test_one_two_three_run_anticlockwise_round_their_corner() -> None:
    one, two, three = (value_up(value)[2] for value in (1, 2, 3))
    assert np.dot(np.cross(one, two), three) == pytest.approx(1)


@pytest.mark.parametrize("value", range(1, 7))
def test_turning_a_face_up_is_a_turn_and_no_mirror(value: int) -> None:
    assert np.linalg.det(value_up(value)) == pytest.approx(1)
    assert np.allclose(value_up(value) @ value_up(value).T, np.eye(3))


def test_leaning_goes_the_way_it_says() -> None:
    assert np.allclose(leaning(30, 0) @ [0, 0, 1], [0.5, 0, np.sqrt(0.75)])
    assert np.allclose(leaning(30, 90) @ [0, 0, 1], [0, 0.5, np.sqrt(0.75)])


@pytest.mark.parametrize("tilt", [0, 5, 20, 45])
def test_a_die_rests_on_the_tray_and_not_in_it(tilt: float) -> None:
    die = place(replace(INK, tilt_deg=tilt, tilt_to_deg=50, yaw_deg=12))
    lowest = (corners(die.half_mm - die.round_mm) @ die.turn.T + die.middle)[:, 2].min() - die.round_mm
    assert lowest == pytest.approx(0, abs=1e-4)


def test_a_label_lands_where_a_pinhole_puts_it() -> None:
    camera = Camera(distance_mm=500, view_mm=250)
    _, (label,) = render_tray([replace(INK, x_mm=50, y_mm=30)], camera=camera, tray=BARE, webcam=CLEAN)
    focal = 640 * 500 / 250
    x, y, w, h = label.top_box
    assert x + w / 2 == pytest.approx(320 + focal * 50 / (500 - 16), abs=0.01)
    assert y + h / 2 == pytest.approx(240 - focal * 30 / (500 - 16), abs=0.01)
    assert w == pytest.approx(focal * (16 - 16 * 0.08) / (500 - 16), abs=0.01)


@pytest.mark.parametrize("tilt", [0, 40, 60])
def test_the_outline_is_where_the_die_was_painted(tilt: float) -> None:
    camera = Camera(tilt_deg=tilt, roll_deg=5, view_mm=60, width_px=320, height_px=240)
    pose = replace(INK, x_mm=4, y_mm=-3, yaw_deg=25, body="#ff0000", pips="#ff0000", roundness=0.2)
    frame, (label,) = render_tray([pose], camera=camera, tray=Tray("card", "#0000ff", wall_mm=0), webcam=CLEAN)
    painted = frame[..., 2].astype(int) > frame[..., 0]
    told = np.zeros(painted.shape, np.uint8)
    cv2.fillPoly(told, [np.round((label.outline - 0.5) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    assert (painted & (told > 0)).sum() / (painted | (told > 0)).sum() > 0.95


def test_the_same_seed_draws_the_same_picture_and_another_another_tray() -> None:
    dice = [replace(INK, finish="marbled")]
    camera = replace(CLOSE, width_px=80, height_px=80)
    one, again, other = (render_tray(dice, camera=camera, seed=seed)[0] for seed in (5, 5, 6))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_another_shot_differs_by_noise_alone() -> None:
    camera = replace(CLOSE, width_px=80, height_px=80)
    one, other = (render_tray([INK], camera=camera, seed=5, shot=shot)[0].astype(int) for shot in (0, 1))
    assert 0 < np.abs(one - other).mean() < 8
    still, also = (render_tray([INK], camera=camera, webcam=CLEAN, seed=5, shot=shot)[0] for shot in (0, 1))
    assert np.array_equal(still, also)


def test_a_leaning_die_is_labelled_so_with_its_upper_face() -> None:
    _, labels = render_tray(
        [replace(INK, value=3, tilt_deg=tilt, x_mm=x) for tilt, x in ((0, -12), (20, 12))], camera=CLOSE, tray=BARE
    )
    assert [(label.value, label.cocked) for label in labels] == [(3, False), (3, True)]


def test_the_die_in_front_hides_the_one_behind() -> None:
    dice = [replace(INK, y_mm=y) for y in (-12, 12)]
    _, (front, back) = render_tray(dice, camera=replace(CLOSE, tilt_deg=70, view_mm=80), tray=BARE)
    assert front.hidden == 0
    assert 0.2 < back.hidden < 0.9


def test_a_die_throws_a_shadow_away_from_the_lamp() -> None:
    camera = replace(CLOSE, view_mm=80)
    frame, _ = render_tray([INK], camera=camera, tray=BARE, lamp=Light(azimuth_deg=180, elevation_deg=40), webcam=CLEAN)
    lit, shaded = (frame[76:84, x : x + 6].mean() for x in (54, 100))
    assert shaded < 0.75 * lit


def test_a_glossy_pip_shows_the_lamp_and_a_matt_one_does_not() -> None:
    lamp = Light(elevation_deg=70, ambient=0.4)
    pose = replace(INK, value=1, pip_size=0.1, pip_depth=1)
    views = [
        render_tray([replace(pose, gloss=gloss)], tray=BARE, camera=CLOSE, lamp=lamp, webcam=CLEAN)[0]
        for gloss in (0.95, 0)
    ]
    glossy, matt = (int(view[76:84, 76:84].max()) for view in views)
    assert glossy > 150 > 90 > matt


def test_every_scene_of_a_set_is_fair_to_ask() -> None:
    count = 0
    for scene in scenes("pips", seed=11, count=3):
        frame, labels = scene.draw()
        assert frame.shape == (480, 640, 3)
        for label in labels:
            count += 1
            assert not label.cocked
            assert label.hidden < 0.25
            assert (label.outline > 0).all()
            assert (label.outline < [640, 480]).all()
    assert count > 0


def test_a_scene_does_not_depend_on_how_many_are_asked_for() -> None:
    assert list(scenes("cocked", 4, 3)) == list(scenes("cocked", 4, 6))[:3]


def test_cocked_throws_have_a_leaning_die() -> None:
    leaning_dice = [sum(pose.tilt_deg > 10 for pose in scene.dice) for scene in scenes("cocked", 2, 20)]
    assert sum(count == 1 for count in leaning_dice) >= 18
    assert max(leaning_dice) == 1


def test_a_set_is_written_with_its_labels_and_says_that_it_is_rendered(tmp_path: Path) -> None:
    write_set(tmp_path / "set", "pips", seed=9, count=1)
    told = json.loads((tmp_path / "set/labels.json").read_text())
    assert told["note"].startswith("Renders, not photographs")
    (picture,) = told["pictures"]
    written = cv2.imread(str(tmp_path / "set" / picture["file"]))
    assert written is not None
    assert written.shape == (480, 640, 3)
    assert all(set(die) >= {"die", "value", "cocked", "box", "top_box", "outline", "pose"} for die in picture["dice"])
