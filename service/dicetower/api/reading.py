"""Photographs are read off the event loop and one at a time: reading takes a whole core and some 20 bytes a pixel."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import anyio.to_thread

from dicetower.api.services import ReadPhoto
from dicetower.errors import Unavailable
from dicetower.model import Throw

WAITING_MAX = 8
"""Photographs that may wait. Each takes well under a second to read; more than this is not a table of players."""


class PhotoReader:
    """Reads photographs in the order they came."""

    def __init__(self, read: ReadPhoto) -> None:
        self._read = read
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def read(self, picture: bytes, throw: str, player: str | None, plan: Sequence[str]) -> Throw:
        """Return the throw; Unavailable where too many wait, BadPicture where it is no picture."""
        if self._waiting >= WAITING_MAX:
            raise Unavailable(f"{WAITING_MAX} photographs wait to be read already; send this one again in a moment.")
        self._waiting += 1
        try:
            async with self._turn:
                return await anyio.to_thread.run_sync(lambda: self._read(picture, throw, player=player, plan=plan))
        finally:
            self._waiting -= 1
