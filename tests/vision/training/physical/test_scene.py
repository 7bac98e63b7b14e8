"""Lots for whole scenes; no engine is needed to draw them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from training.physical import ground, scene
from training.physical.die import KINDS, Die
from training.physical.mesh import cells
from training.physical.paint import paint
from training.physical.stuff import LEAST_CONTRAST, lightness, some_stuff
from training.trays.geometry import View, look
from training.trays.model import Camera


def kinds(dice: tuple[Die, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(one.die, one.body.name, one.values) for one in dice]


def test_the_same_seed_gives_the_same_dice_and_another_others() -> None:
    once, again, other = (scene.some_dice(seed, 4, (), 8) for seed in (1, 1, 2))
    assert kinds(once) == kinds(again)
    assert kinds(once) != kinds(other)
    assert all(np.array_equal(a.points_mm, b.points_mm) for a, b in zip(once, again, strict=True))


def test_all_kinds_come_and_dice_are_as_large_as_dice() -> None:
    dice = [one for number in range(12) for one in scene.some_dice(3, number, (), 8)]
    assert {one.die for one in dice} == {"D4", "D6", "D8", "D10", "D100", "D12", "D20"}
    assert {one.body.name for one in dice if one.die == "D4"} == {"D4", "crystal D4"}
    pipped = [one for one in dice if one.die == "D6" and len(one.numerals[0][1].contours) != 1]
    assert len(KINDS) == 9
    assert pipped
    across = [float(np.linalg.norm(one.points_mm, axis=1).max() * 2) for one in dice]
    assert min(across) > 14
    assert max(across) < 48


@pytest.mark.parametrize("number", range(40))
def test_the_camera_sees_the_whole_tray_from_above_to_35_degrees(number: int) -> None:
    rng = np.random.default_rng(number)
    tray = scene.some_tray(rng)
    camera = scene.some_camera(rng, tray, scene.SIZE)
    x, y = (side / 2 for side in tray.inside_mm)
    corners = np.array([[a * x, b * y, 0.0] for a in (-1, 1) for b in (-1, 1)])
    seen = look(camera).project(corners)
    assert (seen > 0).all()
    assert (seen < scene.SIZE).all()
    assert 0 <= camera.tilt_deg <= 35


def struck(lamp: scene.Lamp, view: View) -> bool:
    """Whether any of 48 x 36 rays through the picture, its rim too, meets the lamp's ball: by the quadratic of each."""
    across, down = (np.linspace(0, side, n, dtype=np.float32) for side, n in zip(scene.SIZE, (48, 36), strict=True))
    x, y = np.meshgrid(across, down)
    ways = view.rays(x, y).reshape(-1, 3).astype(np.float64)
    to = np.array(lamp.at_mm) - view.eye
    along = ways @ to
    return bool(((along > 0) & (to @ to - along**2 < lamp.radius_mm**2)).any())


@pytest.mark.parametrize("number", range(40))
def test_no_lamp_hangs_before_the_camera(number: int) -> None:
    rng = np.random.default_rng(number)
    view = look(scene.some_camera(rng, scene.some_tray(rng), scene.SIZE))
    assert not struck(scene.some_lamp(rng, view), view)


def test_a_lamp_that_would_hide_the_tray_is_known() -> None:
    """Of lamps anywhere some do, as many as the rays say or a few more: the cone is round the picture's corners."""
    found = []
    for number in range(300):
        rng = np.random.default_rng(number)
        view = look(scene.some_camera(rng, scene.some_tray(rng), scene.SIZE))
        lamp = scene.any_lamp(rng)
        found.append((struck(lamp, view), scene.in_sight(lamp, view)))
    assert all(known for hidden, known in found if hidden)
    assert 0 < sum(hidden for hidden, _ in found) <= sum(known for _, known in found) < 40


def test_only_a_wall_that_is_looked_over_hides_dice() -> None:
    tray = scene.Tray((160.0, 120.0), 30.0, 10.0, "felt", "#2f6b45", "#5b3a24")
    above, tilted = (look(Camera(1280, 960, 500, 240, tilt_deg)) for tilt_deg in (0, 35))
    assert scene.screens(tray, above) == []
    [near] = scene.screens(tray, tilted)
    edge = tilted.project(np.array([[0.0, -60.0, 30.0]]))[0]
    assert cv2.pointPolygonTest(near, (float(edge[0]), float(edge[1]) + 2), False) > 0
    assert cv2.pointPolygonTest(near, (float(edge[0]), float(edge[1]) - 2), False) < 0


def test_ink_can_be_told_from_body() -> None:
    drawn = [some_stuff(np.random.default_rng(seed)) for seed in range(60)]
    plain = [one for one in drawn if one.pattern in ("plain", "clear")]
    assert {one.pattern for one in drawn} == {"plain", "marble", "speckle", "clear"}
    assert all(abs(lightness(np.array(one.ink)) - lightness(np.array(one.body))) >= LEAST_CONTRAST for one in plain)


def test_numerals_are_painted_where_they_stand() -> None:
    one = next(d for n in range(9) for d in scene.some_dice(5, n, (), 8) if d.die == "D20" and d.stuff.deep > 0)
    done = paint(np.random.default_rng(0), one)
    size = done.colour.shape[0]
    assert done.colour.shape == (size, size, 3)
    cut = done.height < done.height.min() / 2
    by_face = {id(face): cell for face, cell in zip(one.body.faces, cells(one.body), strict=True)}
    for face, printed in one.numerals:
        cell = by_face[id(face)]
        x, y = (round(share * size) for share in cell.corner)
        side = round(cell.side * size)
        rows, columns = np.nonzero(cut[y : y + side, x : x + side])
        ink = cell.uv(np.concatenate(printed.contours)) * size - (x, y)
        assert columns.min() == pytest.approx(ink[:, 0].min(), abs=3)
        assert rows.max() == pytest.approx(ink[:, 1].max(), abs=3)


@pytest.mark.parametrize("floor", ground.COLOURS)
def test_every_floor_is_light_and_not_one_colour(floor: ground.Floor) -> None:
    laid = ground.lay(floor, ground.COLOURS[floor][0], np.random.default_rng(1))
    assert laid.colour.min() > 0
    assert laid.colour.max() <= 1
    assert laid.colour.std(axis=(0, 1)).min() > 1e-4
    assert laid.height.shape == laid.colour.shape[:2]
