"""`dicetower odds` and `dicetower resolve`: an attack's dice and exact odds, and what four dice come to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dicetower.errors import BadInput

if TYPE_CHECKING:
    from dicetower.model import Attack, Outcome, Plan
    from dicetower.rules.odds import Odds
    from dicetower.rules.ruleset import RuleSet

SYSTEMS = "HEL RFAC HVC HKP MDC DFFG IAVR GMS SLAM HEF MAK DPL firefight close-assault"
Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--system", metavar="NAME", help=f"Weapon system: {SYSTEMS}."),
    click.option("--size", metavar="1-5", help="Weapon size class; in a firefight or close assault, chits."),
    click.option("--range", "range_", metavar="close|medium|long", help="Where the system has range rows."),
    click.option("--armour", metavar="1-5", help="The vehicle's armour level."),
    click.option("--infantry", metavar="militia|line|powered|super", help="The infantry, in place of a vehicle."),
    click.option("--armour-type", metavar="standard|ablative|reactive|active", help="What the vehicle's armour is."),
    click.option("--cover", metavar="open|soft|dug-in|urban", help="Where the target stands."),
    click.option("--rules", metavar="FILE", help="Another rule pack: house rules are a copy with changes."),
    click.option("--json", "as_json", is_flag=True, help="Print one line of JSON and nothing else."),
)


def register(main: click.Group) -> None:
    """Add this file's commands to `main`."""
    main.add_command(odds)
    main.add_command(resolve)


def _attack_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(short_help="Show an attack's four dice and its exact odds.")
@_attack_options
def odds(rules: str | None, as_json: bool, **said: str | None) -> None:
    """Show an attack's four dice, its printed effectiveness and its exact odds."""
    from dicetower.rules import shapes
    from dicetower.rules.odds import odds as exact
    from dicetower.rules.plan import plan as plan_of

    ruleset = _ruleset(rules)
    attack = _attack(ruleset, said)
    plan = plan_of(ruleset, attack)
    found = exact(ruleset, plan)
    if as_json:
        shape = {"plan": shapes.plan_shape(plan), "printed": plan.printed, "odds": shapes.odds_shape(found)}
        _print_json(shape | {"after_table": shapes.after_table_shape(found)}, plan)
    else:
        _print_text(_title(ruleset, attack), _dice_table(plan), _printed(plan), *_odds_texts(ruleset, found))


@click.command()
@_attack_options
@click.option(
    "--dice", metavar="5,3,7,3", help="The four faces: firer size, effectiveness, target armour, effectiveness."
)
@click.option("--damage", metavar="6", help="The D10 that a damaged vehicle rolls; 0 is 10.")
def resolve(rules: str | None, as_json: bool, dice: str | None, damage: str | None, **said: str | None) -> None:
    """Say what four dice come to, and why."""
    from dicetower.rules import shapes
    from dicetower.rules.plan import plan as plan_of
    from dicetower.rules.resolve import four_faces
    from dicetower.rules.resolve import resolve as resolved

    ruleset = _ruleset(rules)
    attack = _attack(ruleset, said)
    plan = plan_of(ruleset, attack)
    faces = four_faces(plan, _dice(plan, dice))
    outcome = resolved(ruleset, plan, faces, damage)
    if as_json:
        _print_json(shapes.outcome_shape(outcome), plan)
    else:
        _print_text(_title(ruleset, attack), _dice_table(plan, faces), _printed(plan), _outcome_text(ruleset, outcome))


def _ruleset(file: str | None) -> RuleSet:
    """The pack that was named, else the configured one, else the one that ships."""
    from dicetower import settings
    from dicetower.rules.pack import load, standard

    chosen = file if file is not None else settings.load().settings.rules
    return standard() if chosen is None else load(chosen)


def _attack(ruleset: RuleSet, said: dict[str, str | None]) -> Attack:
    from dicetower.model import Attack

    systems = ", ".join(system.id for system in ruleset.systems)
    return Attack(
        system=_needed("--system", said["system"], f"a weapon system ({systems})"),
        size=_whole("--size", _needed("--size", said["size"], "the size class or number of chits, 1 to 5")),
        range=said["range_"],
        armour=None if said["armour"] is None else _whole("--armour", said["armour"]),
        infantry=said["infantry"],
        armour_type=said["armour_type"],
        cover=said["cover"],
    )


def _needed(option: str, value: str | None, expected: str) -> str:
    if value is None:
        raise BadInput(f"{option} is missing; expected {expected}.")
    return value


def _whole(option: str, text: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", text, re.ASCII):
        raise BadInput(f"{option}: expected a whole number, 1 to 5, got {text[:40]!r}.")
    return int(text)


def _dice(plan: Plan, text: str | None) -> list[str]:
    from dicetower.rules.resolve import owed

    faces = _needed("--dice", text, f"four faces with commas between them: {owed(plan.slots)}")
    return [face.strip() for face in faces.split(",")] if faces.strip() else []


def _print_json(value: dict[str, Any], plan: Plan) -> None:
    """One line on stdout; what a player must be told goes to stderr, since the JSON's keys are fixed."""
    click.echo(json.dumps(value))
    for note in plan.notes:
        click.echo(f"dicetower: note: {note}.", err=True)


def _print_text(*parts: str) -> None:
    click.echo("\n\n".join(part for part in parts if part))


def _title(ruleset: RuleSet, attack: Attack) -> str:
    from dicetower.rules.declared import declared, describe

    return describe(ruleset, declared(ruleset, attack))


def _dice_table(plan: Plan, faces: Sequence[int] | None = None) -> str:
    rows = [("die", "thrown by", "type", "face" if faces else "")]
    shown = [str(face) for face in faces] if faces else [""] * len(plan.slots)
    rows += [(slot.name, slot.by, slot.die, face) for slot, face in zip(plan.slots, shown, strict=True)]
    return "\n".join(f"  {name:<22}{by:<11}{die:<6}{face:>4}".rstrip() for name, by, die, face in rows)


def _printed(plan: Plan) -> str:
    """The effectiveness, said apart from the odds (ruling 7), and the notes."""
    lines = [f"Printed effectiveness: {plan.printed} (the chit draw's figure, not the odds)"]
    return "\n".join(lines + [f"Note: {note}." for note in plan.notes])


def _odds_texts(ruleset: RuleSet, found: Odds) -> list[str]:
    from dicetower.rules.shapes import after_table_shape, odds_shape

    rows = odds_shape(found)
    texts = [_odds_table("Odds of the four dice", {name: odd for name, odd in rows.items() if odd != "0"})]
    after = after_table_shape(found)
    return texts if after is None else [*texts, _odds_table(f"Odds after the {ruleset.damage.die} damage table", after)]


def _odds_table(title: str, odds: dict[str, str]) -> str:
    rows = [f"  {_words(name):<14}{odd:>14}{float(Fraction(odd)):>9.1%}" for name, odd in odds.items()]
    return "\n".join([title, *rows])


def _outcome_text(ruleset: RuleSet, outcome: Outcome) -> str:
    from dicetower.rules.resolve import damage_is_owed
    from dicetower.rules.words import capital

    lines = [_words(outcome.final).upper(), f"{capital(outcome.explanation)}."]
    if damage_is_owed(ruleset, outcome):
        slot = ruleset.damage_slot()
        lines.append(f"The {slot.by} may now throw a {slot.die} for the damage table (--damage).")
    return "\n".join(lines)


def _words(token: str) -> str:
    return token.replace("_", " ")
