"""Attacks: declare, again, correct, confirm, void; and the dice of the open one: corrected, or owed again."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from dicetower.api.bodies import AttackPath, CorrectionBody, DeclareBody, ReasonBody, RerollBody, SlotPath, ValueBody
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheAnswer, TheTable
from dicetower.api.views import PreviewView, StateView

router = APIRouter(prefix="/tables/{table}", tags=["attacks"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)
BARE = documented(403, 404, 409, 413, 415, 422, 503)


@router.post("/attacks", response_model=StateView, responses=CHANGES)
def declare(body: DeclareBody, table: TheTable, answer: TheAnswer) -> Response:
    """Declare an attack; refused while one is open."""
    return answer.state(table.declare(body.attack(), body.firer, body.target))


@router.post("/again", response_model=StateView, responses=BARE)
def again(table: TheTable, answer: TheAnswer) -> Response:
    """Declare the last attack once more."""
    return answer.state(table.again())


@router.post("/attacks/{attack}/correction", response_model=StateView | PreviewView, responses=CHANGES)
def correct(attack: AttackPath, body: CorrectionBody, table: TheTable, answer: TheAnswer) -> Response:
    """Say what a corrected declaration would keep and what would be owed again; with `confirm`, do it."""
    declared = body.attack()
    if not body.confirm:
        return answer.preview(table.preview_correction(attack, declared, body.firer, body.target))
    return answer.state(table.correct_declaration(attack, declared, body.firer, body.target, body.seq))


@router.post("/attacks/{attack}/confirm", response_model=StateView, responses=BARE)
def confirm(attack: AttackPath, table: TheTable, answer: TheAnswer) -> Response:
    """Resolve an attack whose outcome was taken back and whose dice are all there."""
    return answer.state(table.confirm(attack))


@router.post("/attacks/{attack}/void", response_model=StateView, responses=CHANGES)
def void(attack: AttackPath, body: ReasonBody, table: TheTable, answer: TheAnswer) -> Response:
    """End an open attack without an outcome; its dice stay in the journal."""
    return answer.state(table.void(attack, body.reason))


@router.post("/attacks/{attack}/slots/{slot}/value", response_model=StateView, responses=CHANGES)
def correct_value(attack: AttackPath, slot: SlotPath, body: ValueBody, table: TheTable, answer: TheAnswer) -> Response:
    """Correct a misread die; logged."""
    return answer.state(table.correct_value(attack, slot, body.value, body.reason))


@router.post("/attacks/{attack}/reroll", response_model=StateView, responses=CHANGES)
def reroll(attack: AttackPath, body: RerollBody, table: TheTable, answer: TheAnswer) -> Response:
    """Owe those dice again; logged."""
    return answer.state(table.reroll(attack, body.slots, body.reason))
