"""What a page or the API asks of a rule set: systems, their choices, the damage slot."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from dicetower.errors import RulesRefusal
from dicetower.model import Die, Side, Slot, SlotName
from dicetower.rules.pack import standard
from dicetower.rules.ruleset import Conditions

RULES = standard()
RANGES = ("close", "medium", "long")
NONE = Conditions((), (), (), needs_cover=False)
RANGED = Conditions(RANGES, (), (), needs_cover=False)
MISSILE = Conditions((), ("standard", "ablative", "reactive", "active"), (), needs_cover=False)
AREA = Conditions((), (), ("open", "dug-in", "urban"), needs_cover=False)
FIGHT = Conditions((), (), ("open", "soft", "dug-in", "urban"), needs_cover=True)


@pytest.mark.parametrize(
    ("system", "vehicle", "infantry"),
    [
        ("HEL", Conditions((), ("standard", "ablative"), (), needs_cover=False), None),
        ("RFAC", RANGED, None),
        ("HVC", RANGED, None),
        ("HKP", RANGED, None),
        ("MDC", RANGED, None),
        ("DFFG", RANGED, None),
        ("IAVR", MISSILE, None),
        ("GMS", MISSILE, None),
        ("SLAM", MISSILE, None),
        ("HEF", AREA, AREA),
        ("MAK", AREA, AREA),
        ("DPL", AREA, AREA),
        ("firefight", None, FIGHT),
        ("close-assault", None, FIGHT),
    ],
)
def test_each_system_has_its_own_choices_and_no_others(
    system: str, vehicle: Conditions | None, infantry: Conditions | None
) -> None:
    choices = RULES.choices(system)
    assert choices.system == system
    assert choices.label == system.replace("-", " ")
    assert choices.size_label == ("chits" if vehicle is None else "size class")
    assert choices.sizes == (1, 2, 3, 4, 5)
    assert choices.armour == (() if vehicle is None else (1, 2, 3, 4, 5))
    assert [team.id for team in choices.infantry] == (
        [] if infantry is None else ["militia", "line", "powered", "super"]
    )
    assert (choices.vehicle_conditions, choices.infantry_conditions) == (vehicle, infantry)


def test_infantry_is_shown_by_its_printed_name() -> None:
    assert [team.name for team in RULES.infantry] == ["Militia", "Line", "Powered Armour", "Super PA"]
    assert RULES.team("POWERED") is RULES.team("powered_armour")


def test_unknown_names_are_refused_with_those_there_are() -> None:
    with pytest.raises(RulesRefusal, match=r"^No weapon system 'nova'; there are HEL, .* close-assault\.$"):
        RULES.choices("nova")
    with pytest.raises(RulesRefusal, match=r"^No infantry ''; expected militia, line, powered or super\.$"):
        RULES.team("")


def test_ruling_10_the_firer_throws_the_d10_unless_the_table_says_otherwise() -> None:
    assert RULES.damage_slot() == Slot(SlotName.DAMAGE, Side.FIRER, Die.D10)
    assert RULES.damage_slot(Side.TARGET) == Slot(SlotName.DAMAGE, Side.TARGET, Die.D10)


def test_the_table_setting_stands_over_the_packs() -> None:
    assert [RULES.damage.in_play(setting) for setting in (None, True, False)] == [True, True, False]


def test_a_rule_set_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        RULES.name = "mine"  # type: ignore[misc]  # that it cannot is the point
