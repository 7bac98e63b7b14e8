"""Dice that a player has shown: held against their own faces first, whatever the numeral nets make of them."""

from __future__ import annotations

from dataclasses import replace

from dicevision import enrol
from dicevision.enrol import Comparison, DieSet
from dicevision.image import Frame
from dicevision.numbered import LEAST_CANDIDATE, Told, misplaced
from dicevision.numerals import NumeralNets


def told(frame: Frame, one: Told, known: DieSet, nets: NumeralNets) -> Told:
    """What is told of a die when the set's faces are held against it; `one` is what is told without.

    A die that is none of the set's stays as it was told. One that is, is what its faces say; where the nets are sure
    of something else it is a question: another die's numerals may look like the set's.
    """
    seen = enrol.look(frame, one.found.outline, known, nets)
    if seen.nothing >= seen.best[2]:
        return one
    seen = seconded(seen, one, known)
    die, value, _ = seen.best
    if one.sure and (one.die, one.value) == (die, value):
        return one
    if one.sure:
        return _unsure(
            one, seen, (f"the numeral looks like {one.value}, the die like {known.label(die, value)} of {known.name}",)
        )
    reasons = (*misplaced(one.found, (frame.shape[1], frame.shape[0])), *enrol.doubts(seen, known))
    reasons += ("it looks as if it leans",) * one.cocked
    if reasons:
        return _unsure(one, seen, reasons)
    return replace(_unsure(one, seen, ()), sure=True)


def seconded(seen: Comparison, one: Told, known: DieSet) -> Comparison:
    """The comparison with what the nets say: a die that is none of the set's is what they believe it to be.

    So a numeral that its own face fits tolerably, and that the nets read as the same, is as sure as both make it. A
    symbol is no numeral, whatever the nets read in it.
    """
    pair = (one.die or "", one.value)
    shares = dict(seen.candidates)
    if pair not in shares or known.label(*pair) != str(one.value):
        return seen
    shares[pair] += seen.nothing * one.belief
    order = sorted(shares.items(), key=lambda each: -each[1])
    best = {(match.face.die, match.face.value): match for match in seen.matches}
    return Comparison(tuple(order), seen.nothing * (1 - one.belief), tuple(best[each] for each, _ in order))


def _unsure(one: Told, seen: Comparison, reasons: tuple[str, ...]) -> Told:
    """The die as its faces say, not sure."""
    die, value, probability = seen.best
    return replace(
        one,
        die=die,
        value=value,
        belief=probability,
        sure=False,
        candidates=candidates(seen),
        reasons=reasons,
        seen=0.0,
    )


def candidates(seen: Comparison) -> tuple[tuple[int, float], ...]:
    """(value, probability) of the best die's faces, best first; the unlikely ones left out but for the best."""
    die, value, probability = seen.best
    others = [(v, p) for (d, v), p in seen.candidates[1:] if d == die and p > LEAST_CANDIDATE]
    return ((value, probability), *others)
