"""One value in a rule pack and the way to it: each check answers the value, or says file, key, expected, found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time

from dicetower.errors import BadRulePack
from dicetower.model import Die
from dicetower.rules.words import both, either, quoted

DICE = tuple(die for die in Die if die is not Die.D100)
"""The dice a pack may ask for: no slot takes a tens die."""


class Said(str):
    """Words for a message where the value itself would not do: they are shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


NOTHING = Said("nothing")
TOP = "top level"
"""The key of the file's own table."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The value at `key` of the pack `file`; NOTHING where the pack has none. Rows are counted from 1."""

    file: str
    key: str
    value: object

    @property
    def there(self) -> bool:
        """Whether the pack has anything here."""
        return self.value is not NOTHING

    def bad(self, expected: str, found: str | None = None) -> BadRulePack:
        """Return the error for this spot; `found` in words where the value alone would not tell."""
        return BadRulePack(self.file, self.key, expected, Said(_found(self.value) if found is None else found))

    def under(self, key: str) -> Spot:
        """Answer the spot of one key of this table, NOTHING where there is none."""
        value = self.value.get(key, NOTHING) if isinstance(self.value, dict) else NOTHING
        return Spot(self.file, _key(key) if self.key == TOP else f"{self.key}, {_key(key)}", value)

    def table(self, *keys: str) -> dict[str, Spot]:
        """Answer a spot for each of `keys`, which are all that may stand here; absent ones hold NOTHING."""
        held = self._held(f"a table with {both(keys)}")
        for key in held:
            if key not in keys:
                raise self.bad(f"no keys but {both(keys)}", _key(key))
        return {key: self.under(key) for key in keys}

    def entries(self, expected: str) -> dict[str, Spot]:
        """Answer a spot for every key of a table whose keys are the pack's own choice; at least one."""
        held = self._held(expected)
        if not held:
            raise self.bad(expected, "none")
        return {key: self.under(key) for key in held}

    def items(self, each: str) -> list[Spot]:
        """Answer a spot for every item of a list, at least one; `each` names an item in messages ("row")."""
        if not isinstance(self.value, list) or not self.value:
            raise self.bad(f"a list with at least one {each}")
        holder = self.key.rpartition(", ")[0]
        way = f"{holder}, {each}" if holder else each
        return [Spot(self.file, f"{way} {n}", value) for n, value in enumerate(self.value, 1)]

    def text(self, pattern: re.Pattern[str], expected: str) -> str:
        """Answer a text that the whole of `pattern` matches."""
        if not isinstance(self.value, str) or not pattern.fullmatch(self.value):
            raise self.bad(expected)
        return self.value

    def word(self, allowed: Sequence[str]) -> str:
        """Answer one of `allowed`."""
        if not isinstance(self.value, str) or self.value not in allowed:
            raise self.bad(either(allowed))
        return self.value

    def words(self, allowed: Sequence[str]) -> tuple[str, ...]:
        """Answer one or several of `allowed`, none twice."""
        spots = self.items(self.key.rpartition(", ")[2]) if isinstance(self.value, list) else [self]
        found = tuple(spot.word(allowed) for spot in spots)
        if len(set(found)) < len(found):
            raise self.bad("each word once", both(found))
        return found

    def die(self) -> Die:
        """Answer a die that a slot may ask for."""
        return Die(self.word(DICE))

    def whole(self, low: int, high: int) -> int:
        """Answer a whole number from `low` to `high`."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not low <= self.value <= high:
            raise self.bad(f"a whole number, {low} to {high}" if low < high else f"the number {low}")
        return self.value

    def flag(self) -> bool:
        """Answer true or false."""
        if not isinstance(self.value, bool):
            raise self.bad("true or false")
        return self.value

    def _held(self, expected: str) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise self.bad(expected)
        return self.value


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key) else quoted(key)


def _found(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, date | time):
        return str(value)
    return quoted(value)
