"""The history of a table as rows: every attack and every die that was ever delivered, with what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from dicetower.assign import Held
from dicetower.game.codec import to_json
from dicetower.game.events import (
    AttackDeclared,
    DeclarationCorrected,
    DiceRerolled,
    DiceThrown,
    DieDismissed,
    EDieSet,
    Event,
)
from dicetower.game.fold import apply
from dicetower.game.state import Attack, SlotState, State, Thrown
from dicetower.game.view import outcome_view
from dicetower.model import Attack as Declared
from dicetower.model import Reading
from dicetower.rules.odds import AfterTable


@dataclass(slots=True)
class DieRow:
    """One die. `die` and `value` are what stands of it: as read, answered or corrected; `read_*` as its source gave it.

    `fate` is: in a slot, in doubt, unassigned, dismissed, put away, re-rolled, owed again; `why` says more.
    """

    record: str
    table: str
    reading: str
    throw: str
    source: str
    device: str | None
    player: str | None
    attack: str | None
    slot: str | None
    die: str | None
    value: int | None
    read_die: str | None
    read_value: int | None
    read_status: str
    cocked: bool
    by_person: bool
    fate: str
    why: str
    at_ms: int


@dataclass(slots=True)
class AttackRow:
    """One attack as it stands at the end of the history. `state` "taken back": its declaration was undone."""

    record: str
    table: str
    attack: str
    number: int
    title: str
    declared: dict[str, Any]
    rules: str
    firer: str
    target: str
    printed: str
    odds: dict[str, Any]
    state: str
    outcome: dict[str, Any] | None
    at_ms: int
    ended_ms: int | None


Row = AttackRow | DieRow

PLAYERS = ("player", "firer", "target")
"""Where a row holds a player: by id, until it is given out."""

NESTED: dict[str, tuple[str, ...]] = {
    "declared": tuple(field.name for field in fields(Declared)),
    "odds": ("undamaged", "damaged", "destroyed", "after_table"),
    "odds.after_table": tuple(field.name for field in fields(AfterTable)),
    "outcome": ("outcome", "pairs_to_target", "explanation", "damage", "final"),
}
"""What lies within a value of a row; a spreadsheet has a column for each: `odds.after_table.mobility`."""


def columns() -> tuple[str, ...]:
    """The columns of a spreadsheet of rows: always the same, whatever was played."""
    names = dict.fromkeys(field.name for kind in (AttackRow, DieRow) for field in fields(kind))
    return tuple(column for name in names for column in _within(name))


def _within(name: str) -> Iterator[str]:
    if name not in NESTED:
        yield name
    for part in NESTED.get(name, ()):
        yield from _within(f"{name}.{part}")


class Ledger:
    """Rows in the order in which attacks were declared and dice arrived. Feed it every event from the first."""

    def __init__(self, table: str) -> None:
        self.state = State(table)
        self._dice: dict[str, DieRow] = {}
        self._attacks: dict[str, AttackRow] = {}
        self._rows: list[Row] = []

    def add(self, event: Event) -> None:
        """Take the next event."""
        before, self.state = self.state, apply(self.state, event)
        if isinstance(event, DiceThrown):
            self._arrived(event)
        self._left(before, event)
        self._lie()
        self._stand(before)

    def add_all(self, events: Iterable[Event]) -> Ledger:
        """Take the next events, and return the ledger."""
        for event in events:
            self.add(event)
        return self

    def rows(self) -> list[dict[str, Any]]:
        """Return every row as plain JSON values; players by the name that each has now, whatever it was then."""
        return [self._named(asdict(row)) for row in self._rows]

    def _named(self, row: dict[str, Any]) -> dict[str, Any]:
        return row | {key: self.state.name(row[key]) for key in PLAYERS if row.get(key) is not None}

    def _arrived(self, event: DiceThrown) -> None:
        for reading in event.throw.readings:
            row = _new_die(self.state, event, reading)
            self._dice[row.reading] = row
            self._rows.append(row)

    def _left(self, before: State, event: Event) -> None:
        """Note why dice that lay on the table do so no longer."""
        gone = _lying(before).keys() - _lying(self.state).keys()
        if isinstance(event, AttackDeclared):
            gone &= set(event.put_away)  # the dice of the attack before stay where they fell
        fate, why = _left_by(event)
        for key in gone:
            self._dice[key].fate, self._dice[key].why = fate, why

    def _lie(self) -> None:
        for key, (die, slot) in _lying(self.state).items():
            self._note(self._dice[key], die, slot)

    def _note(self, row: DieRow, die: Thrown, slot: SlotState | None) -> None:
        row.die = None if die.die is None else die.die.value
        row.value, row.why, row.by_person = die.value, die.why, die.said
        row.fate, row.slot = "unassigned", None
        if slot is not None and self.state.current is not None:
            row.attack, row.slot, row.player = self.state.current.id, slot.name.value, slot.player
            row.die, row.value, row.by_person = slot.slot.die.value, slot.value, slot.by_person
            row.fate = "in doubt" if slot.held is Held.ASKING else "in a slot"

    def _stand(self, before: State) -> None:
        current, was = self.state.current, before.current
        if was is not None and (current is None or current.number < was.number):
            self._attacks[was.id].state = "taken back"
        if current is not None:
            self._note_attack(current)

    def _note_attack(self, attack: Attack) -> None:
        row = self._attacks.get(attack.id)
        made = _attack_row(self.state, attack)
        if row is None:
            self._attacks[attack.id] = made
            self._rows.append(made)
        else:
            for name in AttackRow.__slots__:
                setattr(row, name, getattr(made, name))


def _new_die(state: State, event: DiceThrown, reading: Reading) -> DieRow:
    return DieRow(
        record="die",
        table=state.table,
        reading=reading.key,
        throw=event.throw.id,
        source=reading.source.value,
        device=reading.device,
        player=reading.who,
        attack=event.attack,
        slot=None,
        die=None if reading.die is None else reading.die.value,
        value=reading.value,
        read_die=None if reading.die is None else reading.die.value,
        read_value=reading.value,
        read_status=reading.status.value,
        cocked=reading.cocked,
        by_person=False,
        fate="unassigned",
        why="",
        at_ms=event.at_ms,
    )


def _attack_row(state: State, attack: Attack) -> AttackRow:
    declaration = attack.declaration
    return AttackRow(
        record="attack",
        table=state.table,
        attack=attack.id,
        number=attack.number,
        title=declaration.title,
        declared=to_json(declaration.declared),
        rules=declaration.pack,
        firer=declaration.firer,
        target=declaration.target,
        printed=declaration.plan.printed,
        odds=to_json(declaration.odds),
        state=attack.status.value,
        outcome=None if attack.outcome is None else outcome_view(attack.outcome),
        at_ms=attack.at_ms,
        ended_ms=attack.ended_ms,
    )


def _lying(state: State) -> dict[str, tuple[Thrown, SlotState | None]]:
    """The dice on the table: unassigned, or in a slot of the current attack."""
    lying: dict[str, tuple[Thrown, SlotState | None]] = {die.key: (die, None) for die in state.loose}
    for slot in state.current.slots if state.current is not None else ():
        if slot.thrown is not None:
            lying[slot.thrown.key] = (slot.thrown, slot)
    return lying


def _left_by(event: Event) -> tuple[str, str]:
    if isinstance(event, AttackDeclared):
        return "put away", f"attack {event.number} was declared"
    if isinstance(event, DiceRerolled):
        return "re-rolled", event.reason
    if isinstance(event, DeclarationCorrected):
        return "owed again", "the declaration was corrected"
    if isinstance(event, DieDismissed):
        return "dismissed", "a person took it off the screen"
    if isinstance(event, EDieSet):
        return "dismissed", "it was pressed to say whose die it is"
    return "put away", "many dice were thrown after it"
