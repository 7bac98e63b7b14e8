"""What a person says of one die: what it shows, where it belongs, or that it counts for nothing."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from dicetower.api.bodies import AnswerBody, EvidencePath, PlaceBody, ReadingPath
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheAnswer, TheServices, TheTable
from dicetower.api.views import StateView

router = APIRouter(tags=["readings"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)
FOR_EVER = "private, max-age=31536000, immutable"
"""A crop's name is the hash of what is in it."""


@router.post("/tables/{table}/readings/{reading}/answer", response_model=StateView, responses=CHANGES)
def answer_reading(reading: ReadingPath, body: AnswerBody, table: TheTable, answer: TheAnswer) -> Response:
    """Say what a doubtful die shows."""
    return answer.state(table.answer(reading, body.die, body.value))


@router.post("/tables/{table}/readings/{reading}/place", response_model=StateView, responses=CHANGES)
def place_reading(reading: ReadingPath, body: PlaceBody, table: TheTable, answer: TheAnswer) -> Response:
    """Give an unassigned die to a slot that owes its type."""
    return answer.state(table.place(reading, body.slot))


@router.post(
    "/tables/{table}/readings/{reading}/dismiss",
    response_model=StateView,
    responses=documented(403, 404, 409, 413, 415, 422, 503),
)
def dismiss_reading(reading: ReadingPath, table: TheTable, answer: TheAnswer) -> Response:
    """Take an unassigned die off the screen; the journal keeps it."""
    return answer.state(table.dismiss(reading))


@router.get(
    "/evidence/{name}",
    response_class=FileResponse,
    responses=documented(404, 422) | {200: {"content": {"image/png": {}}, "description": "the crop"}},
)
def show_evidence(name: EvidencePath, services: TheServices) -> Response:
    """The crop that a doubtful die was read from."""
    return FileResponse(services.find_evidence(name), media_type="image/png", headers={"cache-control": FOR_EVER})
