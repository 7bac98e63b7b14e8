"""`dicetower read` as a person or a script meets it: the JSON line, the words, the order, and every bad file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import dicevision.read
from dicetower.cli import run
from dicevision.read import DieReading, TrayReading
from training.trays import Camera, DiePose, Tray, render_tray

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "fixtures/pictures"
KEYS = ["die", "value", "status", "cocked", "confidence", "box", "colour", "candidates"]
OUTLINE = np.array([[10, 20], [50, 20], [50, 60], [10, 60]], np.float32)
SURE = DieReading("D6", 5, "sure", False, 0.98765, (10, 20, 40, 40), OUTLINE, "#d8d2c0", ((5, 0.98765), (4, 0.01)), ())
UNSURE = DieReading(
    None,
    None,
    "unsure",
    True,
    0.5,
    (100, 20, 41, 42),
    OUTLINE + 90,
    "#101010",
    ((6, 0.5), (4, 0.3)),
    ("two dice touch",),
)


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, list[str], str]:
    status = run(["read", *map(str, args)])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the reader find one sure and one doubtful die in every picture."""
    monkeypatch.setattr(dicevision.read, "read", lambda frame, trace=None: TrayReading((96, 64), (SURE, UNSURE)))


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A render of three dice as plain as dice can be, all far apart."""
    dice = [DiePose(-60, 10, 5, 20), DiePose(0, -20, 3, 50), DiePose(60, 20, 2, 75)]
    frame, _ = render_tray(dice, tray=Tray("felt"), camera=Camera(view_mm=220), seed=4)
    path = tmp_path_factory.mktemp("photos") / "three.jpg"
    cv2.imwrite(str(path), frame)
    return path


# -- whole


def test_three_plain_dice_are_read(capsys: pytest.CaptureFixture[str], photo: Path) -> None:
    status, out, err = call(capsys, photo, "--json")
    (line,) = out
    found = json.loads(line)
    assert (status, err) == (0, "")
    assert list(found) == ["image", "size", "dice"]
    assert (found["image"], found["size"]) == (str(photo), [640, 480])
    assert [list(die) for die in found["dice"]] == [KEYS] * 3
    assert [die["die"] for die in found["dice"]] == ["D6"] * 3
    sure = [(die["value"], right) for die, right in zip(found["dice"], (5, 3, 2), strict=True) if die["value"]]
    assert len(sure) >= 2
    assert all(value == right for value, right in sure)


@pytest.mark.parametrize("surface", ["felt", "wood", "leather", "black"])
def test_an_empty_tray_is_no_dice_and_no_error(
    surface: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    frame, _ = render_tray([], tray=Tray(surface), seed=7)  # type: ignore[arg-type] # the table above names surfaces
    cv2.imwrite(str(tmp_path / "empty.png"), frame)
    status, out, err = call(capsys, tmp_path / "empty.png", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out[0])["dice"] == []
    assert call(capsys, tmp_path / "empty.png")[1] == [f"{tmp_path / 'empty.png'}  640x480  no dice"]


# -- shape


@pytest.mark.usefixtures("told")
def test_the_line_has_every_key_in_order_and_no_value_for_an_unsure_die(capsys: pytest.CaptureFixture[str]) -> None:
    path = PICTURES / "plain.png"
    assert call(capsys, path, "--json")[1] == [
        f'{{"image": "{path}", "size": [96, 64], "dice": ['
        '{"die": "D6", "value": 5, "status": "sure", "cocked": false, "confidence": 0.9877, "box": [10, 20, 40, 40], '
        '"colour": "#d8d2c0", "candidates": [[5, 0.9877], [4, 0.01]]}, '
        '{"die": null, "value": null, "status": "unsure", "cocked": true, "confidence": 0.5, '
        '"box": [100, 20, 41, 42], "colour": "#101010", "candidates": [[6, 0.5], [4, 0.3]]}]}'
    ]


@pytest.mark.usefixtures("told")
def test_words_say_what_is_unsure_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    path = PICTURES / "plain.png"
    assert call(capsys, path)[1] == [
        f"{path}  96x64  2 dice, 1 unsure",
        "  D6    5  #d8d2c0  at 10,20  40x40",
        "  die   ?  #101010  at 100,20  41x42  cocked  unsure, 6 (50%) or 4 (30%): two dice touch",
    ]


@pytest.mark.usefixtures("told")
def test_an_unsure_die_has_no_value_even_where_the_reader_leaves_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slip = replace(UNSURE, value=6)
    monkeypatch.setattr(dicevision.read, "read", lambda frame, trace=None: TrayReading((96, 64), (slip,)))
    assert json.loads(call(capsys, PICTURES / "plain.png", "--json")[1][0])["dice"][0]["value"] is None
    assert "  ?  " in call(capsys, PICTURES / "plain.png")[1][1]


# -- trouble


@pytest.mark.usefixtures("told")
def test_an_empty_name_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["read", "", str(PICTURES / "plain.png")])
    out, err = capsys.readouterr()
    assert status == 1
    assert out.splitlines()[0] == "''  not read"
    assert out.splitlines()[1].startswith(str(PICTURES / "plain.png")), "the other is read"
    assert err == "dicetower: '': Expected the name of a photograph, got an empty one.\n"


@pytest.mark.usefixtures("told")
def test_bad_files_get_their_line_and_sentence_and_the_rest_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cut = tmp_path / "cut.png"
    cut.write_bytes((PICTURES / "plain.png").read_bytes()[:2000])
    photos = [PICTURES / "plain.png", tmp_path / "none.jpg", tmp_path, cut, Path(__file__), PICTURES / "plain.png"]
    status, out, err = call(capsys, *photos, "--json")
    lines = [json.loads(line) for line in out]
    assert status == 1
    assert [line["image"] for line in lines] == [str(path) for path in photos]
    assert ["error" in line for line in lines] == [False, True, True, True, True, False]
    assert err.splitlines() == [f"dicetower: {line['image']}: {line['error']}" for line in lines if "error" in line]
    assert [line["error"].split(":")[0].split(" (")[0] for line in lines if "error" in line] == [
        "There is no such file.",
        "This is a folder",
        "The PNG file is cut short",
        "Expected a picture",
    ]


@pytest.mark.usefixtures("told")
def test_bad_files_say_so_in_words_too(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "none.jpg", PICTURES / "plain.png")
    assert (status, out[0]) == (1, "none.jpg  not read")
    assert err == "dicetower: none.jpg: There is no such file.\n"


def test_a_picture_too_small_for_a_die_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "dot.png"), np.zeros((9, 9, 3), np.uint8))
    status, _, err = call(capsys, tmp_path / "dot.png", "--json")
    assert status == 1
    assert "at least 32 pixels on each side; got 9x9." in err


def test_no_photo_is_a_bad_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys)[0] == 2


@pytest.mark.usefixtures("told")
def test_a_name_that_is_no_text_gives_a_line_all_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/w\xfcrfel.png"
    Path(os.fsdecode(odd)).write_bytes((PICTURES / "plain.png").read_bytes())
    status, out, _ = call(capsys, os.fsdecode(odd), "--json")
    assert status == 0
    assert json.loads(out[0])["image"] == os.fsdecode(odd)
    assert call(capsys, os.fsdecode(odd))[0] == 0


# -- debug


def test_debug_keeps_a_picture_a_stage_a_photo(capsys: pytest.CaptureFixture[str], photo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stages/here"
    assert call(capsys, photo, photo, "--debug", folder)[0] == 0
    names = sorted(path.name for path in folder.iterdir())
    first, second = ([name for name in names if name.startswith(f"00{k}-three-")] for k in (1, 2))
    assert len(names) == len(first) + len(second)
    assert first[0] == "001-three-1-frame.png"
    assert any(name.endswith("-read.png") for name in first)
    assert [name[3:] for name in first] == [name[3:] for name in second]
    shapes = {cv2.imread(str(path)).shape for path in folder.iterdir()}  # type: ignore[union-attr] # just written
    assert shapes == {(480, 640, 3)}


def test_a_debug_folder_that_cannot_be_is_a_bad_call(capsys: pytest.CaptureFixture[str], photo: Path) -> None:
    status, _, err = call(capsys, photo, "--debug", photo)
    assert status == 2
    assert "expected a folder that can be written to" in err


# -- as a process


def test_lines_come_one_by_one_and_a_reader_that_leaves_ends_it() -> None:
    names = [str(PICTURES / "plain.png")] * 200
    code = "import sys; from dicetower.cli import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, "read", "--json", *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stderr is not None
    assert json.loads(child.stdout.readline())["size"] == [96, 64]
    child.stdout.close()
    child.wait(60)
    assert child.stderr.read() == b""
    child.stderr.close()


def test_the_largest_picture_is_read_in_600_mb(tmp_path: Path) -> None:
    path = tmp_path / "largest.png"
    tile = np.random.default_rng(1).integers(90, 130, (500, 790, 3)).astype(np.uint8)
    cv2.imwrite(str(path), np.tile(tile, (10, 10, 1)), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    code = f"""
import sys
from dicetower.cli import run
status = run(["read", "--json", {str(path)!r}])
print(status, next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    line, last = done.stdout.splitlines()
    assert json.loads(line)["size"] == [7900, 5000]
    status, peak = map(int, last.split())
    assert status == 0
    assert peak * (1 if sys.platform == "darwin" else 1024) < 600_000_000
