"""The nouns of a table: values that cross a boundary, frozen and checked once on entry.

A *reading* is one die as a source saw it; a *throw* is the dice of one settling; a *slot* is a die somebody
owes; a *plan* is an attack's slots in the order they are named; an *outcome* carries its explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Die(StrEnum):
    """A die type. `D100` is the tens die (00 to 90): named when seen, owed by nobody."""

    D4 = "D4"
    D6 = "D6"
    D8 = "D8"
    D10 = "D10"
    D12 = "D12"
    D20 = "D20"
    D100 = "D100"

    @property
    def sides(self) -> int:
        """How many faces it has; a D100 has ten."""
        return 10 if self is Die.D100 else int(self[1:])

    def holds(self, value: int) -> bool:
        """Whether `value` is one of its faces, as read (a D10's "0" face is the value 10)."""
        return value % 10 == 0 and 0 <= value <= 90 if self is Die.D100 else 1 <= value <= self.sides


class Side(StrEnum):
    """Which side of the attack throws a die."""

    FIRER = "firer"
    TARGET = "target"


class SlotName(StrEnum):
    """The five dice of an attack, in the order a plan names them."""

    FIRER_SIZE = "firer size"
    FIRER_EFFECTIVENESS = "firer effectiveness"
    TARGET_ARMOUR = "target armour"
    TARGET_EFFECTIVENESS = "target effectiveness"
    DAMAGE = "damage"


@dataclass(frozen=True, slots=True)
class Slot:
    """A die that is owed: its name, who throws it and of which type."""

    name: SlotName
    by: Side
    die: Die


@dataclass(frozen=True, slots=True)
class Attack:
    """What a player declares: a weapon and the target it has hit. Exactly one of `armour`, `infantry` is set.

    `size` is the weapon's size class, or the chits drawn in a firefight or close assault; 1 to 5.
    `armour` is a vehicle's level, 1 to 5; `infantry` is militia, line, powered or super.
    The rules (`dicetower.rules`), not this class, say which combinations exist.
    """

    system: str
    size: int
    range: str | None = None
    armour: int | None = None
    infantry: str | None = None
    armour_type: str | None = None
    cover: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an attack asks of the table.

    `slots` are the four dice in plan order; `printed` is the source's effectiveness as printed ("50%",
    "ineffective"), which is not the odds; `notes` are sentences a player must read ("cover does nothing for HEL").
    """

    slots: tuple[Slot, Slot, Slot, Slot]
    printed: str
    vehicle: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the dice came to, with why.

    `outcome` is undamaged, damaged or destroyed; `pairs_to_target` how many of the two pairs the target won;
    `damage` the damage table's row (escape, systems_down, mobility, destroyed) once its die is thrown;
    `final` what stands in the end: undamaged, damaged (no table, or its die not yet thrown), systems_down,
    mobility or destroyed.
    """

    outcome: str
    pairs_to_target: int
    explanation: str
    final: str
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """A person at the table. `colour` is `#rrggbb`; `shape` is the mark that says the same without colour."""

    id: str
    name: str
    colour: str
    shape: str


@dataclass(frozen=True, slots=True)
class EDie:
    """An e-die that a table knows: its id (16 hexadecimal digits), what people call it, whose it is, if anybody's."""

    uid: str
    name: str = ""
    player: str | None = None


class PledgeState(StrEnum):
    """How an e-die's commitment to a seed stands, or ended (docs/wire.md, "Fair dice")."""

    STANDS = "stands"
    VERIFIED = "verified"
    BROKEN = "broken"
    REFUSED = "refused"
    UNANSWERED = "unanswered"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Pledge:
    """An e-die's commitment, 64 hexadecimal digits, and the host's secret for it, 32; `seed`, 32, once revealed.

    `text` says how it ended, in a sentence.
    """

    uid: str
    commitment: str
    secret: str
    state: PledgeState = PledgeState.STANDS
    seed: str | None = None
    text: str = ""


class SourceKind(StrEnum):
    """What read a die. `VIRTUAL` is system randomness: off unless the table turns it on, marked on screen."""

    CAMERA = "camera"
    EDIE = "edie"
    TYPED = "typed"
    VIRTUAL = "virtual"


class ReadingStatus(StrEnum):
    """How far a reading may be trusted. Only `SURE` ever fills a slot by itself."""

    SURE = "sure"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Reading:
    """One die as one source saw it. Never changed afterwards: what a person says of it is another event.

    `key` is unique for the physical fact ("camera:<throw>:<n>", "edie:<uid>:<roll>", "typed:<request>:<n>"): the
    table takes each key once. `die` is None where the type could not be told; `value` is None when unsure.
    `candidates` are (value, likelihood), best first. `at` is the die's place in the tray picture, (x, y) from
    0 to 1, origin top left. `who` is what the source knows of its owner: a player id (a bound e-die, a person
    typing), `zone` a tray zone's name, `colour` the die's main colour `#rrggbb`. `slot` is set only where a
    person named it. `late` marks an e-die roll made while unplugged or before anybody armed it: a person decides.
    `source_time_ms` is the device's own clock, `host_time_ms` Unix time, both in milliseconds.
    `evidence` names a stored crop or the line as received.
    """

    key: str
    source: SourceKind
    die: Die | None
    value: int | None
    status: ReadingStatus
    confidence: float = 1.0
    cocked: bool = False
    candidates: tuple[tuple[int, float], ...] = ()
    at: tuple[float, float] | None = None
    colour: str | None = None
    who: str | None = None
    zone: str | None = None
    device: str | None = None
    slot: SlotName | None = None
    late: bool = False
    source_time_ms: int | None = None
    host_time_ms: int | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class FaceAsked:
    """A face of a player's own die that a picture is to show.

    label: the symbol's name, where it has no numeral. replaces: the picture whose place it takes, once it is taken.
    insist: take it although it is doubtful.
    """

    die: Die
    value: int
    label: str = ""
    replaces: str = ""
    insist: bool = False


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice that came or moved since the last settled picture (or one typed call, or one e-die roll)."""

    id: str
    source: SourceKind
    readings: tuple[Reading, ...]
    host_time_ms: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """One journal row: `seq` starts at 1 and has no gaps; it is also the SSE event id."""

    seq: int
    table: str
    kind: str
    data: dict[str, Any]
    host_time_ms: int


class Store(Protocol):
    """The append-only journal. `append` returns only when the rows would survive a power cut."""

    def append(self, table: str, events: Sequence[tuple[str, dict[str, Any]]], expected_seq: int) -> list[Recorded]:
        """Add all of `events` or none, after `expected_seq`; Conflict if another writer was there first."""

    def read(self, table: str, after: int = 0) -> Iterator[Recorded]:
        """The rows of `table` with `seq > after`, in order."""

    def tables(self) -> list[str]:
        """Names of all tables that have rows."""

    def check(self) -> None:
        """StoreError where no rows could be kept now, with what to do; changes nothing."""


class Source(Protocol):
    """A reader of dice. It hands throws to `deliver` and keeps no game state of its own."""

    @property
    def name(self) -> str:
        """What the screen and /readyz call it."""

    def start(self, deliver: Callable[[Throw], None]) -> None:
        """Begin; return at once. `deliver` may be called from any thread."""

    def stop(self) -> None:
        """End, and free the device."""

    def health(self) -> SourceHealth:
        """How it is now."""


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One source's state on screen and in /readyz; `reason` is a sentence, empty when `ok`."""

    name: str
    state: str
    ok: bool
    reason: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
