"""Odds that hold for any dice, and the table's own setting. Every row of the source: test_source_rows.py."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dicetower.model import Attack, Die
from dicetower.rules.odds import AfterTable, Odds, odds, target_wins
from dicetower.rules.pack import standard
from dicetower.rules.plan import plan
from dicetower.rules.shapes import after_table_shape, odds_shape

RULES = standard()
DICE = [Die.D4, Die.D6, Die.D8, Die.D10, Die.D12, Die.D20]
MADE = plan(RULES, Attack("HKP", 3, range="medium", armour=4))


@pytest.mark.parametrize("target", DICE)
@pytest.mark.parametrize("firer", DICE)
def test_a_pair_by_counting_every_two_faces(target: Die, firer: Die) -> None:
    higher = [t > f for t in range(1, target.sides + 1) for f in range(1, firer.sides + 1)]
    assert target_wins(target, firer) == Fraction(sum(higher), len(higher))


@pytest.mark.parametrize(
    ("target", "firer", "worked"),
    [
        (Die.D4, Die.D4, Fraction(3, 8)),  # 6 of 16
        (Die.D8, Die.D4, Fraction(11, 16)),  # 7+6+5+4 of 32
        (Die.D4, Die.D8, Fraction(3, 16)),  # 3+2+1 of 32
        (Die.D20, Die.D4, Fraction(7, 8)),  # 19+18+17+16 of 80
    ],
)
def test_a_pair_worked_by_hand(target: Die, firer: Die, worked: Fraction) -> None:
    assert target_wins(target, firer) == worked


def test_the_damage_table_is_a_setting_of_the_table_over_the_packs() -> None:
    off = replace(RULES, damage=replace(RULES.damage, on=False))
    assert odds(RULES, MADE).after_table is not None
    assert odds(RULES, MADE, damage_table_on=False).after_table is None
    assert odds(off, MADE).after_table is None
    assert odds(off, MADE, damage_table_on=True) == odds(RULES, MADE)
    assert odds(off, MADE).damaged == odds(RULES, MADE).damaged


@pytest.mark.parametrize("attack", [Attack("HEF", 1, armour=5, cover="urban"), Attack("DFFG", 5, "close", armour=1)])
def test_both_sets_of_odds_sum_to_one(attack: Attack) -> None:
    found = odds(RULES, plan(RULES, attack))
    after = found.after_table
    assert after is not None
    assert found.undamaged + found.damaged + found.destroyed == 1
    assert after.undamaged + after.systems_down + after.mobility + after.destroyed == 1


def test_fractions_are_written_in_lowest_terms_and_in_the_order_of_the_tables() -> None:
    third = Fraction(2, 6)
    after = AfterTable(Fraction(1), Fraction(0), Fraction(0), Fraction(0))
    found = Odds(undamaged=third, damaged=third, destroyed=third, after_table=after)
    assert list(odds_shape(found).items()) == [("undamaged", "1/3"), ("damaged", "1/3"), ("destroyed", "1/3")]
    assert list((after_table_shape(found) or {}).items()) == [
        ("undamaged", "1"),
        ("systems_down", "0"),
        ("mobility", "0"),
        ("destroyed", "0"),
    ]
    assert after_table_shape(replace(found, after_table=None)) is None
