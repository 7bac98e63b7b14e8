"""For everybody: axe-core on every page and state in both themes, and what a screen reader hears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.support.axe import check
from tests.support.screen import TALL, WIDE, Opens, Play

STATES: dict[str, Callable[[Play], Any]] = {
    "nothing declared": lambda table: None,
    "owed": lambda table: table.declare(),
    "half thrown": lambda table: (table.declare(), table.throw({"firer size": 5, "firer effectiveness": 3})),
    "left over": lambda table: (table.declare(), table.throw_loose("D20", 7)),
    "the D10 is owed": lambda table: table.play([5, 3, 7, 3]),
    "undamaged": lambda table: table.play([3, 2, 9, 6]),
    "destroyed": lambda table: table.play([8, 6, 8, 1]),
    "mobility": lambda table: table.play([5, 3, 7, 3], damage=6),
}
DIALOGS = ["Correct the declaration", "Throw dice again", "Void the attack"]


@pytest.mark.parametrize("page_name", ["control", "display", "overlay"])
def test_axe_finds_nothing(table: Play, opens: Opens, page_name: str) -> None:
    page = opens(table.url(page_name))
    for what, reach in STATES.items():
        reach(table)
        page.reload()
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        if page_name != "overlay" or what != "nothing declared":
            expect(page.locator("#app > *").first).to_be_visible()
        check(page, f"{page_name}: {what}")
        if table.state()["attack"] and table.state()["attack"]["state"] in ("throwing", "damage"):
            table.void()


def test_axe_finds_nothing_in_a_doubt(asking: Play, opens: Opens) -> None:
    for page_name in ("control", "display", "overlay"):
        page = opens(asking.url(page_name))
        expect(page.get_by_text("D6").first).to_be_attached()
        check(page, f"{page_name}: asking")


def test_axe_finds_nothing_in_the_dialogs(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5})
    page = opens(table.url("control"), size=TALL)
    openers = [page.get_by_role("button", name=name) for name in [*DIALOGS, "House rules", "Players"]]
    openers.append(page.get_by_role("button", name="Red size, D8: 5, typed; correct it"))
    openers.append(page.get_by_role("button", name=f"Table {table.name}"))
    for opener in openers:
        opener.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        check(page, page.get_by_role("heading", level=2).last.inner_text())
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_each_die_and_the_outcome_are_spoken_once(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    page = opens(table.url("display"))
    expect(page.locator(".word")).to_be_visible()
    spoken = page.get_by_role("log")
    expect(spoken).to_be_empty()  # nothing on arrival
    table.declare()
    table.throw({"firer size": 5})
    table.throw({"firer effectiveness": 3})
    table.set(virtual=True)  # nothing that a listener needs
    table.throw({"target armour": 7, "target effectiveness": 3})
    table.throw({"damage": 6})
    lines = page.locator("#spoken p")
    expect(lines.last).to_contain_text("Mobility, cannot move.")
    heard = " ".join(lines.all_inner_texts())
    for once in (
        "Red fires at Blue: HKP size 3, medium range, against armour 4.",
        "Red size, D8: 5, typed.",
        "Red effectiveness, D6: 3, typed.",
        "Blue armour, D10: 7, typed.",
        "Blue effectiveness, D8: 3, typed.",
        "Damaged. Red owes D10 damage.",
        "Red damage, D10: 6, typed.",
        "Mobility, cannot move.",
    ):
        assert heard.count(once) == 1, (once, heard)
    page.reload()
    expect(page.locator(".word")).to_be_visible()
    expect(spoken).to_be_empty()


def test_focus_is_seen_wherever_the_keyboard_goes(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5})
    page = opens(table.url("control"))
    expect(page.locator(".tools")).to_be_visible()
    bare = page.screenshot()
    stops = 0
    for _ in range(40):
        page.keyboard.press("Tab")
        where = page.evaluate("document.activeElement === document.body ? null : document.activeElement.outerHTML")
        if where is None:
            break
        stops += 1
        assert page.screenshot() != bare, f"nothing on screen shows the focus on {where[:120]}"
    assert stops >= 12
    for slot in ("firer effectiveness", "target armour", "target effectiveness"):
        expect(page.locator(f"input[data-slot='{slot}']")).to_have_count(1)


def test_motion_is_only_for_those_who_want_it(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5})
    name = "() => getComputedStyle(document.querySelector('.die.is-filled')).animationName"
    for motion, expected in (("reduce", "none"), ("no-preference", "land")):
        page = opens(table.url("display"), motion=motion, size=WIDE)
        expect(page.locator(".die.is-filled").first).to_be_visible()
        assert page.evaluate(name) == expected
