"""The e-dice a table knows: whose each is and what it is called, and "press Red's die"."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from dicetower.api.bodies import EDieChange, EDiePath, PressBody
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheAnswer, TheServices, TheTable
from dicetower.api.views import StateView

router = APIRouter(prefix="/tables/{table}/edice", tags=["e-dice"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)


@router.patch("/{uid}", response_model=StateView, responses=CHANGES)
def change_edie(uid: EDiePath, body: EDieChange, table: TheTable, answer: TheAnswer) -> Response:
    """Say whose an e-die is, or what it is called. It is kept by the die's id, wherever it is plugged in."""
    return answer.state(table.set_edie(uid, **body.changes()))


@router.post("/binding", response_model=StateView, responses=CHANGES)
def ask_for_a_press(body: PressBody, table: TheTable, services: TheServices, answer: TheAnswer) -> Response:
    """Ask for that player's die: the first e-die that is pressed within half a minute is theirs."""
    return answer.state(services.press.ask(table.name, body.player))


@router.post("/binding/cancel", response_model=StateView, responses=CHANGES)
def cancel_the_press(table: TheTable, services: TheServices, answer: TheAnswer) -> Response:
    """Ask no longer."""
    return answer.state(services.press.cancel(table.name))
