"""Which roll answers "press Red's die"."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dicetower.sources.binding import Pressing

X, Y = "00c0ffee00c0ffee", "0000000000000001"


def test_a_roll_made_since_is_a_press_and_one_that_waited_is_none() -> None:
    asked = Pressing({X: 17}, "red", 0)
    assert [asked.is_press(X, roll) for roll in (16, 17, 18, 19)] == [False, False, True, True]


def test_a_die_that_came_since_counts_from_where_it_says_it_stands() -> None:
    asked = Pressing({X: 17}, "red", 0)
    assert not asked.is_press(Y, 5)
    asked.counts_from(Y, 5)
    assert not asked.is_press(Y, 5)
    assert asked.is_press(Y, 6)


@given(st.integers(0, 99), st.lists(st.integers(0, 99)), st.integers(0, 199))
def test_what_was_known_first_stands(first: int, later: list[int], roll: int) -> None:
    asked = Pressing({X: first}, "red", 0)
    for last in later:
        asked.counts_from(X, last)
    assert asked.is_press(X, roll) == (roll > first)
