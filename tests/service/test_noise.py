"""The estimators against the standard's own worked examples, then against sources whose entropy is known."""

from __future__ import annotations

import random
from math import log2

import pytest

from dicetower.sources.noise import markov, most_common_value

MCV_EXAMPLE = [0, 1, 1, 2, 0, 1, 2, 2, 0, 1, 0, 1, 1, 0, 2, 2, 1, 0, 2, 1]
MARKOV_EXAMPLE = [int(bit) for bit in "1000111001010111001100011100101010101110"]


def test_the_standards_example_of_the_most_common_value() -> None:
    """SP 800-90B, 6.3.1: min-entropy 0.5363, with Z rounded to 2.576."""
    assert most_common_value(MCV_EXAMPLE) == pytest.approx(0.5363, abs=1e-4)


def test_the_standards_example_of_the_markov_estimate() -> None:
    """SP 800-90B, 6.3.3: min-entropy 0.761."""
    assert markov(MARKOV_EXAMPLE) == pytest.approx(0.761, abs=5e-4)


@pytest.mark.parametrize("ones", [0.5, 0.7, 0.9])
def test_independent_bits(ones: float) -> None:
    rng = random.Random(1)
    bits = [int(rng.random() < ones) for _ in range(100_000)]
    for estimate in (most_common_value(bits), markov(bits)):
        assert estimate == pytest.approx(-log2(max(ones, 1 - ones)), abs=0.02)


def test_bits_that_follow_each_other_are_seen_by_markov_alone() -> None:
    rng = random.Random(2)
    bits = [0]
    for _ in range(100_000):
        bits.append(bits[-1] if rng.random() < 0.9 else 1 - bits[-1])
    assert most_common_value(bits) > 0.9
    assert markov(bits) == pytest.approx(-log2(0.9), abs=0.01)


def test_to_and_fro_is_none() -> None:
    assert markov([0, 1] * 1000) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("samples", [[7] * 100, [0] * 100])
def test_one_value_for_ever_is_none(samples: list[int]) -> None:
    assert most_common_value(samples) == 0
    assert markov([0] * 100) == 0


def test_bytes_hold_up_to_eight_bits() -> None:
    rng = random.Random(3)
    assert 7 < most_common_value(rng.randbytes(200_000)) < 8
