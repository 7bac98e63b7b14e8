"""Every row of the rules text, retyped here by hand, against what the product plans, reckons and resolves.

The odds are counted here face by face over all four dice and the D10, by a rule written apart from the product's;
icepool, a public dice library, is the second opinion.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import icepool
import pytest

from dicetower.model import Attack, Side, SlotName
from dicetower.rules.odds import odds
from dicetower.rules.pack import standard
from dicetower.rules.plan import plan
from dicetower.rules.resolve import resolve


class Printed(NamedTuple):
    """One line of the rules text: the sides of the firer's and the target's effectiveness dice."""

    systems: str
    targets: str
    where: dict[str, str]
    firer: int
    target: int
    effectiveness: str


VEHICLE, INFANTRY, EITHER = "vehicle", "infantry", "vehicle infantry"
DUG_IN, URBAN = {"cover": "dug-in"}, {"cover": "urban"}

SOURCE = [
    Printed("HEL", VEHICLE, {}, 4, 8, "50%"),
    Printed("HEL", VEHICLE, {"armour_type": "ablative"}, 4, 12, "25%"),
    Printed("RFAC HVC", VEHICLE, {"range": "close"}, 6, 8, "75%"),
    Printed("RFAC HVC", VEHICLE, {"range": "medium"}, 4, 8, "50%"),
    Printed("RFAC HVC", VEHICLE, {"range": "long"}, 4, 12, "25%"),
    Printed("HKP MDC", VEHICLE, {"range": "close"}, 8, 8, "100%"),
    Printed("HKP MDC", VEHICLE, {"range": "medium"}, 6, 8, "75%"),
    Printed("HKP MDC", VEHICLE, {"range": "long"}, 4, 8, "50%"),
    Printed("DFFG", VEHICLE, {"range": "close"}, 8, 4, "200%"),
    Printed("DFFG", VEHICLE, {"range": "medium"}, 8, 8, "100%"),
    Printed("DFFG", VEHICLE, {"range": "long"}, 4, 8, "50%"),
    Printed("IAVR GMS SLAM", VEHICLE, {}, 6, 8, "75%"),
    Printed("IAVR GMS SLAM", VEHICLE, {"armour_type": "ablative"}, 6, 8, "75%"),
    Printed("IAVR GMS SLAM", VEHICLE, {"armour_type": "reactive"}, 4, 8, "50%"),
    Printed("IAVR GMS SLAM", VEHICLE, {"armour_type": "active"}, 4, 12, "25%"),
    Printed("HEF", INFANTRY, {}, 6, 8, "75%"),
    Printed("HEF", INFANTRY, DUG_IN, 4, 8, "50%"),
    Printed("HEF", INFANTRY, URBAN, 4, 8, "50%"),
    Printed("HEF", VEHICLE, {}, 4, 12, "25%"),
    Printed("HEF", VEHICLE, DUG_IN, 4, 20, "ineffective"),
    Printed("HEF", VEHICLE, URBAN, 4, 20, "ineffective"),
    Printed("MAK", VEHICLE, {}, 6, 8, "75%"),
    Printed("MAK", VEHICLE, DUG_IN, 4, 8, "50%"),
    Printed("MAK", VEHICLE, URBAN, 4, 8, "50%"),
    Printed("MAK", INFANTRY, {}, 4, 12, "25%"),
    Printed("MAK", INFANTRY, DUG_IN, 4, 20, "ineffective"),
    Printed("MAK", INFANTRY, URBAN, 4, 20, "ineffective"),
    Printed("DPL", EITHER, {}, 4, 8, "50%"),
    Printed("DPL", EITHER, DUG_IN, 4, 12, "25%"),
    Printed("DPL", EITHER, URBAN, 4, 12, "25%"),
    Printed("firefight", INFANTRY, {"cover": "open"}, 6, 8, "75%"),
    Printed("firefight", INFANTRY, {"cover": "soft"}, 4, 8, "50%"),
    Printed("firefight", INFANTRY, DUG_IN, 4, 12, "25%"),
    Printed("firefight", INFANTRY, URBAN, 4, 12, "25%"),
    Printed("close-assault", INFANTRY, {"cover": "open"}, 8, 8, "100%"),
    Printed("close-assault", INFANTRY, {"cover": "soft"}, 6, 8, "75%"),
    Printed("close-assault", INFANTRY, DUG_IN, 4, 8, "50%"),
    Printed("close-assault", INFANTRY, URBAN, 4, 8, "50%"),
]
LEVEL_DICE = {1: 4, 2: 6, 3: 8, 4: 10, 5: 12}
INFANTRY_DICE = {"militia": 6, "line": 8, "powered": 10, "super": 12}
D10_TABLE = ["undamaged"] + 4 * ["systems_down"] + 3 * ["mobility"] + 2 * ["destroyed"]

CASES = [(system, kind, row) for row in SOURCE for system in row.systems.split() for kind in row.targets.split()]
IDS = [f"{system}-{kind}-{'-'.join(row.where.values()) or 'plain'}" for system, kind, row in CASES]


def attacks(system: str, kind: str, row: Printed) -> list[tuple[Attack, int, int]]:
    """Each size against each target of that kind, with the sides of the size and armour dice."""
    if kind == VEHICLE:
        pairs = product(LEVEL_DICE, LEVEL_DICE)
        return [(said(row, Attack(system, s, armour=a)), LEVEL_DICE[s], LEVEL_DICE[a]) for s, a in pairs]
    teams = product(LEVEL_DICE, INFANTRY_DICE)
    return [(said(row, Attack(system, s, infantry=t)), LEVEL_DICE[s], INFANTRY_DICE[t]) for s, t in teams]


def said(row: Printed, attack: Attack) -> Attack:
    """`attack` under the row's condition."""
    range_, armour_type, cover = (row.where.get(key) for key in ("range", "armour_type", "cover"))
    return replace(attack, range=range_, armour_type=armour_type, cover=cover)


def ruled(kind: str, firer: tuple[int, int], target: tuple[int, int]) -> str:
    """The last paragraph of the rules text."""
    higher = [theirs > ours for theirs, ours in zip(target, firer, strict=True)]
    if all(higher):
        return "undamaged"
    if any(higher):
        return "damaged" if kind == VEHICLE else "undamaged"
    return "destroyed"


@cache
def counted(kind: str, sides: tuple[int, int, int, int]) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """Odds before and after the D10, by throwing every face of every die once."""
    before: Counter[str] = Counter()
    for f1, f2, t1, t2 in product(*(range(1, n + 1) for n in sides)):
        before[ruled(kind, (f1, f2), (t1, t2))] += 1
    after: Counter[str] = Counter()
    for result, n in before.items():
        for final in D10_TABLE if result == "damaged" else 10 * [result]:
            after[final] += n
    throws = sum(before.values())
    return (
        {result: Fraction(n, throws) for result, n in before.items()},
        {final: Fraction(n, 10 * throws) for final, n in after.items()},
    )


def test_the_pack_has_no_row_and_no_system_beyond_the_source() -> None:
    ours = sum(
        len(row.against) * len(row.covers) * len(row.armour_types)
        for system in standard().systems
        for row in system.rows
    )
    assert ours == len(CASES)
    assert [system.id for system in standard().systems] == list(dict.fromkeys(case[0] for case in CASES))


@pytest.mark.parametrize(("system", "kind", "row"), CASES, ids=IDS)
def test_the_plan_has_the_printed_dice(system: str, kind: str, row: Printed) -> None:
    for attack, size, armour in attacks(system, kind, row):
        made = plan(standard(), attack)
        assert [(slot.name, slot.by, slot.die.sides) for slot in made.slots] == [
            (SlotName.FIRER_SIZE, Side.FIRER, size),
            (SlotName.FIRER_EFFECTIVENESS, Side.FIRER, row.firer),
            (SlotName.TARGET_ARMOUR, Side.TARGET, armour),
            (SlotName.TARGET_EFFECTIVENESS, Side.TARGET, row.target),
        ]
        assert made.printed == row.effectiveness
        assert made.vehicle is (kind == VEHICLE)


@pytest.mark.parametrize(("system", "kind", "row"), CASES, ids=IDS)
def test_the_odds_are_those_of_counting_every_face(system: str, kind: str, row: Printed) -> None:
    for attack, size, armour in attacks(system, kind, row):
        before, after = counted(kind, (size, row.firer, armour, row.target))
        found = odds(standard(), plan(standard(), attack))
        assert [found.undamaged, found.damaged, found.destroyed] == [
            before.get(result, 0) for result in ("undamaged", "damaged", "destroyed")
        ]
        if kind == INFANTRY:
            assert found.after_table is None
            continue
        table = found.after_table
        assert table is not None
        assert [table.undamaged, table.systems_down, table.mobility, table.destroyed] == [
            after.get(final, 0) for final in ("undamaged", "systems_down", "mobility", "destroyed")
        ]


@pytest.mark.parametrize(("system", "kind", "row"), CASES, ids=IDS)
def test_icepool_agrees(system: str, kind: str, row: Printed) -> None:
    for attack, size, armour in attacks(system, kind, row):
        first = icepool.d(armour) > icepool.d(size)
        second = icepool.d(row.target) > icepool.d(row.firer)
        pairs = first + second
        found = odds(standard(), plan(standard(), attack))
        assert found.destroyed == pairs.probability(0)
        if kind == VEHICLE:
            assert (found.damaged, found.undamaged) == (pairs.probability(1), pairs.probability(2))
        else:
            assert found.damaged == 0
            assert found.undamaged == pairs.probability(1) + pairs.probability(2)


@pytest.mark.parametrize(
    ("kind", "attack"),
    [
        (VEHICLE, Attack("HEL", 3, armour=3)),
        (VEHICLE, Attack("DFFG", 1, range="close", armour=2)),
        (INFANTRY, Attack("close-assault", 2, infantry="line", cover="open")),
        (INFANTRY, Attack("MAK", 1, infantry="militia", cover="urban")),
    ],
    ids=["HEL", "DFFG", "close-assault", "MAK"],
)
def test_resolving_every_throw_gives_the_ruled_outcome(kind: str, attack: Attack) -> None:
    made = plan(standard(), attack)
    for f1, f2, t1, t2 in product(*(range(1, slot.die.sides + 1) for slot in made.slots)):
        assert resolve(standard(), made, [f1, f2, t1, t2]).outcome == ruled(kind, (f1, f2), (t1, t2))


def test_the_d10_table() -> None:
    made = plan(standard(), Attack("HKP", 3, range="medium", armour=4))
    finals = [resolve(standard(), made, [5, 3, 7, 3], damage=face).final for face in range(1, 11)]
    assert finals == D10_TABLE


def test_worked_result_of_the_rulings_exact_odds() -> None:
    found = odds(standard(), plan(standard(), Attack("HEL", 3, armour=3)))
    assert (found.undamaged, found.damaged, found.destroyed) == (
        Fraction(77, 256),
        Fraction(67, 128),
        Fraction(45, 256),
    )
    after = found.after_table
    assert after is not None
    assert (after.undamaged, after.systems_down) == (Fraction(113, 320), Fraction(67, 320))
    assert (after.mobility, after.destroyed) == (Fraction(201, 1280), Fraction(359, 1280))
