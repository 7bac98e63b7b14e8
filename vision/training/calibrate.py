"""How sure is sure: the temperature and the shape's weight, fitted on dice that training never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dicevision import numerals
from dicevision.numerals import Calibration, NumeralNets, Placed, Probabilities
from training.glyphs import Font
from training.singles import Single, render

NOTHING = ("none", 0)
"""The truth of a die whose top has pips or a sign."""

LOOKS = (*numerals.FIRST_LOOKS, *numerals.MORE_LOOKS)
TEMPERATURES = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0)
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the nets said of one die, before any calibration. logits: (K, C) by turn; signs: (K, 2)."""

    placed: Placed
    logits: Probabilities
    signs: Probabilities
    truth: tuple[str, int]


def see(single: Single, nets: NumeralNets) -> Seen:
    """Look at one render as the reader would, from its outline alone."""
    plain = replace(nets, calibration=replace(nets.calibration, temperature=1.0))
    placed = numerals.place(single.picture, single.outline, plain, single.away)
    looks, signs = numerals.look(single.picture, placed.disc, LOOKS, plain)
    return Seen(
        placed, np.log(np.maximum(looks, 1e-30)), signs, (single.die, single.value) if single.top.numeral else NOTHING
    )


def renders(seed: int, count: int, fonts: Sequence[Font]) -> list[Single]:
    """`count` dice in `fonts` from `seed`."""
    return [render(np.random.default_rng((seed, i)), fonts) for i in range(count)]


def joint(one: Seen, calibration: Calibration) -> Probabilities:
    """The class probabilities, and that of no numeral, that `calibration` makes of what was seen."""
    looks = numerals.softmax(one.logits / calibration.temperature).mean(axis=0)
    weighted = looks[:-1] * numerals.shape_prior(one.placed.shapes, calibration)
    evened = numerals.untold(weighted / (weighted.sum() + looks[-1]), float(one.signs[:, 0].mean()), calibration)
    return np.append(evened, looks[-1] / (weighted.sum() + looks[-1]))


def surprise(seen: Sequence[Seen], calibration: Calibration) -> float:
    """Mean of -log of the probability given to the truth: least where confidence means what it says."""
    index = {pair: i for i, pair in enumerate((*calibration.classes, NOTHING))}
    given = [joint(one, calibration)[index[one.truth]] for one in seen]
    return float(-np.log(np.maximum(given, 1e-9)).mean())


def fit(seen: Sequence[Seen], calibration: Calibration) -> Calibration:
    """The temperature and shape weight of the grid that surprise least."""
    tried = [replace(calibration, temperature=t, shape_weight=w) for t in TEMPERATURES for w in WEIGHTS]
    return min(tried, key=lambda one: surprise(seen, one))
