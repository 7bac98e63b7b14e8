"""A rule pack file (TOML) read into a RuleSet, every part of it checked.

    pack
    ├── format, name, version
    ├── size, armour      level 1 to 5 -> die
    ├── infantry          id -> name, die
    ├── group (list)      systems that share rows; size, needs_cover
    │   └── rows (list)   against, range, armour_type, cover -> firer, target, printed
    └── damage            on, by, die
        └── rows (list)   faces, result, name, means

`dirtside2.toml` beside this file is the model of one; "Adding a weapon system" in docs/rules.md explains each key.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import tomllib
from importlib import resources
from itertools import product
from pathlib import Path

from dicetower.errors import BadRulePack, why_unreadable
from dicetower.model import Die, Side
from dicetower.rules.ruleset import (
    ARMOUR_TYPES,
    COVERS,
    DAMAGE_FINALS,
    LEVELS,
    RANGES,
    DamageRow,
    DamageTable,
    Infantry,
    Kind,
    Row,
    RuleSet,
    System,
)
from dicetower.rules.spot import TOP, Said, Spot
from dicetower.rules.words import both, plain

FORMAT = 1
PACK_BYTES_MAX = 1 << 20
"""A pack is a few kilobytes; a file of more than 1 MiB is something else and is not read."""
SIZE_LABELS = ("size class", "chits")
AGAINST = {"vehicle": (Kind.VEHICLE,), "infantry": (Kind.INFANTRY,), "any": (Kind.VEHICLE, Kind.INFANTRY)}

_ID = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*", re.ASCII)
_TEXT = re.compile(r"(?! )[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,80}(?<! )")
_PRINTED = re.compile(r"[1-9][0-9]{0,2}%|ineffective", re.ASCII)
_A_TEXT = "a text of 1 to 80 characters on one line"
_AN_ID = "letters and digits, with single hyphens between words"


@functools.cache
def standard() -> RuleSet:
    """Return the rule set that ships with the product: the Dirtside II dice system."""
    text = resources.files(__package__).joinpath("dirtside2.toml").read_text(encoding="utf-8")
    return parse(text, "dirtside2.toml")


def load(path: str | os.PathLike[str]) -> RuleSet:
    """Read and check the pack at `path`; BadRulePack names file, key, expected and found."""
    file = os.fspath(path)
    try:
        with Path(file).open("rb") as stream:
            raw = stream.read(PACK_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        raise BadRulePack(file, "the file", "a rule pack that can be read", Said(why_unreadable(error))) from error
    if len(raw) > PACK_BYTES_MAX:
        raise BadRulePack(file, "the file", "at most 1 MiB", Said("more"))
    try:
        return parse(raw.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        raise BadRulePack(file, f"byte {error.start}", "UTF-8 text", Said(f"{raw[error.start]:#04x}")) from error


def parse(text: str, file: str) -> RuleSet:
    """Check a pack's text; `file` is its name in messages."""
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise BadRulePack(file, "the file", "TOML", Said("lists nested without end")) from error
    except ValueError as error:
        raise BadRulePack(file, "the file", "TOML", Said(why_unreadable(error))) from error
    return build(data, file)


def build(data: object, file: str) -> RuleSet:
    """Check a pack's data as TOML gives it; `file` is its name in messages."""
    at = Spot(file, TOP, data).table("format", "name", "version", "size", "armour", "infantry", "group", "damage")
    at["format"].whole(FORMAT, FORMAT)
    return RuleSet(
        name=at["name"].text(_TEXT, _A_TEXT),
        version=at["version"].text(_TEXT, _A_TEXT),
        size_dice=_levels(at["size"]),
        armour_dice=_levels(at["armour"]),
        infantry=_infantry(at["infantry"]),
        systems=_systems(at["group"]),
        damage=_damage(at["damage"]),
        hash=_hash(data),
    )


def _hash(checked: object) -> str:
    said = json.dumps(checked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"


def _levels(at: Spot) -> tuple[Die, ...]:
    levels = at.table(*(str(level) for level in LEVELS))
    return tuple(level.die() for level in levels.values())


def _infantry(at: Spot) -> tuple[Infantry, ...]:
    teams: list[Infantry] = []
    taken: set[str] = set()
    for key, spot in at.entries("a table of infantry teams, each with name and die").items():
        entry = spot.table("name", "die")
        Spot(at.file, f"{at.key}, the id", key).text(_ID, _AN_ID)
        team = Infantry(key, entry["name"].text(_TEXT, _A_TEXT), entry["die"].die())
        spellings = {plain(team.id), plain(team.name)}
        if spellings & taken:
            raise spot.bad("an id and a name that no other team goes by", f"{team.id} ({team.name})")
        taken |= spellings
        teams.append(team)
    return tuple(teams)


def _systems(at: Spot) -> tuple[System, ...]:
    systems: list[System] = []
    taken: set[str] = set()
    for group in at.items("group"):
        entry = group.table("systems", "size", "needs_cover", "rows")
        label = entry["size"].word(SIZE_LABELS)
        needs_cover = entry["needs_cover"].flag() if entry["needs_cover"].there else False
        rows = _rows(entry["rows"], needs_cover)
        for spot in entry["systems"].items("system"):
            name = spot.text(_ID, _AN_ID)
            if plain(name) in taken:
                raise spot.bad("a system that no other row group names")
            taken.add(plain(name))
            systems.append(System(name, label, needs_cover, rows))
    return tuple(systems)


def _rows(at: Spot, needs_cover: bool) -> tuple[Row, ...]:
    rows = tuple(_row(spot) for spot in at.items("row"))
    for kind in Kind:
        if any(kind in row.against for row in rows):
            _one_row_for_each(at, rows, kind)
            _cover_rows(at, rows, kind, needs_cover)
    return rows


def _row(at: Spot) -> Row:
    entry = at.table("against", "range", "armour_type", "cover", "firer", "target", "printed")
    against = AGAINST[entry["against"].word(tuple(AGAINST))]
    armour_type = entry["armour_type"]
    if armour_type.there and Kind.INFANTRY in against:
        raise armour_type.bad("nothing in a row against infantry, which takes no armour type")
    return Row(
        against=against,
        ranges=entry["range"].words(RANGES) if entry["range"].there else (),
        armour_types=armour_type.words(ARMOUR_TYPES) if armour_type.there else ARMOUR_TYPES[:1],
        covers=entry["cover"].words(COVERS) if entry["cover"].there else COVERS[:1],
        firer=entry["firer"].die(),
        target=entry["target"].die(),
        printed=entry["printed"].text(_PRINTED, "a percentage such as 75%, or ineffective"),
    )


def _one_row_for_each(at: Spot, rows: tuple[Row, ...], kind: Kind) -> None:
    """Refuse a gap or an overlap: each case the rows speak of has exactly one row."""
    mine = [row for row in rows if kind in row.against]
    armour_types = [word for word in ARMOUR_TYPES if word == ARMOUR_TYPES[0] or _some(mine, word)]
    covers = [word for word in COVERS if word == COVERS[0] or _some(mine, word)]
    for case in product(_ranges(at, rows, mine), armour_types, covers):
        said = ", ".join(word for word in (kind.value, *case) if word)
        _exactly_one(at, f"row for {said}", [row.holds(kind, *case) for row in rows])


def _ranges(at: Spot, rows: tuple[Row, ...], mine: list[Row]) -> tuple[str, ...] | tuple[None]:
    """All ranges where any of `mine` has one, and then each must; else the one case of no range."""
    if not any(row.ranges for row in mine):
        return (None,)
    for row in mine:
        if not row.ranges:
            spot = at.items("row")[rows.index(row)].under("range")
            raise spot.bad("close, medium or long, as its fellow rows have one")
    return RANGES


def _exactly_one(at: Spot, what: str, holding: list[bool]) -> None:
    numbers = [str(n) for n, holds in enumerate(holding, 1) if holds]
    if len(numbers) != 1:
        raise at.bad(f"one {what}", f"rows {both(numbers)}" if numbers else "none")


def _some(rows: list[Row], word: str) -> bool:
    return any(word in row.armour_types or word in row.covers for row in rows)


def _cover_rows(at: Spot, rows: tuple[Row, ...], kind: Kind, needs_cover: bool) -> None:
    named = {cover for row in rows if kind in row.against for cover in row.covers}
    if needs_cover and named != set(COVERS):
        missing = [cover for cover in COVERS if cover not in named]
        raise at.bad(f"a row for every cover, since needs_cover is true, {kind} too", f"none for {', '.join(missing)}")


def _damage(at: Spot) -> DamageTable:
    entry = at.table("on", "by", "die", "rows")
    die = Die(entry["die"].word((Die.D10,)))
    rows = tuple(_damage_row(spot, die) for spot in entry["rows"].items("row"))
    for face in range(1, die.sides + 1):
        _exactly_one(entry["rows"], f"row for face {face} of the {die}", [row.low <= face <= row.high for row in rows])
    return DamageTable(die=die, on=entry["on"].flag(), by=Side(entry["by"].word(tuple(Side))), rows=rows)


def _damage_row(at: Spot, die: Die) -> DamageRow:
    entry = at.table("faces", "result", "name", "means")
    ends = entry["faces"].items("face")
    if len(ends) != 2:
        raise entry["faces"].bad("the lowest and the highest face, such as [2, 5]")
    low = ends[0].whole(1, die.sides)
    return DamageRow(
        low=low,
        high=ends[1].whole(low, die.sides),
        result=entry["result"].word(tuple(DAMAGE_FINALS)),
        name=entry["name"].text(_TEXT, _A_TEXT),
        means=entry["means"].text(_TEXT, _A_TEXT),
    )
