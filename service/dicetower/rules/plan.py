"""What an attack asks of the table: four slots, the printed effectiveness, and what a player must be told."""

from __future__ import annotations

from dicetower.model import Attack, Die, Plan, Side, Slot, SlotName
from dicetower.rules.declared import declared, kind_of
from dicetower.rules.ruleset import Conditions, Kind, Row, RuleSet, System

INEFFECTIVE = "ineffective"
"""Printed in place of a percentage, beside dice which are rolled all the same (ruling 4)."""


def plan(ruleset: RuleSet, attack: Attack) -> Plan:
    """Return the four dice of `attack` in plan order; RulesRefusal where the rules have no such attack.

    >>> from dicetower.rules.pack import standard
    >>> [str(slot.die) for slot in plan(standard(), Attack("HKP", 3, range="medium", armour=4)).slots]
    ['D8', 'D6', 'D10', 'D8']
    """
    attack = declared(ruleset, attack)
    system, kind = ruleset.system(attack.system), kind_of(ruleset, attack)
    row = system.row(kind, attack.range, attack.armour_type, attack.cover)
    return Plan(
        slots=(
            Slot(SlotName.FIRER_SIZE, Side.FIRER, ruleset.size_dice[attack.size - 1]),
            Slot(SlotName.FIRER_EFFECTIVENESS, Side.FIRER, row.firer),
            Slot(SlotName.TARGET_ARMOUR, Side.TARGET, _armour_die(ruleset, attack)),
            Slot(SlotName.TARGET_EFFECTIVENESS, Side.TARGET, row.target),
        ),
        printed=row.printed,
        vehicle=kind is Kind.VEHICLE,
        notes=_notes(system, kind, attack, row),
    )


def _armour_die(ruleset: RuleSet, attack: Attack) -> Die:
    if attack.infantry is not None:
        return ruleset.team(attack.infantry).die
    assert attack.armour is not None
    return ruleset.armour_dice[attack.armour - 1]


def _notes(system: System, kind: Kind, attack: Attack, row: Row) -> tuple[str, ...]:
    conditions = system.conditions(kind)
    assert conditions is not None
    said = (_idle_armour_type(system, conditions, attack), _idle_cover(system, conditions, attack), _ineffective(row))
    return tuple(note for note in said if note)


def _idle_armour_type(system: System, conditions: Conditions, attack: Attack) -> str | None:
    if attack.armour_type is None or attack.armour_type in conditions.armour_types:
        return None
    if not conditions.armour_types:
        return f"armour type does nothing for {system.label}"
    return f"{attack.armour_type} armour does nothing against {system.label}"


def _idle_cover(system: System, conditions: Conditions, attack: Attack) -> str | None:
    if attack.cover is None or attack.cover in conditions.covers:
        return None
    if not conditions.covers:
        return f"cover does nothing for {system.label}"
    return f"{attack.cover} cover does nothing for {system.label}"


def _ineffective(row: Row) -> str | None:
    return "printed ineffective, and the dice are rolled all the same" if row.printed == INEFFECTIVE else None
