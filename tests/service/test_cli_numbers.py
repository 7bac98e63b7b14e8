"""Numbers on the command line: what cannot be is refused in a sentence, while the arguments are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetower.cli import demo, run

ENDLESS = ("nan", "inf", "-inf", "1e400")


@pytest.mark.parametrize("value", [*ENDLESS, "-1", "1e300"])
@pytest.mark.parametrize(
    "words",
    [
        ["bench", "stream", "--seconds"],
        ["bench", "stream", "--per-second"],
        ["edie", "list", "/dev/none", "--wait"],
        ["edie", "monitor", "/dev/none", "--for"],
        ["replay", "none", "--speed"],
        ["demo", "--once", "--speed"],
    ],
    ids=" ".join,
)
def test_a_number_that_cannot_be_gets_a_sentence(
    words: list[str], value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, value]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"dicetower: Invalid value for '{words[-1]}': ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "65536", "99999", "nan", "9" * 5000])
@pytest.mark.parametrize("words", [["serve"], ["demo"], ["demo", "--once"], ["record", "tape"]], ids=" ".join)
def test_a_port_that_cannot_be_is_refused_before_anything_runs(
    words: list[str], port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--port", port]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("dicetower: Invalid value for '--port': ")
    assert err.count("\n") == 1


def test_a_configured_port_that_cannot_be_is_told_of_before_a_tape_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("DICETOWER_PORT", "99999")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(demo, "played", lambda *_: pytest.fail("tapes were played"))
    assert run(["demo"]) == 2
    assert "settings: port in DICETOWER_PORT" in capsys.readouterr().err
