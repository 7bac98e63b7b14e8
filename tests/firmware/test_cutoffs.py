"""The health tests' cut-offs, computed from SP 800-90B's formulas and compared with the firmware's constants."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from pathlib import Path

import pytest

HEADER = (Path(__file__).parents[2] / "firmware/core/entropy.h").read_text()
RNG = (Path(__file__).parents[2] / "firmware/core/rng.h").read_text()
ALPHA_LOG2 = 30


def constant(text: str, name: str) -> int:
    match = re.search(rf"^#define {name} (\d+)$", text, re.MULTILINE)
    assert match, name
    return int(match[1])


def rct(h_tenths: int, alpha_log2: int) -> int:
    """4.4.1: C = 1 + ceil(-log2(alpha) / H)."""
    return 1 + ceil(Fraction(10 * alpha_log2, h_tenths))


def apt(h_tenths: int, window: int, alpha_log2: int) -> int:
    """4.4.2: C = 1 + critbinom(W, 2^-H, 1 - alpha), critbinom the least k with P(X <= k) >= 1 - alpha."""
    with localcontext(prec=400):  # far beyond the smallest term, (1 - 2^-H)^W
        p = Decimal(2) ** (Decimal(-h_tenths) / 10)
        term = (1 - p) ** window
        total, k = term, 0
        while total < 1 - Decimal(2) ** -alpha_log2:
            term *= Decimal(window - k) / (k + 1) * p / (1 - p)
            total, k = total + term, k + 1
    return k + 1


@pytest.mark.parametrize(
    ("h_tenths", "window", "cut_off"),
    [
        (2, 1024, 941),
        (4, 1024, 840),
        (6, 1024, 748),
        (8, 1024, 664),
        (10, 1024, 589),
        (5, 512, 410),
        (10, 512, 311),
        (20, 512, 177),
        (40, 512, 62),
        (80, 512, 13),
    ],
)
def test_the_formula_gives_the_standards_own_table(h_tenths: int, window: int, cut_off: int) -> None:
    """The examples printed in 4.4.2, two-valued and other samples, at alpha = 2^-20."""
    assert apt(h_tenths, window, 20) == cut_off


@pytest.mark.parametrize(("source", "window"), [("ADC", 1024), ("WDT", 512)])
def test_the_firmwares_cut_offs(source: str, window: int) -> None:
    h_tenths = constant(HEADER, f"{source}_H_TENTHS")
    assert constant(HEADER, f"{source}_WINDOW") == window
    assert constant(HEADER, f"{source}_RCT") == rct(h_tenths, ALPHA_LOG2)
    assert constant(HEADER, f"{source}_APT") == apt(h_tenths, window, ALPHA_LOG2)


def test_the_credited_source_has_its_whole_start_up_test() -> None:
    assert constant(HEADER, "ADC_STARTUP") >= 1024  # 4.3, item 4


def test_a_draw_holds_its_bits_and_64_more() -> None:
    assert constant(RNG, "RNG_SAMPLES") == ceil(Fraction(10 * (256 + 64), constant(HEADER, "ADC_H_TENTHS")))
