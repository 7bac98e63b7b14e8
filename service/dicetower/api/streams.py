"""The hubs of all tables, each made when the first page asks, and the clock that beats for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import anyio.to_thread

from dicetower.api.services import Services
from dicetower.api.stream import BEAT_S, Hub
from dicetower.table import Published

SOURCES_EVERY_S = 1.0
"""How often cameras and e-dice are asked how they are; a stalled camera is to be called so within two seconds."""


class Streams:
    """One Hub a table. Lives on the event loop; tables call in from their committing threads."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._hubs: dict[str, Hub] = {}
        self._leave: list[Callable[[], None]] = []
        self._making = asyncio.Lock()
        self._closed = False

    @property
    def hubs(self) -> list[Hub]:
        """All that have been asked for."""
        return list(self._hubs.values())

    async def hub(self, table: str) -> Hub:
        """Return the table's hub; NotFound if there is no such table."""
        async with self._making:
            if table not in self._hubs:
                self._hubs[table] = await self._made(table)
            return self._hubs[table]

    async def _made(self, name: str) -> Hub:
        """Join the table in a thread, for its lock may be held while a disk syncs; keep what comes meanwhile."""
        hub = Hub()
        loop = asyncio.get_running_loop()

        def heard(event: Published) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed: nobody listens any more
                loop.call_soon_threadsafe(hub.publish, event.seq, event.kind, event.changed)

        table = await anyio.to_thread.run_sync(self._services.tables.get, name)
        joined = await anyio.to_thread.run_sync(table.join, heard)
        self._leave.append(joined.leave)
        assert joined.snapshot is not None, "a join without a last sequence answers a snapshot"
        hub.begin(joined.snapshot | {"sources": self.sources()})
        hub.closed = self._closed
        return hub

    def sources(self) -> list[dict[str, Any]]:
        """How each camera and e-die is, as the state shows it."""
        return [asdict(health) for health in self._services.sources()]

    async def run(self) -> None:
        """Beat, and look at the sources, until cancelled."""
        await asyncio.gather(self._beat(), self._watch())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for hub in self.hubs:
                hub.beat()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SOURCES_EVERY_S)
            shown = self.sources()
            for hub in self.hubs:
                hub.show_sources(shown)

    def close(self) -> None:
        """End every stream. Called before the server waits for its connections, which streams would never end."""
        self._closed = True
        for leave in self._leave:
            leave()
        self._leave.clear()
        for hub in self.hubs:
            hub.close()
