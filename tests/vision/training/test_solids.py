"""The solids against figures from the textbooks."""

from __future__ import annotations

import numpy as np
import pytest

from training import solids

KNOWN = [
    # faces, corners of a face, inradius of a face for circumradius 1: the regular solids' closed forms
    ("D4", 4, 3, np.sqrt(2) / 3),
    ("D6", 6, 4, 1 / np.sqrt(3)),
    ("D8", 8, 3, 1 / np.sqrt(6)),
    ("D12", 12, 5, 4 / (np.sqrt(3) * (1 + np.sqrt(5))) / 2 / np.tan(np.pi / 5)),
    ("D20", 20, 3, 1 / np.sin(2 * np.pi / 5) / 2 / np.sqrt(3)),
]


@pytest.mark.parametrize(("name", "faces", "corners", "inradius"), KNOWN)
def test_the_regular_solids_are_regular(name: str, faces: int, corners: int, inradius: float) -> None:
    solid = solids.solid(name, np.random.default_rng(0))
    assert len(solid.numbered) == faces
    for face in solid.faces:
        assert face.corners.shape == (corners, 3)
        assert face.inradius == pytest.approx(inradius)
        assert face.normal @ face.centre > 0
        np.testing.assert_allclose(np.linalg.norm(face.corners, axis=1), 1.0)


@pytest.mark.parametrize("name", ["D6", "D8", "D10", "D12", "D20", "crystal D4"])
def test_a_die_at_rest_has_a_level_face_on_top(name: str) -> None:
    solid = solids.solid(name, np.random.default_rng(3))
    for face in solid.numbered:
        opposite = [other for other in solid.faces if other.normal @ face.normal < -1 + 1e-9]
        assert len(opposite) == 1


def test_a_d10_is_ten_flat_kites() -> None:
    for seed in range(5):
        solid = solids.solid("D10", np.random.default_rng(seed))
        assert len(solid.numbered) == 10
        for face in solid.faces:
            off = (face.corners - face.corners[0]) @ face.normal
            assert np.abs(off).max() < 1e-9
            sides = np.linalg.norm(np.roll(face.corners, -1, axis=0) - face.corners, axis=1)
            assert len(set(sides.round(9).tolist())) == 2


def test_a_crystal_has_four_numbered_sides_all_round() -> None:
    for seed in range(12):
        solid = solids.crystal(np.random.default_rng(seed))
        normals = np.stack([face.normal for face in solid.numbered])
        assert len(solid.numbered) == 4
        np.testing.assert_allclose(normals.sum(axis=0), 0, atol=1e-9)


def test_resting_turns_any_direction_straight_up() -> None:
    rng = np.random.default_rng(5)
    for vector in [*rng.standard_normal((20, 3)), np.array([0, 0, 1.0]), np.array([0, 0, -1.0])]:
        unit = vector / np.linalg.norm(vector)
        rotation = solids.resting(unit)
        np.testing.assert_allclose(rotation @ unit, [0, 0, 1], atol=1e-9)
        assert np.linalg.det(rotation) == pytest.approx(1)
