"""The use cases of a table: check, append, publish. One owner and one commit point for every throw.

    Tables           all tables of one journal: open one, name them
    └── Table        one table. Each act checks, appends its events in one transaction, and only then takes the new
                     state and tells the listeners. An act that fails leaves state and journal as they were.

Any thread may call. Acts answer the table's new state, a dict as `docs/api.md` gives it (without `sources`); it is
shared and must not be changed. Raises BadInput (422), NotFound (404), Conflict (409), StoreError (503).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dicetower.model import Attack, Die, SlotName, Store, Throw
from dicetower.rules.ruleset import RuleSet

View = dict[str, Any]
"""A table's state as `docs/api.md` gives it, without `sources`."""


@dataclass(frozen=True, slots=True)
class Published:
    """One committed event, as the live stream tells it: `changed` holds the new value of each top-level key."""

    seq: int
    kind: str
    changed: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TypedDie:
    """One typed die. `die` may be None where `slot` is named: it is then that slot's type."""

    value: int
    die: Die | None = None
    slot: SlotName | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What an undo or a corrected declaration would do, before it is confirmed; confirm with its `seq`.

    `text` is the whole of it in a sentence. `keeps` and `owes` name slots: faces kept, and dice owed (again).
    """

    seq: int
    text: str
    keeps: tuple[str, ...] = ()
    owes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Where a live stream starts: the whole state, or the events since the client's last; then the listener's."""

    seq: int
    snapshot: View | None
    missed: tuple[Published, ...]
    leave: Callable[[], None]


class Tables:
    """All tables of one journal."""

    def __init__(
        self,
        store: Store,
        rules: RuleSet,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        """Take the journal and the rule pack new attacks are declared under. Nothing is read yet."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """The tables there are, in order of name."""
        raise NotImplementedError

    def open(self, name: str) -> Table:
        """Return the table of that name, opening it (with Red and Blue seated) if it is new; BadInput for a bad name."""
        raise NotImplementedError

    def get(self, name: str) -> Table:
        """Return the table of that name; NotFound if nobody opened it."""
        raise NotImplementedError


class Table:
    """One table: its state, and every act upon it."""

    name: str

    @property
    def seq(self) -> int:
        """The sequence of the last committed event."""
        raise NotImplementedError

    def view(self) -> View:
        """The state."""
        raise NotImplementedError

    def join(self, listener: Callable[[Published], None], last_seq: int | None = None) -> Joined:
        """Start a live stream with no gap between what is answered here and the first event `listener` hears.

        `listener` is called in the committing thread, after the commit, in order; it must return at once (hand over
        to a bounded queue) and must not call the table. `last_seq` is the client's Last-Event-ID.
        """
        raise NotImplementedError

    def change_settings(self, changes: Mapping[str, Any]) -> View:
        """Change some of the table's rules of the house; BadInput names the key and what it may be."""
        raise NotImplementedError

    def seat(self, name: str, colour: str | None = None, shape: str | None = None) -> View:
        """Seat a player; colour and shape are the next free ones where left out."""
        raise NotImplementedError

    def change_player(
        self, player: str, *, name: str | None = None, colour: str | None = None, shape: str | None = None
    ) -> View:
        """Change a seated player; the id stays."""
        raise NotImplementedError

    def declare(self, attack: Attack, firer: str, target: str) -> View:
        """Declare an attack; Conflict while one is open. The same player may be firer and target."""
        raise NotImplementedError

    def again(self) -> View:
        """Declare the last attack once more."""
        raise NotImplementedError

    def preview_correction(self, attack: str, declared: Attack, firer: str, target: str) -> Preview:
        """Say what `correct_declaration` would keep and what would be owed again; changes nothing."""
        raise NotImplementedError

    def correct_declaration(
        self, attack: str, declared: Attack, firer: str, target: str, seq: int | None = None
    ) -> View:
        """Declare the open attack anew, keeping each face whose player, slot and die type are unchanged.

        `seq` is the preview's: Conflict if the table has moved since.
        """
        raise NotImplementedError

    def confirm(self, attack: str) -> View:
        """Resolve an attack whose outcome was taken back and whose dice are all there."""
        raise NotImplementedError

    def void(self, attack: str, reason: str) -> View:
        """End an open attack without an outcome; its dice stay in the journal."""
        raise NotImplementedError

    def throw(self, throw: Throw) -> View:
        """Take a source's throw. A throw or reading seen before is taken once; the state is answered as it is."""
        raise NotImplementedError

    def type_dice(self, request: str, dice: Sequence[TypedDie], player: str | None = None) -> View:
        """Take typed dice as one throw; the same `request` twice is one throw. BadInput journals nothing."""
        raise NotImplementedError

    def throw_virtual(self, request: str, player: str | None = None) -> View:
        """Let the system throw what `player` (else whoever's turn it is) owes; Conflict unless the table allows it."""
        raise NotImplementedError

    def answer(self, reading: str, die: Die | None, value: int) -> View:
        """Say what a doubtful die shows; `die` None leaves its type as read."""
        raise NotImplementedError

    def place(self, reading: str, slot: SlotName) -> View:
        """Give an unassigned die to a slot that owes its type."""
        raise NotImplementedError

    def dismiss(self, reading: str) -> View:
        """Take an unassigned die off the screen; the journal keeps it."""
        raise NotImplementedError

    def correct_value(self, attack: str, slot: SlotName, value: int, reason: str) -> View:
        """Correct a misread die of an open attack; logged."""
        raise NotImplementedError

    def reroll(self, attack: str, slots: Sequence[SlotName], reason: str) -> View:
        """Owe those dice again; logged."""
        raise NotImplementedError

    def preview_undo(self) -> Preview:
        """Say what `undo` would take back; Conflict where there is nothing."""
        raise NotImplementedError

    def undo(self, seq: int | None = None) -> View:
        """Take back the last decision, never a thrown die. `seq` is the preview's: Conflict if the table has moved."""
        raise NotImplementedError

    def export(self) -> list[dict[str, Any]]:
        """Every attack and every die, as `dicetower export --json` prints them, one dict a line."""
        raise NotImplementedError
