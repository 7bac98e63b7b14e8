"""The live stream of one table: each event is encoded once, as bytes, for however many pages listen.

A `Hub` lives on the event loop and nowhere else, so that taking the snapshot and joining the listeners is one step:
no event falls between. A `Listener` holds at most WAITING events; a page that reads slower than that is given a
fresh snapshot in place of what it missed, so a stalled page costs a bounded amount of memory.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

from dicetower.errors import Unavailable

WAITING = 64
"""Events that may wait for one listener. A throw is one to three events; 64 is a page some minutes behind."""

REMEMBERED = 256
"""Events kept for those who come back: a whole evening's last half hour; a delta is some 2 KiB."""

LISTENERS_MAX = 500
"""Pages at one table. A process may by default hold 1024 files open, and the journal and devices need theirs."""

RETRY_MS = 1000
"""How long a browser waits before it comes back. Long enough not to hammer a service that restarts."""

BEAT_S = 5.0
"""Seconds between beats. A page calls the line cut after two were missed."""


def encoded(event: str, data: Mapping[str, Any], seq: int | None = None) -> bytes:
    """One server-sent event (WHATWG HTML, 9.2). JSON has no bare line ends, so `data` is one line."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    mark = b"" if seq is None else b"id: %d\n" % seq
    return b"event: %s\n%sdata: %s\n\n" % (event.encode(), mark, text)


class Listener:
    """One open page. Iterate it for the bytes to send; it ends when the hub closes."""

    def __init__(self, hub: Hub, first: bytes) -> None:
        self._hub = hub
        self._queue: deque[bytes] = deque([first])
        self._wake = asyncio.Event()
        self._wake.set()
        self._behind = False
        self.overruns = 0

    def put(self, event: bytes) -> None:
        """Add one event; past WAITING, forget all and owe a snapshot."""
        if self._behind:
            return
        if len(self._queue) >= WAITING:
            self._queue.clear()
            self._behind = True
            self.overruns += 1
        else:
            self._queue.append(event)
        self._wake.set()

    def beat(self, event: bytes) -> None:
        """Add a beat, unless other events wait: they say the same."""
        if not self._queue and not self._behind:
            self.put(event)

    def end(self) -> None:
        """Wake, to find that the hub has closed."""
        self._wake.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield what waits, joined, for as long as the hub is open."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._hub.closed:
                return
            if self._behind:
                self._behind = False
                yield self._hub.snapshot()
            elif self._queue:
                waiting = b"".join(self._queue)
                self._queue.clear()
                yield waiting


class Hub:
    """All listeners of one table, and the state they are shown. `begin` first; what is published earlier waits."""

    def __init__(self) -> None:
        self.closed = False
        self.events = 0
        self.overruns = 0
        self._state: dict[str, Any] = {}
        self._early: list[tuple[int, str, Mapping[str, Any]]] = []
        self._recent: deque[tuple[int, bytes]] = deque()
        self._before = 0
        self._snapshot: bytes | None = None
        self._listeners: set[Listener] = set()

    def begin(self, state: Mapping[str, Any]) -> None:
        """Show `state`, whole as `docs/api.md` gives it, and then what was published since it was taken."""
        self._state = dict(state)
        self._before = self.seq
        early, self._early = self._early, []
        for event in early:
            self.publish(*event)

    @property
    def seq(self) -> int:
        """The sequence of the state shown now."""
        seq: int = self._state["seq"]
        return seq

    @property
    def listeners(self) -> int:
        """How many pages are open."""
        return len(self._listeners)

    def publish(self, seq: int, kind: str, changed: Mapping[str, Any]) -> None:
        """Show what an event changed to all listeners; an event that is in the state already is passed over."""
        if not self._state:
            self._early.append((seq, kind, changed))
        elif seq > self.seq:
            self._take(seq, kind, changed)

    def _take(self, seq: int, kind: str, changed: Mapping[str, Any]) -> None:
        self._state |= changed
        self._state["seq"] = seq
        self._snapshot = None
        event = encoded("delta", {"seq": seq, "kind": kind, "changed": changed}, seq)
        self._remember(event)
        self._send(event)

    def show_sources(self, sources: list[dict[str, Any]]) -> None:
        """Tell listeners how the cameras and e-dice are, where that has changed. It is no journal event: no id."""
        if self._state.get("sources") == sources:
            return
        self._state["sources"] = sources
        self._snapshot = None
        self._send(encoded("sources", {"sources": sources}))

    def beat(self) -> None:
        """Tell every listener that the line is alive."""
        event = encoded("beat", {"seq": self.seq})
        for listener in self._listeners:
            listener.beat(event)

    def snapshot(self) -> bytes:
        """The whole present state as one event, encoded once for all who ask before it changes."""
        if self._snapshot is None:
            self._snapshot = encoded("snapshot", self._state, self.seq)
        return self._snapshot

    def join(self, last_id: str | None) -> Listener:
        """A new listener: its first bytes are the deltas since `last_id`, or a snapshot. Unavailable past the most."""
        if len(self._listeners) >= LISTENERS_MAX:
            raise Unavailable(f"{LISTENERS_MAX} pages are open at this table already; close some of them.")
        missed = self._since(last_id)
        first = self.snapshot() if missed is None else encoded("resumed", self._place()) + b"".join(missed)
        listener = Listener(self, b"retry: %d\n\n" % RETRY_MS + first)
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        self._listeners.discard(listener)
        self.overruns += listener.overruns

    def close(self) -> None:
        """End every stream; none can be opened afterwards."""
        self.closed = True
        for listener in self._listeners:
            listener.end()

    def _place(self) -> dict[str, Any]:
        return {"seq": self.seq, "journal": self._state["journal"]}

    def _remember(self, event: bytes) -> None:
        """Keep the event of the present seq; the oldest of too many gives its seq to `_before`."""
        self._recent.append((self.seq, event))
        if len(self._recent) > REMEMBERED:
            self._before, _ = self._recent.popleft()

    def _since(self, last_id: str | None) -> list[bytes] | None:
        """The events after `last_id`; None where no event remembered follows on from just that one."""
        if last_id is None or not last_id.isascii() or not last_id.isdigit() or len(last_id) > 18:
            return None
        last = int(last_id)
        if last != self._before and all(seq != last for seq, _ in self._recent):
            return None
        return [event for seq, event in self._recent if seq > last]

    def _send(self, event: bytes) -> None:
        self.events += 1
        for listener in self._listeners:
            listener.put(event)
