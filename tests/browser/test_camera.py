"""The camera's pages in a browser, over a real service and a telephone's camera on loopback that shows renders."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.support.axe import check
from tests.support.clips import scene
from tests.support.mjpeg import Phone, phone
from tests.support.screen import TALL, Opens, Server

from dicetower.sources import tape
from dicetower.sources.camera_profile import Profiles
from dicetower.tapes.replay import replay
from training.trays import DiePose

FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
TWO = DiePose(5, 32, value=2, yaw_deg=75, body="#1f3f93", pips="#f5f1e8")
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("camera")


@pytest.fixture(scope="module")
def telephone() -> Iterator[Phone]:
    with phone(scene(FIVE, THREE), rate=12) as made:
        yield made


@pytest.fixture(scope="module")
def served(folder: Path, telephone: Phone) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        server = Server(folder / "service", "--camera", telephone.url).start()
    yield server
    server.stop()


@pytest.fixture
def live(telephone: Phone) -> Iterator[Phone]:
    """The telephone, sending dice again whatever the last test did."""
    telephone.stalled = False
    telephone.show(scene(FIVE, THREE))
    yield telephone
    telephone.stalled = False


def camera(opens: Opens, served: Server, **more: Any) -> Page:
    page = opens(f"{served.url}/camera", **more)
    expect(page.locator(".dice-list li")).to_have_count(2, timeout=PATIENCE_MS)
    return page


def setup(opens: Opens, served: Server, **more: Any) -> Page:
    page = opens(f"{served.url}/setup", **more)
    expect(page.locator(".corner")).to_have_count(4, timeout=PATIENCE_MS)
    return page


def test_the_picture_its_dice_and_the_state_are_shown(opens: Opens, served: Server, live: Phone) -> None:
    page = camera(opens, served)
    expect(page.locator(".state-name")).to_have_text("Watching")
    expect(page.locator(".read-name")).to_have_text(["D6: 5", "D6: 3"])
    expect(page.locator(".die-tag")).to_have_text(["D6 5", "D6 3"])
    expect(page.get_by_role("img", name="The tray, with D6: 5; D6: 3")).to_be_visible()
    assert page.locator(".frame img").evaluate("image => image.naturalWidth") == 320
    first = page.locator(".frame img").get_attribute("src")
    expect(page.locator(".frame img")).not_to_have_attribute("src", first or "", timeout=PATIENCE_MS)
    check(page, "camera")


def test_a_hidden_tab_asks_for_nothing(opens: Opens, served: Server, live: Phone) -> None:
    page = camera(opens, served)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request("**/api/v1/camera/picture**", timeout=PATIENCE_MS):
        pass
    hide = """hidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.evaluate(hide, True)
    for _ in range(8):  # what was under way ends, on a busy machine later
        asked.clear()
        page.wait_for_timeout(1500)
        if not asked:
            break
    assert asked == []
    page.evaluate(hide, False)
    with page.expect_request("**/api/v1/camera", timeout=PATIENCE_MS):
        pass


def test_this_is_wrong_is_said_by_keyboard_and_kept_as_a_tape(
    opens: Opens, served: Server, live: Phone, folder: Path
) -> None:
    page = camera(opens, served)
    page.get_by_role("button", name="This is wrong about D6: 3").focus()
    page.keyboard.press("Enter")
    check(page, "a correction")
    page.get_by_role("button", name="D6: 4").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Kept as the tape")).to_be_visible(timeout=PATIENCE_MS)
    (made,) = list((folder / "service/journal.corrections").glob("wrong-*"))
    differs = replay(tape.read(made)).differences
    assert "expected D6 4, sure" in str(differs[0])
    page.get_by_role("button", name="Mark a missed die").click()
    expect(page.get_by_role("button", name="Marked place: 50 % from the left, 50 % from the top")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_role("heading", name="A die was missed here")).to_be_visible()
    expect(page.get_by_role("button", name="There is no die here")).to_have_count(0)
    page.get_by_role("radio", name="D8").check(force=True)
    check(page, "a missed die")
    page.get_by_role("button", name="D8: 7").click()
    expect(page.get_by_role("heading", name="A die was missed here")).to_have_count(0, timeout=PATIENCE_MS)
    newest = max((folder / "service/journal.corrections").glob("wrong-*"))
    assert "die 3 of the throw: expected D8 7, sure" in str(replay(tape.read(newest)).differences[0])
    page.get_by_role("button", name="Mark a missed die").click()
    page.mouse.click(*place_of(page, 0))
    expect(page.get_by_role("heading", name="Read here: D6: 5")).to_be_visible()
    page.get_by_role("button", name="There is no die here").click()
    expect(page.get_by_role("heading", name="Read here")).to_have_count(0, timeout=PATIENCE_MS)
    newest = max((folder / "service/journal.corrections").glob("wrong-*"))
    assert tape.read(newest).head.shows == ("an invented die",)


def place_of(page: Page, number: int) -> tuple[float, float]:
    """Where a die that was read lies in the page, pixels."""
    page.locator(".frame").scroll_into_view_if_needed()
    box = page.locator(".frame img").bounding_box()
    assert box is not None
    x, y = page.evaluate("async n => (await (await fetch('/api/v1/camera')).json()).dice[n].at", number)
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def test_each_stage_is_shown_when_it_is_asked_for(opens: Opens, served: Server, live: Phone) -> None:
    page = camera(opens, served)
    page.get_by_role("button", name="Show each stage").click()
    expect(page.locator(".stages li").first).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_function("() => [...document.querySelectorAll('.stages img')].every(image => image.naturalWidth > 0)")


def test_a_stalled_camera_is_a_banner_on_the_camera_page_and_on_the_display(
    opens: Opens, served: Server, live: Phone
) -> None:
    page, display = camera(opens, served), opens(f"{served.url}/display/main")
    live.stalled = True
    expect(page.locator(".banner")).to_contain_text("since", timeout=PATIENCE_MS)
    expect(page.locator(".state-name")).to_have_text("Stalled")
    expect(page.locator(".dice-list li")).to_have_count(0)
    expect(display.locator(".banner")).to_contain_text("Tray camera", timeout=PATIENCE_MS)
    expect(display.locator(".banner")).to_contain_text("since")
    check(page, "stalled")
    live.show(scene(FIVE, THREE, TWO))
    live.stalled = False
    expect(page.get_by_role("heading", name="Thrown while the camera was away?")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".away-dice li > span")).to_have_text("D6: 2")
    expect(display.locator(".banner")).to_contain_text("Dice came into the tray", timeout=PATIENCE_MS)
    check(page, "asking")
    page.get_by_role("button", name="Count it").click()
    expect(page.locator(".away")).to_have_count(0)
    expect(page.locator(".banner")).to_have_count(0, timeout=PATIENCE_MS)
    expect(display.locator(".banner")).to_have_count(0, timeout=PATIENCE_MS)
    (loose,) = page.request.get(f"{served.url}/api/v1/tables/main").json()["unassigned"]
    assert (loose["die"], loose["value"]) == ("D6", 2)


def test_the_tray_is_marked_by_keyboard_and_by_dragging_and_kept(
    opens: Opens, served: Server, live: Phone, folder: Path
) -> None:
    page = setup(opens, served)
    corner = page.get_by_role("button", name="Corner 1:")
    corner.focus()
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("button", name="Corner 1: 10 % from the left, 10 % from the top")).to_be_focused()
    box = page.locator(".frame").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"], box["y"] + box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.9, steps=4)
    page.mouse.up()
    expect(page.get_by_text("The tray is marked.")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_label("Left and right half").check(force=True)
    expect(page.get_by_label("Left half is")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_label("Left half is").select_option("red")
    expect(page.get_by_text("The table knows whose dice fall there.")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_label("Name").fill("kitchen")
    page.get_by_role("button", name="Save the set-up").click()
    expect(page.get_by_text("Kept as kitchen.")).to_be_visible(timeout=PATIENCE_MS)
    check(page, "set up")
    kept = Profiles(folder / "config/dicetower/cameras").load("kitchen")
    assert kept.corners[0] == pytest.approx((0.1, 0.1), abs=0.01)
    assert kept.corners[2] == pytest.approx((0.9, 0.9), abs=0.02)
    assert [zone.name for zone in kept.zones] == ["left half", "right half"]
    page.get_by_role("button", name="Take the whole picture").click()
    expect(page.get_by_text("All of the picture is the tray.")).to_be_visible(timeout=PATIENCE_MS)


SLOW = """const asked = window.fetch;
window.fetch = async (...words) => {
  const answer = await asked(...words);
  if (String(words[0]).endsWith("/api/v1/camera")) await new Promise((go) => setTimeout(go, 1200));
  return answer;
};"""
"""Each answer to "how is the camera?" comes 1.2 s after it was true."""


def test_a_late_answer_takes_back_nothing_that_was_chosen(opens: Opens, served: Server, live: Phone) -> None:
    page = opens("about:blank")
    page.add_init_script(SLOW)
    page.goto(f"{served.url}/setup")
    for choice in ("Upside down", "As it comes"):
        chip = page.get_by_label(choice)
        with page.expect_response("**/api/v1/camera/setup"):
            chip.check(force=True)
        expect(chip).to_be_checked()
        stays = chip.evaluate("""async (chip) => {
          for (let turn = 0; turn < 60; turn += 1) {
            await new Promise((go) => setTimeout(go, 50));
            if (!chip.checked) return false;
          }
          return true;
        }""")
        assert stays, choice


def test_throws_are_tried_without_the_table(opens: Opens, served: Server, live: Phone) -> None:
    page = setup(opens, served)
    page.get_by_role("button", name="Try throws").click()
    expect(page.get_by_text("Nothing reaches the table meanwhile.")).to_be_visible(timeout=PATIENCE_MS)
    live.show(scene())
    expect(page.locator(".state-name")).to_have_text("Watching", timeout=PATIENCE_MS)
    time.sleep(2.0)  # the bare tray settles
    live.show(scene(FIVE))
    expect(page.locator(".tried .read-name")).to_have_text("D6: 5", timeout=PATIENCE_MS)
    page.get_by_role("button", name="Stop trying").click()
    expect(page.get_by_role("button", name="Try throws")).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.parametrize("name", ["camera", "setup", "setup/markers"])
def test_nothing_hangs_over_a_telephones_edge(opens: Opens, served: Server, live: Phone, name: str) -> None:
    page = opens(f"{served.url}/{name}", size=TALL, theme="light")
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_timeout(1000)
    assert page.evaluate("document.documentElement.scrollWidth") <= TALL["width"]
    check(page, name)
