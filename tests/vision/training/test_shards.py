"""Renders kept on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dicevision.crops import SIDE_PX, whole_affine
from training import shards
from training.singles import render


def test_a_shard_depends_on_its_seed_and_number_alone() -> None:
    first, again, other = shards.make(4, 0, 3, ()), shards.make(4, 0, 3, ()), shards.make(4, 1, 3, ())
    for name in ("whole", "shape", "geometry", "face", "labels", "away"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.whole, other.whole)


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    paths = shards.make_all(tmp_path, 4, 2, 2, None, 1)
    before = paths[0].stat().st_mtime_ns
    expected = paths[1].read_bytes()
    paths[1].unlink()
    shards.make_all(tmp_path, 4, 2, 2, None, 1)
    assert paths[0].stat().st_mtime_ns == before
    assert paths[1].read_bytes() == expected
    assert shards.load(paths[1]).whole.shape == (2, shards.WHOLE_PX, shards.WHOLE_PX, 3)


def test_classes_are_every_value_of_every_die_once() -> None:
    assert len(shards.CLASSES) == len(set(shards.CLASSES)) == 4 + 6 + 8 + 10 + 12 + 20 + 10


def test_geometry_is_the_disc_in_the_crops_own_units() -> None:
    one = render(np.random.default_rng(3))
    to_frame = whole_affine(one.box)
    x, y, xx, xy, yy = shards.geometry_of(one.top.disc, to_frame)
    half = (SIDE_PX - 1) / 2
    for u in np.array([[0, 0], [1, 0], [0, 1], [-0.6, 0.8]]):
        in_crop = half + SIDE_PX / 2 * (np.array([x, y]) + np.array([[xx, xy], [xy, yy]]) @ u)
        np.testing.assert_allclose(to_frame @ [*in_crop, 1], one.top.disc @ [*u, 1], atol=1e-6)


def test_photographs_come_beside_renders_and_small_sets_more_often() -> None:
    renders, few = shards.make(4, 0, 3, ()), tops_of(shards.make(4, 1, 2, ()))
    both = shards.joined(renders, [few])
    assert len(both.whole) == len(both.shape) == len(both.away) == 3 + shards.LEAST_DICE
    np.testing.assert_array_equal(both.geometry[:3], renders.geometry)
    np.testing.assert_array_equal(both.whole[[3, 4, 5, -1]], few.whole[[0, 1, 0, 1]])
    times = shards.LEAST_DICE // 2 * shards.FACES_A_DIE
    assert len(both.face) == len(both.labels) == len(renders.face) + times * len(few.face)
    for k in range(len(few.face)):
        alike = (both.face == few.face[k]).all(axis=(1, 2, 3))
        assert alike.sum() == times
        assert (both.labels[alike] == few.labels[k]).all()


def tops_of(shard: shards.Shard) -> shards.Shard:
    """Only the top faces: a photograph has no others that are labelled."""
    count = len(shard.whole)
    return replace(shard, face=shard.face[:count], labels=shard.labels[:count])


def test_faces_of_rendered_trays_count_once_a_repeat() -> None:
    """They come with their side faces, as the drawn ones do."""
    renders, tray = shards.make(4, 0, 3, ()), shards.make(4, 2, 4, ())
    assert len(tray.face) >= 2 * len(tray.whole)
    both = shards.joined(renders, [tray])
    assert len(both.face) == len(renders.face) + shards.LEAST_DICE // 4 * len(tray.face)


def test_no_photographs_change_nothing() -> None:
    renders = shards.make(4, 0, 2, ())
    alone = shards.joined(renders, [])
    for name in shards.NAMES:
        np.testing.assert_array_equal(getattr(alone, name), getattr(renders, name))
