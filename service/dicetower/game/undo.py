"""Taking back the last decision. No thrown die is destroyed by it, and it is no way to throw again.

A step can be taken back while every slot and unassigned die it left is still as it left it: dice thrown since into
those very slots make it final, and then the table corrects, re-rolls or voids instead. A declaration can be taken back
while none of its dice was thrown. An outcome taken back leaves all faces: the attack then waits for a person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from dicetower.assign import Held
from dicetower.game.state import Attack, SlotState, State, Status, Step, StepKind, Thrown
from dicetower.model import SlotName

T = TypeVar("T")


def step_between(kind: StepKind, text: str, before: State, after: State) -> Step:
    """Return the step that a decision made, from the states before and after it (of one current attack)."""
    old, new = before.current, after.current
    slots_before, slots_after = _difference(firm(old), firm(new))
    loose_before, loose_after = _difference(before.loose, after.loose)
    same = old is not None and new is not None and old.declaration == new.declaration
    return Step(
        kind,
        text,
        new.id if new is not None else None,
        slots_before,
        slots_after,
        loose_before,
        loose_after,
        declaration=None if same or old is None else old.declaration,
    )


def firm(attack: Attack | None) -> tuple[SlotState, ...]:
    """The attack's slots without a damage slot that nobody threw into yet."""
    if attack is None:
        return ()
    return tuple(slot for slot in attack.slots if slot.name is not SlotName.DAMAGE or slot.held is not Held.OWED)


def _difference(old: tuple[T, ...], new: tuple[T, ...]) -> tuple[tuple[T, ...], tuple[T, ...]]:
    return tuple(item for item in old if item not in new), tuple(item for item in new if item not in old)


def next_step(state: State) -> Step | None:
    """Return the step that undo would take back now; None where there is none."""
    step = state.steps[-1] if state.steps else None
    return step if step is not None and _still_as_left(step, state) else None


def _still_as_left(step: Step, state: State) -> bool:
    current = state.current
    if step.attack != (None if current is None else current.id):
        return False  # the attack it belongs to is not at hand
    if current is not None and step.kind is StepKind.DECLARATION:
        return all(slot.held is Held.OWED for slot in current.slots)
    now = firm(state.current)
    dropped = {slot.name for slot in step.slots_before} - {slot.name for slot in step.slots_after}
    gone = {die.key for die in step.loose_before} - {die.key for die in step.loose_after}
    return (
        all(slot in now for slot in step.slots_after)
        and not any(slot.name in dropped for slot in now)
        and all(die in state.loose for die in step.loose_after)
        and not any(die.key in gone for die in state.loose)
    )


def take_back(state: State) -> State:
    """Return the state without its last step, which `next_step` allowed."""
    step = state.steps[-1]
    state = replace(state, steps=state.steps[:-1], loose=_restored_dice(step, state))
    if step.kind is StepKind.DECLARATION:
        return replace(state, attacks=state.attacks[:-1])
    current = state.current
    return state if current is None else state.with_current(_restored(step, current))


def _restored_dice(step: Step, state: State) -> tuple[Thrown, ...]:
    kept = [die for die in state.loose if die not in step.loose_after]
    return tuple(sorted([*kept, *step.loose_before], key=lambda die: die.place))


def _restored(step: Step, attack: Attack) -> Attack:
    """The attack with the step's slots back; where its four dice are known it waits for a person to confirm."""
    touched = step.slots_before or step.slots_after or step.declaration is not None
    if not touched and step.kind not in (StepKind.OUTCOME, StepKind.VOID):
        return attack
    added = {slot.name for slot in step.slots_after} - {slot.name for slot in step.slots_before}
    slots = {slot.name: slot for slot in firm(attack) if slot.name not in added}
    slots |= {slot.name: slot for slot in step.slots_before}
    return waiting(
        replace(
            attack,
            slots=tuple(slots[name] for name in SlotName if name in slots),
            declaration=step.declaration or attack.declaration,
            ended_ms=None,
        )
    )


def waiting(attack: Attack) -> Attack:
    """The attack open again, waiting for a person where its four dice are known."""
    return replace(undecided(attack), reopened=attack.four_filled)


def undecided(attack: Attack) -> Attack:
    """The attack with nothing said of what its dice come to, also where a damage die lies in its slot.

    Only `DamageOwed` and `AttackResolved` say that, once the four dice are there and no person is waited for.
    """
    return replace(attack, status=Status.THROWING, outcome=None)
