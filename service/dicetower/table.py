"""The use cases of a table: check, append, publish. One owner and one commit point for every throw.

    Tables           all tables of one journal: open one, name them
    └── Table        one table. Each act checks, appends its events in one transaction, and only then takes the new
                     state and tells the listeners. An act that fails leaves state and journal as they were.

Any thread may call. Acts answer the table's new state, a dict as `docs/api.md` gives it (without `sources`); it is
shared and must not be changed. Raises BadInput (422), NotFound (404), Conflict (409), StoreError (503).
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dicetower.errors import Conflict, NotFound, StoreError
from dicetower.game import attacks, dice, edice, seats
from dicetower.game.consequence import consequence
from dicetower.game.dice import TypedDie
from dicetower.game.events import DiceThrown, EDieCommitted, Event, from_row, to_row
from dicetower.game.fold import apply
from dicetower.game.ledger import Ledger
from dicetower.game.state import State
from dicetower.game.view import view
from dicetower.model import Attack, Die, Pledge, Reading, SlotName, SourceKind, Store, Throw
from dicetower.rules.ruleset import RuleSet

__all__ = ["Joined", "Preview", "Published", "Table", "Tables", "TypedDie", "View"]

View = dict[str, Any]
"""A table's state as `docs/api.md` gives it, without `sources`."""

LOG = logging.getLogger(__name__)

REMEMBERED = 512
"""How many committed events a table keeps at hand for streams that were cut off."""


@dataclass(frozen=True, slots=True)
class Published:
    """One committed event, as the live stream tells it: `changed` holds the new value of each top-level key."""

    seq: int
    kind: str
    changed: Mapping[str, Any]


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


Listener = Callable[[Published], None]


class Tables:
    """All tables of one journal."""

    def __init__(
        self,
        store: Store,
        rules: RuleSet,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        below: Callable[[int], int] = secrets.randbelow,
        new_name: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        """Take the journal and the rule pack new attacks are declared under. Nothing is read yet.

        `below(n)` draws the virtual dice: 0 to n - 1, each equally likely. `new_name` names a new table's history.
        """
        self._store, self._rules = store, rules
        self._now_ms, self._below, self._new_name = now_ms, below, new_name
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The tables there are, in order of name."""
        with self._lock:
            return sorted({*self._store.tables(), *self._tables})

    def open(self, name: str) -> Table:
        """Return the table of that name; a new one has two players seated. BadInput for a bad name."""
        seats.check_table_name(name)
        with self._lock:
            return self._opened(name)

    def get(self, name: str) -> Table:
        """Return the table of that name; NotFound if nobody opened it."""
        with self._lock:
            if name in self._tables or name in self._store.tables():
                return self._opened(name)
        raise NotFound(f"There is no table {name!r:.60}; open it first.")

    def _opened(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = Table(self._store, name, self._rules, self._now_ms, self._below, self._new_name)
        return self._tables[name]


class Table:
    """One table: its state, and every act upon it."""

    def __init__(
        self,
        store: Store,
        name: str,
        rules: RuleSet,
        now_ms: Callable[[], int],
        below: Callable[[int], int],
        new_name: Callable[[], str],
    ) -> None:
        """Read the table's history from the journal, and begin it if there is none."""
        self.name = name
        self._store, self._now_ms, self._below = store, now_ms, below
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._recent: deque[Published] = deque(maxlen=REMEMBERED)
        self._keys: set[str] = set()
        self._throws: set[str] = set()
        self._pictured: set[tuple[str, str]] = set()
        self._state = State(name)
        self._catch_up()
        self._begin(rules, new_name)
        self._view = view(self._state)

    def _begin(self, rules: RuleSet, new_name: Callable[[], str]) -> None:
        """Open a new table, or put another rule pack in force; nobody listens yet."""
        at_ms = self._now_ms()
        if self._state.seq == 0:
            self._append(seats.open_table(new_name(), rules, at_ms))
        elif (event := seats.load_rules(self._state, rules, at_ms)) is not None:
            self._append((event,))
        self._catch_up()

    @property
    def seq(self) -> int:
        """The sequence of the last committed event."""
        return self._state.seq

    def view(self) -> View:
        """The state."""
        return self._view

    def join(self, listener: Listener, last_seq: int | None = None) -> Joined:
        """Start a live stream with no gap between what is answered here and the first event `listener` hears.

        `listener` is called in the committing thread, after the commit, in order; it must return at once (hand over
        to a bounded queue) and must not call the table. `last_seq` is the client's Last-Event-ID.
        """
        with self._lock:
            self._listeners.append(listener)
            missed = self._since(last_seq)
            return Joined(
                self._state.seq,
                self._view if missed is None else None,
                missed or (),
                lambda: self._leave(listener),
            )

    def _since(self, last_seq: int | None) -> tuple[Published, ...] | None:
        """The events after `last_seq`; None where this run of the program did not publish the one it names."""
        published = {event.seq for event in self._recent}
        if last_seq is None or last_seq not in published:
            return None
        return tuple(event for event in self._recent if event.seq > last_seq)

    def _leave(self, listener: Listener) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def change_settings(self, changes: Mapping[str, Any]) -> View:
        """Change some of the table's rules of the house; BadInput names the key and what it may be."""
        return self._act(lambda state, at_ms: seats.change_settings(state, changes, at_ms))

    def seat(self, name: str, colour: str | None = None, shape: str | None = None) -> View:
        """Seat a player; colour and shape are the next free ones where left out."""
        return self._act(lambda state, at_ms: seats.seat(state, name, colour, shape, at_ms))

    def change_player(
        self, player: str, *, name: str | None = None, colour: str | None = None, shape: str | None = None
    ) -> View:
        """Change a seated player; the id stays."""
        return self._act(lambda state, at_ms: seats.change_player(state, player, name, colour, shape, at_ms))

    def set_edie(
        self, uid: str, *, player: str | None = None, name: str | None = None, pressed: str | None = None
    ) -> View:
        """Say whose an e-die is (`player` "": nobody's) and what it is called (`name` "": nothing); None leaves it.

        `pressed`: the unassigned reading by which it was bound, which leaves the screen.
        """
        return self._act(lambda state, at_ms: edice.set_edie(state, uid, player, name, pressed, at_ms))

    def commit_edie(self, pledge: Pledge) -> View:
        """Keep what an e-die has committed to; Conflict while another commitment of its stands."""
        return self._act(lambda state, at_ms: edice.commit(state, pledge, at_ms))

    def end_commitment(self, pledge: Pledge) -> View:
        """Keep how an e-die's commitment ended; nothing where it has ended already."""
        return self._act(lambda state, at_ms: edice.end_commitment(state, pledge, at_ms))

    def pledges(self) -> tuple[Pledge, ...]:
        """Each e-die's latest commitment, with the secret that no page is shown."""
        return self._state.pledges

    def rolled_under(self, pledge: Pledge) -> list[Reading]:
        """What an e-die has rolled since it made that commitment, as the journal has it."""
        readings: list[Reading] = []
        for event in map(from_row, self._store.read(self.name)):
            if isinstance(event, EDieCommitted) and event.pledge.uid == pledge.uid:
                readings.clear()
            if isinstance(event, DiceThrown):
                readings += [reading for reading in event.throw.readings if reading.device == pledge.uid]
        return readings

    def declare(self, attack: Attack, firer: str, target: str) -> View:
        """Declare an attack; Conflict while one is open. The same player may be firer and target."""
        return self._act(lambda state, at_ms: attacks.declare_attack(state, attack, firer, target, at_ms))

    def again(self) -> View:
        """Declare the last attack once more."""
        return self._act(attacks.declare_again)

    def preview_correction(self, attack: str, declared: Attack, firer: str, target: str) -> Preview:
        """Say what `correct_declaration` would keep and what would be owed again; changes nothing."""
        with self._lock:
            made = attacks.plan_correction(self._state, attack, declared, firer, target)
            return Preview(self._state.seq, made.text, tuple(made.keeps), tuple(made.owes))

    def correct_declaration(
        self, attack: str, declared: Attack, firer: str, target: str, seq: int | None = None
    ) -> View:
        """Declare the open attack anew, keeping each face whose player, slot and die type are unchanged.

        `seq` is the preview's: Conflict if the table has moved since.
        """
        return self._act(
            lambda state, at_ms: attacks.correct_declaration(state, attack, declared, firer, target, at_ms), seq
        )

    def confirm(self, attack: str) -> View:
        """Resolve an attack whose outcome was taken back and whose dice are all there."""
        return self._act(lambda state, at_ms: attacks.confirm_outcome(state, attack, at_ms))

    def void(self, attack: str, reason: str) -> View:
        """End an open attack without an outcome; its dice stay in the journal."""
        return self._act(lambda state, at_ms: attacks.void_attack(state, attack, reason, at_ms))

    def throw(self, throw: Throw) -> View:
        """Take a source's throw. A throw or reading seen before is taken once; the state is answered as it is.

        Conflict where a picture comes under the name of another picture's throw.
        """
        return self._act(lambda state, at_ms: self._new_throw(state, throw, at_ms))

    def type_dice(self, request: str, dice_typed: Sequence[TypedDie], player: str | None = None) -> View:
        """Take typed dice as one throw; the same `request` twice is one throw. BadInput journals nothing.

        Conflict where that request came with other dice before.
        """
        return self._act(
            lambda state, at_ms: self._once(
                f"typed:{request}",
                lambda taken: dice.refuse_other_dice(taken, request, dice_typed, player),
                lambda: self._new_throw(state, dice.typed_throw(state, request, dice_typed, player, at_ms), at_ms),
            )
        )

    def throw_virtual(self, request: str, player: str | None = None) -> View:
        """Let the system throw what `player` (else whoever's turn it is) owes; Conflict unless the table allows it."""
        return self._act(
            lambda state, at_ms: self._once(
                f"virtual:{request}",
                lambda taken: dice.refuse_other_player(taken, request, player),
                lambda: self._new_throw(state, dice.virtual_throw(state, request, player, self._below, at_ms), at_ms),
            )
        )

    def answer(self, reading: str, die: Die | None, value: int) -> View:
        """Say what a doubtful die shows; `die` None leaves its type as read."""
        return self._act(lambda state, at_ms: dice.answer(state, reading, die, value, at_ms))

    def place(self, reading: str, slot: SlotName) -> View:
        """Give an unassigned die to a slot that owes its type."""
        return self._act(lambda state, at_ms: dice.place(state, reading, slot, at_ms))

    def dismiss(self, reading: str) -> View:
        """Take an unassigned die off the screen; the journal keeps it."""
        return self._act(lambda state, at_ms: dice.dismiss(state, reading, at_ms))

    def correct_value(self, attack: str, slot: SlotName, value: int, reason: str) -> View:
        """Correct a misread die of an open attack; logged."""
        return self._act(lambda state, at_ms: attacks.correct_value(state, attack, slot, value, reason, at_ms))

    def reroll(self, attack: str, slots: Sequence[SlotName], reason: str) -> View:
        """Owe those dice again; logged."""
        return self._act(lambda state, at_ms: attacks.reroll(state, attack, slots, reason, at_ms))

    def preview_undo(self) -> Preview:
        """Say what `undo` would take back; Conflict where there is nothing."""
        with self._lock:
            return Preview(self._state.seq, attacks.undo_text(self._state))

    def undo(self, seq: int | None = None) -> View:
        """Take back the last decision, never a thrown die. `seq` is the preview's: Conflict if the table has moved."""
        return self._act(attacks.undo, seq)

    def export(self) -> list[dict[str, Any]]:
        """Every attack and every die, as `dicetower export --json` prints them, one dict a line."""
        return Ledger(self.name).add_all(map(from_row, self._store.read(self.name))).rows()

    def _once(self, throw: str, compare: Callable[[Throw], None], make: Callable[[], Event | None]) -> Event | None:
        """What `make` makes, unless a throw of that id was taken already; `compare` may then refuse this one."""
        if throw not in self._throws:
            return make()
        compare(self._taken(throw))
        return None

    def _taken(self, wanted: str) -> Throw:
        """The throw of that id, as the journal has it: it is asked for where something is sent twice, and seldom."""
        events = map(from_row, self._store.read(self.name))
        return next(event.throw for event in events if isinstance(event, DiceThrown) and event.throw.id == wanted)

    def _new_throw(self, state: State, throw: Throw, at_ms: int) -> Event | None:
        """The event of a throw's dice that were never delivered before; None where there are none."""
        readings = {reading.key: reading for reading in throw.readings if reading.key not in self._keys}
        if throw.id in self._throws and throw.source is SourceKind.CAMERA:
            dice.refuse_other_picture(self._taken(throw.id), throw)
        if throw.id in self._throws or not readings:
            return None
        self._refuse_same_picture(state, throw)
        return dice.take_throw(state, replace(throw, readings=tuple(readings.values())), at_ms)

    def _refuse_same_picture(self, state: State, throw: Throw) -> None:
        """Refuse a picture whose every die was read for the open attack before: the same dice must not count twice.

        No two pictures of a camera are alike to the bit, so a crop that comes again is the same picture sent again.
        """
        attack = state.open_attack
        crops = _crops(attack.id, throw) if attack is not None else set()
        if attack is not None and crops and crops <= self._pictured:
            raise Conflict(
                f"This very picture was read for attack {attack.number} already, and its dice count once. Answer or "
                "place those dice, or throw again and take a new picture."
            )

    def _act(self, act: Callable[[State, int], Event | None], seq: int | None = None) -> View:
        """Check, append, publish: the one way by which the table changes."""
        with self._lock:
            if seq is not None and seq != self._state.seq:
                raise Conflict("The table has moved on since that was shown; look again before confirming.")
            event = act(self._state, self._now_ms())
            if event is not None:
                self._commit((event,))
            return self._view

    def _commit(self, events: Iterable[Event]) -> None:
        """Append `events` and what follows from them in one transaction; then take the new state and tell it."""
        made, states = self._with_consequences(events)
        self._append(made)
        for event, state in zip(made, states, strict=True):
            self._take(event, state)

    def _append(self, events: Sequence[Event]) -> None:
        try:
            self._store.append(self.name, [to_row(event) for event in events], self._state.seq)
        except Conflict as conflict:
            raise StoreError(
                f"Something else writes to table {self.name} of this journal: {conflict} "
                "Stop it, then start this service again; nothing was changed."
            ) from conflict

    def _with_consequences(self, events: Iterable[Event]) -> tuple[list[Event], list[State]]:
        made: list[Event] = []
        states: list[State] = [self._state]
        waiting = list(events)
        while waiting:
            event = waiting.pop(0)
            made.append(event)
            states.append(apply(states[-1], event))
            follows = None if waiting else consequence(states[-1], event.at_ms)
            waiting += [follows] if follows is not None else []
        return made, states[1:]

    def _take(self, event: Event, state: State) -> None:
        """Take a committed event: the new state, then whoever listens."""
        before, self._state = self._view, state
        self._remember(event)
        self._view = view(state)
        changed = {key: value for key, value in self._view.items() if key != "seq" and before.get(key) != value}
        published = Published(state.seq, event.kind, changed)
        self._recent.append(published)
        for listener in tuple(self._listeners):
            self._tell(listener, published)

    def _tell(self, listener: Listener, event: Published) -> None:
        """Tell one listener. One that fails is dropped: the throw is in the journal, and the others must hear of it."""
        try:
            listener(event)
        except Exception:
            LOG.exception("a listener of table %s failed and is dropped", self.name)
            self._leave(listener)

    def _remember(self, event: Event) -> None:
        if isinstance(event, DiceThrown):
            self._throws.add(event.throw.id)
            self._keys |= {reading.key for reading in event.throw.readings}
            self._pictured |= _crops(event.attack, event.throw)

    def _catch_up(self) -> None:
        for row in self._store.read(self.name, self._state.seq):
            event = from_row(row)
            self._state = apply(self._state, event)
            self._remember(event)


def _crops(attack: str | None, throw: Throw) -> set[tuple[str, str]]:
    """The crops a camera's throw was read from, with the attack it was thrown for."""
    if attack is None or throw.source is not SourceKind.CAMERA:
        return set()
    return {(attack, reading.evidence) for reading in throw.readings if reading.evidence is not None}
