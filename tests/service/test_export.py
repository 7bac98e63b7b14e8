"""`dicetower export`: complete, stable, and safe to open in a spreadsheet; and it touches nothing."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from dicetower.cli import run
from dicetower.model import Attack, Die, SlotName
from dicetower.rules.pack import standard
from dicetower.store.journal import open_journal
from dicetower.table import Table, Tables, TypedDie


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Two tables: a vehicle that took its damage die, and infantry under an attack that is still open."""
    path = tmp_path / "journal.db"
    with open_journal(path) as store:
        tables = Tables(store, standard(), now_ms=lambda: 1_700_000_000_000)
        vehicle(tables.open("main"))
        infantry(tables.open("other"))
    return path


def vehicle(table: Table) -> None:
    table.change_player("blue", name="=HYPERLINK(1)")
    table.declare(Attack("HKP", 3, range="medium", armour=4), "red", "blue")
    names = dict(zip(SlotName, (5, 3, 7, 3), strict=False))
    table.type_dice("four", [TypedDie(value, slot=name) for name, value in names.items()])
    table.type_dice("five", [TypedDie(0, slot=SlotName.DAMAGE)])


def infantry(table: Table) -> None:
    table.declare(Attack("firefight", 2, infantry="line", cover="soft"), "red", "blue")


def exported(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert run(["export", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_json_lines(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in exported(capsys, "--json", "--journal", str(journal)).splitlines()]
    attacks = [row for row in rows if row["record"] == "attack"]
    assert [(row["table"], row["attack"], row["state"]) for row in attacks] == [
        ("main", "a1", "resolved"),
        ("other", "a1", "throwing"),
    ]
    assert attacks[0]["outcome"]["final"] == "destroyed"
    assert attacks[0]["odds"]["after_table"]["destroyed"] == "473/1600"
    assert attacks[1]["outcome"] is None
    dice = [row for row in rows if row["record"] == "die"]
    assert [(row["slot"], row["die"], row["value"], row["player"]) for row in dice] == [
        ("firer size", "D8", 5, "Red"),
        ("firer effectiveness", "D6", 3, "Red"),
        ("target armour", "D10", 7, "=HYPERLINK(1)"),
        ("target effectiveness", "D8", 3, "=HYPERLINK(1)"),
        ("damage", "D10", 10, "Red"),
    ]


def test_csv_has_the_same_columns_whatever_was_played(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = exported(capsys, "--csv", "--journal", str(journal))
    one = exported(capsys, "--csv", "--journal", str(journal), "--table", "other")
    assert both.splitlines()[0] == one.splitlines()[0]
    head = both.splitlines()[0].split(",")
    for column in ("record", "declared.system", "odds.after_table.mobility", "outcome.final", "reading", "fate"):
        assert column in head
    for bare in ("declared", "odds", "outcome", "odds.after_table"):
        assert bare not in head
    rows = list(csv.DictReader(io.StringIO(both)))
    assert len(rows) == 7
    assert rows[0]["outcome.final"] == "destroyed"
    assert rows[0]["odds.destroyed"] == "63/320"
    assert {len(row) for row in rows} == {len(head)}


def test_a_player_who_is_renamed_has_one_name_in_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Dice in a slot, re-rolled and unassigned, of an attack that is over and of one that is open."""
    path = tmp_path / "journal.db"
    with open_journal(path) as store:
        table = Tables(store, standard()).open("main")
        vehicle(table)
        infantry(table)
        table.type_dice("one", [TypedDie(3, slot=SlotName.FIRER_SIZE)], "red")
        table.reroll("a2", [SlotName.FIRER_SIZE], "cocked")
        table.type_dice("two", [TypedDie(4, slot=SlotName.FIRER_SIZE), TypedDie(12, Die.D12)], "red")
        table.change_player("red", name="Ada")
        table.change_player("blue", name="Bob")
    rows = [json.loads(line) for line in exported(capsys, "--json", "--journal", str(path)).splitlines()]
    dice = [row for row in rows if row["record"] == "die"]
    assert {row["fate"] for row in dice} == {"in a slot", "re-rolled", "unassigned"}
    assert {row["player"] for row in dice} == {"Ada", "Bob"}
    assert {(row["firer"], row["target"]) for row in rows if row["record"] == "attack"} == {("Ada", "Bob")}
    cells = list(csv.DictReader(io.StringIO(exported(capsys, "--csv", "--journal", str(path)))))
    assert [row["player"] or row["firer"] for row in cells] == [row.get("player", row.get("firer")) for row in rows]


def test_a_name_that_looks_like_a_formula_is_text(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(capsys, "--csv", "--journal", str(journal)))))
    cells = [cell for row in rows for cell in row.values()]
    assert "'=HYPERLINK(1)" in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


def test_json_and_csv_and_the_table_say_the_same(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in exported(capsys, "--json", "--journal", str(journal)).splitlines()]
    with open_journal(journal) as store:
        tables = Tables(store, standard())
        assert lines == tables.open("main").export() + tables.open("other").export()
    rows = list(csv.DictReader(io.StringIO(exported(capsys, "--csv", "--journal", str(journal)))))
    for line, row in zip(lines, rows, strict=True):
        for key, value in line.items():
            if not isinstance(value, dict) and key in row:
                assert row[key].removeprefix("'") == ("" if value is None else str(value))


def test_it_changes_nothing_and_runs_beside_a_service(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in journal.parent.iterdir()}
    exported(capsys, "--json", "--journal", str(journal))
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in journal.parent.iterdir()} == before
    with open_journal(journal) as store:
        table = Tables(store, standard()).open("other")
        table.void("a1", "x")
        lines = exported(capsys, "--json", "--journal", str(journal), "--table", "other").splitlines()
        assert json.loads(lines[0])["state"] == "void", "what was committed a moment ago"


@pytest.mark.parametrize(
    ("argv", "status", "says"),
    [
        ([], 2, "Say --json"),
        (["--json", "--csv"], 2, "Say --json"),
        (["--json", "--table", "nobodys"], 2, "This journal has no table 'nobodys'; it has main, other."),
        (["--json", "--journal", "memory:"], 2, "A journal in memory ends with its service"),
        (["--json", "--journal", "mysql://x/y"], 2, "not in mysql"),
    ],
)
def test_a_bad_call(journal: Path, capsys: pytest.CaptureFixture[str], argv: list[str], status: int, says: str) -> None:
    named: list[Any] = [] if "--journal" in argv else ["--journal", str(journal)]
    assert run(["export", *argv, *named]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1


def test_no_journal_and_a_bad_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "--json", "--journal", str(tmp_path / "none.db")]) == 1
    assert "There is no journal at" in capsys.readouterr().err
    (tmp_path / "bad.db").write_text("not a database")
    assert run(["export", "--json", "--journal", str(tmp_path / "bad.db")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "is not a Dicetower journal" in err
