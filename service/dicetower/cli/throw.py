"""`dicetower declare` and `dicetower throw`: act at a table of a running service from a terminal or a script."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dicetower.cli.client import Client, address_of, table_path
from dicetower.cli.rules import SYSTEMS
from dicetower.errors import BadInput
from dicetower.model import Die, SlotName

_OPTIONS = (
    click.option("--table", metavar="NAME", help="The table; else the configured one."),
    click.option("--server", metavar="URL", help="The running service; else the configured address."),
    click.option("--json", "as_json", is_flag=True, help="Print the table's state as one line of JSON."),
)


def register(main: click.Group) -> None:
    """Add this file's commands to `main`."""
    main.add_command(declare)
    main.add_command(throw)


def at_a_table(command: Any) -> Any:
    """Add the options that name a table of a running service."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(short_help="Declare an attack at a running table.")
@click.option("--system", required=True, metavar="NAME", help=f"Weapon system: {SYSTEMS}.")
@click.option("--size", required=True, type=int, metavar="1-5", help="Weapon size class, or chits.")
@click.option("--range", metavar="close|medium|long", help="Where the system has range rows.")
@click.option("--armour", type=int, metavar="1-5", help="The vehicle's armour level.")
@click.option("--infantry", metavar="militia|line|powered|super", help="The infantry, in place of a vehicle.")
@click.option("--armour-type", metavar="standard|ablative|reactive|active", help="What the vehicle's armour is.")
@click.option("--cover", metavar="open|soft|dug-in|urban", help="Where the target stands.")
@click.option("--firer", default="red", show_default=True, metavar="ID", help="Who fires.")
@click.option("--target", default="blue", show_default=True, metavar="ID", help="Who is hit.")
@at_a_table
def declare(table: str | None, server: str | None, as_json: bool, **attack: Any) -> None:
    """Declare an attack at a table of the running service."""
    client, name = reached(server, table)
    show(client.post(table_path(name, "attacks"), attack), as_json)


@click.command(short_help="Throw dice at a running table: typed, or a photograph.")
@click.argument("dice", nargs=-1, metavar="[DIE=VALUE]...")
@click.option(
    "--photo", type=click.Path(path_type=Path), help="Read this photograph of the tray in place of typed dice."
)
@click.option("--player", metavar="ID", help="Whose dice they are; else the table works it out.")
@click.option("--request", metavar="NAME", help="A name for this throw: sent twice, it is taken once.")
@at_a_table
def throw(
    dice: tuple[str, ...],
    photo: Path | None,
    player: str | None,
    request: str | None,
    table: str | None,
    server: str | None,
    as_json: bool,
) -> int:
    """Throw dice at a table of the running service: typed ones, or a photograph.

    DIE is a type, as in D8=5, or the slot it is for, as in firer-size=5. A D10's 0 is 10.

    Exit status 1 where none of its dice was taken.
    """
    if bool(dice) == bool(photo):
        raise BadInput("Expected dice such as D8=5 D6=3, or --photo FILE, and not both.")
    client, name = reached(server, table)
    request = request or secrets.token_hex(8)
    known = {"request": request} | ({"player": player} if player else {})
    if photo is not None:
        state = client.post_photo(table_path(name, "photo"), _picture(photo), known)
    else:
        state = client.post(table_path(name, "throws"), known | {"dice": [typed(die) for die in dice]})
    thrown = came_to(state, f"{'typed' if photo is None else 'camera'}:{request}:")
    show(state, as_json, thrown.said(photo))
    return 1 if thrown.in_vain else 0


def reached(server: str | None, table: str | None) -> tuple[Client, str]:
    """The service that was named, else the configured one; and the table's name."""
    from dicetower import settings

    effective = settings.load({"table": table}).settings
    return Client(server or address_of(effective.host, effective.port)), effective.table


def typed(text: str) -> dict[str, Any]:
    """One die as typed, `D8=5` or `firer-size=5`, as the interface takes it."""
    name, mark, value = text.partition("=")
    if not mark or not re.fullmatch(r"[0-9]{1,3}", value.strip(), re.ASCII):
        raise BadInput(f"Expected a die such as D8=5, got {text[:40]!r}.")
    word = name.strip().replace("-", " ")
    if word.upper() in list(Die):
        return {"die": word.upper(), "value": int(value)}
    if word.lower() in list(SlotName):
        return {"slot": word.lower(), "value": int(value)}
    slots = ", ".join(slot.replace(" ", "-") for slot in SlotName)
    raise BadInput(f"There is no die {name[:40]!r}; expected one of {', '.join(Die)}, or a slot: {slots}.")


def _picture(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class Thrown:
    """What became of one throw's dice: the names of those `taken`; of those `left`, why too. Neither: it is over."""

    taken: list[str]
    left: list[tuple[str, str]]

    @property
    def in_vain(self) -> bool:
        """Whether not one of its dice was taken."""
        return bool(self.left) and not self.taken

    def said(self, photo: Path | None) -> list[str]:
        """A line for what was read from a photograph, then one for each die that was not taken."""
        read = ", ".join([*self.taken, *(name for name, _ in self.left)])
        told = [f"Read from {photo}: {read}."] if photo is not None and read else []
        return told + [f"{name} was not taken: {why}." for name, why in self.left]


def came_to(state: dict[str, Any], throw: str) -> Thrown:
    """What became of the dice of that throw, whose readings' keys begin so.

    The last attack that ended is looked through too: this throw's dice may have ended it.
    """
    slots = [
        *(state["attack"] or {"slots": []})["slots"],
        *(slot for ended in state["last"] for slot in ended["slots"]),
    ]
    taken = {slot["reading"]: die_named(slot) for slot in slots if (slot["reading"] or "").startswith(throw)}
    left = [die for die in state["unassigned"] if die["reading"].startswith(throw)]
    return Thrown(list(taken.values()), [(die_named(die), _why(die)) for die in left])


def _why(die: dict[str, Any]) -> str:
    return str(die["why"]).removeprefix(f"a {die['die']}; ")


def die_named(die: dict[str, Any]) -> str:
    """`D6 showing 5`; `D6 in doubt` where its value, and `a die of unknown type` where its type is not known."""
    if die["die"] is None:
        return "a die of unknown type"
    return f"{die['die']} in doubt" if die["value"] is None else f"{die['die']} showing {die['value']}"


def show(state: dict[str, Any], as_json: bool, thrown: Sequence[str] = ()) -> None:
    """Print a table's state: as JSON, or what a player asks: what came, what is owed, what it came to.

    `thrown` are the lines about the throw that was just made.
    """
    if as_json:
        click.echo(json.dumps(state))
        return
    for line in [*thrown, *said(state)]:
        click.echo(line)


def said(state: dict[str, Any]) -> list[str]:
    """The state in a few lines."""
    attack = state["attack"]
    if attack is None:
        return ["No attack is declared."]
    lines = [f"Attack {attack['number']}: {attack['title']}"]
    lines += [f"  {slot['slot']}: {slot['die']} shows {slot['value']}" for slot in attack["slots"] if slot["value"]]
    lines += [slot["question"]["text"] for slot in attack["slots"] if slot["question"]]
    lines += [f"{line}." for line in attack["owes"]]
    outcome = attack["outcome"]
    if outcome is not None:
        lines.append(f"{outcome['final'].replace('_', ' ').upper()}: {outcome['explanation']}.")
    return lines
