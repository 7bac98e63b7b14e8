"""Acts upon attacks: each returns the events it makes, or raises the sentence that refuses it."""

from __future__ import annotations

from collections.abc import Sequence

from dicetower.assign import Held, owes
from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.game.consequence import damage_counts
from dicetower.game.correction import Correction, correction
from dicetower.game.declaration import Declaration, declare
from dicetower.game.events import (
    AttackDeclared,
    AttackVoided,
    DeclarationCorrected,
    DiceRerolled,
    Event,
    OutcomeConfirmed,
    Undone,
    ValueCorrected,
)
from dicetower.game.state import Attack, SlotState, State
from dicetower.game.undo import next_step
from dicetower.game.words import can_be_read, slot_words
from dicetower.model import Attack as Declared
from dicetower.model import SlotName
from dicetower.rules.face import face

REASON_MAX = 200
"""Longest reason for a correction, re-roll or void, in characters: a sentence, not an essay."""


def declare_attack(state: State, attack: Declared, firer: str, target: str, at_ms: int) -> Event:
    """Open an attack; the dice of earlier attacks that lie unassigned leave the screen."""
    _refuse_open(state)
    declaration = declare(state.rules, attack, _seated(state, firer), _seated(state, target))
    return _declared(state, declaration, again=False, at_ms=at_ms)


def declare_again(state: State, at_ms: int) -> Event:
    """Open the last attack once more, under the rules in force."""
    _refuse_open(state)
    if state.current is None:
        raise Conflict("There is no attack to declare again; declare one first.")
    last = state.current.declaration
    declaration = declare(state.rules, last.declared, last.firer, last.target)
    return _declared(state, declaration, again=True, at_ms=at_ms)


def _refuse_open(state: State) -> None:
    if state.open_attack is not None:
        raise Conflict(f"Attack {state.open_attack.number} is still open: finish it, correct it or void it first.")


def _seated(state: State, player: str) -> str:
    if state.player(player) is None:
        names = ", ".join(seated.id for seated in state.players)
        raise NotFound(f"No player {player!r:.60} sits at this table; there are {names or 'none'}.")
    return player


def _declared(state: State, declaration: Declaration, again: bool, at_ms: int) -> AttackDeclared:
    number = state.counter + 1
    return AttackDeclared(at_ms, f"a{number}", number, declaration, again, _stale(state))


def _stale(state: State) -> tuple[str, ...]:
    """Unassigned dice that were thrown for an earlier attack, or before the last one was declared.

    Late rolls of e-dice are not among them: a person decides about each.
    """
    since = state.current.declared_seq if state.current is not None else 0
    return tuple(
        die.key for die in state.loose if not die.reading.late and (die.attack is not None or die.place[0] < since)
    )


def plan_correction(state: State, attack: str, declared: Declared, firer: str, target: str) -> Correction:
    """Say what a corrected declaration would keep and what would be owed."""
    current = open_attack(state, attack)
    declaration = declare(state.rules, declared, _seated(state, firer), _seated(state, target))
    if declaration == current.declaration:
        raise BadInput(f"Attack {current.number} is declared so already: {declaration.title}; nothing to correct.")
    return correction(state, current, declaration)


def correct_declaration(state: State, attack: str, declared: Declared, firer: str, target: str, at_ms: int) -> Event:
    """Declare the open attack anew."""
    made = plan_correction(state, attack, declared, firer, target)
    return DeclarationCorrected(at_ms, attack, made.declaration, made.keeps, made.owes)


def confirm_outcome(state: State, attack: str, at_ms: int) -> Event:
    """Let a reopened attack be resolved again."""
    current = open_attack(state, attack)
    if not current.four_filled:
        raise Conflict(f"Attack {current.number} is not ready: {owed_text(state, current)}.")
    if not current.reopened:
        raise Conflict(f"Attack {current.number} waits for no confirmation; {owed_text(state, current)}.")
    return OutcomeConfirmed(at_ms, attack)


def void_attack(state: State, attack: str, reason: str, at_ms: int) -> Event:
    """End the open attack without an outcome."""
    open_attack(state, attack)
    return AttackVoided(at_ms, attack, _reason(reason))


def correct_value(state: State, attack: str, name: SlotName, value: int, reason: str, at_ms: int) -> Event:
    """Correct a misread die in its slot."""
    slot = _slot(open_attack(state, attack), name)
    who = slot_words(slot, state.name)
    if slot.held is not Held.FILLED or slot.value is None:
        raise Conflict(f"{who} is {'being asked about: answer it' if slot.held is Held.ASKING else 'not thrown yet'}.")
    value = face(slot.slot.die, value)
    if value == slot.value:
        raise BadInput(f"{who} is {value} already; nothing to correct.")
    return ValueCorrected(at_ms, attack, name, slot.value, value, _reason(reason))


def reroll(state: State, attack: str, names: Sequence[SlotName], reason: str, at_ms: int) -> Event:
    """Have some dice thrown again."""
    current = open_attack(state, attack)
    if not names:
        raise BadInput("Expected the slots to throw again, got none.")
    for name in names:
        slot = _slot(current, name)
        if slot.held is Held.OWED:
            raise Conflict(f"{slot_words(slot, state.name)} is not thrown yet.")
    if set(names) == {SlotName.DAMAGE} and current.four_filled and not damage_counts(state, current):
        raise Conflict("The four dice as they stand owe no damage die; confirm the attack, or correct or re-roll them.")
    return DiceRerolled(at_ms, attack, tuple(slot for slot in SlotName if slot in names), _reason(reason))


def undo(state: State, at_ms: int) -> Event:
    """Take back the last decision."""
    return Undone(at_ms, undo_text(state))


def undo_text(state: State) -> str:
    """Name what undo would take back; Conflict where there is nothing, saying what can be done instead."""
    step = next_step(state)
    if step is not None:
        return step.text
    if state.open_attack is not None and state.steps:
        raise Conflict(
            "Dice have been thrown since the last decision, and undo never takes back a throw; "
            "correct the declaration or a value, re-roll, or void the attack."
        )
    raise Conflict("There is nothing to take back.")


def open_attack(state: State, attack: str) -> Attack:
    """Return the open attack of that id; NotFound or Conflict where it is not open."""
    current = state.current
    if current is None or all(kept.id != attack for kept in state.attacks):
        raise NotFound(f"This table has no attack {attack!r:.60} on hand.")
    if current.id != attack or not current.open:
        hint = "; undo its outcome first" if current.id == attack else ""
        raise Conflict(f"Attack {attack} is over{hint}.")
    return current


def owed_text(state: State, attack: Attack) -> str:
    """What an open attack waits for: "Red owes a D8"."""
    asking = [f"{slot_words(slot, state.name)} is in doubt" for slot in attack.slots if slot.held is Held.ASKING]
    owing = owes(attack.dues(), {player.id: player for player in state.players})
    return "; ".join([*asking, *([owing] if owing else [])]) or "all its dice are there"


def _slot(attack: Attack, name: SlotName) -> SlotState:
    slot = attack.slot(name)
    if slot is None:
        raise NotFound(f"Attack {attack.number} has no {name} slot now.")
    return slot


def _reason(reason: str) -> str:
    said = " ".join(reason.split())
    if len(said) > REASON_MAX or not can_be_read(said):
        raise BadInput(f"Expected a reason of 1 to {REASON_MAX} characters that can be read, got {len(said)}.")
    return said
