"""Rendered trays as the finder learns from them: whole and in parts, outlines where the dice are."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from training.finder import table
from training.physical import tables

SIZE = (960, 720)


def write_tray(folder: Path, corner: tuple[int, int], seen: float = 1.0) -> Path:
    """A grey tray with one red square 90 pixels wide, labelled as a die."""
    x, y = corner
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    picture[y : y + 90, x : x + 90] = (0, 0, 255)
    cv2.imwrite(str(folder / "tray-0000.png"), picture)
    outline = [[x, y], [x + 90, y], [x + 90, y + 90], [x, y + 90]]
    die = {"die": "D6", "value": 3, "shows": 3, "seen": seen, "outline": outline}
    path = folder / "tray-0000.json"
    path.write_text(json.dumps({"seed": [7, 0], "dice": [die]}))
    return path


def red_in(frame: np.ndarray) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what is red."""
    y, x = np.nonzero((frame[..., 2] > 180) & (frame[..., 1] < 60))
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def test_outlines_lie_on_the_dice_whole_and_in_parts(tmp_path: Path) -> None:
    views = list(tables.views(write_tray(tmp_path, (430, 310))))
    assert len(views) == 1 + tables.CLOSER
    assert all(one.frame.shape == (table.SIZE[1], table.SIZE[0], 3) for one in views)
    assert len(views[0].dice) == 1
    for one in views:
        for die in one.dice:
            if die.seen > 0.99:
                low, high = die.outline.min(axis=0), die.outline.max(axis=0)
                assert (*low, *high) == pytest.approx(red_in(one.frame), abs=1.5)


def test_what_a_part_cuts_off_is_less_seen(tmp_path: Path) -> None:
    path = write_tray(tmp_path, (0, 0), seen=0.9)
    die = tables.lying(json.loads(path.read_text())["dice"][0])
    picture = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    (cut,) = tables.view(picture, (die,), np.array([45.0, 0.0]), 0.5).dice
    assert cut.seen == pytest.approx(0.5, abs=0.02)
    assert tables.view(picture, (die,), np.array([300.0, 300.0]), 0.5).dice == ()


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    path = write_tray(tmp_path, (100, 100))
    path.with_suffix(".png").unlink()
    with pytest.raises(ValueError, match=r"tray-0000\.json"):
        list(tables.views(path))


def test_a_folder_becomes_one_shard(tmp_path: Path) -> None:
    write_tray(tmp_path, (430, 310))
    shard = tables.of(tmp_path)
    assert len(shard.frames) == 1 + tables.CLOSER
    assert len(shard.dice()[0]) == 1
