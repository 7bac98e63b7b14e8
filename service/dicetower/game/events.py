"""What may happen at a table: facts and decisions, as the journal keeps them for good.

Each event has a stable `kind` (the journal's and the live stream's word for it) and its time, Unix milliseconds. A
decision is kept with its reasons, so that a later version of the program cannot decide an old throw anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dicetower.assign import Decision
from dicetower.errors import StoreError
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.game.declaration import Declaration
from dicetower.game.settings import Settings
from dicetower.model import Die, EDie, Outcome, Player, Pledge, Recorded, Slot, SlotName, Throw
from dicetower.rules.ruleset import RuleSet

VERSION = 1
"""The version of every kind below. A kind whose meaning changes gets a higher one, and a reader of both."""


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table's first event. `journal` is a random name for this table's history: no two histories share one."""

    kind: ClassVar[str] = "table opened"
    at_ms: int
    journal: str


@dataclass(frozen=True, slots=True)
class RulesLoaded:
    """New attacks are declared under this pack, kept whole so that old attacks stay explained."""

    kind: ClassVar[str] = "rules loaded"
    at_ms: int
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The house agreed on these settings."""

    kind: ClassVar[str] = "settings changed"
    at_ms: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class PlayerSeated:
    """Somebody sat down."""

    kind: ClassVar[str] = "player seated"
    at_ms: int
    player: Player


@dataclass(frozen=True, slots=True)
class PlayerChanged:
    """A player's name, colour or shape is now this; the id stays."""

    kind: ClassVar[str] = "player changed"
    at_ms: int
    player: Player


@dataclass(frozen=True, slots=True)
class EDieSet:
    """An e-die now has this name and player. `pressed` is the reading by which it was bound: it leaves the screen."""

    kind: ClassVar[str] = "e-die set"
    at_ms: int
    edie: EDie
    pressed: str | None = None


@dataclass(frozen=True, slots=True)
class EDieCommitted:
    """An e-die has committed to a seed, and the host has drawn its secret for it."""

    kind: ClassVar[str] = "e-die committed"
    at_ms: int
    pledge: Pledge


@dataclass(frozen=True, slots=True)
class CommitmentEnded:
    """An e-die's commitment stands no longer: verified, broken, or why it cannot be checked."""

    kind: ClassVar[str] = "e-die commitment ended"
    at_ms: int
    pledge: Pledge


@dataclass(frozen=True, slots=True)
class AttackDeclared:
    """An attack is open. `put_away` are unassigned dice of earlier attacks that leave the screen."""

    kind: ClassVar[str] = "attack declared"
    at_ms: int
    attack: str
    number: int
    declaration: Declaration
    again: bool
    put_away: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclarationCorrected:
    """The open attack is declared anew: faces in `keeps` stand, dice in `owes` are owed (again)."""

    kind: ClassVar[str] = "declaration corrected"
    at_ms: int
    attack: str
    declaration: Declaration
    keeps: tuple[SlotName, ...]
    owes: tuple[SlotName, ...]


@dataclass(frozen=True, slots=True)
class DiceThrown:
    """A throw as its source gave it, and what became of each die. `attack` is None where none was open."""

    kind: ClassVar[str] = "dice thrown"
    at_ms: int
    throw: Throw
    attack: str | None
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class DoubtAnswered:
    """A person said what a die shows; `decisions` are for it and for dice of its throw that waited on it."""

    kind: ClassVar[str] = "doubt answered"
    at_ms: int
    reading: str
    die: Die
    value: int
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class DiePlaced:
    """A person gave an unassigned die to a slot; `value` None where the slot now asks."""

    kind: ClassVar[str] = "die placed"
    at_ms: int
    attack: str
    reading: str
    slot: SlotName
    value: int | None


@dataclass(frozen=True, slots=True)
class DieDismissed:
    """A person took an unassigned die off the screen; `decisions` are for dice that waited on it."""

    kind: ClassVar[str] = "die dismissed"
    at_ms: int
    reading: str
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class ValueCorrected:
    """A person corrected a misread die in its slot."""

    kind: ClassVar[str] = "value corrected"
    at_ms: int
    attack: str
    slot: SlotName
    before: int
    value: int
    reason: str


@dataclass(frozen=True, slots=True)
class DiceRerolled:
    """The table has these dice thrown again."""

    kind: ClassVar[str] = "re-roll"
    at_ms: int
    attack: str
    slots: tuple[SlotName, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class DamageOwed:
    """Four dice made a damaged vehicle: the damage die is owed by `player`."""

    kind: ClassVar[str] = "damage die owed"
    at_ms: int
    attack: str
    slot: Slot
    player: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AttackResolved:
    """The attack's end, with its explanation."""

    kind: ClassVar[str] = "attack resolved"
    at_ms: int
    attack: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class OutcomeConfirmed:
    """A person has looked at a reopened attack: it may be resolved again."""

    kind: ClassVar[str] = "outcome confirmed"
    at_ms: int
    attack: str


@dataclass(frozen=True, slots=True)
class AttackVoided:
    """The attack ended without an outcome."""

    kind: ClassVar[str] = "attack voided"
    at_ms: int
    attack: str
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """The last decision was taken back; `text` names it."""

    kind: ClassVar[str] = "undone"
    at_ms: int
    text: str


Event = (
    TableOpened
    | RulesLoaded
    | SettingsChanged
    | PlayerSeated
    | PlayerChanged
    | EDieSet
    | EDieCommitted
    | CommitmentEnded
    | AttackDeclared
    | DeclarationCorrected
    | DiceThrown
    | DoubtAnswered
    | DiePlaced
    | DieDismissed
    | ValueCorrected
    | DiceRerolled
    | DamageOwed
    | AttackResolved
    | OutcomeConfirmed
    | AttackVoided
    | Undone
)

KINDS: dict[str, type[Event]] = {event.kind: event for event in Event.__args__}


def to_row(event: Event) -> tuple[str, dict[str, Any]]:
    """Return the event's kind and its data as the journal keeps them."""
    return event.kind, {"v": VERSION, **to_json(event)}


def from_row(row: Recorded) -> Event:
    """Return the event of a journal row; StoreError where this program does not know its kind or version."""
    where = f"event {row.seq} ({row.kind!r:.40}) of table {row.table!r:.40}"
    version = row.data.get("v")
    if row.kind not in KINDS or (isinstance(version, int) and version > VERSION):
        raise StoreError(
            f"The journal was written by a newer Dicetower: {where} is not known to this one. "
            "Nothing was changed; open it with the newer version."
        )
    try:
        return from_json(KINDS[row.kind], {key: value for key, value in row.data.items() if key != "v"}, row.kind)
    except Malformed as fault:
        raise StoreError(f"The journal is damaged: {where} does not hold together: {fault}.") from fault
