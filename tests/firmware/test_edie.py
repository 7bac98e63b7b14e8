"""The host against emulated dice in real time: found, armed, lost, back again, never taken for what they are not."""

from __future__ import annotations

import errno
import os
import pty
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from serial import SerialException, rfc2217
from tests.support.rig import Journal, Live, live, running, wait_for

from dicetower.errors import DeviceError
from dicetower.model import Die, SourceKind, Throw
from dicetower.sources import serial_ports
from dicetower.sources.arming import Owed
from dicetower.sources.edie import Edie
from dicetower.sources.edie_port import Quiet
from dicetower.sources.edie_session import Notice


class Ears(Quiet):
    def __init__(self) -> None:
        self.kinds: list[str] = []

    def noticed(self, port: str, notice: Notice) -> None:
        self.kinds.append(notice.kind)


@pytest.fixture
def die(host_program: Path, tmp_path: Path) -> Iterator[Live]:
    with live([host_program], tmp_path / "die-1") as made:
        yield made


@pytest.fixture
def second(host_program: Path, tmp_path: Path) -> Iterator[Live]:
    with live([host_program], tmp_path / "die-2") as made:
        yield made


def states(source: Edie) -> list[str]:
    return [health.state for health in source.all_healths()]


def test_a_die_is_found_armed_rolled_and_journalled(die: Live) -> None:
    with running(die.link) as (source, journal):
        wait_for(source.dice)
        (uid,) = source.dice()
        source.bind(uid, "red")
        source.owe([Owed(41, Die.D20, "red", now=True)])
        wait_for(lambda: die.tell("display") == " d20")
        die.roll()
        wait_for(lambda: journal.throws)
        (throw,) = journal.throws
        (reading,) = throw.readings
        assert (throw.id, throw.source) == (f"edie:{uid}:1", SourceKind.EDIE)
        assert (reading.die, reading.who, reading.late) == (Die.D20, "red", False)
        wait_for(lambda: die.tell("display") == f"20:{reading.value:2}")


def test_nothing_owed_is_disarmed(die: Live) -> None:
    with running(die.link) as (source, _):
        source.owe([Owed(41, Die.D8, "red", now=True)])
        wait_for(lambda: die.tell("display") == " d 8")
        source.owe([])
        wait_for(lambda: die.tell("display") == " 8:--")


def test_unplugged_and_back_under_another_name_it_is_the_same_die(die: Live, tmp_path: Path) -> None:
    with running(tmp_path / "die-*") as (source, journal):
        wait_for(source.dice)
        before = source.dice()
        die.tell("unplug")
        wait_for(lambda: not source.dice())
        die.tell("plug")
        (tmp_path / "die-1").rename(tmp_path / "die-9")
        wait_for(source.dice)
        assert list(source.dice()) == list(before)
        assert source.dice() != before
        die.roll()
        wait_for(lambda: journal.throws)


def test_two_dice_are_told_apart_and_armed_in_turn(die: Live, second: Live) -> None:
    with running(die.link, second.link) as (source, journal):
        wait_for(lambda: len(source.dice()) == 2)
        source.owe([Owed(1, Die.D8, "red", now=True), Owed(2, Die.D12, "red", now=True)])
        wait_for(lambda: {die.tell("display"), second.tell("display")} == {" d 8", " d12"})
        die.roll()
        second.roll()
        wait_for(lambda: len(journal.throws) == 2)
        assert {throw.readings[0].die for throw in journal.throws} == {Die.D8, Die.D12}
        assert len({throw.readings[0].device for throw in journal.throws}) == 2


def test_a_port_where_nobody_answers_is_opened_not_identified(die: Live) -> None:
    master, slave = pty.openpty()
    try:
        with running(os.ttyname(slave), die.link) as (source, _):
            wait_for(source.dice)
            assert sorted(states(source)) == ["connected", "opened, not identified"]
            assert not source.health().ok
            assert "no e-die has answered" in source.health().reason
    finally:
        os.close(master)
        os.close(slave)


def test_a_terminal_that_echoes_is_no_die() -> None:
    master, slave = pty.openpty()  # as it comes: canonical, with echo
    heard = Ears()
    try:
        with running(os.ttyname(slave), watcher=heard) as (source, journal):
            wait_for(lambda: os.read(master, 100))
            os.write(master, b"$0 HELLO? v=1.0*a796\nAT\r\n$$$\x00\xff\n")
            wait_for(lambda: "echo" in heard.kinds)
            assert states(source) == ["opened, not identified"]
            assert journal.throws == []
    finally:
        os.close(master)
        os.close(slave)


def test_a_die_plugged_in_later_connects_by_itself(host_program: Path, tmp_path: Path) -> None:
    with running(tmp_path / "late") as (source, _):
        wait_for(lambda: "no such port" in source.health().reason)
        with live([host_program], tmp_path / "late"):
            wait_for(source.dice)
        wait_for(lambda: not source.dice())


def test_a_roll_the_journal_refused_is_offered_again(die: Live) -> None:
    heard = Ears()
    with running(die.link, watcher=heard) as (source, journal):
        wait_for(source.dice)
        journal.full = True
        die.roll()
        wait_for(lambda: heard.kinds.count("journal") >= 2)
        assert journal.throws == []
        journal.full = False
        wait_for(lambda: journal.throws)


def test_a_fault_of_the_journals_own_ends_no_port(die: Live, caplog: pytest.LogCaptureFixture) -> None:
    """Something nobody foresaw: logged, the port opened again, and the roll still there."""
    journal = Journal()
    faults = iter([ZeroDivisionError("a bug")])

    def deliver(throw: Throw) -> None:
        for fault in faults:
            raise fault
        journal(throw)

    source = Edie([str(die.link)])
    source.start(deliver)
    try:
        wait_for(source.dice)
        die.roll()
        wait_for(lambda: journal.throws)
    finally:
        source.stop()
    assert "a bug" in caplog.text


def test_rolls_made_while_the_service_was_away_are_late(die: Live) -> None:
    with running(die.link) as (source, _):
        wait_for(source.dice)
    for _ in range(2):
        die.roll()
        wait_for(lambda: ":" in die.tell("display") and die.tell("display")[-1].isdigit())
    with running(die.link) as (source, journal):
        wait_for(lambda: len(journal.throws) == 2)
        assert [throw.readings[0].late for throw in journal.throws] == [True, True]
        assert [throw.id.split(":")[2] for throw in journal.throws] == ["1", "2"]


def test_the_port_is_held_exclusively_and_freed(die: Live) -> None:
    with running(die.link) as (source, _):
        wait_for(source.dice)
        with pytest.raises(DeviceError, match="another program has this port open"):
            serial_ports.opened(str(die.link))
    serial_ports.opened(str(die.link)).close()


def test_a_host_that_holds_the_port_and_does_not_read_stalls_no_die(die: Live) -> None:
    """A pty's buffer is a few kilobytes: the die fills it with heartbeats and rolls on."""
    held = os.open(die.port, os.O_RDWR | os.O_NOCTTY)
    try:
        wait_for(lambda: die.tell("display") == " 6:--")
        for unacked in range(1, 4):
            die.roll()
            wait_for(partial(_holds, die, unacked))
            die.tell("garbage " + "00" * 3000)
    finally:
        os.close(held)
    with running(die.link) as (_, journal):
        wait_for(lambda: len(journal.throws) == 3)


def _holds(die: Live, unacked: int) -> bool:
    return f"unacked={unacked}" in die.tell("figures")


def test_a_die_behind_a_socket(die: Live) -> None:
    """As ser2net gives it: pyserial's socket:// URL."""
    rolls_through(die, "socket", _forward)


def rolls_through(die: Live, scheme: str, serve: Callable[[socket.socket, Any, threading.Event], None]) -> None:
    """A roll reaches the journal through a far port that `serve` gives out on loopback."""
    listener, port, ended = socket.create_server(("127.0.0.1", 0)), serial_ports.opened(die.port), threading.Event()
    server = threading.Thread(target=serve, args=(listener, port, ended))
    server.start()
    try:
        with running(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}") as (source, journal):
            wait_for(source.dice)
            die.roll()
            wait_for(lambda: journal.throws)
    finally:
        ended.set()
        server.join()
        port.close()
        listener.close()


def _forward(listener: socket.socket, port: serial_ports.Port, ended: threading.Event) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(0.01)
        while not ended.is_set():
            try:
                connection.sendall(port.read(max(1, port.in_waiting)))
                port.write(connection.recv(4096))
            except TimeoutError:
                continue
            except OSError:
                return


SETTINGS = {
    "baudrate": 115200,
    "bytesize": 8,
    "parity": "N",
    "stopbits": 1,
    "break_condition": False,
    **dict.fromkeys(("xonxoff", "rtscts", "dtr", "rts", "cts", "dsr", "ri", "cd"), False),
    **dict.fromkeys(("reset_input_buffer", "reset_output_buffer"), lambda: None),
}
"""What a far port lets itself be set to; a pseudo-terminal has no such lines."""


class ToClient:
    """The connection as pyserial's PortManager writes to it."""

    def __init__(self, connection: socket.socket) -> None:
        self.write = connection.sendall


def _manage(listener: socket.socket, port: Any, ended: threading.Event) -> None:
    """What ser2net does for rfc2217://, by pyserial's own server side."""
    connection, _ = listener.accept()
    with connection:
        manager = rfc2217.PortManager(SimpleNamespace(**SETTINGS), ToClient(connection))
        connection.settimeout(0.01)
        while not ended.is_set():
            try:
                connection.sendall(b"".join(manager.escape(port.read(max(1, port.in_waiting)))))
                port.write(b"".join(manager.filter(connection.recv(4096))))
            except TimeoutError:
                continue
            except OSError:
                return


@pytest.mark.filterwarnings("ignore:set(Daemon|Name)\\(\\):DeprecationWarning")  # pyserial 3.5's own
def test_a_die_behind_rfc2217(die: Live) -> None:
    """The protocol that sets a far port's speed too; its handshake resets nothing here."""
    rolls_through(die, "rfc2217", _manage)


def test_a_loop_hears_itself_and_is_no_die() -> None:
    heard = Ears()
    with running("loop://", watcher=heard) as (source, journal):
        wait_for(lambda: "echo" in heard.kinds)
        assert states(source) == ["opened, not identified"]
        assert journal.throws == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SerialException(errno.ENOENT, "x"), "there is no such port"),
        (SerialException(errno.EBUSY, "x"), "another program has this port open; close it"),
        (SerialException(errno.EIO, "input/output error"), "the port does not open"),
        (ValueError("invalid URL"), "the port does not open"),
    ],
)
def test_why_a_port_does_not_open(monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str) -> None:
    monkeypatch.setattr("serial.serial_for_url", _raiser(error))
    with pytest.raises(DeviceError, match=sentence):
        serial_ports.opened("/dev/ttyUSB0")


def test_no_permission_names_the_devices_real_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    monkeypatch.setattr("serial.serial_for_url", _raiser(SerialException(errno.EACCES, "x")))
    with pytest.raises(DeviceError, match=f"sudo usermod -aG {device.group()} "):
        serial_ports.opened(str(device))


def _raiser(error: Exception) -> Callable[..., None]:
    def raises(*_: object, **__: object) -> None:
        raise error

    return raises


def test_patterns_are_looked_up_each_time(tmp_path: Path) -> None:
    assert serial_ports.found([f"{tmp_path}/tty*", "socket://x:1"]) == ["socket://x:1"]
    (tmp_path / "tty2").touch()
    (tmp_path / "tty1").touch()
    assert serial_ports.found([f"{tmp_path}/tty*", f"{tmp_path}/tty1"]) == [f"{tmp_path}/tty1", f"{tmp_path}/tty2"]
