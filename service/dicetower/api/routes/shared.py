"""What the routers have in common: where the parts are, and how an answer is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import JSONResponse, Response

from dicetower.api.bodies import TablePath
from dicetower.api.services import Services
from dicetower.api.streams import Streams
from dicetower.table import Preview, Table


def services_of(request: Request) -> Services:
    """The parts the app was made with."""
    services: Services = request.app.state.services
    return services


def streams_of(request: Request) -> Streams:
    """The app's live streams."""
    streams: Streams = request.app.state.streams
    return streams


TheServices = Annotated[Services, Depends(services_of)]
TheStreams = Annotated[Streams, Depends(streams_of)]


def table_of(table: TablePath, services: TheServices) -> Table:
    """The table that the path names; NotFound."""
    return services.tables.get(table)


TheTable = Annotated[Table, Depends(table_of)]


class Answer:
    """Makes answers of a table: its state, whole as `docs/api.md` gives it."""

    def __init__(self, streams: TheStreams) -> None:
        self._streams = streams

    def state(self, view: Mapping[str, Any]) -> Response:
        """The state after an act."""
        return JSONResponse({**view, "sources": self._streams.sources()})

    def preview(self, preview: Preview) -> Response:
        """What an act would do."""
        shape = {"seq": preview.seq, "text": preview.text, "keeps": preview.keeps, "owes": preview.owes}
        return JSONResponse(shape)


TheAnswer = Annotated[Answer, Depends()]
