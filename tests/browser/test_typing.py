"""Typed dice: by number keys alone, a 0 that is 10, and a value that a die has not."""

from __future__ import annotations

import pytest
from playwright.sync_api import APIResponse, Route, expect
from tests.support.screen import Opens, Play

TYPED = [
    ("D4", "4", 4, True, ""),
    ("D4", "5", None, False, "A D4 has no 5; expected 1 to 4."),
    ("D6", "0", None, False, "A D6 has no 0; expected 1 to 6."),
    ("D8", "8", 8, True, ""),
    ("D8", "9", None, False, "A D8 has no 9; expected 1 to 8."),
    ("D10", "0", 10, True, ""),
    ("D10", "10", 10, True, ""),
    ("D10", "1", 1, False, ""),  # a 0 may follow
    ("D10", "2", 2, True, ""),
    ("D10", "11", None, False, "A D10 has no 11; expected 1 to 10."),
    ("D12", "1", 1, False, ""),
    ("D12", "12", 12, True, ""),
    ("D12", "0", None, False, "A D12 has no 0; expected 1 to 12."),
    ("D20", "2", 2, False, ""),
    ("D20", "3", 3, True, ""),
    ("D20", "20", 20, True, ""),
    ("D20", "21", None, False, "A D20 has no 21; expected 1 to 20."),
    ("D6", "", None, False, ""),
    ("D6", "x", None, False, "Type the number that the D6 shows."),
]


@pytest.fixture
def typed(table: Play, opens: Opens) -> object:
    """The page's own module, called in the page."""
    page = opens(table.url("control"))
    module = page.locator("script[type=module]").get_attribute("src")
    assert module
    call = f"async ([die, text]) => (await import('{module.rpartition('/')[0]}/control/typing.js')).typed(die, text)"
    return lambda die, text: page.evaluate(call, [die, text])


def test_what_is_typed(typed: object) -> None:
    assert callable(typed)
    for die, text, value, done, wrong in TYPED:
        assert typed(die, text) == {"value": value, "done": done, "wrong": wrong}, (die, text)


def test_number_keys_and_enter_are_enough(table: Play, opens: Opens) -> None:
    table.set(damage_table=False)
    table.declare({"system": "HEL", "size": 4, "armour": 5, "armour_type": "ablative"})  # D10 D4 against D12 D12
    page = opens(table.url("control"))
    expect(page.locator("input.pip")).to_have_count(4)
    page.keyboard.type("03")  # from the resting page: the first key finds the first die that is owed
    page.keyboard.press("Enter")
    expect(page.locator("input.pip")).to_have_count(2)
    page.keyboard.type("1211")
    expect(page.locator("input.pip").nth(1)).to_have_value("11")
    page.keyboard.press("Enter")
    expect(page.locator(".word")).to_have_text("UNDAMAGED")
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [10, 3, 12, 11]


def test_what_is_typed_while_an_answer_is_on_its_way_stays(table: Play, opens: Opens) -> None:
    """The stream can show the next dice before the throw's own answer comes: a digit lost then makes a 12 a 2."""
    table.set(damage_table=False)
    table.declare({"system": "HEL", "size": 4, "armour": 5, "armour_type": "ablative"})  # D10 D4 against D12 D12
    page = opens(table.url("control"))
    fields = page.locator("input.pip")
    expect(fields).to_have_count(4)
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/throws", lambda route: held.append((route, route.fetch())))
    page.keyboard.type("03")
    page.keyboard.press("Enter")
    expect(fields).to_have_count(2)
    page.keyboard.type("1")
    for route, answer in held:
        route.fulfill(response=answer)
    page.unroute("**/throws")
    expect(page.locator(".entry [type=submit]")).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.type("211")
    expect(fields.nth(1)).to_have_value("11")
    page.keyboard.press("Enter")
    expect(page.locator(".word")).to_be_visible()
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [10, 3, 12, 11]


def test_dice_entered_while_an_answer_is_on_its_way_are_entered_after_it(table: Play, opens: Opens) -> None:
    table.set(damage_table=False)
    table.declare({"system": "HEL", "size": 4, "armour": 5, "armour_type": "ablative"})
    page = opens(table.url("control"))
    fields = page.locator("input.pip")
    expect(fields).to_have_count(4)
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/throws", lambda route: held.append((route, route.fetch())))
    page.keyboard.type("03")
    page.keyboard.press("Enter")
    expect(fields).to_have_count(2)
    page.keyboard.type("1211")
    expect(fields.nth(1)).to_have_value("11")
    page.keyboard.press("Enter")
    for route, answer in held:
        route.fulfill(response=answer)
    page.unroute("**/throws")
    expect(page.locator(".word")).to_be_visible()


def test_a_digit_never_joins_one_that_was_typed_for_another_die(table: Play, opens: Opens) -> None:
    """The page goes on by itself after each face; whoever presses Tab as well must not turn a 1 into a 12."""
    table.declare({"system": "HEL", "size": 5, "armour": 5})  # D12 D4 against D12 D8
    page = opens(table.url("control"))
    fields = page.locator("input.pip")
    fields.first.focus()
    page.keyboard.type("1")
    for digit in "234":
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(digit)
    assert [field.input_value() for field in fields.all()] == ["1", "2", "3", "4"]
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("5")  # no die is left: it is nobody's
    assert [field.input_value() for field in fields.all()] == ["1", "2", "3", "4"]
    page.keyboard.press("Enter")
    expect(page.locator(".word")).to_be_visible()
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [1, 2, 3, 4]


def test_a_one_waits_for_its_second_digit(table: Play, opens: Opens) -> None:
    table.declare({"system": "HEL", "size": 5, "armour": 5})  # D12
    page = opens(table.url("control"))
    first = page.locator("input.pip").first
    first.focus()
    page.keyboard.type("1")
    expect(first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("input.pip").nth(1)).to_be_focused()
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.locator("input.pip")).to_have_count(2)
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [1, 4, None, None]


def test_a_value_the_die_has_not_is_said_and_never_sent(table: Play, opens: Opens) -> None:
    table.declare()
    page = opens(table.url("control"))
    before = table.state()["seq"]
    page.locator("input.pip").first.fill("9")
    expect(page.locator("#entry-says")).to_have_text("A D8 has no 9; expected 1 to 8.")
    expect(page.locator("input.pip").first).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Enter")
    expect(page.locator("input.pip")).to_have_count(4)
    assert table.state()["seq"] == before


def test_what_is_half_typed_survives_what_others_do(table: Play, opens: Opens) -> None:
    table.declare()
    page = opens(table.url("control"))
    page.locator("input.pip").first.fill("5")
    table.set(virtual=True)
    table.throw({"firer effectiveness": 3})  # the field that the keys had gone on to
    expect(page.locator("input.pip")).to_have_count(3)
    expect(page.locator("input.pip").first).to_have_value("5")
    expect(page.locator("input.pip").nth(1)).to_be_focused()


def test_a_die_that_came_another_way_takes_the_field_with_it(table: Play, opens: Opens) -> None:
    table.declare()
    page = opens(table.url("control"))
    page.locator("input.pip").first.fill("5")
    table.throw({"firer size": 2})
    expect(page.locator(".throw[data-slot='firer size'] .numeral")).to_have_text("2")
    page.keyboard.press("Enter")
    expect(page.locator("input.pip")).to_have_count(3)
    assert table.state()["attack"]["slots"][0]["value"] == 2
