"""The bundled tapes: what they cover, that their outcomes are the rules', and `dicetower demo` that plays them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.support.tapes import BUNDLED, copied, resealed

from dicetower.cli import demo, run
from dicetower.settings import Settings
from dicetower.sources import tape
from dicetower.tapes import bundled, replay
from dicetower.tapes.show import Show

DICETOWER = [sys.executable, "-m", "dicetower"]
TAPES = [tape.read(folder) for folder in tape.under(BUNDLED)]
REPLAYED = {read.name: replay.replay(read) for read in TAPES}
ROWS = [row for done in REPLAYED.values() for row in done.export]
ATTACKS = [row for row in ROWS if row["record"] == "attack"]
DICE = [row for row in ROWS if row["record"] == "die"]
RESULTS = [result for done in REPLAYED.values() for result in done.results]


def declared(key: str) -> set[Any]:
    return {row["declared"][key] for row in ATTACKS if row["state"] == "resolved"}


# What they cover.


def test_there_are_at_least_eight_and_all_agree() -> None:
    assert len(TAPES) >= 8
    assert {name: done.differences for name, done in REPLAYED.items() if not done.ok} == {}


def test_every_system_is_fired() -> None:
    systems = "HEL RFAC HVC HKP MDC DFFG IAVR GMS SLAM HEF MAK DPL firefight close-assault"
    assert {row["declared"]["system"] for row in ATTACKS} >= set(systems.split())


def test_every_range_target_cover_and_plate_is_used() -> None:
    assert declared("range") >= {"close", "medium", "long"}
    assert declared("infantry") >= {"militia", "line", "powered", "super"}
    assert declared("cover") >= {"open", "soft", "dug-in", "urban"}
    assert declared("armour_type") >= {"ablative", "reactive", "active"}
    assert declared("size") == declared("armour") - {None} == {1, 2, 3, 4, 5}


def test_every_end_is_reached() -> None:
    finals = {row["outcome"]["final"] for row in ATTACKS if row["outcome"] is not None}
    assert finals == {"undamaged", "damaged", "systems_down", "mobility", "destroyed"}
    assert {row["outcome"]["damage"] for row in ATTACKS if row["outcome"]} >= {
        "escape",
        "systems_down",
        "mobility",
        "destroyed",
    }
    assert {row["state"] for row in ATTACKS} == {"resolved", "void", "taken back"}


def test_every_source_is_heard() -> None:
    assert {row["source"] for row in DICE} == {"typed", "camera", "edie", "virtual"}


def test_a_tie_a_surplus_die_a_reroll_a_doubt_and_a_correction_are_in_them() -> None:
    assert {row["fate"] for row in DICE} >= {"in a slot", "dismissed", "re-rolled", "owed again"}
    assert any("tie is the firer's" in row["outcome"]["explanation"] for row in ATTACKS if row["outcome"])
    assert any(row["by_person"] and row["read_status"] == "unsure" for row in DICE)
    assert any(row["value"] != row["read_value"] and row["read_status"] == "sure" for row in DICE), "a corrected value"


def test_a_corrected_declaration_keeps_each_face_it_can() -> None:
    mirror = REPLAYED["mirror-armour"].export
    assert [(row["slot"], row["value"], row["fate"]) for row in mirror[1:6]] == [
        ("firer size", 6, "in a slot"),
        ("firer effectiveness", 3, "in a slot"),
        ("target armour", 4, "in a slot"),
        ("target effectiveness", 2, "owed again"),
        ("target effectiveness", 10, "in a slot"),
    ]


def test_a_0_is_10_on_a_d10_from_keys_and_e_die_and_nowhere_else() -> None:
    tens = [row for row in DICE if row["die"] == "D10" and row["value"] == 10 and row["slot"]]
    assert {row["source"] for row in tens} >= {"typed", "edie"}
    flame = REPLAYED["wall-of-flame"]
    assert flame.results[1].refused == "RulesRefusal"


def test_left_is_size_and_the_upper_of_a_column_too() -> None:
    """The pictures are drawn so: one-tray 0001 has a 4 left of a 2, absent-opponent 0002 a 2 above a 5."""
    pair, column = REPLAYED["one-tray"].results[1].dice, REPLAYED["absent-opponent"].results[2].dice
    assert {(die.slot, die.stands) for die in pair} == {("firer size", 4), ("firer effectiveness", 2)}
    assert {(die.slot, die.stands) for die in column} == {("firer size", 2), ("firer effectiveness", 5)}


def test_three_where_two_are_owed_fill_nothing() -> None:
    thrown = REPLAYED["one-tray"].results[5].dice
    assert [(die.die, die.value, die.slot) for die in thrown] == [("D6", 6, None), ("D6", 1, None), ("D6", 5, None)]


@pytest.mark.parametrize(
    ("name", "laid"),
    [
        ("tumbling-pair", {"firer size": 6, "firer effectiveness": 5}),
        ("rocking-die", {"firer effectiveness": 4}),
        ("two-apart", {"firer size": 4, "firer effectiveness": 2}),
    ],
)
def test_a_film_is_one_throw_of_the_dice_as_physics_laid_them(name: str, laid: dict[str, int]) -> None:
    """The values are those of the poses at the film's end, as clip.json of the renders has them, by no reader."""
    shots = {line.number for line in REPLAYED[name].tape.inputs if line.kind == "shot"}
    throws = [result for result in REPLAYED[name].results if result.line in shots and result.dice]
    assert [{die.slot: die.stands for die in result.dice} for result in throws] == [laid]
    assert all(die.status == "sure" for result in throws for die in result.dice)


def test_colours_tell_two_players_dice_apart() -> None:
    together = {die.slot: die.stands for die in REPLAYED["one-tray"].results[13].dice}
    assert together == {"firer size": 5, "target armour": 6, "firer effectiveness": 3}


def test_a_roll_that_is_sent_twice_or_in_two_halves_is_one_die() -> None:
    rolls = [row["reading"] for row in REPLAYED["pressed-die"].export if row["record"] == "die"]
    assert rolls == [f"edie:7f3a9c0e5b1d2846:{number}" for number in (1, 2, 3, 4, 5, 6, 7, 9, 10)]
    notices = [notice for result in REPLAYED["pressed-die"].results for notice in result.notices]
    assert {"echo", "identified", "gap", "refused"} <= set(notices)


# That their outcomes are the rules', worked out here by the rules' text alone.


def by_the_text(faces: list[int], vehicle: bool, damage: int | None) -> tuple[int, str]:
    size, effect, armour, resist = faces
    pairs = (armour > size) + (resist > effect)
    if not vehicle:
        return pairs, "undamaged" if pairs else "destroyed"
    if pairs != 1:
        return pairs, "undamaged" if pairs == 2 else "destroyed"
    if damage is None:
        return 1, "damaged"
    table = ["undamaged"] + ["systems_down"] * 4 + ["mobility"] * 3 + ["destroyed"] * 2
    return 1, table[damage - 1]


@pytest.mark.parametrize("name", sorted(REPLAYED))
def test_each_outcome_is_what_the_text_says(name: str) -> None:
    rows = REPLAYED[name].export
    for row in (row for row in rows if row["record"] == "attack" and row["state"] == "resolved"):
        dice = {
            die["slot"]: die["value"]
            for die in rows
            if die["attack"] == row["attack"] and die.get("fate") == "in a slot"
        }
        slots = ["firer size", "firer effectiveness", "target armour", "target effectiveness"]
        infantry = row["declared"]["infantry"] is not None
        found = by_the_text([dice[slot] for slot in slots], not infantry, dice.get("damage"))
        expected_pairs = found[0]
        assert row["outcome"]["pairs_to_target"] == expected_pairs, row["title"]
        end = "undamaged" if infantry and expected_pairs else found[1]
        assert row["outcome"]["final"] == end, row["title"]


# Their form.


def test_they_say_what_they_are_and_are_small() -> None:
    for read in TAPES:
        assert read.head.licence == "MIT"
        film = any(line.kind == "shot" for line in read.inputs)
        assert sum(entry.bytes for entry in read.files.values()) < (3_000_000 if film else 400_000), read.name
        pictures = any(name.startswith("frames/") for name in read.files)
        assert ("renders" in read.head.origin) == pictures, f"{read.name}: its pictures are renders and must say so"
        assert read.head.shows


@pytest.mark.parametrize("name", ["pressed-die", "cold-steel", "mirror-armour"])
def test_the_stories_make_the_same_bytes_again(name: str, tmp_path: Path) -> None:
    """Told again elsewhere; pictures, which take seconds to draw, are left to `fixtures/make_tapes.py`."""
    root = BUNDLED.parents[1]
    program = (
        "import runpy, sys; from pathlib import Path; sys.argv[1:] = [sys.argv[3]] + sys.argv[1:3];"
        "made = runpy.run_path(sys.argv[2], run_name='told'); made['main'].__globals__['TAPES'] = Path(sys.argv[3]);"
        "made['main']([sys.argv[1]])"
    )
    command = [sys.executable, "-c", program, str(root / "fixtures/make_tapes.py"), str(tmp_path), name]
    subprocess.run(command, check=True, capture_output=True)
    for path in (BUNDLED / name).iterdir():
        assert (tmp_path / name / path.name).read_bytes() == path.read_bytes(), path


# `dicetower demo`.


def test_demo_once_prints_each_outcome_and_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--once"]) == 0
    out = capsys.readouterr().out
    for read in TAPES:
        assert read.head.title in out
    assert out.count(": DESTROYED (") == sum(
        row["state"] == "resolved" and row["outcome"]["final"] == "destroyed" for row in ATTACKS
    )


def test_demo_json_is_lines_of_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundled, "CHECKOUT", tmp_path)
    copied("ridge-at-dawn", tmp_path)
    copied("mirror-armour", tmp_path)
    assert run(["demo", "--once", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["tape"], line["ok"]) for line in lines] == [("mirror-armour", True), ("ridge-at-dawn", True)]


def test_demo_with_no_terminal_ends_after_the_outcomes() -> None:
    done = subprocess.run([*DICETOWER, "demo"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ctrl-C" not in done.stdout


def test_demo_fails_where_one_tape_does_not_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied("ridge-at-dawn", tmp_path)
    folder = copied("mirror-armour", tmp_path)
    path = folder / "expected.json"
    path.write_text(path.read_text().replace('"value": 6', '"value": 7', 1))
    resealed(folder)
    monkeypatch.setattr(bundled, "CHECKOUT", tmp_path)
    assert run(["demo", "--once"]) == 1
    assert "1 of 2 tapes did not come as expected. The first: mirror-armour: line 2: " in capsys.readouterr().err


def test_demo_where_the_tapes_are_gone_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundled, "CHECKOUT", tmp_path / "none")
    monkeypatch.setattr(bundled, "PACKAGED", tmp_path / "none")
    assert run(["demo", "--once"]) == 1
    assert "install dicetower again" in capsys.readouterr().err
    (tmp_path / "none").mkdir()
    assert run(["demo", "--once"]) == 1


def test_demo_on_a_terminal_serves_the_tapes_and_says_where() -> None:
    """The real program on a real terminal: outcomes, the address, a page that answers, Ctrl-C."""
    outside, inside = pty.openpty()
    with tempfile.TemporaryFile() as err:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DICETOWER_")}
        demonstrating = subprocess.Popen(
            [*DICETOWER, "demo", "--port", "0", "--speed", "50"], stdout=inside, stderr=err, env=environment
        )
        os.close(inside)
        said = b""
        while b"Ctrl-C ends it" not in said:
            said += os.read(outside, 4096)
        address = said.decode().split("The tapes play at ")[1].split(",")[0]
        with urllib.request.urlopen(address, timeout=30) as page:
            assert page.status == 200
        state = address.replace("/display/", "/api/v1/tables/")
        attack = None
        while attack is None:
            with urllib.request.urlopen(state, timeout=30) as answer:
                attack = json.loads(answer.read())["attack"]
        demonstrating.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the terminal ends with the program
            while os.read(outside, 4096):
                pass
        assert demonstrating.wait(60) == 0
        os.close(outside)
        err.seek(0)
        assert err.read() == b""


def test_the_show_plays_every_tape_again_and_again_with_the_same_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over and over at one table, nothing of the round before is taken for this one's."""
    shows: list[Show] = []
    begin = Show.__enter__

    def noted(self: Show) -> Show:
        shows.append(self)
        return begin(self)

    monkeypatch.setattr(Show, "__enter__", noted)
    with demo.shown(TAPES, 5000.0, Settings(journal="memory:")) as app:
        while shows[0].rounds < 2 and shows[0].alive:
            time.sleep(0.05)
        rows = app.state.services.tables.get(demo.TABLE).export()
    ends = [row["outcome"]["final"] for row in rows if row["record"] == "attack" and row["state"] == "resolved"]
    once = [row["outcome"]["final"] for row in ATTACKS if row["state"] == "resolved"]
    assert ends[: 2 * len(once)] == once * 2


def test_somebody_who_plays_along_does_not_stop_the_show(monkeypatch: pytest.MonkeyPatch) -> None:
    shows: list[Show] = []
    begin = Show.__enter__

    def noted(self: Show) -> Show:
        shows.append(self)
        return begin(self)

    monkeypatch.setattr(Show, "__enter__", noted)
    with demo.shown(TAPES, 5000.0, Settings(journal="memory:")) as app:
        table = app.state.services.tables.get(demo.TABLE)
        meddled = 0
        while shows[0].rounds < 1 and shows[0].alive:
            attack = table.view()["attack"]
            if attack is not None and attack["state"] == "throwing" and meddled < 30:
                with contextlib.suppress(Exception):
                    table.void(attack["id"], "let me try")
                    meddled += 1
            time.sleep(0.01)
        assert shows[0].rounds >= 1
        assert meddled
