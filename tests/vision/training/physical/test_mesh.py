"""Rounded solids: closed, as large as geometry says, each face in its own part of the texture."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from training import solids
from training.physical import mesh
from training.physical.mesh import Mesh
from training.solids import Array, Solid

SHARE = 0.15


def body(name: str, seed: int = 0) -> Solid:
    return mesh.closed(solids.solid(name, np.random.default_rng(seed)))


CASES = [*((name, 0) for name in solids.SHAPES), ("crystal D4", 1), ("crystal D4", 2), ("D10", 5)]


def volume(made: Mesh) -> float:
    """By the divergence theorem."""
    a, b, c = (made.points[made.triangles[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def joined(points: Array) -> list[tuple[float, ...]]:
    return [tuple(point) for point in (np.round(points, 6) + 0.0).tolist()]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_it_is_closed_and_every_triangle_looks_outward(name: str, seed: int) -> None:
    made = mesh.rounded(body(name, seed), SHARE)
    at = joined(made.points)
    edges = Counter((at[t[k]], at[t[(k + 1) % 3]]) for t in made.triangles.tolist() for k in range(3))
    lone = [edge for edge in edges if edge[0] != edge[1] and edges[edge[::-1]] != edges[edge]]
    assert lone == []
    assert volume(made) > 0


def test_a_rounded_cube_is_as_large_as_steiner_says() -> None:
    half = 1 / math.sqrt(3)
    core, radius = 2 * half * (1 - SHARE), half * SHARE
    exact = core**3 + 6 * core**2 * radius + 3 * math.pi * core * radius**2 + 4 / 3 * math.pi * radius**3
    assert volume(mesh.rounded(body("D6"), SHARE)) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_faces_stay_where_they_were_and_nothing_stands_out(name: str, seed: int) -> None:
    sharp = body(name, seed)
    points = mesh.rounded(sharp, SHARE).points
    for face in sharp.faces:
        assert (points @ face.normal).max() == pytest.approx(float(face.normal @ face.centre), abs=1e-6)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_no_two_faces_share_a_place_in_the_texture(name: str, seed: int) -> None:
    sharp = body(name, seed)
    places = mesh.cells(sharp)
    for face, cell in zip(sharp.faces, places, strict=True):
        flat = cell.flat(face.corners)
        assert np.abs(flat).max() <= 1
        uv = cell.uv(face.corners)
        low, high = np.array(cell.corner), np.array(cell.corner) + cell.side
        assert (uv >= low).all()
        assert (uv <= high).all()
    assert len({tuple(np.round(cell.corner, 6)) for cell in places}) == len(places)


def test_texture_is_not_mirrored() -> None:
    """Seen from outside, going on counter-clockwise round a face goes on counter-clockwise in the texture, v down."""
    sharp = body("D12")
    for face, cell in zip(sharp.faces, mesh.cells(sharp), strict=True):
        x, y = cell.uv(face.corners).T
        assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0


def test_a_crystal_gets_the_ends_that_it_is_made_without() -> None:
    open_ended = solids.solid("crystal D4", np.random.default_rng(0))
    assert len(mesh.closed(open_ended).faces) > len(open_ended.faces)
    assert mesh.closed(open_ended).numbered == open_ended.numbered
