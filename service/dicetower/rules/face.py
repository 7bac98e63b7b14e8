"""One face of one die, as a person types it or a device reports it (ruling 8)."""

from __future__ import annotations

import re

from dicetower.errors import RulesRefusal
from dicetower.model import Die
from dicetower.rules.words import quoted

_WRITTEN = re.compile(r"0|[1-9][0-9]?", re.ASCII)
"""A face as it stands on a die: no sign, no leading zero ("05" and "00" are on no die of an attack)."""


def face(die: Die, typed: int | str) -> int:
    """Return the value of the face `typed` on a `die`; a D10's 0 is 10, and 0 is on no other die.

    `typed` is a whole number or its text. Every place that takes a value from a person or a device calls this.
    Raises RulesRefusal, naming the faces that the die has.

    >>> face(Die.D10, "0"), face(Die.D8, 5)
    (10, 5)
    """
    if die is Die.D100:
        raise RulesRefusal("A D100 (tens die) is never a D10, and no slot of an attack takes it.")
    number = _number(typed)
    if number == 0 and die is Die.D10:
        return 10
    if number is None or not die.holds(number):
        raise RulesRefusal(f"A {die} has the faces {faces(die)}; got {_got(typed)}{_why(die, typed, number)}.")
    return number


def faces(die: Die) -> str:
    """The faces of a die in words: `1 to 8`, and for a D10 `1 to 9 and 0, which is 10`."""
    return "1 to 9 and 0, which is 10" if die is Die.D10 else f"1 to {die.sides}"


def _number(typed: int | str) -> int | None:
    if isinstance(typed, bool) or not isinstance(typed, int | str):
        return None
    if isinstance(typed, int):
        return typed
    text = typed.strip()
    return int(text) if _WRITTEN.fullmatch(text) else None


def _got(typed: int | str) -> str:
    return quoted(typed) if isinstance(typed, int) or _number(typed) is None else typed.strip()


def _why(die: Die, typed: int | str, number: int | None) -> str:
    if number == 0:
        return " (0 counts as 10 on a D10 only)"
    tens = number is not None and number in range(20, 100, 10)
    if die is Die.D10 and (tens or str(typed).strip() == "00"):
        return " (a D100, the tens die, is never a D10)"
    return ""
