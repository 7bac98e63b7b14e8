"""Photographs of real dice through the whole service: upload, a D6 slot, the others typed, the outcome.

The photographs are other people's and lie beside the checkout (`../shared/data`): they are read there, never copied.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import ADDRESS

from dicetower.cli.recording import Record
from dicetower.cli.serve import opened
from dicetower.settings import Settings
from dicetower.sources import tape
from dicetower.tapes.replay import replay

DATA = Path(__file__).parents[3] / "shared/data"
T = "/api/v1/tables/main"
SINGLE = {
    1: "train_dice_1", 2: "train_two_1", 3: "train_three_1", 4: "train_four_1", 5: "train_five_2", 6: "train_six_1",
}  # fmt: skip
PAIRS = {1: "train_dice_11", 4: "train_four_11", 5: "train_five_11"}


@pytest.fixture(scope="module", autouse=True)
def photographs() -> None:
    if not DATA.is_dir():
        assert os.environ.get("CI") != "true", f"{DATA} is missing, and in CI it must be there"
        pytest.skip(f"{DATA} is not on this machine")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A service as `dicetower record` starts it: journal, evidence, the real reader, a tape."""
    chosen = Settings(journal=str(tmp_path / "journal.db"))
    with opened(chosen, Record(tmp_path / "tape")) as app, TestClient(app, base_url=ADDRESS) as made:
        yield made


def wood_desk(name: str) -> bytes:
    return (DATA / f"photos/wood-desk/{name}.jpg").read_bytes()


def labels(name: str) -> list[int]:
    with (DATA / "labels.csv").open(newline="") as file:
        return [int(row["value"]) for row in csv.DictReader(file) if row["file"] == f"wood-desk/{name}.jpg"]


def post(client: TestClient, path: str, body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def photograph(client: TestClient, name: str) -> Any:
    answer = client.post(f"{T}/photo", files={"photo": wood_desk(name)}, data={"request": name})
    assert answer.status_code == 200, answer.text
    return answer.json()


def slot(state: Any, name: str) -> Any:
    return next(slot for slot in state["attack"]["slots"] if slot["slot"] == name)


def firefight(client: TestClient) -> None:
    """One D6 is owed, for the firer's effectiveness, beside a D4, a D8 and a D8."""
    attack = {"system": "firefight", "size": 1, "infantry": "line", "cover": "open", "firer": "red", "target": "blue"}
    post(client, f"{T}/attacks", attack)


def typed(client: TestClient, request: str, **faces: int) -> Any:
    dice = [{"slot": name.replace("_", " "), "value": value} for name, value in faces.items()]
    return post(client, f"{T}/throws", {"request": request, "dice": dice})


@pytest.mark.parametrize(("value", "name"), SINGLE.items())
def test_a_photographed_d6_fills_its_slot_and_the_attack_comes_to_what_it_must(
    client: TestClient, value: int, name: str
) -> None:
    assert labels(name) == [value]
    firefight(client)
    shown = slot(photograph(client, name), "firer effectiveness")
    assert (shown["state"], shown["value"], shown["source"]) == ("filled", value, "camera")
    state = typed(client, "rest", firer_size=1, target_armour=8, target_effectiveness=4)
    outcome = state["attack"]["outcome"]
    assert outcome["pairs_to_target"] == 1 + (value < 4)
    assert outcome["final"] == "undamaged", "one pair is enough for infantry"


@pytest.mark.parametrize(("value", "name"), PAIRS.items())
def test_two_of_a_kind_in_one_photograph_fill_two_slots(client: TestClient, value: int, name: str) -> None:
    assert labels(name) == [value, value]
    attack = {"system": "HKP", "size": 2, "range": "medium", "armour": 1, "firer": "red", "target": "blue"}
    post(client, f"{T}/attacks", attack)
    state = photograph(client, name)
    assert [slot(state, name)["value"] for name in ("firer size", "firer effectiveness")] == [value, value]
    state = typed(client, "rest", target_armour=4, target_effectiveness=8)
    damaged = value >= 4
    assert state["attack"]["state"] == ("damage" if damaged else "resolved")
    if damaged:
        state = typed(client, "d10", damage=7)
    assert state["attack"]["outcome"]["final"] == ("mobility" if damaged else "undamaged")


def test_the_crop_a_die_was_read_from_can_be_seen(client: TestClient, tmp_path: Path) -> None:
    firefight(client)
    photograph(client, SINGLE[6])
    crops = list((tmp_path / "journal.evidence").iterdir())
    assert crops
    answer = client.get(f"/api/v1/evidence/{crops[0].name}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


def test_the_same_photograph_sent_twice_is_one_throw(client: TestClient) -> None:
    firefight(client)
    assert photograph(client, SINGLE[5]) == photograph(client, SINGLE[5])
    dice = [row for row in client.get(f"{T}/export").json() if row["record"] == "die"]
    assert [die["value"] for die in dice] == [5]


def test_photographs_on_a_tape_are_read_again_to_the_same_end(tmp_path: Path) -> None:
    """The tape holds the photographs as they came, and lies in a test's own folder alone."""
    chosen = Settings(journal=str(tmp_path / "journal.db"))
    with opened(chosen, Record(tmp_path / "tape")) as app, TestClient(app, base_url=ADDRESS) as client:
        firefight(client)
        photograph(client, SINGLE[3])
        typed(client, "rest", firer_size=4, target_armour=4, target_effectiveness=3)
    done = replay(tape.read(tmp_path / "tape"))
    assert done.differences == ()
    assert [row["outcome"]["final"] for row in done.attacks()] == ["destroyed"]
    assert done.tape.bytes_of("frames/0001.jpg") == wood_desk(SINGLE[3])
