"""`dicetower enrol --corrected`: dice of the camera's that a person set right, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dicetower.cli import run
from dicetower.model import Attack, Die, Reading, ReadingStatus, SlotName, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.sources import camera
from dicetower.store.journal import open_journal
from dicetower.table import Tables, TypedDie


def seen(key: str, die: Die, value: int, crop: str) -> Reading:
    return Reading(key, SourceKind.CAMERA, die, value, ReadingStatus.SURE, evidence=crop)


FRAME = np.full((400, 600, 3), 90, np.uint8)
DIE_AT = (200, 150, 100, 80)


def throw(name: str, *readings: Reading) -> Throw:
    return Throw(name, SourceKind.CAMERA, readings, 1_700_000_000_000)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Red's D6 and D8 are misread, and only the D6's crop is kept; Blue's D10 is right, and the D8 typed."""
    path = tmp_path / "club.db"
    (tmp_path / "club.evidence").mkdir()
    for name in ("misread", "right"):
        (tmp_path / f"club.evidence/{name}.png").write_bytes(camera.crop(FRAME, DIE_AT))
    with open_journal(path) as store:
        table = Tables(store, standard(), now_ms=lambda: 1_700_000_000_000).open("main")
        table.declare(Attack("HKP", 3, range="medium", armour=4), "red", "blue")
        table.throw(throw("one", seen("one:0", Die.D6, 2, "misread.png"), seen("one:1", Die.D8, 7, "gone.png")))
        attack = table.view()["attack"]["id"]
        table.correct_value(attack, SlotName.FIRER_EFFECTIVENESS, 1, "misread")
        table.correct_value(attack, SlotName.FIRER_SIZE, 6, "misread")
        table.throw(throw("two", seen("two:0", Die.D10, 4, "right.png")))
        table.type_dice("typed", [TypedDie(1, slot=SlotName.TARGET_EFFECTIVENESS)])
        assert all(slot["value"] for slot in table.view()["attack"]["slots"])
    return path


def test_only_what_the_camera_read_and_a_person_set_right(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enrol", "--corrected", "--journal", str(journal), "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {
        "table": "main",
        "reading": "one:0",
        "die": "D6",
        "value": 1,
        "read": 2,
        "picture": str(journal.with_suffix(".evidence") / "misread.png"),
        "box": [35, 28, 100, 80],
        "at_ms": 1_700_000_000_000,
    }


def test_in_words_with_what_to_do_next(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enrol", "--corrected", "--journal", str(journal)]) == 0
    die, then = capsys.readouterr().out.splitlines()
    picture = journal.with_suffix(".evidence") / "misread.png"
    assert die == f"main  D6  read as 2, is 1  --die D6 --box 35,28,100,80 1={picture}"
    assert then == "Look at a picture before you enrol it: dicetower enrol NAME and its line from --die on."


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--table", "none"], 2, "no table 'none'; it has main"),
        (["runes"], 2, "--corrected lists dice and takes no name"),
    ],
)
def test_what_will_not_do(
    words: list[str], status: int, says: str, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["enrol", "--corrected", "--journal", str(journal), *words]) == status
    assert says in capsys.readouterr().err


def test_none_is_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_journal(tmp_path / "new.db"):
        pass
    assert run(["enrol", "--corrected", "--journal", str(tmp_path / "new.db")]) == 0
    assert capsys.readouterr().out == "No die of the camera's was set right by a person.\n"
