"""What is told of a die when geometry and the judge agree, differ, or doubt."""

from __future__ import annotations

import numpy as np
import pytest

from dicevision.dice import Cube
from dicevision.find import Seen
from dicevision.judge import CLASSES, Judge
from dicevision.pips import Face
from dicevision.surface import Rim, Surface
from dicevision.verdict import Verdict, outline, verdicts

NET = Judge(None, 1.0, (1.0, 0.2, 1.0, -3.0))
SIZE = (640, 480)
BODY = Surface(1.0, 0.0, 0.0, np.full(3, 220.0), np.full(3, 20.0), 200.0)
RIM = Rim(np.full(32, 2.0), 2.0, 2.0, 1.0, 1.0, 0.0)


def cube(
    value: int = 4, belief: float = 0.9, cocked: bool = False, at: tuple[float, float] = (300, 200), pitch: float = 10
) -> Cube:
    face = Face(value, np.arange(value), np.array(at), np.eye(2) * pitch, 0.0, 0.0)
    why = () if belief > 0.5 else ("more pips lie beside it",)
    return Cube(Seen(face, BODY, np.eye(2), 1.0, 19.0, RIM, 1.0, belief, why), (), cocked)


def likely(**shares: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    named = {f"v{name}" if name.isdigit() else name: k for k, name in enumerate(CLASSES)}
    row = np.zeros(len(CLASSES))
    for name, share in shares.items():
        row[named[name]] = share
    return row


def told(one: Cube, row: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Verdict:
    said = verdicts([one], row[None], NET, SIZE, 0.6)[0]
    assert said is not None
    return said


def test_both_sure_of_one_value_is_sure() -> None:
    said = told(cube(), likely(v4=0.97, v5=0.03))
    assert (said.sure, said.value, said.cocked, said.reasons) == (True, 4, False, ())
    assert said.belief > 0.95
    assert said.candidates[0] == (4, said.belief)


@pytest.mark.parametrize(
    ("one", "row", "reason"),
    [
        (cube(4), likely(v4=0.02, v5=0.98), "4 pips are counted, but it looks like a 5"),
        (cube(4), likely(v4=0.2, side=0.8), "it looks like the side of a die"),
        (cube(4), likely(v4=0.2, none=0.8), "it hardly looks like the top of a die"),
        (cube(4), likely(v4=0.4, cocked=0.6), "it looks as if it leans"),
        (cube(4, belief=0.01), likely(v4=0.5, v6=0.3, v5=0.2), "more pips lie beside it"),
        (cube(4), likely(v4=0.35, v6=0.2, v5=0.15, side=0.3), "it is not seen clearly enough"),
        (cube(4, at=(300, 15)), likely(v4=1), "it is cut by the edge of the picture"),
        (cube(4, at=(630, 200)), likely(v4=1), "it is cut by the edge of the picture"),
        (cube(4, at=(320, 240), pitch=80), likely(v4=1), "it is too large for a die on a tray"),
    ],
)
def test_any_doubt_is_asked_about(one: Cube, row: np.ndarray[tuple[int], np.dtype[np.float64]], reason: str) -> None:
    said = told(one, row)
    assert not said.sure
    assert reason in said.reasons


def test_a_cocked_die_is_never_sure() -> None:
    assert (told(cube(cocked=True), likely(v4=1)).sure, told(cube(cocked=True), likely(v4=1)).cocked) == (False, True)
    assert told(cube(), likely(v4=0.3, cocked=0.7)).cocked


@pytest.mark.parametrize("row", [likely(side=0.95, v4=0.05), likely(none=0.95, v4=0.05), likely(side=0.5, none=0.5)])
def test_what_is_plainly_no_top_is_not_told(row: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    assert verdicts([cube(belief=1.0)], row[None], NET, SIZE, 0.6) == [None]


def test_a_face_too_large_for_a_tray_is_asked_about_only_where_it_is_likely() -> None:
    large = cube(1, pitch=80)
    assert told(large, likely(v1=1)).reasons == ("it is too large for a die on a tray",)
    assert verdicts([large], likely(v1=0.2, none=0.8)[None], NET, SIZE, 0.6) == [None]


def test_what_the_judge_sees_instead_is_offered_too() -> None:
    said = told(cube(5), likely(v5=0.15, v6=0.45, none=0.4))
    assert [value for value, _ in said.candidates] == [5, 6] or [v for v, _ in said.candidates] == [6, 5]
    assert sum(p for _, p in said.candidates) <= 1


@pytest.mark.parametrize("belief", [0.0, 0.3, 1.0])
def test_belief_is_plain_and_between_0_and_1(belief: float) -> None:
    said = told(cube(belief=belief), likely(v4=0.6, v2=0.4))
    assert type(said.belief) is float
    assert 0 < said.belief < 1
    assert all(type(p) is float and type(v) is int for v, p in said.candidates)


def test_the_outline_is_the_face() -> None:
    assert outline(cube().top.face) == pytest.approx(np.array([[281, 181], [319, 181], [319, 219], [281, 219]]))
