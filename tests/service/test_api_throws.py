"""Throws over HTTP: the same request is one throw, races too; photographs are read, asked about, and shown."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import HKP, Bench

from dicetower.api.guard import LARGEST_PHOTO
from dicetower.api.reading import WAITING_MAX
from dicetower.api.views import StateView
from dicetower.errors import BadPicture, StoreError
from dicetower.model import Die, Reading, ReadingStatus, SourceKind
from dicetower.table import TypedDie

T = "/api/v1/tables/main"
TWO = [{"die": "D8", "value": 5}, {"die": "D6", "value": 3}]


def state(answer: Any) -> Any:
    assert answer.status_code == 200, answer.text
    StateView.model_validate(answer.json())
    return answer.json()


def refused(answer: Any, status: int, said: str) -> None:
    assert answer.status_code == status, answer.text
    assert said in answer.json()["detail"]


def values(shown: Any) -> list[int | None]:
    return [slot["value"] for slot in shown["attack"]["slots"]]


def test_the_same_request_twice_is_one_throw(client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    body = {"request": "r1", "dice": TWO}
    first, again = state(client.post(f"{T}/throws", json=body)), state(client.post(f"{T}/throws", json=body))
    assert first == again
    assert again["unassigned"] == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dice": [{"die": "D10", "value": 6}, TWO[1]]}, "a D8 showing 5 and a D6 showing 3"),
        ({"dice": [TWO[0], {"die": "D6", "value": 4}]}, "of other dice"),
        ({"dice": TWO[::-1]}, "of other dice"),
        ({"dice": TWO[:1]}, "of other dice"),
        ({"dice": [*TWO, {"die": "D12", "value": 1}]}, "of other dice"),
        ({"dice": [TWO[0], {"slot": "firer effectiveness", "value": 3}]}, "of other dice"),
        ({"player": "red"}, "of other dice"),
    ],
)
def test_a_request_that_comes_again_with_other_dice_is_refused(
    bench: Bench, client: TestClient, change: dict[str, Any], says: str
) -> None:
    client.post(f"{T}/attacks", json=HKP)
    body = {"request": "r1", "dice": TWO}
    first = state(client.post(f"{T}/throws", json=body))
    refused(client.post(f"{T}/throws", json=body | change), 409, says)
    assert state(client.get(T)) == first, "nothing was taken, and nothing lost"
    after = bench.tables.open("main").type_dice("r2", [TypedDie(7, Die.D10), TypedDie(0, Die.D10)])
    assert after["seq"] > first["seq"]
    assert state(client.post(f"{T}/throws", json=body))["seq"] == after["seq"], "the first is still the first"


def test_a_tens_face_typed_as_0_or_10_is_the_same_die(client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    client.post(f"{T}/throws", json={"request": "r1", "dice": TWO})
    slot = {"slot": "target armour"}
    first = state(client.post(f"{T}/throws", json={"request": "r2", "dice": [slot | {"value": 0}]}))
    assert state(client.post(f"{T}/throws", json={"request": "r2", "dice": [slot | {"value": 10}]})) == first


def test_two_that_race_with_one_request_are_one_throw(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    together = threading.Barrier(16)

    def send(_: int) -> Any:
        together.wait(30)
        return state(client.post(f"{T}/throws", json={"request": "same", "dice": TWO}))

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(send, range(16)))
    assert {tuple(values(answer)) for answer in answers} == {(5, 3, None, None)}
    thrown = [row for row in bench.store.read("main") if row.kind == "dice thrown"]
    assert len(thrown) == 1


def test_races_with_different_requests_lose_no_die(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    with ThreadPoolExecutor(8) as pool:
        bodies = [{"request": f"r{n}", "dice": [{"die": "D20", "value": n + 1}]} for n in range(20)]
        list(pool.map(lambda body: state(client.post(f"{T}/throws", json=body)), bodies))
    shown = state(client.get(T))
    assert sorted(die["value"] for die in shown["unassigned"]) == list(range(1, 21))


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"dice": TWO}, 422, "body request"),
        ({"request": "a/b", "dice": TWO}, 422, "body request"),
        ({"request": "x" * 65, "dice": TWO}, 422, "body request"),
        ({"request": "r", "dice": []}, 422, "body dice"),
        ({"request": "r", "dice": [TWO[0]] * 21}, 422, "body dice"),
        ({"request": "r", "dice": [{"die": "D7", "value": 1}]}, 422, "'D4'"),
        ({"request": "r", "dice": [{"die": "D8", "value": 9}]}, 422, "D8"),
        ({"request": "r", "dice": [{"die": "D8", "value": 0}]}, 422, "D8"),
        ({"request": "r", "dice": [{"die": "D8", "value": -1}]}, 422, "body dice 0 value"),
        ({"request": "r", "dice": [{"die": "D8", "value": 10**30}]}, 422, "body dice 0 value"),
        ({"request": "r", "dice": [{"value": 3}]}, 422, "type or its slot"),
        ({"request": "r", "dice": [{"value": 3, "slot": "firer size", "die": "D10"}]}, 422, "D8"),
        ({"request": "r", "dice": [{"value": 3, "slot": "damage"}]}, 409, "damage"),
        ({"request": "r", "player": "green", "dice": TWO}, 404, "green"),
    ],
)
def test_dice_that_cannot_be_are_refused_and_nothing_is_kept(
    bench: Bench, client: TestClient, body: dict[str, Any], status: int, said: str
) -> None:
    client.post(f"{T}/attacks", json=HKP)
    before = bench.tables.get("main").seq
    refused(client.post(f"{T}/throws", json=body), status, said)
    assert bench.tables.get("main").seq == before


def test_a_typed_zero_is_ten_on_a_d10(client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    dice = [{"slot": "target armour", "value": 0}]
    assert values(state(client.post(f"{T}/throws", json={"request": "r", "dice": dice})))[2] == 10


def test_the_system_throws_only_where_the_table_turned_it_on(client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    refused(client.post(f"{T}/virtual", json={"request": "v1", "player": "red"}), 409, "off")
    client.patch(f"{T}/settings", json={"virtual": True})
    slots = state(client.post(f"{T}/virtual", json={"request": "v1", "player": "red"}))["attack"]["slots"]
    assert [slot["source"] for slot in slots] == ["virtual", "virtual", None, None]
    assert state(client.post(f"{T}/virtual", json={"request": "v1"}))["attack"]["slots"] == slots
    refused(client.post(f"{T}/virtual", json={"request": "v1", "player": "blue"}), 409, "of other dice")


def test_a_journal_that_cannot_take_it_answers_503_and_the_table_stands(
    bench: Bench, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(f"{T}/attacks", json=HKP)

    def full(*_: object) -> None:
        raise StoreError("The journal cannot grow: the disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(bench.store, "append", full)
        refused(client.post(f"{T}/throws", json={"request": "r1", "dice": TWO}), 503, "disk is full")
    assert values(state(client.get(T))) == [None] * 4
    assert values(state(client.post(f"{T}/throws", json={"request": "r1", "dice": TWO}))) == [5, 3, None, None]


def seen(throw: str, n: int, die: Die | None, value: int | None, evidence: str | None = None) -> Reading:
    status = ReadingStatus.UNSURE if value is None else ReadingStatus.SURE
    doubt = ((3, 0.6), (5, 0.4)) if value is None else ((value, 0.99),)
    at = (0.2 + 0.1 * n, 0.5)
    return Reading(
        f"camera:{throw}:{n}", SourceKind.CAMERA, die, value, status, 0.6, candidates=doubt, at=at, evidence=evidence
    )


def photo(client: TestClient, picture: bytes = b"picture", **fields: str) -> Any:
    return client.post(f"{T}/photo", files={"photo": ("tray.jpg", picture)}, data=fields)


def test_a_photograph_fills_a_slot_and_knows_what_is_owed(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D6, 3),)
    shown = state(photo(client, player="red", request="p1"))
    assert shown["attack"]["slots"][1] | {"reading": ""} == {
        "slot": "firer effectiveness", "by": "firer", "player": "red", "die": "D6", "state": "filled", "value": 3,
        "source": "camera", "reading": "", "by_person": False, "cocked": False, "question": None,
    }  # fmt: skip
    assert bench.reader.asked == [(b"picture", "p1", "red", ("D8", "D6", "D10", "D8"))]


def test_text_in_place_of_a_photograph_is_said_so(client: TestClient) -> None:
    answer = client.post(f"{T}/photo", files={"photo": (None, "text")})
    refused(answer, 422, "body photo: expected a file; got text, 'text'.")


def test_a_photograph_sent_again_is_one_throw(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D6, 3), seen(throw, 1, Die.D12, 9))
    first = state(photo(client, request="p1"))
    assert state(photo(client, request="p1")) == first
    assert state(photo(client))["seq"] > first["seq"]


def test_another_photograph_under_the_same_name_is_refused(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    one, two = (bench.evidence.keep(b"\x89PNG" + mark) for mark in (b"1", b"2"))
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D6, 3, one),)
    first = state(photo(client, request="p1"))
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D8, 5, two),)
    refused(photo(client, request="p1"), 409, "'p1' was taken before, of other dice: a D6 showing 3")
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D8, 3, one), seen(throw, 1, Die.D6, 1, two))
    assert state(photo(client, request="p1")) == first, "the same picture, read otherwise now that less is owed"


def test_a_doubtful_die_asks_shows_its_picture_and_takes_the_answer(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    crop = bench.evidence.keep(b"\x89PNG and so on")
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D6, None, crop),)
    slot = state(photo(client, request="p1"))["attack"]["slots"][1]
    assert (slot["state"], slot["value"]) == ("asking", None)
    question = slot["question"]
    assert question["candidates"] == [[3, 0.6], [5, 0.4]]
    picture = client.get(f"/api/v1/evidence/{question['evidence']}")
    assert (picture.content, picture.headers["content-type"]) == (b"\x89PNG and so on", "image/png")
    assert "immutable" in picture.headers["cache-control"]
    answered = state(client.post(f"{T}/readings/{question['reading']}/answer", json={"value": 5}))
    assert [answered["attack"]["slots"][1][key] for key in ("state", "value", "by_person")] == ["filled", 5, True]


def test_a_die_that_nobody_owes_says_why_and_can_be_placed_or_dismissed(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP | {"size": 2})
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D12, 9), seen(throw, 1, Die.D20, 9))
    first, second = state(photo(client, request="p1"))["unassigned"]
    assert "D12" in first["why"]
    refused(client.post(f"{T}/readings/{first['reading']}/place", json={"slot": "firer size"}), 409, "D12")
    assert len(state(client.post(f"{T}/readings/{first['reading']}/dismiss"))["unassigned"]) == 1
    assert len(state(client.post(f"{T}/readings/{second['reading']}/dismiss"))["unassigned"]) == 0


def test_a_photograph_without_dice_is_told_so(client: TestClient) -> None:
    refused(photo(client), 422, "found no die")


def test_what_is_no_picture_is_told_so(bench: Bench, client: TestClient) -> None:
    def no(throw: str, player: str | None, plan: Sequence[str]) -> tuple[Reading, ...]:
        raise BadPicture("Expected a photograph, and what came is none.")

    bench.reader.says = no
    answer = photo(client)
    refused(answer, 422, "what came is none")
    assert answer.json()["type"].endswith(":bad-picture")


def test_a_photograph_of_exactly_the_largest_size_is_taken_and_one_byte_more_is_not(
    bench: Bench, client: TestClient
) -> None:
    bench.reader.says = lambda throw, player, plan: (seen(throw, 0, Die.D6, 3),)
    state(photo(client, b"x" * LARGEST_PHOTO))
    refused(photo(client, b"x" * (LARGEST_PHOTO + 1)), 413, "32 MiB")


@pytest.mark.parametrize(
    ("files", "data", "status", "said"),
    [
        ({}, {"player": "red"}, 415, "multipart"),
        ({"picture": ("a", b"x")}, {}, 422, "body photo"),
        ({"photo": ("a", b"x")}, {"player": "green"}, 404, "green"),
        ({"photo": ("a", b"x")}, {"request": "../x"}, 422, "request"),
    ],
)
def test_a_malformed_form_is_told_what_is_wrong(
    client: TestClient, files: Any, data: dict[str, str], status: int, said: str
) -> None:
    refused(client.post(f"{T}/photo", files=files, data=data), status, said)


@pytest.mark.parametrize("body", [b"", b"--x", b"--x\r\nContent-Disposition: nonsense\r\n\r\n\r\n--x--", b"\x00" * 100])
def test_a_broken_form_is_no_fault_of_the_service(client: TestClient, body: bytes) -> None:
    answer = client.post(f"{T}/photo", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.post(f"{T}/photo", content=body, headers={"content-type": "multipart/form-data"}).status_code == 400


def test_photographs_are_read_one_at_a_time_and_too_many_are_put_off(bench: Bench, client: TestClient) -> None:
    go, at_once = threading.Event(), []
    busy = threading.Lock()

    def slow(throw: str, player: str | None, plan: Sequence[str]) -> tuple[Reading, ...]:
        at_once.append(busy.acquire(blocking=False))
        go.wait(30)
        busy.release()
        return (seen(throw, 0, Die.D6, 3),)

    bench.reader.says = slow
    with ThreadPoolExecutor(WAITING_MAX + 3) as pool:
        sent = [pool.submit(photo, client) for _ in range(WAITING_MAX + 3)]
        while sum(future.done() for future in sent) < 3:
            threading.Event().wait(0.01)
        go.set()
        statuses = sorted(future.result().status_code for future in sent)
    assert statuses == [200] * WAITING_MAX + [503] * 3
    assert at_once == [True] * WAITING_MAX


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("0" * 64 + ".png", 404),
        ("..%2f..%2fetc%2fpasswd", 404),
        ("x.png", 422),
        ("0" * 64, 422),
        ("A" * 64 + ".png", 422),
    ],
)
def test_evidence_is_found_by_its_own_name_alone(client: TestClient, name: str, status: int) -> None:
    assert client.get(f"/api/v1/evidence/{name}").status_code == status
