"""`apply(state, event) -> state`: the one meaning of each event. Restart, snapshot and undo are folds over it.

It decides nothing: what became of a die, and why, stands in the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from dicetower.assign import Decision
from dicetower.game.events import (
    AttackDeclared,
    AttackResolved,
    AttackVoided,
    CommitmentEnded,
    DamageOwed,
    DeclarationCorrected,
    DiceRerolled,
    DiceThrown,
    DieDismissed,
    DiePlaced,
    DoubtAnswered,
    EDieCommitted,
    EDieSet,
    Event,
    OutcomeConfirmed,
    PlayerChanged,
    PlayerSeated,
    RulesLoaded,
    SettingsChanged,
    TableOpened,
    Undone,
    ValueCorrected,
)
from dicetower.game.state import (
    ATTACKS_KEPT,
    LOOSE_KEPT,
    STEPS_KEPT,
    Attack,
    SlotState,
    State,
    Status,
    StepKind,
    Thrown,
)
from dicetower.game.undo import firm, step_between, take_back, undecided
from dicetower.game.words import die_words, slot_words
from dicetower.model import Outcome, Pledge, PledgeState, SlotName


def fold(table: str, events: Iterable[Event]) -> State:
    """Return the state of `table` after `events`, from its first."""
    return reduce(apply, events, State(table))


def apply(state: State, event: Event) -> State:
    """Return the state after `event`."""
    after = _APPLY[type(event)](state, event)
    return replace(after, seq=state.seq + 1)


def _table_opened(state: State, event: TableOpened) -> State:
    return replace(state, journal=event.journal)


def _rules_loaded(state: State, event: RulesLoaded) -> State:
    others = tuple(pack for pack in state.packs if pack.hash != event.rules.hash)
    return replace(state, packs=(*others, event.rules))


def _settings_changed(state: State, event: SettingsChanged) -> State:
    return replace(state, settings=event.settings)


def _player_seated(state: State, event: PlayerSeated) -> State:
    return replace(state, players=(*state.players, event.player))


def _player_changed(state: State, event: PlayerChanged) -> State:
    players = tuple(event.player if player.id == event.player.id else player for player in state.players)
    return replace(state, players=players)


def _edie_set(state: State, event: EDieSet) -> State:
    dice = {die.uid: die for die in state.edice} | {event.edie.uid: event.edie}
    loose = tuple(die for die in state.loose if die.key != event.pressed)
    return replace(state, edice=tuple(dice.values()), loose=loose)


def _pledged(state: State, event: EDieCommitted | CommitmentEnded) -> State:
    pledges = {pledge.uid: pledge for pledge in state.pledges} | {event.pledge.uid: event.pledge}
    return replace(state, pledges=tuple(pledges.values()))


def _said(pledge: Pledge) -> Pledge:
    """How a pledge ended is said until the next attack."""
    return pledge if pledge.state is PledgeState.STANDS else replace(pledge, text="")


def _attack_declared(state: State, event: AttackDeclared) -> State:
    declaration = event.declaration
    slots = tuple(SlotState(slot, declaration.player(slot.by)) for slot in declaration.plan.slots)
    attack = Attack(event.attack, event.number, declaration, slots, event.at_ms, state.seq + 1)
    after = replace(
        state,
        counter=event.number,
        attacks=(*state.attacks, attack)[-ATTACKS_KEPT:],
        loose=tuple(die for die in state.loose if die.key not in event.put_away),
        pledges=tuple(_said(pledge) for pledge in state.pledges),
    )
    return _stepped(state, after, StepKind.DECLARATION, f"the declaration of attack {event.number}")


def _declaration_corrected(state: State, event: DeclarationCorrected) -> State:
    attack, declaration = _current(state), event.declaration
    slots = [SlotState(slot, declaration.player(slot.by)) for slot in declaration.plan.slots]
    kept = {slot.name: slot for slot in attack.slots if slot.name in event.keeps}
    made = [kept.pop(slot.name, slot) for slot in slots]
    attack = replace(attack, declaration=declaration, slots=(*made, *kept.values()))
    after = state.with_current(_kept_open(undecided(attack)))
    return _stepped(state, after, StepKind.CORRECTION, f"the corrected declaration of attack {attack.number}")


def _dice_thrown(state: State, event: DiceThrown) -> State:
    readings = {reading.key: reading for reading in event.throw.readings}
    arrived = tuple(
        Thrown(
            readings[decision.reading],
            readings[decision.reading].die,
            readings[decision.reading].value,
            decision.why,
            decision.waits,
            event.attack,
            event.throw.id,
            (state.seq + 1, n),
        )
        for n, decision in enumerate(event.decisions)
    )
    state = _decided(replace(state, loose=(*state.loose, *arrived)), event.decisions, by_person=())
    state = replace(state, loose=state.loose[-LOOSE_KEPT:])
    if event.attack is None or not any(decision.slot for decision in event.decisions):
        return state
    return state.with_current(replace(_current(state), reopened=False))


def _doubt_answered(state: State, event: DoubtAnswered) -> State:
    before, attack = state, state.current
    asking = attack.holding(event.reading) if attack is not None else None
    if attack is not None and asking is not None and asking.thrown is not None:
        lifted = state.with_current(attack.with_slots([asking.emptied()]))
        state = replace(lifted, loose=(*state.loose, asking.thrown))
    loose = [
        replace(die, die=event.die, value=event.value, said=True) if die.key == event.reading else die
        for die in state.loose
    ]
    state = replace(state, loose=tuple(sorted(loose, key=lambda die: die.place)))
    after = _decided(state, event.decisions, by_person=(event.reading,))
    return _stepped(before, after, StepKind.ANSWER, f"the answer {event.value} for {die_words(event.die)}")


def _die_placed(state: State, event: DiePlaced) -> State:
    decision = Decision(event.reading, event.slot, event.value, "placed by a person")
    after = _decided(state, (decision,), by_person=(event.reading,))
    where = slot_words(_slot(_current(state), event.slot), state.name)
    return _stepped(state, after, StepKind.PLACEMENT, f"the die placed as {where}")


def _die_dismissed(state: State, event: DieDismissed) -> State:
    gone = state.loose_die(event.reading)
    assert gone is not None, event
    after = replace(state, loose=tuple(die for die in state.loose if die is not gone))
    after = _decided(after, event.decisions, by_person=())
    return _stepped(state, after, StepKind.DISMISSAL, f"the dismissal of {die_words(gone.die)}")


def _value_corrected(state: State, event: ValueCorrected) -> State:
    attack = _current(state)
    slot = _slot(attack, event.slot)
    after = state.with_current(attack.with_slots([replace(slot, value=event.value, by_person=True)]))
    text = f"the correction of {slot_words(slot, state.name)} from {event.before} to {event.value}"
    return _stepped(state, after, StepKind.VALUE, text)


def _dice_rerolled(state: State, event: DiceRerolled) -> State:
    attack = _current(state)
    emptied = [slot.emptied() for slot in attack.slots if slot.name in event.slots]
    after = state.with_current(_kept_open(attack.with_slots(emptied)))
    return _stepped(state, after, StepKind.REROLL, f"the re-roll of {_listed(attack, event.slots, state)}")


def _damage_owed(state: State, event: DamageOwed) -> State:
    attack = _current(state)
    slots = attack.slots if attack.damage is not None else (*attack.slots, SlotState(event.slot, event.player))
    return state.with_current(replace(attack, slots=slots, status=Status.DAMAGE, outcome=event.outcome))


def _attack_resolved(state: State, event: AttackResolved) -> State:
    attack = _current(state)
    damage = attack.damage
    ended = replace(attack, status=Status.RESOLVED, outcome=event.outcome, ended_ms=event.at_ms)
    after = state
    if damage is not None and event.outcome.damage is None:
        ended = replace(ended, slots=attack.four)
        after = _set_aside(state.with_current(ended), damage, event.outcome)
    after = after.with_current(ended)
    return _stepped(state, after, StepKind.OUTCOME, f"the outcome of attack {attack.number}")


def _outcome_confirmed(state: State, event: OutcomeConfirmed) -> State:  # noqa: ARG001 - one signature for all
    return state.with_current(replace(_current(state), reopened=False))


def _attack_voided(state: State, event: AttackVoided) -> State:
    attack = _current(state)
    after = state.with_current(replace(attack, status=Status.VOID, outcome=None, ended_ms=event.at_ms))
    return _stepped(state, after, StepKind.VOID, f"the voiding of attack {attack.number}")


def _undone(state: State, event: Undone) -> State:  # noqa: ARG001 - one signature for all
    return take_back(state)


def _decided(state: State, decisions: Sequence[Decision], by_person: tuple[str, ...]) -> State:
    """The state with each decided die, unassigned so far, in its slot, or unassigned for the decision's reason."""
    for decision in decisions:
        die = state.loose_die(decision.reading)
        assert die is not None, decision
        if decision.slot is None:
            noted = replace(
                die, why=decision.why, waits=decision.waits, amid=die.amid if die.why == decision.why else None
            )
            state = replace(state, loose=tuple(noted if other is die else other for other in state.loose))
        else:
            attack = _current(state)
            slot = _slot(attack, decision.slot)
            taken = slot.taking(
                replace(die, why=decision.why, amid=None), decision.value, decision.reading in by_person
            )
            state = replace(state.with_current(attack.with_slots([taken])), loose=_without(state, die))
    now = state.amid()
    seen = {decision.reading for decision in decisions}
    loose = (replace(die, amid=now) if die.key in seen and die.amid is None else die for die in state.loose)
    return replace(state, loose=tuple(loose))


def _without(state: State, die: Thrown) -> tuple[Thrown, ...]:
    return tuple(other for other in state.loose if other is not die)


def _set_aside(state: State, damage: SlotState, outcome: Outcome) -> State:
    """A damage die that was thrown and is not needed after all lies unassigned."""
    if damage.thrown is None:
        return state
    why = "this table plays no damage table" if outcome.outcome == "damaged" else "the vehicle is not damaged"
    die = replace(damage.thrown, value=damage.value, why=f"no damage die is owed: {why}", amid=state.amid())
    return replace(state, loose=tuple(sorted((*state.loose, die), key=lambda die: die.place)))


def _kept_open(attack: Attack) -> Attack:
    """A reopened attack that owes dice again needs no confirmation: the throw will resolve it."""
    if attack.four_filled:
        return attack
    return replace(undecided(attack), slots=firm(attack), reopened=False)


def _stepped(before: State, after: State, kind: StepKind, text: str) -> State:
    step = step_between(kind, text, before, after)
    return replace(after, steps=(*after.steps, step)[-STEPS_KEPT:])


def _current(state: State) -> Attack:
    assert state.current is not None
    return state.current


def _slot(attack: Attack, name: SlotName) -> SlotState:
    slot = attack.slot(name)
    assert slot is not None, name
    return slot


def _listed(attack: Attack, names: Iterable[SlotName], state: State) -> str:
    return " and ".join(slot_words(_slot(attack, name), state.name) for name in names)


_APPLY: dict[type[Event], Callable[[State, Any], State]] = {
    TableOpened: _table_opened,
    RulesLoaded: _rules_loaded,
    SettingsChanged: _settings_changed,
    PlayerSeated: _player_seated,
    PlayerChanged: _player_changed,
    EDieSet: _edie_set,
    EDieCommitted: _pledged,
    CommitmentEnded: _pledged,
    AttackDeclared: _attack_declared,
    DeclarationCorrected: _declaration_corrected,
    DiceThrown: _dice_thrown,
    DoubtAnswered: _doubt_answered,
    DiePlaced: _die_placed,
    DieDismissed: _die_dismissed,
    ValueCorrected: _value_corrected,
    DiceRerolled: _dice_rerolled,
    DamageOwed: _damage_owed,
    AttackResolved: _attack_resolved,
    OutcomeConfirmed: _outcome_confirmed,
    AttackVoided: _attack_voided,
    Undone: _undone,
}
