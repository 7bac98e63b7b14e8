"""A table over HTTP: its state, whole and of the documented shape, its players, its settings, its attacks."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import HKP

from dicetower.api.views import PreviewView, StateView

T = "/api/v1/tables/main"
FIREFIGHT = {
    "system": "firefight", "size": 2, "infantry": "line", "cover": "soft", "firer": "red", "target": "blue"
}  # fmt: skip


def state(answer: Any) -> Any:
    """The state that came, of the very shape `/docs` shows: no key more, none less."""
    assert answer.status_code == 200, answer.text
    StateView.model_validate(answer.json())
    return answer.json()


def post(client: TestClient, path: str, body: dict[str, Any] | None = None) -> Any:
    return state(client.post(f"{T}/{path}", json=body) if body is not None else client.post(f"{T}/{path}"))


def throw(client: TestClient, request: str, *dice: tuple[str, int]) -> Any:
    made = [{"die": die, "value": value} for die, value in dice]
    return post(client, "throws", {"request": request, "dice": made})


def refused(answer: Any, status: int, said: str) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "/api/v1/tables", {"table": "Club Night"}, "a table's name of 1 to 32 of a-z, 0-9 and hyphens"),
        ("GET", "/api/v1/tables/A", None, "a table's name"),
        ("POST", f"{T}/attacks", HKP | {"firer": "Red"}, "a player's id of 1 to 64 of a-z"),
        ("POST", f"{T}/throws", {"request": "a b", "dice": [{"die": "D8", "value": 1}]}, "a request's name"),
        ("POST", f"{T}/players", {"name": "Green", "colour": "green"}, "a colour such as #d1495b"),
        ("GET", "/api/v1/evidence/x.png", None, "a crop's name"),
    ],
)
def test_a_name_that_cannot_be_is_told_in_words(
    client: TestClient, method: str, path: str, body: Any, said: str
) -> None:
    answer = client.request(method, path, json=body)
    refused(answer, 422, f"expected {said}")
    assert "pattern" not in answer.json()["detail"]


def test_a_new_table_is_opened_once_and_listed(client: TestClient) -> None:
    first = state(client.post("/api/v1/tables", json={"table": "hall-2"}))
    again = state(client.post("/api/v1/tables", json={"table": "hall-2"}))
    assert first == again
    assert first["attack"] is None
    assert client.get("/api/v1/tables").json() == {"tables": ["hall-2", "main"]}


@pytest.mark.parametrize("name", ["", "Main", "../x", "a" * 33, "-a", "a\u0000", "ä", " main", "a/b"])
def test_a_table_has_a_plain_name(client: TestClient, name: str) -> None:
    refused(client.post("/api/v1/tables", json={"table": name}), 422, "body table")


@pytest.mark.parametrize("path", ["", "/export", "/events"])
def test_a_table_that_nobody_opened_is_not_found(client: TestClient, path: str) -> None:
    refused(client.get(f"/api/v1/tables/none{path}"), 404, "no table 'none'")


def test_the_worked_attack_from_declaration_to_outcome(client: TestClient) -> None:
    declared = post(client, "attacks", HKP)["attack"]
    assert [slot["die"] for slot in declared["slots"]] == ["D8", "D6", "D10", "D8"]
    assert declared["owes"] == ["Red owes D8 size, D6 effectiveness"]
    throw(client, "r1", ("D8", 5), ("D6", 3))
    damaged = throw(client, "r2", ("D10", 7), ("D8", 3))["attack"]
    assert (damaged["state"], damaged["outcome"]["outcome"]) == ("damage", "damaged")
    ended = throw(client, "r3", ("D10", 6))
    assert ended["attack"]["outcome"]["final"] == "mobility"
    assert ended["last"][0]["id"] == ended["attack"]["id"]
    assert state(client.get(T)) == ended


def test_again_declares_the_same_and_only_when_none_is_open(client: TestClient) -> None:
    refused(client.post(f"{T}/again"), 409, "declare one first")
    post(client, "attacks", FIREFIGHT)
    refused(client.post(f"{T}/again"), 409, "still open")
    refused(client.post(f"{T}/attacks", json=HKP), 409, "still open")
    throw(client, "r1", ("D6", 6), ("D4", 4))
    assert throw(client, "r2", ("D8", 8), ("D8", 5))["attack"]["outcome"]["final"] == "undamaged"
    assert post(client, "again")["attack"]["title"] == "Firefight, 2 chits, against Line infantry, soft cover"


def test_a_correction_is_told_before_it_is_done_and_refused_if_the_table_moved(client: TestClient) -> None:
    attack = post(client, "attacks", HKP)["attack"]["id"]
    throw(client, "r1", ("D8", 5), ("D6", 3))
    corrected = HKP | {"armour": 5}
    preview = client.post(f"{T}/attacks/{attack}/correction", json=corrected).json()
    PreviewView.model_validate(preview)
    assert preview["keeps"] == ["firer size", "firer effectiveness"]
    throw(client, "r2", ("D8", 1))
    confirm = corrected | {"confirm": True, "seq": preview["seq"]}
    refused(client.post(f"{T}/attacks/{attack}/correction", json=confirm), 409, "moved on")
    done = post(client, f"attacks/{attack}/correction", corrected | {"confirm": True})["attack"]
    assert [(slot["die"], slot["value"]) for slot in done["slots"]][:3] == [("D8", 5), ("D6", 3), ("D12", None)]


def test_undo_tells_first_and_never_takes_a_thrown_die(client: TestClient) -> None:
    refused(client.post(f"{T}/undo", json={}), 409, "")
    post(client, "attacks", FIREFIGHT)
    throw(client, "r1", ("D6", 6), ("D4", 4))
    throw(client, "r2", ("D8", 8), ("D8", 5))
    before = state(client.get(T))
    preview = client.post(f"{T}/undo", json={"confirm": False}).json()
    PreviewView.model_validate(preview)
    assert state(client.get(T)) == before
    undone = post(client, "undo", {"confirm": True, "seq": preview["seq"]})["attack"]
    assert (undone["reopened"], undone["outcome"]) == (True, None)
    assert [slot["value"] for slot in undone["slots"]] == [6, 4, 8, 5]
    assert post(client, f"attacks/{undone['id']}/confirm")["attack"]["outcome"]["final"] == "undamaged"


def test_void_value_and_reroll_want_a_reason(client: TestClient) -> None:
    attack = post(client, "attacks", HKP)["attack"]["id"]
    throw(client, "r1", ("D8", 5), ("D6", 3))
    path = f"attacks/{attack}/slots/firer size/value"
    refused(client.post(f"{T}/{path}", json={"value": 6, "reason": "  "}), 422, "something to read")
    refused(client.post(f"{T}/{path}", json={"value": 6, "reason": "a\nb"}), 422, "one line")
    refused(client.post(f"{T}/{path}", json={"value": 9, "reason": "misread"}), 422, "D8")
    slot = post(client, path, {"value": 6, "reason": "misread"})["attack"]["slots"][0]
    assert (slot["value"], slot["by_person"]) == (6, True)
    body = {"slots": ["firer effectiveness"], "reason": "it fell off the table"}
    assert post(client, f"attacks/{attack}/reroll", body)["attack"]["slots"][1]["state"] == "owed"
    ended = post(client, f"attacks/{attack}/void", {"reason": "wrong target"})
    assert ended["attack"]["state"] == "void"


def test_an_attack_or_reading_that_is_none_is_not_found(client: TestClient) -> None:
    post(client, "attacks", HKP)
    refused(client.post(f"{T}/attacks/a99/void", json={"reason": "x"}), 404, "a99")
    refused(client.post(f"{T}/readings/typed:x:0/answer", json={"value": 3}), 404, "typed:x:0")
    refused(client.post(f"{T}/attacks/a1/slots/nose/value", json={"value": 3, "reason": "x"}), 422, "firer size")


def test_players_are_seated_changed_and_told_apart(client: TestClient) -> None:
    seated = post(client, "players", {"name": "Grün"})["players"]
    assert [player["name"] for player in seated] == ["Red", "Blue", "Grün"]
    changed = state(client.patch(f"{T}/players/red", json={"colour": "#AA0000"}))["players"][0]
    assert (changed["id"], changed["colour"]) == ("red", "#aa0000")
    refused(client.patch(f"{T}/players/nobody", json={"name": "X"}), 404, "nobody")
    refused(client.post(f"{T}/players", json={"name": "Red"}), 422, "nobody else has")
    refused(client.post(f"{T}/players", json={"name": "\u202e\u0007"}), 422, "printable")
    refused(client.post(f"{T}/players", json={"name": "x", "colour": "red"}), 422, "body colour")


def test_settings_change_some_and_leave_the_rest(client: TestClient) -> None:
    before = state(client.get(T))["settings"]
    after = state(client.patch(f"{T}/settings", json={"virtual": True, "cocked": "reroll"}))["settings"]
    assert after == before | {"virtual": True, "cocked": "reroll"}
    refused(client.patch(f"{T}/settings", json={"virtual": None}), 422, "virtual")
    refused(client.patch(f"{T}/settings", json={"vitual": True}), 422, "no such key")
    refused(client.patch(f"{T}/settings", json={"zones": [{"name": "a", "player": "green"}]}), 422, "green")


def test_export_holds_every_attack_and_every_die(client: TestClient) -> None:
    post(client, "attacks", HKP)
    throw(client, "r1", ("D8", 5), ("D12", 11))
    rows = client.get(f"{T}/export").json()
    assert [row["record"] for row in rows] == ["attack", "die", "die"]
    sheet = client.get(f"{T}/export", params={"format": "csv"})
    assert sheet.headers["content-type"].startswith("text/csv")
    assert "main.csv" in sheet.headers["content-disposition"]
    read = list(csv.DictReader(io.StringIO(sheet.text)))
    assert [(row["record"], row["die"], row["value"]) for row in read] == [
        ("attack", "", ""),
        ("die", "D8", "5"),
        ("die", "D12", "11"),
    ]
    refused(client.get(f"{T}/export", params={"format": "xml"}), 422, "'json'")


def test_a_players_name_is_no_formula_in_the_spreadsheet(client: TestClient) -> None:
    state(client.patch(f"{T}/players/red", json={"name": "=1+1"}))
    post(client, "attacks", HKP)
    sheet = client.get(f"{T}/export", params={"format": "csv"})
    assert next(csv.DictReader(io.StringIO(sheet.text)))["firer"] == "'=1+1"


def test_a_table_where_nothing_happened_exports_nothing(client: TestClient) -> None:
    assert client.get(f"{T}/export").json() == []
    sheet = client.get(f"{T}/export", params={"format": "csv"}).text
    assert sheet.startswith("record,table,attack,")
    assert sheet.count("\r\n") == 1, "the head line alone"


def test_fairness_claims_nothing_of_a_few_rolls(client: TestClient) -> None:
    assert client.get(f"{T}/fairness").json()["dice"] == []
    post(client, "attacks", HKP)
    throw(client, "r1", ("D8", 5))
    (die,) = client.get(f"{T}/fairness").json()["dice"]
    assert (die["player"], die["source"], die["die"], die["rolls"], die["p"]) == ("Red", "typed", "D8", 1, None)
    assert die["counts"] == [0, 0, 0, 0, 1, 0, 0, 0]
    assert die["says"] == "not enough rolls: 1 of the 40 that a D8 needs"
