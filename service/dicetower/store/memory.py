"""A journal in memory, true to the Store protocol: for tests, replay and trying out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dicetower.errors import Conflict
from dicetower.model import Recorded


class MemoryStore:
    """Rows in a dict of lists. Data goes through JSON, as in a database, so nothing shared can change later."""

    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now_ms = now_ms
        self._rows: dict[str, list[tuple[str, str, int]]] = {}

    def append(self, table: str, events: Sequence[tuple[str, dict[str, Any]]], expected_seq: int) -> list[Recorded]:
        """Add all of `events`; Conflict if the table does not stand at `expected_seq`."""
        rows = self._rows.get(table, [])
        if len(rows) != expected_seq:
            raise Conflict(f"Expected table {table} at event {expected_seq}, found it at {len(rows)}.")
        now_ms = self._now_ms()
        self._rows[table] = [*rows, *((kind, json.dumps(data), now_ms) for kind, data in events)]
        return list(self.read(table, expected_seq))

    def read(self, table: str, after: int = 0) -> Iterator[Recorded]:
        """The rows of `table` with `seq > after`, in order."""
        for seq, (kind, data, at_ms) in enumerate(self._rows.get(table, [])[after:], after + 1):
            yield Recorded(seq, table, kind, json.loads(data), at_ms)

    def check(self) -> None:
        """It can always be written."""

    def tables(self) -> list[str]:
        """Names of all tables that have rows."""
        return sorted(name for name, rows in self._rows.items() if rows)
