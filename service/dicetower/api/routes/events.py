"""The live stream of a table. `docs/api.md` says what it sends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from starlette.responses import Response, StreamingResponse

from dicetower.api.bodies import TablePath
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheStreams
from dicetower.api.stream import Listener

router = APIRouter(prefix="/tables/{table}", tags=["live"])


async def _listener(
    table: TablePath,
    streams: TheStreams,
    last_event_id: Annotated[str | None, Header(description="the last id this client saw", max_length=64)] = None,
) -> AsyncIterator[Listener]:
    """Join, and leave when the answer has ended however it ended: a page that vanishes leaves nothing behind."""
    hub = await streams.hub(table)
    listener = hub.join(last_event_id)
    try:
        yield listener
    finally:
        hub.leave(listener)


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses=documented(404, 422, 503) | {200: {"content": {"text/event-stream": {}}, "description": "the stream"}},
)
async def listen(listener: Annotated[Listener, Depends(_listener)]) -> Response:
    """Server-sent events: a snapshot, then each change; `Last-Event-ID` resumes."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(aiter(listener), media_type="text/event-stream", headers=headers)
