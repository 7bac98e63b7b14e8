"""Plans, odds and outcomes in the shape JSON has of them, for the command line and HTTP alike; key order counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dicetower.model import Outcome, Plan
from dicetower.rules.odds import Odds


def plan_shape(plan: Plan) -> list[dict[str, str]]:
    """Return the four slots in plan order: slot, by, die."""
    return [{"slot": slot.name.value, "by": slot.by.value, "die": slot.die.value} for slot in plan.slots]


def odds_shape(odds: Odds) -> dict[str, str]:
    """Return the odds of the four dice, as fractions in lowest terms ("77/256", "0", "1")."""
    return _written({"undamaged": odds.undamaged, "damaged": odds.damaged, "destroyed": odds.destroyed})


def after_table_shape(odds: Odds) -> dict[str, str] | None:
    """Return the odds after the damage table; None (null) where no damage die follows."""
    after = odds.after_table
    if after is None:
        return None
    return _written(
        {
            "undamaged": after.undamaged,
            "systems_down": after.systems_down,
            "mobility": after.mobility,
            "destroyed": after.destroyed,
        }
    )


def outcome_shape(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome; `damage` is None (null) until its die is thrown."""
    return {
        "outcome": outcome.outcome,
        "pairs_to_target": outcome.pairs_to_target,
        "explanation": outcome.explanation,
        "damage": outcome.damage,
        "final": outcome.final,
    }


def _written(odds: dict[str, Fraction]) -> dict[str, str]:
    return {name: str(odd) for name, odd in odds.items()}
