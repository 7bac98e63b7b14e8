"""Putting right: every change is named before it is made, and closing a prompt commits nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.support.screen import Opens, Play, wait_until


def test_undo_is_named_before_it_is_done(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    page = opens(table.url("control"))
    expect(page.locator(".word")).to_have_text("UNDAMAGED")
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog", name="Undo")
    expect(dialog).to_contain_text("This takes back the outcome of attack 1.")
    before = table.state()["seq"]
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert table.state()["seq"] == before
    page.keyboard.press("u")
    dialog.get_by_role("button", name="Undo it").click()
    expect(page.get_by_role("button", name="Resolve with these dice")).to_be_visible()
    assert table.state()["attack"]["state"] == "throwing"


def test_a_misread_die_is_corrected_with_a_reason(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5})
    page = opens(table.url("control"))
    page.get_by_role("button", name="Red size, D8: 5, typed; correct it").click()
    dialog = page.get_by_role("dialog")
    confirm = dialog.get_by_role("button", name="Correct the die")
    dialog.get_by_label("3", exact=True).check()
    expect(confirm).to_have_attribute("aria-disabled", "true")  # no reason yet
    dialog.get_by_label("Typed wrong").check()
    confirm.click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".throw[data-slot='firer size'] .numeral")).to_have_text("3")
    assert table.state()["attack"]["slots"][0]["by_person"]


def test_a_reroll_is_owed_again(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5, "firer effectiveness": 3})
    page = opens(table.url("control"))
    page.get_by_role("button", name="Throw dice again").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Red effectiveness").check()
    dialog.get_by_label("Another reason").fill("fell off the table")
    dialog.get_by_role("button", name="Owe them again").click()
    expect(page.locator(".throw[data-slot='firer effectiveness']")).to_have_attribute("data-state", "owed")
    assert [slot["state"] for slot in table.state()["attack"]["slots"]] == ["filled", "owed", "owed", "owed"]


def test_a_corrected_declaration_says_what_is_kept_and_owed(table: Play, opens: Opens) -> None:
    table.declare()
    table.throw({"firer size": 5, "firer effectiveness": 3})
    page = opens(table.url("control"))
    page.get_by_role("button", name="Correct the declaration").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("HKP, long").check()  # D4 in place of D6
    said = dialog.locator(".says-large")
    expect(said).to_contain_text("D8 size (5) stand")
    expect(said).to_contain_text("Red owes a D4 effectiveness again")
    assert table.state()["attack"]["declared"]["range"] == "medium"
    dialog.get_by_role("button", name="Correct it").click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".brief .title")).to_contain_text("long range")
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [5, None, None, None]


def test_a_correction_opens_on_what_was_declared(table: Play, opens: Opens) -> None:
    """With no request: nothing is corrected yet, nor when what was chosen is put back."""
    table.declare()
    page = opens(table.url("control"))
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status) if "/correction" in answer.url else None)
    page.get_by_role("button", name="Correct the declaration").click()
    dialog = page.get_by_role("dialog")
    declared = "Declared: HKP size 3, medium range, against armour 4. Choose what it should have been."
    expect(dialog.get_by_role("status")).to_have_text(declared)
    confirm = dialog.get_by_role("button", name="Correct it")
    expect(confirm).to_have_attribute("aria-disabled", "true")
    dialog.get_by_label("HKP, long").check()
    expect(dialog.get_by_role("status")).to_contain_text("becomes HKP size 3, long range")
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    dialog.get_by_label("HKP, medium").check()
    expect(dialog.get_by_role("status")).to_have_text(declared)
    expect(confirm).to_have_attribute("aria-disabled", "true")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    assert answers == [200]


def test_a_void_attack_ends_without_an_outcome(table: Play, opens: Opens) -> None:
    table.declare()
    page, display = opens(table.url("control")), opens(table.url("display"))
    page.get_by_role("button", name="Void the attack").click()
    page.get_by_role("dialog").get_by_label("Declared by mistake").check()
    page.get_by_role("dialog").get_by_role("button", name="Void it").click()
    expect(display.locator(".word")).to_have_text("VOID")
    expect(page.locator(".declare")).to_be_visible()


@pytest.mark.parametrize("opener", ["Correct the declaration", "Void the attack", "Throw dice again"])
def test_leaving_a_prompt_commits_nothing(table: Play, opens: Opens, opener: str) -> None:
    table.declare()
    table.throw({"firer size": 5})
    page = opens(table.url("control"))
    before = table.state()["seq"]
    for leave in ("Leave it", "Close"):
        button = page.get_by_role("button", name=opener)
        button.click()
        page.get_by_role("dialog").locator("label.chip, label.face").first.click()
        page.get_by_role("dialog").get_by_role("button", name=leave).click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(button).to_be_focused()
    assert table.state()["seq"] == before


def test_players_are_seated_and_changed(table: Play, opens: Opens) -> None:
    page, display = opens(table.url("control")), opens(table.url("display"))
    page.get_by_role("button", name="Players").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Seat another player").click()
    dialog.get_by_label("Name").fill("Ana")
    dialog.get_by_label("shield").check()
    dialog.get_by_role("button", name="Seat the player").click()
    expect(display.locator(".facing li")).to_have_text(["Red", "Blue", "Ana"])
    dialog.get_by_role("button", name="Change Blue").click()
    dialog.get_by_label("Name").fill("Łukasz")
    dialog.get_by_role("button", name="Save").click()
    expect(display.locator(".facing li").nth(1)).to_have_text("Łukasz")
    ana = table.state()["players"][2]
    assert (ana["name"], ana["shape"], ana["colour"]) == ("Ana", "shield", "#ffd327")  # the first colour left


def test_the_rules_of_the_house_are_set(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    page.get_by_role("button", name="House rules").click()
    dialog = page.get_by_role("dialog")
    for label, key, value in (
        ("takes the standard result", "damage_table", False),
        ("the target", "damage_by", "target"),
        ("all together", "order", "together"),
        ("on: the system may throw, marked VIRTUAL", "virtual", True),
    ):
        choice = dialog.get_by_label(label, exact=True)
        choice.check()
        expect(choice).to_be_checked()
        expect(dialog.get_by_role("alert")).to_have_count(0)
        wait_until(lambda key=key, value=value: table.state()["settings"][key] == value, f"{key} to be {value}")
    dialog.get_by_label("Light").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_fairness_says_not_enough_rolls_until_there_are(table: Play, opens: Opens) -> None:
    table.play([3, 2, 9, 6])
    page = opens(table.url("control"))
    page.get_by_role("button", name="House rules").click()
    page.get_by_role("button", name="Fairness").click()
    dialog = page.get_by_role("dialog", name="Fairness")
    expect(dialog.locator(".fell li").first).to_contain_text("Blue’s D8, typed: 1 roll")
    expect(dialog.locator(".fell li").first).to_contain_text("Not enough rolls: 1 of the 40 that a D8 needs.")
    expect(dialog.get_by_role("img").first).to_have_attribute("aria-label", re.compile("6: 1"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_another_table_is_opened(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    page.get_by_role("button", name=f"Table {table.name}").click()
    dialog = page.get_by_role("dialog", name="Tables")
    expect(dialog.get_by_role("link", name=table.name, exact=True)).to_be_visible()
    dialog.get_by_label("Open another").fill("Not A Name")
    dialog.get_by_role("button", name="Open it").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Open another").fill(f"{table.name}-b")
    dialog.get_by_role("button", name="Open it").click()
    expect(page.get_by_role("button", name=f"Table {table.name}-b")).to_be_visible()


def test_a_refusal_is_one_sentence_on_the_page(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    expect(page.locator(".declare")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("button", name="Red fires at Blue").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("damage", [None, 6], ids=["four dice", "the D10 too"])
def test_an_attack_opened_again_says_what_it_waits_for(table: Play, opens: Opens, damage: int | None) -> None:
    table.set(damage_table=damage is not None)
    table.play([5, 3, 7, 3], damage=damage)
    pages = {name: opens(table.url(name)) for name in ("display", "control", "overlay")}
    expect(pages["display"].locator(".word")).to_be_visible()
    table.post(f"{table.path}/undo", {"confirm": True, "seq": table.state()["seq"]})
    assert table.state()["attack"]["reopened"]
    expect(pages["display"].locator(".say p")).to_have_text(
        ["Opened again: nothing counts yet", "Confirm these dice on the control page, or put them right"]
    )
    expect(pages["display"].locator("#spoken")).to_contain_text("Opened again: nothing counts yet.")
    expect(pages["overlay"].locator(".big")).to_have_text("Opened again: nothing counts yet")
    control = pages["control"]
    expect(control.locator(".standing .now")).to_have_text("Opened again: nothing counts yet")
    expect(control.locator(".standing .next")).to_have_text("Resolve with these dice, or press a die that was misread")
    control.get_by_role("button", name="Resolve with these dice").click()
    expect(pages["display"].locator(".word")).to_be_visible()
    expect(pages["display"].locator(".say")).to_have_count(0)
