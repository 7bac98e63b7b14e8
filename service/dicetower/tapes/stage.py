"""A table that is given a tape's inputs in place of devices and people. The readers and the table are the real ones."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dicetower.errors import BadInput, BadPicture, BadTape, Conflict, NotFound
from dicetower.game.codec import to_json
from dicetower.model import Pledge, Throw
from dicetower.sources.camera import Camera, decoded
from dicetower.sources.camera_live import owed_by
from dicetower.sources.camera_shots import Shots
from dicetower.sources.in_tray import WHOLE
from dicetower.sources.own_dice import OwnDice, unpacked
from dicetower.table import Table, TypedDie
from dicetower.tapes import inputs
from dicetower.tapes.inputs import Act, Input, Which
from dicetower.tapes.ports import Ports
from dicetower.tapes.results import Result, Watch

STALE = -1
"""A sequence that no table ever stands at."""
NO_ATTACK = "none"


@dataclass(slots=True)
class Clock:
    """The tape's time. `now_ms` is Unix milliseconds."""

    start_ms: int
    at_ms: int = 0

    def now_ms(self) -> int:
        """The moment of the input that is being played."""
        return self.start_ms + self.at_ms


@dataclass(slots=True)
class Draws:
    """The system's randomness as the tape has it; with `system`, what the tape has not asked for is truly drawn."""

    waiting: list[int] = field(default_factory=list)
    system: bool = False

    def below(self, n: int) -> int:
        """The next number drawn; BadTape where the tape has none that fits."""
        if self.system and not self.waiting:
            return secrets.randbelow(n)
        if not self.waiting or not self.waiting[0] < n:
            raise BadTape(f"drawn: expected a number below {n}, got {self.waiting[:1] or 'none'}.")
        return self.waiting.pop(0)


class Stage:
    """One table and the sources before it.

    Where a tape is played again at one table, `label` keeps the names of its throws apart, and `shift` is how many
    events earlier its own table stood.
    """

    def __init__(
        self,
        table: Table,
        watch: Watch,
        camera: Camera,
        clock: Clock,
        draws: Draws,
        label: str = "",
        shift: int = 0,
    ) -> None:
        self.table = table
        self._watch, self._camera, self._clock, self._draws, self._label = watch, camera, clock, draws, label
        self._own: dict[str, OwnDice] = {}
        self._shots = Shots(camera, lambda: owed_by(table.view()))
        self.ports = Ports(self._deliver, table.view, table.pledges, clock.start_ms, shift)

    def own(self, index: str, bytes_of: Callable[[str], bytes]) -> OwnDice:
        """The die set of that index in a tape, whose files `bytes_of` gives; BadTape. Unpacked once."""
        if index not in self._own:
            self._own[index] = unpacked(index, bytes_of)
        return self._own[index]

    def play(self, line: int, ms: int, given: Input, picture: bytes = b"", own: OwnDice | None = None) -> Result:
        """Give the table one input, at an offset of the tape; return what came of it.

        `picture` and `own` are a frame's picture, and the dice it is read by. BadTape where the input itself cannot be
        played: a picture that is none, a die the tape does not have.
        """
        self._clock.at_ms = ms
        self.ports.wait(ms)
        refused = None
        try:
            self._give(line, given, picture, own)
        except BadTape:
            raise
        except (BadInput, NotFound, Conflict) as error:
            refused = type(error).__name__
        self.ports.arm()
        return self._watch.result(line, refused, *self.ports.news())

    def _give(self, line: int, given: Input, picture: bytes, own: OwnDice | None) -> None:
        match given:
            case inputs.Frame():
                self._frame(line, given, picture, own)
            case inputs.Shot():
                self._shot(line, given, picture)
            case inputs.Plug():
                self.ports.plug(given.port)
            case inputs.Unplug():
                self.ports.unplug(given.port)
            case inputs.Serial():
                self.ports.serial(given.port, given.raw())
            case inputs.Bind():
                pressed = None if given.pressed is None else self._key(given.pressed)
                self.table.set_edie(given.uid, player=given.player or "", name=given.name, pressed=pressed)
            case inputs.Commit():
                self.table.commit_edie(Pledge(given.uid, given.commitment, given.secret))
            case inputs.Uncommit():
                self.table.end_commitment(self._ended(given))
            case _:
                self._act(line, given)

    def _ended(self, given: inputs.Uncommit) -> Pledge:
        """The pledge as it stands at the table, ended so."""
        standing = next((pledge for pledge in self.table.pledges() if pledge.uid == given.uid), None)
        if standing is None:
            raise NotFound(f"E-die {given.uid} has made no commitment.")
        return Pledge(given.uid, given.commitment, standing.secret, given.state, given.seed, given.text)

    def _act(self, line: int, act: Act) -> None:
        table = self.table
        match act:
            case inputs.Correct():
                seq = STALE if act.stale else None
                table.correct_declaration(self._attack(act.attack), act.declared(), act.firer, act.target, seq)
            case inputs.Declare():
                table.declare(act.declared(), act.firer, act.target)
            case inputs.Again():
                table.again()
            case inputs.Confirm():
                table.confirm(self._attack(act.attack))
            case inputs.Void():
                table.void(self._attack(act.attack), act.reason)
            case inputs.Type():
                dice = [TypedDie(die.value, die.die, die.slot) for die in act.dice]
                table.type_dice(self._request(line, act.request), dice, act.player)
            case inputs.Virtual():
                self._draws.waiting[:] = act.drawn
                table.throw_virtual(self._request(line, act.request), act.player)
            case inputs.Answer():
                table.answer(self._key(act.of), act.die, act.value)
            case inputs.Place():
                table.place(self._key(act.of), act.slot)
            case inputs.Dismiss():
                table.dismiss(self._key(act.of))
            case inputs.Value():
                table.correct_value(self._attack(act.attack), act.slot, act.value, act.reason)
            case inputs.Reroll():
                table.reroll(self._attack(act.attack), act.slots, act.reason)
            case inputs.Undo():
                table.undo(STALE if act.stale else None)
            case inputs.Agree():
                table.change_settings({key: value for key, value in to_json(act).items() if value is not None})
            case inputs.Seat():
                table.seat(act.name, act.colour, act.shape)
            case inputs.ChangePlayer():
                table.change_player(act.player, name=act.name, colour=act.colour, shape=act.shape)

    def _frame(self, line: int, given: inputs.Frame, picture: bytes, own: OwnDice | None) -> None:
        try:
            frame = decoded(picture)
        except BadPicture as error:
            raise BadTape(f"{given.file}: {error}") from None
        throw = self._camera.read_frame(
            frame,
            self._request(line, given.request),
            player=given.player,
            plan=given.plan,
            tray=given.tray or WHOLE,
            own=own,
        )
        if not throw.readings:
            raise BadPicture("Expected a picture of dice, and found no die in it.")
        self.table.throw(throw)

    def _shot(self, line: int, given: inputs.Shot, picture: bytes) -> None:
        try:
            throws = self._shots.see(picture, self._clock.at_ms, self._request(line, None))
        except BadPicture as error:
            raise BadTape(f"{given.file}: {error}") from None
        for throw in throws:
            self.table.throw(throw)

    def _deliver(self, throw: Throw) -> None:
        """A throw of an e-die; its names get the label, for the table takes each name once."""
        readings = tuple(replace(reading, key=self._labelled(reading.key)) for reading in throw.readings)
        self.table.throw(replace(throw, id=self._labelled(throw.id), readings=readings))

    def _request(self, line: int, request: str | None) -> str:
        """A throw's name. A service's own requests have no spaces, so that none is taken for a line."""
        return self._labelled(f"tape line {line}" if request is None else request)

    def _labelled(self, name: str) -> str:
        return f"{name}:{self._label}" if self._label else name

    def _attack(self, named: str | None) -> str:
        """The attack an act is upon: the one it names, else the latest."""
        shown = self.table.view()["attack"]
        if named is not None:
            return named
        return NO_ATTACK if shown is None else str(shown["id"])

    def _key(self, which: Which) -> str:
        """The reading an act is upon."""
        if which.key is not None:
            return which.key
        return self._key_in(which) if which.slot is not None else self._key_thrown(which.throw or 0, which.die or 0)

    def _key_in(self, which: Which) -> str:
        shown = self.table.view()["attack"]
        slots = [] if shown is None else shown["slots"]
        found = next((slot["reading"] for slot in slots if slot["slot"] == which.slot), None)
        if found is None:
            raise NotFound(f"No die lies in the slot {which.slot}.")
        return str(found)

    def _key_thrown(self, throw: int, die: int) -> str:
        throws = self._watch.throws
        if throw > len(throws) or die > len(throws[throw - 1]):
            raise NotFound(f"The tape has had no die {die} of throw {throw}.")
        return throws[throw - 1][die - 1]


Pause = Callable[[int], None]
"""Waits for so many milliseconds of the tape's time."""
