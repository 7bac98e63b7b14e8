"""Rims and surfaces of squares drawn to measure."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from dicevision.surface import Rim, first_steps, rim


def square(half: int, at: tuple[int, int] = (100, 100), body: int = 220, ground: int = 90) -> Any:
    frame = np.full((200, 200, 3), ground, np.uint8)
    cv2.rectangle(frame, (at[0] - half, at[1] - half), (at[0] + half, at[1] + half), (body,) * 3, -1)
    return frame


def look(frame: Any, centre: tuple[float, float] = (100, 100), unit: float = 10) -> Rim:
    return rim(frame, np.array(centre), np.eye(2) * unit, (0.3, 6.0), 10.0, np.zeros((0, 3)))


@pytest.mark.parametrize("half", [16, 22, 30, 40])
def test_half_a_face_is_measured_from_its_middle(half: int) -> None:
    found = look(square(half))
    assert found.half == pytest.approx(half / 10, abs=0.35)
    assert found.closed == 1
    assert found.aside < 1.15
    assert found.marked < 0.02


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
    marks = np.array([[1.5, 1.5, 0.7]])
    found = rim(frame, np.array([100.0, 100.0]), np.eye(2) * 10, (0.3, 6.0), 10.0, marks)
    assert found.half == pytest.approx(3, abs=0.35)


def test_the_border_of_the_frame_is_an_end() -> None:
    assert look(np.full((200, 200, 3), 120, np.uint8), (195, 100)).closed > 0.3


def test_steps_that_do_not_last_are_none() -> None:
    colours = np.full((1, 40, 3), 100.0)
    colours[0, 10:12] = 200
    radii = np.linspace(1, 40, 40)
    assert np.isnan(first_steps(colours, radii, 10.0))[0]
    colours[0, 20:] = 160
    assert first_steps(colours, radii, 10.0)[0] == pytest.approx(20, abs=2)
