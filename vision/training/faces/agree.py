"""How geometry's belief and the judge's likelihood make one probability: fitted on drawn scenes in no shard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dicevision import blobs, dice, judge
from dicevision.find import Spots
from dicevision.image import Flags, Floats, Rows
from training.faces import scatter
from training.faces.scatter import Drawn
from training.faces.truth import UNKNOWN, called

FIT_SEED = 100_003
"""Scenes of this seed are in no shard."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Dice that geometry found in drawn scenes: likely (N, classes), values (N,), beliefs (N,), right (N,).

    right: it lies flat and shows what geometry says.
    """

    likely: Floats
    values: Rows
    beliefs: Floats
    right: Flags


def cases(scenes: range, net: judge.Judge) -> Cases:
    """The dice found in drawn scenes, but those of which the truth is not known."""
    rows = [row for k in scenes for row in cases_of(scatter.draw(np.random.default_rng([FIT_SEED, k])), net)]
    likely, values, beliefs, right = zip(*rows, strict=True)
    return Cases(np.array(likely), np.array(values), np.array(beliefs), np.array(right))


def cases_of(drawn: Drawn, net: judge.Judge) -> Iterator[tuple[Floats, int, float, bool]]:
    """The likelihoods, value, belief and truth of each die found in one scene."""
    found = dice.find(drawn.frame, Spots.of(blobs.find(drawn.frame)))
    centres, halves = judge.places([c.top.face for c in found])
    likely = judge.judge(drawn.frame, centres, halves, net)
    for cube, centre, half, row in zip(found, centres, halves, likely, strict=True):
        name, value = called(centre, float(half), drawn.faces), cube.top.face.value
        if name != UNKNOWN and not cube.cocked:
            yield row, value, cube.top.belief, name == value - 1


def weights(told: Cases) -> tuple[float, float, float, float]:
    """How much `judge.agreed` trusts each part of the evidence."""
    x = judge.evidence(told.likely, told.values, told.beliefs)
    top, value, belief, more = (float(one) for one in logistic(x, told.right))
    return top, value, belief, more


def logistic(x: Floats, right: Flags, ridge: Floats | float = 0.1) -> Floats:
    """(K,) the weights of evidence `x` (N, K) for `right` (N,): logistic regression, Newton's steps.

    ridge: what each weight's square costs, twice; a number for all or (K,).
    """
    y = right.astype(float)
    w, cost = np.zeros(x.shape[1]), np.full(x.shape[1], ridge)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(cost)
        w = w + np.linalg.solve(hessian, x.T @ (y - p) - cost * w)
    return np.asarray(w)
