"""E-dice on the pages: bound by a press, named, armed on screen, lost and back; a game with them to its outcome."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.support.axe import check
from tests.support.rig import Live, live, wait_for
from tests.support.screen import TALL, Opens, Play, Server

from dicetower.cli.edie import FIRMWARE, built

RED, BLUE = " d 8", " d10"
"""What Red's and Blue's die show when each waits for its size and armour die of the worked attack."""


@pytest.fixture
def dice(tmp_path: Path) -> Iterator[tuple[Live, Live]]:
    build = FIRMWARE / "build"
    build.mkdir(exist_ok=True)
    with (build / ".lock").open("w") as lock:  # one build at a time over all workers
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = built()
    with live([program], tmp_path / "die-1") as one, live([program], tmp_path / "die-2") as two:
        yield one, two


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
