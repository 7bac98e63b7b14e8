"""The firing table: any attack in at most four actions, and only the choices that its system has."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.screen import TALL, Opens, Play

ACTIONS_MAX = 4
SIZES = itertools.cycle([1, 2, 3, 4, 5])
PLURAL = {"range": "ranges", "armour_type": "armour_types", "cover": "covers"}
UNSAID = {"armour_type": "standard", "cover": "open"}


class Hand:
    """Presses, and counts them."""

    def __init__(self) -> None:
        self.actions = 0

    def press(self, what: Locator) -> None:
        what.click()
        self.actions += 1


def attacks(system: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every condition of one system against every kind of target it has rows for, size and level going round."""
    levels = itertools.cycle(system["armour"] or [None])
    teams = itertools.cycle([team["id"] for team in system["infantry"]] or [None])
    for kind, target in (("vehicle", levels), ("infantry", teams)):
        conditions = system[f"{kind}_conditions"]
        if conditions is None:
            continue
        named = [(key, conditions[plural]) for key, plural in PLURAL.items() if conditions[plural]]
        for values in itertools.product(*(each for _, each in named)):
            said = {key: value for (key, _), value in zip(named, values, strict=True)}
            yield {"system": system["system"], "size": next(SIZES), kind: next(target), **said}


def declare(page: Page, attack: dict[str, Any], system: dict[str, Any]) -> int:
    """Declare as a hand does on the resting page; return how many actions it took."""
    hand = Hand()
    form = page.locator(".declare")
    condition = next((attack[key] for key in PLURAL if key in attack), None)
    label = system["label"][0].upper() + system["label"][1:]
    spoken = {"soft": "soft cover"}.get(str(condition), condition)
    hand.press(form.get_by_label(f"{label}, {spoken}", exact=True))
    hand.press(form.locator(f"input[data-choice='size'][value='{attack['size']}']"))
    target = f"armour {attack['vehicle']}" if "vehicle" in attack else f"infantry {attack['infantry']}"
    hand.press(form.locator(f"input[data-choice='target'][value='{target}']"))
    hand.press(form.get_by_role("button", name="Red fires at Blue"))
    return hand.actions


def expected(attack: dict[str, Any], system: dict[str, Any]) -> dict[str, Any]:
    """What the table must hold: what is usual (standard armour, open ground) is not said unless it must be."""
    kind = "vehicle" if "vehicle" in attack else "infantry"
    needs_cover = system[f"{kind}_conditions"]["needs_cover"]
    said = {key: attack.get(key) for key in PLURAL}
    for key, usual in UNSAID.items():
        if said[key] == usual and not (key == "cover" and needs_cover):
            said[key] = None
    whole = {"system": attack["system"], "size": attack["size"], **said}
    return whole | {"armour": attack.get("vehicle"), "infantry": attack.get("infantry")}


def test_any_attack_takes_at_most_four_actions(table: Play, opens: Opens) -> None:
    systems = table.get("/api/v1/rules")["systems"]
    assert len(systems) == 14
    page = opens(table.url("control"))
    for system in systems:
        for attack in attacks(system):
            expect(page.locator(".declare")).to_be_visible()
            assert declare(page, attack, system) <= ACTIONS_MAX, attack
            expect(page.locator(".standing")).to_be_visible()
            assert table.state()["attack"]["declared"] == expected(attack, system)
            table.void()


def test_a_system_offers_its_own_choices_and_no_others(table: Play, opens: Opens) -> None:
    rules = table.get("/api/v1/rules")
    page = opens(table.url("control"))
    expect(page.locator(".declare")).to_be_visible()
    for system in rules["systems"]:
        row = page.locator(f".weapon[data-key='{system['system']}']")
        conditions = [system[kind] for kind in ("vehicle_conditions", "infantry_conditions") if system[kind]]
        values = {value for each in conditions for plural in PLURAL.values() for value in each[plural]}
        offered = row.locator("input").evaluate_all("all => all.map(one => one.value.split(' ').slice(2).join(' '))")
        assert set(offered) == values, system["system"]
        row.locator("input").first.check()
        targets = page.locator("input[data-choice='target']").evaluate_all("all => all.map(one => one.value)")
        teams = [f"infantry {team['id']}" for team in system["infantry"]]
        assert targets == [f"armour {level}" for level in system["armour"]] + teams
        expect(page.get_by_role("group", name=system["size_label"].capitalize())).to_be_visible()


def test_printed_effectiveness_and_odds_have_two_names(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    page.get_by_label("RFAC, medium").check()  # D4 against D8
    page.locator("input[data-choice='size'][value='3']").check()
    page.locator("input[data-choice='target'][value='armour 3']").check()
    preview = page.locator(".preview")
    expect(preview.locator(".printed")).to_contain_text("Printed effectiveness 50\u00a0%")
    odds = preview.get_by_label("Exact odds, four dice")
    expect(odds).to_contain_text("77/256")  # RULINGS.md, worked results
    expect(odds).to_contain_text("30.1\u00a0%")
    expect(odds).not_to_contain_text("50")
    after = preview.get_by_label("Exact odds, after the D10")
    for fraction in ("113/320", "67/320", "201/1280", "359/1280"):
        expect(after).to_contain_text(fraction)
    expect(preview.locator(".planned")).to_have_count(4)


def test_ineffective_is_said_beside_the_dice(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    page.get_by_label("HEF, dug-in").check()
    expect(page.locator(".preview .printed")).to_contain_text("ineffective")
    expect(page.locator(".preview .planned svg[data-die='D20']")).to_have_count(1)


def test_three_players_fire_at_whom_they_like(table: Play, opens: Opens) -> None:
    table.post(f"{table.path}/players", {"name": "Yellow"})
    page = opens(table.url("control"), size=TALL)
    expect(page.locator(".fire button")).to_have_count(6)
    page.get_by_role("button", name="Yellow fires at Red").click()
    expect(page.locator(".standing .now")).to_contain_text("Yellow owes")
    attack = table.state()["attack"]
    assert (attack["firer"], attack["target"]) == ("yellow", "red")


@pytest.mark.parametrize("keys", [["Tab", "ArrowRight", "ArrowRight"]])
def test_the_firing_table_is_one_stop_of_the_tab_key(table: Play, opens: Opens, keys: list[str]) -> None:
    page = opens(table.url("control"))
    page.get_by_label("HEL, standard").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("HEL, ablative")).to_be_checked()
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.dataset.choice")
    assert focused == "size"
