"""Sentences for people: a file that cannot be read is told of without error numbers or Python's own advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dicetower import settings
from dicetower.errors import DicetowerError, why_unreadable
from dicetower.rules import pack
from dicetower.sources import tape
from dicetower.sources.camera_profile import Profiles

DIGITS, DEEP = "9" * 5000, "[" * 100_000


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (IsADirectoryError(21, "Is a directory", "/home/someone/x"), "Is a directory"),
        (OSError(), "the system does not say why"),
        (RecursionError("maximum recursion depth exceeded"), "it is nested without end"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "it is not UTF-8 text"),
        (ValueError("Invalid value\n (at line 1, column 5)."), "Invalid value (at line 1, column 5)"),
    ],
)
def test_why_a_file_cannot_be_read(error: Exception, says: str) -> None:
    assert why_unreadable(error) == says


def read_settings(file: Path) -> object:
    return settings.load(config=file)


def read_profile(file: Path) -> object:
    return Profiles(file.parent).load(file.stem)


def read_tape(file: Path) -> object:
    folder = file.parent / "tape"
    folder.mkdir()
    (folder / "tape.json").write_bytes(file.read_bytes().replace(b"x = ", b'{"x": '))
    return tape.read(folder)


@pytest.mark.parametrize(
    ("value", "says"),
    [(DIGITS, "a number in it has thousands of digits"), (DEEP, "it is nested without end")],
    ids=["digits", "deep"],
)
@pytest.mark.parametrize("read", [read_settings, read_profile, pack.load, read_tape])
def test_what_python_says_to_programmers_is_told_to_nobody(
    read: Callable[[Path], object], value: str, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "club.toml"
    file.write_text(f"x = {value}")
    with pytest.raises(DicetowerError) as refused:
        read(file)
    assert "set_int_max_str_digits" not in str(refused.value)
    assert says.removeprefix("it is ") in str(refused.value)
    assert len(str(refused.value)) < 400 + len(str(tmp_path))
