"""A page as far as the live stream goes: it opens the stream, reads events, keeps the state, and comes back."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PATIENCE_S = 30.0
"""Nothing here is timed; this ends a test that would wait for ever."""


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    kind: str
    mark: int | None
    data: Any


def parsed(text: str) -> Iterator[Event]:
    """Read events by the standard's line rules, apart from the product's own code."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "data" in fields:
            mark = fields.get("id")
            yield Event(fields["event"], None if mark is None else int(mark), json.loads(fields["data"]))


def folded(state: Mapping[str, Any], event: Event) -> dict[str, Any]:
    """The state a page keeps, after one more event."""
    if event.kind == "snapshot":
        return dict(event.data)
    if event.kind == "delta":
        return {**state, **event.data["changed"], "seq": event.data["seq"]}
    return {**state, **event.data} if event.kind == "sources" else dict(state)


class Page:
    """An open stream over a real socket. It does not read before it is asked."""

    def __init__(self, port: int, table: str = "main", last: int | str | None = None, buffer: int = 0) -> None:
        self._socket = socket.socket()
        if buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(("127.0.0.1", port))
        resume = "" if last is None else f"Last-Event-ID: {last}\r\n"
        head = f"GET /api/v1/tables/{table}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{resume}\r\n"
        self._socket.sendall(head.encode())
        self._file = self._socket.makefile("rb")
        self._text = ""
        self.state: dict[str, Any] = {}
        self.status = 0

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Go away without a word."""
        self._file.close()
        self._socket.close()

    def next(self) -> Event:
        """The next event, whatever it is; EOFError when the stream has ended."""
        if not self.status:
            self._head()
        while "\n\n" not in self._text or not any(parsed(self._text.split("\n\n")[0])):
            if "\n\n" in self._text:
                self._text = self._text.split("\n\n", 1)[1]
            else:
                self._text += self._chunk()
        block, self._text = self._text.split("\n\n", 1)
        event = next(parsed(block))
        self.state = folded(self.state, event)
        return event

    def until(self, kind: str, mark: int | None = None) -> list[Event]:
        """The events up to the next of that kind (and id)."""
        events = [self.next()]
        while events[-1].kind != kind or mark not in (None, events[-1].mark):
            events.append(self.next())
        return events

    def _head(self) -> None:
        self.status = int(self._file.readline().split()[1])
        while self._file.readline().strip():
            pass

    def _chunk(self) -> str:
        """One chunk of the answer (RFC 9112, 7.1)."""
        size = int(self._file.readline() or b"0", 16)
        text = self._file.read(size).decode()
        self._file.readline()
        if not size:
            raise EOFError("the stream has ended")
        return text
