"""Sets as files: whole or not there, gone on with, in plain types. The picture is a stand-in; no engine is needed."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from training.physical import light, scene, sets
from training.physical.die import Pose
from training.physical.labels import labelled
from training.physical.scene import Scene
from training.trays.geometry import look
from training.trays.model import Camera


def made(number: int = 0) -> Scene:
    """Three dice in the air over a tray, none thrown."""
    rng = np.random.default_rng(number)
    dice = scene.some_dice(1, number, (), 3)
    poses = tuple(Pose(np.eye(3), np.array([40.0 * k - 40, 0.0, 12.0])) for k in range(3))
    tray = scene.some_tray(rng)
    camera = Camera(320, 240, 500, 220)
    lamp = scene.some_lamp(rng, look(camera))
    return Scene(dice, poses, tray, camera, lamp, scene.some_webcam(rng), 1.0, (1, number))


def grey(_: Scene) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((240, 320, 3), 90, np.uint8)


def test_a_scene_is_a_picture_and_its_labels(tmp_path: Path) -> None:
    drawn = made()
    sets.write_scene(tmp_path / "tray-0000.json", drawn, grey)
    told = json.loads((tmp_path / "tray-0000.json").read_text())
    picture = cv2.imread(str(tmp_path / told["file"]))
    assert picture is not None
    assert picture.shape == (240, 320, 3)
    assert told["seed"] == [1, 0]
    assert "not a photograph" in told["note"]
    for die, label in zip(told["dice"], labelled(drawn.dice, drawn.poses, drawn.view), strict=True):
        assert (die["die"], die["value"], die["cocked"]) == (label.die, label.value, label.cocked)
        x, y, wide, high = die["box"]
        assert (x, x + wide) == pytest.approx((label.outline[:, 0].min(), label.outline[:, 0].max()), abs=0.11)
        assert (y, y + high) == pytest.approx((label.outline[:, 1].min(), label.outline[:, 1].max()), abs=0.11)
        assert np.allclose(die["pose"]["turn"], label.pose.turn, atol=1e-4)


def test_a_picture_that_fails_leaves_no_labels(tmp_path: Path) -> None:
    def broken(_: Scene) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        sets.write_scene(tmp_path / "tray-0000.json", made(), broken)
    assert list(tmp_path.glob("*.json")) == []


def test_what_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def draw(seed: int, number: int, *_: object) -> Scene:
        asked.append(number)
        return made(number)

    monkeypatch.setattr(scene, "draw", draw)
    monkeypatch.setattr(light, "picture", lambda drawn, samples: grey(drawn))
    assert len(list(sets.write_set(tmp_path, 1, range(2), []))) == 2
    assert [path.name for path in sets.write_set(tmp_path, 1, range(3), [])] == [f"tray-000{k}.json" for k in range(3)]
    assert asked == [0, 1, 2]
