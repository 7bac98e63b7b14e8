"""One connection to one e-die, without the port: bytes and ticks in, rolls and lines to send out. Pure.

    session = EdieSession(Seen())
    step = session.tick(now)                   # asks HELLO?
    step = session.received(b"$0 HELLO ...", now)
    for rolled in step.rolls:                  # give rolled.reading to the table; once it is journalled:
        step = session.committed(rolled.reading.key, now)      # step.send holds the ACK

Time comes in as an `Instant`: monotonic milliseconds for waiting, Unix milliseconds for the readings. What goes
out depends on nothing else, so a tape replays a connection to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from dicetower.errors import BadLine
from dicetower.model import Die, Reading, ReadingStatus, SourceKind
from dicetower.sources.edie_seen import Seen
from dicetower.sources.verbs import (
    HOST_VERBS,
    NO_UID,
    PROTOCOL,
    PROTOCOL_MAJOR,
    Ack,
    Arm,
    Armed,
    Ask,
    AskRaw,
    Bye,
    Commit,
    Disarm,
    Fair,
    Fault,
    Foreign,
    Full,
    Heartbeat,
    Hello,
    Message,
    Move,
    No,
    Reveal,
    Roll,
    Unknown,
    encode_message,
    meaning,
)
from dicetower.sources.wire import SEQ_MODULUS, Framer, Line, Reason, Reject

ASK_EVERY_MS = 1000  # docs/wire.md: HELLO? and ARM are repeated every second
FAIR = "fair"  # docs/wire.md: the capability to commit
BUSY_AGAIN_MS = 300  # docs/wire.md: after NO why=busy; most rolls are over in twice that
LOST_AFTER_MS = 3500  # docs/wire.md: three heartbeats and a half


class Phase(StrEnum):
    """How a connection stands, in the words the screen uses."""

    OPENED = "opened, not identified"
    CONNECTED = "connected"
    LOST = "lost"
    FAULT = "fault"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment on both clocks, in milliseconds."""

    mono_ms: int
    unix_ms: int


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll for the table. `req` is what the die was armed for, 0 for nothing; `refusal` says why it is unsure."""

    reading: Reading
    req: int
    duration_ms: int
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person may need to know. `kind` is one word: gap, conflict, refused, fault, full, version, ..."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """What one call came to: lines to write, rolls to journal, sentences to show, messages heard."""

    send: tuple[bytes, ...] = ()
    rolls: tuple[Rolled, ...] = ()
    notices: tuple[Notice, ...] = ()
    heard: tuple[Message, ...] = ()


@dataclass(slots=True)
class Counts:
    """What the line did, since the port was opened."""

    lines: int = 0
    lost_lines: int = 0
    rejects: dict[Reason, int] = field(default_factory=lambda: dict.fromkeys(Reason, 0))
    echoes: int = 0
    duplicates: int = 0
    rolls: int = 0
    late_rolls: int = 0
    missing_rolls: int = 0


class _Wanted(NamedTuple):
    """What the die is to be armed for."""

    req: int
    die: Die
    nonce: str | None


class EdieSession:
    """The host's side of docs/wire.md on one open port."""

    def __init__(self, seen: Seen | None = None) -> None:
        """Begin on a port just opened; `seen` is shared by all connections of a process."""
        self.hello: Hello | None = None
        self.last_heartbeat: Heartbeat | None = None
        self.newest: int | None = None  # the number of its newest roll, from its first heartbeat on
        self.fault: str | None = None
        self.foreign: str | None = None
        self.counts = Counts()
        self.last_roll: Roll | None = None
        self.heard: Instant | None = None
        self._seen = seen if seen is not None else Seen()
        self._framer = Framer()
        self._seq = 0
        self._die_seq: int | None = None
        self._heard_ms: int | None = None
        self._asked_ms: int | None = None
        self._lost = False
        self._uid_before: str | None = None
        self.fair: Fair | None = None
        self._pledge: type[Commit | Reveal] | None = None
        self._pledge_ms: int | None = None
        self._wanted: _Wanted | None = None
        self._armed = False
        self._arm_sent_ms: int | None = None
        self._told: set[str] = set()
        self._out = _Out()

    @property
    def phase(self) -> Phase:
        """How the connection stands."""
        if self.foreign is not None:
            return Phase.REFUSED
        if self.hello is None:
            return Phase.OPENED
        if self._lost:
            return Phase.LOST
        return Phase.FAULT if self.fault else Phase.CONNECTED

    @property
    def reason(self) -> str:
        """The phase in a sentence, empty when all is well."""
        match self.phase:
            case Phase.REFUSED:
                return _foreign_sentence(str(self.foreign))
            case Phase.OPENED:
                return self._opened_sentence()
            case Phase.LOST:
                return "The e-die has not been heard for a while: is it plugged in?"
            case Phase.FAULT:
                return f"The e-die stopped rolling: {self.fault}. Unplug it and plug it in again."
            case _:
                return ""

    @property
    def armed_for(self) -> int:
        """The `req` that the die has said it is armed for, or 0."""
        return self._wanted.req if self._wanted and self._armed else 0

    @property
    def can_commit(self) -> bool:
        """Whether the die says that it can commit to a seed."""
        return self.hello is not None and FAIR in self.hello.capabilities

    def received(self, data: bytes, now: Instant) -> Step:
        """Bytes came from the port."""
        for item in self._framer.feed(data):
            if isinstance(item, Reject):
                self.counts.rejects[item.reason] += 1
            else:
                self._line(item, now)
        return self._out.take()

    def tick(self, now: Instant) -> Step:
        """Time went by; call it a few times a second."""
        if self._heard_ms is not None and now.mono_ms - self._heard_ms >= LOST_AFTER_MS:
            self._lost = True
        if self.hello is None or self._lost:
            self._ask(now)
        else:
            self._remind(now)
        return self._out.take()

    def arm(self, req: int, die: Die, now: Instant, nonce: str | None = None) -> Step:
        """Ask the die to roll `die` for `req`: a number, not 0, that names one owed die for good.

        Said again every second until the die confirms it; replaces what was armed before. With a `nonce` the roll must
        come of the seed that the die has committed to.
        """
        if not 0 < req < 1 << 32:
            raise ValueError(f"req: expected 1 to {2**32 - 1}, got {req}.")
        wanted = _Wanted(req, die, nonce)
        if self._wanted != wanted:
            self._wanted, self._armed, self._arm_sent_ms = wanted, False, None
        if self._may_talk() and not self._armed and self._is_due(self._arm_sent_ms, now):
            self._send_arm(now)
        return self._out.take()

    def disarm(self) -> Step:
        """The die is owed nothing now."""
        if self._wanted and self._may_talk():
            self._send(Disarm(self._boot(), self._wanted.req))
        self._wanted, self._armed = None, False
        return self._out.take()

    def pledge(self, ask: type[Commit | Reveal] | None, now: Instant) -> Step:
        """Have the die commit to a seed, or reveal it; said again every second until `fair` answers it."""
        if self._pledge is not ask:
            self._pledge, self._pledge_ms, self.fair = ask, None, None
        if self._may_talk():
            self._remind(now)
        return self._out.take()

    def committed(self, key: str) -> Step:
        """The reading of that key is in the journal: acknowledge it, if its die is the one on this port."""
        uid, number = _of_key(key)
        self._seen.commit(uid, number)
        if self.hello is not None and self.hello.uid == uid and self._may_talk():
            self._send(Ack(self._boot(), number))
        return self._out.take()

    def not_committed(self, key: str) -> Step:
        """The reading of that key did not reach the journal: the die's next copy of it is taken as new."""
        self._seen.forget(*_of_key(key))
        return self._out.take()

    def ask_raw(self, source: str, count: int) -> Step:
        """Ask for `count` raw noise samples; they come as `Raw` messages in `heard`."""
        if self._may_talk():
            self._send(AskRaw(self._boot(), source, count))
        return self._out.take()

    def close(self) -> Step:
        """The host leaves."""
        if self._may_talk():
            self._send(Bye(self._boot()))
        return self._out.take()

    # What the die says.

    def _line(self, line: Line, now: Instant) -> None:
        if line.verb in HOST_VERBS:
            self._echo()
            return
        self.counts.lines += 1
        self._count_lost(line.seq)
        try:
            message = meaning(line)
        except BadLine as error:
            self._tell("refused", f"The e-die's line could not be read: {error} ({line.text})")
            return
        if not isinstance(message, Unknown):
            self._message(message, line, now)

    def _message(self, message: Message, line: Line, now: Instant) -> None:
        self._heard_ms, self.heard = now.mono_ms, now
        if isinstance(message, Foreign):
            self._refuse_version(message)
        elif isinstance(message, Hello):
            self._identify(message)
        elif self._is_from_the_die(message, now):
            self._lost = False
            self._dispatch(message, line, now)
        else:
            return
        self._out.heard.append(message)

    def _is_from_the_die(self, message: Message, now: Instant) -> bool:
        """A line is believed only where a HELLO has told whose `boot` it carries."""
        boot = getattr(message, "boot", None)
        if self.hello is not None and boot == self.hello.boot:
            return True
        if self.hello is not None:
            self.hello, self._asked_ms = None, None
            self._armed, self._die_seq = False, None
        self._ask(now)
        return False

    def _dispatch(self, message: Message, line: Line, now: Instant) -> None:
        match message:
            case Roll():
                self._roll(message, line, now)
            case Heartbeat():
                self._heartbeat(message)
            case Armed():
                self._armed = self._armed or self._is_wanted(message.req, message.die)
            case Fair():
                self.fair = message if self._answers(message) else self.fair
            case No():
                self._cannot_arm(message)
            case Fault():
                self.fault = message.code
                self._tell("fault", f"The e-die stopped rolling: {message.code}.")
            case Full():
                self._tell_again(
                    "full",
                    f"The e-die holds {message.unacked} rolls that wait here and rolls no more until they are taken.",
                )
            case Move():
                self._tell_again("handling", "The e-die was moved; that is no roll.")
            case _:
                pass

    def _identify(self, hello: Hello) -> None:
        self.foreign, self._lost = None, False
        if self.hello is not None and self.hello.boot == hello.boot:
            return
        if self._uid_before not in (None, hello.uid):
            self._wanted = None
        self.hello, self.fault, self._armed, self._arm_sent_ms = hello, None, False, None
        self.last_heartbeat, self.newest, self.fair, self._pledge_ms = None, None, None, None
        self._uid_before = hello.uid
        self._tell_again("identified", f"E-die {hello.uid}, firmware {hello.firmware}, started by {hello.reset}.")
        if hello.uid == NO_UID:
            self._tell("fault", "The e-die could not draw its id: its noise failed its health test.")
        if hello.torn:
            self._tell(
                "torn",
                f"{hello.torn} roll(s) were cut off by a power loss before they were shown; their numbers stay empty.",
            )

    def _refuse_version(self, message: Foreign) -> None:
        self.foreign, self.hello, self._lost = message.version, None, False
        self._tell("version", _foreign_sentence(message.version))

    def _heartbeat(self, heartbeat: Heartbeat) -> None:
        self.last_heartbeat, self.newest = heartbeat, heartbeat.last
        self.fault = heartbeat.fault
        if self._wanted is not None:
            known = self._armed or self._wanted.nonce is None  # of the nonce a heartbeat says nothing
            self._armed = known and heartbeat.req == self._wanted.req

    def _cannot_arm(self, message: No) -> None:
        if self._wanted is None or message.req != self._wanted.req:
            return
        if message.why == "done":
            self._armed = True
        elif message.why == "busy" and self._arm_sent_ms is not None:
            self._arm_sent_ms -= ASK_EVERY_MS - BUSY_AGAIN_MS
        elif message.why != "busy":
            self._tell_again("unarmed", f"The e-die cannot be armed: {message.why}.")

    # Rolls.

    def _roll(self, roll: Roll, line: Line, now: Instant) -> None:
        uid = self._uid()
        before = self._seen.known(uid, roll.roll)
        if before is None:
            self._new_roll(uid, roll, line, now)
        elif roll.content == before.content:
            self._copy(uid, roll)
        else:
            self._conflict(uid, roll, line, now)

    def _copy(self, uid: str, roll: Roll) -> None:
        self.counts.duplicates += 1
        if self._seen.is_committed(uid, roll.roll):
            self._send(Ack(self._boot(), roll.roll))

    def _new_roll(self, uid: str, roll: Roll, line: Line, now: Instant) -> None:
        self._tell_gap(uid, roll.roll)
        self._seen.add(uid, roll)
        self.last_roll = roll
        if self.newest is not None:
            self.newest = max(self.newest, roll.roll)
        wanted = self._wanted is not None and roll.req == self._wanted.req
        refusal = roll.refusal or self._unfair(roll)
        reading = _reading(uid, roll, line, now, late=roll.late or not wanted, refusal=refusal)
        self.counts.rolls += 1
        self.counts.late_rolls += reading.late
        if wanted:
            self._wanted, self._armed = None, False
        if refusal:
            self._tell_again("refused", refusal)
        self._out.rolls.append(Rolled(reading, roll.req, roll.duration_ms, refusal))

    def _unfair(self, roll: Roll) -> str:
        """Why a roll that was to come of the seed may fill no slot by itself, as a sentence; empty when it may."""
        wanted = self._wanted
        if wanted is None or wanted.nonce is None or roll.req != wanted.req or roll.fair:
            return ""
        return f"{roll.die} rolled {roll.value} outside its commitment."

    def _conflict(self, uid: str, roll: Roll, line: Line, now: Instant) -> None:
        """One number, two contents: neither is dropped, and a person sees both."""
        text = f"E-die {uid} sent two different rolls numbered {roll.roll}; a person must say which counts."
        self._seen.add(uid, roll)
        unsure = replace(
            _reading(uid, roll, line, now, late=True, refusal=roll.refusal),
            status=ReadingStatus.UNSURE,
            value=None,
            confidence=0.0,
        )
        reading = replace(unsure, key=f"{unsure.key}:{roll.die}-{roll.reported}-{roll.req}-{roll.duration_ms}")
        self._tell_again("conflict", text)
        self._out.rolls.append(Rolled(reading, roll.req, roll.duration_ms, text))

    def _tell_gap(self, uid: str, number: int) -> None:
        newest = self._seen.newest(uid)
        if newest is not None and number > newest + 1:
            self.counts.missing_rolls += number - newest - 1
            missing = f"{newest + 1}" if number == newest + 2 else f"{newest + 1} to {number - 1}"
            self._tell("gap", f"E-die {uid}: roll {missing} never came.")

    # Sending.

    def _ask(self, now: Instant) -> None:
        if self._is_due(self._asked_ms, now):
            self._asked_ms = now.mono_ms
            self._send(Ask())

    def _send_arm(self, now: Instant) -> None:
        assert self._wanted is not None
        self._arm_sent_ms = now.mono_ms
        self._send(Arm(self._boot(), *self._wanted))

    def _is_wanted(self, req: int, die: Die) -> bool:
        return self._wanted is not None and (req, die) == (self._wanted.req, self._wanted.die)

    def _remind(self, now: Instant) -> None:
        """Say again what the die has not confirmed."""
        if self._pledge is not None and self.fair is None and self.can_commit and self._is_due(self._pledge_ms, now):
            self._pledge_ms = now.mono_ms
            self._send(self._pledge(self._boot()))
        if self._wanted and not self._armed and self._is_due(self._arm_sent_ms, now):
            self._send_arm(now)

    def _answers(self, fair: Fair) -> bool:
        """Whether that answers what was asked: a commitment, or a seed or that there is none."""
        return self._pledge is not None and (self._pledge is Commit) == (fair.commitment is not None)

    def _send(self, message: Message) -> None:
        self._out.send.append(encode_message(self._seq, message))
        self._seq = (self._seq + 1) % SEQ_MODULUS

    def _is_due(self, last_ms: int | None, now: Instant) -> bool:
        return last_ms is None or now.mono_ms - last_ms >= ASK_EVERY_MS

    def _may_talk(self) -> bool:
        return self.hello is not None and self.foreign is None

    def _boot(self) -> str:
        assert self.hello is not None
        return self.hello.boot

    def _uid(self) -> str:
        assert self.hello is not None
        return self.hello.uid

    # Counting and telling.

    def _count_lost(self, seq: int) -> None:
        if self._die_seq is not None:
            skipped = (seq - self._die_seq - 1) % SEQ_MODULUS
            self.counts.lost_lines += skipped if skipped < SEQ_MODULUS // 2 else 0
        self._die_seq = seq

    def _echo(self) -> None:
        self.counts.echoes += 1
        self._tell("echo", "The port sends our own lines back (a terminal's echo?); they are ignored.")

    def _opened_sentence(self) -> str:
        noise = sum(self.counts.rejects.values())
        if noise:
            return f"The port is open and something speaks, but not as an e-die does ({noise} pieces of noise so far)."
        return "The port is open, but no e-die has answered yet."

    def _tell(self, kind: str, text: str) -> None:
        """Say a sentence once in a connection."""
        if text not in self._told:
            self._told.add(text)
            self._tell_again(kind, text)

    def _tell_again(self, kind: str, text: str) -> None:
        self._out.notices.append(Notice(kind, text))


class _Out:
    """What the call in progress has come to so far."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.send: list[bytes] = []
        self.rolls: list[Rolled] = []
        self.notices: list[Notice] = []
        self.heard: list[Message] = []

    def take(self) -> Step:
        step = Step(tuple(self.send), tuple(self.rolls), tuple(self.notices), tuple(self.heard))
        self._clear()
        return step


def _reading(uid: str, roll: Roll, line: Line, now: Instant, *, late: bool, refusal: str) -> Reading:
    status = ReadingStatus.UNSURE if refusal else ReadingStatus.SURE
    return Reading(
        key=f"edie:{uid}:{roll.roll}",
        source=SourceKind.EDIE,
        die=roll.die,
        value=roll.reported if roll.value is None else None if refusal else roll.value,
        status=status,
        confidence=0.0 if refusal else 1.0,
        device=uid,
        late=late,
        source_time_ms=roll.t_ms,
        host_time_ms=now.unix_ms,
        evidence=line.text,
    )


def _of_key(key: str) -> tuple[str, int]:
    """The die's id and the roll's number in a reading's key."""
    _, uid, number, *_ = key.split(":")
    return uid, int(number)


def _foreign_sentence(version: str) -> str:
    return (
        f"The e-die speaks protocol {version}, this service {PROTOCOL}: "
        f"both must be {PROTOCOL_MAJOR}.x. Update the older of the two."
    )
