"""E-dice on the pages: bound by a press, named, armed on screen, lost and back; a game with them to its outcome."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.support.axe import check
from tests.support.rig import Live, live, wait_for
from tests.support.screen import TALL, Opens, Play, Server

from dicetower.cli.edie import FIRMWARE, built

SLOTS = ("firer size", "firer effectiveness", "target armour", "target effectiveness")
RED, BLUE = " d 8", " d10"
"""What Red's and Blue's die show when each waits for its size and armour die of the worked attack."""


@pytest.fixture
def dice(tmp_path: Path) -> Iterator[tuple[Live, Live]]:
    """The real ELF in the emulator, and the core as a PC program; both in real time."""
    build = FIRMWARE / "build"
    build.mkdir(exist_ok=True)
    with (build / ".lock").open("w") as lock:  # one build at a time over all workers
        fcntl.flock(lock, fcntl.LOCK_EX)
        program, elf = built(), elf_command(build)
    with live(elf or [program], tmp_path / "die-1") as one, live([program], tmp_path / "die-2") as two:
        yield one, two


def elf_command(build: Path) -> list[str | Path]:
    """How the emulator runs the ELF. A developer without the AVR's tools has the PC program twice; CI must not."""
    if shutil.which("avr-gcc") is None or not Path("/usr/include/simavr").is_dir():
        assert os.environ.get("CI") != "true", "gcc-avr and libsimavr-dev are not installed"
        return []
    subprocess.run(["make", "-s", "-C", FIRMWARE, "avr", "sim"], check=True, stdout=subprocess.DEVNULL)
    return [build / "edie-sim", "--elf", build / "avr/edie.elf", "--seed", str(random.randrange(1 << 32))]


@pytest.fixture
def play(dice: tuple[Live, Live], tmp_path: Path) -> Iterator[Play]:
    server = Server(tmp_path / "service", "--edie", str(tmp_path / "die-*"))
    yield Play(server.start(), "main")
    server.stop()


def is_heard(play: Play, count: int) -> bool:
    return [source["state"] for source in play.state()["sources"]] == ["connected"] * count


def bind(page: Page, die: Live, player: str) -> None:
    """Ask for the player's die; press until one is taken: a die just plugged in counts from its first heartbeat on."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=f"Press {player}’s die").click()
    expect(dialog.get_by_role("status")).to_have_text(f"Press {player}’s die now. That roll counts for nothing.")
    die.roll()
    expect(dialog.get_by_role("status")).to_contain_text(f"{player} has e-die")


def armed_and_pressed(display: Page, die: Live, slot: str) -> None:
    """The display asks for the slot's die; it is pressed, and lands."""
    place = display.locator(f'.throw[data-slot="{slot}"]')
    expect(place).to_contain_text("press your die")
    die.roll()
    expect(place).to_contain_text("e-die")


def test_a_game_from_binding_to_the_outcome(dice: tuple[Live, Live], play: Play, opens: Opens) -> None:
    reds, blues = dice
    page, display = opens(play.url("control")), opens(play.url("display"))
    wait_for(lambda: is_heard(play, 2))
    page.get_by_role("button", name="E-dice").click()
    expect(page.get_by_role("dialog").get_by_text("firmware")).to_have_count(2)
    page.wait_for_timeout(1500)  # a heartbeat of each, a second apart
    bind(page, reds, "Red")
    bind(page, blues, "Blue")
    state = play.state()
    assert sorted(die["player"] for die in state["edice"]) == ["blue", "red"]
    assert state["unassigned"] == []
    check(page, "the e-dice")
    page.keyboard.press("Escape")
    play.declare()
    armed_and_pressed(display, reds, "firer size")
    armed_and_pressed(display, blues, "target armour")
    armed_and_pressed(display, reds, "firer effectiveness")
    check(display, "an armed die")
    armed_and_pressed(display, blues, "target effectiveness")
    if play.state()["attack"]["state"] == "damage":
        armed_and_pressed(display, reds, "damage")
    expect(display.locator(".word")).to_be_visible()
    assert play.state()["attack"]["state"] == "resolved"
    assert {slot["source"] for slot in play.state()["attack"]["slots"]} == {"edie"}


def test_a_die_is_named_and_its_loss_is_told_by_whose_it_is(dice: tuple[Live, Live], play: Play, opens: Opens) -> None:
    page, display = opens(play.url("control"), size=TALL), opens(play.url("display"))
    wait_for(lambda: is_heard(play, 2))
    page.get_by_role("button", name="E-dice").click()
    first = page.locator(".edice > li").first
    first.get_by_role("button", name="Name").click()
    page.keyboard.type("Lucky")
    page.keyboard.press("Enter")
    expect(first.locator(".edie-head b")).to_have_text("Lucky")
    first.get_by_role("radio", name="Blue").check()
    expect(first.get_by_role("radio", name="Blue")).to_be_checked()
    check(page, "the e-dice on a phone")
    (die,) = play.state()["edice"]
    assert (die["name"], die["player"]) == ("Lucky", "blue")
    port = next(source["detail"]["port"] for source in play.state()["sources"] if source["detail"]["uid"] == die["uid"])
    lost = next(each for each in dice if str(each.link) == port)
    lost.tell("unplug")
    expect(display.get_by_role("status")).to_contain_text("Blue’s Lucky: Lost since")
    expect(first.locator(".edie-state")).to_contain_text("lost since")
    lost.tell("plug")
    expect(display.get_by_role("status")).to_have_count(0)


def test_a_fair_game_from_the_house_rules_to_verified(dice: tuple[Live, Live], play: Play, opens: Opens) -> None:
    page, display = opens(play.url("control")), opens(play.url("display"))
    wait_for(lambda: is_heard(play, 2))
    house = page.get_by_role("group", name="Fair e-dice")
    page.get_by_role("button", name="House rules").click()
    house.get_by_role("radio", name="on: they commit").check()
    wait_for(lambda: [pledge["state"] for pledge in play.state()["pledges"]] == ["stands"] * 2)
    page.keyboard.press("Escape")
    line = display.locator(".pledged")
    for pledge in play.state()["pledges"]:
        expect(line).to_contain_text(f"has committed to {pledge['commitment'][:8]}")
    play.declare()
    for slot, face in zip(SLOTS, (RED, " d 6", BLUE, " d 8"), strict=True):
        wait_for(partial(any_shows, dice, face))
        armed_and_pressed(display, next(die for die in dice if die.tell("display") == face), slot)
    check(display, "fair e-dice")
    if play.state()["attack"]["state"] == "damage":
        wait_for(partial(any_shows, dice, " d10"))
        armed_and_pressed(display, next(die for die in dice if die.tell("display") == " d10"), "damage")
    page.get_by_role("button", name="House rules").click()
    house.get_by_role("radio", name="off", exact=True).check()
    wait_for(lambda: [pledge["state"] for pledge in play.state()["pledges"]] == ["verified"] * 2)
    rolls = sum(int(pledge["text"].split(" its ")[1].split()[0]) for pledge in play.state()["pledges"])
    assert rolls == len([slot for slot in play.state()["attack"]["slots"] if slot["source"] == "edie"])
    expect(line).to_contain_text("verified. Its seed gives every one of its")


def any_shows(dice: tuple[Live, Live], face: str) -> bool:
    return any(die.tell("display") == face for die in dice)
