"""Acts upon dice: throws from any source, and what a person says of a die. Each returns the event it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dicetower.assign import Decision, Held, Waits, assign, doubtful, shown, turn, type_unknown
from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.game.events import DiceThrown, DieDismissed, DiePlaced, DoubtAnswered, Event
from dicetower.game.loose import as_said, known, why_between
from dicetower.game.state import Attack, SlotState, State, Thrown
from dicetower.game.words import both, die_words, slot_words
from dicetower.model import Die, Reading, ReadingStatus, SlotName, SourceKind, Throw
from dicetower.rules.face import face

REQUEST_MAX = 100
"""Longest name of a typed throw, in characters; pages send a UUID."""

DICE_MAX = 40
"""More dice than this in one typed throw is a mistake: an attack has five."""


@dataclass(frozen=True, slots=True)
class TypedDie:
    """One typed die. `die` may be None where `slot` is named: it is then that slot's type."""

    value: int
    die: Die | None = None
    slot: SlotName | None = None


def take_throw(state: State, throw: Throw, at_ms: int) -> Event:
    """Take a throw: each of its dice goes to a slot, or lies unassigned with the reason."""
    attack = state.open_attack
    if attack is None:
        decisions = tuple(Decision(reading.key, None, None, why_between(state)) for reading in throw.readings)
        return DiceThrown(at_ms, throw, None, decisions)
    return DiceThrown(at_ms, throw, attack.id, _assigned(state, attack, throw.readings))


def _assigned(state: State, attack: Attack, readings: Sequence[Reading]) -> tuple[Decision, ...]:
    return assign(readings, attack.dues(), state.players, state.settings.house())


def typed_throw(state: State, request: str, dice: Sequence[TypedDie], player: str | None, at_ms: int) -> Throw:
    """Return typed dice as a throw; BadInput, NotFound or Conflict where one of them cannot be."""
    check_request(request)
    if not 1 <= len(dice) <= DICE_MAX:
        raise BadInput(f"Expected 1 to {DICE_MAX} dice, got {len(dice)}.")
    if player is not None and state.player(player) is None:
        raise NotFound(f"No player {player!r:.60} sits at this table.")
    named = [die.slot for die in dice if die.slot is not None]
    if len(set(named)) < len(named):
        raise BadInput("Expected one die a slot, got two for the same one.")
    readings = (_typed(state, request, n, die, player, at_ms) for n, die in enumerate(dice))
    return Throw(f"typed:{request}", SourceKind.TYPED, tuple(readings), at_ms)


def check_request(request: str) -> None:
    """BadInput unless `request` can name a throw."""
    if not (1 <= len(request) <= REQUEST_MAX and request.isprintable()):
        raise BadInput(f"Expected a request of 1 to {REQUEST_MAX} printable characters, got {request!r:.60}.")


def refuse_other_dice(taken: Throw, request: str, dice: Sequence[TypedDie], player: str | None) -> None:
    """Conflict unless `taken`, the typed throw of that request, was of these very dice."""
    same = len(dice) == len(taken.readings) and all(
        _is_typed(reading, die, player) for reading, die in zip(taken.readings, dice, strict=True)
    )
    if not same:
        raise Conflict(_other(request, taken))


def refuse_other_player(taken: Throw, request: str, player: str | None) -> None:
    """Conflict where `taken`, the system's throw of that request, was another player's."""
    if player is not None and any(reading.who != player for reading in taken.readings):
        raise Conflict(_other(request, taken))


def refuse_other_picture(taken: Throw, throw: Throw) -> None:
    """Conflict where both are pictures and share not one crop: no two pictures of a camera are alike to the bit."""
    before, now = ({reading.evidence for reading in each.readings} - {None} for each in (taken, throw))
    if before and now and not before & now:
        raise Conflict(_other(throw.id.partition(":")[2], taken))


def _is_typed(reading: Reading, typed: TypedDie, player: str | None) -> bool:
    assert reading.die is not None, "a typed die has a type"
    if (reading.slot, reading.who) != (typed.slot, player) or typed.die not in (None, reading.die):
        return False
    return reading.die.holds(shown(reading.die, typed.value)) and shown(reading.die, typed.value) == reading.value


def _other(request: str, taken: Throw) -> str:
    dice = both(f"{die_words(reading.die)} showing {reading.value}" for reading in taken.readings)
    return (
        f"A throw named {request!r:.60} was taken before, of other dice: {dice}. These were not taken; give each throw "
        "a name of its own."
    )


def _typed(state: State, request: str, n: int, typed: TypedDie, player: str | None, at_ms: int) -> Reading:
    die = typed.die
    if typed.slot is not None:
        slot = _slot_for_typing(state, typed.slot, player)
        if die not in (None, slot.slot.die):
            raise BadInput(f"{slot_words(slot, state.name)} is a {slot.slot.die}; got a {die}.")
        die = slot.slot.die
    if die is None:
        raise BadInput("Expected each typed die to say its type or its slot; got neither.")
    return Reading(
        key=f"typed:{request}:{n}",
        source=SourceKind.TYPED,
        die=die,
        value=face(die, typed.value),
        status=ReadingStatus.SURE,
        who=player,
        slot=typed.slot,
        host_time_ms=at_ms,
    )


def _slot_for_typing(state: State, name: SlotName, player: str | None) -> SlotState:
    attack = state.open_attack
    if attack is None:
        raise Conflict("No attack is open, so no slot owes a die; declare the attack first.")
    slot = attack.slot(name)
    if slot is None:
        raise Conflict(f"Attack {attack.number} owes no {name} die now.")
    if player is not None and player != slot.player:
        raise BadInput(f"The {name} die is {state.name(slot.player)}'s to throw; got {state.name(player)}.")
    if slot.held is not Held.OWED:
        stands = (
            f"already {slot.value}: correct it or re-roll it" if slot.held is Held.FILLED else "in doubt: answer it"
        )
        raise Conflict(f"{slot_words(slot, state.name)} is {stands}.")
    return slot


def virtual_throw(state: State, request: str, player: str | None, below: Callable[[int], int], at_ms: int) -> Throw:
    """Return a throw by the system of the dice that `player`, else whoever's turn it is, owes.

    `below(n)` returns a number from 0 to n - 1, each equally likely.
    """
    check_request(request)
    if not state.settings.virtual:
        raise Conflict("This table throws real dice: the virtual source is off; turn it on in the settings first.")
    slots = _owed_slots(state, player)
    readings = tuple(
        Reading(
            key=f"virtual:{request}:{n}",
            source=SourceKind.VIRTUAL,
            die=slot.slot.die,
            value=below(slot.slot.die.sides) + 1,
            status=ReadingStatus.SURE,
            who=slot.player,
            slot=slot.name,
            host_time_ms=at_ms,
        )
        for n, slot in enumerate(slots)
    )
    return Throw(f"virtual:{request}", SourceKind.VIRTUAL, readings, at_ms)


def _owed_slots(state: State, player: str | None) -> list[SlotState]:
    attack = state.open_attack
    if attack is None:
        raise Conflict("No attack is open, so nobody owes a die; declare the attack first.")
    if player is not None and state.player(player) is None:
        raise NotFound(f"No player {player!r:.60} sits at this table.")
    side = turn(attack.dues(), state.settings.order) if player is None else None
    owed = [
        slot
        for slot in attack.slots
        if slot.held is Held.OWED and player in (None, slot.player) and side in (None, slot.slot.by)
    ]
    if not owed:
        raise Conflict("Nobody owes a die now." if player is None else f"{state.name(player)} owes no die now.")
    return owed


def answer(state: State, key: str, die: Die | None, value: int, at_ms: int) -> Event | None:
    """Take what a person says a die shows; None where that very answer stands already."""
    attack = state.open_attack
    slot = attack.holding(key) if attack is not None else None
    if attack is not None and slot is not None and slot.thrown is not None:
        return _answer_in_slot(state, attack, slot, slot.thrown, die, value, at_ms)
    loose = state.loose_die(key)
    if loose is None:
        raise NotFound(f"No die {key!r:.80} is in doubt or unassigned at this table.")
    return _answer_loose(state, loose, die, value, at_ms)


def _answer_in_slot(
    state: State, attack: Attack, slot: SlotState, thrown: Thrown, die: Die | None, value: int, at_ms: int
) -> Event | None:
    said = die or slot.slot.die
    value = face(said, value)
    if slot.held is Held.FILLED:
        if slot.by_person and (said, value) == (slot.slot.die, slot.value):
            return None
        raise Conflict(f"{slot_words(slot, state.name)} is not in doubt: it is {slot.value}; correct it or re-roll it.")
    if said is slot.slot.die:
        stands = Decision(thrown.key, slot.name, value, "a person said what it shows")
        return DoubtAnswered(at_ms, thrown.key, said, value, (stands,))
    attack = attack.with_slots([slot.emptied()])
    answered = replace(as_said(thrown.reading, said, value), who=slot.player)
    return DoubtAnswered(at_ms, thrown.key, said, value, _again(state, attack, thrown, answered))


def _answer_loose(state: State, loose: Thrown, die: Die | None, value: int, at_ms: int) -> Event | None:
    said = die or loose.die
    if said is None:
        raise BadInput("Its type could not be told: say which die it is, with its value.")
    if said is Die.D100:
        raise BadInput("Nobody owes a D100; dismiss it.")
    value = face(said, value)
    if loose.said and (said, value) == (loose.die, loose.value):
        return None
    if said is loose.die and not doubtful(loose.reading) and not type_unknown(loose.die, loose.value):
        raise Conflict(f"That die is not in doubt: {die_words(loose.die)} showing {loose.value}; place or dismiss it.")
    attack = state.open_attack
    answered = as_said(loose.reading, said, value)
    if attack is None or loose.attack != attack.id or (loose.waits is Waits.NO and said is loose.die):
        stays = Decision(loose.key, None, None, loose.why)
        return DoubtAnswered(at_ms, loose.key, said, value, (stays,))
    return DoubtAnswered(at_ms, loose.key, said, value, _again(state, attack, loose, answered))


def _again(state: State, attack: Attack, thrown: Thrown, answered: Reading | None) -> tuple[Decision, ...]:
    """Assign anew the dice of one throw that waited on `thrown`: with it as `answered`, or without it."""
    waiting = [
        die for die in state.loose if die.throw == thrown.throw and die.waits is not Waits.NO and die.key != thrown.key
    ]
    if answered is None:
        waiting = [die for die in waiting if die.waits is Waits.TYPE]
    readings = {die.key: known(die) for die in waiting}
    if answered is not None:
        readings[answered.key] = answered
    places = {die.key: die.place for die in [*waiting, thrown]}
    in_order = [readings[key] for key in sorted(readings, key=lambda key: places[key])]
    return assign(in_order, attack.dues(), state.players, state.settings.house())


def place(state: State, key: str, name: SlotName, at_ms: int) -> Event | None:
    """Give an unassigned die to a slot; None where it lies there already."""
    attack = state.open_attack
    if attack is None:
        raise Conflict("No attack is open, so no slot takes a die; declare the attack first.")
    lies_in = attack.holding(key)
    if lies_in is not None and lies_in.name is name:
        return None
    loose = state.loose_die(key)
    if loose is None:
        raise NotFound(f"No unassigned die {key!r:.80} lies at this table.")
    slot = attack.slot(name)
    if slot is None:
        raise Conflict(f"Attack {attack.number} owes no {name} die now.")
    if slot.held is not Held.OWED:
        raise Conflict(f"{slot_words(slot, state.name)} is {'in doubt' if slot.value is None else slot.value} already.")
    if loose.die not in (None, slot.slot.die):
        raise Conflict(f"{slot_words(slot, state.name)} is a {slot.slot.die}; this is a {loose.die}.")
    return DiePlaced(at_ms, attack.id, key, name, _placed_value(loose, slot.slot.die))


def _placed_value(loose: Thrown, die: Die) -> int | None:
    """The face that stands, where it is known beyond doubt; else the slot asks."""
    value = loose.value if loose.said or not doubtful(loose.reading) else None
    if value is None or not die.holds(shown(die, value)):
        return None
    return shown(die, value)


def dismiss(state: State, key: str, at_ms: int) -> Event:
    """Take an unassigned die off the screen; dice of its throw that waited on its type are assigned anew."""
    loose = state.loose_die(key)
    if loose is None:
        raise NotFound(f"No unassigned die {key!r:.80} lies at this table.")
    attack = state.open_attack
    if attack is None or loose.attack != attack.id or loose.waits is Waits.NO:
        return DieDismissed(at_ms, key, ())
    if type_unknown(loose.die, loose.value):
        return DieDismissed(at_ms, key, _again(state, attack, loose, None))
    return DieDismissed(at_ms, key, _no_more_waiting(state, loose))


def _no_more_waiting(state: State, dismissed: Thrown) -> tuple[Decision, ...]:
    """Once a die of known type is sent away, the others of its throw go nowhere by themselves.

    Else a player could throw too many dice and dismiss the one that shows least.
    """
    return tuple(
        Decision(die.key, None, None, "a die of its throw was dismissed: throw again, or place it")
        for die in state.loose
        if die.throw == dismissed.throw
        and die.key != dismissed.key
        and die.waits is not Waits.NO
        and not type_unknown(die.die, die.value)
    )
