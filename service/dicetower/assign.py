"""Which reading fills which slot, or why none: the table's published rule, applied before anybody's values count.

    a reading
    ├── named slot                  a person said it: there, if it owes that type
    ├── late, D100, no such face    unassigned: a person decides
    ├── whose?   who (a bound e-die, a person) > colour > tray zone > whose turn it is
    ├── which?   the player's owed slots of its type, in plan order; dice by place, left to right
    └── unsure or cocked            its slot asks; under the rule "reroll" a cocked die is set aside

Values never choose: two readings change places only where their values are equal and nothing else can tell.
A throw with more dice of a type than its player owes fills none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations, pairwise

from dicetower.model import Die, Player, Reading, ReadingStatus, Side, Slot, SlotName, SourceKind

EQUAL_PLACE = 0.02
"""Dice whose centres are nearer than this share of the tray's width stand in one column: the upper comes first.
A 16 mm die in a 400 mm tray is 0.04 wide, so two dice so close in both directions would overlap."""

COLOUR_REACH = 40.0
COLOUR_MARGIN = 15.0
"""CIELAB distances (CIE 1976 dE*ab; about 2.3 is just noticeable, Mahy, Van Eycken and Oosterlinck 1994). A die is
the nearest player's if within reach and nearer by the margin than to the next; lamp light shifts both alike."""


class Order(StrEnum):
    """When plain dice are thrown: the firer's, then the target's; or all together."""

    FIRER_FIRST = "firer first"
    TOGETHER = "together"


class Cocked(StrEnum):
    """What the table does with a leaning die: asks what it shows, or has it thrown again."""

    ASK = "ask"
    REROLL = "reroll"


class Held(StrEnum):
    """How a slot stands: nobody threw it, a doubtful die lies in it, or its value is known."""

    OWED = "owed"
    ASKING = "asking"
    FILLED = "filled"


class Waits(StrEnum):
    """Why an unassigned die may yet go by itself: a type nobody could tell, or too many of one type."""

    NO = "no"
    TYPE = "type"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Due:
    """One slot of the open attack: whose it is and how it stands."""

    slot: Slot
    player: str
    held: Held = Held.OWED
    value: int | None = None


@dataclass(frozen=True, slots=True)
class House:
    """The table's published rules that assignment needs. `zones` maps a tray zone's name to a player's id."""

    order: Order = Order.FIRER_FIRST
    cocked: Cocked = Cocked.ASK
    by_colour: bool = False
    zones: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one reading, and why, in a sentence a player understands.

    `slot` None: unassigned. With a slot, `value` is the face that stands, or None where the slot asks.
    """

    reading: str
    slot: SlotName | None
    value: int | None
    why: str
    waits: Waits = Waits.NO


def assign(
    readings: Sequence[Reading], dues: Sequence[Due], players: Sequence[Player], house: House
) -> tuple[Decision, ...]:
    """Decide every reading of one throw; `dues` are the attack's slots in plan order, `players` all who are seated.

    The decisions come in the order of the readings.
    """
    table = _Table(list(dues), {player.id: player for player in players}, house)
    decided: dict[str, Decision] = {}
    claims: list[_Claim] = []
    for reading in readings:
        if reading.slot is not None:
            decided[reading.key] = _named(reading, reading.slot, table)
    for reading in readings:
        if reading.key not in decided:
            claim = _claim(reading, table)
            if isinstance(claim, Decision):
                decided[reading.key] = claim
            else:
                claims.append(claim)
    unknown = [claim for claim in claims if type_unknown(claim.reading.die, claim.reading.value)]
    for claim in unknown:
        decided[claim.reading.key] = _aside(claim.reading, _what_type(claim.reading), Waits.TYPE)
    groups = _groups(claim for claim in claims if not type_unknown(claim.reading.die, claim.reading.value))
    for group in sorted(groups, key=lambda group: not _open_dues(group, table)):  # first those that somebody owes
        for decision in _group(group, unknown, table):
            decided[decision.reading] = decision
    return tuple(decided[reading.key] for reading in readings)


def turn(dues: Sequence[Due], order: Order) -> Side | None:
    """Whose turn it is to throw plain dice; None where nobody owes, or all throw together."""
    if order is Order.TOGETHER:
        return None
    return next((due.slot.by for due in dues if due.held is Held.OWED), None)


def shown(die: Die, value: int) -> int:
    """The value a face stands for: a D10's 0 is 10."""
    return 10 if die is Die.D10 and value == 0 else value


def doubtful(reading: Reading) -> bool:
    """Whether a person must say what it shows: unsure, without a value, or leaning."""
    return reading.status is not ReadingStatus.SURE or reading.value is None or reading.cocked


@dataclass(slots=True)
class _Table:
    """The case as it stands while one throw is decided: `dues` are locked as dice go into them."""

    dues: list[Due]
    players: Mapping[str, Player]
    house: House

    def name(self, player: str) -> str:
        seated = self.players.get(player)
        return seated.name if seated else player

    def lock(self, name: SlotName, value: int | None) -> None:
        held = Held.ASKING if value is None else Held.FILLED
        self.dues = [replace(due, held=held, value=value) if due.slot.name is name else due for due in self.dues]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A reading and the slots it may go to: `scope`, in plan order; `how` its owner was told."""

    reading: Reading
    scope: tuple[SlotName, ...]
    how: str


def _aside(reading: Reading, why: str, waits: Waits = Waits.NO) -> Decision:
    return Decision(reading.key, None, None, why, waits)


def _named(reading: Reading, name: SlotName, table: _Table) -> Decision:
    """A die whose slot a person named."""
    due = next((due for due in table.dues if due.slot.name is name), None)
    if due is None:
        return _aside(reading, f"this attack owes no {name} die")
    if due.held is not Held.OWED:
        return _aside(reading, _locked([due], table))
    if reading.die not in (None, due.slot.die):
        return _aside(reading, f"a {reading.die}; {table.name(due.player)} owes a {due.slot.die} for {_short(due)}")
    if reading.value is not None and not _on_die(due.slot.die, reading.value):
        return _aside(reading, _no_such_face(due.slot.die, reading.value))
    return _fill(reading, due, table, "named by the person who gave it")


def _claim(reading: Reading, table: _Table) -> _Claim | Decision:
    """Whose the die is, and so which slots it may go to; or why that cannot be said."""
    if reading.late:
        return _aside(reading, "rolled when nobody had asked for it: place it or dismiss it")
    if reading.die is Die.D100:
        return _aside(reading, "a D100, the tens die: nobody owes one, and it is never a D10")
    owner, how = _owner(reading, table)
    if owner is not None:
        return _owners_claim(reading, owner, how, table)
    side = turn(table.dues, table.house.order)
    if side is not None:
        scope = [due for due in table.dues if due.slot.by is side]
        return _Claim(reading, _names(scope), f"it is {table.name(scope[0].player)}'s turn")
    return _claim_by_type(reading, table)


def _owner(reading: Reading, table: _Table) -> tuple[str | None, str]:
    if reading.who is not None:
        return reading.who, "the die is bound" if reading.source is SourceKind.EDIE else "the player was named"
    if table.house.by_colour and reading.colour is not None:
        nearest = nearest_player(reading.colour, list(table.players.values()))
        if nearest is not None:
            return nearest, "by its colour"
    if reading.zone is not None and reading.zone in table.house.zones:
        return table.house.zones[reading.zone], f"by the {reading.zone} zone"
    return None, ""


def _owners_claim(reading: Reading, owner: str, how: str, table: _Table) -> _Claim | Decision:
    scope = [due for due in table.dues if due.player == owner]
    if not scope:
        throwers = _and(dict.fromkeys(table.name(due.player) for due in table.dues))
        verb = "throws" if len({due.player for due in table.dues}) == 1 else "throw"
        return _aside(reading, f"{table.name(owner)}'s die ({how}); only {throwers} {verb} in this attack")
    side = turn(scope, table.house.order)
    if side is not None and len({due.player for due in table.dues}) == 1:
        scope = [due for due in scope if due.slot.by is side]  # one person on both sides throws them in turn
    return _Claim(reading, _names(scope), how)


def _claim_by_type(reading: Reading, table: _Table) -> _Claim:
    """All throw together and nothing says whose the die is: its type does, if one player alone owes that type."""
    owing = [due for due in table.dues if due.held is Held.OWED and due.slot.die is reading.die]
    throwers = {due.player for due in owing}
    scope = [due for due in table.dues if not throwers or due.player in throwers]
    return _Claim(reading, _names(scope), "by its type")


def _groups(claims: Iterable[_Claim]) -> list[list[_Claim]]:
    """Dice of one type that may go to the same slots: these and no others can be taken for each other."""
    groups: dict[tuple[Die | None, tuple[SlotName, ...]], list[_Claim]] = {}
    for claim in claims:
        groups.setdefault((claim.reading.die, claim.scope), []).append(claim)
    return list(groups.values())


def _group(group: list[_Claim], unknown: list[_Claim], table: _Table) -> list[Decision]:
    die, scope = group[0].reading.die, group[0].scope
    open_dues = _open_dues(group, table)
    if not open_dues:
        return [_aside(claim.reading, _nobody_owes(claim, table)) for claim in group]
    if any(set(other.scope) & set(scope) for other in unknown):
        return _all_aside(group, f"say first what the die beside it is: it may be another {die}", Waits.TYPE)
    throwers = list(dict.fromkeys(table.name(due.player) for due in open_dues))
    if len(throwers) > 1 and not (len(group) == len(open_dues) and _alike(group)):
        return _all_aside(group, f"{_and(throwers)} both owe a {die}, and nothing says whose this is: place it")
    if len(group) > len(open_dues):
        return _all_aside(group, _too_many(len(group), open_dues, table), Waits.COUNT)
    ordered = _in_order(group)
    if ordered is None:
        return _all_aside(group, f"nothing says which of {throwers[0]}'s {len(group)} {die} lies left: place them")
    why = _which(len(group), len(open_dues), str(die))
    return [_give(claim, due, table, why) for claim, due in zip(ordered, open_dues, strict=False)]


def _open_dues(group: list[_Claim], table: _Table) -> list[Due]:
    """The owed slots of the group's type that its dice may go to."""
    die = group[0].reading.die
    return [due for due in _dues(group[0].scope, table) if due.held is Held.OWED and due.slot.die is die]


def _all_aside(group: list[_Claim], why: str, waits: Waits = Waits.NO) -> list[Decision]:
    return [_aside(claim.reading, why, waits) for claim in group]


def _too_many(count: int, owed: list[Due], table: _Table) -> str:
    due = owed[0]
    return f"{count} {due.slot.die} where {table.name(due.player)} owes {len(owed)}: throw again with {len(owed)}"


def _which(dice: int, owed: int, die: str) -> str:
    if owed == 1:
        return f"the only {die} owed"
    return "in turn" if dice == 1 else f"by its place among {dice} {die}"


def _in_order(group: list[_Claim]) -> list[_Claim] | None:
    """The dice left to right, those in one column from the top; None where their places cannot tell them apart."""
    if len(group) == 1:
        return group
    if any(claim.reading.at is None for claim in group):
        from_camera = any(claim.reading.source is SourceKind.CAMERA for claim in group)
        return None if from_camera and not _alike(group) else group
    if any(_same_place(one, other) for one, other in combinations(group, 2)) and not _alike(group):
        return None
    return [claim for column in _columns(group) for claim in sorted(column, key=lambda claim: _at(claim)[1])]


def _columns(group: list[_Claim]) -> list[list[_Claim]]:
    columns: list[list[_Claim]] = []
    for claim in sorted(group, key=lambda claim: _at(claim)[0]):
        if columns and _at(claim)[0] - _at(columns[-1][0])[0] <= EQUAL_PLACE:
            columns[-1].append(claim)
        else:
            columns.append([claim])
    return columns


def _at(claim: _Claim) -> tuple[float, float]:
    assert claim.reading.at is not None
    return claim.reading.at


def _same_place(one: _Claim, other: _Claim) -> bool:
    (x1, y1), (x2, y2) = _at(one), _at(other)
    return abs(x1 - x2) <= EQUAL_PLACE and abs(y1 - y2) <= EQUAL_PLACE


def _alike(group: list[_Claim]) -> bool:
    """Whether it makes no difference which is which: all sure, and of one value."""
    sure = not any(doubtful(claim.reading) for claim in group)
    return sure and all(one.reading.value == other.reading.value for one, other in pairwise(group))


def _give(claim: _Claim, due: Due, table: _Table, why: str) -> Decision:
    if claim.reading.cocked and table.house.cocked is Cocked.REROLL:
        whose = f"{table.name(due.player)}'s {due.slot.die} for {_short(due)}"
        return _aside(claim.reading, f"{whose} is cocked: this table throws a cocked die again")
    return _fill(claim.reading, due, table, f"{claim.how}; {why}")


def _fill(reading: Reading, due: Due, table: _Table, why: str) -> Decision:
    value = None if doubtful(reading) or reading.value is None else shown(due.slot.die, reading.value)
    table.lock(due.slot.name, value)
    return Decision(reading.key, due.slot.name, value, why)


def _nobody_owes(claim: _Claim, table: _Table) -> str:
    """Why no slot takes a die whose type is known."""
    dues, die = _dues(claim.scope, table), claim.reading.die
    locked = [due for due in dues if due.slot.die is die and due.held is not Held.OWED]
    if locked:
        return _locked(locked, table)
    throwers = _and(dict.fromkeys(table.name(due.player) for due in dues))
    return f"a {die}; {owes(dues, table.players) or f'nothing more is owed by {throwers}'}"


def _locked(dues: list[Due], table: _Table) -> str:
    return _and(
        f"{table.name(due.player)}'s {_short(due)} die is "
        + (f"already {due.value}" if due.held is Held.FILLED else "being asked about")
        for due in dues
    )


def owes(dues: Iterable[Due], players: Mapping[str, Player]) -> str:
    """Who still owes which types: "Red owes a D8 and a D6"; empty where nothing is owed."""
    owing: dict[str, list[str]] = {}
    for due in dues:
        if due.held is Held.OWED:
            owing.setdefault(due.player, []).append(f"a {due.slot.die}")
    named = ((players[player].name if player in players else player, dice) for player, dice in owing.items())
    return "; ".join(f"{name} owes {_and(dice)}" for name, dice in named)


def type_unknown(die: Die | None, value: int | None) -> bool:
    """Whether a person must say which die it is: nobody could tell, or it showed a face that its type has not."""
    return die is None or (value is not None and not _on_die(die, value))


def _what_type(reading: Reading) -> str:
    if reading.die is None or reading.value is None:
        return "its type could not be told: say which die it is"
    return _no_such_face(reading.die, reading.value)


def _no_such_face(die: Die, value: int) -> str:
    return f"a {die} showed {value}, which it does not have: is the die type set right?"


def _on_die(die: Die, value: int) -> bool:
    return die.holds(shown(die, value))


def _dues(scope: tuple[SlotName, ...], table: _Table) -> list[Due]:
    return [due for due in table.dues if due.slot.name in scope]


def _names(dues: Iterable[Due]) -> tuple[SlotName, ...]:
    return tuple(due.slot.name for due in dues)


def _short(due: Due) -> str:
    return short(due.slot.name)


def short(name: SlotName) -> str:
    """A slot's name where the player is named too: "size", "effectiveness", "armour", "damage"."""
    return name.value.split()[-1]


def _and(words: Iterable[str]) -> str:
    *most, last = list(words)
    return f"{', '.join(most)} and {last}" if most else last


def nearest_player(colour: str, players: Sequence[Player]) -> str | None:
    """Return the id of the player whose colour a die has; None where none is near, or two nearly alike."""
    ranked = sorted((_distance(colour, player.colour), player.id) for player in players)
    if not ranked or ranked[0][0] > COLOUR_REACH:
        return None
    if len(ranked) > 1 and ranked[1][0] - ranked[0][0] < COLOUR_MARGIN:
        return None
    return ranked[0][1]


def _distance(one: str, other: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def lab(colour: str) -> tuple[float, float, float]:
    """CIELAB (D65) of an sRGB colour `#rrggbb`: IEC 61966-2-1 to linear light and XYZ, then CIE 15:2004."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (_cube_root(value) for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29
