"""`create_app`: the whole HTTP interface over the parts it is given. Importing this file does nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from importlib import metadata

from fastapi import FastAPI

from dicetower.api import problems
from dicetower.api.guard import Guard, Names, names_for
from dicetower.api.headers import Heads, SecurityHeaders
from dicetower.api.reading import PhotoReader
from dicetower.api.routes import attacks, camera, edice, enrol, events, health, pages, readings, rules, tables, throws
from dicetower.api.services import Services
from dicetower.api.streams import Streams

DESCRIPTION = (
    "Everything a page, an overlay or a script can do at a table. What the calls mean: `docs/api.md`. Errors are "
    "`application/problem+json` with one plain sentence in `detail`."
)

TAGS = {
    "rules": "The rule pack, and odds of attacks that nobody declares.",
    "tables": "Tables, their players and their rules of the house; undo and export.",
    "e-dice": "Whose each electronic die is, and what it is called.",
    "attacks": "Declaring, correcting and ending attacks.",
    "throws": "Dice: typed, photographed, or thrown by the system.",
    "camera": "The live camera: its picture, what it sees, its set-up.",
    "die sets": "Dice of one's own: their faces shown, and read by comparison.",
    "readings": "What a person says of one die.",
    "live": "The stream that every page listens to.",
    "health": "For whoever keeps the service running.",
}


def create_app(services: Services, names: Names | None = None) -> FastAPI:
    """Return the application; `names` are what Host may say, else loopback's.

    The caller opens the first table, and calls `app.state.streams.close()` before it waits for open connections.
    """
    app = FastAPI(
        title="Dicetower",
        version=metadata.version("dicetower"),
        description=DESCRIPTION,
        openapi_tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.services = services
    app.state.streams = Streams(services)
    app.state.photo_reader = PhotoReader(services.read_photo)
    app.state.metrics = health.registry(services, app.state.streams)
    problems.install(app)
    for resource in (rules, tables, edice, attacks, throws, readings, camera, enrol, events):
        app.include_router(resource.router, prefix="/api/v1")
    app.include_router(health.router)
    pages.mount(app, services)
    app.add_middleware(Heads)
    app.add_middleware(Guard, names=names or names_for("127.0.0.1"))
    app.add_middleware(SecurityHeaders)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Beat while the server runs; end what is left of the streams when it stops."""
    streams: Streams = app.state.streams
    beat = asyncio.create_task(streams.run())
    try:
        yield
    finally:
        streams.close()
        beat.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beat
