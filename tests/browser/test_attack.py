"""An attack from declaration to outcome, as two pages show it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect
from tests.support.screen import SLOTS, Opens, Play

OUTCOMES = {"DAMAGED": [5, 3, 7, 3], "UNDAMAGED": [3, 2, 9, 6], "DESTROYED": [8, 6, 8, 1]}
DAMAGE = {1: "ESCAPE!", 2: "SYSTEMS DOWN", 6: "MOBILITY", 10: "BOOM!"}


def die(page: Page, slot: str) -> str:
    return page.locator(f".throw[data-slot='{slot}'] .numeral").text_content() or ""


def test_two_pages_follow_one_attack(table: Play, opens: Opens) -> None:
    control, display = opens(table.url("control")), opens(table.url("display"))
    expect(display.locator(".say")).to_have_text("Nothing declared yet")

    control.get_by_label("HKP, medium").check()
    control.get_by_role("group", name="Size class").get_by_label("3").check()
    control.get_by_role("group", name="Target: vehicle, armour").get_by_label("4").check()
    control.get_by_role("button", name="Red fires at Blue").click()
    expect(display.locator(".owed")).to_contain_text("Red owes D8 size, D6 effectiveness")
    expect(control.locator(".standing .now")).to_have_text("Red owes D8 size, D6 effectiveness")
    expect(control.locator("input.pip").first).to_be_focused()

    control.keyboard.type("53")
    control.keyboard.press("Enter")
    expect(display.locator(".owed")).to_contain_text("Blue owes D10 armour, D8 effectiveness")
    assert [die(display, slot) for slot in SLOTS] == ["5", "3", "D10", "D8"]
    expect(display.locator(".throw[data-slot='firer size'] .source")).to_have_text("typed")

    expect(control.locator("input.pip").first).to_be_focused()
    control.keyboard.type("73")
    control.keyboard.press("Enter")
    expect(display.locator(".owed")).to_contain_text("Red owes D10 damage")
    expect(control.locator("input.pip").first).to_be_focused()
    control.keyboard.type("0")  # the face 0 of a D10 is 10
    control.keyboard.press("Enter")
    for page in (control, display):
        expect(page.locator(".word")).to_have_text("BOOM!")
        expect(page.locator(".why")).to_contain_text("rmour 7 beats size 5; effectiveness 3 ties 3")
    assert die(display, "damage") == "10"
    assert table.state()["attack"]["outcome"]["final"] == "destroyed"


def test_each_outcome_has_its_word(table: Play, opens: Opens) -> None:
    display = opens(table.url("display") + "?hold=0.05")
    table.set(damage_table=False)
    for word, values in OUTCOMES.items():
        table.play(values)
        expect(display.locator(".word")).to_have_text(word)
    table.set(damage_table=True)
    for face, word in DAMAGE.items():
        table.play([5, 3, 7, 3], damage=face)
        expect(display.locator(".word")).to_have_text(word)


def test_a_result_keeps_the_screen_while_the_next_attack_is_named(table: Play, opens: Opens) -> None:
    table.declare()
    slow, fast = opens(table.url("display") + "?hold=600"), opens(table.url("display") + "?hold=0.05")
    expect(slow.locator(".owed")).to_be_visible()
    table.throw(dict(zip(SLOTS, [3, 2, 9, 6], strict=True)))
    expect(slow.locator(".word")).to_have_text("UNDAMAGED")
    table.declare({"system": "HEL", "size": 1, "armour": 1})
    expect(fast.locator(".owed")).to_contain_text("Red owes D4 size")
    expect(slow.locator(".meanwhile")).to_have_text("Next: Red owes D4 size, D4 effectiveness.")
    expect(slow.locator(".word")).to_have_text("UNDAMAGED")
    table.throw(dict(zip(SLOTS, [4, 4, 1, 1], strict=True)))
    expect(fast.locator(".word")).to_have_text("DESTROYED")
    expect(slow.locator(".meanwhile")).to_have_text("The next result follows.")
    slow.reload()  # who arrives now sees the present
    expect(slow.locator(".word")).to_have_text("DESTROYED")


def test_infantry_between_two_results_is_undamaged(table: Play, opens: Opens) -> None:
    table.play([6, 4, 5, 5], attack={"system": "firefight", "size": 2, "infantry": "line", "cover": "soft"})
    display = opens(table.url("display"))
    expect(display.locator(".word")).to_have_text("UNDAMAGED")
    expect(display.locator(".track[data-row='1'] .verdict")).to_have_text("6 beats 5: through")
    expect(display.locator(".track[data-row='2'] .verdict")).to_have_text("5 beats 4: stopped")


def test_again_by_one_key(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    control = opens(table.url("control"))
    expect(control.locator(".word")).to_be_visible()
    control.keyboard.press("a")
    expect(control.locator(".standing .now")).to_have_text("Red owes D8 size, D6 effectiveness")
    state = table.state()
    assert (state["attack"]["number"], state["attack"]["state"]) == (2, "throwing")
    assert state["attack"]["declared"]["system"] == "HKP"
    expect(control.locator("input.pip").first).to_be_focused()
    control.keyboard.press("a")  # in a field for dice it is not a digit, and it declares nothing
    expect(control.locator("input.pip").first).to_have_value("")
    assert table.state()["attack"]["number"] == 2


def test_single_keys_can_be_turned_off(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    control = opens(table.url("control"))
    control.get_by_role("button", name="House rules").click()
    control.get_by_role("group", name="Single-key shortcuts").get_by_label("Off").check()
    control.keyboard.press("Escape")
    expect(control.get_by_role("dialog")).to_have_count(0)
    control.keyboard.press("a")
    control.keyboard.press("u")
    expect(control.get_by_role("dialog")).to_have_count(0)
    assert table.state()["attack"]["state"] == "resolved"


def test_a_reload_in_mid_throw_keeps_what_was_thrown(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5})
    control, display = opens(table.url("control")), opens(table.url("display"))
    before = table.state()["seq"]
    for page in (control, display):
        page.reload()
        expect(page.locator(".throw[data-slot='firer size']")).to_have_attribute("data-state", "filled")
    assert die(display, "firer size") == "5"
    expect(control.locator("input.pip")).to_have_count(3)
    assert table.state()["seq"] == before


def test_a_display_opened_late_shows_the_present(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    table.declare({"system": "HEL", "size": 1, "armour": 1})
    display = opens(table.url("display"))
    expect(display.locator(".title")).to_have_text(re.compile("HEL"))
    expect(display.locator(".owed")).to_contain_text("Red owes D4 size, D4 effectiveness")
    expect(display.locator(".last li")).to_have_count(1)


def test_two_dice_of_one_type_are_told_apart_before_the_throw(table: Play, opens: Opens) -> None:
    table.declare({"system": "HKP", "size": 3, "range": "close", "armour": 4})  # D8 and D8
    for page in ("control", "display"):
        expect(opens(table.url(page)).locator(".notes, .why")).to_contain_text(
            "Red’s two D8: left in the tray is size, right is effectiveness; one at a time, size first."
        )


def test_virtual_dice_are_marked_plainly(table: Play, opens: Opens) -> None:
    table.set(virtual=True, damage_table=False)
    table.declare()
    control, display = opens(table.url("control")), opens(table.url("display"))
    button = control.get_by_role("button", name="Let the system throw (virtual)")
    button.click()
    expect(display.locator(".source", has_text="VIRTUAL")).to_have_count(2)
    button.click()
    expect(display.locator(".source", has_text="VIRTUAL")).to_have_count(4)
    expect(display.locator(".die.is-virtual")).not_to_have_count(0)
