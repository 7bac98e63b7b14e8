"""A declared attack, checked against the rules and put into their own words; or the sentence that refuses it."""

from __future__ import annotations

from collections.abc import Sequence

from dicetower.errors import RulesRefusal
from dicetower.model import Attack
from dicetower.rules.ruleset import ARMOUR_TYPES, COVERS, LEVELS, Conditions, Kind, RuleSet, System
from dicetower.rules.words import capital, either, plain, quoted


def declared(ruleset: RuleSet, attack: Attack) -> Attack:
    """Return `attack` in the rule set's spelling, every choice of it checked.

    What was left out stays None. A choice that does nothing is kept: `plan` says so in its notes.
    Raises RulesRefusal with the sentence a player reads.

    >>> from dicetower.rules.pack import standard
    >>> declared(standard(), Attack("hel", 3, armour=4, armour_type="Ablative")).system
    'HEL'
    """
    system = ruleset.system(attack.system)
    size = _level(attack.size, "1 to 5 chits" if system.size_label == "chits" else "a size class of 1 to 5")
    kind = kind_of(ruleset, attack)
    conditions = system.conditions(kind)
    if conditions is None:
        raise RulesRefusal(_no_row(ruleset, system, kind))
    return Attack(
        system=system.id,
        size=size,
        range=_range(system, conditions, attack.range),
        armour=None if attack.armour is None else _level(attack.armour, "an armour level of 1 to 5"),
        infantry=None if attack.infantry is None else ruleset.team(attack.infantry).id,
        armour_type=_armour_type(kind, attack.armour_type),
        cover=_cover(system, conditions, attack.cover),
    )


def kind_of(ruleset: RuleSet, attack: Attack) -> Kind:
    """Whether the target is a vehicle or infantry; RulesRefusal unless exactly one is named."""
    if (attack.armour is None) == (attack.infantry is None):
        teams = either([team.id for team in ruleset.infantry])
        got = "got neither" if attack.armour is None else "got both"
        raise RulesRefusal(f"Name one target, a vehicle's armour (1 to 5) or the infantry ({teams}); {got}.")
    return Kind.VEHICLE if attack.infantry is None else Kind.INFANTRY


def describe(ruleset: RuleSet, attack: Attack) -> str:
    """Say a declared attack in one line: "HKP size 3, medium range, against armour 4".

    `attack` must have passed `declared`.
    """
    weapon = _weapon(ruleset.system(attack.system), attack.size)
    reach = f"{attack.range} range" if attack.range else ""
    armour = f"{attack.armour_type} armour" if attack.armour_type else ""
    ground = _GROUND.get(attack.cover or "", attack.cover)
    return ", ".join(part for part in (weapon, reach, f"against {_target(ruleset, attack)}", armour, ground) if part)


_GROUND = {"open": "open terrain", "soft": "soft cover"}


def _weapon(system: System, size: int) -> str:
    if system.size_label == "chits":
        return f"{capital(system.label)}, {size} chit{'s' if size > 1 else ''}"
    return f"{capital(system.label)} size {size}"


def _target(ruleset: RuleSet, attack: Attack) -> str:
    if attack.infantry is None:
        return f"armour {attack.armour}"
    return f"{ruleset.team(attack.infantry).name} infantry"


def _level(value: object, expected: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in LEVELS:
        raise RulesRefusal(f"Expected {expected}, got {quoted(value)}.")
    return value


def _no_row(ruleset: RuleSet, system: System, kind: Kind) -> str:
    if kind is Kind.VEHICLE:
        teams = either([team.id for team in ruleset.infantry])
        return f"{capital(system.label)} is against infantry only; name the infantry: {teams}."
    refused = f"{capital(system.label)} has no row against infantry"
    if "firefight" not in [plain(other.id) for other in ruleset.systems]:
        return f"{refused}."
    return f"{refused}; use a firefight with the weapon's anti-personnel chits (our advice, not the rules' author's)."


def _range(system: System, conditions: Conditions, said: str | None) -> str | None:
    label = capital(system.label)
    if not conditions.ranges:
        if said is not None:
            raise RulesRefusal(
                f"{label} takes no range, since its effectiveness is the same at every range; leave the range out."
            )
        return None
    if said is None:
        raise RulesRefusal(
            f"{label} needs a range, {either(conditions.ranges)}: its effectiveness is not the same at every range."
        )
    return _word(said, conditions.ranges, "range")


def _armour_type(kind: Kind, said: str | None) -> str | None:
    if said is None:
        return None
    if kind is Kind.INFANTRY:
        raise RulesRefusal("Infantry takes no armour type; leave the armour type out.")
    return _word(said, ARMOUR_TYPES, "armour type")


def _cover(system: System, conditions: Conditions, said: str | None) -> str | None:
    if said is not None:
        return _word(said, COVERS, "cover")
    if conditions.needs_cover:
        raise RulesRefusal(f"{capital(system.label)} needs a cover: {either(COVERS)}.")
    return None


def _word(said: str, allowed: Sequence[str], what: str) -> str:
    if plain(said) not in allowed:
        raise RulesRefusal(f"No {what} {quoted(said)}; expected {either(allowed)}.")
    return plain(said)
