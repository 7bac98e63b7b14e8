"""docs/rules.md is true: its commands print what it says, its rows are the pack's; the docstrings' examples run."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from importlib import resources
from pathlib import Path

import pytest

from dicetower.cli import run
from dicetower.rules.pack import load, standard
from dicetower.rules.ruleset import Row

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
PACK = resources.files("dicetower.rules").joinpath("dirtside2.toml").read_text(encoding="utf-8")
NEW_GROUP = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
CONSOLES = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = [
    tuple(example.split("\n", 1))
    for console in CONSOLES
    for example in re.split(r"^\$ ", console, flags=re.MULTILINE)
    if example
]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) >= 15


@pytest.fixture
def _packs_beside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page's own house.toml, and a broken one, in the folder where its commands are typed."""
    (tmp_path / "house.toml").write_text(f"{PACK}\n{NEW_GROUP}", encoding="utf-8")
    (tmp_path / "broken.toml").write_text(PACK.replace('"D12", printed', '"D14", printed', 1), encoding="utf-8")
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    monkeypatch.setenv("DICETOWER_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_packs_beside")
@pytest.mark.parametrize(("typed", "shown"), EXAMPLES, ids=[typed[:70] for typed, _ in EXAMPLES])
def test_a_command_prints_what_the_page_says(typed: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *args = shlex.split(typed)
    assert command == "dicetower"
    run(args)
    out, err = capsys.readouterr()
    assert out + err == shown


@pytest.mark.usefixtures("_packs_beside")
def test_the_new_system_has_the_choices_that_its_rows_name() -> None:
    conditions = load("house.toml").choices("railgun").vehicle_conditions
    assert conditions is not None
    assert (conditions.ranges, conditions.armour_types, conditions.covers) == (
        ("close", "medium", "long"),
        ("standard", "reactive"),
        (),
    )


def table(first_column: str) -> list[list[str]]:
    """The body rows of the page's table whose header begins with `first_column`."""
    lines = PAGE.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {first_column} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def condition(row: Row) -> str:
    said = [*row.ranges] or [*row.covers]
    armour = [word for word in row.armour_types if word != "standard"]
    return " or ".join(armour or said)


def test_the_rows_on_the_page_are_the_packs() -> None:
    pack: list[list[str]] = []
    for system in standard().systems:
        names = ", ".join(other.id for other in standard().systems if other.rows is system.rows)
        for row in system.rows:
            against = "any" if len(row.against) == 2 else row.against[0].value
            said = condition(row) if system.needs_cover or condition(row) != "open" else ""
            line = [names, against, said, row.firer.value, row.target.value, row.printed]
            if line not in pack:
                pack.append(line)
    assert table("system") == pack


def test_the_damage_rows_on_the_page_are_the_packs() -> None:
    spans = [(row.low, row.high, row.name) for row in standard().damage.rows]
    faces = [[int(face) for face in re.findall(r"\d+", cells[0])] for cells in table("D10")]
    assert [(found[0], found[-1], cells[1]) for found, cells in zip(faces, table("D10"), strict=True)] == spans


def test_every_key_of_a_pack_is_on_the_page() -> None:
    keys = set(re.findall(r"^([a-z_]+) = |^\[+([a-z]+)\]+|(?<=[{,] )([a-z_]+) = ", PACK, re.MULTILINE))
    teams = {team.id for team in standard().infantry}
    for key in {word for found in keys for word in found if word} - teams:
        assert re.search(rf"\b{key}\b", PAGE.partition("### The keys of a pack")[2]), key


MODULES = [
    "declared", "face", "odds", "pack", "plan", "resolve", "ruleset", "shapes", "spot", "words",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"dicetower.rules.{name}")).failed == 0


def test_no_module_of_the_rules_is_left_out() -> None:
    assert {
        item.name.removesuffix(".py") for item in resources.files("dicetower.rules").iterdir() if item.is_file()
    } == {
        *MODULES,
        "__init__",
        "dirtside2.toml",
    }
