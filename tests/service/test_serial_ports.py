"""Names of serial ports: what can never be one is told of at once, and what does not open says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetower.cli import run
from dicetower.cli.serve import impossible as told_at_start
from dicetower.errors import DeviceError
from dicetower.settings import MEMORY, Settings
from dicetower.sources import serial_ports

EXPECTED = "expected a device such as /dev/ttyUSB0, or a URL such as socket://raspberry:3333."


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bogus://x", f"bogus://x: there is no kind of port 'bogus'; {EXPECTED}"),
        ("://x", f"://x: there is no kind of port ''; {EXPECTED}"),
        ("socket://host", "socket://host: expected a host and a port of 0 to 65535, such as socket://raspberry:3333."),
        ("socket://host:99999", "expected a host and a port of 0 to 65535"),
        ("rfc2217://:3333", "expected a host and a port of 0 to 65535, such as rfc2217://raspberry:3333."),
        ("socket://[::1:3333", "expected a host and a port of 0 to 65535"),
        ("socket://host:3333", ""),
        ("rfc2217://host:3333", ""),
        ("loop://", ""),
        ("auto", ""),
        ("/dev/serial/by-id/*", ""),
        ("/dev/null", ""),
        ("/dev/none", ""),
        ("COM3", ""),
    ],
)
def test_what_can_never_be_a_port(name: str, says: str) -> None:
    found = serial_ports.impossible(name)
    assert says in found
    assert bool(found) == bool(says)


def test_a_folder_and_a_file_are_no_ports(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert serial_ports.impossible(str(tmp_path)) == f"{tmp_path} is a folder and no serial port; {EXPECTED}"
    assert serial_ports.impossible(f"{tmp_path}/file") == f"{tmp_path}/file is a file and no serial port; {EXPECTED}"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("/dev/null", f"/dev/null: this is no serial port; {EXPECTED}"),
        ("socket://127.0.0.1:1", "socket://127.0.0.1:1: the port does not open: connection refused."),
        ("bogus://x", "there is no kind of port 'bogus'"),
    ],
)
def test_what_does_not_open_says_why(name: str, says: str) -> None:
    with pytest.raises(DeviceError) as refused:
        serial_ports.opened(name)
    assert says in str(refused.value)
    assert "Errno" not in str(refused.value)


def test_serve_is_told_of_the_names_that_can_be_no_port(tmp_path: Path) -> None:
    names = ("auto", "bogus://x", "/dev/none", str(tmp_path))
    assert [said.split()[0] for said in told_at_start(Settings(edice=names, journal=MEMORY))] == [
        "bogus://x:",
        str(tmp_path),
    ]


@pytest.mark.parametrize("name", ["bogus://x", "/tmp"])
def test_monitor_of_what_can_be_no_port_ends_at_once(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["edie", "monitor", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no serial port" in err or "no kind of port" in err


def test_monitor_says_once_why_a_port_does_not_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["edie", "monitor", "/dev/null", "--for", "1.5"]) == 1
    out, err = capsys.readouterr()
    assert [line.split(" ! ")[1] for line in out.splitlines()] == [f"/dev/null: this is no serial port; {EXPECTED}"]
    assert err == f"dicetower: /dev/null: this is no serial port; {EXPECTED}\n"
