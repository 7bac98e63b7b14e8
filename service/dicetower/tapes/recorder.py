"""A live table, and what it is given, as a tape.

    people   -> RecordedTable: each act, once the table has taken or refused it
    pictures -> Recorder.eyes: the bytes a throw was read from, written when the table takes that throw
    e-dice   -> Recorder as `sources.edie_port.Watcher`: bytes as they come from a port
    system   -> Recorder.below: the numbers drawn for virtual dice

A line is written when its input has been taken, in the order in which the table took them. Where the disk says no, the
game goes on and the recording stops: `health` says so, and the tape stays as a crash would have left it.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from dicetower.errors import BadInput, BadTape, Conflict, NotFound
from dicetower.game.codec import Malformed, from_json
from dicetower.model import Attack, Die, Pledge, SlotName, SourceHealth, SourceKind, Store, Throw
from dicetower.rules.ruleset import RuleSet
from dicetower.sources.in_tray import InTray
from dicetower.sources.own_dice import OwnDice, packed
from dicetower.sources.tape import HISTORY, RULES, Head
from dicetower.sources.tape_writer import TapeWriter, history_bytes, seal
from dicetower.table import Table, Tables, TypedDie, View
from dicetower.tapes import inputs, start
from dicetower.tapes.inputs import Input, TypedOn, Which
from dicetower.tapes.results import Result, Watch, as_json

PENDING_MAX = 32
"""Pictures that were read and whose throw has not reached the table: more are of requests that were given up."""

TAIL = 512
"""Bytes of a port that are kept to find a roll's line in: four lines of the longest."""

log = logging.getLogger("dicetower.tape")

ReadPhoto = Callable[..., Throw]


@dataclass(frozen=True, slots=True)
class About:
    """What the tape says of itself."""

    title: str
    origin: str
    licence: str
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture that was read, until the table takes its throw."""

    data: bytes
    request: str
    player: str | None
    plan: tuple[Die, ...]
    tray: InTray | None
    own: OwnDice | None


@dataclass(frozen=True, slots=True)
class _Heard:
    """The last bytes of a port, and the line in which the newest of them stand."""

    tail: bytes = b""
    line: int = 0


class _Packed:
    """The newest die set as a tape's files: packed once, not for each picture."""

    def __init__(self) -> None:
        self._of: OwnDice | None = None
        self._files: tuple[str, dict[str, bytes]] = ("", {})

    def of(self, own: OwnDice) -> tuple[str, dict[str, bytes]]:
        if own is not self._of:
            self._of, self._files = own, packed(own)
        return self._files


class Recorder:
    """Writes one table's tape. Any thread may call; `begin` first, `finish` last."""

    def __init__(
        self,
        folder: Path,
        about: About,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        mono_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        below: Callable[[int], int] = secrets.randbelow,
        own: Callable[[], OwnDice | None] = lambda: None,
    ) -> None:
        """Record into `folder`. `own`: the dice that their owners have shown, as pictures are read by them now."""
        self._own, self._packed = own, _Packed()
        self.lock = threading.RLock()
        self._folder, self._about = folder, about
        self._now_ms, self._mono_ms, self._below = now_ms, mono_ms, below
        self._pictures: OrderedDict[str, _Picture] = OrderedDict()
        self._drawn: list[int] = []
        self._results: list[Result] = []
        self._heard: dict[str, _Heard] = {}
        self._stopped = ""
        self._zero_ms = 0
        self._writer: TapeWriter | None = None
        self._head: Head | None = None
        self._watch: Watch | None = None
        self._view: Callable[[], Mapping[str, Any]] = dict

    # The tape as a whole.

    def begin(self, table: Table, store: Store, rules: RuleSet, pack_text: bytes | None = None) -> None:
        """Start the tape with the table as it is; `pack_text` is the rule pack's file, unless it is the shipped one.

        BadTape where the folder cannot be had.
        """
        past = list(store.read(table.name))
        new = start.is_new(past)
        begins = start.start_json(start.start_of(table.view())) if new else {"name": table.name}
        named = {"name": rules.name, "version": rules.version, "hash": rules.hash}
        about = self._about
        self._head = Head(about.title, about.shows, about.origin, about.licence, self._now_ms(), named, begins)
        try:
            self._writer = TapeWriter(self._folder, self._head).__enter__()
            if pack_text is not None:
                self._writer.put(RULES, pack_text)
            if not new:
                self._writer.put(HISTORY, history_bytes(start.history_of(past)))
        except OSError as error:
            raise BadTape(
                f"The tape {self._folder} cannot be written: {error.strerror}; name another folder."
            ) from error
        self._zero_ms, self._view = self._mono_ms(), table.view
        self._watch = Watch(table.view, lambda after: store.read(table.name, after))

    def finish(self) -> None:
        """End the tape: what came of each input, the manifest, the seal."""
        with self.lock:
            if self._writer is None or self._head is None:
                return
            self._writer.__exit__()
            self._writer = None
            head = replace(self._head, state="cut" if self._stopped else "whole")
            try:
                seal(self._folder, head, as_json(self._results))
            except (OSError, BadTape) as error:
                self._stop(f"it could not be finished: {error}")

    def health(self) -> SourceHealth:
        """How the recording is, as the screen shows it."""
        if self._stopped:
            reason = f"The recording stopped: {self._stopped} The game goes on; nothing further is on the tape."
            return SourceHealth("tape", "stopped", ok=False, reason=reason)
        return SourceHealth("tape", "recording", ok=True)

    # Taps.

    def eyes(self, read: ReadPhoto) -> ReadPhoto:
        """The reader of photographs, with its pictures kept for the tape."""

        def reading(picture: bytes, throw: str, *, player: str | None, plan: Sequence[str]) -> Throw:
            made = read(picture, throw, player=player, plan=plan)
            self.saw(made, picture, throw, player, plan)
            return made

        return reading

    def saw(
        self,
        throw: Throw,
        picture: bytes,
        request: str,
        player: str | None,
        plan: Sequence[str],
        tray: InTray | None = None,
    ) -> None:
        """A picture was read as `throw`: on the tape when the table takes that throw, or at once if no die is in it."""
        with self.lock:
            owed = tuple(Die(die) for die in plan)
            self._pictures[throw.id] = _Picture(picture, request, player, owed, tray, self._own())
            while len(self._pictures) > PENDING_MAX:
                self._pictures.popitem(last=False)
            if not throw.readings:
                self._add(self._ms(), lambda: self._frame(throw), "BadPicture")

    def plugged(self, port: str) -> None:
        """A serial port was opened."""
        self._given(inputs.Plug(port))

    def unplugged(self, port: str) -> None:
        """A serial port went."""
        self._given(inputs.Unplug(port))

    def heard(self, port: str, data: bytes) -> None:
        """Bytes came from a port. Call it before anything is made of them."""
        with self.lock:
            self._given(inputs.Serial(port, data.decode("latin-1")))
            self._heard[port] = _Heard((self._heard.get(port, _Heard()).tail + data)[-TAIL:], len(self._results))

    def sent(self, port: str, data: bytes) -> None:
        """What was written to a port: no input, and not on the tape."""

    def noticed(self, port: str, notice: object) -> None:
        """What the session told of a port: no input either."""

    def said(self, port: str, message: object) -> None:
        """What an e-die said, as it was understood: a reading, so never on a tape."""

    def below(self, n: int) -> int:
        """Draw a number for a virtual die: 0 to n - 1."""
        number = self._below(n)
        self._drawn.append(number)
        return number

    def taped(self, make: Callable[[], Input | None], act: Callable[[], View]) -> View:
        """Let the table take an act, then put on the tape what `make` says it was."""
        with self.lock:
            ms = self._ms()
            self._drawn.clear()
            made = self._made(make) if self._writer is not None else None
            try:
                view = act()
            except (BadInput, NotFound, Conflict) as error:
                self._add(ms, lambda: made, type(error).__name__)
                raise
            self._add(ms, lambda: self._with_draws(made), None)
            return view

    def thrown(self, throw: Throw, act: Callable[[], View]) -> View:
        """Let the table take a source's throw. What its source gave is on the tape already, or is put there now."""
        with self.lock:
            ms = self._ms()
            view = act()
            if throw.id in self._pictures:
                self._add(ms, lambda: self._frame(throw), None)
            elif throw.source is SourceKind.EDIE and self._line_of(throw):
                self._join(self._line_of(throw))
            elif self._writer is not None:
                self._stop(f"a throw came from {throw.source} whose pictures or bytes it was not given.")
            return view

    # Names on a tape.

    def set_to(self, uid: str, player: str | None, name: str | None, pressed: str | None) -> inputs.Bind:
        """An e-die, as it is to stand: what is not said stays as the table has it."""
        known = next((die for die in self._view()["edice"] if die["uid"] == uid), {"player": None, "name": ""})
        return inputs.Bind(
            uid,
            known["player"] if player is None else player or None,
            str(known["name"]) if name is None else name,
            None if pressed is None else self.which(pressed),
        )

    def which(self, key: str) -> Which:
        """A die, as a tape names it."""
        for n, throw in enumerate(self._watch.throws if self._watch is not None else (), 1):
            if key in throw:
                return Which(throw=n, die=throw.index(key) + 1)
        return Which(key=key)

    def attack(self, named: str) -> str | None:
        """None for the latest attack, else its id."""
        shown = self._view()["attack"]
        return None if shown is not None and shown["id"] == named else named

    def moved_on(self, seq: int | None) -> bool:
        """Whether the table stands elsewhere than where somebody saw it."""
        return seq is not None and seq != self._view()["seq"]

    # Inside.

    def _ms(self) -> int:
        return self._mono_ms() - self._zero_ms

    def _given(self, given: Input) -> None:
        with self.lock:
            self._add(self._ms(), lambda: given, None)

    def _made(self, make: Callable[[], Input | None]) -> Input | None:
        try:
            return make()
        except Malformed:
            return None

    def _with_draws(self, made: Input | None) -> Input | None:
        return replace(made, drawn=tuple(self._drawn)) if isinstance(made, inputs.Virtual) else made

    def _frame(self, throw: Throw) -> Input | None:
        picture = self._pictures.pop(throw.id)
        assert self._writer is not None
        name = self._writer.frame(picture.data)
        own = None if picture.own is None else self._writer.own(*self._packed.of(picture.own))
        return inputs.Frame(name, picture.player, picture.plan, picture.request, picture.tray, own)

    def _add(self, ms: int, make: Callable[[], Input | None], refused: str | None) -> None:
        """Write a line and keep what came of it; stop the recording where the disk says no."""
        if self._writer is None or self._watch is None or self._stopped:
            return
        try:
            made = make()
            if made is None:
                self._watch.result(0)
                return
            line = self._writer.add(ms, made.kind, inputs.data_of(made))
        except (OSError, BadTape) as error:
            self._stop(f"it cannot be written any more ({getattr(error, 'strerror', error)}).")
            return
        self._results.append(self._watch.result(line, refused))

    def _line_of(self, throw: Throw) -> int:
        """The line of the bytes that an e-die's throw came of; 0 where they were not heard."""
        said = (throw.readings[0].evidence or "").encode()
        return next((heard.line for heard in self._heard.values() if said and said in heard.tail), 0)

    def _join(self, line: int) -> None:
        """An e-die's throw came of the bytes in that line."""
        if self._watch is None or self._stopped:
            return
        before = self._results[line - 1]
        came = self._watch.result(before.line)
        self._results[line - 1] = replace(came, dice=before.dice + came.dice)

    def _stop(self, why: str) -> None:
        if not self._stopped:
            self._stopped = why
            log.error("The recording stopped: %s The game goes on.", why)


class RecordedTables(Tables):
    """All tables of a journal, of which the one named is recorded."""

    def __init__(self, store: Store, rules: RuleSet, recorder: Recorder, name: str) -> None:
        super().__init__(store, rules, below=recorder.below)
        self._recorder, self._recorded = recorder, name

    def _opened(self, name: str) -> Table:
        if name == self._recorded and name not in self._tables:
            made = RecordedTable(self._store, name, self._rules, self._now_ms, self._below, self._new_name)
            made.recorder = self._recorder
            self._tables[name] = made
        return super()._opened(name)


class RecordedTable(Table):
    """A table whose every act goes to a recorder too."""

    recorder: Recorder

    def _taped(self, make: Callable[[], Input | None], act: Callable[[], View]) -> View:
        return self.recorder.taped(make, act)

    def change_settings(self, changes: Mapping[str, Any]) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: from_json(inputs.Agree, dict(changes), "settings"), lambda: Table.change_settings(self, changes)
        )

    def seat(self, name: str, colour: str | None = None, shape: str | None = None) -> View:
        """As Table; taped."""
        return self._taped(lambda: inputs.Seat(name, colour, shape), lambda: Table.seat(self, name, colour, shape))

    def change_player(
        self, player: str, *, name: str | None = None, colour: str | None = None, shape: str | None = None
    ) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.ChangePlayer(player, name, colour, shape),
            lambda: Table.change_player(self, player, name=name, colour=colour, shape=shape),
        )

    def set_edie(
        self, uid: str, *, player: str | None = None, name: str | None = None, pressed: str | None = None
    ) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: self.recorder.set_to(uid, player, name, pressed),
            lambda: Table.set_edie(self, uid, player=player, name=name, pressed=pressed),
        )

    def commit_edie(self, pledge: Pledge) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Commit(pledge.uid, pledge.commitment, pledge.secret),
            lambda: Table.commit_edie(self, pledge),
        )

    def end_commitment(self, pledge: Pledge) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Uncommit(pledge.uid, pledge.commitment, pledge.state, pledge.text, pledge.seed),
            lambda: Table.end_commitment(self, pledge),
        )

    def declare(self, attack: Attack, firer: str, target: str) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Declare(**_keys(attack), firer=firer, target=target),
            lambda: Table.declare(self, attack, firer, target),
        )

    def again(self) -> View:
        """As Table; taped."""
        return self._taped(inputs.Again, lambda: Table.again(self))

    def correct_declaration(
        self, attack: str, declared: Attack, firer: str, target: str, seq: int | None = None
    ) -> View:
        """As Table; taped."""
        recorder = self.recorder
        return self._taped(
            lambda: inputs.Correct(
                **_keys(declared),
                firer=firer,
                target=target,
                attack=recorder.attack(attack),
                stale=recorder.moved_on(seq),
            ),
            lambda: Table.correct_declaration(self, attack, declared, firer, target, seq),
        )

    def confirm(self, attack: str) -> View:
        """As Table; taped."""
        return self._taped(lambda: inputs.Confirm(self.recorder.attack(attack)), lambda: Table.confirm(self, attack))

    def void(self, attack: str, reason: str) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Void(reason, self.recorder.attack(attack)), lambda: Table.void(self, attack, reason)
        )

    def throw(self, throw: Throw) -> View:
        """As Table; taped as what its source gave."""
        return self.recorder.thrown(throw, lambda: Table.throw(self, throw))

    def type_dice(self, request: str, dice_typed: Sequence[TypedDie], player: str | None = None) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Type(tuple(TypedOn(die.value, die.die, die.slot) for die in dice_typed), player, request),
            lambda: Table.type_dice(self, request, dice_typed, player),
        )

    def throw_virtual(self, request: str, player: str | None = None) -> View:
        """As Table; taped with the numbers that were drawn."""
        return self._taped(
            lambda: inputs.Virtual((), player, request), lambda: Table.throw_virtual(self, request, player)
        )

    def answer(self, reading: str, die: Die | None, value: int) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Answer(self.recorder.which(reading), value, die),
            lambda: Table.answer(self, reading, die, value),
        )

    def place(self, reading: str, slot: SlotName) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Place(self.recorder.which(reading), slot), lambda: Table.place(self, reading, slot)
        )

    def dismiss(self, reading: str) -> View:
        """As Table; taped."""
        return self._taped(lambda: inputs.Dismiss(self.recorder.which(reading)), lambda: Table.dismiss(self, reading))

    def correct_value(self, attack: str, slot: SlotName, value: int, reason: str) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Value(slot, value, reason, self.recorder.attack(attack)),
            lambda: Table.correct_value(self, attack, slot, value, reason),
        )

    def reroll(self, attack: str, slots: Sequence[SlotName], reason: str) -> View:
        """As Table; taped."""
        return self._taped(
            lambda: inputs.Reroll(tuple(slots), reason, self.recorder.attack(attack)),
            lambda: Table.reroll(self, attack, slots, reason),
        )

    def undo(self, seq: int | None = None) -> View:
        """As Table; taped."""
        return self._taped(lambda: inputs.Undo(self.recorder.moved_on(seq)), lambda: Table.undo(self, seq))


def _keys(attack: Attack) -> dict[str, Any]:
    return {field.name: getattr(attack, field.name) for field in fields(Attack)}
