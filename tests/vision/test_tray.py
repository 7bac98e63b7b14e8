"""The tray in the picture: what of a frame is its, which way up, how large, and what lies on it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicevision import settle, tray
from dicevision.tray import BadTray, Empty, Tray, Zone, find_markers, marker

FRAME = np.arange(100 * 200 * 3, dtype=np.uint32).reshape(100, 200, 3).astype(np.uint8)


def test_the_whole_picture_is_a_tray_unless_corners_say_otherwise() -> None:
    assert np.array_equal(Tray().picture(FRAME), FRAME)
    cut = Tray(((0.25, 0.5), (0.75, 0.5), (0.75, 1.0), (0.25, 1.0))).picture(FRAME)
    assert np.array_equal(cut, FRAME[50:100, 50:150])


@settings(max_examples=30)
@given(st.integers(0, 3), st.tuples(*[st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95))] * 3))
def test_corners_land_on_the_same_pixels_whichever_way_it_is_turned(
    turn: int, corners: tuple[tray.Corner, ...]
) -> None:
    try:
        made = Tray(corners, turn)
    except BadTray:
        return
    whole = np.zeros((120, 160, 3), np.uint8)
    for k, (x, y) in enumerate(corners):
        whole[max(0, int(y * 120) - 1) : int(y * 120) + 2, max(0, int(x * 160) - 1) : int(x * 160) + 2, k] = 255
    picture, outline = made.picture(whole), made.outline(whole)
    high, wide = picture.shape[:2]
    for k, (x, y) in enumerate(outline):
        near = picture[max(0, int(y * high) - 1) : int(y * high) + 2, max(0, int(x * wide) - 1) : int(x * wide) + 2]
        assert near[..., k].max() == 255


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"corners": ((0.0, 0.0), (1.0, 1.0))}, "3 to 12 corners; got 2"),
        ({"corners": ((0.0, 0.0), (1.5, 0.0), (1.0, 1.0))}, "lie in the picture"),
        ({"corners": ((0.0, 0.0), (float("nan"), 0.0), (1.0, 1.0))}, "lie in the picture"),
        ({"corners": ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0))}, "cross each other"),
        ({"corners": ((0.0, 0.0), (0.1, 0.0), (0.1, 0.1))}, "too small"),
        ({"turn": 5}, "quarters; got 5"),
        ({"width_mm": 4.0}, "20 to 3000 mm wide"),
    ],
)
def test_what_is_no_tray_says_why(given_: dict[str, object], says: str) -> None:
    with pytest.raises(BadTray, match=says):
        Tray(**given_)  # type: ignore[arg-type] # wrong on purpose


def test_a_measured_edge_gives_the_scale() -> None:
    corners = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
    assert Tray(corners, width_mm=320).px_per_mm(np.zeros((480, 640, 3), np.uint8)) == pytest.approx(1.6)
    assert Tray(corners).px_per_mm(FRAME) is None


def test_zones_name_places() -> None:
    left = Zone("left half", ((0, 0), (0.5, 0), (0.5, 1), (0, 1)))
    right = Zone("right half", ((0.5, 0), (1, 0), (1, 1), (0.5, 1)))
    made = Tray(zones=(left, right))
    assert made.zone_of((0.2, 0.9)) == "left half"
    assert made.zone_of((0.8, 0.1)) == "right half"
    assert Tray(zones=(left,)).zone_of((0.8, 0.1)) is None


def with_markers(numbers: tuple[int, ...] = tray.MARKER_IDS) -> np.ndarray:
    frame = np.full((480, 640, 3), 190, np.uint8)
    places = [(20, 20), (540, 30), (530, 370), (25, 360)]
    for number, (x, y) in zip(numbers, places, strict=False):
        frame[y : y + 80, x : x + 80] = cv2.resize(marker(number, 60), (80, 80), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(frame, (3, 3), 0.7)


def test_printed_markers_give_the_tray_that_lies_between_them() -> None:
    corners = find_markers(with_markers())
    assert corners is not None
    expected = [(90 / 640, 90 / 480), (550 / 640, 100 / 480), (540 / 640, 380 / 480), (95 / 640, 370 / 480)]
    assert np.allclose(corners, expected, atol=0.01)


def test_three_markers_or_none_are_no_tray() -> None:
    assert find_markers(with_markers((0, 1, 2))) is None
    assert find_markers(np.zeros((100, 100, 3), np.uint8)) is None


def test_what_lies_on_an_empty_tray_is_seen_whatever_the_light() -> None:
    bare = np.full((120, 160, 3), 100, np.uint8)
    laid = bare.copy()
    laid[40:70, 60:90] = 30
    empty = Empty(settle.small(bare))
    noise = np.full((120, 160), 0.005, np.float32)
    for light in (0.7, 1.0, 1.3):
        covered = empty.covered(settle.small((laid * light).astype(np.uint8)), noise)
        assert covered[45:65, 65:85].all()
        assert not covered[:30].any()
        assert not empty.covered(settle.small((bare * light).astype(np.uint8)), noise).any()
    assert not empty.covered(settle.small(np.zeros((50, 160, 3), np.uint8)), noise[:50]).any()
