"""Drives an emulated e-die (the host program or the real ELF) in stepped time, and joins it to the host's session."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO

from tests.support.children import end, ended_on_failure

from dicetower.errors import StoreError
from dicetower.model import Throw
from dicetower.sources.edie import Edie
from dicetower.sources.edie_port import Quiet
from dicetower.sources.edie_seen import Seen
from dicetower.sources.edie_session import EdieSession, Instant, Notice, Rolled, Step
from dicetower.sources.verbs import Message

SPINNING = re.compile(r"^[ \d]\d:(?:- | -|_ | _)$")
RESULT = re.compile(r"^([ \d]\d):([ \d]\d)$")  # "20:17", " 6: 5"
UNIX_MS = 1_700_000_000_000


class Rig:
    """One program of `firmware/rig` with --stepped: time moves only in `step`."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.process = subprocess.Popen(
            [*command, "--stepped", "--control", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        self._to: IO[bytes] = self.process.stdin
        self._from: IO[bytes] = self.process.stdout
        self.now_us = 0
        self.shown: list[str] = []  # every picture of the display
        self.transcript: list[str] = []
        with ended_on_failure(self.process):
            assert self._answer() == "stepped"

    def _answer(self) -> str:
        self._rx = b""
        while True:
            line = self._from.readline().decode("ascii").rstrip("\n")
            assert line, f"the rig ended with {self.process.wait()}"
            self.transcript.append(line)
            kind, _, rest = line.partition(" ")
            assert kind != "error", line
            if kind == "ok":
                return rest
            _, text = rest.split(" ", 1)
            if kind == "rx":
                self._rx += bytes.fromhex(text)
            else:
                self.shown.append(text)

    def tell(self, command: str) -> str:
        """One command of firmware/rig/rig.c; the words after `ok`."""
        self._to.write(f"{command}\n".encode())
        self._to.flush()
        return self._answer()

    def step(self, ms: float) -> bytes:
        """Let time go by; what the die sent meanwhile, as it came out of the link."""
        self.now_us = int(self.tell(f"step {ms}"))
        return self._rx

    def send(self, data: bytes) -> None:
        """Bytes to the die."""
        if data:
            self.tell(f"uart {data.hex()}")

    def press(self, ms: float = 60) -> bytes:
        """Hold the button so long, and let go."""
        self.tell("press")
        came = self.step(ms)
        self.tell("release")
        return came

    @property
    def results(self) -> list[tuple[int, int]]:
        """Every result the display has come to rest on, (sides, value): what the player saw."""
        matches = [RESULT.match(now) for before, now in pairwise(self.shown) if SPINNING.match(before)]
        return [(int(m[1]), int(m[2])) for m in matches if m]

    @property
    def figures(self) -> dict[str, int]:
        return {name: int(value) for name, value in (pair.split("=") for pair in self.tell("figures").split())}

    def close(self) -> None:
        if self.process.poll() is None:
            self.tell("quit")
        self._to.close()
        self._from.close()
        assert self.process.wait(10) == 0


@contextmanager
def rig(command: Sequence[str | Path]) -> Iterator[Rig]:
    """A rig that is ended, whatever happens."""
    made = Rig(command)
    try:
        yield made
    finally:
        end(made.process)


@dataclass
class Host:
    """The host's side in stepped time: a session, and a journal that takes every roll unless `journal` is off."""

    rig: Rig
    seen: Seen = field(default_factory=Seen)
    journal: bool = True

    def __post_init__(self) -> None:
        self.rolls: list[Rolled] = []
        self.keys: set[str] = set()
        self.notices: list[Notice] = []
        self.heard: list[Message] = []
        self.opened()

    def opened(self) -> None:
        """The port is opened (again)."""
        self.session = EdieSession(self.seen)

    @property
    def now(self) -> Instant:
        ms = self.rig.now_us // 1000
        return Instant(ms, UNIX_MS + ms)

    def take(self, step: Step) -> None:
        self.rig.send(b"".join(step.send))
        self.notices += step.notices
        self.heard += step.heard
        for rolled in step.rolls:
            self.record(rolled)

    def record(self, rolled: Rolled) -> None:
        if not self.journal:
            self.session.not_committed(rolled.reading.key)
            return
        if rolled.reading.key not in self.keys:  # the table takes each key once
            self.keys.add(rolled.reading.key)
            self.rolls.append(rolled)
        self.take(self.session.committed(rolled.reading.key))

    def run(self, ms: float, slice_ms: float = 20) -> None:
        """Let time go by, answering the die."""
        end = self.rig.now_us + ms * 1000
        while self.rig.now_us < end:
            self.take(self.session.received(self.rig.step(slice_ms), self.now))
            self.take(self.session.tick(self.now))

    def meet(self) -> None:
        """Until the die is identified."""
        for _ in range(300):
            if self.session.hello is not None:
                return
            self.run(20)
        raise AssertionError(self.session.reason)

    def press(self, ms: float = 60) -> None:
        self.rig.tell("press")
        self.run(ms)
        self.rig.tell("release")

    def roll(self, ms: float = 700) -> None:
        """An unarmed roll."""
        self.press()
        self.run(ms)

    @property
    def values(self) -> list[tuple[int, int | None]]:
        """(sides, value) of every journalled roll, in order."""
        return [(r.reading.die.sides, r.reading.value) for r in self.rolls if r.reading.die is not None]

    @property
    def numbers(self) -> list[int]:
        return [int(rolled.reading.key.split(":")[2]) for rolled in self.rolls]

    def kinds(self) -> list[str]:
        return [notice.kind for notice in self.notices]


class Live:
    """An emulated die in real time, its port at the end of a link, steered over stdin."""

    def __init__(self, command: Sequence[str | Path], link: Path) -> None:
        self.link = link
        self._lock = threading.Lock()
        self.process = subprocess.Popen(
            [*command, "--link", link, "--control", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdin
        assert self.process.stdout
        self._to, self._from = self.process.stdin, self.process.stdout
        with ended_on_failure(self.process):
            self.port = self._answer()

    def _answer(self) -> str:
        kind, _, rest = self._from.readline().rstrip("\n").partition(" ")
        assert kind == "ok", rest
        return rest

    def tell(self, command: str) -> str:
        """One command of firmware/rig/rig.c. Any thread may call."""
        with self._lock:
            self._to.write(f"{command}\n")
            self._to.flush()
            return self._answer()

    def roll(self) -> None:
        """Press for a tenth of a second."""
        self.tell("press")
        time.sleep(0.1)
        self.tell("release")

    def close(self) -> None:
        end(self.process)


@contextmanager
def live(command: Sequence[str | Path], link: Path) -> Iterator[Live]:
    """A die in real time that is ended, whatever happens."""
    die = Live(command, link)
    try:
        yield die
    finally:
        die.close()


def wait_for(what: Callable[[], object], patience_s: float = 60) -> None:
    """Until `what` is true; nothing here is timed, this ends a test that would wait for ever."""
    deadline = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


class Journal:
    """Takes throws, each once; refuses while `full`."""

    def __init__(self) -> None:
        self.throws: list[Throw] = []
        self.full = False
        self._lock = threading.Lock()

    def __call__(self, throw: Throw) -> None:
        with self._lock:
            if self.full:
                raise StoreError("The disk is full.")
            if throw.id not in {known.id for known in self.throws}:
                self.throws.append(throw)


@contextmanager
def running(*ports: str | Path, watcher: Quiet | None = None) -> Iterator[tuple[Edie, Journal]]:
    journal, source = Journal(), Edie([str(port) for port in ports], watcher=watcher)
    source.start(journal)
    try:
        yield source, journal
    finally:
        source.stop()
