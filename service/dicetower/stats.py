"""Fairness and history in figures that claim no more than the rolls can carry: pure, over the rows of an export.

Every figure comes with a sentence, and says "not enough rolls" until there are enough.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicetower.model import Die, SourceKind

ENOUGH_A_FACE = 5
"""Rolls expected of each face before a chi-square test means anything (Cochran 1954, Biometrics 10, 417)."""

UNEVEN = 0.01
"""Below this p the sentence says so. A table of six fair dice has one such in 6 % of evenings: hence its wording."""

OUTCOMES = ("undamaged", "damaged", "destroyed")


@dataclass(frozen=True, slots=True)
class Roll:
    """One die that was really thrown, with the value that stands of it."""

    die: Die
    value: int
    player: str | None
    source: SourceKind


@dataclass(frozen=True, slots=True)
class Fairness:
    """How evenly one player's dice of a type fell. `counts` are by face, from 1; `p` is None until there are enough."""

    player: str | None
    source: SourceKind
    die: Die
    rolls: int
    counts: tuple[int, ...]
    chi_square: float | None
    p: float | None
    says: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How often attacks came to one outcome, beside what their exact odds add up to.

    `give_or_take` is the standard deviation of that sum; `says` is the whole in a sentence.
    """

    outcome: str
    seen: int
    expected: float
    give_or_take: float
    says: str


def rolls(rows: Iterable[Mapping[str, Any]]) -> list[Roll]:
    """Return the rolls in an export's rows: re-rolled, dismissed and unassigned dice too, or the figures would flatter.

    A die whose type or value nobody knows is left out.
    """
    return [
        Roll(Die(row["die"]), row["value"], row["player"], SourceKind(row["source"]))
        for row in rows
        if row["record"] == "die" and row["die"] is not None and row["value"] is not None
        if row["die"] != Die.D100 and Die(row["die"]).holds(row["value"])
    ]


def fairness(thrown: Iterable[Roll]) -> list[Fairness]:
    """Return the figures for each player, source and die type, in that order."""
    groups: dict[tuple[str, SourceKind, Die], list[int]] = defaultdict(list)
    for roll in thrown:
        groups[roll.player or "", roll.source, roll.die].append(roll.value)
    order = list(Die)
    ranked = sorted(groups.items(), key=lambda item: (item[0][0], item[0][1], order.index(item[0][2])))
    return [_fairness(player or None, source, die, values) for (player, source, die), values in ranked]


def _fairness(player: str | None, source: SourceKind, die: Die, values: Sequence[int]) -> Fairness:
    seen = Counter(values)
    counts = tuple(seen[face] for face in range(1, die.sides + 1))
    needed = ENOUGH_A_FACE * die.sides
    if len(values) < needed:
        says = f"not enough rolls: {len(values)} of the {needed} that a {die} needs"
        return Fairness(player, source, die, len(values), counts, None, None, says)
    statistic = chi_square(counts)
    p = chi_square_tail(statistic, die.sides - 1)
    return Fairness(player, source, die, len(values), counts, statistic, p, _fairness_says(p))


def _fairness_says(p: float) -> str:
    if p >= UNEVEN:
        return f"no sign of bias: fair dice fall this unevenly or more in {_percent(p)} of such series"
    return f"uneven: fair dice fall so in {_percent(p)} of such series; roll more before you blame the die"


def _percent(p: float) -> str:
    return f"{p:.0%}" if p >= 0.095 else f"{p:.1%}" if p >= 0.00095 else "fewer than 0.1%"


def chi_square(counts: Sequence[int]) -> float:
    """Pearson's statistic of `counts` against equal shares."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that chi-square with so many degrees of freedom is at least `statistic`.

    Abramowitz and Stegun, 26.4.4 (odd degrees) and 26.4.5 (even), which are exact.
    """
    half = statistic / 2
    if degrees % 2 == 0:
        return math.exp(-half) * sum(half**k / math.factorial(k) for k in range(degrees // 2))
    terms = (half ** (k - 0.5) / math.gamma(k + 0.5) for k in range(1, (degrees + 1) // 2))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms)


def history(rows: Iterable[Mapping[str, Any]]) -> list[Tally]:
    """Return how often resolved attacks came to each outcome of the four dice, beside what their odds add up to."""
    fought = [row for row in rows if row["record"] == "attack" and row["state"] == "resolved"]
    return [_tally(outcome, fought) for outcome in OUTCOMES]


def _tally(outcome: str, fought: Sequence[Mapping[str, Any]]) -> Tally:
    odds = [Fraction(row["odds"][outcome]) for row in fought]
    seen = sum(row["outcome"]["outcome"] == outcome for row in fought)
    expected = float(sum(odds))
    spread = math.sqrt(float(sum(chance * (1 - chance) for chance in odds)))
    return Tally(outcome, seen, expected, spread, _tally_says(outcome, seen, expected, spread, len(fought)))


def _tally_says(outcome: str, seen: int, expected: float, spread: float, fought: int) -> str:
    if min(expected, fought - expected) < ENOUGH_A_FACE:
        return f"not enough rolls: {fought} attacks, of which {expected:.1f} should be {outcome}"
    unusual = abs(seen - expected) > 3 * spread
    ends = "which is unusual: look at the dice" if unusual else "which is usual"
    return f"{outcome} {seen} times in {fought}; the odds add up to {expected:.1f}, give or take {spread:.1f}, {ends}"
