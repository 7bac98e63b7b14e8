"""What stands on which face."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from training import glyphs, marking, solids

TEXTS = [
    ("D10", 10, False, "0"), ("D10", 10, True, "10"), ("D10", 9, False, "9"), ("D100", 0, False, "00"),
    ("D100", 70, False, "70"), ("D12", 10, False, "10"), ("D20", 20, False, "20"), ("D6", 6, False, "6"),
]  # fmt: skip


@pytest.mark.parametrize(("die", "value", "ten", "text"), TEXTS)
def test_what_is_printed_for_a_value(die: str, value: int, ten: bool, text: str) -> None:
    assert marking.text_of(die, value, ten) == text


def plan(die: str, mark: str, everywhere: bool = False, seed: int = 0) -> marking.Marking:
    font = glyphs.stroke_font(np.random.default_rng(seed))
    shape = "D10" if die == "D100" else die
    return marking.Marking(font, die, shape, 1.0, 1.0, 0.0, mark, everywhere, 0, False)


@pytest.mark.parametrize(
    ("die", "mark", "everywhere", "text", "marked"),
    [
        ("D20", "bar", False, "6", True), ("D20", "bar", False, "9", True), ("D20", "bar", False, "16", False),
        ("D20", "none", True, "9", False), ("D10", "dot", False, "6", True), ("D12", "dot", False, "8", False),
        ("D6", "bar", False, "6", False), ("D6", "bar", True, "6", True), ("D100", "bar", True, "60", False),
    ],
)  # fmt: skip
def test_which_numerals_have_a_mark(die: str, mark: str, everywhere: bool, text: str, marked: bool) -> None:
    assert marking.is_marked(plan(die, mark, everywhere), text) is marked


@pytest.mark.parametrize("name", ["D6", "D8", "D10", "D12", "D20"])
def test_numerals_stay_near_their_face(name: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        solid = solids.solid(name, rng)
        drawn = replace(marking.draw(rng, glyphs.stroke_font(rng), name, name), pips=False, signs=())
        for face, one in marking.printed(drawn, solid, list(marking.VALUES[name]), rng):
            points = np.concatenate(one.contours)
            np.testing.assert_allclose((points - face.centre) @ face.normal, 0, atol=1e-9)
            centroid = points.mean(axis=0)
            assert np.linalg.norm(centroid - face.centre) < 0.6 * face.inradius


def test_numerals_are_not_mirrored() -> None:
    """Seen from outside, a contour runs the same way round as on paper."""
    rng = np.random.default_rng(0)
    solid = solids.solid("D20", rng)
    drawn = plan("D20", "none")
    paper = glyphs.layout(drawn.font, "2")[0]
    face = solid.numbered[4]
    (placed, *_) = marking.on_face(drawn, face, 2, False, rng).contours
    upright = solids.resting(face.normal)
    seen = (placed @ upright.T)[:, :2]
    areas = [cv2.contourArea(points.astype(np.float32), oriented=True) for points in (paper, seen)]
    assert areas[0] * areas[1] > 0


def test_a_tetrahedrons_top_corner_is_read_on_all_three_sides() -> None:
    """Top-read: the numerals nearest the apex are the value; bottom-read: those along the lower edges are."""
    rng = np.random.default_rng(0)
    solid = solids.solid("D4", rng)
    corners = marking.tetrahedron_corners(solid)
    for face, corner in zip(solid.faces, corners, strict=True):
        assert np.abs(face.corners - corner).sum(axis=1).min() > 0.5, "the corner opposite is not on the face"
    drawn = plan("D4", "none")
    values = [3, 1, 4, 2]
    apex = 0
    placed = marking.printed(drawn, solid, values, rng)
    near = sorted(placed, key=lambda pair: float(np.linalg.norm(np.mean(pair[1].contours[0], axis=0) - corners[apex])))
    three = glyphs.layout(drawn.font, str(values[apex]))
    for _, one in near[:3]:
        assert [len(contour) for contour in one.contours] == [len(contour) for contour in three]


def test_pips_say_their_number_and_signs_nothing() -> None:
    rng = np.random.default_rng(0)
    solid = solids.solid("D6", rng)
    spotted = replace(plan("D6", "none"), pips=True)
    for (_, one), value in zip(marking.printed(spotted, solid, [1, 2, 3, 4, 5, 6], rng), range(1, 7), strict=True):
        assert one.numeral
        assert len(one.contours) == value
    signed = replace(plan("D6", "none"), signs=(2,))
    told = [one.numeral for _, one in marking.printed(signed, solid, [1, 2, 3, 4, 5, 6], rng)]
    assert told == [True, False, True, True, True, True]


def test_pips_neither_touch_nor_leave_the_face() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        for count in range(1, 7):
            circles = glyphs.pips(count, rng)
            middles = [circle.mean(axis=0) for circle in circles]
            radius = float(np.linalg.norm(circles[0] - middles[0], axis=1).max())
            assert all(float(np.abs(circle).max()) < 0.95 for circle in circles)
            apart = [float(np.linalg.norm(a - b)) for i, a in enumerate(middles) for b in middles[:i]]
            assert all(gap > 2 * radius for gap in apart)


@pytest.mark.parametrize(("value", "told"), [(6, True), (7, False), (10, False)])
def test_strewn_pips_say_nothing(value: int, told: bool) -> None:
    rng = np.random.default_rng(0)
    spotted = replace(plan("D10", "none"), pips=True)
    solid = solids.solid("D10", rng)
    printed = marking.printed(spotted, solid, list(marking.VALUES["D10"]), rng)
    assert printed[value - 1][1].numeral is told
