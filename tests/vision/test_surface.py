"""Rims and surfaces of squares drawn to measure."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from dicevision.blobs import Blobs
from dicevision.pips import Face
from dicevision.surface import Laid, Rim, first_steps, looks, middles, quantiles, rims

SPAN = (np.array([0.3]), 6.0)


def square(half: int, at: tuple[int, int] = (100, 100), body: int = 220, ground: int = 90) -> Any:
    frame = np.full((200, 200, 3), ground, np.uint8)
    cv2.rectangle(frame, (at[0] - half, at[1] - half), (at[0] + half, at[1] + half), (body,) * 3, -1)
    return frame


def look(frame: Any, centre: tuple[float, float] = (100, 100), unit: float = 10) -> Rim:
    return rims(frame, np.array([centre]), np.eye(2)[None] * unit, SPAN, np.array([10.0]), None)[0]


@pytest.mark.parametrize("half", [16, 22, 30, 40])
def test_half_a_face_is_measured_from_its_middle(half: int) -> None:
    found = look(square(half))
    assert found.half == pytest.approx(half / 10, abs=0.35)
    assert found.closed == 1
    assert found.aside < 1.15
    assert found.marked < 0.02


def test_a_print_on_the_body_is_a_mark_and_no_end() -> None:
    frame = square(30)
    for at in ((114, 100), (86, 100), (100, 114)):
        cv2.circle(frame, at, 1, (60, 60, 60), -1)
    found = look(frame)
    assert found.half == pytest.approx(3, abs=0.35)
    assert 0.05 < found.marked < 0.2
    assert (found.closed, found.aside < 1.15) == (1, True)


def test_off_the_middle_is_seen_to_be_aside() -> None:
    assert look(square(30), (115, 115)).aside > 1.8


def test_an_open_body_is_not_closed() -> None:
    assert look(np.full((200, 200, 3), 120, np.uint8)).closed == 0


def test_a_highlight_is_passed_over() -> None:
    frame = square(30)
    cv2.circle(frame, (112, 104), 3, (255, 255, 255), -1)
    assert look(frame).half == pytest.approx(3, abs=0.35)


def test_slow_shading_is_no_end() -> None:
    frame = square(30, body=0)
    frame[70:131, 70:131] = np.linspace(150, 230, 61).astype(np.uint8)[None, :, None]
    assert look(frame).half == pytest.approx(3, abs=0.35)


def test_own_pips_are_passed_over() -> None:
    frame = square(30)
    cv2.circle(frame, (115, 115), 4, (20, 20, 20), -1)
    marks = np.array([[[1.5, 1.5, 0.7]]])
    found = rims(frame, np.array([[100.0, 100.0]]), np.eye(2)[None] * 10, SPAN, np.array([10.0]), marks)[0]
    assert found.half == pytest.approx(3, abs=0.35)


@pytest.mark.parametrize("marked", [True, False])
def test_many_bodies_are_each_measured_as_if_alone(marked: bool) -> None:
    grain = np.random.default_rng(7).integers(0, 256, (200, 200, 3), np.uint8)
    frame = np.asarray(cv2.GaussianBlur(grain, (0, 0), 3), np.uint8)
    cv2.rectangle(frame, (70, 60), (130, 125), (220, 210, 200), -1)
    rng = np.random.default_rng(8)
    centres, axes = rng.uniform(20, 180, (6, 2)), np.eye(2) * 9 + rng.normal(0, 2, (6, 2, 2))
    floors, starts = rng.uniform(8, 20, 6), rng.uniform(0.3, 2, 6)
    marks = rng.uniform(-1, 1, (6, 2, 3)) if marked else None
    together = rims(frame, centres, axes, (starts, 8.0), floors, marks)
    for k, found in enumerate(together):
        one = slice(k, k + 1)
        own = None if marks is None else marks[one]
        alone = rims(frame, centres[one], axes[one], (starts[one], 8.0), floors[one], own)[0]
        assert found.reach == pytest.approx(alone.reach, nan_ok=True)
        assert (found.near, found.half, found.aside) == pytest.approx((alone.near, alone.half, alone.aside))
        assert (found.closed, found.marked) == pytest.approx((alone.closed, alone.marked))
    assert len({round(found.half, 3) for found in together}) > 2


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.75, 1.0])
def test_quantiles_are_numpys_of_what_is_there(share: float) -> None:
    values = np.sort(np.random.default_rng(3).uniform(0, 9, (4, 11)), axis=1)
    count = np.array([11, 5, 2, 1])
    for row, n in zip(values, count, strict=True):
        row[n:] = np.nan
    expected = [[np.nanquantile(row, each) for row in values] for each in (share, 0.3)]
    assert quantiles(values, count, (share, 0.3)) == pytest.approx(np.array(expected))


def test_the_border_of_the_frame_is_an_end() -> None:
    assert look(np.full((200, 200, 3), 120, np.uint8), (195, 100)).closed > 0.3


def test_steps_that_do_not_last_are_none() -> None:
    colours = np.full((3, 1, 1, 40), 100.0)
    colours[..., 10:12] = 200
    radii, floor = np.linspace(1, 40, 40)[None, None], np.full((1, 1, 1), 10.0)
    assert np.isnan(first_steps(colours, radii, floor))[0, 0]
    colours[..., 20:] = 160
    assert first_steps(colours, radii, floor)[0, 0] == pytest.approx(20, abs=2)


def test_steps_are_those_that_sample_by_sample_comparison_finds() -> None:
    rng = np.random.default_rng(9)
    wide = rng.integers(0, 140, (3, 5, 24, 5)).repeat(8, axis=3) + rng.integers(0, 60, (3, 5, 24, 40))
    colours, floor = wide.astype(np.int16), rng.uniform(40, 120, (5, 1, 1))
    radii = np.linspace(1, 40, 40, dtype=np.float32)[None, None] * np.ones((5, 1, 1), np.float32)
    found = first_steps(colours, radii, floor)
    expected = [[slow_first_step(colours[:, n, ray], float(floor[n, 0, 0])) for ray in range(24)] for n in range(5)]
    assert found == pytest.approx(np.array(expected), nan_ok=True)
    assert 5 < np.isnan(found).sum() < 110
    assert len(np.unique(found[np.isfinite(found)])) > 5


def slow_first_step(colours: NDArray[np.int16], floor: float) -> float:
    pair = (colours[:, 1:].astype(float) + colours[:, :-1]) / 2

    def off(one: int, other: int) -> float:
        one, other = (min(max(k, 0), pair.shape[1] - 1) for k in (one, other))
        return float(np.abs(pair[:, one] - pair[:, other]).max())

    for k in range(pair.shape[1] - 2):
        lasts = all(min(off(k, k + 2 + more), off(k - more, k + 2)) > 0.7 * floor for more in (3, 5))
        if off(k, k + 2) > floor and lasts:
            return k + 3.0
    return math.nan


def test_middles_are_numpys_medians() -> None:
    values = np.random.default_rng(2).uniform(0, 9, (6, 5)).astype(np.float32)
    count = np.array([5, 4, 3, 2, 1, 5])
    expected = [np.median(row[:n].astype(float)) for row, n in zip(values, count, strict=True)]
    assert middles(values, count).tolist() == expected


def test_faces_of_any_values_are_each_looked_at_as_if_alone() -> None:
    rng = np.random.default_rng(5)
    frame = np.asarray(cv2.GaussianBlur(rng.integers(0, 256, (200, 200, 3), np.uint8), (0, 0), 2), np.uint8)
    n = 14
    zero, one, yes = np.zeros(n), np.ones(n), np.ones(n, bool)
    xy, shape, radius = rng.uniform(60, 140, (n, 2)), np.eye(2)[None].repeat(n, 0), rng.uniform(2, 4, n)
    inside, outside = rng.uniform(0, 90, (n, 3)), rng.uniform(120, 255, (n, 3))
    blobs = Blobs(xy, shape, radius, yes, 50 * one, zero, one, inside, outside, zero, yes)
    rows = ([0, 1], [2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13])
    faces = [Face(len(r), np.array(r), np.full(2, 100.0), np.eye(2) * (6 + len(r)), 0.0, 0.0) for r in rows]
    for face, together in zip(faces, looks(frame, blobs, Laid.of(blobs, faces)), strict=True):
        alone = looks(frame, blobs, Laid.of(blobs, [face]))[0]
        for part in ("faintest", "emptiest", "rough", "contrast"):
            assert getattr(together, part) == pytest.approx(getattr(alone, part), rel=1e-5)
        assert together.body == pytest.approx(np.median(blobs.outside[face.pips], axis=0), rel=1e-5)
        assert together.ink == pytest.approx(np.median(blobs.inside[face.pips], axis=0), rel=1e-5)
