"""Several readings of one rest: what two frames say alike stands, what they do not is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from dicevision.agree import MOST, Look, agreed
from dicevision.read import DieReading

PICTURE = np.zeros((100, 100, 3), np.uint8)


def die(value: int | None, x: int = 10, kind: str | None = "D6") -> DieReading:
    outline = np.zeros((4, 2), np.float32)
    status = "sure" if value is not None else "unsure"
    why = () if value is not None else ("a highlight",)
    return DieReading(kind, value, status, False, 0.9, (x, 10, 20, 20), outline, "#ffffff", ((value or 3, 0.9),), why)


def looks(*frames: tuple[DieReading, ...]) -> list[Look]:
    return [Look(PICTURE, dice, at / 10) for at, dice in enumerate(frames)]


def values(look: Look | None) -> list[int | None] | None:
    return None if look is None else [each.value for each in look.dice]


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([(die(5),)], None),
        ([(die(5),), (die(5, x=12),)], [5]),
        ([(die(5),), (die(3),)], [None]),
        ([(die(None),), (die(None),)], None),
        ([(die(None),), (die(None),), (die(5),)], None),
        ([(die(None),), (die(None),), (die(None),)], [None]),
        ([(die(5), die(None, 60)), (die(5), die(2, 60))], None),
        ([(die(5), die(None, 60))] * 3, [5, None]),
        ([(die(5),), (die(None),), (die(5),)], [5]),
        ([(die(5), die(2, 60)), (die(5),), (die(5), die(2, 60))], [5, 2]),
        ([(), ()], []),
        ([(die(5),), ()], None),
        ([(die(5),), (die(3),), (die(5),), (die(5),), (die(5),)], [None]),
        ([(die(None),)] * MOST, [None]),
        ([(die(5, kind="D6"),), (die(5, kind="D8"),)] * 3, [None]),
    ],
)
def test_what_stands(frames: list[tuple[DieReading, ...]], expected: list[int | None] | None) -> None:
    assert values(agreed(looks(*frames)[-MOST:])) == expected


def test_the_picture_believed_is_the_one_that_was_read_so() -> None:
    made = looks((die(5),), (die(5),), (die(None),))
    assert agreed(made) is made[1]


def test_a_die_doubted_says_why_and_keeps_its_own_reasons() -> None:
    frames = [(die(5 if k % 2 else 4), die(None, 60)) for k in range(MOST)]
    assert agreed(looks(*frames[:2])) is None, "the other die may yet be read"
    look = agreed(looks(*frames))
    assert look is not None
    assert [each.reasons for each in look.dice] == [("it read otherwise in another frame",), ("a highlight",)]
    assert {each.status for each in look.dice} == {"unsure"}
