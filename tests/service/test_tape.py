"""A tape's folder: what is read, and what is refused, with file and line."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.tapes import BUNDLED, copied, head, made, resealed

from dicetower.errors import BadTape
from dicetower.sources import tape
from dicetower.sources.in_tray import InTray, Part
from dicetower.sources.tape import Line
from dicetower.sources.tape_writer import TapeWriter, seal
from dicetower.tapes import inputs
from dicetower.tapes.replay import replay

AGAIN = {"in": "again"}


def edit(folder: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    path = folder / name
    path.write_bytes(change(path.read_bytes()))
    return folder


def wrong_with(folder: Path) -> str | None:
    """What a tape is refused for; None where it plays."""
    try:
        replay(tape.read(folder))
    except BadTape as error:
        return str(error)
    return None


def refused(folder: Path, *said: str) -> None:
    with pytest.raises(BadTape) as raised:
        replay(tape.read(folder))
    for words in said:
        assert words in str(raised.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [{"in": "again"}, {"in": "type", "dice": [{"die": "D8", "value": 5}], "ms": 70_000}])
    read = tape.read(folder)
    assert [(line.number, line.ms, line.kind) for line in read.inputs] == [(1, 1000, "again"), (2, 70_000, "type")]
    assert read.inputs[1].data == {"dice": [{"die": "D8", "value": 5}]}
    assert read.head == head()
    assert read.expected == {"version": 1, "results": []}
    assert read.edits == ()


def test_an_empty_tape_is_a_tape(tmp_path: Path) -> None:
    assert replay(tape.read(made(tmp_path / "t", []))).ok


# The manifest and the seal.


def test_a_byte_changed_in_the_inputs_is_said(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    edit(folder, "inputs.jsonl", lambda text: text.replace(b'"value": 6', b'"value": 7', 1))
    refused(folder, "mirror-armour/inputs.jsonl", "expected SHA-256", "it was edited")


def test_a_byte_changed_in_the_expectation_is_said(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    edit(folder, "expected.json", lambda text: text.replace(b'"destroyed"', b'"undamaged"', 1))
    refused(folder, "mirror-armour/expected.json")


def test_a_cut_file_is_said(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    edit(folder, "inputs.jsonl", lambda text: text[:-40])
    refused(folder, "inputs.jsonl", "bytes, got", "it was cut or edited")


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    folder = copied("one-tray", tmp_path)
    (folder / "frames/0002.png").unlink()
    refused(folder, "one-tray/frames/0002.png", "missing")


def test_a_file_too_many_is_said(tmp_path: Path) -> None:
    folder = copied("one-tray", tmp_path)
    shutil.copy(folder / "frames/0002.png", folder / "frames/0009.png")
    refused(folder, "one-tray/frames/0009.png", "sealed without this file")


def test_a_file_of_another_name_is_said(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "notes.txt").write_text("mine")
    refused(folder, "mirror-armour/notes.txt", "take it out")


def test_an_edited_title_breaks_the_seal(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    edit(folder, "tape.json", lambda text: text.replace(b"Mirror armour", b"Mirror amrour"))
    refused(folder, "tape.json", "edited after it was sealed")


def test_spacing_alone_breaks_no_seal(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    edit(folder, "tape.json", lambda text: json.dumps(json.loads(text)).encode())
    assert replay(tape.read(folder)).ok


def test_a_link_is_no_file_of_a_tape(tmp_path: Path) -> None:
    folder = copied("mirror-armour", tmp_path)
    elsewhere = tmp_path / "inputs.jsonl"
    (folder / "inputs.jsonl").rename(elsewhere)
    (folder / "inputs.jsonl").symlink_to(elsewhere)
    refused(folder, "inputs.jsonl", "a link")


def test_a_folder_that_is_a_link_is_none_either(tmp_path: Path) -> None:
    folder = copied("one-tray", tmp_path)
    (folder / "frames").rename(tmp_path / "frames")
    (folder / "frames").symlink_to(tmp_path / "frames")
    refused(folder, "one-tray/frames")


# tape.json, sealed anew: the edit hides itself, and the form is what refuses it.


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole.__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("format", "cassette"), "no tape of ours"),
        (put("version", 2), "reads version 1 of tapes, got 2"),
        (put("version", True), "got True"),
        (put("state", "fine"), "state: expected one of recording, cut, whole"),
        (put("title", ""), "title: expected a text"),
        (put("title", "x" * 3000), "title: expected a text"),
        (put("shows", "a tie"), "shows: expected a list of texts"),
        (put("start_ms", -1), "start_ms: expected Unix milliseconds"),
        (put("start_ms", 9e14), "start_ms"),
        (put("start_ms", True), "start_ms"),
        (put("rules", {}), "rules: missing key 'hash'"),
        (put("rules", []), "rules: expected name, version and hash"),
        (put("rules", {"name": "x", "version": "1", "hash": 3}), "rules: expected three texts"),
        (put("table", []), "table: expected an object"),
        (put("table", {}), "table: missing field"),
        (put("table", {"name": "../x", "settings": {}, "players": []}), "table's name"),
        (put("table", {"name": "main", "settings": {"virtual": 3}, "players": []}), "table.settings.virtual"),
        (put("licence", None), "licence: expected a text"),
        (put("mood", "good"), "unknown key 'mood'"),
        (lambda whole: whole.pop("origin"), "missing key 'origin'"),
        (
            lambda whole: whole["files"].update({"../../etc/passwd": {"bytes": 1, "sha256": "0" * 64}}),
            "no file '../../",
        ),
        (
            lambda whole: whole["files"].update({"frames/../x.png": {"bytes": 1, "sha256": "0" * 64}}),
            "no file 'frames/..",
        ),
        (lambda whole: whole["files"].update({"/etc/passwd": {"bytes": 1, "sha256": "0" * 64}}), "no file '/etc"),
        (lambda whole: whole["files"].update({"frames/1.png": {"bytes": 1 << 40, "sha256": "0" * 64}}), "at most"),
        (lambda whole: whole["files"].update({"frames/1.png": {"bytes": -1, "sha256": "0" * 64}}), "at most"),
        (lambda whole: whole["files"].update({"frames/1.png": {"bytes": 1, "sha256": "no"}}), "64 hexadecimal"),
        (lambda whole: whole["files"].update({"frames/1.png": {"bytes": 1}}), "missing key 'sha256'"),
        (lambda whole: whole["files"].update({"frames/1.png": 7}), "bytes and sha256"),
        (put("files", []), "files: expected an object"),
    ],
)
def test_a_tape_json_that_is_none(tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    refused(resealed(copied("mirror-armour", tmp_path), change), "mirror-armour/tape.json", said)


def test_another_rule_pack_is_said(tmp_path: Path) -> None:
    folder = resealed(copied("mirror-armour", tmp_path), lambda whole: whole["rules"].update(hash="sha256:" + "0" * 64))
    refused(folder, "rules: the tape was made under", "--rules FILE")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "expected JSON"),
        (b"[]", "expected an object"),
        (b"{", "expected JSON"),
        (b'{"a": 1, "a": 2}', "a key comes twice"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": 1e999}', "out of all bounds"),
        (b'{"a": ' + b"9" * 5000 + b"}", "expected JSON"),
        (b'{"a": "\\ud800"}', "expected JSON"),
        (b"\xff\xfe{}", "expected JSON"),
        (b"[" * 100_000, "expected JSON"),
        (b'{"a": ' * 100_000, "expected JSON"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_tape_json_that_is_no_json(tmp_path: Path, text: bytes, said: str) -> None:
    folder = copied("mirror-armour", tmp_path)
    (folder / "tape.json").write_bytes(text)
    refused(folder, "mirror-armour/tape.json", said)


def test_a_folder_without_a_tape_json(tmp_path: Path) -> None:
    refused(tmp_path, "tape.json", "expected a file, got none")


def test_a_recording_that_did_not_end_is_no_whole_tape(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t", head()) as writer:
        writer.add(10, "again", {})
    refused(tmp_path / "t", "the recording did not end", "--update")


# Inputs, sealed as they are.


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"ms": -1, "in": "again"}, "expected ms from 0"),
        ({"ms": 1.5, "in": "again"}, "expected ms"),
        ({"ms": True, "in": "again"}, "expected ms"),
        ({"ms": "12", "in": "again"}, "expected ms"),
        ({"ms": 8 * 24 * 3600 * 1000, "in": "again"}, "expected ms"),
        ({"in": "again"}, "expected ms"),
        ({"ms": 5}, "expected a kind of input in 'in', got None"),
        ({"ms": 5, "in": 7}, "expected a kind of input"),
        ({"ms": 5, "in": "reading"}, "there is no input 'reading'"),
        ({"ms": 5, "in": "again", "why": "so"}, "unknown field why"),
        ({"ms": 5, "in": "declare", "system": "HKP"}, "missing field"),
        ({"ms": 5, "in": "undo", "stale": 1}, "undo.stale: expected bool"),
        ({"ms": 5, "in": "type", "dice": [{"value": "5"}]}, "type.dice[0].value: expected int"),
        ({"ms": 5, "in": "type", "dice": [{"value": 5, "die": "D7"}]}, "expected Die"),
        ({"ms": 5, "in": "frame", "file": "../x.png"}, "expected one of the tape's frames"),
        ({"ms": 5, "in": "frame", "file": "inputs.jsonl"}, "expected one of the tape's frames"),
        ({"ms": 5, "in": "frame", "file": "frames/0001.png"}, "expected one of the tape's frames"),
        ({"ms": 5, "in": "frame", "file": 3}, "expected one of the tape's frames"),
        ({"ms": 5, "in": "serial", "port": "a", "data": "Ā"}, "a character a byte"),
        ({"ms": 5, "in": "serial", "port": "a", "data": "x" * 70_000}, "at most 65536 characters"),
        ({"ms": 5, "in": "dismiss", "of": {}}, "of: expected a slot, or throw and die"),
        ({"ms": 5, "in": "dismiss", "of": {"throw": 1}}, "of: expected"),
        ({"ms": 5, "in": "dismiss", "of": {"throw": 0, "die": 1}}, "of: expected"),
        ({"ms": 5, "in": "dismiss", "of": {"slot": "damage", "key": "x"}}, "of: expected"),
        ({"ms": 5, "in": "dismiss", "of": {"slot": "damage", "throw": 1}}, "of: expected"),
        ({"ms": 5, "in": "virtual", "drawn": [20]}, "drawn: expected"),
        ({"ms": 5, "in": "virtual", "drawn": [0] * 6}, "drawn: expected"),
        ({"ms": 5, "in": "again", "x": 1e300}, "out of all bounds"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_input_that_is_none_names_its_line(tmp_path: Path, line: dict[str, Any], said: str) -> None:
    folder = made(tmp_path / "t", [{"ms": 0, "in": "again"}])
    edit(folder, "inputs.jsonl", lambda text: text + json.dumps(line).encode() + b"\n")
    refused(resealed(folder), "t/inputs.jsonl: line 2", said)


def test_offsets_never_run_backwards(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [{"in": "again", "ms": 500}, {"in": "again", "ms": 499}])
    refused(folder, "t/inputs.jsonl: line 2", "expected ms from 500")


def test_a_last_line_without_an_end_was_cut(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [AGAIN, AGAIN])
    refused(resealed(edit(folder, "inputs.jsonl", lambda text: text[:-1])), "t/inputs.jsonl: line 2", "was cut")


def test_an_empty_line_is_none(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [AGAIN])
    refused(
        resealed(edit(folder, "inputs.jsonl", lambda text: text + b"\n")), "t/inputs.jsonl: line 2", "expected JSON"
    )


def test_a_line_of_a_megabyte_is_too_long(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [AGAIN])
    refused(resealed(edit(folder, "inputs.jsonl", lambda text: text + b" " * (1 << 20) + text)), "line 2", "at most")


def test_numbers_drawn_that_fit_no_die(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"in": "settings", "virtual": True},
        {"in": "declare", "system": "HEL", "size": 1, "armour": 1, "firer": "red", "target": "blue"},
        {"in": "virtual", "drawn": [7, 0]},
    ]
    refused(made(tmp_path / "t", lines), "t/inputs.jsonl: line 3", "drawn: expected a number below 4, got [7]")


def test_a_virtual_throw_without_its_numbers(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"in": "settings", "virtual": True},
        {"in": "declare", "system": "HEL", "size": 1, "armour": 1, "firer": "red", "target": "blue"},
        {"in": "virtual", "drawn": [3]},
    ]
    refused(made(tmp_path / "t", lines), "t/inputs.jsonl: line 3", "got none")


# Pictures.


def test_a_picture_of_another_form_is_said(tmp_path: Path) -> None:
    folder = resealed(edit(copied("one-tray", tmp_path), "frames/0001.png", lambda data: b"GIF89a" + data[6:]))
    refused(folder, "one-tray/frames/0001.png", "expected a picture of the form")


@pytest.mark.parametrize("cut", [20, 40, 5000])
def test_a_cut_picture_names_file_and_line(tmp_path: Path, cut: int) -> None:
    folder = resealed(edit(copied("one-tray", tmp_path), "frames/0001.png", lambda data: data[:cut]))
    refused(folder, "one-tray/inputs.jsonl: line 2: frames/0001.png")


# Expectations.


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ({}, "expected {"),
        ({"version": 1, "results": {}}, "expected {"),
        ({"version": 2, "results": []}, "expected version 1"),
        ({"version": 1, "results": [7]}, "result 1: result: expected an object"),
        ({"version": 1, "results": [{"line": "x"}]}, "result.line: expected int"),
        ({"version": 1, "results": [{"line": 1, "mood": 1}]}, "unknown field mood"),
        ({"version": 1, "results": [{"line": 2}, {"line": 1}]}, "in order of line"),
        ({"version": 1, "results": [{"line": 1}, {"line": 1}]}, "in order of line"),
        (
            {"version": 1, "results": [{"line": 99, "refused": "Conflict"}]},
            "a result for line 99; the tape ends before",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_expectation_that_is_none(tmp_path: Path, expected: Any, said: str) -> None:
    folder = made(tmp_path / "t", [AGAIN])
    (folder / "expected.json").write_text(json.dumps(expected))
    refused(resealed(folder), "t/expected.json", said)


def test_a_tape_without_expectation_proves_nothing_and_says_so(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [AGAIN])
    (folder / "expected.json").unlink()
    refused(
        resealed(folder, lambda whole: whole["files"].pop("expected.json")), "t/expected.json", "nothing to compare"
    )


# History.


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"kind": "table opened"}], "line 1: expected an event's kind and data"),
        ([{"kind": "dragon", "data": {"v": 1}}], "not known to this one"),
        ([{"kind": "undone", "data": {"v": 1, "at_ms": 1, "text": "x"}}], "do not follow"),
        ([{"kind": "attack voided", "data": {"v": 1, "at_ms": 1, "attack": "a1", "reason": "x"}}], "do not follow"),
    ],
)
def test_a_history_that_is_none(tmp_path: Path, rows: list[Any], said: str) -> None:
    folder = made(tmp_path / "t", [AGAIN], table={"name": "main"})
    (folder / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    put_in = lambda whole: whole["files"].update({"history.jsonl": {}})  # noqa: E731
    resealed(folder, put_in)
    refused(resealed(folder), "t/history.jsonl", said)


# Writing.


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadTape, match="there already"), TapeWriter(tmp_path, head()):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_same_picture_is_kept_once(tmp_path: Path) -> None:
    picture = (BUNDLED / "one-tray/frames/0001.png").read_bytes()
    with TapeWriter(tmp_path / "t", head()) as writer:
        assert [writer.frame(picture), writer.frame(picture)] == ["frames/0001.png"] * 2


def test_bytes_that_are_no_picture_are_not_kept(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t", head()) as writer, pytest.raises(BadTape, match="pictures of the forms"):
        writer.frame(b"GIF89a")


def test_half_written_files_are_swept_away_by_the_seal(tmp_path: Path) -> None:
    folder = made(tmp_path / "t", [AGAIN])
    (folder / "frames").mkdir()
    (folder / "frames/0001.png.half").write_bytes(b"\x89PN")
    seal(folder, head(), {"version": 1, "results": []})
    assert tape.read(folder).files.keys() == {"inputs.jsonl", "expected.json"}


# Whatever is done to a tape.


@settings(max_examples=120)
@given(st.data())
def test_a_tape_with_a_byte_changed_is_never_taken_for_it(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = copied("absent-opponent", tmp_path_factory.mktemp("flip"))
    before = tape.read(folder)
    path = data.draw(st.sampled_from(sorted(file for file in folder.rglob("*") if file.is_file())))
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(content))
    with contextlib.suppress(BadTape):
        assert tape.read(folder) == before, "only spacing in tape.json may change unseen"


@settings(max_examples=60)
@given(st.data())
def test_a_tape_with_a_line_or_a_file_lost_is_never_taken_for_it(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    folder = copied("one-tray", tmp_path_factory.mktemp("lose"))
    before = tape.read(folder)
    path = data.draw(st.sampled_from(sorted(file for file in folder.rglob("*") if file.is_file())))
    content = path.read_bytes()
    how = data.draw(st.sampled_from(["drop the file", "cut it", "drop a line", "swap two lines", "double a line"]))
    lines = content.splitlines(keepends=True)
    at = data.draw(st.integers(0, max(0, len(lines) - 2)))
    if how == "drop the file":
        path.unlink()
    elif how == "cut it":
        path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    elif how == "drop a line":
        path.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
    elif how == "swap two lines":
        path.write_bytes(b"".join([*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]))
    else:
        path.write_bytes(b"".join([*lines[: at + 1], *lines[at:]]))
    if path.exists() and path.read_bytes() == content:
        return
    if path.name == "tape.json" and how == "swap two lines":  # JSON's keys mean the same in any order
        with contextlib.suppress(BadTape):
            assert tape.read(folder) == before
        return
    with pytest.raises(BadTape):
        tape.read(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["of", "dice", "value", "die", "slot", "reason", "player", "request", "file", "port", "data", "drawn", "plan"]
)
KINDS = st.sampled_from(["declare", "again", "correct", "type", "virtual", "frame", "serial", "plug", "answer", "undo"])


@settings(max_examples=150)
@given(st.lists(st.fixed_dictionaries({"ms": st.integers(0, 50), "in": KINDS}) | JSON, max_size=4), st.data())
def test_whatever_the_lines_hold_it_is_a_tape_or_a_bad_tape(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Any], data: Any
) -> None:
    folder = made(tmp_path_factory.mktemp("any") / "t", [])
    for line in lines:
        if isinstance(line, dict):
            line.update(data.draw(st.dictionaries(KEYS, JSON, max_size=3)))
    (folder / "inputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "t/" in (wrong_with(resealed(folder)) or "t/")


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_whatever_the_bytes_are_it_is_a_tape_or_a_bad_tape(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    folder = made(tmp_path_factory.mktemp("any") / "t", [])
    (folder / "inputs.jsonl").write_bytes(text)
    assert "t/" in (wrong_with(resealed(folder)) or "t/")


@pytest.mark.parametrize(
    ("tray", "said"),
    [
        ({"corners": [[0, 0], [1, 1]]}, "outlines of 3 to 12 corners"),
        ({"left": [[0.5, 1.5]]}, "every place from 0 to 1"),
        ({"zones": [{"name": "left half", "corners": []}]}, "outlines of 3 to 12 corners"),
        ({"left": [[0.5]]}, "expected 2 items"),
        ({"tilt": [0.8, 0.8]}, "tilt: expected the sine of an angle"),
        ({"light": "on"}, "unknown field light"),
    ],
)
def test_a_tray_that_is_none_is_refused(tray: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTape, match=said):
        inputs.parse(Line(2, 5, "frame", {"file": "frames/0001.png", "tray": tray}), "t/inputs.jsonl: line 2")


@pytest.mark.parametrize("tilt", [None, (0.02, 0.45), (-1.0, 0.0)])
def test_what_a_camera_knew_of_its_tray_comes_back(tilt: tuple[float, float] | None) -> None:
    parts = (Part("all", ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))),)
    tray = InTray(((0.1, 0.1), (0.9, 0.1), (0.9, 0.9)), ((0.5, 0.5),), parts, tilt)
    frame = inputs.Frame("frames/0001.png", tray=tray)
    assert inputs.parse(Line(1, 0, "frame", json.loads(json.dumps(inputs.data_of(frame)))), "t") == frame
