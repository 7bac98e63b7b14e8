"""What a plan says beside its dice: choices that do nothing, and "ineffective". The dice: test_source_rows.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dicetower.model import Attack
from dicetower.rules.pack import standard
from dicetower.rules.plan import plan

HEL = Attack("HEL", 3, armour=3)
RFAC = Attack("RFAC", 3, range="long", armour=3)
GMS = Attack("GMS", 3, armour=3)
HEF = Attack("HEF", 3, armour=3)
HEF_AT_INFANTRY = Attack("HEF", 3, infantry="line")
INEFFECTIVE = "printed ineffective, and the dice are rolled all the same"


@pytest.mark.parametrize(
    ("attack", "notes"),
    [
        (HEL, ()),
        (replace(HEL, armour_type="standard"), ()),
        (replace(HEL, armour_type="ablative"), ()),
        (replace(HEL, armour_type="reactive"), ("reactive armour does nothing against HEL",)),
        (replace(HEL, cover="soft"), ("cover does nothing for HEL",)),
        (replace(HEL, cover="open"), ("cover does nothing for HEL",)),
        (
            replace(HEL, armour_type="active", cover="urban"),
            ("active armour does nothing against HEL", "cover does nothing for HEL"),
        ),
        (replace(RFAC, armour_type="reactive"), ("armour type does nothing for RFAC",)),
        (replace(RFAC, armour_type="standard"), ("armour type does nothing for RFAC",)),
        (replace(GMS, armour_type="ablative"), ()),
        (replace(HEF, cover="open"), ()),
        (replace(HEF, cover="soft"), ("soft cover does nothing for HEF",)),
        (replace(HEF, cover="urban"), (INEFFECTIVE,)),
        (
            replace(HEF, armour_type="active", cover="dug-in"),
            ("armour type does nothing for HEF", INEFFECTIVE),
        ),
        (replace(HEF_AT_INFANTRY, cover="soft"), ("soft cover does nothing for HEF",)),
        (replace(HEF_AT_INFANTRY, cover="urban"), ()),
        (Attack("firefight", 1, infantry="line", cover="soft"), ()),
        (Attack("close-assault", 1, infantry="line", cover="open"), ()),
    ],
)
def test_rulings_2_4_and_11_what_does_nothing_is_said(attack: Attack, notes: tuple[str, ...]) -> None:
    assert plan(standard(), attack).notes == notes


@pytest.mark.parametrize(
    ("attack", "idle"),
    [
        (RFAC, {"armour_type": "reactive"}),
        (RFAC, {"cover": "urban"}),
        (HEL, {"armour_type": "active", "cover": "dug-in"}),
        (HEF, {"cover": "soft"}),
        (GMS, {"cover": "dug-in"}),
    ],
)
def test_ruling_2_what_does_nothing_changes_no_die(attack: Attack, idle: dict[str, str]) -> None:
    said = replace(attack, armour_type=idle.get("armour_type"), cover=idle.get("cover"))
    assert plan(standard(), said).slots == plan(standard(), attack).slots
    assert plan(standard(), said).printed == plan(standard(), attack).printed


def test_ruling_4_ineffective_is_printed_and_rolled() -> None:
    made = plan(standard(), replace(HEF, cover="dug-in"))
    assert made.printed == "ineffective"
    assert [slot.die.sides for slot in made.slots] == [8, 4, 8, 20]
