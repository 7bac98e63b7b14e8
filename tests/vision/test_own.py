"""Which of two readings of a die holds: its own faces', or the numeral nets'. What is seen is made up here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def comparison(nothing: float, *shares: tuple[int, float]) -> Comparison:
    pairs = tuple((("D6", value), share) for value, share in shares)
    return Comparison(pairs, nothing, tuple(Match(KNOWN.faces[value - 1], 0.9, None) for value, _ in shares))


def test_the_nets_second_what_its_own_face_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.9 that it is the set's 5, and of the 0.08 that it is another's die 0.8 that this is a 5: 0.964."""
    one = replace(net("D6", 5, sure=False), belief=0.8)
    got = told(monkeypatch, one, (5, 0.9), (3, 0.02))
    assert (got.die, got.value, got.sure) == ("D6", 5, True)
    assert got.belief == pytest.approx(0.9 + 0.08 * 0.8)
    assert not told(monkeypatch, replace(one, belief=0.5), (5, 0.9), (3, 0.02)).sure
    assert not told(monkeypatch, replace(one, value=4), (5, 0.9), (3, 0.02)).sure


def test_the_nets_may_speak_for_another_face() -> None:
    """They then take from nobody: what its own faces say of the best stays as it was."""
    one = replace(net("D6", 2, sure=False), belief=0.9)
    got = own.seconded(comparison(0.3, (5, 0.5), (2, 0.2)), one, KNOWN)
    assert dict(got.candidates) == pytest.approx({("D6", 5): 0.5, ("D6", 2): 0.47})
    assert got.nothing == pytest.approx(0.03)
    swapped = own.seconded(comparison(0.45, (5, 0.5), (2, 0.15)), one, KNOWN)
    assert swapped.best[:2] == ("D6", 2)
    assert swapped.matches[0].face.value == 2


def test_what_the_nets_read_in_a_symbol_or_in_another_type_says_nothing() -> None:
    seen = comparison(0.2, (6, 0.7), (5, 0.1))
    for one in (net("D6", 6, sure=False), net("D8", 5, sure=False), replace(net(sure=False), die=None)):
        assert own.seconded(seen, replace(one, belief=0.9), KNOWN) is seen


@given(st.lists(st.floats(0.01, 1), min_size=7, max_size=7), st.integers(1, 6), st.floats(0, 1))
def test_shares_stay_shares(weights: list[float], value: int, belief: float) -> None:
    parts = [weight / sum(weights) for weight in weights]
    ranked = sorted(enumerate(parts[1:], 1), key=lambda each: -each[1])
    got = own.seconded(comparison(parts[0], *ranked), replace(net("D6", value, sure=False), belief=belief), KNOWN)
    assert sum(share for _, share in got.candidates) + got.nothing == pytest.approx(1)
    assert [share for _, share in got.candidates] == sorted((s for _, s in got.candidates), reverse=True)
    assert [(match.face.die, match.face.value) for match in got.matches] == [pair for pair, _ in got.candidates]
