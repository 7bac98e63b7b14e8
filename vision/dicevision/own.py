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
    die, value, probability = seen.best
    if seen.nothing >= probability:
        return one
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
