"""The recordings of the real firmware: each plays as expected, and shows the field failure it is named for."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dicetower.sources import tape
from dicetower.tapes.replay import replay

SERIAL = Path(__file__).parents[2] / "fixtures/serial"
NAMES = sorted(path.name for path in SERIAL.iterdir())
HKP = ["firer size", "firer effectiveness", "target armour", "target effectiveness"]


@cache
def results(name: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads((SERIAL / name / "expected.json").read_text())["results"]
    return made


def slots(name: str) -> list[str | None]:
    """Where each die went, in the order in which they came; None for none."""
    return [die.get("slot") for result in results(name) for die in result.get("dice", [])]


def notices(name: str) -> list[str]:
    return [kind for result in results(name) for kind in result.get("notices", [])]


def phases(name: str) -> list[str]:
    return [f"{port['port']}: {port['phase']}" for result in results(name) for port in result.get("ports", [])]


def test_there_are_enough_of_them() -> None:
    assert len(NAMES) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_expected(name: str) -> None:
    assert replay(tape.read(SERIAL / name)).ok


@pytest.mark.parametrize("name", ["all-is-well", "boot-noise", "modem-probe", "cut-lines", "repeated-lines"])
def test_a_whole_attack_in_spite_of_it(name: str) -> None:
    assert slots(name) == HKP


@pytest.mark.parametrize(
    ("name", "unasked"), [("opening-resets", 1), ("nobody-asked", 1), ("rolled-while-unplugged", 3)]
)
def test_what_nobody_asked_for_fills_no_slot(name: str, unasked: int) -> None:
    assert slots(name)[:unasked] == [None] * unasked
    assert None not in slots(name)[unasked:]


@pytest.mark.parametrize("name", ["flipped-bits", "lost-lines"])
def test_what_was_rolled_before_it_was_armed_is_left_to_a_person(name: str) -> None:
    assert len(slots(name)) == 4
    assert [slot for slot in slots(name) if slot] == HKP[: 4 - slots(name).count(None)]


def test_a_roll_that_waited_through_a_restart_comes_once_and_late() -> None:
    assert slots("reset-in-mid-resend") == [None, "firer size"]
    assert notices("reset-in-mid-resend").count("identified") == 2


def test_lost_acknowledgements_make_no_second_roll() -> None:
    assert slots("acknowledgements-lost") == ["firer size"]


def test_carrying_is_no_roll() -> None:
    assert "handling" in notices("carried")
    assert slots("carried") == ["firer size"]


def test_sixteen_wait_and_the_seventeenth_is_a_new_press() -> None:
    assert slots("full") == [None] * 17


def test_failing_noise_is_a_fault_on_screen() -> None:
    assert "fault" in notices("noise-fails")
    assert "die: fault" in phases("noise-fails")


def test_a_roll_cut_off_by_power_is_named_and_its_number_missing() -> None:
    assert {"torn", "gap"} <= set(notices("power-cut-in-a-write"))
    assert len(slots("power-cut-in-a-write")) == 2


def test_the_same_die_under_another_name() -> None:
    assert phases("another-name")[-1] == "die-again: connected"
    assert slots("another-name") == ["firer size", "firer effectiveness"]


def test_a_port_with_noise_alone_is_not_identified_until_the_die_answers() -> None:
    assert phases("nobody-answers") == ["die: opened, not identified", "die: connected"]
    assert slots("nobody-answers") == []


def test_a_fair_game_goes_on_through_a_restart() -> None:
    assert slots("fair-game") == HKP + HKP
    assert notices("fair-game").count("identified") == 2


def test_an_echo_is_told_and_ignored() -> None:
    assert notices("modem-probe").count("echo") == 1
