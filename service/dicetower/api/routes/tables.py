"""Tables: which there are, one's state, its settings and players, undo and export."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from dicetower import stats
from dicetower.api.bodies import Confirmed, PlayerBody, PlayerChange, PlayerPath, SettingsChange, TableBody
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheAnswer, TheServices, TheTable
from dicetower.api.sheet import sheet
from dicetower.api.views import FairnessView, PreviewView, StateView, TablesView

router = APIRouter(prefix="/tables", tags=["tables"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)


@router.get("", response_model=TablesView, responses=documented(503))
def list_tables(services: TheServices) -> Response:
    """The names of all tables of this journal."""
    return JSONResponse({"tables": services.tables.names()})


@router.post("", response_model=StateView, responses=documented(400, 403, 409, 413, 415, 422, 503))
def open_table(body: TableBody, services: TheServices, answer: TheAnswer) -> Response:
    """Open a table, new or not, and answer its state."""
    return answer.state(services.tables.open(body.table).view())


@router.get("/{table}", response_model=StateView, responses=documented(404, 422, 503))
def show_table(table: TheTable, answer: TheAnswer) -> Response:
    """The table's whole state."""
    return answer.state(table.view())


@router.patch("/{table}/settings", response_model=StateView, responses=CHANGES)
def change_settings(body: SettingsChange, table: TheTable, answer: TheAnswer) -> Response:
    """Change some of the table's rules of the house."""
    return answer.state(table.change_settings(body.changes()))


@router.post("/{table}/players", response_model=StateView, responses=CHANGES)
def seat_player(body: PlayerBody, table: TheTable, answer: TheAnswer) -> Response:
    """Seat a player."""
    return answer.state(table.seat(body.name, body.colour, body.shape))


@router.patch("/{table}/players/{player}", response_model=StateView, responses=CHANGES)
def change_player(player: PlayerPath, body: PlayerChange, table: TheTable, answer: TheAnswer) -> Response:
    """Change a player's name, colour or shape; the id stays."""
    return answer.state(table.change_player(player, name=body.name, colour=body.colour, shape=body.shape))


@router.post("/{table}/undo", response_model=StateView | PreviewView, responses=CHANGES)
def undo(body: Confirmed, table: TheTable, answer: TheAnswer) -> Response:
    """Say what undo would take back; with `confirm`, do it. A die that was thrown is never taken back."""
    if not body.confirm:
        return answer.preview(table.preview_undo())
    return answer.state(table.undo(body.seq))


@router.get("/{table}/fairness", response_model=FairnessView, responses=documented(404, 422, 503))
def show_fairness(table: TheTable) -> dict[str, Any]:
    """How evenly the dice fell and how often attacks came to each outcome: no more than the rolls can carry."""
    rows = table.export()
    return {
        "dice": [asdict(each) for each in stats.fairness(stats.rolls(rows))],
        "outcomes": [asdict(each) for each in stats.history(rows)],
    }


EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "the file", "content": {"application/json": {}, "text/csv": {}}},
}


@router.get("/{table}/export", response_class=Response, responses=EXPORTED | documented(404, 422, 503))
def export(
    table: TheTable,
    form: Annotated[Literal["json", "csv"], Query(alias="format", description="the file's form")] = "json",
) -> Response:
    """Every attack and every die, as a file."""
    rows = table.export()
    name = {"content-disposition": f'attachment; filename="{table.name}.{form}"'}
    if form == "csv":
        return Response(sheet(rows), media_type="text/csv", headers=name)
    return JSONResponse(rows, headers=name)
