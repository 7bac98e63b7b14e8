"""What rendered trays teach: discs, tilts and labels, held against the geometry of the pose; no engine is needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dicevision.crops import SIDE_PX, whole_affine
from training import marking, shards, singles, solids
from training.physical import labels, teach
from training.physical.die import KINDS, Die, Pose, some_die, taught_style
from training.physical.labels import Label
from training.trays.geometry import View, look
from training.trays.model import Camera

PICTURE = np.full((480, 640, 3), 120, np.uint8)


def camera(tilt_deg: float = 0.0) -> View:
    return look(Camera(640, 480, distance_mm=400, view_mm=200, tilt_deg=tilt_deg))


def die(kind: str, seed: int = 0) -> Die:
    rng = np.random.default_rng(seed)
    return some_die(rng, kind, taught_style(rng, ()))


def lying(one: Die, index: int, x_mm: float = 0.0, y_mm: float = 0.0) -> Pose:
    up = -one.body.faces[index].normal if one.body.name == "D4" else one.body.numbered[index].normal
    turned = solids.turn(np.array([0.0, 0, 1]), 0.5) @ solids.resting(up)
    return Pose(turned, np.array([x_mm, y_mm, 8.0]))


def label_of(one: Die, pose: Pose, view: View) -> Label:
    return labels.labelled([one], [pose], view)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_disc_lies_on_the_numeral(kind: str) -> None:
    """By another way: what is printed on the face that is up, projected, is round the disc's middle."""
    one, view = die(kind, 4), camera(20)
    pose = lying(one, 0, 30, -20)
    single = teach.single_of(PICTURE, one, label_of(one, pose, view), view)
    assert (single.die, single.value) == (one.die, one.values[0])
    if one.body.name == "D4":
        apex = marking.tetrahedron_corners(one.body)[0]
        at = view.project(pose.placed(apex[None] * one.mm))[0] - 0.5
        assert np.linalg.norm(at - single.top.disc[:, 2]) < np.linalg.norm(single.top.disc[:, :2], 2)
        return
    printed = next(what for face, what in one.numerals if face is one.body.numbered[0])
    points = np.concatenate(printed.contours)
    seen = view.project(pose.placed(points * one.mm)) - 0.5
    within = np.linalg.solve(single.top.disc[:, :2], (seen - single.top.disc[:, 2]).T)
    assert np.linalg.norm(within, axis=0).max() < 1.15
    assert np.linalg.norm((seen.min(axis=0) + seen.max(axis=0)) / 2 - single.top.disc[:, 2]) < 6


def test_straight_below_the_camera_nothing_is_tilted() -> None:
    one, view = die("D6"), camera()
    single = teach.single_of(PICTURE, one, label_of(one, lying(one, 2), view), view)
    assert np.hypot(*single.tilt) < 0.01


@pytest.mark.parametrize(("x_mm", "y_mm"), [(60.0, 0.0), (0.0, 40.0), (-50.0, -30.0)])
def test_a_die_off_the_axis_leans_outward(x_mm: float, y_mm: float) -> None:
    """The tray's x is the picture's right and its y the picture's up; the sine is that of the ray to the die."""
    one, view = die("D8"), camera()
    single = teach.single_of(PICTURE, one, label_of(one, lying(one, 1, x_mm, y_mm), view), view)
    far = np.sqrt(x_mm**2 + y_mm**2 + (400 - 8) ** 2)
    assert single.tilt == pytest.approx((x_mm / far, y_mm / far), abs=0.02)
    along = np.dot(single.away, (x_mm, y_mm)) / np.hypot(*single.away) / np.hypot(x_mm, y_mm)
    assert along > 0.99


def test_a_tilted_camera_sees_the_top_towards_the_pictures_top() -> None:
    one, view = die("D12"), camera(30)
    single = teach.single_of(PICTURE, one, label_of(one, lying(one, 3), view), view)
    assert single.tilt == pytest.approx((0.0, 0.5), abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stored_is_the_form_that_drawn_dice_have(kind: str) -> None:
    one, view = die(kind, 1), camera(15)
    single = teach.single_of(PICTURE, one, label_of(one, lying(one, 1), view), view)
    shard = shards.of([(single, single.others)])
    assert shard.whole.shape == (1, shards.WHOLE_PX, shards.WHOLE_PX, 3)
    assert len(shard.face) == 1 + len(single.others)
    assert shards.CLASSES[shard.labels[0, 0]] == (one.die, one.values[1])
    to_frame = whole_affine(single.box)
    centre = (shard.geometry[0, :2] * SIDE_PX / 2 + (SIDE_PX - 1) / 2) * to_frame[0, 0] + to_frame[:, 2]
    assert centre == pytest.approx(single.top.disc[:, 2], abs=0.01)


def test_side_faces_that_the_camera_sees_aslant_teach_too() -> None:
    one, view = die("D20", 2), camera(25)
    single = teach.single_of(PICTURE, one, label_of(one, lying(one, 0), view), view)
    assert len(single.others) >= 3
    assert single.value not in {side.value for side in single.others}
    assert all(side.value in one.values for side in single.others)
    assert singles.LEAST_SEEN > 0


def test_scenes_are_gathered_with_top_faces_first(tmp_path: Path) -> None:
    view, made = camera(20), []
    for number, kind in enumerate(("D20", "D6")):
        one = die(kind, number)
        single = teach.single_of(PICTURE, one, label_of(one, lying(one, 0), view), view)
        made.append((one, len(single.others)))
        shards.save(shards.of([(single, single.others)]), tmp_path / f"tray-{number:04d}.npz")
    told = teach.gathered(tmp_path)
    assert len(told.whole) == 2
    assert len(told.face) == 2 + sum(count for _, count in made)
    assert [shards.CLASSES[k] for k in told.labels[:2, 0]] == [(one.die, one.values[0]) for one, _ in made]


def test_materials_to_train_with_are_drawn_ones() -> None:
    """The judge's sets have no material of `training.surface`, those that teach have nothing else."""
    rng = np.random.default_rng(5)
    assert all(taught_style(rng, ()).stuff.drawn is not None for _ in range(20))
