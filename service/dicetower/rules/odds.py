"""The odds of a plan, exact: fractions counted face by face, never simulated (ruling 7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dicetower.model import Die, Plan
from dicetower.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class AfterTable:
    """The odds of what stands once a damaged vehicle has rolled on the damage table; they sum to 1."""

    undamaged: Fraction
    systems_down: Fraction
    mobility: Fraction
    destroyed: Fraction


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of the four dice; they sum to 1. Infantry is never damaged, so there `damaged` is 0.

    `after_table` is None where no damage die follows: against infantry, and with the damage table off.
    """

    undamaged: Fraction
    damaged: Fraction
    destroyed: Fraction
    after_table: AfterTable | None


def odds(ruleset: RuleSet, plan: Plan, damage_table_on: bool | None = None) -> Odds:
    """Return the exact odds of `plan`; `damage_table_on` is the table's own setting, else the pack's."""
    size, effectiveness, armour, resistance = (slot.die for slot in plan.slots)
    first, second = target_wins(armour, size), target_wins(resistance, effectiveness)
    undamaged, destroyed = first * second, (1 - first) * (1 - second)
    one_pair = 1 - undamaged - destroyed
    if not plan.vehicle:
        return Odds(undamaged + one_pair, Fraction(0), destroyed, None)
    in_play = ruleset.damage.in_play(damage_table_on)
    after = _after_table(ruleset, undamaged, one_pair, destroyed) if in_play else None
    return Odds(undamaged, one_pair, destroyed, after)


def target_wins(target: Die, firer: Die) -> Fraction:
    """Return the odds that the target's die is strictly higher: a tie is the firer's.

    >>> target_wins(Die.D8, Die.D4)
    Fraction(11, 16)
    """
    higher = sum(max(0, target.sides - face) for face in range(1, firer.sides + 1))
    return Fraction(higher, target.sides * firer.sides)


def _after_table(ruleset: RuleSet, undamaged: Fraction, damaged: Fraction, destroyed: Fraction) -> AfterTable:
    finals = {"undamaged": undamaged, "systems_down": Fraction(0), "mobility": Fraction(0), "destroyed": destroyed}
    for row in ruleset.damage.rows:
        finals[row.final] += damaged * Fraction(row.high - row.low + 1, ruleset.damage.die.sides)
    return AfterTable(**finals)
