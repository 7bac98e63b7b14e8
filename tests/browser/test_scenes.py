"""A result has the screen for its full time, and so has the next; driven with a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.screen import Opens, Play

HOLD = 6000
State = dict[str, Any]
At = Callable[[State, int], list[Any]]


def attack(number: int, state: str = "resolved", final: str = "damaged") -> State:
    outcome = {"final": final, "explanation": "so"} if state == "resolved" else None
    return {"id": f"a{number}", "number": number, "state": state, "outcome": outcome}


def table_at(now: State | None, *before: State) -> State:
    """The table's state with `now` open or just ended, after `before` (oldest first)."""
    ended = [*before, *([now] if now and now["outcome"] else [])]
    return {"attack": now, "last": ended[::-1]}


@pytest.fixture
def at(table: Play, opens: Opens) -> At:
    """`at(state, ms)` answers [number shown, held, until]."""
    page = opens(table.url("overlay"))
    src = page.locator("script[type=module]").get_attribute("src")
    assert src
    module = f"{src.rpartition('/')[0]}/scenes.js"
    page.evaluate(f"async () => {{ window.scenes = new (await import('{module}')).Scenes({HOLD}); }}")
    call = (
        "([state, now]) => { const { attack, held, until } = window.scenes.at(state, now);"
        " return [attack?.number ?? null, held, until]; }"
    )
    return lambda state, now: page.evaluate(call, [state, now])


def test_a_result_stays_its_full_time_while_the_next_is_thrown(at: At) -> None:
    one, two = attack(1), attack(2)
    assert at(table_at(attack(1, "throwing")), 0) == [1, False, None]
    assert at(table_at(one), 100) == [1, False, 100 + HOLD]
    assert at(table_at(attack(2, "throwing"), one), 200) == [1, True, 100 + HOLD]
    assert at(table_at(two, one), 300) == [1, True, 100 + HOLD]
    assert at(table_at(two, one), 100 + HOLD) == [2, False, 100 + 2 * HOLD]
    assert at(table_at(attack(3, "throwing"), one, two), 200 + HOLD) == [2, True, 100 + 2 * HOLD]
    assert at(table_at(attack(3, "throwing"), one, two), 100 + 2 * HOLD) == [3, False, None]


def test_three_results_at_once_are_shown_one_after_another(at: At) -> None:
    at(table_at(None), 0)
    three = table_at(attack(3), attack(1), attack(2))
    shown = [at(three, now)[0] for now in (1, HOLD, HOLD + 1, 2 * HOLD + 1, 3 * HOLD + 1)]
    assert shown == [1, 1, 2, 3, 3]


def test_an_undone_result_leaves_the_screen_at_once(at: At) -> None:
    at(table_at(attack(1, "throwing")), 0)
    at(table_at(attack(1)), 10)
    assert at(table_at(attack(1, "throwing")), 20) == [1, False, None]
    assert at(table_at(attack(1, final="destroyed")), 30) == [1, False, 30 + HOLD]


def test_an_undone_result_in_waiting_is_not_shown(at: At) -> None:
    at(table_at(attack(1, "throwing")), 0)
    at(table_at(attack(1)), 10)
    at(table_at(attack(2), attack(1)), 20)
    assert at(table_at(attack(2, "throwing"), attack(1)), 30) == [1, True, 10 + HOLD]
    assert at(table_at(attack(2, "throwing"), attack(1)), 10 + HOLD) == [2, False, None]


def test_what_was_there_on_arrival_is_not_played_again(at: At) -> None:
    assert at(table_at(attack(4, "throwing"), attack(1), attack(2), attack(3)), 0) == [4, False, None]
    assert at(table_at(attack(4), attack(1), attack(2), attack(3)), 10) == [4, False, 10 + HOLD]


def test_a_result_that_was_there_on_arrival_has_had_its_time(at: At) -> None:
    assert at(table_at(attack(3)), 0) == [3, False, None]
    assert at(table_at(attack(4, "throwing"), attack(3)), 10) == [4, False, None]
