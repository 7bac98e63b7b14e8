"""Figures that claim no more than the rolls can carry, against published tables and counting by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.model import Die, SourceKind
from dicetower.stats import Roll, chi_square, chi_square_tail, fairness, history, rolls

# Upper critical values of chi-square, NIST/SEMATECH e-Handbook 1.3.6.7.4: (degrees, p, value).
CRITICAL = [
    (1, 0.10, 2.706),
    (1, 0.001, 10.828),
    (3, 0.05, 7.815),
    (5, 0.05, 11.070),
    (5, 0.01, 15.086),
    (7, 0.05, 14.067),
    (9, 0.01, 21.666),
    (11, 0.05, 19.675),
    (19, 0.05, 30.144),
    (19, 0.001, 43.820),
]


@pytest.mark.parametrize(("degrees", "p", "value"), CRITICAL)
def test_the_tail_is_the_published_one(degrees: int, p: float, value: float) -> None:
    assert chi_square_tail(value, degrees) == pytest.approx(p, rel=2e-3)


@given(st.integers(1, 25), st.floats(0, 200), st.floats(0, 5))
def test_the_tail_is_a_tail(degrees: int, statistic: float, more: float) -> None:
    assert chi_square_tail(0, degrees) == pytest.approx(1)
    assert 0 <= chi_square_tail(statistic + more, degrees) <= chi_square_tail(statistic, degrees) + 1e-12 <= 1 + 1e-11


def test_the_statistic_by_hand() -> None:
    assert chi_square([10, 10, 10, 10]) == 0
    assert chi_square([5, 15, 10, 10]) == pytest.approx((25 + 25) / 10)


def thrown(die: str, values: list[int], player: str | None = "Red", source: str = "camera") -> list[Roll]:
    return [Roll(Die(die), value, player, SourceKind(source)) for value in values]


@pytest.mark.parametrize(
    ("die", "values", "says"),
    [
        ("D6", [6] * 29, "not enough rolls: 29 of the 30 that a D6 needs"),
        ("D20", [20] * 99, "not enough rolls: 99 of the 100 that a D20 needs"),
        ("D6", [1, 2, 3, 4, 5, 6] * 5, "no sign of bias: fair dice fall this unevenly or more in 100% of such series"),
        (
            "D6",
            [6] * 30,
            "uneven: fair dice fall so in fewer than 0.1% of such series; roll more before you blame the die",
        ),
    ],
)
def test_what_is_said(die: str, values: list[int], says: str) -> None:
    (figure,) = fairness(thrown(die, values))
    assert figure.says == says
    assert figure.rolls == len(values) == sum(figure.counts)
    assert (figure.p is None) == says.startswith("not enough")


def test_a_loaded_die_is_called_uneven_and_fair_ones_are_not() -> None:
    """Fair dice are called uneven about as often as the threshold says: in 1 % of series, here at most 3 %."""
    chance = random.Random(7)
    loaded = [chance.choice([1, 2, 3, 4, 5, 6, 6, 6]) for _ in range(600)]
    assert fairness(thrown("D6", loaded))[0].says.startswith("uneven")
    called = 0
    for _ in range(400):
        (figure,) = fairness(thrown("D8", [chance.randint(1, 8) for _ in range(80)]))
        called += figure.says.startswith("uneven")
    assert called <= 12


def test_dice_are_kept_apart_by_player_source_and_type() -> None:
    mixed = thrown("D6", [1, 2]) + thrown("D4", [1]) + thrown("D6", [3], "Blue") + thrown("D6", [4], None, "virtual")
    figures = [(f.player, f.source, f.die, f.rolls) for f in fairness(mixed)]
    assert figures == [
        (None, "virtual", "D6", 1),
        ("Blue", "camera", "D6", 1),
        ("Red", "camera", "D4", 1),
        ("Red", "camera", "D6", 2),
    ]
    assert fairness([]) == []


def row(**over: Any) -> dict[str, Any]:
    return {"record": "die", "die": "D6", "value": 3, "player": "Red", "source": "typed", "fate": "in a slot", **over}


def test_every_die_that_fell_counts_and_no_other() -> None:
    rows = [
        row(),
        row(fate="re-rolled", value=1),
        row(fate="dismissed", value=2),
        row(fate="in doubt", value=None),
        row(die=None),
        row(die="D4", value=6),
        row(die="D100", value=70),
        {"record": "attack"},
    ]
    assert [roll.value for roll in rolls(rows)] == [3, 1, 2]


def attack(outcome: str, odds: tuple[str, str, str], state: str = "resolved") -> dict[str, Any]:
    named = dict(zip(("undamaged", "damaged", "destroyed"), odds, strict=True))
    return {"record": "attack", "state": state, "odds": named, "outcome": {"outcome": outcome} if outcome else None}


def test_history_beside_the_odds() -> None:
    rows = [attack("destroyed", ("1/4", "1/4", "1/2"))] * 12 + [attack("damaged", ("1/4", "1/4", "1/2"))] * 12
    rows += [attack("", ("0", "0", "1"), "void"), {"record": "die"}]
    undamaged, damaged, destroyed = history(rows)
    assert (destroyed.seen, destroyed.expected) == (12, 12.0)
    assert destroyed.give_or_take == pytest.approx(6**0.5)
    assert destroyed.says == ("destroyed 12 times in 24; the odds add up to 12.0, give or take 2.4, which is usual")
    assert (undamaged.seen, undamaged.expected) == (0, 6.0)
    assert (damaged.seen, damaged.says.endswith("which is usual")) == (12, True)
    unlucky = history([attack("undamaged", ("1/4", "1/4", "1/2"))] * 24)
    assert unlucky[0].says.endswith("which is unusual: look at the dice")


@pytest.mark.parametrize("count", [0, 1, 9])
def test_history_says_when_there_is_too_little_of_it(count: int) -> None:
    for tally in history([attack("destroyed", ("1/4", "1/4", "1/2"))] * count):
        assert tally.says.startswith("not enough rolls")


def test_the_spread_is_that_of_the_sum_by_counting() -> None:
    """Three attacks of different odds: the variance of the number destroyed, over all eight ways it can go."""
    chances = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)]
    mean = second = Fraction(0)
    for ways in product((0, 1), repeat=3):
        weight = Fraction(1)
        for way, chance in zip(ways, chances, strict=True):
            weight *= chance if way else 1 - chance
        mean += weight * sum(ways)
        second += weight * sum(ways) ** 2
    tally = history([attack("destroyed", ("0", str(1 - chance), str(chance))) for chance in chances])[2]
    assert tally.expected == pytest.approx(float(mean))
    assert tally.give_or_take**2 == pytest.approx(float(second - mean**2))
