"""Which of two readings of a die holds: its own faces', or the numeral nets'. What is seen is made up here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicevision import enrol, own
from dicevision.enrol import KEPT_PX, Comparison, DieSet, Face, Match
from dicevision.numbered import Told
from dicevision.seek import Found

FRAME = np.zeros((400, 600, 3), np.uint8)
BLANK = np.zeros((KEPT_PX, KEPT_PX, 3), np.uint8)
KNOWN = DieSet("runes", tuple(Face("D6", n, BLANK, "skull" if n == 6 else "") for n in range(1, 7)))


def net(die: str = "D8", value: int = 3, *, sure: bool, cocked: bool = False, x: float = 200) -> Told:
    """What the nets told of a die at (x, 150)."""
    box = (x, 150.0, 80.0, 80.0)
    outline = np.array([[x, 150], [x + 80, 150], [x + 80, 230], [x, 230]], np.float32)
    reasons = () if sure else ("the numeral may be 3 or 8",)
    belief = 0.99 if sure else 0.4
    return Told(Found(0.9, box, outline), die, value, belief, sure, cocked, ((value, belief),), reasons, seen=belief)


def told(monkeypatch: pytest.MonkeyPatch, one: Told, *shares: tuple[int, float]) -> Told:
    """What is told when the set's faces have these probabilities; the rest is that it is none of them."""
    pairs = tuple((("D6", value), share) for value, share in shares)
    matches = tuple(Match(KNOWN.faces[value - 1], 0.9, None) for value, _ in shares)
    seen = Comparison(pairs, 1 - sum(share for _, share in shares), matches)
    monkeypatch.setattr(enrol, "look", lambda frame, outline, known, nets: seen)
    nets: Any = None
    return own.told(FRAME, one, KNOWN, nets)


@pytest.mark.parametrize("sure", [True, False])
def test_a_die_that_is_none_of_the_set_stays_as_told(sure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    one = net(sure=sure)
    assert told(monkeypatch, one, (6, 0.3), (2, 0.1)) is one


def test_its_own_faces_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    got = told(monkeypatch, net(sure=False), (6, 0.97), (5, 0.025))
    assert (got.die, got.value, got.sure, got.belief) == ("D6", 6, True, 0.97)
    assert got.candidates == ((6, 0.97), (5, 0.025))
    assert got.reasons == ()
    assert got.seen == 0, "what the nets saw is no second opinion of what the faces say"


def test_a_doubtful_comparison_is_a_question_in_the_sets_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    got = told(monkeypatch, net(sure=False), (6, 0.6), (5, 0.3), (1, 0.01))
    assert (got.die, got.sure) == ("D6", False)
    assert got.candidates == ((6, 0.6), (5, 0.3))
    assert got.reasons == ("it may be skull or 5 of runes, and is not seen clearly",)


@pytest.mark.parametrize("share", [0.8, 0.97])
def test_two_that_disagree_are_a_question(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    got = told(monkeypatch, net(sure=True), (6, share))
    assert not got.sure
    assert got.reasons == ("the numeral looks like 3, the die like skull of runes",)


def test_two_that_agree_stand_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    one = net("D6", 6, sure=True)
    assert told(monkeypatch, one, (6, 0.7)) is one


def test_a_leaning_die_and_one_at_the_edge_are_never_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    leaning = told(monkeypatch, net(sure=False, cocked=True), (6, 0.99))
    assert (leaning.sure, leaning.reasons) == (False, ("it looks as if it leans",))
    cut = told(monkeypatch, net(sure=False, x=0), (6, 0.99))
    assert (cut.sure, cut.reasons) == (False, ("it is cut by the edge of the picture",))
