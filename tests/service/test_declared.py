"""Declared attacks: every refusal by its sentence, every spelling accepted, and nothing but refusals escapes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.errors import RulesRefusal
from dicetower.model import Attack
from dicetower.rules.declared import declared, describe
from dicetower.rules.pack import standard
from dicetower.rules.plan import plan

RULES = standard()
RANGED = ["RFAC", "HVC", "HKP", "MDC", "DFFG"]
ANTI_VEHICLE = ["HEL", *RANGED, "IAVR", "GMS", "SLAM"]
AT_INFANTRY_ONLY = ["firefight", "close-assault"]
SYSTEMS = [*ANTI_VEHICLE, "HEF", "MAK", "DPL", *AT_INFANTRY_ONLY]
TEAMS = "militia, line, powered or super"


def legal(system: str) -> Attack:
    """An attack that the rules have, with nothing said that need not be."""
    infantry = system in AT_INFANTRY_ONLY
    return Attack(
        system,
        3,
        range="medium" if system in RANGED else None,
        armour=None if infantry else 3,
        infantry="line" if infantry else None,
        cover="soft" if infantry else None,
    )


@pytest.mark.parametrize(
    ("typed", "system"),
    [
        ("hel", "HEL"),
        (" Hel ", "HEL"),
        ("close assault", "close-assault"),
        ("Close-Assault", "close-assault"),
        ("CLOSE_ASSAULT", "close-assault"),
        ("close  assault", "close-assault"),
        ("FireFight", "firefight"),
        ("slam", "SLAM"),
    ],
)
def test_a_system_goes_by_its_name_in_any_case(typed: str, system: str) -> None:
    assert declared(RULES, replace(legal(system), system=typed)) == legal(system)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_legal_attack_is_kept_as_it_is(system: str) -> None:
    assert declared(RULES, legal(system)) == legal(system)


def test_every_word_is_put_into_the_rules_own_spelling() -> None:
    typed = Attack("dpl", 5, armour=1, armour_type=" REACTIVE ", cover="Dug In")
    assert declared(RULES, typed) == Attack("DPL", 5, armour=1, armour_type="reactive", cover="dug-in")
    assert declared(RULES, Attack("hkp", 1, range="LONG", armour=2)).range == "long"
    for name in ("super", "Super PA", "super-pa"):
        assert declared(RULES, Attack("DPL", 1, infantry=name)).infantry == "super"
    assert declared(RULES, Attack("DPL", 1, infantry="powered armour")).infantry == "powered"


REFUSED = [
    (
        Attack("LASER", 3, armour=3),
        "No weapon system 'LASER'; there are HEL, RFAC, HVC, HKP, MDC, DFFG, IAVR, GMS, SLAM, HEF, MAK, DPL, "
        "firefight, close-assault.",
    ),
    (Attack("HEL", 0, armour=3), "Expected a size class of 1 to 5, got 0."),
    (Attack("HEL", 6, armour=3), "Expected a size class of 1 to 5, got 6."),
    (Attack("HEL", -1, armour=3), "Expected a size class of 1 to 5, got -1."),
    (Attack("firefight", 6, infantry="line", cover="soft"), "Expected 1 to 5 chits, got 6."),
    (Attack("HEL", 3, armour=0), "Expected an armour level of 1 to 5, got 0."),
    (Attack("HEL", 3, armour=6), "Expected an armour level of 1 to 5, got 6."),
    (
        Attack("HEL", 3),
        f"Name one target, a vehicle's armour (1 to 5) or the infantry ({TEAMS}); got neither.",
    ),
    (
        Attack("HEL", 3, armour=3, infantry="line"),
        f"Name one target, a vehicle's armour (1 to 5) or the infantry ({TEAMS}); got both.",
    ),
    (Attack("DPL", 3, infantry="elite"), f"No infantry 'elite'; expected {TEAMS}."),
    (
        Attack("HKP", 3, armour=3),
        "HKP needs a range, close, medium or long: its effectiveness is not the same at every range.",
    ),
    (Attack("HKP", 3, range="far", armour=3), "No range 'far'; expected close, medium or long."),
    (Attack("HKP", 3, range="", armour=3), "No range ''; expected close, medium or long."),
    (
        Attack("HEL", 3, armour=3, armour_type="slat"),
        "No armour type 'slat'; expected standard, ablative, reactive or active.",
    ),
    (Attack("HEL", 3, armour=3, cover="woods"), "No cover 'woods'; expected open, soft, dug-in or urban."),
    (
        Attack("DPL", 3, infantry="line", armour_type="standard"),
        "Infantry takes no armour type; leave the armour type out.",
    ),
    (
        Attack("firefight", 3, armour=3, cover="soft"),
        f"Firefight is against infantry only; name the infantry: {TEAMS}.",
    ),
    (
        Attack("close-assault", 3, armour=3, cover="soft"),
        f"Close assault is against infantry only; name the infantry: {TEAMS}.",
    ),
    (Attack("firefight", 3, infantry="line"), "Firefight needs a cover: open, soft, dug-in or urban."),
    (Attack("close-assault", 3, infantry="line"), "Close assault needs a cover: open, soft, dug-in or urban."),
    (Attack("HEL", True, armour=3), "Expected a size class of 1 to 5, got True."),
    (Attack("x" * 500, 3, armour=3), "No weapon system '" + "x" * 35 + "...'; there are HEL"),
]


@pytest.mark.parametrize(("attack", "sentence"), REFUSED)
def test_each_refusal_by_its_sentence(attack: Attack, sentence: str) -> None:
    with pytest.raises(RulesRefusal) as refused:
        declared(RULES, attack)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("system", [s for s in SYSTEMS if s not in RANGED])
def test_ruling_5_a_range_is_refused_where_there_are_no_range_rows(system: str) -> None:
    label = {"firefight": "Firefight", "close-assault": "Close assault"}.get(system, system)
    with pytest.raises(RulesRefusal) as refused:
        declared(RULES, replace(legal(system), range="close"))
    assert str(refused.value) == (
        f"{label} takes no range, since its effectiveness is the same at every range; leave the range out."
    )


@pytest.mark.parametrize("system", RANGED)
def test_ruling_5_a_range_is_required_where_there_are_range_rows(system: str) -> None:
    with pytest.raises(RulesRefusal, match=f"^{system} needs a range, close, medium or long: "):
        declared(RULES, replace(legal(system), range=None))


@pytest.mark.parametrize("system", ANTI_VEHICLE)
def test_ruling_3_no_row_against_infantry_points_to_a_firefight(system: str) -> None:
    with pytest.raises(RulesRefusal) as refused:
        declared(RULES, replace(legal(system), armour=None, infantry="line"))
    assert str(refused.value) == (
        f"{system} has no row against infantry; use a firefight with the weapon's anti-personnel chits "
        "(our advice, not the rules' author's)."
    )


def test_ruling_3_gives_no_advice_that_a_pack_without_firefights_cannot_keep() -> None:
    few = replace(RULES, systems=tuple(s for s in RULES.systems if s.id != "firefight"))
    with pytest.raises(RulesRefusal, match=r"^HEL has no row against infantry\.$"):
        declared(few, Attack("HEL", 3, infantry="line"))


@pytest.mark.parametrize(
    ("attack", "title"),
    [
        (Attack("HKP", 3, range="medium", armour=4), "HKP size 3, medium range, against armour 4"),
        (Attack("HEL", 1, armour=1, armour_type="ablative"), "HEL size 1, against armour 1, ablative armour"),
        (Attack("MAK", 5, armour=2, cover="dug-in"), "MAK size 5, against armour 2, dug-in"),
        (Attack("DPL", 5, infantry="super", cover="urban"), "DPL size 5, against Super PA infantry, urban"),
        (
            Attack("firefight", 1, infantry="line", cover="open"),
            "Firefight, 1 chit, against Line infantry, open terrain",
        ),
        (
            Attack("close-assault", 2, infantry="powered", cover="soft"),
            "Close assault, 2 chits, against Powered Armour infantry, soft cover",
        ),
    ],
)
def test_an_attack_in_one_line(attack: Attack, title: str) -> None:
    assert describe(RULES, declared(RULES, attack)) == title


def maybe(words: list[str]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(words) | st.text(max_size=6)


ATTACKS = st.builds(
    Attack,
    system=st.sampled_from(SYSTEMS) | st.text(max_size=8),
    size=st.integers(-1, 7),
    range=maybe(["close", "medium", "long"]),
    armour=st.none() | st.integers(-1, 7),
    infantry=maybe(["militia", "line", "powered", "super"]),
    armour_type=maybe(["standard", "ablative", "reactive", "active"]),
    cover=maybe(["open", "soft", "dug-in", "urban"]),
)


@given(ATTACKS)
def test_any_attack_has_a_plan_or_is_refused_in_one_line(attack: Attack) -> None:
    try:
        made = plan(RULES, attack)
    except RulesRefusal as refusal:
        said = str(refusal)
    else:
        checked = declared(RULES, attack)
        assert declared(RULES, checked) == checked
        assert plan(RULES, checked) == made
        assert describe(RULES, checked)
        return
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 250
