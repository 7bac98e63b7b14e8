"""The table's plane: the ellipse of a circle that lies on it, against points projected one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicevision import blobs
from dicevision.find import Spots, faces
from dicevision.pips import shape_gap
from dicevision.plane import Plane, normals, table

MIDDLE = np.array([319.5, 239.5])


def projected(normal: Any, focal: float, at: Any) -> Any:
    """The second moments of a small circle of the plane, projected point by point, as an ellipse matrix."""
    ray = np.array([*(at - MIDDLE) / focal, 1.0])
    centre = ray * 400
    u = np.cross(normal, [0.3, 0.5, 0.8])
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    ring = np.linspace(0, 2 * math.pi, 720, endpoint=False)
    points = centre + 0.5 * (np.cos(ring)[:, None] * u + np.sin(ring)[:, None] * v)
    pixels = points[:, :2] / points[:, 2:] * focal
    off = pixels - pixels.mean(axis=0)
    return off.T @ off


@given(
    tilt=st.floats(0, 60), way=st.floats(0, 360), x=st.floats(20, 620), y=st.floats(20, 460), focal=st.floats(500, 2000)
)
def test_a_circle_on_the_table_has_the_ellipse_of_its_projection(
    tilt: float, way: float, x: float, y: float, focal: float
) -> None:
    t, w = math.radians(tilt), math.radians(way)
    normal = np.array([math.sin(t) * math.cos(w), math.sin(t) * math.sin(w), -math.cos(t)])
    ray = np.array([*(np.array([x, y]) - MIDDLE) / focal, 1.0])
    if -normal @ ray / np.linalg.norm(ray) < 0.3:
        return  # seen too flat for anybody to read a die there
    at = np.array([x, y])
    ideal = Plane(normal, focal, MIDDLE).shape(at[None])[0]
    assert shape_gap(np.stack([ideal, projected(normal, focal, at)]))[0, 1] < 0.02


@pytest.mark.parametrize("tilt", [0, 20, 40])
def test_the_exact_plane_of_drawn_dice_has_their_tilt(tilt: int, drawing: Any, a_die: Any) -> None:
    tray = drawing(480, 160)
    for k, value in enumerate([4, 5, 2, 3]):
        tray.die(a_die(value, at=(70 + 110 * k, 75), turn=25 + 20 * k, tilt=tilt))
    frame = tray.frame()
    spots = Spots.of(blobs.find(frame))
    seen = [s for s in faces(frame, spots) if s.face.centre[1] < 85]
    plane = table(seen, (480, 160), exactly=True)
    assert plane is not None
    assert math.degrees(math.acos(-plane.normal[2])) == pytest.approx(tilt, abs=4)
    assert (plane.off(seen) < 1).all()


@given(tilt=st.floats(0, 60), way=st.floats(0, 360), x=st.floats(100, 540), y=st.floats(100, 380))
def test_a_lean_names_the_plane_that_has_it(tilt: float, way: float, x: float, y: float) -> None:
    t, w = math.radians(tilt), math.radians(way)
    plane = Plane(np.array([math.sin(t) * math.cos(w), math.sin(t) * math.sin(w), -math.cos(t)]), 800.0, MIDDLE)
    at = np.array([x, y])
    ray = np.array([*(at - MIDDLE) / 800.0, 1.0])
    if -plane.normal @ ray / np.linalg.norm(ray) < 0.3:
        return
    again = normals(plane.lean(at[None]), (at[None] - MIDDLE) / 800.0)
    assert again[0] == pytest.approx(plane.normal, abs=1e-5)
