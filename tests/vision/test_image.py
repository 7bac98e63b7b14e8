"""What passes for a frame, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicevision.image import LARGEST_PX, SMALLEST_SIDE_PX, BadFrame, checked
from dicevision.read import read


def blank(height: int, width: int) -> Any:
    return np.zeros((height, width, 3), np.uint8)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ([[0]], "numpy array"),
        (None, "NoneType"),
        (np.zeros((60, 60), np.uint8), r"\(60, 60\)"),
        (np.zeros((60, 60, 4), np.uint8), r"\(60, 60, 4\)"),
        (np.zeros((60, 60, 1), np.uint8), r"\(60, 60, 1\)"),
        (np.zeros((60, 60, 3), np.float32), "float32"),
        (np.zeros((60, 60, 3), np.int64), "int64"),
        (np.zeros((0, 0, 3), np.uint8), "at least 32"),
        (blank(SMALLEST_SIDE_PX - 1, 100), "100x31"),
        (np.broadcast_to(np.uint8(0), (LARGEST_PX // 1000 + 1, 1000, 3)), "at most"),
    ],
)
def test_what_is_no_frame_is_refused_with_what_was_expected(frame: Any, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        checked(frame)
    with pytest.raises(ValueError, match=words):
        read(frame)


@pytest.mark.parametrize("size", [(32, 32), (32, 900), (900, 33), (240, 320)])
def test_small_and_narrow_frames_are_read(size: tuple[int, int]) -> None:
    assert read(blank(*size)).dice == ()
    assert read(blank(*size)).size == (size[1], size[0])


def test_a_view_with_gaps_becomes_whole() -> None:
    view = blank(200, 200)[::2, ::2]
    assert checked(view).flags.c_contiguous
    assert checked(view).shape == (100, 100, 3)


def test_a_frame_is_never_changed() -> None:
    frame = np.random.default_rng(0).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    kept = frame.copy()
    read(frame)
    assert (frame == kept).all()
