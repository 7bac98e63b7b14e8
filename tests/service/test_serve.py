"""`dicetower serve`, `declare`, `throw` and `doctor` as a person runs them: real processes, real sockets, signals."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.live import PATIENCE_S, Page

from dicetower.cli import run
from dicetower.sources.camera_desk import missing

ROOT = Path(__file__).parents[2]
RUN = [sys.executable, "-m", "dicetower"]
DECLARE = ["declare", "--system", "hkp", "--size", "3", "--range", "medium", "--armour", "4"]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment in which nobody has ever set or kept anything."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DICETOWER_")}
    return kept | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data")}


@contextmanager
def served(home: dict[str, str], *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running service, and its address."""
    command = [*RUN, "serve", "--port", "0", "--json", *flags]
    with subprocess.Popen(
        command, env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout
            said = process.stdout.readline()
            assert said, process.stderr and process.stderr.read()
            yield process, json.loads(said)["listening"]
        finally:
            process.kill()


def call(home: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *arguments], env=home, capture_output=True, text=True, timeout=60, check=False)


@dataclass(frozen=True)
class Said:
    """What a call in this process came to: quick, for calls that end by themselves."""

    code: int
    out: str
    err: str


Calls = Callable[..., Said]


@pytest.fixture
def ask(home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Calls:
    """The way to make such a call."""
    for name in os.environ.keys() - home.keys():
        monkeypatch.delenv(name)
    for name, value in home.items():
        monkeypatch.setenv(name, value)

    def asked(*arguments: str) -> Said:
        code = run(arguments)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return asked


def state(address: str) -> Any:
    with urllib.request.urlopen(f"{address}api/v1/tables/main", timeout=PATIENCE_S) as answer:
        return json.load(answer)


def test_an_attack_is_declared_and_thrown_from_a_terminal(home: dict[str, str]) -> None:
    with served(home) as (_, address):
        here = ["--server", address]
        declared = call(home, *DECLARE, *here)
        assert declared.stdout.splitlines() == [
            "Attack 1: HKP size 3, medium range, against armour 4",
            "Red owes D8 size, D6 effectiveness.",
        ]
        call(home, "throw", "D8=5", "firer-effectiveness=3", *here)
        said = call(home, "throw", "d10=7", "d8=3", "--player", "blue", *here)
        assert "DAMAGED: armour 7 beats size 5" in said.stdout
        ended = call(home, "throw", "D10=6", "--json", *here)
        assert json.loads(ended.stdout)["attack"]["outcome"]["final"] == "mobility"
        again = call(home, "throw", "damage=6", *here)
        assert (again.returncode, again.stdout) == (1, "")
        assert again.stderr.startswith("dicetower: ")


def test_a_throw_speaks_of_its_own_dice_alone(home: dict[str, str]) -> None:
    with served(home) as (_, address):
        here = ["--server", address]
        early = call(home, "throw", "D20=5", *here)
        assert (early.returncode, early.stdout.splitlines()[0]) == (
            1,
            "D20 showing 5 was not taken: no attack is declared.",
        )
        call(home, *DECLARE, *here)
        said = [line for line in call(home, "throw", "D12=5", *here).stdout.splitlines() if "not taken" in line]
        assert said == ["D12 showing 5 was not taken: Red owes a D8 and a D6."]
        some = call(home, "throw", "D8=5", "D4=2", "--request", "mine", *here)
        assert some.returncode == 0, "one of them was taken"
        assert [line for line in some.stdout.splitlines() if "not taken" in line] == [
            "D4 showing 2 was not taken: Red owes a D6."
        ]
        assert call(home, "throw", "D8=5", "D4=2", "--request", "mine", *here).stdout == some.stdout
        other = call(home, "throw", "D8=3", "--request", "mine", *here)
        assert (other.returncode, other.stdout) == (1, "")
        assert "'mine' was taken before, of other dice: a D8 showing 5 and a D4 showing 2" in other.stderr
        vain = call(home, "throw", "D20=1", "--json", *here)
        assert vain.returncode == 1
        assert len(json.loads(vain.stdout)["unassigned"]) == 4
        photo = ROOT / "fixtures/tapes/one-tray/frames/0001.png"
        read = call(home, "throw", "--photo", str(photo), *here).stdout.splitlines()
        assert read[0].startswith(f"Read from {photo}: ")
        assert " showing " in read[0]


def test_what_was_acknowledged_is_there_after_kill_9(home: dict[str, str], tmp_path: Path) -> None:
    with served(home) as (process, address):
        call(home, *DECLARE, "--server", address)
        call(home, "throw", "D8=5", "--server", address)
        before = state(address)
        process.kill()
        process.wait()
    with served(home) as (_, address):
        assert state(address) == before
    assert (tmp_path / "data/dicetower/journal.db").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_with_streams_open(home: dict[str, str], number: signal.Signals) -> None:
    with served(home) as (process, address):
        with Page(int(address.rstrip("/").rpartition(":")[2])) as page:
            page.next()
            process.send_signal(number)
            with pytest.raises(EOFError):
                page.until("never")
        assert process.wait(30) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_a_taken_port_is_said_and_nothing_else_is_touched(ask: Calls, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        done = ask("serve", "--port", port)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"dicetower: Port {port} of 127.0.0.1 is taken: is dicetower running already?")
    assert "Traceback" not in done.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--host", "no.such.host.invalid"], 1, "no address of this machine"),
        (["--port", "99999"], 2, "Invalid value for '--port': 99999 is not in the range"),
        (["--rules", "none.toml"], 2, "none.toml"),
        (["--config", "none.toml"], 2, "there is no file none.toml"),
        (["--journal", "mysql://x/y"], 2, "SQLite or PostgreSQL"),
        (["--table", "Not A Name"], 2, "table in the command line"),
    ],
)
def test_what_is_wrong_is_one_sentence(ask: Calls, flags: list[str], code: int, said: str) -> None:
    done = ask("serve", "--port", "0", *flags)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_die_set_that_is_not_there_is_said_before_it_starts(ask: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_DIE_SETS", "runes")
    done = ask("serve", "--port", "0")
    assert (done.code, done.out) == (2, "")
    assert "There is no die set 'runes'; kept in" in done.err


def test_a_second_service_on_one_journal_is_refused(home: dict[str, str]) -> None:
    with served(home):
        done = call(home, "serve", "--port", "0")
        assert done.returncode == 1
        assert "in use by another Dicetower" in done.stderr


def test_opening_to_the_network_is_said_in_a_sentence(home: dict[str, str]) -> None:
    with subprocess.Popen(
        [*RUN, "serve", "--port", "0", "--host", "0.0.0.0", "--journal", "memory:"],
        env=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert "http://127.0.0.1:" in process.stdout.readline()
        assert "no password" in process.stderr.readline()
        assert "nothing is kept" in process.stderr.readline()
        process.terminate()


def test_an_address_that_is_no_address_of_this_machine_is_said_so(ask: Calls) -> None:
    done = ask("serve", "--host", "203.0.113.9", "--port", "0")  # RFC 5737: an address of documentation, nobody's
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("dicetower: 203.0.113.9 is no address of this machine: name one of its own with --host")
    assert "running already" not in done.err


def test_a_port_that_this_user_may_not_have_is_said_so(ask: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refused(socket.socket):
        def bind(self, address: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("dicetower.api.listen.socket.socket", Refused)
    done = ask("serve", "--port", "80")
    assert (done.code, done.err) == (
        1,
        "dicetower: This user may not listen on port 80 of 127.0.0.1: choose a port from 1024 up with --port.\n",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="cameras have other names there")
@pytest.mark.parametrize(
    ("camera", "said"),
    [
        ("987", "There is no camera 987 (/dev/video987): is it plugged in?"),
        ("/nope", "There is no /nope: name a camera's number, device, address, a video file or a folder."),
        ("http://127.0.0.1:1/video", ""),
    ],
)
def test_what_is_said_of_a_camera_that_is_not_there(camera: str, said: str) -> None:
    assert missing(camera) == said


def test_what_is_not_plugged_in_is_said_and_waited_for(home: dict[str, str]) -> None:
    flags = ["--camera", "/dev/nope", "--edie", "/dev/nodie", "--edie", "/dev/no-such-folder/*", "--edie", "auto"]
    with served(home, *flags) as (process, address):
        assert state(address)["table"] == "main"
        assert process.stderr
        said = [process.stderr.readline() for _ in range(3)]
    assert said == [
        "There is no /dev/nope: is the camera plugged in? It is waited for.\n",
        "There is no /dev/nodie: is the e-die plugged in? It is waited for.\n",
        "There is no /dev/no-such-folder/*: is the e-die plugged in? It is waited for.\n",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["throw"], 2, "D8=5"),
        (["throw", "D8"], 2, "got 'D8'"),
        (["throw", "D8=five"], 2, "got 'D8=five'"),
        (["throw", "D7=5"], 2, "no die 'D7'"),
        (["throw", "D8=5", "--photo", "x.jpg"], 2, "not both"),
        (["throw", "--photo", "none.jpg"], 2, "none.jpg cannot be read"),
        (["throw", "D8=5", "--server", "ftp://x"], 2, "--server"),
        (["throw", "D8=5", "--server", "http://127.0.0.1:1"], 1, "dicetower serve"),
    ],
)
def test_a_call_that_cannot_be_is_one_sentence(ask: Calls, arguments: list[str], code: int, said: str) -> None:
    done = ask(*arguments)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_a_photograph_is_sent_from_a_terminal_and_its_refusal_comes_back(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tray.jpg").write_bytes(b"no picture")
    with served(home) as (_, address):
        done = call(home, "throw", "--photo", str(tmp_path / "tray.jpg"), "--server", address)
    assert done.returncode == 2
    assert "Expected a picture" in done.stderr


def test_the_doctor_says_what_is_in_force_and_where_from(
    ask: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config/dicetower/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('table = "hall"\nport = 0\n')
    monkeypatch.setenv("DICETOWER_LOG", "error")
    done = ask("doctor", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["settings"]["table"] == {"value": "hall", "from": str(config)}
    assert found["settings"]["log"] == {"value": "error", "from": "DICETOWER_LOG"}
    assert found["settings"]["host"] == {"value": "127.0.0.1", "from": "default"}
    assert found["versions"]["dicetower"]
    assert [finding["what"] for finding in found["findings"]] == [
        "address",
        "rules",
        "journal",
        "crops of dice",
        "camera",
    ]
    assert not (tmp_path / "data").exists()


def test_the_doctor_keeps_a_long_path_apart_from_where_it_came_from(
    ask: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = str(tmp_path / "a-folder-of-a-long-name-indeed" / "journal.db")
    monkeypatch.setenv("DICETOWER_JOURNAL", journal)
    monkeypatch.setenv("DICETOWER_PORT", "0")
    assert f"{journal} DICETOWER_JOURNAL" in ask("doctor").out


def test_the_doctor_keeps_every_name_apart_from_its_value(ask: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_PORT", "0")
    in_force = ask("doctor").out.split("\n\n")[0].splitlines()[1:]
    fields = json.loads(ask("doctor", "--json").out)["settings"]
    assert [line.split()[0] for line in in_force] == list(fields)
    assert "2 where the settings themselves cannot be used" in " ".join(ask("doctor", "--help").out.split())


def test_the_doctor_looks_at_the_journal_while_a_service_writes_it(home: dict[str, str]) -> None:
    with served(home) as (_, address):
        port = address.rstrip("/").rpartition(":")[2]
        done = call(home | {"DICETOWER_PORT": port}, "doctor")
    assert done.returncode == 0, done.stdout
    assert "serves there now" in done.stdout
    assert "1 table, journal mode wal, written with full sync" in done.stdout
    assert "Nothing is wrong." in done.stdout


def test_the_doctor_says_what_is_wrong_and_exits_1(ask: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = tmp_path / "other.db"
    with closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE t (x)")
    (tmp_path / "house.toml").write_text("nonsense = 1")
    wrong = {
        "DICETOWER_JOURNAL": str(foreign),
        "DICETOWER_RULES": str(tmp_path / "house.toml"),
        "DICETOWER_PORT": "0",
        "DICETOWER_CAMERA": "/dev/video987",
    }
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    done = ask("doctor")
    assert done.code == 1
    assert "something else, not a Dicetower journal" in done.out
    assert "house.toml" in done.out
    assert "There is no /dev/video987: is the camera plugged in?" in done.out
    assert "Something is wrong." in done.out
    assert done.err == ""


def test_the_doctor_of_settings_that_cannot_be_read_says_why(ask: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_PROT", "1")
    done = ask("doctor")
    assert done.code == 2
    assert "DICETOWER_PROT is no setting" in done.err
