"""What can be measured of the looks: nothing overflows, words fill the width and can be read at three metres."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, ViewportSize, expect
from tests.support.screen import TALL, WIDE, Opens, Play

CAP_HEIGHT = 0.686
"""Of Archivo: height of a capital as a share of the font size (its OS/2 table)."""

READABLE_PX = 38
"""Capitals of 14 mm, 16 minutes of arc at 3 m (ISO 9241-303, least character height), on a 32-inch 1080p screen."""

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
TABLET: ViewportSize = {"width": 820, "height": 1180}

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


def test_the_outcome_fills_the_width(table: Play, opens: Opens) -> None:
    display = opens(table.url("display") + "?hold=0.05")
    for size, damage in itertools.product((WIDE, TALL), (1, 3, 6, 9)):
        display.set_viewport_size(size)
        table.play([5, 3, 7, 3], damage=damage)
        expect(display.locator(".word")).to_be_visible()
        display.wait_for_function("() => document.fonts.status === 'loaded'")
        share = display.evaluate("""() => {
          const box = document.querySelector(".word");
          const word = box.firstElementChild;
          const after = Number.parseFloat(getComputedStyle(word).letterSpacing) || 0; // of the last letter: not seen
          const { width, right } = word.getBoundingClientRect();
          return [(width - after) / box.clientWidth, right - after <= box.getBoundingClientRect().right + 1];
        }""")
        assert 0.9 <= share[0] <= 1.0, (size, damage, share)
        assert share[1], (size, damage)


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
