"""How much min-entropy raw noise samples hold, by two of the estimators of NIST SP 800-90B (January 2018). Pure.

Two of ten: enough to see that an assessed figure is far off, not enough to certify a source. The standard's own tool,
`ea_non_iid`, runs all ten on a file of samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log2, sqrt

Z_99 = 2.5758293035489008  # 6.3: the 99.5 % point of the normal distribution, for a two-sided 99 % interval
MARKOV_STEPS = 128  # 6.3.3, step 3


def most_common_value(samples: Sequence[int]) -> float:
    """Bits a sample by the most common value (6.3.1): how often it comes at most, with 99 % confidence.

    >>> round(most_common_value([0, 1, 1, 2, 0, 1, 2, 2, 0, 1, 0, 1, 1, 0, 2, 2, 1, 0, 2, 1]), 3)
    0.536
    """
    most = Counter(samples).most_common(1)[0][1] / len(samples)
    upper = min(1.0, most + Z_99 * sqrt(most * (1 - most) / (len(samples) - 1)))
    return max(0.0, -log2(upper))


def markov(bits: Sequence[int]) -> float:
    """Bits a sample by a first-order Markov model of two-valued samples (6.3.3): the likeliest run of 128."""
    start = [bits.count(value) / len(bits) for value in (0, 1)]
    step = [[_share(bits, a, b) for b in (0, 1)] for a in (0, 1)]
    runs = [_log_run(start, step, first, then) for first in (0, 1) for then in ("same", "other", "alternate")]
    return min(1.0, max(0.0, -max(runs) / MARKOV_STEPS))


def _share(bits: Sequence[int], a: int, b: int) -> float:
    """How often `b` follows `a`."""
    pairs = Counter(pairwise(bits))
    after = pairs[a, 0] + pairs[a, 1]
    return pairs[a, b] / after if after else 0.0


def _log_run(start: list[float], step: list[list[float]], first: int, then: str) -> float:
    """log2 of the chance of one of the six candidate runs: all the same, one step and then the same, to and fro."""
    other = 1 - first
    rest = MARKOV_STEPS - 1
    if then == "same":
        return _log(start[first]) + rest * _log(step[first][first])
    if then == "other":
        return _log(start[first]) + _log(step[first][other]) + (rest - 1) * _log(step[other][other])
    return _log(start[first]) + (rest // 2 + 1) * _log(step[first][other]) + rest // 2 * _log(step[other][first])


def _log(chance: float) -> float:
    return log2(chance) if chance > 0 else float("-inf")
