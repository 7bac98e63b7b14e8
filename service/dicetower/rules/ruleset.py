"""A rule set: what a checked rule pack says, as values that plan, odds, resolve, API and pages ask.

A RuleSet is frozen, hashable and whole: `pack.py` builds one only after every check. Words in it are in one
spelling (`words.plain`); weapon systems keep the pack's own spelling ("HEL", "close-assault").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from dicetower.errors import RulesRefusal
from dicetower.model import Die, Side, Slot, SlotName
from dicetower.rules.words import either, plain, quoted

LEVELS = (1, 2, 3, 4, 5)
"""Size classes, chits and armour levels of the source."""
RANGES = ("close", "medium", "long")
ARMOUR_TYPES = ("standard", "ablative", "reactive", "active")
"""The first is what a vehicle has that is said to have nothing else."""
COVERS = ("open", "soft", "dug-in", "urban")
"""The first is where a target stands that is said to be nowhere else."""
DAMAGE_FINALS = {
    "escape": "undamaged",
    "systems_down": "systems_down",
    "mobility": "mobility",
    "destroyed": "destroyed",
}
"""Each result a damage row may have, and what then stands in the end (`Outcome.final`)."""


class Kind(StrEnum):
    """What a weapon is fired at."""

    VEHICLE = "vehicle"
    INFANTRY = "infantry"


@dataclass(frozen=True, slots=True)
class Row:
    """One effectiveness row: when it holds, the two dice, and the effectiveness printed beside them.

    `ranges` is empty where its system has no range rows. `armour_types` and `covers` always name at least one;
    a row that says nothing of them stands for standard armour and open ground.
    """

    against: tuple[Kind, ...]
    ranges: tuple[str, ...]
    armour_types: tuple[str, ...]
    covers: tuple[str, ...]
    firer: Die
    target: Die
    printed: str

    def holds(self, kind: Kind, range_: str | None, armour_type: str, cover: str) -> bool:
        """Whether this row is the one for such a target."""
        fits = kind in self.against and (range_ in self.ranges or (range_ is None and not self.ranges))
        return fits and armour_type in self.armour_types and cover in self.covers


@dataclass(frozen=True, slots=True)
class Conditions:
    """The choices that change something for one system against one kind of target; empty: no such choice.

    A range must be given where `ranges` has any; a cover where `needs_cover`. The rest may be left out.
    """

    ranges: tuple[str, ...]
    armour_types: tuple[str, ...]
    covers: tuple[str, ...]
    needs_cover: bool


@dataclass(frozen=True, slots=True)
class System:
    """One weapon system. `size_label` is what its size die is taken from: "size class" or "chits"."""

    id: str
    size_label: str
    needs_cover: bool
    rows: tuple[Row, ...]

    @property
    def label(self) -> str:
        """As a sentence has it: "HEL", "close assault"."""
        return self.id if self.id.isupper() else self.id.replace("-", " ")

    def conditions(self, kind: Kind) -> Conditions | None:
        """The choices it has against `kind`; None where no row is against it."""
        rows = [row for row in self.rows if kind in row.against]
        if not rows:
            return None
        return Conditions(
            ranges=_named(RANGES, (word for row in rows for word in row.ranges)),
            armour_types=_beyond_default(ARMOUR_TYPES, rows, lambda row: row.armour_types),
            covers=_beyond_default(COVERS, rows, lambda row: row.covers),
            needs_cover=self.needs_cover,
        )

    def row(self, kind: Kind, range_: str | None, armour_type: str | None, cover: str | None) -> Row:
        """Return the one row that holds; an armour type or cover that no row names counts as none (ruling 2)."""
        conditions = self.conditions(kind)
        assert conditions is not None, f"{self.id} has no row against {kind}"
        armour = armour_type if armour_type in conditions.armour_types else ARMOUR_TYPES[0]
        ground = cover if cover in conditions.covers else COVERS[0]
        return next(row for row in self.rows if row.holds(kind, range_, armour, ground))


@dataclass(frozen=True, slots=True)
class Infantry:
    """One sort of infantry team: its id as typed ("powered"), its name as read, its armour die."""

    id: str
    name: str
    die: Die


@dataclass(frozen=True, slots=True)
class DamageRow:
    """Faces `low` to `high` of the damage die: a result of DAMAGE_FINALS, its printed name, what it means."""

    low: int
    high: int
    result: str
    name: str
    means: str

    @property
    def final(self) -> str:
        """What stands in the end."""
        return DAMAGE_FINALS[self.result]


@dataclass(frozen=True, slots=True)
class DamageTable:
    """The damage table: every face of `die` is in one row. `on` and `by` are what a table starts with."""

    die: Die
    on: bool
    by: Side
    rows: tuple[DamageRow, ...]

    def in_play(self, setting: bool | None) -> bool:
        """Whether a damaged vehicle rolls: by the table's own `setting`, else as the pack says."""
        return self.on if setting is None else setting

    def row(self, face: int) -> DamageRow:
        """Return the row for a face of the die."""
        return next(row for row in self.rows if row.low <= face <= row.high)


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be declared with one system: a page shows these and no others.

    `armour` and `infantry` are empty, and the conditions None, where the system has no row against that kind.
    """

    system: str
    label: str
    size_label: str
    sizes: tuple[int, ...]
    armour: tuple[int, ...]
    infantry: tuple[Infantry, ...]
    vehicle_conditions: Conditions | None
    infantry_conditions: Conditions | None


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A whole rule pack. `hash` is `sha256:` and hex digits, over what it says: comments and spacing do not count.

    `size_dice` and `armour_dice` are in order of level: the die of level 1 is the first.
    """

    name: str
    version: str
    hash: str
    size_dice: tuple[Die, ...]
    armour_dice: tuple[Die, ...]
    infantry: tuple[Infantry, ...]
    systems: tuple[System, ...]
    damage: DamageTable

    def system(self, name: str) -> System:
        """Return the system of that name, in any case, with hyphens or spaces; RulesRefusal names those there are."""
        for system in self.systems:
            if plain(system.id) == plain(name):
                return system
        raise RulesRefusal(f"No weapon system {quoted(name)}; there are {', '.join(s.id for s in self.systems)}.")

    def team(self, name: str) -> Infantry:
        """Return the infantry of that id or name; RulesRefusal names those there are."""
        for team in self.infantry:
            if plain(name) in (plain(team.id), plain(team.name)):
                return team
        raise RulesRefusal(f"No infantry {quoted(name)}; expected {either([team.id for team in self.infantry])}.")

    def choices(self, name: str) -> Choices:
        """Return what may be declared with the system of that name."""
        system = self.system(name)
        vehicle, infantry = system.conditions(Kind.VEHICLE), system.conditions(Kind.INFANTRY)
        return Choices(
            system=system.id,
            label=system.label,
            size_label=system.size_label,
            sizes=LEVELS,
            armour=LEVELS if vehicle else (),
            infantry=self.infantry if infantry else (),
            vehicle_conditions=vehicle,
            infantry_conditions=infantry,
        )

    def damage_slot(self, by: Side | None = None) -> Slot:
        """Return the slot a damaged vehicle opens; `by` is the table's own setting (ruling 10), else the pack's."""
        return Slot(SlotName.DAMAGE, by or self.damage.by, self.damage.die)


def _named(order: tuple[str, ...], words: Iterable[str]) -> tuple[str, ...]:
    found = set(words)
    return tuple(word for word in order if word in found)


def _beyond_default(order: tuple[str, ...], rows: list[Row], of: Callable[[Row], tuple[str, ...]]) -> tuple[str, ...]:
    named = _named(order, (word for row in rows for word in of(row)))
    return () if named == order[:1] else named
