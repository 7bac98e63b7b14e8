"""One serial port with, perhaps, an e-die at it: a thread that opens it, reads it, and opens it again once lost."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from serial import SerialException

from dicetower.errors import DeviceError, DicetowerError
from dicetower.model import Die, Reading, SourceHealth, SourceKind, Throw
from dicetower.sources import serial_ports
from dicetower.sources.arming import slot_of
from dicetower.sources.edie_seen import Seen
from dicetower.sources.edie_session import EdieSession, Instant, Notice, Phase, Step
from dicetower.sources.serial_ports import Port
from dicetower.sources.verbs import Commit, Fair, Message, Reveal

log = logging.getLogger("dicetower.edie")

REOPEN_S = 1.0  # how soon a lost port is tried again
READ_MOST = 4096
NOT_YET = "The port has not been opened yet."


class Watcher(Protocol):
    """Hears what happens at a port: a tape's recorder, `edie monitor`, the log. Called from the port's thread."""

    def plugged(self, port: str) -> None:
        """The port was opened."""

    def unplugged(self, port: str) -> None:
        """The port was lost or closed."""

    def heard(self, port: str, data: bytes) -> None:
        """Bytes as they came."""

    def sent(self, port: str, data: bytes) -> None:
        """A line as it was sent."""

    def noticed(self, port: str, notice: Notice) -> None:
        """A sentence for a person."""

    def said(self, port: str, message: Message) -> None:
        """What an identified die said."""


class Quiet:
    """A watcher that does nothing; watch less by overriding less."""

    def plugged(self, port: str) -> None:
        """Nothing."""

    def unplugged(self, port: str) -> None:
        """Nothing."""

    def heard(self, port: str, data: bytes) -> None:
        """Nothing."""

    def sent(self, port: str, data: bytes) -> None:
        """Nothing."""

    def noticed(self, port: str, notice: Notice) -> None:
        """Nothing."""

    def said(self, port: str, message: Message) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What all ports share: where rolls go, whose a die is, who watches, the clock, and how a URL is opened."""

    deliver: Callable[[Throw], object]
    owner: Callable[[str], str | None]
    changed: Callable[[], None]
    watcher: Watcher
    seen: Seen
    opened: Callable[[str], Port] = serial_ports.opened

    def now(self) -> Instant:
        """Both clocks."""
        return Instant(time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000)


class EdiePort:
    """A port's thread, session and state. Any thread may call; one lock guards the session."""

    def __init__(self, url: str, wiring: Wiring, *, named: bool) -> None:
        """Take a URL; nothing is opened before `start`. `named`: the keeper configured this very port."""
        self.url, self.named = url, named
        self._wiring = wiring
        self._lock = threading.Lock()
        self._session = EdieSession(wiring.seen)
        self._port: Port | None = None
        self._broken = ""
        self._trouble = NOT_YET
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"edie {url}", daemon=True)

    def start(self) -> None:
        """Begin to open and read."""
        self._thread.start()

    def stop(self) -> None:
        """Say goodbye and close; returns when the port is free."""
        self._stopping.set()
        self._thread.join(timeout=5)

    @property
    def uid(self) -> str | None:
        """The id of the die that is connected here now, or None."""
        with self._lock:
            known = self._port is not None and self._session.phase in (Phase.CONNECTED, Phase.FAULT)
            return self._session.hello.uid if known and self._session.hello else None

    @property
    def newest(self) -> int | None:
        """The number of the die's newest roll, as its heartbeats and rolls told it; None before the first heartbeat."""
        with self._lock:
            return self._session.newest if self._session.phase is Phase.CONNECTED else None

    @property
    def fair(self) -> Fair | None:
        """What the die has answered on this connection of its commitment, as it was last asked."""
        with self._lock:
            return self._session.fair

    def pledge(self, ask: type[Commit | Reveal] | None) -> None:
        """Have the die asked for its commitment, or its seed."""
        self._call(lambda session: session.pledge(ask, self._wiring.now()))

    def want(self, req: int, die: Die, nonce: str | None = None) -> None:
        """Have the die armed."""
        self._call(lambda session: session.arm(req, die, self._wiring.now(), nonce))

    def want_nothing(self) -> None:
        """Have it disarmed."""
        self._call(EdieSession.disarm)

    def ask_raw(self, source: str, count: int) -> None:
        """Ask for raw noise samples."""
        self._call(lambda session: session.ask_raw(source, count))

    def health(self) -> SourceHealth:
        """How it stands."""
        with self._lock:
            session, opened, trouble = self._session, self._port is not None, self._trouble
            state = session.phase.value if opened else "lost" if session.hello else "not opened"
            reason = session.reason if opened else trouble
            return SourceHealth(self._name(), state, opened and not session.reason, reason, self._detail())

    def _name(self) -> str:
        """Told apart at a glance: the first digits of the die's id, else the port."""
        return f"e-die {self._session.hello.uid[:6]}" if self._session.hello else self.url

    def _detail(self) -> dict[str, object]:
        """What is the same from second to second: a screen is told of every change."""
        hello = self._session.hello
        at_port: dict[str, object] = {"kind": "e-die", "port": self.url}
        if hello is None:
            return at_port
        return at_port | {"uid": hello.uid, "firmware": hello.firmware} | self._doings()

    def _doings(self) -> dict[str, object]:
        """What the die of this connection did and is to do. `since_ms`: when it was last heard, if it is lost."""
        session, counts = self._session, self._session.counts
        roll, req, heard = session.last_roll, session.armed_for, session.heard
        lost = self._port is None or session.phase is Phase.LOST
        return {
            "last": None if roll is None else {"die": str(roll.die), "value": roll.value},
            "armed": None if lost or not req else slot_of(req).value,
            "rolls": {"taken": counts.rolls, "late": counts.late_rolls, "missing": counts.missing_rolls},
            "lost_lines": counts.lost_lines,
            "since_ms": heard.unix_ms if lost and heard is not None else None,
        }

    # The thread.

    def _live(self) -> None:
        while not self._stopping.is_set():
            try:
                self._use(self._wiring.opened(self.url))
            except (DeviceError, OSError) as error:
                self._trouble = str(error)
            except Exception as error:
                self._trouble = f"{self.url}: a fault of this program, logged: {error!r}"
                log.exception("At port %s; it is opened again.", self.url)
            self._stopping.wait(REOPEN_S)

    def _use(self, port: Port) -> None:
        with self._lock:
            self._session, self._port, self._broken = EdieSession(self._wiring.seen), port, ""
        self._wiring.watcher.plugged(self.url)
        try:
            while not self._stopping.is_set():
                self._read(port)
            self._call(EdieSession.close)
        except (SerialException, OSError, TypeError) as error:  # TypeError: pyserial reads a port closed under it
            self._trouble = f"{self.url}: the port was lost: {error}"
        finally:
            self._lose(port)

    def _lose(self, port: Port) -> None:
        with self._lock:
            self._port = None
        port.close()
        self._wiring.watcher.unplugged(self.url)
        self._wiring.changed()

    def _read(self, port: Port) -> None:
        if self._broken:
            raise SerialException(self._broken)
        self._call(lambda session: session.tick(self._wiring.now()))
        data = port.read(1)
        if data and port.in_waiting:
            data += port.read(min(port.in_waiting, READ_MOST))
        before = self.uid
        if data:
            self._wiring.watcher.heard(self.url, data)
            self._call(lambda session: session.received(data, self._wiring.now()))
        if self.uid != before:
            self._wiring.changed()

    def _call(self, act: Callable[[EdieSession], Step]) -> None:
        """Do something with the session, send what it says, and hand over what it found, without the lock."""
        with self._lock:
            step = act(self._session)
            for line in step.send:
                self._write(line)
        for notice in step.notices:
            self._wiring.watcher.noticed(self.url, notice)
        for message in step.heard:
            self._wiring.watcher.said(self.url, message)
            if isinstance(message, Fair):
                self._wiring.changed()
        for rolled in step.rolls:
            self._deliver(rolled.reading)

    def _write(self, line: bytes) -> None:
        """Send; a port that takes nothing is given up by its own thread, whoever wrote."""
        if self._port is None or self._broken:
            return
        try:
            self._port.write(line)
        except (SerialException, OSError) as error:
            self._broken = str(error)
        else:
            self._wiring.watcher.sent(self.url, line)

    def _deliver(self, reading: Reading) -> None:
        """To the journal, then the ACK; where the journal says no, the die's next copy is another try."""
        mine = replace(reading, who=self._wiring.owner(str(reading.device)))
        try:
            self._wiring.deliver(Throw(mine.key, SourceKind.EDIE, (mine,), mine.host_time_ms or 0))
        except DicetowerError as error:
            self._wiring.watcher.noticed(self.url, Notice("journal", f"A roll could not be kept yet: {error}"))
            self._call(lambda session: session.not_committed(reading.key))
        except Exception:
            self._call(lambda session: session.not_committed(reading.key))
            raise
        else:
            self._call(lambda session: session.committed(reading.key))
