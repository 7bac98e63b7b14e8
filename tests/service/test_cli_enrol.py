"""`dicetower enrol`: a set shown, kept, listed and forgotten; and a sentence, with nothing kept, for what will not do.

The photographs are drawn here: a sign on a square die, on a plain ground.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from dicetower.cli import run
from dicevision import diesets, enrol, seek
from dicevision.image import Frame
from dicevision.read import TrayReading

BOX = "90,90,120,120"
OUTLINE = np.array([[90, 90], [210, 90], [210, 210], [90, 210]], np.float32)


def photo(text: str) -> Frame:
    frame = np.full((300, 300, 3), (60, 90, 60), np.uint8)
    cv2.rectangle(frame, (90, 90), (210, 210), (150, 70, 30), -1)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 2.2, 6)
    cv2.putText(
        frame,
        text,
        (150 - width // 2, 150 + height // 2),
        cv2.FONT_HERSHEY_DUPLEX,
        2.2,
        (245, 245, 245),
        6,
        cv2.LINE_AA,
    )
    return frame


Call = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Photographs a.png, b.png, ... and a data folder of the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    for name, text in zip("abcdef", "27KR%&", strict=True):
        cv2.imwrite(f"{name}.png", photo(text))
    return tmp_path / "data/dicetower/die-sets"


@pytest.fixture
def call(folder: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run one command: exit status, lines of stdout, stderr."""
    del folder

    def runs(*words: str) -> tuple[int, list[str], str]:
        status = run(words)
        out, err = capsys.readouterr()
        return status, out.splitlines(), err

    return runs


def found(monkeypatch: pytest.MonkeyPatch, *likely: float) -> None:
    """Let the finder tell of dice of these likelihoods, each at OUTLINE."""
    dice = [seek.Found(one, (90.0, 90.0, 120.0, 120.0), OUTLINE) for one in likely]
    monkeypatch.setattr(seek, "mine", lambda: None)
    monkeypatch.setattr(seek, "glance", lambda frame, finder: [(die.likely, die.box) for die in dice])
    monkeypatch.setattr(seek, "closer", lambda frame, boxes, finder: dice)
    monkeypatch.setattr(seek, "apart", lambda dice: dice)


def test_a_set_is_shown_kept_listed_and_forgotten(call: Call, folder: Path) -> None:
    status, out, err = call("enrol", "runes", "--die", "d6", "--box", BOX, "1=a.png", "2=b.png", "6:skull=c.png")
    assert (status, err) == (0, "")
    assert out == [f"runes  {folder / 'runes'}", "  D6: 1, 2, skull", "  D6: still to be shown: 3, 4, 5"]
    assert call("enrol") == (0, out, "")
    assert call("enrol", "runes") == (0, out, "")
    assert [face.label for face in diesets.load(folder, "runes").faces] == ["", "", "skull"]
    assert call("enrol", "runes", "--forget") == (0, ["runes is forgotten."], "")
    assert call("enrol") == (0, [f"No die set is kept in {folder}."], "")


def test_more_pictures_and_dice_join_the_set(call: Call, folder: Path) -> None:
    assert (
        call("enrol", "runes", "--die", "D4", "--box", BOX, *(f"{n}={c}.png" for n, c in enumerate("abcd", 1)))[0] == 0
    )
    assert call("enrol", "runes", "--die", "D4", "--box", BOX, "4=e.png")[1][1:] == ["  D4: 1, 2, 3, 4 (2 pictures)"]
    status, (line,), _ = call("enrol", "runes", "--die", "D10", "--box", BOX, "0=f.png", "--json")
    told = json.loads(line)
    assert status == 0
    assert [die["die"] for die in told["dice"]] == ["D4", "D10"]
    assert told["dice"][0]["owing"] == []
    assert told["dice"][1] == {
        "die": "D10",
        "faces": [{"value": 10, "label": "10", "pictures": 1}],
        "owing": list(range(1, 10)),
    }
    assert (told["set"], told["folder"], told["alike"]) == ("runes", str(folder / "runes"), [])


def test_a_kept_set_reads_its_own_die(call: Call, folder: Path) -> None:
    assert (
        call("enrol", "runes", "--die", "D6", "--box", BOX, *(f"{n}={c}.png" for n, c in enumerate("abcdef", 1)))[0]
        == 0
    )
    known = diesets.load(folder, "runes")
    turned = cv2.warpAffine(photo("K"), cv2.getRotationMatrix2D((150, 150), 130, 1.0), (300, 300))
    disc = np.array([[54.0, 0, 150], [0, 54, 150]])
    assert enrol.compare(np.asarray(turned, np.uint8), [disc], known).best[:2] == ("D6", 3)


def test_read_is_given_the_sets_that_are_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("enrol", "runes", "--die", "D6", "--box", BOX, "1=a.png")[0] == 0
    assert call("enrol", "bones", "--die", "D8", "--box", BOX, "2=b.png")[0] == 0
    given: list[enrol.DieSet] = []

    def told(frame: Frame, trace: object = None, own: enrol.DieSet | None = None) -> TrayReading:
        given.extend([own] if own else [])
        return TrayReading((300, 300), ())

    monkeypatch.setattr("dicevision.read.read", told)
    assert call("read", "a.png")[0] == 0
    assert given == []
    assert call("read", "--set", "runes", "--set", "bones", "a.png")[0] == 0
    assert [(one.name, one.dice, len(one.faces)) for one in given] == [("runes and bones", ("D6", "D8"), 2)]
    status, out, err = call("read", "--set", "none", "a.png")
    assert (status, out) == (2, [])
    assert "There is no die set 'none'; kept in" in err
    assert err.endswith(": bones, runes.\n")


def test_one_picture_shown_as_two_faces_is_remarked_on(call: Call) -> None:
    _, out, _ = call("enrol", "runes", "--die", "D4", "--box", BOX, "1=a.png", "2=b.png", "3=a.png", "4=d.png")
    assert out[-1] == "  D4: 1 and 3 look alike and will be asked about; were both photographed right?"


def test_the_die_is_found_by_itself_where_it_is_alone(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, 0.97, 0.2)
    assert call("enrol", "runes", "--die", "D6", "1=a.png")[0] == 0
    for likely, says in (((), "no die is found"), ((0.9, 0.8), "2 dice are found")):
        found(monkeypatch, *likely)
        status, out, err = call("enrol", "runes", "--die", "D6", "2=b.png")
        assert (status, out) == (2, [])
        assert err.startswith(f"dicetower: b.png: {says}; show the die alone")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("runes", "1=a.png"), "Expected the die's type"),
        (("runes", "--die", "D6", "a.png"), "Expected VALUE=PHOTO"),
        (("runes", "--die", "D6", "six=a.png"), "Expected VALUE=PHOTO"),
        (("runes", "--die", "D6", "6="), "Expected VALUE=PHOTO"),
        (("runes", "--die", "D6", "6:=a.png"), "Expected a name of 1 to 24 characters"),
        (("runes", "--die", "D6", "7=a.png"), "A D6 has no 7"),
        (("runes", "--die", "D8", "0=a.png"), "A D8 has no 0"),
        (("Runes!", "--die", "D6", "--box", BOX, "1=a.png"), "1 to 32 of a-z, 0-9 and hyphens"),
        (("runes", "--die", "D6", "--box", BOX, "1=a.png", "2=none.png"), "none.png: There is no such file."),
        (("runes", "--die", "D6", "--box", "1,2,3", "1=a.png"), "--box: expected X,Y,W,H"),
        (("runes", "--die", "D6", "--box", "290,10,40,40", "1=a.png"), "within 300x300, got 290,10,40,40"),
        (("runes", "--die", "D6", "--box", "0,10,40,40", "1=a.png"), "cut off by the picture's edge"),
        (("--forget",), "Expected the set's name alone"),
        (("runes", "1=a.png", "--forget"), "Expected the set's name alone"),
        (("runes", "--forget"), "There is no die set 'runes'"),
        (("runes",), "There is no die set 'runes'"),
        (("../runes", "--forget"), "1 to 32 of a-z, 0-9 and hyphens"),
    ],
)
def test_what_will_not_do_gets_a_sentence_and_nothing_is_kept(
    words: tuple[str, ...], says: str, call: Call, folder: Path
) -> None:
    status, out, err = call("enrol", *words)
    assert (status, out) == (2, [])
    assert says in err
    assert err.count("\n") == 1
    assert not folder.exists()


@pytest.mark.parametrize("name", ["../../x", "", "Skulls", "a/b"])
@pytest.mark.parametrize("words", [["read", "a.png", "--set"], ["enrol"]], ids=["read", "enrol"])
def test_a_name_that_no_set_can_have_gets_a_sentence(words: list[str], name: str, call: Call) -> None:
    status, out, err = call(*words, name)
    assert (status, out) == (2, [])
    assert err == f"dicetower: Expected a die set's name of 1 to 32 of a-z, 0-9 and hyphens, got {name!r}.\n"


def test_a_set_whose_index_is_a_folder_is_told_of_and_forgotten(call: Call, folder: Path) -> None:
    (folder / "bad/set.json").mkdir(parents=True)
    status, out, err = call("enrol", "bad")
    assert (status, out) == (2, [])
    assert err == "dicetower: bad/set.json cannot be read: is a directory; forget the set and enrol it anew.\n"
    assert call("enrol", "bad", "--forget") == (0, ["bad is forgotten."], "")
    assert not (folder / "bad").exists()


def test_a_broken_set_is_named_beside_the_good_ones(call: Call, folder: Path) -> None:
    for name in ("bones", "runes", "skulls"):
        assert call("enrol", name, "--die", "D6", "--box", BOX, "1=a.png")[0] == 0
    (folder / "runes/set.json").write_text("{")
    status, out, err = call("enrol")
    assert status == 1
    assert [line.split()[0] for line in out if not line.startswith(" ")] == ["bones", "skulls"]
    assert err.startswith("dicetower: runes/set.json cannot be read as JSON (")
    assert err.count("\n") == 1
    status, out, err = call("enrol", "--json")
    told = {row["set"]: row.get("fault") for row in map(json.loads, out)}
    assert (status, told) == (1, {"bones": None, "runes": err.removeprefix("dicetower: ").strip(), "skulls": None})


def test_a_set_that_must_stay_says_why(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(folder: Path, name: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(diesets, "forget", refused)
    status, out, err = call("enrol", "runes", "--forget")
    assert (status, out) == (1, [])
    assert err == f"dicetower: The set runes cannot be taken out of {folder}: Permission denied.\n"


def test_a_set_of_a_newer_program_is_left_alone(call: Call, folder: Path) -> None:
    assert call("enrol", "runes", "--die", "D6", "--box", BOX, "1=a.png")[0] == 0
    index = folder / "runes/set.json"
    index.write_text('{"format": 9, "faces": []}')
    status, _, err = call("enrol", "runes", "--die", "D6", "--box", BOX, "2=b.png")
    assert status == 2
    assert "a newer program's" in err
    assert index.read_text() == '{"format": 9, "faces": []}'


def test_a_folder_that_cannot_be_written_to_says_so(call: Call, folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where the folder should be")
    status, _, err = call("enrol", "runes", "--die", "D6", "--box", BOX, "1=a.png")
    assert status == 1
    assert "cannot be kept" in err
