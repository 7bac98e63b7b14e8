"""Which fonts are kept back from training."""

from __future__ import annotations

import numpy as np
import pytest

from training import glyphs
from training.families import is_held

FONT = glyphs.stroke_font(np.random.default_rng(0))


def named(name: str) -> glyphs.Font:
    return glyphs.Font(name, FONT.outlines, FONT.advances)


@pytest.mark.parametrize(
    "family", ["Cabin", "Dosis", "Lato", "OpenSans", "Roboto", "DejaVuSans", "B612", "Jura", "Sora"]
)
def test_held_families_are_held_in_every_weight(family: str) -> None:
    assert len({is_held(named(f"{family}-{weight}")) for weight in ("Regular", "Bold", "BoldItalic")}) == 1


def test_some_families_are_held_and_most_are_not() -> None:
    assert [is_held(named(f"{family}-Bold")) for family in ("Sora", "Caladea", "Oxygen")] == [True] * 3
    assert not any(is_held(named(f"{family}-Bold")) for family in ("Cabin", "DejaVuSans", "Roboto"))
