"""Whose each e-die is and what it is called, at a table and over HTTP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import Bench, a_bench

from dicetower.api.views import StateView
from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.model import Attack, Die, Reading, ReadingStatus, SourceHealth, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.store.memory import MemoryStore
from dicetower.table import Table, Tables

T = "/api/v1/tables/main"
UID, OTHER = "00c0ffee00c0ffee", "1dea1dea1dea1dea"


@pytest.fixture
def table() -> Table:
    return Tables(MemoryStore(), standard()).open("main")


def late_roll(number: int) -> Throw:
    key = f"edie:{UID}:{number}"
    reading = Reading(key, SourceKind.EDIE, Die.D8, 5, ReadingStatus.SURE, device=UID, late=True)
    return Throw(key, SourceKind.EDIE, (reading,), 0)


def known(table: Table) -> list[dict[str, Any]]:
    dice: list[dict[str, Any]] = table.view()["edice"]
    return dice


def test_a_die_is_kept_by_its_id_with_name_and_player(table: Table) -> None:
    table.set_edie(UID, player="red")
    table.set_edie(OTHER, name="  Old   faithful ")
    table.set_edie(UID, name="Lucky")
    assert known(table) == [
        {"uid": UID, "name": "Lucky", "player": "red"},
        {"uid": OTHER, "name": "Old faithful", "player": None},
    ]
    table.set_edie(UID, player="", name="")
    assert known(table)[0] == {"uid": UID, "name": "", "player": None}


def test_what_stands_so_already_is_no_event(table: Table) -> None:
    seq = table.set_edie(UID, player="red")["seq"]
    assert table.set_edie(UID, player="red")["seq"] == seq
    assert table.set_edie(OTHER, player="")["seq"] == seq


@pytest.mark.parametrize("uid", ["", "0" * 16, "00C0FFEE00C0FFEE", "00c0ffee00c0ffe", f"{UID}0", "٠" * 16])
def test_an_id_that_cannot_be_is_refused(table: Table, uid: str) -> None:
    with pytest.raises(BadInput, match="an e-die's id of 16"):
        table.set_edie(uid, player="red")


def test_a_player_that_is_not_there_and_a_name_that_cannot_be_are_refused(table: Table) -> None:
    with pytest.raises(NotFound, match="No player 'green'"):
        table.set_edie(UID, player="green")
    for name in ("x" * 31, "a\u2800b", "a\u202eb"):
        with pytest.raises(BadInput, match="at most 30 printable"):
            table.set_edie(UID, name=name)
    table.set_edie(OTHER, name="Lucky")
    with pytest.raises(BadInput, match="no other e-die has"):
        table.set_edie(UID, name="LUCKY")
    assert len(known(table)) == 1


def test_a_table_knows_no_end_of_dice_but_changes_those_it_knows(table: Table) -> None:
    for n in range(1, 65):
        table.set_edie(f"{n:016x}", player="red")
    with pytest.raises(Conflict, match="64 e-dice already"):
        table.set_edie(UID, player="red")
    table.set_edie(f"{64:016x}", player="blue")


def test_it_outlasts_a_restart_and_undo_leaves_it() -> None:
    store = MemoryStore()
    table = Tables(store, standard()).open("main")
    table.set_edie(UID, player="red", name="Lucky")
    table.declare(Attack("HKP", 3, range="medium", armour=4), "red", "blue")
    table.undo()
    again = Tables(store, standard()).open("main")
    assert again.view() == table.view()
    assert known(again) == [{"uid": UID, "name": "Lucky", "player": "red"}]


def test_the_roll_it_was_bound_by_leaves_the_screen_and_stays_in_the_export(table: Table) -> None:
    table.throw(late_roll(1))
    table.throw(late_roll(2))
    table.set_edie(UID, player="red", pressed=f"edie:{UID}:2")
    assert [die["reading"] for die in table.view()["unassigned"]] == [f"edie:{UID}:1"]
    (row,) = [row for row in table.export() if row.get("reading") == f"edie:{UID}:2"]
    assert (row["fate"], row["why"], row["value"]) == ("dismissed", "it was pressed to say whose die it is", 5)


def test_a_roll_pressed_for_the_player_the_die_has_already_leaves_the_screen_too(table: Table) -> None:
    table.set_edie(UID, player="red")
    table.throw(late_roll(1))
    assert table.set_edie(UID, player="red", pressed=f"edie:{UID}:1")["unassigned"] == []


def test_the_line_an_e_die_sent_is_no_picture(table: Table) -> None:
    roll = late_roll(1)
    (reading,) = roll.readings
    line = replace(reading, evidence="$12 ROLL roll=1*0000", status=ReadingStatus.UNSURE, value=None)
    table.throw(replace(roll, readings=(line,)))
    (loose,) = table.view()["unassigned"]
    assert (loose["evidence"], loose["question"]["evidence"]) == (None, None)


def test_over_http(client: TestClient) -> None:
    answer = client.patch(f"{T}/edice/{UID}", json={"player": "red", "name": "Lucky"})
    StateView.model_validate(answer.json())
    assert answer.json()["edice"] == [{"uid": UID, "name": "Lucky", "player": "red"}]
    assert client.patch(f"{T}/edice/{UID}", json={"player": None}).json()["edice"][0]["player"] is None
    assert client.patch(f"{T}/edice/{UID}", json={}).json()["edice"][0]["name"] == "Lucky"


@pytest.mark.parametrize(
    ("call", "path", "body", "status", "said"),
    [
        ("PATCH", "edice/lucky", {"player": "red"}, 422, "an e-die's id of 16"),
        ("PATCH", f"edice/{UID}", {"player": "green"}, 404, "No player 'green'"),
        ("PATCH", f"edice/{UID}", {"colour": "#ffffff"}, 422, "colour"),
        ("POST", "edice/binding", {}, 422, "player"),
        ("POST", "edice/binding", {"player": "red"}, 409, "start it with --edie"),
        ("POST", "edice/binding/cancel", None, 409, "start it with --edie"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    client: TestClient, call: str, path: str, body: Any, status: int, said: str
) -> None:
    answer = client.request(call, f"{T}/{path}", json=body)
    assert (answer.status_code, said in answer.text) == (status, True)


def test_an_unplugged_die_of_no_configured_port_does_not_make_the_service_unready(bench: Bench) -> None:
    detail = {"kind": "e-die", "uid": UID, "plugged": False}
    bench.sources.append(SourceHealth("e-die 00c0ff", "lost", ok=False, reason="gone", detail=detail))
    bench.sources.append(SourceHealth("press", "asking", ok=True, detail={"kind": "pressing", "player": "red"}))
    with bench.client() as client:
        ready = client.get("/readyz")
        assert ready.status_code == 200
        assert [part["name"] for part in ready.json()["parts"]] == ["database", "e-die 00c0ff", "camera"]
        assert 'name="press"' not in client.get("/metrics").text


def test_a_die_at_a_configured_port_that_is_lost_does(tmp_path: Any) -> None:
    bench = a_bench(MemoryStore(), tmp_path)
    bench.sources.append(SourceHealth("e-die 00c0ff", "lost", False, "gone", {"kind": "e-die", "uid": UID}))
    with bench.client() as client:
        assert client.get("/readyz").status_code == 503
