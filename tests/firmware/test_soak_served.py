"""The real ELF and the real service with a bad link between them: every roll the die made is journalled once, in order.

The die's time is stepped, and runs ahead of the service's: what the service takes a moment for, the die has waited
long for, and sent again. The service reads its port through pyserial's `socket://`, as from ser2net.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.firmware.test_edice_served import journalled
from tests.support.rig import Rig, rig, wait_for

STEP_MS = 20
BAD = "lose=0.2 flip=0.1 repeat=0.1 cut=0.05 delay=300"
Command = list[str | Path]


class Bridge:
    """A stepped die at the port of a service: bytes go over with every step."""

    def __init__(self, die: Rig, listener: socket.socket) -> None:
        self.die = die
        self._port, _ = listener.accept()
        self._port.setblocking(False)

    def run(self, ms: float) -> None:
        for _ in range(int(ms // STEP_MS)):
            self._port.sendall(self.die.step(STEP_MS))
            try:
                self.die.send(self._port.recv(4096))
            except BlockingIOError:
                continue

    def roll(self) -> None:
        self.die.tell("press")
        self.run(60)
        self.die.tell("release")
        self.run(600)

    def close(self) -> None:
        self._port.close()


@contextmanager
def served(journal: Path, url: str) -> Iterator[None]:
    """The real service with the die's port configured."""
    command = [sys.executable, "-m", "dicetower", "serve", "--port", "0", "--journal", str(journal), "--edie", url]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        json.loads(process.stdout.readline())
        try:
            yield
        finally:
            process.terminate()


def over_a_bad_link(command: Command, journal: Path, rolls: int, resets: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, rig(command) as die:
        with served(journal, f"socket://127.0.0.1:{listener.getsockname()[1]}"):
            bridge = Bridge(die, listener)
            die.tell(f"link out {BAD}")
            die.tell(f"link in {BAD}")
            every = rolls // resets
            while len(die.results) < rolls:
                bridge.roll()
                if len(die.results) % every == every - 1:
                    die.tell("reset")  # most often while a roll waits to be acknowledged, or is sent again
                    bridge.run(900)
            die.tell("link out")
            die.tell("link in")
            wait_for(lambda: _is_empty(bridge), patience_s=120)
            bridge.close()
        shown = list(die.results)
        die.close()
    readings = journalled(journal)
    assert [int(reading.key.split(":")[2]) for reading in readings] == list(range(1, len(shown) + 1))
    assert [(reading.die.sides if reading.die else 0, reading.value) for reading in readings] == shown
    assert {reading.status for reading in readings} == {"sure"}


def _is_empty(bridge: Bridge) -> bool:
    """Whether the die's last heartbeat says that no roll waits."""
    heard = len(bridge.die.transcript)
    bridge.run(1500)
    said = b"".join(
        bytes.fromhex(row.split(" ", 2)[2]) for row in bridge.die.transcript[heard:] if row.startswith("rx ")
    )
    return b" unacked=0 " in said


@pytest.mark.timeout(900)  # 50 s where the machine is idle; the emulator wants a whole core
def test_300_rolls_of_the_real_elf_reach_the_services_journal(elf: Command, tmp_path: Path) -> None:
    over_a_bad_link(elf, tmp_path / "journal.db", rolls=300, resets=10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 30))
def test_10000_rolls_of_the_real_elf_reach_the_services_journal(elf: Command, tmp_path: Path, seed: int) -> None:
    over_a_bad_link([*elf[:-1], str(seed)], tmp_path / "journal.db", rolls=1000, resets=40)
