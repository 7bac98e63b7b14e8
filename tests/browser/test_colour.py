"""The players' colours are told apart by every eye, and a numeral is read on each of them."""

from __future__ import annotations

import itertools
import re

import numpy as np
import numpy.typing as npt
import pytest

from dicetower.display import pages
from dicetower.game.seats import COLOURS, SHAPES

# Machado, Oliveira and Fernandes (2009), severity 1.0: what is left of linear RGB.
EYES = {
    "all three cones": np.eye(3),
    "no long-wave cone": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no middle-wave cone": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short-wave cone": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 25.0
"""CIE 1976 difference; about ten times what can just be seen side by side."""

NUMERAL_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3, for text of any size; a numeral on a die is large and would need 3."""

Colour = npt.NDArray[np.float64]


def linear(colour: str) -> Colour:
    c = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: Colour) -> Colour:
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(colour: str) -> float:
    return float(linear(colour) @ TO_XYZ[1])


@pytest.mark.parametrize("eye", EYES)
def test_any_two_players_are_told_apart(eye: str) -> None:
    for one, other in itertools.combinations(COLOURS, 2):
        seen = [lab(EYES[eye] @ linear(colour)) for colour in (one, other)]
        assert float(np.linalg.norm(seen[0] - seen[1])) >= APART, (one, other)


def test_the_numeral_is_read_on_every_colour() -> None:
    inks = {"light": 1.0, "dark": luminance("#0b1b22")}
    for colour in COLOURS:
        ground = luminance(colour)
        best = max((max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) for ink in inks.values())
        assert best >= NUMERAL_CONTRAST, colour


def test_the_pages_offer_what_the_table_takes() -> None:
    source = (pages.STATIC / "js/marks.js").read_text()
    assert tuple(re.findall(r'colour: "(#[0-9a-f]{6})"', source)) == COLOURS
    drawn = source.partition("const DRAWN = {")[2].partition("\n};")[0]
    assert tuple(re.findall(r"^  (\w+): ", drawn, re.MULTILINE)) == SHAPES
