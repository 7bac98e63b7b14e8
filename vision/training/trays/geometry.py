"""Where things are: a die's turn and height, the camera's rays, and points brought into the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays.model import Camera, DiePose

Array = NDArray[np.float32]

COCKED_DEG = 8.0
"""A die that leans by more is called cocked. A flat one on felt is within 2 degrees; on a rim or another die it leans
by 15 and more, so nothing lies near the line."""

UP: dict[int, tuple[int, int]] = {1: (2, 1), 6: (2, -1), 2: (0, 1), 5: (0, -1), 3: (1, 1), 4: (1, -1)}
"""value: (axis, sign) of its face on the unturned die. Opposite faces sum to 7, and 1, 2, 3 run anticlockwise round
their corner, as on western dice."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A pose worked out: `turn` takes the die's own axes to the tray's, `middle` is its centre (mm)."""

    pose: DiePose
    turn: Array
    middle: Array

    @property
    def half_mm(self) -> float:
        """Half the edge."""
        return self.pose.size_mm / 2

    @property
    def round_mm(self) -> float:
        """The edge's radius."""
        return self.pose.size_mm * self.pose.roundness


def place(pose: DiePose) -> Placed:
    """Turn a die as its pose says and set it down on the tray."""
    turn = leaning(pose.tilt_deg, pose.tilt_to_deg) @ about_z(pose.yaw_deg) @ value_up(pose.value)
    half, edge = pose.size_mm / 2, pose.size_mm * pose.roundness
    lowest = (corners(half - edge) @ turn.T)[:, 2].min() - edge
    return Placed(pose, turn.astype(np.float32), np.array([pose.x_mm, pose.y_mm, -lowest], np.float32))


def about_z(degrees: float) -> NDArray[np.float64]:
    """Return the turn anticlockwise about the upright axis."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def leaning(degrees: float, towards: float) -> NDArray[np.float64]:
    """Return the turn that leans what is upright by `degrees` towards a direction on the tray."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    over = np.array([[c, 0, s], [0, 1.0, 0], [-s, 0, c]])
    return np.asarray(about_z(towards) @ over @ about_z(-towards))


def value_up(value: int) -> NDArray[np.float64]:
    """Return the turn that brings a value's face to the top."""
    axis, sign = UP[value]
    up = np.zeros(3)
    up[axis] = sign
    side = np.zeros(3)
    side[(axis + 1) % 3] = 1.0
    return np.stack([side, np.cross(up, side), up])


def corners(half: float) -> NDArray[np.float64]:
    """Return a cube's eight corners."""
    return np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-half, half)])


@dataclass(frozen=True, slots=True)
class View:
    """A camera worked out. `eye` is its place (mm); the rows of `turn` are its right, down and forward."""

    camera: Camera
    eye: Array
    turn: Array

    def rays(self, x_px: Array, y_px: Array) -> Array:
        """Return the unit directions through pixel places: (..., 3)."""
        f, camera = self.camera.focal_px, self.camera
        flat = np.stack([(x_px - camera.width_px / 2) / f, (y_px - camera.height_px / 2) / f, np.ones_like(x_px)], -1)
        ways = flat @ self.turn
        return np.asarray(ways / np.linalg.norm(ways, axis=-1, keepdims=True), np.float32)

    def project(self, points: NDArray[np.floating]) -> Array:
        """Return where points (N, 3) in mm land: (N, 2) pixels."""
        seen = (points - self.eye) @ self.turn.T
        half = np.array([self.camera.width_px / 2, self.camera.height_px / 2])
        return np.asarray(seen[:, :2] / seen[:, 2:] * self.camera.focal_px + half, np.float32)


def look(camera: Camera) -> View:
    """Hang a camera."""
    t, r = np.radians(camera.tilt_deg), np.radians(camera.roll_deg)
    forward = np.array([0, np.sin(t), -np.cos(t)])
    right = np.array([1.0, 0, 0])
    down = np.cross(forward, right)
    turned = [np.cos(r) * right + np.sin(r) * down, -np.sin(r) * right + np.cos(r) * down, forward]
    return View(camera, np.asarray(-forward * camera.distance_mm, np.float32), np.asarray(turned, np.float32))


def outline(view: View, die: Placed) -> Array:
    """Return the hull of all of a die that the camera would see: (N, 2) pixels."""
    round_, high = np.meshgrid(np.linspace(0, 2 * np.pi, 16, endpoint=False), np.linspace(-1.5, 1.5, 9))
    ball = np.stack([np.cos(round_) * np.cos(high), np.sin(round_) * np.cos(high), np.sin(high)], -1).reshape(-1, 3)
    inner = corners(die.half_mm - die.round_mm)
    points = (inner[:, None] + ball[None] * die.round_mm).reshape(-1, 3) @ die.turn.T + die.middle
    return np.asarray(cv2.convexHull(view.project(points)).reshape(-1, 2), np.float32)


def top_face(view: View, die: Placed) -> Array:
    """Return the upper face's four corners in the picture, where its edges begin to round: (4, 2) pixels."""
    axis = int(np.abs(die.turn[2]).argmax())
    sign = np.sign(die.turn[2, axis])
    flat = die.half_mm - die.round_mm * 0.5
    square = np.zeros((4, 3))
    square[:, axis] = sign * die.half_mm
    square[:, (axis + 1) % 3] = np.array([-1, 1, 1, -1]) * flat
    square[:, (axis + 2) % 3] = np.array([-1, -1, 1, 1]) * flat
    return view.project(square @ die.turn.T + die.middle)


def upper_value(die: Placed) -> int:
    """Return the face that looks up most."""
    axis = int(np.abs(die.turn[2]).argmax())
    sign = int(np.sign(die.turn[2, axis]))
    return next(value for value, face in UP.items() if face == (axis, sign))
