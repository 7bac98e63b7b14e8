"""The rule pack and the odds over HTTP; the figures are RULINGS' worked ones, computed by hand there."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

SYSTEMS = "HEL RFAC HVC HKP MDC DFFG IAVR GMS SLAM HEF MAK DPL firefight close-assault"


def test_every_system_with_the_choices_it_has(client: TestClient) -> None:
    rules = client.get("/api/v1/rules").json()
    systems = {system["system"]: system for system in rules["systems"]}
    assert " ".join(systems) == SYSTEMS
    assert systems["HKP"]["vehicle_conditions"]["ranges"] == ["close", "medium", "long"]
    assert systems["HKP"]["infantry_conditions"] is None
    assert systems["firefight"]["infantry_conditions"]["needs_cover"] is True
    assert [team["die"] for team in systems["firefight"]["infantry"]] == ["D6", "D8", "D10", "D12"]
    assert rules["damage"] == {"die": "D10", "on": True, "by": "firer"}


def test_exact_odds_and_the_printed_figure_apart(client: TestClient) -> None:
    answer = client.post("/api/v1/odds", json={"system": "HEL", "size": 3, "armour": 3}).json()
    assert answer["printed"] == "50%"
    assert answer["odds"] == {"undamaged": "77/256", "damaged": "67/128", "destroyed": "45/256"}
    assert answer["after_table"] == {
        "undamaged": "113/320",
        "systems_down": "67/320",
        "mobility": "201/1280",
        "destroyed": "359/1280",
    }
    assert [(slot["by"], slot["die"]) for slot in answer["plan"]] == [
        ("firer", "D8"),
        ("firer", "D4"),
        ("target", "D8"),
        ("target", "D8"),
    ]


def test_odds_with_the_damage_table_off(client: TestClient) -> None:
    answer = client.post("/api/v1/odds", json={"system": "HEL", "size": 3, "armour": 3, "damage_table": False})
    assert answer.json()["after_table"] is None


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        ({"system": "HKP", "size": 9, "armour": 4, "range": "close"}, "size class of 1 to 5, got 9"),
        ({"system": "HKP", "size": 3, "range": "close"}, "Name one target"),
        ({"system": "HKP", "size": 3, "range": "close", "armour": 1, "infantry": "line"}, "got both"),
        ({"system": "HKP", "size": 3, "range": "close", "infantry": "line"}, "firefight"),
        ({"system": "HEL", "size": 3, "range": "close", "armour": 2}, "takes no range"),
        ({"system": "laser", "size": 3, "armour": 2}, "No weapon system 'laser'"),
        ({"system": "firefight", "size": 2, "infantry": "line"}, "needs a cover"),
    ],
)
def test_the_rules_refuse_in_their_own_sentence(client: TestClient, attack: dict[str, Any], said: str) -> None:
    answer = client.post("/api/v1/odds", json=attack)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:dicetower:problem:rules-refusal"
    assert said in problem["detail"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 422, "body: expected, and not there"),
        (b"{", 400, "Expected JSON"),
        (b"\xff", 400, "cannot be read"),
        (b"[" * 60_000, 400, "cannot be read"),
        (b'{"system":"HKP","size":' + b"1" * 5000 + b"}", 400, "cannot be read"),
        (b"null", 422, "body"),
        (b"[]", 422, "body: expected an object; got a list"),
        (b'"HKP"', 422, "body"),
        (b'{"system":"HKP"}', 422, "body size: expected, and not there"),
        (b'{"system":"HKP","size":"3"}', 422, "got '3'"),
        (b'{"system":"HKP","size":3.0}', 422, "got 3.0"),
        (b'{"system":"HKP","size":true}', 422, "got true"),
        (b'{"system":"HKP","size":1e999}', 422, "got inf"),
        (b'{"system":"HKP","size":NaN}', 422, "got nan"),
        (b'{"system":"\\ud800","size":3}', 422, "body system"),
        (b'{"system":"' + b"x" * 60_000 + b'","size":3}', 422, "body system"),
        (b'{"system":"HKP","size":3,"range":"far"}', 422, "'close'"),
        (b'{"system":"HKP","size":3,"speed":9}', 422, "body speed: there is no such key"),
        (b'{"system":{"a":1},"size":3}', 422, "got an object"),
    ],
)
def test_a_malformed_body_is_told_where_and_what(client: TestClient, body: bytes, status: int, said: str) -> None:
    answer = client.post("/api/v1/odds", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]
    assert len(answer.content) < 2000
