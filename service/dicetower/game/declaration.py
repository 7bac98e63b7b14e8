"""An attack as it was declared, with everything the rules said of it then."""

from __future__ import annotations

from dataclasses import dataclass

from dicetower.model import Attack, Plan, Side
from dicetower.rules.declared import declared, describe
from dicetower.rules.odds import Odds, odds
from dicetower.rules.plan import plan
from dicetower.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is fired at what, by whom, under which rule pack (`pack` is its hash), and the plan and odds that gave.

    `odds` include the damage table, whether or not the house plays it.
    """

    declared: Attack
    title: str
    firer: str
    target: str
    plan: Plan
    odds: Odds
    pack: str

    def player(self, side: Side) -> str:
        """The id of the player on that side; one person may be on both."""
        return self.firer if side is Side.FIRER else self.target


def declare(rules: RuleSet, attack: Attack, firer: str, target: str) -> Declaration:
    """Return the declaration of `attack` under `rules`; RulesRefusal where they have no such attack."""
    attack = declared(rules, attack)
    made = plan(rules, attack)
    return Declaration(attack, describe(rules, attack), firer, target, made, odds(rules, made, True), rules.hash)
