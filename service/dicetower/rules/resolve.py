"""Four dice, and perhaps a damage die, made into an outcome that says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dicetower.errors import RulesRefusal
from dicetower.model import Outcome, Plan, Slot, SlotName
from dicetower.rules.face import face
from dicetower.rules.ruleset import DamageRow, RuleSet
from dicetower.rules.words import both, uncapital

Faces = Mapping[SlotName, int | str] | Sequence[int | str]
"""Faces by slot name, or in plan order; as typed, so a D10's 0 is welcome."""

VEHICLE_OUTCOMES = ("destroyed", "damaged", "undamaged")
INFANTRY_OUTCOMES = ("destroyed", "undamaged", "undamaged")
"""Both by the number of pairs the target wins, 0 to 2."""
COUNT = ("none", "one", "two")


class _Four(NamedTuple):
    size: int
    effectiveness: int
    armour: int
    resistance: int


def resolve(
    ruleset: RuleSet,
    plan: Plan,
    dice: Faces,
    damage: int | str | None = None,
    damage_table_on: bool | None = None,
) -> Outcome:
    """Compare the pairs: size with armour, effectiveness with effectiveness; a tie is the firer's (ruling 9).

    `dice` are the four faces of `plan`, `damage` that of the damage die once it is thrown, `damage_table_on` the
    table's own setting, else the pack's. Raises RulesRefusal for a face that its die has not, a count other than
    four, and a damage die that nobody owes (ruling 12).

    >>> from dicetower.rules.pack import standard
    >>> from dicetower.rules.plan import plan
    >>> from dicetower.model import Attack
    >>> resolve(standard(), plan(standard(), Attack("HKP", 3, range="medium", armour=4)), [5, 3, 7, 3]).outcome
    'damaged'
    """
    faces = _Four(*four_faces(plan, dice))
    pairs = (faces.armour > faces.size) + (faces.resistance > faces.effectiveness)
    outcome = (VEHICLE_OUTCOMES if plan.vehicle else INFANTRY_OUTCOMES)[pairs]
    why = f"{_size_pair(faces)}; {_effectiveness_pair(faces)}: {_count(plan, pairs)}, {outcome}"
    if damage is None:
        return Outcome(outcome, pairs, why, final=outcome)
    row = _damage_row(ruleset, outcome, damage, damage_table_on)
    thrown = face(ruleset.damage.die, damage)
    why += f"; {thrown} on the {ruleset.damage.die}: {row.name} ({row.means})"
    return Outcome(outcome, pairs, why, final=row.final, damage=row.result)


def damage_is_owed(ruleset: RuleSet, outcome: Outcome, damage_table_on: bool | None = None) -> bool:
    """Whether the damage die is still to be thrown: a damaged vehicle, the table on, no die of it yet."""
    return ruleset.damage.in_play(damage_table_on) and outcome.outcome == "damaged" and outcome.damage is None


def four_faces(plan: Plan, dice: Faces) -> list[int]:
    """Return the four values in plan order; RulesRefusal names the slot whose face cannot be."""
    if isinstance(dice, Mapping):
        _expect_four(plan, {slot.name for slot in plan.slots} == set(dice), both(list(dice)) if dice else "none")
        return [_slot_face(slot, dice[slot.name]) for slot in plan.slots]
    _expect_four(plan, len(dice) == 4 and not isinstance(dice, str), str(len(dice) or "none"))
    return [_slot_face(slot, typed) for slot, typed in zip(plan.slots, dice, strict=True)]


def _expect_four(plan: Plan, right: bool, got: str) -> None:
    if not right:
        raise RulesRefusal(f"Expected four dice, {owed(plan.slots)}; got {got}.")


def owed(slots: Sequence[Slot]) -> str:
    """Name the dice of some slots: "firer size D8, firer effectiveness D6"."""
    return ", ".join(f"{slot.name} {slot.die}" for slot in slots)


def _slot_face(slot: Slot, typed: int | str) -> int:
    try:
        return face(slot.die, typed)
    except RulesRefusal as refusal:
        raise RulesRefusal(f"{slot.name.capitalize()}: {uncapital(str(refusal))}") from refusal


def _size_pair(faces: _Four) -> str:
    if faces.armour > faces.size:
        return f"armour {faces.armour} beats size {faces.size}"
    if faces.armour == faces.size:
        return f"size {faces.size} ties armour {faces.armour}, the tie is the firer's"
    return f"size {faces.size} beats armour {faces.armour}"


def _effectiveness_pair(faces: _Four) -> str:
    firer, target = faces.effectiveness, faces.resistance
    if target > firer:
        return f"the target's effectiveness {target} beats the firer's {firer}"
    if target == firer:
        return f"effectiveness {firer} ties {target}, the tie is the firer's"
    return f"the firer's effectiveness {firer} beats the target's {target}"


def _count(plan: Plan, pairs: int) -> str:
    why = ", which is enough for infantry" if pairs == 1 and not plan.vehicle else ""
    return f"{COUNT[pairs]} of two{why}"


def _damage_row(ruleset: RuleSet, outcome: str, damage: int | str, damage_table_on: bool | None) -> DamageRow:
    die = ruleset.damage.die
    if outcome != "damaged":
        raise RulesRefusal(
            f"The {die} is thrown only for a damaged vehicle, and this target is {outcome}; leave the damage die out."
        )
    if not ruleset.damage.in_play(damage_table_on):
        raise RulesRefusal(
            f"The damage table is off, so no {die} is thrown, and the vehicle takes the standard damaged result."
        )
    try:
        return ruleset.damage.row(face(die, damage))
    except RulesRefusal as refusal:
        raise RulesRefusal(f"Damage die: {uncapital(str(refusal))}") from refusal
