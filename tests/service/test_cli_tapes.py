"""`dicetower replay` and `dicetower record`: exit status, what is printed where, and pipes that close."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from tests.support.tapes import BUNDLED, copied, made, resealed

from dicetower.cli import run
from dicetower.sources import tape
from dicetower.tapes.replay import replay
from dicetower.tapes.report import Case, junit

DICETOWER = [sys.executable, "-m", "dicetower"]


def called(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str, str]:
    status = run([str(arg) for arg in args])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def differing(folder: Path, name: str = "mirror-armour") -> Path:
    made_anew = copied(name, folder)
    path = made_anew / "expected.json"
    path.write_text(path.read_text().replace('"final": "destroyed"', '"final": "undamaged"', 1))
    return resealed(made_anew)


# Replay.


def test_a_tape_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = called(capsys, "replay", BUNDLED / "mirror-armour")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "Mirror armour (mirror-armour)"
    assert "HEL size 2, against armour 1: DESTROYED (" in out
    assert out.splitlines()[-1] == "  as expected"


def test_a_difference_is_said_with_tape_line_slot_expected_and_got(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = called(capsys, "replay", differing(tmp_path))
    assert status == 1
    assert err == "dicetower: mirror-armour: line 3: outcome: expected undamaged, got destroyed.\n"
    assert out.splitlines()[-1] == "  NOT AS EXPECTED"


def test_a_tape_that_cannot_be_trusted_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "inputs.jsonl").write_bytes((folder / "inputs.jsonl").read_bytes()[:-1])
    status, out, err = called(capsys, "replay", folder)
    assert (status, out) == (2, "")
    assert err.startswith("dicetower: mirror-armour/inputs.jsonl: expected ")
    copied("cold-steel", tmp_path)
    status, out, err = called(capsys, "replay", tmp_path)
    assert status == 1
    assert "  CANNOT BE TRUSTED: mirror-armour/inputs.jsonl: expected " in out
    assert "NOT AS EXPECTED" not in out


def test_update_says_in_words_that_there_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("cold-steel", tmp_path)
    (folder / "expected.json").write_text('{"version": 1, "results": []}')
    _, out, _ = called(capsys, "replay", folder, "--update")
    assert "line 3: damage die's row: expected nothing, got none." in out
    assert "None" not in out


def test_json_is_lines_of_json_and_twice_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    first = called(capsys, "replay", BUNDLED / "pressed-die", "--json")
    second = called(capsys, "replay", BUNDLED / "pressed-die", "--json")
    assert first == second
    lines = [json.loads(line) for line in first[1].splitlines()]
    assert [line["line"] for line in lines[:-1]] == list(range(1, lines[-1]["inputs"] + 1))
    assert lines[-1]["ok"] is True
    assert [attack["outcome"]["final"] for attack in lines[-1]["outcomes"]] == ["mobility", "destroyed"]


def test_json_of_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = called(capsys, "replay", differing(tmp_path), "--json")
    last = json.loads(out.splitlines()[-1])
    assert status == 1
    assert (last["ok"], last["difference"]) == (False, err.removeprefix("dicetower: ").strip())


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["{tmp}/none"], 2, "There is no tape"),
        (["{tmp}"], 2, "is no tape and holds none"),
        (["{tape}", "--speed", "0"], 2, "expected max, or a number of 0.01 to 1000, got '0'"),
        (["{tape}", "--speed", "nan"], 2, "expected max"),
        (["{tape}", "--speed", "-1"], 2, "expected max"),
        (["{tape}", "--speed", "fast"], 2, "got 'fast'"),
        (["{tape}", "--rules", "{tmp}/none.toml"], 2, "none.toml"),
        (["{tape}", "--update", "--junit", "x.xml"], 2, "--update goes with neither"),
        (["{tape}", "--junit", "{tmp}/no/such/folder.xml"], 1, "cannot be written: No such file"),
        ([], 2, "Missing argument"),
    ],
)
def test_a_bad_call_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], status: int, said: str
) -> None:
    full = [arg.format(tmp=tmp_path, tape=BUNDLED / "mirror-armour") for arg in args]
    got, _, err = called(capsys, "replay", *full)
    assert got == status
    assert said in err
    assert "Traceback" not in err


def test_a_tape_that_cannot_be_trusted_is_a_bad_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "inputs.jsonl").write_bytes((folder / "inputs.jsonl").read_bytes()[:-9])
    status, _, err = called(capsys, "replay", folder)
    assert status == 2
    assert err.startswith("dicetower: mirror-armour/inputs.jsonl: expected ")


def test_a_file_is_no_tape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("x")
    assert called(capsys, "replay", tmp_path / "x")[0] == 2


def test_a_speed_keeps_the_tapes_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    folder = made(tmp_path / "t", [{"in": "again", "ms": 1000}, {"in": "again", "ms": 61_000}])
    called(capsys, "replay", folder, "--speed", "4")
    assert now[0] == pytest.approx(100 + 61 / 4)


# Many.


def a_folder_of_three(tmp_path: Path) -> Path:
    copied("ridge-at-dawn", tmp_path)
    differing(tmp_path)
    (copied("long-belt", tmp_path / "deeper") / "inputs.jsonl").unlink()
    return tmp_path


def test_a_folder_plays_all_of_its_tapes_and_reports_as_junit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = called(capsys, "replay", a_folder_of_three(tmp_path), "--junit", tmp_path / "report.xml")
    assert status == 1
    assert err.startswith("dicetower: 2 of 3 tapes did not come as expected. The first: long-belt/inputs.jsonl: ")
    assert out.count("as expected") == 1
    suite = Xml.parse(tmp_path / "report.xml").getroot()[0]
    assert suite.attrib == {"name": "tapes", "tests": "3", "failures": "1", "errors": "1"}
    cases = {case.attrib["name"]: [child.tag for child in case] for case in suite}
    assert cases == {"deeper/long-belt": ["error"], "mirror-armour": ["failure"], "ridge-at-dawn": []}
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == "mirror-armour: line 3: outcome: expected undamaged, got destroyed."


def test_all_that_are_bundled_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = called(capsys, "replay", BUNDLED, "--junit", tmp_path / "report.xml")
    assert (status, err) == (0, "")
    root = Xml.parse(tmp_path / "report.xml").getroot()
    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "0")
    assert int(root.attrib["tests"]) == len(tape.under(BUNDLED))


def test_junit_holds_what_no_xml_can_hold_as_a_mark() -> None:
    text = junit([Case("a\x00b<&>", wrong="line 1: got '\x1b[31m' and \ud800 and \uffff")])
    error = Xml.fromstring(text).find("testsuite/testcase/error")
    assert error is not None
    assert error.attrib["message"] == "line 1: got '\ufffd[31m' and \ufffd and \ufffd"


# Update.


def test_update_shows_what_changed_and_then_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = differing(tmp_path)
    assert called(capsys, "replay", folder, "--update") == (
        0, "mirror-armour: line 3: outcome: expected undamaged, got destroyed.\n", "",
    )  # fmt: skip
    assert called(capsys, "replay", folder, "--update")[1] == "mirror-armour: nothing has changed.\n"
    assert called(capsys, "replay", folder)[0] == 0
    _, out, _ = called(capsys, "replay", folder, "--update", "--json")
    assert json.loads(out) == {"tape": "mirror-armour", "changes": []}


# Pipes.


@pytest.mark.parametrize(("wrong", "status"), [(False, 0), (True, 1)])
def test_a_reader_that_goes_away_changes_no_verdict(tmp_path: Path, wrong: bool, status: int) -> None:
    """`dicetower replay ... | head -1`: the check goes on, and its answer is still the check's."""
    folder = differing(tmp_path) if wrong else copied("mirror-armour", tmp_path)
    command = [*DICETOWER, "replay", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as replaying:
        assert replaying.stdout is not None
        assert replaying.stderr is not None
        replaying.stdout.close()
        err = replaying.stderr.read().decode()
    assert replaying.returncode == status, err
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


# Record.


def test_record_serves_and_ends_with_a_tape_on_ctrl_c(tmp_path: Path) -> None:
    settings = ["--port", "0", "--journal", str(tmp_path / "journal.db"), "--json"]
    command = [*DICETOWER, "record", str(tmp_path / "tape"), "--title", "Club night", *settings]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as service:
        assert service.stdout is not None
        address = json.loads(service.stdout.readline())["listening"]
        attack = {"system": "HEL", "size": 1, "armour": 1, "firer": "red", "target": "blue"}
        body = urllib.request.Request(
            f"{address}api/v1/tables/main/attacks", json.dumps(attack).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(body, timeout=30) as answer:
            assert answer.status == 200
        service.send_signal(signal.SIGINT)
        _, err = service.communicate(timeout=60)
    assert service.returncode == 0, err
    read = tape.read(tmp_path / "tape")
    assert (read.head.title, read.head.state) == ("Club night", "whole")
    assert replay(read).ok
    assert [line.kind for line in read.inputs] == ["declare"]


def test_record_into_a_folder_with_something_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    settings = ["--port", "0", "--journal", str(tmp_path / "j" / "journal.db")]
    status, out, err = called(capsys, "record", tmp_path, *settings)
    assert (status, out) == (2, "")
    assert "is there already and not an empty folder" in err
    status, _, err = called(capsys, "serve", "--record", tmp_path, *settings)
    assert status == 2
    assert "not an empty folder" in err


@pytest.mark.skipif(os.name == "nt", reason="a read-only folder is another thing there")
def test_record_where_nothing_may_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--port", "0", "--journal", str(tmp_path / "journal.db")]
    status, out, err = called(capsys, "record", "/proc/dicetower-tape", *settings)
    assert (status, out) == (2, "")
    assert err.startswith("dicetower: The tape /proc/dicetower-tape cannot be written: ")
