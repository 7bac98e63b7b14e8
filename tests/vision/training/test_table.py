"""Drawn tables: the same from the same seed, labels that fit the picture, and targets that fit the labels."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from training.finder import clutter, shards, table
from training.finder.targets import target


def draw(k: int, pipped: float = 0.0) -> table.Table:
    return table.draw(np.random.default_rng((31, k)), pipped=pipped)


@pytest.mark.parametrize("pipped", [0.0, 1.0])
def test_the_same_seed_gives_the_same_table(pipped: float) -> None:
    one, again = draw(3, pipped), draw(3, pipped)
    assert np.array_equal(one.frame, again.frame)
    assert [die.value for die in one.dice] == [die.value for die in again.dice]


def test_tables_have_every_type_and_dice_that_touch_and_some_are_empty() -> None:
    tables = [draw(k) for k in range(40)]
    dice = [die for one in tables for die in one.dice]
    assert {die.die for die in dice} == {"D4", "D6", "D8", "D10", "D100", "D12", "D20"}
    assert any(not one.dice for one in tables)
    near = [
        table.common(a.outline, b.outline) > 0 for one in tables for i, a in enumerate(one.dice) for b in one.dice[:i]
    ]
    assert any(near)
    assert all(0 <= die.seen <= 1 + 1e-6 for die in dice)


def test_an_outline_lies_round_its_die() -> None:
    """Drawn on a plain ground, most of what differs from it lies within the outlines."""
    rng = np.random.default_rng(6)
    size = 200
    picture = np.full((size, size, 3), 0.5, np.float32)
    from training import singles, surface

    thrown = singles.throw(rng, (), die="D12")
    outline = table.lay(rng, picture, thrown, np.array([100.0, 100.0]), 80.0, surface.draw(rng), 1)
    body = np.zeros((size, size), np.uint8)
    cv2.fillPoly(body, [np.rint(outline).astype(np.int32)], 1)
    changed = np.abs(picture - 0.5).max(axis=2) > 0.1
    assert changed[body > 0].mean() > 0.6
    assert np.ptp(outline, axis=0).max() == pytest.approx(80, rel=0.15)
    assert (outline.min(axis=0) + outline.max(axis=0)) / 2 == pytest.approx([100, 100], abs=6)


def test_what_hides_a_die_is_taken_off_it() -> None:
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    back = table.Lying("D6", 1, square, 1.0, True, False)
    front = table.Lying("D6", 1, square + np.array([5, 0], np.float32), 1.0, True, False)
    behind, before = table.covered([back, front])
    assert behind.seen == pytest.approx(0.5)
    assert before.seen == 1.0


def test_a_die_half_out_of_the_picture_is_seen_by_half() -> None:
    square = np.array([[-5, 2], [5, 2], [5, 12], [-5, 12]], np.float32)
    assert table.within(square, (40, 30)) == pytest.approx(0.5)


@pytest.mark.parametrize("thing", clutter.THINGS, ids=lambda thing: thing.__name__)
def test_everything_that_lies_about_can_be_drawn_anywhere(thing: object) -> None:
    assert callable(thing)
    changed = False
    for k in range(6):
        picture = np.full((90, 160, 3), 127, np.uint8)
        thing(np.random.default_rng(k), picture)
        changed |= bool((picture != 127).any())
    assert changed


def test_shards_give_back_what_was_put_in(tmp_path: Path) -> None:
    path = shards.path_of(tmp_path, 7, 0)
    shards.write(path, 7, 0, 6, None)
    shard = shards.load(path)
    tables = [table.draw(np.random.default_rng((7, 0, k))) for k in range(6)]
    assert all(np.array_equal(a, b.frame) for a, b in zip(shard.frames, tables, strict=True))
    for mine, drawn in zip(shard.dice(), tables, strict=True):
        assert [outline.tolist() for outline, _ in mine] == [die.outline.tolist() for die in drawn.dice]


def test_a_die_barely_in_view_teaches_neither_die_nor_none() -> None:
    square = np.array([[-30, 20], [8, 20], [8, 58], [-30, 58]], np.float32)
    told = target([(square, 1.0)], (128, 96))
    assert told.centre.max() == 0
    assert told.weight.max() == 0
    assert told.counts[5:14, 0:2].max() == 0
    assert told.counts[:, 10:].min() == 1


def test_each_die_counts_once_however_large() -> None:
    small = np.array([[10, 10], [20, 10], [20, 20], [10, 20]], np.float32)
    large = np.array([[40, 10], [120, 10], [120, 90], [40, 90]], np.float32)
    told = target([(small, 1.0), (large, 1.0)], (128, 96))
    assert float(told.weight.sum()) == pytest.approx(2)
    assert int((told.centre == 1).sum()) == 2
