"""Ideal pips under any affine map are the value they were made from, and part of a pattern is not a smaller one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicevision import pips
from dicevision.blobs import Blobs

PATTERN: dict[int, list[tuple[int, int]]] = {
    2: [(-1, 1), (1, -1)],
    3: [(-1, 1), (0, 0), (1, -1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)],
}


def spots(xy: Any, shape: Any) -> Blobs:
    """Blobs at `xy`, all of one `shape`, dark on light."""
    n = len(xy)
    radius = math.sqrt(math.sqrt(np.linalg.det(shape)))
    ones, yes = np.ones(n, np.float32), np.ones(n, bool)
    return Blobs(
        xy=np.array(xy, np.float32),
        shape=np.repeat(np.array(shape, np.float32)[None], n, axis=0),
        radius=ones * radius,
        dark=yes,
        depth=ones * 180,
        residual=ones * 0.02,
        seen=ones,
        inside=np.full((n, 3), 30, np.float32),
        outside=np.full((n, 3), 220, np.float32),
        spread=ones * 2,
        clear=yes,
    )


def turned(degrees: float) -> Any:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s], [s, c]])


def face(value: int, pitch: float = 20, turn: float = 0, flat: float = 1, lean: float = 0, pip: float = 0.38) -> Blobs:
    """The pips of `value` seen along a slant: `pitch` in pixels, `pip` a pip's radius in pitches."""
    axes = turned(lean) @ np.diag([1, flat]) @ turned(turn) * pitch
    xy = np.array(PATTERN[value]) @ axes.T + (300, 200)
    return spots(xy, axes @ axes.T * pip * pip)


def values(blobs: Blobs) -> list[pips.Face]:
    found = pips.find(blobs, *pips.likenesses(blobs)[:2])
    return [f for f in found if f.misfit < 0.1 and f.square < 0.28]


@given(
    value=st.integers(2, 6),
    turn=st.floats(0, 360),
    flat=st.floats(0.5, 1),
    lean=st.floats(0, 180),
    pitch=st.floats(8, 80),
    pip=st.floats(0.3, 0.46),
)
def test_each_value_under_any_slant(
    value: int, turn: float, flat: float, lean: float, pitch: float, pip: float
) -> None:
    found = values(face(value, pitch, turn, flat, lean, pip))
    whole = [f for f in found if len(f.pips) == len(PATTERN[value])]
    assert {f.value for f in whole} == {value}
    assert whole[0].centre == pytest.approx((300, 200), abs=0.01 * pitch)
    assert whole[0].misfit < 0.01
    assert abs(np.linalg.det(whole[0].axes)) == pytest.approx(flat * pitch * pitch, rel=0.05)


@pytest.mark.parametrize("value", [4, 5, 6])
def test_the_fullest_pattern_explains_every_pip(value: int) -> None:
    found = values(face(value, turn=33, flat=0.8))
    assert max(found, key=lambda f: len(f.pips)).value == value


def test_two_rows_of_a_six_are_no_four() -> None:
    found = values(face(6))
    assert [f.value for f in found if f.value >= 4] == [6]


def test_neighbouring_pips_of_a_six_are_no_two() -> None:
    touching = spots([(300, 200), (316, 200)], np.eye(2) * 64)  # 2 radii apart
    assert values(touching) == []


def test_a_four_with_a_pip_in_the_middle_is_a_five() -> None:
    assert 4 not in {f.value for f in values(face(5))}


def test_a_line_across_the_plane_has_other_ellipses() -> None:
    top, side = face(2, flat=1.0), face(2, flat=0.4)
    mixed = spots([top.xy[0], side.xy[1]], top.shape[0])
    mixed.shape[1] = side.shape[0]
    assert values(mixed) == []


def test_light_and_dark_spots_never_share_a_face() -> None:
    blobs = face(2)
    blobs.dark[0] = False
    assert values(blobs) == []


def test_one_spot_or_none_makes_no_pattern() -> None:
    for n in (0, 1):
        few = face(2).take(np.arange(n))
        assert pips.find(few, *pips.likenesses(few)[:2]) == []


def test_shape_gap_is_the_log_of_the_stretch() -> None:
    gap = pips.shape_gap(np.array([np.eye(2), np.diag([4.0, 1.0]), turned(70) @ np.diag([4.0, 1.0]) @ turned(-70)]))
    assert gap[0, 0] == pytest.approx(0, abs=1e-3)
    assert gap[0, 1] == pytest.approx(math.log(2), abs=1e-3)
    assert gap[0, 1] == pytest.approx(gap[0, 2], abs=1e-3)


@given(st.tuples(*[st.floats(-5, 5)] * 8))
def test_the_stretch_gap_of_a_pair_is_that_of_many(numbers: tuple[float, ...]) -> None:
    one, other = (m @ m.T + np.eye(2) for m in np.array(numbers).reshape(2, 2, 2))
    many = pips.shape_gap(np.stack([one, other]))[0, 1]
    assert pips.stretch_gap(one, other) == pytest.approx(many, abs=1e-3)


@given(st.tuples(*[st.floats(-50, 50)] * 4))
def test_a_faces_longest_pitch_is_its_spectral_norm(numbers: tuple[float, ...]) -> None:
    axes = np.array(numbers).reshape(2, 2)
    whole = pips.Face(1, np.array([0]), np.zeros(2), axes, 0.0, 0.0)
    assert whole.longest == pytest.approx(np.linalg.norm(axes, 2), abs=1e-6)


def test_misfits_are_what_the_best_affine_map_leaves() -> None:
    rng = np.random.default_rng(6)
    pitch, expected = 20.0, []
    xy, q = np.zeros((3, 6, 2)), np.zeros((3, 6, 2))
    for k, value in enumerate((4, 5, 6)):
        q[k, :value] = PATTERN[value]
        xy[k, :value] = q[k, :value] * pitch + rng.normal(0, 1, (value, 2))
        m = np.column_stack([q[k, :value], np.ones(value)])
        fit, left, *_ = np.linalg.lstsq(m, xy[k, :value], rcond=None)
        expected.append(math.sqrt(left.sum() / value) / math.sqrt(abs(np.linalg.det(fit[:2]))))
    assert pips.misfits(xy, q + 0.1, np.array([4, 5, 6])) == pytest.approx(expected, rel=1e-4)
    assert min(expected) > 0.005


@pytest.mark.parametrize("value", [4, 5, 6])
def test_a_pip_off_every_node_leaves_no_pattern_of_four_corners(value: int) -> None:
    whole = face(value)
    stray = spots(np.vstack([whole.xy, [(312, 209)]]), whole.shape[0])
    assert {f.value for f in values(whole)} >= {value}
    assert not {f.value for f in values(stray)} & {4, 5, 6}


def test_what_is_alike_on_a_flat_face_is_so_on_a_rounded_one() -> None:
    blobs = face(5, flat=0.7)
    blobs.shape[0] *= np.array([[2.2, 1], [1, 1]], np.float32)
    blobs.inside[1] = 215
    like, loose, kin = pips.likenesses(blobs)
    assert (like <= loose).all()
    assert like[2, 3] & ~like[0, 2] & loose[0, 2]
    assert loose[1].sum() == 1  # itself
    assert kin[2, 3] & ~kin[2, 1] & kin[1, 2]  # a faint spot is no pip of a bold one's face
