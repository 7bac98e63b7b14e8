"""What is true of each face in a drawn scene, and what a candidate is called by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicevision.image import Floats
from dicevision.judge import COCKED, NONE, SIDE
from training.trays.geometry import UP, Array, Placed, View

UNKNOWN = -1
"""A face half hidden or cut by the frame, or a candidate half on a face: nothing is learnt from it."""

FLATTEST = 0.12
"""Cosine of the angle at which a face is seen below which it counts as not seen."""

LEANS_DEG = 8.0


@dataclass(frozen=True, slots=True)
class Truth:
    """A face. centre (2,) pixels; axes (2, 2): from half faces to pixels; label: a class of the judge, or UNKNOWN."""

    centre: Array
    axes: Array
    label: int

    @property
    def half(self) -> float:
        """Half the longer side in the picture, pixels: the axes' larger singular value."""
        a, b, c, d = (float(x) for x in self.axes.ravel())
        return (math.hypot(a + d, b - c) + math.hypot(a - d, b + c)) / 2


def truths(view: View, die: Placed, owner: NDArray[np.uint8], name: int) -> list[Truth]:
    """The faces of a die that the camera sees. `owner` (H, W) holds at each pixel the number of the die in front."""
    top = int(np.abs(die.turn[2]).argmax()), int(np.sign(die.turn[2][np.abs(die.turn[2]).argmax()]))
    seen = []
    for value, (axis, sign) in UP.items():
        normal, centre = die.turn[:, axis] * sign, die.middle + die.turn[:, axis] * sign * die.half_mm
        if normal @ (view.eye - centre) <= 0:
            continue
        axes = across(view, die, axis, centre)
        short, long = np.linalg.svd(axes, compute_uv=False)[::-1]
        if short > FLATTEST * long:
            label = class_of(value, (axis, sign) == top, die.pose.tilt_deg)
            at = view.project(centre[None])[0]
            seen.append(Truth(at, axes, label if bare(at, axes, owner, name) else UNKNOWN))
    return seen


def across(view: View, die: Placed, axis: int, centre: Array) -> Array:
    """(2, 2): a face's two half sides in the picture, as columns."""
    sides = [die.turn[:, (axis + k) % 3] * die.half_mm for k in (1, 2)]
    ends = view.project(np.stack([centre + sides[0], centre - sides[0], centre + sides[1], centre - sides[1]]))
    return np.asarray(np.stack([(ends[0] - ends[1]) / 2, (ends[2] - ends[3]) / 2], axis=1), np.float32)


def class_of(value: int, top: bool, tilt_deg: float) -> int:
    """The judge's class of a face."""
    if not top:
        return SIDE
    return COCKED if tilt_deg > LEANS_DEG else value - 1


GRID = np.stack(np.meshgrid(np.linspace(-0.8, 0.8, 7), np.linspace(-0.8, 0.8, 7)), -1).reshape(-1, 2)


def bare(at: Array, axes: Array, owner: NDArray[np.uint8], name: int) -> bool:
    """Whether at least four fifths of a face are in the frame with nothing before them."""
    points = np.rint(at + GRID @ axes.T).astype(int)
    inside = ((points >= 0) & (points < owner.shape[::-1])).all(axis=1)
    x, y = points[inside].T
    return float((owner[y, x] == name).sum()) >= 0.8 * len(GRID)


def called(centre: Floats, half: float, faces: Sequence[Truth]) -> int:
    """The class of a candidate: that of the face it lies on, NONE on nothing, UNKNOWN in between."""
    found, near = NONE, 0.28
    for face in faces:
        if math.dist(centre, face.centre) > 0.8 * face.half:
            continue
        off = float(np.abs(np.linalg.solve(face.axes, centre - face.centre)).max())
        ratio = half / face.half
        if off < near and 0.68 < ratio < 1.45:
            found, near = face.label, off
        elif found == NONE and off < 0.5 and 0.5 < ratio < 1.9:
            found = UNKNOWN
    return found
