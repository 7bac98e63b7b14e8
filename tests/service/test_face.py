"""One face of one die: ruling 8, and everything a person or a device might send in its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.errors import RulesRefusal
from dicetower.model import Die
from dicetower.rules.face import face

SIDES = {Die.D4: 4, Die.D6: 6, Die.D8: 8, Die.D10: 10, Die.D12: 12, Die.D20: 20}


@pytest.mark.parametrize("die", SIDES)
def test_each_face_of_each_die_and_no_other(die: Die) -> None:
    for number in range(-30, 130):
        allowed = 1 <= number <= SIDES[die] or (die is Die.D10 and number == 0)
        for typed in (number, str(number), f" {number} "):
            if allowed:
                assert face(die, typed) == (number or 10)
            else:
                with pytest.raises(RulesRefusal, match=rf"^A {die} has the faces 1 to"):
                    face(die, typed)


@pytest.mark.parametrize(
    ("die", "typed", "sentence"),
    [
        (Die.D8, 9, "A D8 has the faces 1 to 8; got 9."),
        (Die.D8, "0", "A D8 has the faces 1 to 8; got 0 (0 counts as 10 on a D10 only)."),
        (Die.D4, 6, "A D4 has the faces 1 to 4; got 6."),
        (
            Die.D10,
            "00",
            "A D10 has the faces 1 to 9 and 0, which is 10; got '00' (a D100, the tens die, is never a D10).",
        ),
        (Die.D10, 30, "A D10 has the faces 1 to 9 and 0, which is 10; got 30 (a D100, the tens die, is never a D10)."),
        (Die.D10, 11, "A D10 has the faces 1 to 9 and 0, which is 10; got 11."),
        (Die.D6, "six", "A D6 has the faces 1 to 6; got 'six'."),
        (Die.D6, "", "A D6 has the faces 1 to 6; got ''."),
        (Die.D6, 10**18, "A D6 has the faces 1 to 6; got an enormous number."),
        (Die.D100, 0, "A D100 (tens die) is never a D10, and no slot of an attack takes it."),
    ],
)
def test_the_sentence(die: Die, typed: int | str, sentence: str) -> None:
    with pytest.raises(RulesRefusal) as refused:
        face(die, typed)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("typed", ["05", "+5", "-5", "5.0", "5 3", "1_0", "٥", "五", "0x5", "5\n3", "½"])
def test_text_that_stands_on_no_die(typed: str) -> None:
    for die in SIDES:
        with pytest.raises(RulesRefusal):
            face(die, typed)


@pytest.mark.parametrize("typed", [True, False, None, 5.0, [5], b"5"])
def test_what_is_no_number_and_no_text(typed: object) -> None:
    with pytest.raises(RulesRefusal):
        face(Die.D10, typed)  # type: ignore[arg-type]  # what JSON or a careless caller might hand over


def test_a_number_too_long_to_write() -> None:
    with pytest.raises(RulesRefusal, match="got an enormous number"):
        face(Die.D6, 10**5000)


@given(st.sampled_from(list(Die)), st.text() | st.integers())
def test_any_text_is_a_face_of_the_die_or_refused_in_one_line(die: Die, typed: int | str) -> None:
    try:
        value = face(die, typed)
    except RulesRefusal as refusal:
        said = str(refusal)
    else:
        assert die.holds(value)
        assert str(typed).strip() in (str(value), "0")
        return
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 200
