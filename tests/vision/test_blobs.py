"""Spots drawn with known places and shapes are measured to a part of a pixel; edges, lines and noise are no spots."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dicevision import blobs
from dicevision.blobs import Blobs

FINE = 8


def ellipse(at: tuple[float, float], axes: tuple[float, float], turn: float, dark: bool, size: int = 200) -> Any:
    """A grey frame with one ellipse, drawn FINE times larger and averaged down."""
    ground, ink = (200, 40) if dark else (50, 210)
    large = np.full((size * FINE, size * FINE, 3), ground, np.uint8)
    middle = tuple(round(((c + 0.5) * FINE - 0.5) * 16) for c in at)
    half = tuple(round(a * FINE * 16) for a in axes)
    cv2.ellipse(large, middle, half, turn, 0, 360, (ink, ink, ink), -1, cv2.LINE_AA, 4)
    return cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA)


def nearest(found: Blobs, at: tuple[float, float]) -> int:
    assert len(found), "no spot found"
    return int(np.hypot(*(found.xy - at).T).argmin())


def axes_of(shape: Any) -> tuple[float, float]:
    short, long = np.sqrt(np.linalg.eigvalsh(shape))
    return float(long), float(short)


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("radius", [1.8, 3.0, 5.5, 9.0, 16.0, 28.0, 40.0])
def test_discs_of_every_size(radius: float, dark: bool) -> None:
    at = (100.3, 97.6)
    found = blobs.find(ellipse(at, (radius, radius), 0, dark, size=200 if radius < 20 else 480))
    i = nearest(found, at)
    assert np.hypot(*(found.xy[i] - at)) < 0.15 + 0.01 * radius
    assert found.radius[i] == pytest.approx(radius, rel=0.05, abs=0.3)
    assert found.dark[i] == dark
    assert found.clear[i]


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("radius", [3.2, 5.0, 8.0, 13.0, 24.0, 50.0])
def test_discs_of_every_size_in_a_large_frame(radius: float, dark: bool) -> None:
    """Looked for in a picture of half the size, they are measured as exactly as those of a small frame."""
    small = ellipse((120.3, 117.6), (radius, radius), 0, dark, size=240)
    frame = cv2.copyMakeBorder(small, 301, 1080 - 541, 1200, 1920 - 1440, cv2.BORDER_REPLICATE)
    assert max(frame.shape) > blobs.LARGE_PX
    at = (1320.3, 418.6)
    found = blobs.find(frame)
    i = nearest(found, at)
    assert np.hypot(*(found.xy[i] - at)) < 0.15 + 0.01 * radius
    assert found.radius[i] == pytest.approx(radius, rel=0.05, abs=0.3)
    assert found.dark[i] == dark
    assert found.clear[i]


@given(turn=st.floats(0, 180), flat=st.floats(0.6, 1.0), x=st.floats(90, 110), radius=st.floats(5, 14))
def test_ellipses_keep_their_shape(turn: float, flat: float, x: float, radius: float) -> None:
    at = (x, 100.0)
    found = blobs.find(ellipse(at, (radius, radius * flat), turn, dark=True))
    i = nearest(found, at)
    long, short = axes_of(found.shape[i])
    blunted = 0.9 / (radius * flat * flat)  # pixels blunt a tip whose radius of curvature is of their size
    assert long == pytest.approx(radius, abs=0.06 * radius + blunted)
    assert short / long == pytest.approx(flat, abs=0.04 + 0.6 / radius)
    if flat < 0.8:
        way = np.linalg.eigh(found.shape[i])[1][:, 1]
        expected = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
        assert abs(way @ expected) > 0.98


def test_a_highlight_does_not_move_the_edge() -> None:
    frame = ellipse((100, 100), (12, 12), 0, dark=True)
    cv2.circle(frame, (97, 97), 4, (250, 250, 250), -1, cv2.LINE_AA)
    found = blobs.find(frame)
    rows = [i for i in range(len(found)) if found.dark[i] and np.hypot(*(found.xy[i] - 100)) < 2]
    assert rows
    assert found.radius[rows[0]] == pytest.approx(12, abs=0.5)
    assert found.inside[rows[0]].max() < 80  # the pip's colour, not the highlight's


def test_colours_are_those_inside_and_round_it() -> None:
    frame = np.full((200, 200, 3), (30, 60, 200), np.uint8)
    cv2.circle(frame, (100, 100), 10, (240, 230, 220), -1, cv2.LINE_AA)
    found = blobs.find(frame)
    i = nearest(found, (100, 100))
    assert found.inside[i] == pytest.approx([240, 230, 220], abs=6)
    assert found.outside[i] == pytest.approx([30, 60, 200], abs=6)


def test_lines_edges_and_corners_are_no_clear_spots() -> None:
    frame = np.full((200, 200, 3), 200, np.uint8)
    cv2.rectangle(frame, (100, 0), (200, 200), (60, 60, 60), -1)
    cv2.line(frame, (-20, -20), (80, 220), (30, 30, 30), 4, cv2.LINE_AA)
    found = blobs.find(frame)
    assert not found.clear.any() or found.radius[found.clear].min() > 20


def test_noise_alone_gives_hardly_any_clear_spot() -> None:
    frame = np.clip(np.random.default_rng(3).normal(128, 6, (480, 640, 3)), 0, 255).astype(np.uint8)
    assert int(blobs.find(frame).clear.sum()) < 10


def test_hot_pixels_are_taken_out_and_small_spots_stay() -> None:
    plane = np.full((60, 60), 100, np.uint8)
    plane[20, 20], plane[40, 12] = 255, 0
    plane[30:33, 30:33] = 220
    clean = blobs.without_sparks(plane)
    assert clean[20, 20] == clean[40, 12] == 100
    assert clean[31, 31] == 220


def test_colours_are_gathered_from_the_nearest_pixels() -> None:
    rng = np.random.default_rng(5)
    frame = rng.integers(0, 256, (30, 40, 3)).astype(np.uint8)
    x, y = rng.uniform(-9, 49, (4, 7, 50)).astype(np.float32), rng.uniform(-9, 39, (4, 7, 50)).astype(np.float32)
    x[0], y[1] = np.rint(x[0]) + 0.5, np.rint(y[1]) + 0.5  # half way between two: the even one
    column, row = np.clip(np.rint(x).astype(int), 0, 39), np.clip(np.rint(y).astype(int), 0, 29)
    assert np.array_equal(blobs.gather(frame, x, y), frame[row, column])
    assert blobs.gather(frame, x[:0], y[:0]).shape == (0, 7, 50, 3)


@given(st.integers(0, 5), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_places_of_flags_are_numpys_own(rows: int, columns: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((rows, columns)) < 0.3
    for mine, theirs in zip(blobs.places_of(flags), np.nonzero(flags), strict=True):
        assert np.array_equal(mine, theirs)


def test_roots_squared_are_the_shapes() -> None:
    shape = np.array([[[9.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]], np.float32)
    root = blobs.roots(shape)
    assert root @ root == pytest.approx(shape, abs=1e-4)


@given(st.tuples(*[st.floats(-9, 9)] * 4).filter(lambda m: abs(m[0] * m[3] - m[1] * m[2]) > 0.1))
def test_inverses_undo_what_they_are_of(numbers: tuple[float, ...]) -> None:
    matrix = np.array(numbers).reshape(1, 2, 2)
    assert blobs.inverses(matrix) @ matrix == pytest.approx(np.eye(2)[None], abs=1e-9)
    assert blobs.inverses(matrix[0]) @ matrix[0] == pytest.approx(np.eye(2), abs=1e-9)


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9))
def test_half_axes_are_numpys_eigenvalues_and_the_short_ones_vector(a: float, b: float, c: float) -> None:
    root = np.array([[a, b], [b, c]])
    shape = root @ root
    values, vectors = np.linalg.eigh(shape)
    low, high, short = blobs.half_axes2(shape[None])
    assert (low[0], high[0]) == pytest.approx(tuple(values), abs=1e-9)
    if values[1] - values[0] > 1e-3:
        assert abs(float(short[0] @ vectors[:, 0])) == pytest.approx(1, abs=1e-6)


def test_bytes_and_floats_are_blurred_as_cv2_blurs_floats() -> None:
    grain = np.random.default_rng(3).integers(0, 256, (60, 80), np.uint8)
    expected = cv2.GaussianBlur(grain.astype(np.float32), (7, 7), 0.85)
    for picture in (grain, grain.astype(np.float32)):
        found = blobs.blurred(picture, 0.85)
        assert found.dtype == np.float32
        assert found == pytest.approx(expected, abs=1e-3)


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=31))
def test_medians_are_numpys(values: list[float]) -> None:
    row = np.array([values, values[::-1]], np.float32)
    assert blobs.medians(row) == pytest.approx(np.median(row, axis=1), abs=1e-3)


def test_rays_are_sampled_in_each_spots_own_picture() -> None:
    slopes = [np.mgrid[:80, :100][1].astype(np.float32) * 2**k for k in range(2)]  # value: x in pixels of the first
    xy, radius = np.array([[50, 40], [30, 20], [60, 50]], np.float32), np.array([3, 2, 5], np.float32)
    found = blobs.profiles(slopes, np.array([0, 0, 1]), xy, radius)
    assert found.shape == (3, blobs.RAYS, blobs.STEPS)
    assert found[:, :, 0] == pytest.approx(np.repeat(xy[:, :1], blobs.RAYS, axis=1), abs=0.1)
    assert found[:, 0, -1] == pytest.approx(xy[:, 0] + blobs.REACH * radius, abs=0.1)
    assert blobs.profiles(slopes, np.zeros(0, np.intp), xy[:0], radius[:0]).shape == (0, blobs.RAYS, blobs.STEPS)


def test_bands_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    grain = np.random.default_rng(4).uniform(0, 255, (90, 70)).astype(np.float32)
    pictures = np.array([cv2.GaussianBlur(grain, (0, 0), sigma) for sigma in (1.0, 1.4, 2.0)], np.float32)
    whole = blobs.peaks(pictures, 3.0)
    monkeypatch.setattr(blobs, "BAND", 70 * 11)
    for parts, once in zip(blobs.peaks(pictures, 3.0), whole, strict=True):
        assert parts.tolist() == once.tolist()
        assert len(once) > 20


def test_extremes_are_those_that_pixel_by_pixel_comparison_finds() -> None:
    rng = np.random.default_rng(6)
    grain = cv2.GaussianBlur(rng.uniform(0, 255, (61, 46)).astype(np.float32), (0, 0), 0.8)
    pictures = np.array([grain, *(cv2.GaussianBlur(grain, (0, 0), sigma) for sigma in (1.0, 1.7))], np.float32)
    level, x, y, answer = blobs.compact(pictures, *blobs.extremes(pictures, 4.0))
    found = set(zip(level.tolist(), x.tolist(), y.tolist(), answer.tolist(), strict=True))
    off = np.diff(pictures, axis=0)
    assert found == {
        (k, u, v, float(off[k, v, u]))
        for k, v, u in np.ndindex(2, 61, 46)
        if 0 < v < 60 and 0 < u < 45 and extreme(off, k, v, u, 4.0)
    }
    assert len(found) > 20


def extreme(off: NDArray[np.float32], k: int, y: int, x: int, floor: float) -> bool:
    part, other = off[k, y - 1 : y + 2, x - 1 : x + 2], abs(off[1 - k, y, x])
    (nw, n, ne), (w, here, e), (sw, s, se) = part
    bend = np.array([[e + w - 2 * here, (se + nw - sw - ne) / 4], [(se + nw - sw - ne) / 4, s + n - 2 * here]])
    round_enough = np.linalg.det(bend) > 0.06 * np.trace(bend) ** 2
    return bool(abs(here) > floor and abs(here) >= np.abs(part).max() and abs(here) >= 0.8 * other and round_enough)
