"""The hub: nothing falls between snapshot and deltas, resuming is exact, and a slow page costs a bounded amount."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Mapping
from typing import Any

import pytest

from dicetower.api import listen
from dicetower.api.stream import LISTENERS_MAX, REMEMBERED, RETRY_MS, WAITING, Hub, Listener, encoded
from dicetower.errors import Unavailable

STATE = {"table": "main", "seq": 7, "journal": "abc", "attack": None, "unassigned": [], "sources": []}


def a_hub(seq: int = 7) -> Hub:
    hub = Hub()
    hub.begin(STATE | {"seq": seq})
    return hub


def grown(hub: Hub, count: int) -> None:
    for _ in range(count):
        hub.publish(hub.seq + 1, "dice thrown", {"unassigned": [hub.seq + 1]})


Event = tuple[str, int | None, Any]


def parsed(chunk: bytes) -> list[Event]:
    """Read a stream by the standard's own line rules, apart from the product's code."""
    events: list[Event] = []
    for block in chunk.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "data" in fields:
            mark = fields.get("id")
            events.append((fields["event"], None if mark is None else int(mark), json.loads(fields["data"])))
    return events


async def heard(listener: Listener, chunks: int = 1) -> list[Event]:
    """What the next `chunks` sends hold."""
    stream = aiter(listener)
    return [event for _ in range(chunks) for event in parsed(await anext(stream))]


def folded(events: list[Event], state: Mapping[str, Any] = {}) -> dict[str, Any]:
    """The state as a page keeps it."""
    made = dict(state)
    for kind, _, data in events:
        if kind == "snapshot":
            made = dict(data)
        elif kind == "delta":
            made |= data["changed"] | {"seq": data["seq"]}
        elif kind == "sources":
            made |= data
    return made


def test_a_snapshot_first_with_the_sequence_as_its_id() -> None:
    async def run() -> None:
        events = await heard(a_hub().join(None))
        assert events == [("snapshot", 7, STATE)]

    asyncio.run(run())


def test_the_first_bytes_say_when_to_come_back() -> None:
    async def run() -> None:
        assert (await anext(aiter(a_hub().join(None)))).startswith(b"retry: %d\n\n" % RETRY_MS)

    asyncio.run(run())


def test_a_delta_holds_what_changed_and_is_the_snapshot_of_those_who_come_later() -> None:
    async def run() -> None:
        hub = a_hub()
        early = hub.join(None)
        hub.publish(8, "dice thrown", {"unassigned": ["d"]})
        first = await heard(early)
        assert first[1] == ("delta", 8, {"seq": 8, "kind": "dice thrown", "changed": {"unassigned": ["d"]}})
        late = await heard(hub.join(None))
        assert late == [("snapshot", 8, STATE | {"seq": 8, "unassigned": ["d"]})]
        assert folded(first) == folded(late)

    asyncio.run(run())


def test_what_is_published_before_the_state_is_known_is_not_lost_nor_shown_twice() -> None:
    async def run() -> None:
        hub = Hub()
        for seq in (6, 7, 8, 9):
            hub.publish(seq, "dice thrown", {"unassigned": [seq]})
        hub.begin(STATE)
        assert hub.seq == 9
        events = await heard(hub.join("7"))
        assert [(kind, mark) for kind, mark, _ in events] == [("resumed", None), ("delta", 8), ("delta", 9)]

    asyncio.run(run())


def test_an_event_that_is_in_the_state_already_is_passed_over() -> None:
    hub = a_hub()
    hub.publish(7, "dice thrown", {"unassigned": ["again"]})
    assert (hub.seq, hub.events) == (7, 0)


@pytest.mark.parametrize("last", range(7, 13))
def test_resuming_from_any_remembered_place_comes_to_the_same_state(last: int) -> None:
    async def run() -> None:
        hub = a_hub()
        states = {7: STATE}
        for _ in range(5):
            grown(hub, 1)
            states[hub.seq] = folded(await heard(hub.join(None)))
        events = await heard(hub.join(str(last)))
        assert events[0] == ("resumed", None, {"seq": 12, "journal": "abc"})
        assert [mark for _, mark, _ in events[1:]] == list(range(last + 1, 13))
        assert folded(events, states[last]) == states[12]

    asyncio.run(run())


@pytest.mark.parametrize("last", ["6", "13", "0", "-8", "8.0", "", "x", "9" * 40, "²", None, "0x8"])
def test_an_unknown_place_gets_a_snapshot(last: str | None) -> None:
    async def run() -> None:
        hub = a_hub()
        grown(hub, 5)
        events = await heard(hub.join(last))
        assert [(kind, mark) for kind, mark, _ in events] == [("snapshot", 12)]

    asyncio.run(run())


def test_a_place_too_long_ago_gets_a_snapshot_and_the_oldest_remembered_does_not() -> None:
    async def run() -> None:
        hub = a_hub()
        grown(hub, REMEMBERED + 3)
        assert [kind for kind, _, _ in await heard(hub.join("9"))] == ["snapshot"]
        oldest = await heard(hub.join("10"))
        assert len(oldest) == 1 + REMEMBERED
        assert oldest[0][0] == "resumed"

    asyncio.run(run())


def test_a_page_that_does_not_read_is_given_a_snapshot_and_holds_a_bounded_amount() -> None:
    async def run() -> None:
        hub = a_hub()
        slow = hub.join(None)
        grown(hub, 10_000)
        assert len(slow._queue) <= WAITING
        events = await heard(slow)
        assert [(kind, mark) for kind, mark, _ in events] == [("snapshot", hub.seq)]
        assert slow.overruns == 1
        hub.leave(slow)
        assert hub.overruns == 1

    asyncio.run(run())


def test_after_the_snapshot_a_slow_page_goes_on_with_deltas() -> None:
    async def run() -> None:
        hub = a_hub()
        slow = hub.join(None)
        stream = aiter(slow)
        grown(hub, WAITING + 1)
        before = parsed(await anext(stream))
        grown(hub, 2)
        after = parsed(await anext(stream))
        assert [kind for kind, _, _ in after] == ["delta", "delta"]
        assert folded(before + after) == folded(await heard(hub.join(None)))

    asyncio.run(run())


def test_a_fast_page_misses_nothing_while_another_is_stuck() -> None:
    async def run() -> None:
        hub = a_hub()
        hub.join(None)
        stream = aiter(hub.join(None))
        marks: list[int | None] = []
        for _ in range(500):
            grown(hub, 1)
            marks += [mark for _, mark, _ in parsed(await anext(stream))]
        assert marks == list(range(7, 508))

    asyncio.run(run())


def test_more_pages_than_a_process_can_hold_are_turned_away_and_come_in_when_others_leave() -> None:
    hub = a_hub()
    pages = [hub.join(None) for _ in range(LISTENERS_MAX)]
    with pytest.raises(Unavailable, match="open at this table"):
        hub.join(None)
    hub.leave(pages.pop())
    hub.join(None)


def test_an_event_is_encoded_once_for_all() -> None:
    async def run() -> None:
        hub = a_hub()
        pages = [hub.join(None) for _ in range(50)]
        grown(hub, 1)
        assert len({id(page._queue[-1]) for page in pages}) == 1
        assert hub.snapshot() is hub.snapshot()

    asyncio.run(run())


def test_a_beat_says_the_sequence_and_never_waits_behind_others() -> None:
    async def run() -> None:
        hub = a_hub()
        listener = hub.join(None)
        hub.beat()
        stream = aiter(listener)
        assert [kind for kind, _, _ in parsed(await anext(stream))] == ["snapshot"]
        hub.beat()
        hub.beat()
        assert parsed(await anext(stream)) == [("beat", None, {"seq": 7})]

    asyncio.run(run())


def test_sources_are_told_when_they_change_and_carry_no_id() -> None:
    async def run() -> None:
        hub = a_hub()
        listener = hub.join(None)
        camera = [{"name": "tray camera", "ok": False}]
        hub.show_sources(camera)
        hub.show_sources(list(camera))
        events = await heard(listener)
        assert events[1:] == [("sources", None, {"sources": camera})]
        assert folded(events) == folded(await heard(hub.join(None)))

    asyncio.run(run())


def test_closing_ends_every_stream_one_that_waits_and_one_that_does_not() -> None:
    async def run() -> None:
        hub = a_hub()
        waiting, behind = hub.join(None), hub.join(None)
        stream = aiter(waiting)
        await anext(stream)
        task = asyncio.create_task(anext(stream, b"ended"))
        await asyncio.sleep(0)
        grown(hub, WAITING + 5)
        await task
        hub.close()
        assert [chunk async for chunk in stream] == []
        assert [chunk async for chunk in behind] == []

    asyncio.run(run())


def test_text_that_could_break_a_line_stays_inside_it() -> None:
    hostile = "a\nid: 99\r\ndata: x\u2028\ud800"
    event = encoded("delta", {"text": hostile}, 3)
    assert event.count(b"\n") == 4
    assert b"\r" not in event
    assert json.loads(event.split(b"data: ", 1)[1])["text"] == hostile


def test_what_stands_at_the_start_is_left_out_of_later_collections() -> None:
    before = gc.get_freeze_count()
    try:
        listen.settle()
        assert gc.get_freeze_count() > before + 10_000
        assert len(gc.get_objects()) < 10_000
    finally:
        gc.unfreeze()
