"""Crops: where each pixel comes from."""

from __future__ import annotations

import numpy as np
import pytest

from dicevision import crops


def ramp(height: int = 120, width: int = 160) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture whose blue is x and green is y: a crop's pixel tells where it came from."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x, y, np.zeros_like(x)], axis=2).astype(np.uint8)


@pytest.mark.parametrize("step", [0.4, 1.0, 1.2, 1.7])
def test_a_sampled_pixel_comes_from_where_the_affine_says(step: float) -> None:
    to_frame = np.array([[step, 0, 15.0], [0, step, 5.0]])
    side = int(100 / step / 1.1)
    got = crops.sample(ramp(), to_frame, side)
    for x, y in [(2, 3), (side // 2, side // 3), (side - 3, side - 3)]:
        np.testing.assert_allclose(got[y, x, :2], to_frame @ [x, y, 1], atol=1.2)


@pytest.mark.parametrize("turn", [0.4, 2.0, -2.5])
def test_a_turned_crop_that_shrinks_the_frame_comes_from_where_the_affine_says(turn: float) -> None:
    cosine, sine = 2 * np.cos(turn), 2 * np.sin(turn)
    axes = np.array([[cosine, -sine], [sine, cosine]])
    to_frame = np.column_stack([axes, (80, 60) - axes @ (20, 20)])
    got = crops.sample(ramp(), to_frame, 40)
    for x, y in [(20, 20), (12, 24), (25, 30), (30, 12)]:
        np.testing.assert_allclose(got[y, x, :2], to_frame @ [x, y, 1], atol=1.5)


def test_a_crop_that_shrinks_and_reaches_beyond_two_edges_keeps_its_place() -> None:
    got = crops.sample(ramp(), np.array([[3.0, 0, 100.0], [0, 3.0, -30.0]]), 40)
    np.testing.assert_allclose(got[20, 10, :2], (130, 30), atol=2)
    np.testing.assert_allclose(got[2, 38, :2], (159, 0), atol=2)


def test_shrinking_averages_instead_of_skipping() -> None:
    stripes = np.zeros((240, 240, 3), np.uint8)
    stripes[:, ::4] = 255
    got = crops.sample(stripes, np.array([[4.0, 0, 20], [0, 4.0, 20]]), 48)
    assert got.std() < 20
    assert got.mean() == pytest.approx(64, abs=6)


def test_outside_the_frame_the_border_stands_in() -> None:
    frame = np.full((50, 50, 3), 90, np.uint8)
    for to_frame in (np.array([[1.0, 0, -60], [0, 1.0, -60]]), np.array([[5.0, 0, -100], [0, 5.0, 20]])):
        assert (crops.sample(frame, to_frame) == 90).all()


def test_the_whole_crop_holds_the_box_in_its_middle() -> None:
    to_frame = crops.whole_affine((40.0, 30.0, 60.0, 40.0))
    half = (crops.SIDE_PX - 1) / 2
    np.testing.assert_allclose(to_frame @ [half, half, 1], [69.5, 49.5])
    np.testing.assert_allclose(to_frame[0, 0] * crops.SIDE_PX, 75.0)


@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi])
def test_the_discs_middle_and_rim_land_where_they_should(turn: float) -> None:
    disc = np.array([[12.0, 2.0, 50.0], [2.0, 8.0, 60.0]])
    to_frame = crops.disc_affine(disc, turn)
    half = (crops.SIDE_PX - 1) / 2
    np.testing.assert_allclose(to_frame @ [half, half, 1], [50, 60])
    reach = crops.SIDE_PX / 2 / crops.DISC_REACH
    seen = to_frame @ [half + reach, half, 1]
    np.testing.assert_allclose(seen, disc @ [np.cos(turn), np.sin(turn), 1], atol=1e-9)


def test_blob_takes_the_light_away() -> None:
    rng = np.random.default_rng(0)
    crop = rng.integers(40, 120, (1, 72, 72, 3)).astype(np.uint8)
    brighter = (crop * 2).astype(np.uint8)
    tinted = (crop + np.array([0, 50, 10])).astype(np.uint8)
    np.testing.assert_allclose(crops.blob(crop), crops.blob(brighter), atol=1e-5)
    np.testing.assert_allclose(crops.blob(crop), crops.blob(tinted), atol=1e-5)
    flat = crops.blob(np.full((1, 72, 72, 3), 200, np.uint8))
    assert flat.shape == (1, 3, 72, 72)
    assert np.abs(flat).max() == 0


def test_a_place_is_told_in_two_more_planes() -> None:
    pictures = np.random.default_rng(1).normal(0, 1, (2, 3, 4, 5)).astype(np.float32)
    got = crops.with_place(pictures, np.array([[0.1, -0.2], [0.0, 0.4]]))
    assert got.shape == (2, 5, 4, 5)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got[:, :3], pictures)
    for plane, value in zip(got[:, 3:].reshape(4, 20), (0.2, -0.4, 0.0, 0.8), strict=True):
        np.testing.assert_allclose(plane, value, rtol=1e-6)
