"""What the e-die's lines mean: a frozen class a verb, checked as it is read. Pure; the table is docs/wire.md.

`meaning(line)` gives the message, `Unknown` for a verb this version does not have (to be ignored), or raises
BadLine naming verb, key, what was expected and what came. `encode_message(seq, message)` goes the other way.

Each field carries its key on the wire: `t_ms: Annotated[int, _number("t", 32)]` is sent as `t=...`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_type_hints

from dicetower.errors import BadLine
from dicetower.model import Die
from dicetower.sources import wire
from dicetower.sources.wire import Line

PROTOCOL_MAJOR = 1
PROTOCOL = "1.1"
NO_UID = "0" * 16  # a die that has not drawn its id yet
E_DICE = (Die.D4, Die.D6, Die.D8, Die.D10, Die.D12, Die.D20)

Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Key:
    """A key on the wire: the pattern its value must match, in words too, and the way to and from Python."""

    name: str
    pattern: str
    expected: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str

    def of(self, line: Line) -> Any:
        """The value in `line`."""
        value = line.get(self.name)
        if value is None:
            raise BadLine(f"{line.verb} without {self.name!r}: expected {self.expected}.")
        try:
            if re.fullmatch(self.pattern, value):
                return self.read(value)
        except OverflowError:
            pass
        raise BadLine(f"{line.verb} {self.name}={value}: expected {self.expected}.")


def _number(name: str, bits: int) -> _Key:
    def read(text: str) -> int:
        if int(text) >> bits:
            raise OverflowError
        return int(text)

    return _Key(name, "0|[1-9][0-9]{0,9}", f"a number from 0 to {2**bits - 1}", read)


def _hex(name: str, digits: int) -> _Key:
    return _Key(name, f"[0-9a-f]{{{digits}}}", f"{digits} small hexadecimal digits")


def _word(name: str) -> _Key:
    return _Key(name, "[a-z0-9-]{1,12}", "a word of a-z, 0-9 and -")


def _flag(name: str) -> _Key:
    return _Key(name, "[01]", "0 or 1", lambda text: text == "1", lambda flag: str(int(flag)))


_BOOT = _hex("boot", 8)
_REQ = _number("req", 32)
_DIE = _Key("die", "|".join(E_DICE), f"one of {' '.join(E_DICE)}", Die)
_VERSION = _Key("v", r"[0-9]{1,3}\.[0-9]{1,3}", "major.minor")
_WORDS = _Key("cap", "[a-z0-9,-]{1,40}", "words joined by commas", lambda text: tuple(text.split(",")), ",".join)
_SAMPLES = _Key("x", "([0-9a-f]{2}){1,32}", "2 to 64 hexadecimal digits, two a sample", bytes.fromhex, bytes.hex)


def _keys(kind: type) -> dict[str, _Key]:
    return _keys_of(f"{kind.__qualname__}")


@cache
def _keys_of(name: str) -> dict[str, _Key]:
    """By name, for mypy takes a dataclass's type for unhashable."""
    kind = globals()[name]
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}


@dataclass(frozen=True, slots=True)
class Message:
    """What every verb can do. A field whose default is None may be missing from the line."""

    VERB: ClassVar[str] = ""

    @classmethod
    def read(cls, line: Line) -> Self:
        """From a line of this verb; unknown keys are ignored."""
        return cls(**{name: key.of(line) for name, key in _keys(cls).items() if _is_there(cls, name, key, line)})

    def pairs(self) -> Pairs:
        """The keys as they are sent, in the order of the fields."""
        values = [(key, getattr(self, name)) for name, key in _keys(type(self)).items()]
        return tuple((key.name, key.write(value)) for key, value in values if value is not None)


def _is_there(kind: type[Message], name: str, key: _Key, line: Line) -> bool:
    optional = kind.__dataclass_fields__[name].default is None
    return not optional or line.get(key.name) is not None


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """Who the die is. `uid` is for life, `boot` for this start, `reset` why it started, `torn` rolls never shown."""

    VERB: ClassVar[str] = "HELLO"
    version: Annotated[str, _VERSION]
    uid: Annotated[str, _hex("uid", 16)]
    boot: Annotated[str, _BOOT]
    firmware: Annotated[str, _Key("fw", "[0-9A-Za-z.+-]{1,16}", "a version")]
    source_hash: Annotated[str, _hex("hash", 8)]
    reset: Annotated[str, _word("rst")]
    capabilities: Annotated[tuple[str, ...], _WORDS]
    torn: Annotated[int, _number("torn", 16)]


@dataclass(frozen=True, slots=True)
class Foreign(Message):
    """A HELLO of another major version: nothing else in it can be trusted to mean what it did."""

    VERB: ClassVar[str] = "HELLO"
    version: Annotated[str, _VERSION]


@dataclass(frozen=True, slots=True)
class Heartbeat(Message):
    """How the die is, every second. `t_ms` is the die's clock; `last` its newest roll, 0 for none."""

    VERB: ClassVar[str] = "HB"
    boot: Annotated[str, _BOOT]
    t_ms: Annotated[int, _number("t", 32)]
    state: Annotated[str, _word("st")]
    die: Annotated[Die, _DIE]
    last: Annotated[int, _number("last", 32)]
    unacked: Annotated[int, _number("unacked", 16)]
    req: Annotated[int, _REQ]
    fault: Annotated[str | None, _word("fault")] = None


@dataclass(frozen=True, slots=True)
class Armed(Message):
    """The die is armed for `req`."""

    VERB: ClassVar[str] = "ARMED"
    boot: Annotated[str, _BOOT]
    req: Annotated[int, _REQ]
    die: Annotated[Die, _DIE]


@dataclass(frozen=True, slots=True)
class No(Message):
    """The die cannot be armed for `req`: busy, full, fault, die or done."""

    VERB: ClassVar[str] = "NO"
    boot: Annotated[str, _BOOT]
    req: Annotated[int, _REQ]
    why: Annotated[str, _word("why")]


@dataclass(frozen=True, slots=True)
class Start(Message):
    """A roll begins; `req` is 0 when nobody armed it."""

    VERB: ClassVar[str] = "START"
    boot: Annotated[str, _BOOT]
    req: Annotated[int, _REQ]
    die: Annotated[Die, _DIE]
    t_ms: Annotated[int, _number("t", 32)]


@dataclass(frozen=True, slots=True)
class Roll(Message):
    """A roll. `reported` is what the die said, `value` what it means; `late`: made before this start of the die.

    `t_ms` is when it was shown, on the die's clock; None for a late one. `fair`: its value came of the seed.
    """

    VERB: ClassVar[str] = "ROLL"
    boot: Annotated[str, _BOOT]
    roll: Annotated[int, _number("roll", 32)]
    die: Annotated[Die, _DIE]
    reported: Annotated[int, _number("val", 16)]
    req: Annotated[int, _REQ]
    duration_ms: Annotated[int, _number("ms", 16)]
    health: Annotated[str, _word("h")]
    late: Annotated[bool, _flag("late")]
    t_ms: Annotated[int | None, _number("t", 32)] = None
    fair: Annotated[bool | None, _flag("fair")] = None

    @property
    def content(self) -> tuple[Die, int, int, int, bool]:
        """What may never differ between two copies of a roll."""
        return self.die, self.reported, self.req, self.duration_ms, bool(self.fair)

    @property
    def value(self) -> int | None:
        """The face: a D10's 0 is 10; None where the die has no such face."""
        value = 10 if self.die is Die.D10 and self.reported == 0 else self.reported
        return value if self.die.holds(value) else None

    @property
    def refusal(self) -> str:
        """Why it may fill no slot by itself, as a sentence; empty when it may."""
        if self.value is None:
            return f"{self.die} reported {self.reported}: is the die type set right?"
        if self.health != "ok":
            return f"{self.die} rolled {self.value}, but its noise failed a health test ({self.health})."
        return ""


@dataclass(frozen=True, slots=True)
class Full(Message):
    """Somebody pressed, but too many rolls wait for their ACK: nothing was rolled."""

    VERB: ClassVar[str] = "FULL"
    boot: Annotated[str, _BOOT]
    unacked: Annotated[int, _number("unacked", 16)]


@dataclass(frozen=True, slots=True)
class Move(Message):
    """The die was carried or picked up; never a roll."""

    VERB: ClassVar[str] = "MOVE"
    boot: Annotated[str, _BOOT]
    t_ms: Annotated[int, _number("t", 32)]
    contacts: Annotated[int, _number("n", 16)]


@dataclass(frozen=True, slots=True)
class Fault(Message):
    """The die has stopped rolling."""

    VERB: ClassVar[str] = "FAULT"
    boot: Annotated[str, _BOOT]
    code: Annotated[str, _word("code")]


@dataclass(frozen=True, slots=True)
class Fair(Message):
    """What the die has committed to: the commitment that stands, or the seed of one that was revealed, or neither."""

    VERB: ClassVar[str] = "FAIR"
    boot: Annotated[str, _BOOT]
    commitment: Annotated[str | None, _hex("hash", 64)] = None
    seed: Annotated[str | None, _hex("seed", 32)] = None


@dataclass(frozen=True, slots=True)
class Raw(Message):
    """Raw noise samples, one byte each, from number `first` on."""

    VERB: ClassVar[str] = "RAW"
    boot: Annotated[str, _BOOT]
    source: Annotated[str, _word("src")]
    first: Annotated[int, _number("i", 16)]
    samples: Annotated[bytes, _SAMPLES]


@dataclass(frozen=True, slots=True)
class Ask(Message):
    """Who are you."""

    VERB: ClassVar[str] = "HELLO?"
    version: Annotated[str, _VERSION] = PROTOCOL


@dataclass(frozen=True, slots=True)
class Arm(Message):
    """The next roll is for `req`, which is not 0, on this die type; with a `nonce` it comes of the seed."""

    VERB: ClassVar[str] = "ARM"
    boot: Annotated[str, _BOOT]
    req: Annotated[int, _REQ]
    die: Annotated[Die, _DIE]
    nonce: Annotated[str | None, _hex("nonce", 8)] = None


@dataclass(frozen=True, slots=True)
class Disarm(Message):
    """Forget the ARM for `req`."""

    VERB: ClassVar[str] = "DISARM"
    boot: Annotated[str, _BOOT]
    req: Annotated[int, _REQ]


@dataclass(frozen=True, slots=True)
class Ack(Message):
    """This roll is in the journal."""

    VERB: ClassVar[str] = "ACK"
    boot: Annotated[str, _BOOT]
    roll: Annotated[int, _number("roll", 32)]


@dataclass(frozen=True, slots=True)
class Bye(Message):
    """The host leaves."""

    VERB: ClassVar[str] = "BYE"
    boot: Annotated[str, _BOOT]


@dataclass(frozen=True, slots=True)
class Commit(Message):
    """Commit to a seed, or say again what you are committed to."""

    VERB: ClassVar[str] = "COMMIT"
    boot: Annotated[str, _BOOT]


@dataclass(frozen=True, slots=True)
class Reveal(Message):
    """Give the seed, and roll by it no more."""

    VERB: ClassVar[str] = "REVEAL"
    boot: Annotated[str, _BOOT]


@dataclass(frozen=True, slots=True)
class AskRaw(Message):
    """Send `count` raw noise samples of `source`, adc or wdt."""

    VERB: ClassVar[str] = "RAW?"
    boot: Annotated[str, _BOOT]
    source: Annotated[str, _word("src")]
    count: Annotated[int, _number("n", 16)]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A verb of a later minor version, to be ignored."""

    verb: str


_FROM_DIE = (Hello, Heartbeat, Armed, No, Start, Roll, Full, Move, Fault, Fair, Raw)
_FROM_HOST = (Ask, Arm, Disarm, Ack, Bye, Commit, Reveal, AskRaw)
_KINDS: dict[str, type[Message]] = {kind.VERB: kind for kind in (*_FROM_DIE, *_FROM_HOST)}
HOST_VERBS = frozenset(kind.VERB for kind in _FROM_HOST)


def meaning(line: Line) -> Message | Unknown:
    """What `line` says; BadLine where a key of a known verb is missing or wrong."""
    kind = _KINDS.get(line.verb)
    if kind is None:
        return Unknown(line.verb)
    if kind is Hello and _major(line) != PROTOCOL_MAJOR:
        return Foreign.read(line)
    return kind.read(line)


def _major(line: Line) -> int:
    version: str = _VERSION.of(line)
    return int(version.split(".")[0])


def encode_message(seq: int, message: Message) -> bytes:
    """`message` as a line with this sequence number."""
    return wire.encode(seq, message.VERB, message.pairs())
