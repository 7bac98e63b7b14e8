"""Many e-dice at one service: `python -m benchmarks.edice [--dice 16] [--elves 2] [--seconds 300] [--json]`.

Emulated dice on pseudo-terminals (the PC program; `--elves` of them the real ELF in the emulator), each pressed twice
a second, and the real service in a process of its own, all on this machine. A roll's time runs from the moment the last
byte of its first ROLL line went out of the die to the moment a page has the event, the journal's sync included. What
the machine itself could do in those minutes stands beside it (benchmarks/control.py).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from tests.support.rig import Live, live

from benchmarks.control import watched

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "firmware/build"
PERIOD_S = 0.5
PRESS_S = 0.06
KEY = re.compile(rb"edie:([0-9a-f]{16}):(\d+)")
SENT = re.compile(r"^(\d+) \$\d+ (HELLO|ROLL) .*?(?:uid|roll)=(\w+)")


@dataclass(frozen=True, slots=True)
class Result:
    """Milliseconds from a roll's last byte to the page's event; `cores` is the service's share of one core.

    `machine` is what control.py measured meanwhile.
    """

    dice: int
    elves: int
    seconds: float
    rolls: int
    journalled: int
    lost: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    cores: float
    machine: dict[str, float]


class Page:
    """An open stream that notes when each roll's key first came."""

    def __init__(self, netloc: str) -> None:
        host, port = netloc.split(":")
        self.seen_us: dict[tuple[str, int], int] = {}
        self._socket = socket.create_connection((host, int(port)))
        self._socket.sendall(f"GET /api/v1/tables/main/events HTTP/1.1\r\nHost: {netloc}\r\n\r\n".encode())
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._socket.makefile("rb"):
            now_us = time.monotonic_ns() // 1000
            for uid, number in KEY.findall(line):
                self.seen_us.setdefault((uid.decode(), int(number)), now_us)


def measured(dice: int, elves: int, seconds: float) -> Result:
    """Run one load."""
    subprocess.run(["make", "-s", "-C", ROOT / "firmware", "host", "avr", "sim"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        made = [stack.enter_context(live(_command(folder, n, n < elves), folder / f"die-{n}")) for n in range(dice)]
        process, netloc = stack.enter_context(_service(folder))
        _wait_until_connected(netloc, dice)
        page, before = Page(netloc), _cpu_s(process.pid)
        with watched(folder) as machine:
            _press_all(made, seconds)
        cores = (_cpu_s(process.pid) - before) / seconds
        time.sleep(5)
        sent = [one for n in range(dice) for one in _sent_us(folder / f"log-{n}").items()]
        return _result(dice, elves, seconds, cores, sent, page.seen_us, folder / "journal.db", machine)


def _result(
    dice: int,
    elves: int,
    seconds: float,
    cores: float,
    sent: list[tuple[tuple[str, int], int]],
    seen_us: dict[tuple[str, int], int],
    journal: Path,
    machine: dict[str, float],
) -> Result:
    ms = [(seen_us[key] - at_us) / 1000 for key, at_us in sent if key in seen_us]
    kept = _journalled(journal)
    cuts = statistics.quantiles(ms, n=100)
    lost = len({key for key, _ in sent} - kept)
    return Result(
        dice,
        elves,
        seconds,
        len(sent),
        len(kept),
        lost,
        round(statistics.median(ms), 1),
        round(cuts[98], 1),
        round(max(ms), 1),
        round(cores, 3),
        machine,
    )


def _command(folder: Path, number: int, elf: bool) -> list[str | Path]:
    log: list[str | Path] = ["--log", folder / f"log-{number}"]
    if elf:
        return [BUILD / "edie-sim", "--elf", BUILD / "avr/edie.elf", "--seed", str(number + 1), *log]
    return [BUILD / "edie-host", *log]


@contextmanager
def _service(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = ["serve", "--port", "0", "--journal", str(folder / "journal.db"), "--edie", str(folder / "die-*")]
    process = subprocess.Popen(
        [sys.executable, "-m", "dicetower", *command, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        yield process, urlsplit(json.loads(process.stdout.readline())["listening"]).netloc
    finally:
        process.terminate()
        process.wait()


def _wait_until_connected(netloc: str, dice: int) -> None:
    deadline = time.monotonic() + 120
    while _connected(netloc) < dice:
        if time.monotonic() > deadline:
            sys.exit("The dice did not all connect within two minutes.")
        time.sleep(0.2)


def _connected(netloc: str) -> int:
    with urlopen(f"http://{netloc}/api/v1/tables/main") as answer:
        sources: list[dict[str, Any]] = json.load(answer)["sources"]
    return sum(source["state"] == "connected" for source in sources)


def _press_all(dice: list[Live], seconds: float) -> None:
    """Press each die once a period, one after the other."""
    began = time.monotonic()
    step = PERIOD_S / len(dice)
    for turn in range(int(seconds / step)):
        die = dice[turn % len(dice)]
        time.sleep(max(0.0, began + turn * step - time.monotonic()))
        die.tell("press")
        threading.Timer(PRESS_S, die.tell, ("release",)).start()


def _sent_us(log: Path) -> dict[tuple[str, int], int]:
    """When each roll's first line had gone out, by the die's own log."""
    matches = [match for match in map(SENT.match, log.read_text().splitlines()) if match]
    uid = next(match[3] for match in matches if match[2] == "HELLO")
    out: dict[tuple[str, int], int] = {}
    for match in matches:
        if match[2] == "ROLL":
            out.setdefault((uid, int(match[3])), int(match[1]))
    return out


def _journalled(journal: Path) -> set[tuple[str, int]]:
    """Every e-die roll in the journal, straight from its file."""
    connection = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    try:
        dump = "\n".join(connection.iterdump()).encode()
    finally:
        connection.close()
    return {(uid.decode(), int(number)) for uid, number in KEY.findall(dump)}


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, and print a table or a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dice", type=int, default=16)
    parser.add_argument("--elves", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = asdict(measured(given.dice, given.elves, given.seconds))
    if given.json:
        print(json.dumps(result))
        return
    machine = result.pop("machine")
    for name, value in [*result.items(), *machine.items()]:
        print(f"{name:>12}  {value}")


if __name__ == "__main__":
    main()
