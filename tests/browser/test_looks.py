"""What can be measured of the looks: nothing overflows, words fill the width and can be read at three metres."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, Route, ViewportSize, expect
from tests.support.axe import check
from tests.support.screen import TALL, WIDE, Opens, Play, Server

CAP_HEIGHT = 0.686
"""Of Archivo: height of a capital as a share of the font size (its OS/2 table)."""

READABLE_PX = 38
"""Capitals of 14 mm, 16 minutes of arc at 3 m (ISO 9241-303, least character height), on a 32-inch 1080p screen."""

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
TABLET: ViewportSize = {"width": 820, "height": 1180}
SMALL: ViewportSize = {"width": 1280, "height": 720}
NOBODY = "http://127.0.0.1:9/video"
"""The discard port: no camera answers there, so every page has the camera's banner."""

LONG = {"system": "close-assault", "size": 5, "infantry": "powered", "cover": "dug-in"}
STATES: dict[str, Callable[[Play], Any]] = {
    "nothing declared": lambda table: None,
    "owed": lambda table: table.declare(LONG),
    "left over": lambda table: (table.declare(LONG), table.throw_loose("D20", 17)),
    "the D10 is owed": lambda table: table.play([5, 3, 7, 3]),
    "systems down": lambda table: table.play([5, 3, 7, 3], damage=3),
    "infantry": lambda table: table.play([9, 4, 10, 8], attack=LONG),
}


def overflow(page: Page) -> list[str]:
    """Elements whose text or box sticks out of the window or of their own box."""
    found: list[str] = page.evaluate("""async () => {
      const frame = () => new Promise(requestAnimationFrame);
      await frame().then(frame); // words are fitted after a resize
      const out = [];
      const wide = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth > wide) out.push("the page scrolls sideways");
      for (const node of document.querySelectorAll("#app *")) {
        if (node.closest(".unseen, svg, .shot, option, [data-fit=line]") || !node.getClientRects().length) continue;
        const box = node.getBoundingClientRect();
        const name = `${node.nodeName} ${node.className} ${node.textContent.slice(0, 30)}`;
        if (box.right > wide + 1 || box.left < -1) out.push(`outside: ${name}`);
        const style = getComputedStyle(node);
        const cut = style.overflowX !== "visible" && style.textOverflow !== "ellipsis";
        const scrolls = ["auto", "scroll"].includes(style.overflowX);
        if (cut && !scrolls && node.scrollWidth > node.clientWidth + 1) out.push(`cut: ${name}`);
      }
      return out;
    }""")
    return found


@pytest.mark.parametrize("page_name", ["control", "display"])
def test_nothing_overflows(table: Play, opens: Opens, page_name: str) -> None:
    page = opens(table.url(page_name))
    for what, reach in STATES.items():
        reach(table)
        page.reload()
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        expect(page.locator("#app > *").first).to_be_visible()
        for size in (WIDE, TALL, LAPTOP, TABLET):
            page.set_viewport_size(size)
            assert overflow(page) == [], (page_name, what, size)
            if page_name == "display":
                assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0, (what, size)
        if table.state()["attack"] and table.state()["attack"]["state"] in ("throwing", "damage"):
            table.void()


@pytest.mark.parametrize("page_name", ["control", "display"])
@pytest.mark.parametrize(
    "names", [("W" * 30, "<img src=x onerror=alert(1)>"), ("ﷺ" * 30, "Ünïçödé " * 3)], ids=["wide", "odd"]
)
def test_the_longest_and_oddest_names_leave_room_for_what_counts(
    table: Play, opens: Opens, page_name: str, names: tuple[str, str]
) -> None:
    """They are text and nothing else, they stay in their boxes, and who owes which die can still be read."""
    for player, name in zip(("red", "blue"), names, strict=True):
        table.post(f"{table.path}/players/{player}", {"name": name}, method="PATCH")
    page = opens(table.url(page_name))
    said: list[str] = []

    def ran(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", ran)
    for what in ("nothing declared", "left over", "the D10 is owed"):
        STATES[what](table)
        page.reload()
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        expect(page.locator("#app")).to_contain_text(names[1].strip())
        for size in (WIDE, TALL, LAPTOP):
            page.set_viewport_size(size)
            assert overflow(page) == [], (what, size)
            if page_name == "display" and what != "nothing declared":
                owed = page.locator(".owed .say").bounding_box()
                assert owed, (what, size)
                assert owed["height"] >= 0.06 * size["height"], (what, size, owed)
                assert owed["y"] + owed["height"] <= size["height"], (what, size, owed)
        if what == "left over":
            table.void()
    assert said == []


COLLISIONS = """() => {
  const strip = document.querySelector(".strip").getBoundingClientRect();
  const parts = [...document.querySelectorAll(".strip :is(.name, .mark, .title, .big, .die, figcaption span)")];
  const named = (node) => `${node.className} ${node.textContent}`;
  const boxes = parts.map((node) => ({ box: node.getBoundingClientRect(), name: named(node) }));
  const out = boxes.filter(({ box }) => box.top < strip.top || box.bottom > strip.bottom || box.left < strip.left
    || box.right > strip.right).map(({ name }) => `outside: ${name}`);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom)
    - Math.max(a.top, b.top) > 1;
  boxes.forEach((one, n) => boxes.slice(n + 1).filter((other) => meet(one.box, other.box))
    .forEach((other) => out.push(`${one.name} on ${other.name}`)));
  return out;
}"""
"""What sticks out of the overlay's strip, or lies on another part of it."""


@pytest.mark.parametrize("names", [("W" * 30, "M" * 30), ("ﷺ" * 30, "Ünïçödé " * 3)], ids=["wide", "odd"])
def test_the_overlay_bears_the_longest_names(table: Play, opens: Opens, names: tuple[str, str]) -> None:
    for player, name in zip(("red", "blue"), names, strict=True):
        table.post(f"{table.path}/players/{player}", {"name": name}, method="PATCH")
    page = opens(table.url("overlay") + "?linger=0")
    for what in ("owed", "the D10 is owed", "systems down"):
        STATES[what](table)
        page.reload()
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        expect(page.locator(".strip")).to_contain_text(names[1].strip())
        for size in (WIDE, SMALL, TALL):
            page.set_viewport_size(size)
            assert overflow(page) == [], (what, size)
            assert page.evaluate(COLLISIONS) == [], (what, size)
        if table.state()["attack"]["state"] != "resolved":
            table.void()


@pytest.mark.parametrize("page_name", ["display", "overlay"])
def test_a_long_name_is_set_smaller_not_cut(table: Play, opens: Opens, page_name: str) -> None:
    renamed(table)
    table.declare()
    page = opens(table.url(page_name))
    expect(page.locator(".name")).to_have_count(2)
    for size in (WIDE, SMALL, TALL):
        page.set_viewport_size(size)
        assert overflow(page) == [], size
        cut = page.locator(".name").evaluate_all("all => all.map(name => name.scrollHeight - name.clientHeight)")
        assert len(cut) == 2
        assert max(cut) <= 2, (size, cut)


def test_a_name_breaks_where_a_sentence_would_be_too_small_to_read(table: Play, opens: Opens) -> None:
    renamed(table)
    table.play([5, 3, 7, 3])
    page = opens(table.url("display"), size=TALL)
    say = page.locator(".say p").first
    expect(say).to_contain_text("owes D10 damage")
    assert overflow(page) == []
    assert say.evaluate("say => Number.parseFloat(getComputedStyle(say).fontSize)") >= 24


@pytest.mark.parametrize("size", [WIDE, TALL], ids=["wide", "tall"])
def test_a_virtual_die_keeps_its_caption_on_the_overlay(table: Play, opens: Opens, size: ViewportSize) -> None:
    table.set(virtual=True, damage_table=False)
    table.declare()
    for player in ("red", "blue"):
        table.post(f"{table.path}/virtual", {"request": player, "player": player})
    page = opens(table.url("overlay") + "?linger=0", size=size)
    captions = page.locator("figcaption")
    expect(captions).to_have_text([f"{word}VIRTUAL" for word in ("size", "effectiveness", "armour", "effectiveness")])
    assert overflow(page) == []
    assert page.evaluate(COLLISIONS) == []


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service whose camera does not answer."""
    server = Server(tmp_path_factory.mktemp("blind"), "--camera", NOBODY).start()
    yield server
    server.stop()


def bottoms(page: Page, selector: str) -> list[float]:
    found: list[float] = page.locator(selector).evaluate_all(
        "all => all.map(node => node.getBoundingClientRect().bottom)"
    )
    assert found, selector
    return found


def renamed(table: Play) -> None:
    for player, letter in (("red", "W"), ("blue", "M")):
        table.post(f"{table.path}/players/{player}", {"name": letter * 30}, method="PATCH")


@pytest.mark.parametrize("size", [WIDE, SMALL, TALL], ids=["wide", "small", "tall"])
def test_no_word_of_an_outcome_is_cut(blind: Server, opens: Opens, size: ViewportSize) -> None:
    table = blind.table(f"outcomes-{size['width']}")
    display = opens(table.url("display") + "?hold=0.05", size=size)
    for damage in (1, 3, 6, 9):
        table.play([5, 3, 7, 3], damage=damage)
        expect(display.locator(".why")).to_contain_text(f"{damage} on the D10")
        display.wait_for_function("() => document.fonts.status === 'loaded'")
        cut = display.locator(".why").evaluate(
            "why => [getComputedStyle(why).webkitLineClamp, Math.max(0, why.scrollHeight - why.clientHeight)]"
        )
        assert cut == ["none", 0], damage
        assert max(bottoms(display, ".why")) <= size["height"], damage


@pytest.mark.parametrize("names", ["short", "long"])
def test_the_display_has_room_for_a_banner_and_a_die_not_placed(blind: Server, opens: Opens, names: str) -> None:
    table = blind.table(f"room-{names}")
    if names == "long":
        renamed(table)
    STATES["left over"](table)
    display = opens(table.url("display"))
    expect(display.locator(".banner")).to_be_visible()
    expect(display.locator(".loose")).to_be_visible()
    for size in (WIDE, SMALL, TALL):
        display.set_viewport_size(size)
        assert overflow(display) == [], size
        lowest = max(bottoms(display, ".odd"))
        assert lowest <= size["height"] * 0.99, (size, lowest)


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["wide", "small"])
def test_the_main_act_of_the_control_page_is_in_view(blind: Server, opens: Opens, size: ViewportSize) -> None:
    table = blind.table(f"acts-{size['width']}")
    control = opens(table.url("control"), size=size)
    expect(control.locator(".banner")).to_be_visible()
    expect(control.locator(".preview")).to_be_visible()
    assert max(bottoms(control, ".fire button")) <= size["height"]
    table.declare()
    expect(control.locator(".entry-row")).to_be_visible()
    assert max(bottoms(control, ".entry-row button")) <= size["height"]
    table.throw(dict.fromkeys(("firer size", "firer effectiveness"), 2))
    table.throw(dict.fromkeys(("target armour", "target effectiveness"), 4))
    expect(control.locator(".again")).to_be_visible()
    expect(control.locator(".preview")).to_be_visible()
    assert max(bottoms(control, ".fire button, .again")) <= size["height"]


def test_a_long_name_breaks_in_every_button_and_dialog(table: Play, opens: Opens) -> None:
    renamed(table)
    table.declare()
    table.throw_loose("D10", 4)  # Blue's armour, before Red threw: it is left over and may be placed
    page = opens(table.url("control"), size=TALL)
    expect(page.locator(".loose .secondary")).to_contain_text("M" * 30)
    assert overflow(page) == []
    for dialog in ("players", "settings", "correction", "void"):
        page.locator(f"[data-dialog={dialog}]").click()
        expect(page.locator("dialog[open]")).to_be_visible()
        assert overflow(page) == [], dialog
        page.keyboard.press("Escape")
    table.void()
    expect(page.locator(".fire")).to_be_visible()
    assert overflow(page) == []


@pytest.mark.parametrize("state", ["stalled", "lost"])
def test_a_picture_that_does_not_come_is_said_as_it_is(blind: Server, opens: Opens, state: str) -> None:
    """A page that is opened after the camera stalled has never had a picture, though there were some."""
    page = opens("about:blank")

    def gone(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"state": state, "age_ms": 65_000})

    page.route("**/api/v1/camera", gone)
    page.goto(f"{blind.url}/camera")
    expect(page.locator(".no-picture")).to_have_text(
        re.compile(r"^No picture has come since .*\d\d.*\. Nothing is read from the last one\.$")
    )
    expect(page.get_by_role("heading", name="Nothing is read")).to_be_visible()
    expect(page.locator(".banner")).to_contain_text(f"Camera {state} since")
    expect(page.locator(".state-reason")).to_have_text("")
    page.goto(f"{blind.url}/setup")
    expect(page.locator(".no-picture")).to_contain_text("is in use, but no picture has come from it since ")


@pytest.mark.parametrize("state", ["stalled", "lost"])
def test_the_set_up_says_that_a_camera_is_in_use_and_sends_nothing(blind: Server, opens: Opens, state: str) -> None:
    page = opens("about:blank")

    def without_picture(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"state": state})

    page.route("**/api/v1/camera", without_picture)
    page.goto(f"{blind.url}/setup")
    expect(page.locator(".no-picture")).to_have_text(f"{NOBODY} is in use, but no picture comes from it.")


@pytest.mark.parametrize("size", [WIDE, LAPTOP], ids=["wide", "laptop"])
def test_the_rules_of_the_house_are_seen_whole(table: Play, opens: Opens, size: ViewportSize) -> None:
    page = opens(table.url("control"), size=size)
    page.get_by_role("button", name="House rules").click()
    expect(page.get_by_text(re.compile("^Rules: "))).to_be_visible()
    assert overflow(page) == []
    beyond = page.locator(".dialog-body").evaluate("body => body.scrollHeight - body.clientHeight")
    assert beyond <= 0
    assert max(bottoms(page, "dialog")) <= size["height"]


def test_what_only_keys_can_do_is_not_said_on_a_telephone(table: Play, opens: Opens) -> None:
    table.declare()
    page = opens(table.url("control"))
    says, keys = page.locator("#entry-says"), page.locator("button kbd")
    expect(says.get_by_text("number keys, then Enter")).to_be_visible()
    expect(keys.first).to_be_visible()
    page.set_viewport_size(TALL)
    expect(says.get_by_text("number keys, then Enter")).to_be_hidden()
    expect(says.get_by_text("Press a die and type what lies on the table.")).to_be_visible()
    assert keys.evaluate_all("all => all.filter(key => key.getClientRects().length > 0).length") == 0


@pytest.mark.parametrize("size", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("name", ["setup", "camera"])
def test_that_there_is_no_camera_is_said_once(server: Server, opens: Opens, name: str, size: ViewportSize) -> None:
    page = opens(f"{server.url}/{name}", size=size)
    expect(page.locator(".state-name")).to_have_text("No camera")
    assert page.locator("body").inner_text().lower().count("no camera") == 1
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.locator(".state-reason")).to_have_text(
        "Choose one in step 1." if name == "setup" else "Choose one under Set up."
    )
    check(page, f"{name}, no camera")


@pytest.mark.parametrize("size", [WIDE, TALL], ids=["wide", "tall"])
def test_no_choice_of_the_set_up_is_left_alone_on_a_line(server: Server, opens: Opens, size: ViewportSize) -> None:
    page = opens(f"{server.url}/setup", size=size)
    expect(page.locator(".wide-chips")).to_have_count(2)
    rows = page.locator(".wide-chips").evaluate_all(
        "all => all.map(group => [...group.querySelectorAll('.chip')].map(chip => chip.getBoundingClientRect().top))"
    )
    for tops in rows:
        assert len({tops.count(top) for top in tops}) == 1, rows


@pytest.mark.parametrize("page_name", ["control", "display"])
def test_the_outcome_fills_the_width(table: Play, opens: Opens, page_name: str) -> None:
    """By the width of its letters: the space between them stays that of a word."""
    page = opens(table.url(page_name) + ("?hold=0.05" if page_name == "display" else ""))
    for size, damage in itertools.product((WIDE, TALL), (1, 3, 6, 9)):
        page.set_viewport_size(size)
        table.play([5, 3, 7, 3], damage=damage)
        expect(page.locator(".why")).to_contain_text(f"{damage} on the D10")
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        assert overflow(page) == []
        share = page.evaluate("""() => {
          const box = document.querySelector(".word");
          const word = box.firstElementChild;
          const after = Number.parseFloat(getComputedStyle(word).letterSpacing) || 0; // of the last letter: not seen
          const { width, right } = word.getBoundingClientRect();
          const em = Number.parseFloat(getComputedStyle(word).fontSize);
          const ends = box.getBoundingClientRect().right;
          return [(width - after) / box.clientWidth, right - after <= ends + 1, after / em];
        }""")
        assert 0.9 <= share[0] <= 1.0, (size, damage, share)
        assert share[1], (size, damage)
        assert share[2] <= 0.12, (size, damage, share)


STOPPED = """() => {
  const track = document.querySelector(".track[data-result=stopped]");
  const verdict = track.querySelector(".verdict");
  const words = document.createRange();
  words.selectNodeContents(verdict);
  const lines = new Set([...words.getClientRects()].map((box) => Math.round(box.top))).size;
  const bar = track.querySelector(".shot").getBoundingClientRect().right;
  const box = track.getBoundingClientRect();
  return [lines, bar - words.getBoundingClientRect().right, (bar - box.left) / box.width];
}"""
"""The lines of a stopped shot's words, the pixels between them and the bar, and how far on the bar stands."""


@pytest.mark.parametrize("page_name", ["control", "display"])
def test_a_stopped_shot_says_so_on_one_line_beside_the_damage_die(table: Play, opens: Opens, page_name: str) -> None:
    table.play([5, 3, 10, 3])
    page = opens(table.url(page_name))
    expect(page.locator(".track[data-result=stopped] .verdict")).to_have_text("10 beats 5: stopped")
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    for size in {"control": [WIDE], "display": [WIDE, SMALL, LAPTOP]}[page_name]:
        page.set_viewport_size(size)
        assert overflow(page) == [], size
        lines, before_the_bar, share = page.evaluate(STOPPED)
        assert lines == 1, size
        assert before_the_bar > 0, size
        assert 0.6 <= share <= 0.95, (size, share)


def test_the_display_is_read_at_three_metres(table: Play, opens: Opens) -> None:
    display = opens(table.url("display"))
    sizes = "all => all.map(node => Number.parseFloat(getComputedStyle(node).fontSize))"
    table.declare()
    expect(display.locator(".owed")).to_be_visible()
    read = {".say p": 60.0, ".brief .name": READABLE_PX, ".brief .title": 36.0}
    for selector, least in read.items():
        found = display.locator(selector).evaluate_all(sizes)
        assert found, selector
        assert min(found) * CAP_HEIGHT >= least, (selector, found)
    numerals = display.locator(".throw .die").evaluate_all("all => all.map(die => die.getBoundingClientRect().height)")
    assert min(numerals) >= 180  # the numeral is about half of it
    table.throw({"firer size": 5, "firer effectiveness": 3, "target armour": 7, "target effectiveness": 6})
    expect(display.locator(".word span")).to_be_visible()
    assert display.locator(".word span").evaluate_all(sizes)[0] * CAP_HEIGHT >= 150
    assert display.locator(".why").evaluate_all(sizes)[0] * CAP_HEIGHT >= 34


def test_every_die_has_its_own_outline(table: Play, opens: Opens) -> None:
    page = opens(table.url("control"))
    src = page.locator("script[type=module]").get_attribute("src")
    assert src
    outlines = page.evaluate(
        """async (module) => {
          const { dieSvg } = await import(module);
          const corners = (die) => dieSvg({ die, value: 6 }).querySelector(".body").points.numberOfItems;
          return ["D4", "D6", "D8", "D10", "D12", "D20"].map(corners);
        }""",
        f"{src.rpartition('/')[0]}/dice.js",
    )
    assert outlines == [3, 4, 4, 4, 5, 6]  # triangle, square, rhombus, kite, pentagon, hexagon
