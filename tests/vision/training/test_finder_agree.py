"""Which readings on a drawn table count as right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicevision.seek import Found
from training.finder import agree
from training.finder.table import Lying


def a_die(die: str, value: int, x: float, side: float = 80) -> Lying:
    corners = np.array([[x, 100], [x + side, 100], [x + side, 100 + side], [x, 100 + side]], np.float32)
    return Lying(die, value, corners, 1.0, told=True, pips=False)


def found(x: float, side: float) -> Found:
    return Found(0.9, (x, 100 + (80 - side) / 2, side, side), np.zeros((4, 2), np.float32))


class Reading:
    best = ("D8", 3, 0.9)


READING: Any = Reading()
DICE = [a_die("D8", 3, 100), a_die("D8", 4, 200)]


@pytest.mark.parametrize(
    ("x", "side", "right"),
    [
        (100, 80, True),
        (125, 30, True),  # a box round the numeral alone: an eighth of the die
        (225, 30, False),
        (196, 90, False),
        (320, 60, False),
    ],
)
def test_a_reading_is_of_the_die_that_it_lies_on(x: float, side: float, right: bool) -> None:
    assert agree.right(found(x, side), READING, DICE) == right
