"""Scenes that the judge learns from: faces are where they are drawn, candidates are called what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dicevision.judge import CLASSES, COCKED, NONE, SIDE, SIDE_PX
from training.faces import litter, scatter, shards, tries
from training.faces.truth import UNKNOWN, Truth, called, truths
from training.trays import geometry
from training.trays.model import Camera, DiePose

LEVEL = Truth(np.array([100.0, 80.0], np.float32), np.eye(2, dtype=np.float32) * 10, 3)
STEEP = Truth(np.array([100.0, 95.0], np.float32), np.array([[10, 0], [0, 3]], np.float32), SIDE)


@pytest.mark.parametrize(
    ("centre", "half", "name"),
    [
        ((100, 80), 10, 3),
        ((102, 79), 12, 3),
        ((104, 80), 10, UNKNOWN),
        ((100, 80), 17, UNKNOWN),
        ((100, 80), 25, NONE),
        ((107, 80), 10, NONE),
        ((100, 95), 10, SIDE),
        ((100, 97), 10, NONE),
        ((10, 10), 10, NONE),
    ],
)
def test_a_candidate_is_called_by_the_face_under_it(centre: tuple[int, int], half: float, name: int) -> None:
    assert called(np.array(centre, float), half, [LEVEL, STEEP]) == name


def seen_from(tilt_deg: float, leans: float = 0.0) -> list[Truth]:
    camera = Camera(320, 240, view_mm=110, tilt_deg=tilt_deg)
    die = geometry.place(DiePose(0, 0, 5, yaw_deg=30, tilt_deg=leans))
    return truths(geometry.look(camera), die, np.ones((240, 320), np.uint8), 1)


def test_from_above_only_the_top_is_seen() -> None:
    (only,) = seen_from(0)
    assert CLASSES[only.label] == "5"
    assert only.centre == pytest.approx([160, 120], abs=0.5)
    assert only.half == pytest.approx(8 * 320 / 110 * 450 / (450 - 16), rel=0.01)


def test_from_the_side_two_more_faces_are_seen_below_it() -> None:
    top, *sides = sorted(seen_from(50), key=lambda face: face.label)
    assert (top.label, [face.label for face in sides]) == (4, [SIDE, SIDE])
    assert all(face.centre[1] > top.centre[1] for face in sides)


def test_a_leaning_die_has_no_top() -> None:
    assert {face.label for face in seen_from(50, leans=25)} == {COCKED, SIDE}


def test_a_face_behind_something_teaches_nothing() -> None:
    camera = Camera(320, 240, view_mm=110)
    owner = np.full((240, 320), 2, np.uint8)
    (only,) = truths(geometry.look(camera), geometry.place(DiePose(0, 0, 5)), owner, 1)
    assert only.label == UNKNOWN


def test_pips_are_drawn_where_the_truth_has_the_face() -> None:
    """On a die drawn alone, unlit by chance, the middle of a five or an ace is ink and a corner of the face is body."""
    rng = np.random.default_rng(8)
    camera = Camera(scatter.WIDTH, scatter.HEIGHT, view_mm=90, tilt_deg=40)
    view, make = geometry.look(camera), scatter.some_make(rng)
    for value, ink in ((1, True), (4, False), (5, True)):
        die = geometry.place(DiePose(0, 0, value, yaw_deg=25, roundness=0.1))
        near = scatter.lit(rng, view, make, die, np.array([0, 0, 1.0], np.float32), np.zeros(2, int), (720, 960), 200)[
            1
        ]
        (top,) = [f for f in truths(view, die, np.ones((scatter.HEIGHT, scatter.WIDTH), np.uint8), 1) if f.label < SIDE]
        x, y = np.rint(top.centre * scatter.FINER).astype(int)
        assert (near[y, x] > 0.5) == ink


def test_the_same_seed_gives_the_same_scene() -> None:
    one, other = (scatter.draw(np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(one.frame, other.frame)
    assert [f.label for f in one.faces] == [f.label for f in other.faces]


@pytest.mark.parametrize("thing", [*dict.fromkeys(litter.THINGS), litter.cloth])
def test_everything_that_lies_about_can_be_seen(thing: Callable[[np.random.Generator, litter.Canvas], None]) -> None:

    bare = np.full((120, 160, 3), 90, np.uint8)
    changed = []
    for seed in range(6):
        picture = bare.copy()
        thing(np.random.default_rng(seed), picture)
        changed.append(not np.array_equal(picture, bare))
    assert any(changed)


@pytest.mark.parametrize("source", ["scatter", "trays"])
def test_a_scene_gives_candidates_of_every_sort(source: shards.Source) -> None:
    make, _ = shards.SOURCES[source]
    cuts = tries.join([make(np.random.default_rng([2, k])) for k in range(2)])
    assert cuts.pictures.shape == (len(cuts.labels), SIDE_PX, SIDE_PX, 3)
    assert (cuts.labels < SIDE).any()
    assert (cuts.labels == NONE).any()
    assert cuts.labels.min() >= 0


def test_a_shard_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shards.SOURCES, "scatter", (tries.scattered, 2))
    path = shards.shard(tmp_path, "scatter", 5, 0)
    first = path.stat().st_mtime_ns
    assert shards.shard(tmp_path, "scatter", 5, 0).stat().st_mtime_ns == first
    again = shards.load(path)
    assert (again.labels == NONE).sum() <= (again.labels != NONE).sum()


def test_specks_spoil_some_frames_only() -> None:
    grey = np.full((40, 40, 3), 128, np.uint8)
    spoilt = [bool((scatter.specked(np.random.default_rng(k), grey.copy()) != 128).any()) for k in range(60)]
    assert 0 < sum(spoilt) < 30
