"""Replay: the same bytes each time, every difference named, and what `update` takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.tapes import BUNDLED, copied, made, resealed

from dicetower.errors import BadTape
from dicetower.rules import pack
from dicetower.sources import tape
from dicetower.sources.tape import Line
from dicetower.tapes import report
from dicetower.tapes.replay import replay, update
from dicetower.tapes.results import Result, one_as_json

NAMES = sorted(folder.name for folder in tape.under(BUNDLED))
HKP: dict[str, Any] = {"system": "HKP", "size": 3, "range": "medium", "armour": 4, "firer": "red", "target": "blue"}
DECLARED = {"in": "declare", **HKP}
FIRERS = {"in": "type", "dice": [{"die": "D8", "value": 5}, {"die": "D6", "value": 3}]}
TARGETS = {"in": "type", "dice": [{"die": "D10", "value": 7}, {"die": "D8", "value": 3}]}


def played(folder: Path) -> list[dict[str, Any]]:
    """What came of each line, as JSON."""
    return [one_as_json(result) for result in replay(tape.read(folder)).results]


def of(lines: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    return played(made(folder / "t", lines))


def slots(result: dict[str, Any]) -> list[Any]:
    return [slot["value"] if slot["state"] == "filled" else slot["state"] for slot in result["attack"]["slots"]]


def with_expectation(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    path = folder / "expected.json"
    whole = json.loads(path.read_text())
    change(whole)
    path.write_text(json.dumps(whole))
    return resealed(folder)


# The same each time.


@pytest.mark.parametrize("name", NAMES)
def test_two_replays_give_the_same_bytes(name: str) -> None:
    def once() -> tuple[bytes, bytes]:
        heard: list[tuple[Line, Result]] = []
        done = replay(tape.read(BUNDLED / name), played=lambda line, result: heard.append((line, result)))
        said = [[line.number, one_as_json(result)] for line, result in heard]
        return json.dumps(done.export).encode(), json.dumps(said).encode()

    first, second = once(), once()
    assert first == second
    assert len(first[0]) > 100


def test_pauses_are_the_tapes_own(tmp_path: Path) -> None:
    lines = [
        {"in": "again", "ms": 0},
        {"in": "again", "ms": 250},
        {"in": "again", "ms": 250},
        {"in": "again", "ms": 9000},
    ]
    waits: list[int] = []
    replay(tape.read(made(tmp_path / "t", lines)), pause=waits.append)
    assert waits == [0, 250, 0, 8750]


def test_the_clock_is_the_tapes(tmp_path: Path) -> None:
    done = replay(tape.read(made(tmp_path / "t", [{**DECLARED, "ms": 12_345}], start_ms=1_000_000)))
    assert done.export[0]["at_ms"] == 1_012_345


# What comes of an input.


def test_the_worked_example_of_the_rulings(tmp_path: Path) -> None:
    results = of([DECLARED, FIRERS, TARGETS, {"in": "type", "dice": [{"slot": "damage", "value": 6}]}], tmp_path)
    assert [slots(result) for result in results] == [
        ["owed"] * 4,
        [5, 3, "owed", "owed"],
        [5, 3, 7, 3, "owed"],
        [5, 3, 7, 3, 6],
    ]
    assert results[3]["attack"]["outcome"] == {
        "outcome": "damaged", "pairs_to_target": 1, "final": "mobility", "damage": "mobility",
    }  # fmt: skip


def test_a_request_that_comes_twice_is_one_throw(tmp_path: Path) -> None:
    results = of([DECLARED, {**FIRERS, "request": "r"}, {**FIRERS, "request": "r"}], tmp_path)
    assert results[2] == {"line": 3}


def test_a_request_that_comes_again_with_other_dice_is_refused(tmp_path: Path) -> None:
    results = of([DECLARED, {**FIRERS, "request": "r"}, {**TARGETS, "request": "r"}], tmp_path)
    assert results[2] == {"line": 3, "refused": "Conflict"}


def test_throws_without_a_request_are_each_a_throw(tmp_path: Path) -> None:
    assert slots(of([DECLARED, FIRERS, TARGETS], tmp_path)[2]) == [5, 3, 7, 3, "owed"]


def test_what_is_refused_says_so_and_changes_nothing(tmp_path: Path) -> None:
    zero = {"in": "type", "dice": [{"slot": "firer size", "value": 0}]}
    stale = {"in": "undo", "stale": True}
    unknown = {"in": "answer", "of": {"throw": 9, "die": 1}, "value": 3}
    nobody = {"in": "bind", "uid": "00c0ffee00c0ffee", "player": "green"}
    lines: list[dict[str, Any]] = [
        FIRERS,
        {"in": "again"},
        DECLARED,
        zero,
        stale,
        unknown,
        {"in": "unplug", "port": "x"},
        nobody,
    ]
    results = of(lines, tmp_path)
    assert [result.get("refused") for result in results] == [
        None, "Conflict", None, "RulesRefusal", "Conflict", "NotFound", "Conflict", "NotFound",
    ]  # fmt: skip
    assert all("attack" not in result for result in results if "refused" in result)


def test_acts_name_their_die_by_slot_or_by_throw(tmp_path: Path) -> None:
    aside = {"in": "type", "dice": [{"die": "D12", "value": 9}, {"die": "D6", "value": 2}]}
    lines = [DECLARED, FIRERS, aside, {"in": "dismiss", "of": {"throw": 2, "die": 2}}]
    results = of(lines, tmp_path)
    assert [die["die"] for die in results[2]["unassigned"]] == ["D12", "D6"]
    assert [die["die"] for die in results[3]["unassigned"]] == ["D12"]


def test_an_act_may_name_an_attack_that_is_not_the_latest(tmp_path: Path) -> None:
    lines = [
        DECLARED,
        {"in": "void", "reason": "one"},
        {"in": "again"},
        {"in": "void", "reason": "two", "attack": "a1"},
    ]
    assert of(lines, tmp_path)[3] == {"line": 4, "refused": "Conflict"}


def test_a_silent_die_is_called_lost_by_the_tapes_own_time(tmp_path: Path) -> None:
    hello = "$0 HELLO v=1.0 uid=7f3a9c0e5b1d2846 boot=5be0cd19 fw=1.0.0 hash=0badcafe rst=por cap=btn torn=0*303e\n"
    lines = [
        {"in": "plug", "port": "p", "ms": 0},
        {"in": "serial", "port": "p", "data": hello, "ms": 100},
        {"in": "again", "ms": 3599},
        {"in": "again", "ms": 3600},
        {"in": "again", "ms": 600_000_000},
    ]
    phases = [[port["phase"] for port in result.get("ports", [])] for result in of(lines, tmp_path)]
    assert phases == [["opened, not identified"], ["connected"], [], ["lost"], []]


def test_house_rules_come_with_the_tape(tmp_path: Path) -> None:
    text = Path(pack.__file__).with_name("dirtside2.toml").read_text().replace('name = "Dirt', 'name = "Our Dirt', 1)
    rules = pack.parse(text, "ours")
    named = {"name": rules.name, "version": rules.version, "hash": rules.hash}
    folder = made(tmp_path / "t", [DECLARED], rules=named)
    with pytest.raises(BadTape, match="made under 'Our Dirt"):
        replay(tape.read(folder))
    assert replay(tape.read(folder), rules).export[0]["rules"] == rules.hash
    (folder / "rules.toml").write_text(text)
    resealed(folder, lambda whole: whole["files"].update({"rules.toml": {}}))
    assert replay(tape.read(resealed(folder))).export[0]["rules"] == rules.hash


def test_a_rule_pack_that_is_none_is_said(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [DECLARED])
    (folder / "rules.toml").write_text("name = 3")
    resealed(folder, lambda whole: whole["files"].update({"rules.toml": {}}))
    with pytest.raises(BadTape, match=r"t/rules\.toml"):
        replay(tape.read(resealed(folder)))


# Differences.


def said(folder: Path) -> list[str]:
    return [str(difference) for difference in replay(tape.read(folder)).differences]


def at_line(whole: dict[str, Any], line: int) -> dict[str, Any]:
    found: dict[str, Any] = next(result for result in whole["results"] if result["line"] == line)
    return found


def slot(number: int, **more: Any) -> Callable[[Any], None]:
    return lambda result: result["attack"]["slots"][number].update(more)


def attack(**more: Any) -> Callable[[Any], None]:
    return lambda result: result["attack"].update(more)


def die(**more: Any) -> Callable[[Any], None]:
    return lambda result: result["dice"][1].update(more)


DIE = "die 2 of the throw: expected"
GOT = ", got D8 2, sure, in target effectiveness as 2"


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (slot(0, value=8), "firer size: expected D8 8, got D8 6"),
        (slot(0, state="asking", value=None), "firer size: expected D8 asking, got D8 6"),
        (lambda result: result["attack"]["slots"].pop(1), "firer effectiveness: expected nothing, got D4 3"),
        (
            lambda result: result["attack"]["outcome"].update(final="mobility"),
            "outcome: expected mobility, got destroyed",
        ),
        (lambda result: result["attack"].pop("outcome"), "outcome: expected none, got destroyed"),
        (attack(state="void"), "attack: expected a1, void, got a1, resolved"),
        (attack(reopened=True), "attack: expected a1, resolved, waiting for a person, got a1, resolved"),
        (die(value=3), f"{DIE} D8 3, sure, in target effectiveness as 2{GOT}"),
        (die(status="unsure"), f"{DIE} D8 2, unsure, in target effectiveness as 2{GOT}"),
        (die(cocked=True), f"{DIE} D8 2, sure, cocked, in target effectiveness as 2{GOT}"),
        (die(slot="target armour"), f"{DIE} D8 2, sure, in target armour as 2{GOT}"),
        (die(slot=None, stands=None), f"{DIE} D8 2, sure, unassigned{GOT}"),
        (lambda result: result["dice"].pop(), f"{DIE} nothing{GOT}"),
        (
            lambda result: result.update(unassigned=[{"die": "D6", "value": 1, "status": "sure"}]),
            "unassigned dice: expected D6 1 (sure), got none",
        ),
        (lambda result: result.update(refused="Conflict"), "refused: expected Conflict, got nothing"),
    ],
)
def test_the_first_difference_is_named(tmp_path: Path, change: Callable[[Any], None], first: str) -> None:
    folder = copied("mirror-armour", tmp_path)
    with_expectation(folder, lambda whole: change(at_line(whole, 3)))
    assert said(folder)[0] == f"line 3: {first}"


def test_a_result_that_is_not_expected_at_all_differs(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    with_expectation(folder, lambda whole: whole["results"].pop())
    assert said(folder)[0].startswith("line 12: die 1 of the throw: expected nothing")


def test_a_result_too_many_differs(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [DECLARED, {**FIRERS, "request": "r"}, {**FIRERS, "request": "r"}])
    update(folder)
    with_expectation(folder, lambda whole: whole["results"].append({"line": 3, "refused": "Conflict"}))
    assert said(folder) == ["line 3: refused: expected Conflict, got nothing"]


def test_sentences_and_confidence_are_not_compared() -> None:
    text = (BUNDLED / "one-tray/expected.json").read_text()
    assert not any(word in text for word in ("explanation", "confidence", "why", "candidates", "beats"))


def test_a_reading_that_changed_is_told_with_its_line(tmp_path: Path) -> None:
    """A picture swapped for another of the tape's: as if the reader had begun to read otherwise."""
    folder = copied("one-tray", tmp_path)
    one, three = folder / "frames/0001.png", folder / "frames/0003.png"
    one.write_bytes(three.read_bytes())
    assert said(resealed(folder))[0].startswith("line 2: die 1 of the throw: expected D6 4, sure, in firer size as 4")


# Update.


def test_update_of_a_tape_as_expected_changes_not_a_byte(tmp_path: Path) -> None:
    folder = copied("long-belt", tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert update(folder).changes == ()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_update_shows_each_difference_and_makes_a_tape_that_agrees(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    with_expectation(folder, lambda whole: at_line(whole, 3)["attack"]["slots"][0].update(value=8))
    done = update(folder)
    assert done.changes == ("mirror-armour: line 3: firer size: expected D8 8, got D8 6.",)
    assert replay(tape.read(folder)).ok
    assert (folder / "expected.json").read_bytes() == (BUNDLED / "mirror-armour/expected.json").read_bytes()


def test_update_takes_an_edited_tape_and_says_what_was_edited(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    path = folder / "inputs.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"value": 6', b'"value": 7', 1))
    changes = update(folder).changes
    assert changes[0].startswith("mirror-armour/inputs.jsonl: expected SHA-256")
    assert "mirror-armour: line 2: die 1 of the throw: expected D8 6" in changes[1]
    assert replay(tape.read(folder)).ok


def test_update_takes_an_expectation_of_nonsense_or_none(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "expected.json").write_text('{"version": 9}')
    update(folder)
    assert replay(tape.read(folder)).ok
    (folder / "expected.json").unlink()
    assert "it had no expected results" in update(folder).changes[-1]
    assert replay(tape.read(folder)).ok


def test_update_takes_the_present_rule_pack(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    resealed(folder, lambda whole: whole["rules"].update(hash="sha256:" + "0" * 64))
    assert update(folder).changes[0].startswith("mirror-armour: rules: sha256:000000000000 is now sha256:")
    assert replay(tape.read(folder)).ok


def test_update_refuses_what_is_no_tape_and_leaves_it(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    path = folder / "inputs.jsonl"
    path.write_bytes(path.read_bytes() + b"{broken\n")
    before = (folder / "tape.json").read_bytes()
    with pytest.raises(BadTape, match="line 13"):
        update(folder)
    assert (folder / "tape.json").read_bytes() == before


def test_update_of_a_tape_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "expected.json.half").mkdir()
    before = (folder / "tape.json").read_bytes()
    with pytest.raises(BadTape, match="cannot be written: Is a directory"):
        update(folder)
    assert (folder / "tape.json").read_bytes() == before


# Whatever an edit makes of it.


WORDS = ["damage", "target armour", "D10", "D4", "D100", "red", "line", "urban", "HEL", {}, {"slot": "damage"}]
SIMPLE = st.none() | st.booleans() | st.integers(-3, 10_000_000) | st.text(max_size=70)
VALUES = SIMPLE | st.lists(st.integers(0, 9), max_size=2) | st.sampled_from(WORDS)


@settings(max_examples=60)
@given(st.data())
def test_an_input_edited_in_one_place_plays_or_is_refused_as_a_tape(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    name = data.draw(st.sampled_from(["cold-steel", "pressed-die", "missile-trap", "long-belt", "mirror-armour"]))
    folder = copied(name, tmp_path_factory.mktemp("edit"))
    path = folder / "inputs.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    line = data.draw(st.sampled_from(lines))
    line[data.draw(st.sampled_from([*line, "request", "player"]))] = data.draw(VALUES)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        done = replay(tape.read(resealed(folder)))
    except BadTape:
        return
    assert all(str(difference).startswith("line ") for difference in done.differences)


# Many.


def test_one_bad_tape_stops_none_of_the_others(tmp_path: Path) -> None:
    for name in ("mirror-armour", "ridge-at-dawn", "long-belt"):
        copied(name, tmp_path)
    (tmp_path / "mirror-armour/inputs.jsonl").write_text("")
    with_expectation(tmp_path / "long-belt", lambda whole: whole["results"].pop())
    cases = list(report.play(tape.under(tmp_path), tmp_path))
    assert [(case.name, case.ok) for case in cases] == [
        ("long-belt", False), ("mirror-armour", False), ("ridge-at-dawn", True),
    ]  # fmt: skip
    assert cases[0].said.startswith("long-belt: line 18: ")
    assert cases[1].said.startswith("mirror-armour/inputs.jsonl: expected")
