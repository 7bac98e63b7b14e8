"""Throws: typed, photographed, or the system's own."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dicetower.api.bodies import PlayerId, RequestId, ThrowBody, VirtualBody
from dicetower.api.guard import LARGEST_PHOTO, too_large
from dicetower.api.problems import documented
from dicetower.api.reading import PhotoReader
from dicetower.api.routes.shared import TheAnswer, TheTable
from dicetower.api.views import StateView
from dicetower.errors import BadPicture, NotFound

router = APIRouter(prefix="/tables/{table}", tags=["throws"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)


@router.post("/throws", response_model=StateView, responses=CHANGES)
def type_dice(body: ThrowBody, table: TheTable, answer: TheAnswer) -> Response:
    """Take typed dice as one throw; the same `request` twice is one throw."""
    return answer.state(table.type_dice(body.request, [die.typed() for die in body.dice], body.player))


@router.post("/virtual", response_model=StateView, responses=CHANGES)
def throw_virtual(body: VirtualBody, table: TheTable, answer: TheAnswer) -> Response:
    """Let the system throw what a player owes; refused unless the table turned it on."""
    return answer.state(table.throw_virtual(body.request, body.player))


@router.post("/photo", response_model=StateView, responses=CHANGES)
async def read_photograph(
    http: Request,
    table: TheTable,
    answer: TheAnswer,
    photo: Annotated[UploadFile, File(description="the picture of the tray: JPEG, PNG or WebP, at most 32 MiB")],
    player: Annotated[PlayerId | None, Form(description="whose dice they are, where that is known")] = None,
    request: Annotated[RequestId | None, Form(description="the same twice is one throw")] = None,
) -> Response:
    """Read a photograph of the tray as one throw. What is not surely read is asked about, never guessed."""
    picture = await photo.read(LARGEST_PHOTO + 1)
    if len(picture) > LARGEST_PHOTO:
        raise HTTPException(413, too_large(LARGEST_PHOTO, photo=True))
    reader: PhotoReader = http.app.state.photo_reader
    view = table.view()
    if player is not None and all(seated["id"] != player for seated in view["players"]):
        raise NotFound(f"No player {player!r} sits at this table.")
    throw = await reader.read(picture, request or secrets.token_hex(8), player, _owed(view))
    if not throw.readings:
        raise BadPicture(
            "Expected a photograph of dice, and found no die in it; take it from nearer, or with more light."
        )
    return answer.state(await anyio.to_thread.run_sync(table.throw, throw))


def _owed(view: Mapping[str, Any]) -> list[str]:
    """The die types that are still to come, a prior for the reader."""
    attack = view["attack"]
    return [slot["die"] for slot in attack["slots"] if slot["state"] != "filled"] if attack else []
