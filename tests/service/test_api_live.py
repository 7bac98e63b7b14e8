"""The live stream through a real server: many pages, slow pages, pages that vanish, restarts, and a quick stop."""

from __future__ import annotations

import json
import logging
import socket
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.support.api import HKP, Bench, a_bench, serving
from tests.support.live import PATIENCE_S, Page

from dicetower.api.stream import REMEMBERED
from dicetower.store.journal import open_journal
from dicetower.store.memory import MemoryStore


def send(port: int, path: str, body: dict[str, Any]) -> Any:
    address = f"http://127.0.0.1:{port}/api/v1/tables/main/{path}"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def throw(port: int, name: str, die: str = "D20", value: int = 7) -> Any:
    return send(port, "throws", {"request": name, "dice": [{"die": die, "value": value}]})


def without_sources(state: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if key != "sources"}


def test_a_page_sees_an_attack_from_declaration_to_outcome_as_the_table_has_it(bench: Bench) -> None:
    with serving(bench.app) as running, Page(running.port) as page:
        assert page.next().kind == "snapshot"
        send(running.port, "attacks", HKP)
        throws = [("a", "D8", 5), ("b", "D6", 3), ("c", "D10", 7), ("d", "D8", 3), ("e", "D10", 6)]
        for name, die, value in throws:
            shown = throw(running.port, name, die, value)
        events = page.until("delta", shown["seq"])
        marks = [event.mark for event in events]
        assert marks == list(range(6, shown["seq"] + 1))
        assert page.state == shown
        assert page.state["attack"]["outcome"]["final"] == "mobility"


def test_a_page_that_was_cut_off_gets_the_deltas_since_and_one_that_comes_late_the_present(bench: Bench) -> None:
    with serving(bench.app) as running:
        with Page(running.port) as page:
            page.next()
            throw(running.port, "one")
            last = page.until("delta")[-1].mark
        kept = page.state
        throw(running.port, "two")
        shown = throw(running.port, "three")
        with Page(running.port, last=last) as back:
            back.state = kept
            events = back.until("delta", shown["seq"])
            assert [event.kind for event in events] == ["resumed", "delta", "delta"]
            assert events[0].data == {"seq": shown["seq"], "journal": shown["journal"]}
            assert back.state == shown
        with Page(running.port) as late:
            late.next()
            assert late.state == shown


def test_a_place_too_long_ago_gets_the_present_state(bench: Bench) -> None:
    with serving(bench.app) as running:
        with Page(running.port) as page:
            first = page.next()
        table = bench.tables.get("main")
        for n in range(REMEMBERED + 1):
            shown = table.change_settings({"virtual": n % 2 == 0})
        with Page(running.port, last=first.mark) as back:
            assert (back.next().kind, back.state["seq"]) == ("snapshot", shown["seq"])


def test_a_restart_under_an_open_stream_loses_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with open_journal(journal) as store, serving(a_bench(store, tmp_path).app) as running:
        port = running.port
        with Page(port) as page:
            page.next()
            send(port, "attacks", HKP)
            throw(port, "one", "D8", 5)
            last = page.until("delta", 7)[-1].mark
            before = page.state
            running.stop()
            with pytest.raises(EOFError):
                page.until("never")
    with open_journal(journal) as store, serving(a_bench(store, tmp_path).app, port), Page(port, last=last) as back:
        back.state = before
        assert back.next().kind in {"snapshot", "resumed"}
        assert without_sources(back.state) == without_sources(before)
        shown = throw(port, "two", "D6", 3)
        back.until("delta", shown["seq"])
        assert back.state == shown
        assert [slot["value"] for slot in shown["attack"]["slots"]] == [5, 3, None, None]


def test_a_page_of_another_journal_can_tell_and_begins_anew(tmp_path: Path) -> None:
    first, second = a_bench(MemoryStore(), tmp_path), a_bench(MemoryStore(), tmp_path)
    with serving(first.app) as running, Page(running.port) as page:
        mark, journal = page.next().mark, page.state["journal"]
    with serving(second.app) as running:
        with Page(running.port, last=mark) as back:
            event = back.next()
            assert event.data["journal"] != journal
        throw(running.port, "one")
        with Page(running.port, last=900) as back:
            assert back.next().kind == "snapshot"


def test_fifty_pages_hear_every_event_in_order(bench: Bench) -> None:
    with serving(bench.app) as running, ThreadPoolExecutor(50) as pool:
        pages = [Page(running.port) for _ in range(50)]
        assert [event.kind for event in pool.map(Page.next, pages)] == ["snapshot"] * 50
        for n in range(20):
            shown = throw(running.port, f"t{n}")
        heard = list(pool.map(lambda page: page.until("delta", shown["seq"]), pages))
        marks = {tuple(event.mark for event in events if event.kind == "delta") for events in heard}
        assert marks == {tuple(range(6, shown["seq"] + 1))}
        assert all(page.state == shown for page in pages)
        for page in pages:
            page.close()


def test_a_page_that_does_not_read_holds_nobody_up_and_sees_the_present_when_it_reads(bench: Bench) -> None:
    """Each delta holds up to 40 unassigned dice, some 10 KiB, so that 300 of them are more than any buffer takes."""
    last = 305
    with serving(bench.app) as running, Page(running.port, buffer=4096) as slow, Page(running.port) as fast:
        slow._head()
        assert fast.next().kind == "snapshot", "it hears every delta that comes after this"
        with ThreadPoolExecutor(1) as pool:
            hearing = pool.submit(fast.until, "delta", last)
            for n in range(300):
                shown = throw(running.port, f"t{n}")
            heard = hearing.result(PATIENCE_S)
        assert [event.mark for event in heard if event.kind == "delta"] == list(range(6, last + 1))
        assert fast.state == shown
        assert read_on(running.port, slow, last) == shown


def read_on(port: int, page: Page, last: int) -> dict[str, Any]:
    """Read to the event `last`; cut off for being slow, come back as a browser does."""
    try:
        while page.state.get("seq") != last:
            page.next()
    except ConnectionError:
        with Page(port, last=page.state["seq"]) as back:
            back.state = page.state
            return read_on(port, back, last)
    return page.state


def test_pages_that_vanish_are_forgotten_without_a_word_in_the_log(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), serving(bench.app) as running:
        for n in range(10):
            page = Page(running.port, buffer=4096)
            page.next()
            if n % 2:
                linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # close with a reset, as a lost network does
                page._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            page.close()
        hub = bench.app.state.streams.hubs[0]
        deadline = time.monotonic() + PATIENCE_S
        while hub.listeners and time.monotonic() < deadline:
            throw(running.port, f"t{time.monotonic_ns()}")
        assert hub.listeners == 0
    assert [record.getMessage() for record in caplog.records] == []


def test_stopping_ends_open_streams_and_a_stuck_one_too(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), serving(bench.app) as running:
        pages = [Page(running.port) for _ in range(5)]
        for page in pages:
            page.next()
        stuck = Page(running.port, buffer=4096)
        stuck._head()
        for n in range(150):
            throw(running.port, f"t{n}")
        running.stop()
        for page in [*pages, stuck]:
            with pytest.raises((EOFError, ConnectionError)):
                page.until("never")
            page.close()
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def test_a_stream_says_what_it_is_and_is_never_cached(bench: Bench) -> None:
    with serving(bench.app) as running:
        address = f"http://127.0.0.1:{running.port}/api/v1/tables/main/events"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["cache-control"] == "no-store"


def test_a_beat_comes_while_nothing_happens(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicetower.api.streams.BEAT_S", 0.05)
    with serving(bench.app) as running, Page(running.port) as page:
        assert page.until("beat")[-1].data == {"seq": 5}


def test_a_source_that_fails_is_told_to_open_pages(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from dicetower.model import SourceHealth

    monkeypatch.setattr("dicetower.api.streams.SOURCES_EVERY_S", 0.05)
    with serving(bench.app) as running, Page(running.port) as page:
        page.next()
        bench.sources.append(SourceHealth("tray camera", "stalled", ok=False, reason="No picture for 2 s."))
        event = page.until("sources")[-1]
        assert event.mark is None
        assert page.state["sources"][0]["reason"] == "No picture for 2 s."
