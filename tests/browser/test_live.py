"""The live stream as a page lives it: cut, killed, restarted, late, and many at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.support.axe import check
from tests.support.screen import Opens, Play, Server, wait_until

RECOVERS_MS = 20_000


def test_a_killed_server_comes_back_under_open_pages(own_server: Server, opens: Opens) -> None:
    table = own_server.table("main")
    table.declare()
    table.throw({"firer size": 5})
    pages = [opens(table.url(page)) for page in ("control", "display", "overlay")]
    control, display, overlay = pages
    expect(display.locator(".throw[data-slot='firer size'] .numeral")).to_have_text("5")
    expect(overlay.locator(".strip")).to_be_visible()

    own_server.kill()
    for page in (control, display):
        expect(page.locator(".banner")).to_contain_text("Cut off", timeout=RECOVERS_MS)
        expect(page.locator(".banner")).to_contain_text("s old")
        check(page, "cut off")
    expect(overlay.locator("#app")).to_be_empty(timeout=RECOVERS_MS)

    own_server.start()
    table.throw({"firer effectiveness": 3})
    for page in pages:
        expect(page.locator("[data-die='D6'] .numeral").first).to_have_text("3", timeout=RECOVERS_MS)
        expect(page.locator(".banner")).to_have_count(0)
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [5, 3, None, None]


def test_dice_typed_while_cut_off_stay_typed(own_server: Server, opens: Opens) -> None:
    table = own_server.table("main")
    table.declare()
    control = opens(table.url("control"))
    expect(control.locator("input.pip")).to_have_count(4)
    own_server.kill()
    expect(control.locator(".banner")).to_be_visible(timeout=RECOVERS_MS)
    control.keyboard.type("53")
    control.keyboard.press("Enter")
    expect(control.get_by_role("alert")).to_contain_text("The server does not answer.")
    expect(control.locator("input.pip").first).to_have_value("5")
    own_server.start()
    expect(control.locator(".banner")).to_have_count(0, timeout=RECOVERS_MS)
    expect(control.get_by_role("alert")).to_have_count(0)
    for field, typed in enumerate("53"):
        expect(control.locator("input.pip").nth(field)).to_have_value(typed)
    control.get_by_role("button", name="Enter 2 dice").click()
    expect(control.locator("input.pip")).to_have_count(2)
    assert [slot["value"] for slot in table.state()["attack"]["slots"]] == [5, 3, None, None]


def test_pages_opened_before_their_server_fill_in(own_server: Server, opens: Opens) -> None:
    """Once a browser has seen the pages it can open them with no server there."""
    table = own_server.table("main")
    table.declare()
    first = opens(table.url("overlay"), workers="allow")
    expect(first.locator(".strip")).to_be_visible()
    first.evaluate("navigator.serviceWorker.ready")
    context = first.context
    seen = opens(table.url("display"), context=context)  # through the worker, which keeps the files
    expect(seen.locator(".owed")).to_be_visible()
    opens(table.url("overlay"), context=context)
    for page in context.pages:
        page.close()

    own_server.kill()
    overlay = opens(table.url("overlay"), context=context)
    display = opens(table.url("display"), context=context)
    expect(overlay.locator("#app")).to_be_empty()
    expect(display.locator(".say")).to_have_text("Waiting for the server")
    own_server.start()
    expect(overlay.locator(".strip")).to_be_visible(timeout=RECOVERS_MS)
    expect(display.locator(".owed")).to_contain_text("Red owes D8 size", timeout=RECOVERS_MS)


def test_six_tabs_and_more_leave_room_for_a_throw(table: Play, opens: Opens) -> None:
    """A browser opens six connections to a host: a stream a tab would leave none for the seventh page."""
    first = opens(table.url("display"))
    tabs = [first, *(opens(table.url(page), context=first.context) for page in ("display", "overlay") * 3)]
    control = opens(table.url("control"), context=first.context)
    control.get_by_label("HKP, medium").check()
    control.get_by_role("button", name="Red fires at Blue").click()
    expect(control.locator("input.pip")).to_have_count(4)
    for tab in tabs:
        expect(tab.locator(".title")).to_contain_text("HKP")
    for tab in tabs[:4]:
        tab.close()
    control.keyboard.type("53")
    control.keyboard.press("Enter")
    expect(tabs[-1].locator("[data-die='D6'] .numeral").first).to_have_text("3")


def test_without_a_shared_worker_a_page_has_a_stream_of_its_own(table: Play, opens: Opens) -> None:
    page = opens("about:blank")
    page.context.add_init_script("delete window.SharedWorker")
    page.goto(table.url("display"))
    table.declare()
    expect(page.locator(".owed")).to_contain_text("Red owes D8 size")


def test_a_table_that_is_not_there_is_offered_to_be_opened(server: Server, opens: Opens) -> None:
    control = opens(f"{server.url}/?table=later")
    control.get_by_role("button", name="Open table later").click()
    expect(control.locator(".declare")).to_be_visible()


FAKE_STREAM = """async (module) => {
  const said = [];
  const streams = [];
  class Line {
    constructor(url) { this.url = url; this.heard = {}; this.readyState = 1; streams.push(this); }
    addEventListener(type, act) { this.heard[type] = act; }
    close() { this.readyState = 2; }
    send(type, data) { this.heard[type]?.({ data: JSON.stringify(data) }); }
  }
  Line.CONNECTING = 0;
  window.EventSource = Line;
  window.present = { seq: 9, journal: "j", word: "fetched" };
  window.asked = 0;
  window.fetch = async () => { window.asked += 1; return { ok: true, status: 200, json: async () => window.present }; };
  const { Stream } = await import(module);
  const short = ({ status, state }) => [status, state?.seq ?? null, state?.word ?? null];
  window.stream = new Stream("main", (news) => said.push(short(news)));
  window.streams = streams;
  window.said = said;
}"""


def fake_stream(page: Page, module: str) -> None:
    page.evaluate(FAKE_STREAM, module)


def last_said(page: Page) -> list[object]:
    said: list[object] = page.evaluate("window.said.at(-1)")
    return said


def test_a_leap_in_the_numbers_fetches_the_state(table: Play, opens: Opens) -> None:
    page = opens(table.url("overlay"))
    src = page.locator("script[type=module]").get_attribute("src")
    assert src
    fake_stream(page, f"{src.rpartition('/')[0]}/stream.js")
    send = "([type, data]) => window.streams.at(-1).send(type, data)"
    page.evaluate(send, ["snapshot", {"seq": 5, "journal": "j", "word": "first"}])
    assert last_said(page) == ["live", 5, "first"]
    page.evaluate(send, ["delta", {"seq": 6, "kind": "x", "changed": {"word": "second"}}])
    assert last_said(page) == ["live", 6, "second"]
    page.evaluate(send, ["delta", {"seq": 6, "kind": "x", "changed": {"word": "twice"}}])
    page.evaluate(send, ["something new", {"seq": 7}])
    assert last_said(page) == ["live", 6, "second"]
    page.evaluate(send, ["delta", {"seq": 9, "kind": "x", "changed": {"word": "leapt"}}])
    wait_until(lambda: last_said(page) == ["live", 9, "fetched"], "the state fetched afresh")
    page.evaluate("window.present = { seq: 12, journal: 'j', word: 'beaten' }")
    page.evaluate(send, ["beat", {"seq": 12}])  # an event was lost without a break
    wait_until(lambda: last_said(page) == ["live", 12, "beaten"], "the state fetched after a beat")


def test_a_line_that_comes_back_is_live_only_when_present(table: Play, opens: Opens) -> None:
    page = opens(table.url("overlay"))
    src = page.locator("script[type=module]").get_attribute("src")
    assert src
    fake_stream(page, f"{src.rpartition('/')[0]}/stream.js")
    send = "([type, data]) => window.streams.at(-1).send(type, data)"
    page.evaluate(send, ["snapshot", {"seq": 5, "journal": "j", "word": "first"}])
    page.evaluate("() => { const line = window.streams.at(-1); line.readyState = 0; line.onerror(); }")
    assert last_said(page) == ["cut", 5, "first"]
    page.evaluate(send, ["resumed", {"seq": 6, "journal": "j"}])
    assert last_said(page) == ["cut", 5, "first"]
    page.evaluate(send, ["delta", {"seq": 6, "kind": "x", "changed": {"word": "second"}}])
    assert last_said(page) == ["live", 6, "second"]
    page.evaluate(send, ["resumed", {"seq": 6, "journal": "another"}])
    assert page.evaluate("window.streams.length") == 2  # another journal: begun afresh


@pytest.mark.parametrize("name", ["Club%20Night", "%3Cimg%20src=x%3E"])
def test_a_table_that_cannot_be_is_said_so(server: Server, opens: Opens, name: str) -> None:
    """A page that waits for ever for a name that no table can have would mislead."""
    shown = opens(f"{server.url}/?table={name}")
    expect(shown.locator(".nothing h2")).to_contain_text("There is no table")
    shown.get_by_role("button", name="Open table").click()
    expect(shown.get_by_role("alert")).to_contain_text("a table's name of 1 to 32 of a-z, 0-9 and hyphens")
