"""`dicetower edie`, run as a person runs it, against the emulated die."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.api import a_bench, serving
from tests.support.rig import live, running, wait_for

from dicetower.cli import edie, run
from dicetower.errors import DeviceError
from dicetower.store.memory import MemoryStore


def test_list_says_who_is_there(host_program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with live([host_program], tmp_path / "die"):
        assert run(["edie", "list", str(tmp_path / "die"), "--json", "--wait", "60"]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    told = json.loads(line)
    assert (told["state"], told["firmware"], told["port"]) == ("connected", "0.1.0", str(tmp_path / "die"))
    assert len(told["uid"]) == 16


def test_name_gives_a_die_its_name_at_a_running_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bench = a_bench(MemoryStore(), tmp_path)
    bench.tables.get("main").set_edie("00c0ffee00c0ffee", player="red")
    bench.tables.get("main").set_edie("00aa00aa00aa00aa", player="blue")
    with serving(bench.app) as service:
        server = ["--server", f"http://127.0.0.1:{service.port}", "--table", "main"]
        assert run(["edie", "name", "00c0", "Lucky", *server]) == 0
        assert run(["edie", "name", "1dea1dea1dea1dea", "Old", "--json", *server]) == 0
        assert run(["edie", "name", "00", "Two", *server]) == 2
        assert run(["edie", "name", "ff", "None", *server]) == 2
        assert run(["edie", "name", "00aa", "lucky", *server]) == 2
    names = {die["uid"]: (die["name"], die["player"]) for die in bench.tables.get("main").view()["edice"]}
    assert names == {
        "00c0ffee00c0ffee": ("Lucky", "red"),
        "00aa00aa00aa00aa": ("", "blue"),
        "1dea1dea1dea1dea": ("Old", None),
    }
    told = capfd.readouterr()
    assert told.out.splitlines()[0] == "E-die 00c0ffee00c0ffee is called Lucky."
    assert json.loads(told.out.splitlines()[1])["name"] == "Old"
    for said in ("give more", "begins with 'ff'", "no other e-die has"):
        assert said in told.err


def test_list_of_nothing_is_a_failed_check(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["edie", "list", str(tmp_path / "none"), "--wait", "0.3"]) == 1
    told = capfd.readouterr()
    assert "there is no such port" in told.out
    assert "no e-die answered" in told.err


def test_monitor_shows_lines_and_takes_no_roll(
    host_program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with live([host_program], tmp_path / "die") as die:
        wait_for(lambda: die.tell("display") == " 6:--")
        die.roll()
        assert run(["edie", "monitor", str(tmp_path / "die"), "--for", "4", "--json"]) == 0
        lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        assert any(line["sign"] == "<" and " ROLL " in line["text"] for line in lines)
        assert not any(line["sign"] == ">" and " ACK " in line["text"] for line in lines)
        assert run(["edie", "monitor", str(tmp_path / "die"), "--for", "4"]) == 0
        assert " ROLL " in capfd.readouterr().out


def test_monitor_of_no_die_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["edie", "monitor", str(tmp_path / "none"), "--for", "0.3"]) == 1
    assert "there is no such port" in capfd.readouterr().err


def test_entropy_estimates_what_the_noise_holds(
    host_program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with live([host_program], tmp_path / "die"):
        kept = tmp_path / "samples"
        command = ["edie", "entropy", str(tmp_path / "die"), "--samples", "5000", "--out", str(kept), "--json"]
        assert run(command) == 0
        told = json.loads(capfd.readouterr().out)
        assert (told["samples"], told["assessed"], kept.stat().st_size) == (5000, 0.3, 5000)
        assert 0.9 < told["most_common_value"] <= 1
        assert 0.9 < told["markov"] <= 1


def test_entropy_of_noise_that_holds_too_little_is_a_failed_check(
    host_program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with live([host_program], tmp_path / "die") as die:
        wait_for(lambda: die.tell("display") == " 6:--")
        die.tell("noise adc stuck")
        assert run(["edie", "entropy", str(tmp_path / "die"), "--samples", "1000"]) == 1
        told = capfd.readouterr()
        assert "most common value 0.0 bit a sample" in told.out
        assert "holds less than the 0.3 bit a sample" in told.err


def test_emulate_gives_a_port_and_rolls_at_enter(host_program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dicetower", "edie", "emulate", "--link", str(tmp_path / "die")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as emulated:
        assert emulated.stdin
        assert emulated.stdout
        assert "The die is at /dev/" in emulated.stdout.readline()
        emulated.stdin.write("time\n")
        emulated.stdin.flush()
        assert emulated.stdout.readline().startswith("ok ")
        with running(tmp_path / "die") as (source, journal):
            wait_for(source.dice)
            emulated.stdin.write("\n")
            emulated.stdin.flush()
            wait_for(lambda: journal.throws)
        emulated.send_signal(signal.SIGINT)
        assert emulated.wait(30) == 130


def test_emulate_without_a_compiler_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(DeviceError, match="needs a C compiler: install gcc and make"):
        edie.built()


def test_emulate_without_the_source_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(edie, "FIRMWARE", tmp_path)
    with pytest.raises(DeviceError, match="only a checkout of dicetower has"):
        edie.built()
