"""Renders of one die and their labels."""

from __future__ import annotations

import numpy as np
import pytest

from training import marking, singles


def test_the_same_seed_draws_the_same_picture() -> None:
    first, again, other = (singles.render(np.random.default_rng((5, k))) for k in (1, 1, 2))
    np.testing.assert_array_equal(first.picture, again.picture)
    assert (first.die, first.value, first.box) == (again.die, again.value, again.box)
    assert first.picture.shape != other.picture.shape or not np.array_equal(first.picture, other.picture)


@pytest.mark.parametrize(("die", "value"), [(die, values[-1]) for die, values in marking.VALUES.items()])
def test_labels_say_what_was_asked_for(die: str, value: int) -> None:
    for seed in range(8):
        one = singles.render(np.random.default_rng((die.encode()[1], seed)), die=die, value=value)
        assert (one.die, one.value) == (die, value)
        assert one.picture.dtype == np.uint8
        x, y, width, height = one.box
        assert x >= 0
        assert y >= 0
        assert max(x + width, y + height) <= one.picture.shape[0]
        assert singles.SPAN_PX[0] * 0.8 <= max(width, height) <= singles.SPAN_PX[1] * 1.25


def test_the_disc_lies_on_the_die_and_moves_with_the_tilt() -> None:
    """The world's up is seen as `tilt`; the top face lies on that side of the outline's middle."""
    moved = []
    for seed in range(60):
        one = singles.render(np.random.default_rng((11, seed)), die="D20")
        middle = np.array([one.box[0] + one.box[2] / 2, one.box[1] + one.box[3] / 2])
        off = (one.top.disc[:, 2] - middle) / one.box[2]
        assert np.abs(off).max() < 0.5
        if np.hypot(*one.tilt) > 0.2:
            moved.append(off @ np.array([one.tilt[0], -one.tilt[1]]) > 0)
    assert len(moved) > 10
    assert all(moved)


def test_a_die_off_the_axis_leans_outward_and_says_by_how_much() -> None:
    """Of a camera straight above, a die's tilt is what its place adds: to the right for one that lies there."""
    for off in ((0.4, 0.0), (-0.3, 0.2), (0.0, -0.35)):
        x, y = singles.seen_from((0.0, 0.0), off)
        assert (x, y) == pytest.approx((singles.OUTWARD * off[0], -singles.OUTWARD * off[1]))
    off_axis = [singles.render(np.random.default_rng((29, seed)), die="D8") for seed in range(80)]
    away = np.array([one.away for one in off_axis])
    camera = np.array([one.tilt for one in off_axis]) - away
    assert np.abs(camera[:, 0]).mean() < 0.2, "a camera is hardly tilted sideways, whatever the die's place"
    assert np.abs(away[:, 0]).mean() > 0.1


def test_the_disc_is_as_large_as_the_face() -> None:
    """A cube's side is 0.58 (seen askew) to 1 of its box, so the disc, 1.1 of half a side, is 0.32 to 0.55."""
    for seed in range(20):
        one = singles.render(np.random.default_rng((13, seed)), die="D6")
        wide, _ = np.linalg.svd(one.top.disc[:, :2])[1]
        assert 0.30 < wide / max(one.box[2:]) < 0.57


def test_marks_are_told() -> None:
    seen = [singles.render(np.random.default_rng((17, seed)), die="D12", value=9).top.marked for seed in range(60)]
    assert 40 < sum(seen) < 60, "most dice that need a mark have one; some have none"
    assert not any(singles.render(np.random.default_rng((18, s)), die="D12", value=8).top.marked for s in range(20))


def test_side_faces_are_other_numerals_on_the_same_die() -> None:
    """A D20 seen from above shows three faces 42 degrees off, next to the top; a D6 none."""
    for seed in range(30):
        one = singles.render(np.random.default_rng((19, seed)), die="D20")
        assert one.value not in {side.value for side in one.others}
        if np.hypot(*one.tilt) < 0.05:
            assert len(one.others) >= 3
        for side in one.others:
            gap = np.linalg.norm(side.disc[:, 2] - one.top.disc[:, 2])
            assert 0.1 * one.box[2] < gap < one.box[2]
    flat = [singles.render(np.random.default_rng((23, s)), die="D6") for s in range(30)]
    assert not any(one.others for one in flat if np.hypot(*one.tilt) < 0.3)
