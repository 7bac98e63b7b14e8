"""What a table is at one moment: everything a page shows and everything an act needs, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from dicetower.assign import Due, Held, House, Waits
from dicetower.game.declaration import Declaration
from dicetower.game.settings import Settings
from dicetower.model import Die, EDie, Outcome, Player, Pledge, Reading, Slot, SlotName
from dicetower.rules.ruleset import RuleSet

DEFAULTS = Settings()

LOOSE_KEPT = 200
"""The live state holds this many unassigned dice, the newest; the journal holds all. A page shows forty."""

STEPS_KEPT = 100
"""How many decisions undo can walk back."""

ATTACKS_KEPT = STEPS_KEPT // 2 + 1
"""The live state holds this many latest attacks; the journal holds all. A page shows the last twelve ended. Each that
undo walks back takes two steps at least, its end and its declaration: the one before is then still at hand."""


class Status(StrEnum):
    """How an attack stands. `DAMAGE`: its four dice came to damaged, and the damage die is owed or in doubt."""

    THROWING = "throwing"
    DAMAGE = "damage"
    RESOLVED = "resolved"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Amid:
    """What a decision about a die looked at: the open attack's slots as they stood, the players, the house's rules."""

    attack: str | None
    dues: tuple[Due, ...]
    players: tuple[Player, ...]
    house: House


@dataclass(frozen=True, slots=True)
class Thrown:
    """A die on the table. `die` and `value` are what is known of it, as read or, where `said`, by a person.

    `why` is what was decided of it when it was thrown, `amid` what that looked at; `attack` the one that was open then.
    `place` is its throw's sequence and its number therein.
    """

    reading: Reading
    die: Die | None
    value: int | None
    why: str
    waits: Waits
    attack: str | None
    throw: str
    place: tuple[int, int]
    said: bool = False
    amid: Amid | None = None

    @property
    def key(self) -> str:
        """Its reading's key."""
        return self.reading.key


@dataclass(frozen=True, slots=True)
class SlotState:
    """One slot of an attack and the die in it.

    `value` is set once it is filled; `by_person`: someone confirmed, corrected or placed it.
    """

    slot: Slot
    player: str
    held: Held = Held.OWED
    value: int | None = None
    thrown: Thrown | None = None
    by_person: bool = False

    @property
    def name(self) -> SlotName:
        """The slot's name."""
        return self.slot.name

    def due(self) -> Due:
        """The slot as assignment sees it."""
        return Due(self.slot, self.player, self.held, self.value)

    def emptied(self) -> SlotState:
        """The slot with nothing thrown into it."""
        return SlotState(self.slot, self.player)

    def taking(self, thrown: Thrown, value: int | None, by_person: bool = False) -> SlotState:
        """The slot with a die in it; `value` None: it asks."""
        held = Held.ASKING if value is None else Held.FILLED
        return replace(self, held=held, value=value, thrown=thrown, by_person=by_person)


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack and its dice. `reopened`: its outcome was taken back, and a person confirms or corrects it."""

    id: str
    number: int
    declaration: Declaration
    slots: tuple[SlotState, ...]
    at_ms: int
    declared_seq: int
    status: Status = Status.THROWING
    outcome: Outcome | None = None
    reopened: bool = False
    ended_ms: int | None = None

    @property
    def open(self) -> bool:
        """Whether it still takes dice."""
        return self.status in (Status.THROWING, Status.DAMAGE)

    @property
    def four(self) -> tuple[SlotState, ...]:
        """The slots of the plan."""
        return tuple(slot for slot in self.slots if slot.name is not SlotName.DAMAGE)

    @property
    def damage(self) -> SlotState | None:
        """The damage slot, where there is one."""
        return next((slot for slot in self.slots if slot.name is SlotName.DAMAGE), None)

    @property
    def four_filled(self) -> bool:
        """Whether all four dice of the plan are known."""
        return all(slot.held is Held.FILLED for slot in self.four)

    @property
    def complete(self) -> bool:
        """Whether every die that has a slot is known."""
        return all(slot.held is Held.FILLED for slot in self.slots)

    def slot(self, name: SlotName) -> SlotState | None:
        """The slot of that name, where the attack has it."""
        return next((slot for slot in self.slots if slot.name is name), None)

    def holding(self, reading: str) -> SlotState | None:
        """The slot that reading lies in."""
        return next((slot for slot in self.slots if slot.thrown is not None and slot.thrown.key == reading), None)

    def with_slots(self, slots: Iterable[SlotState]) -> Attack:
        """The attack with each of `slots` in place of the one of its name."""
        new = {slot.name: slot for slot in slots}
        return replace(self, slots=tuple(new.get(slot.name, slot) for slot in self.slots))

    def dues(self) -> tuple[Due, ...]:
        """The slots as assignment sees them."""
        return tuple(slot.due() for slot in self.slots)


class StepKind(StrEnum):
    """A decision that undo can take back."""

    DECLARATION = "declaration"
    CORRECTION = "correction"
    ANSWER = "answer"
    PLACEMENT = "placement"
    DISMISSAL = "dismissal"
    VALUE = "value"
    REROLL = "re-roll"
    OUTCOME = "outcome"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Step:
    """One decision, with what it changed: slots (of `attack`) and unassigned dice, before and after.

    A slot or die that is in one list only was dropped or came into being. A damage slot that is merely owed is
    in neither: it follows from the four dice.
    """

    kind: StepKind
    text: str
    attack: str | None
    slots_before: tuple[SlotState, ...] = ()
    slots_after: tuple[SlotState, ...] = ()
    loose_before: tuple[Thrown, ...] = ()
    loose_after: tuple[Thrown, ...] = ()
    declaration: Declaration | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A table. `attacks` are the latest, oldest first; the last one is the open one, if any is.

    `packs` are all rule packs attacks were declared under, the last the one in force. `counter` numbers attacks.
    `pledges` are each e-die's latest.
    """

    table: str
    journal: str = ""
    seq: int = 0
    packs: tuple[RuleSet, ...] = ()
    settings: Settings = DEFAULTS
    players: tuple[Player, ...] = ()
    edice: tuple[EDie, ...] = ()
    pledges: tuple[Pledge, ...] = ()
    counter: int = 0
    attacks: tuple[Attack, ...] = ()
    loose: tuple[Thrown, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def rules(self) -> RuleSet:
        """The rule pack in force."""
        return self.packs[-1]

    @property
    def current(self) -> Attack | None:
        """The open attack, or the last one."""
        return self.attacks[-1] if self.attacks else None

    @property
    def open_attack(self) -> Attack | None:
        """The attack that takes dice now."""
        current = self.current
        return current if current is not None and current.open else None

    def amid(self) -> Amid:
        """What a decision about a die looks at now."""
        attack = self.open_attack
        dues = () if attack is None else attack.dues()
        return Amid(None if attack is None else attack.id, dues, self.players, self.settings.house())

    def pack(self, wanted: str) -> RuleSet:
        """The rule pack of that hash."""
        return next(pack for pack in reversed(self.packs) if pack.hash == wanted)

    def player(self, wanted: str) -> Player | None:
        """The player of that id."""
        return next((player for player in self.players if player.id == wanted), None)

    def edie(self, uid: str) -> EDie:
        """The e-die of that id, as the table knows it."""
        return next((die for die in self.edice if die.uid == uid), EDie(uid))

    def name(self, player: str) -> str:
        """What to call the player of that id."""
        seated = self.player(player)
        return seated.name if seated else player

    def pledge(self, uid: str) -> Pledge | None:
        """The latest commitment of the e-die of that id."""
        return next((pledge for pledge in self.pledges if pledge.uid == uid), None)

    def loose_die(self, reading: str) -> Thrown | None:
        """The unassigned die of that reading."""
        return next((loose for loose in self.loose if loose.key == reading), None)

    def with_current(self, attack: Attack) -> State:
        """The state with `attack` in place of the current one."""
        return replace(self, attacks=(*self.attacks[:-1], attack))
