"""What is true of each die as it lies: its value, whether it leans, and where it is in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.marking import tetrahedron_corners
from training.physical.die import Die, Pose
from training.solids import Array
from training.trays.geometry import COCKED_DEG, View

Outline = NDArray[np.float32]

LEAST_SEEN = 0.85
"""Share of a die's outline that must be seen for its value to be asked for; its place is labelled all the same."""


@dataclass(frozen=True, slots=True)
class Up:
    """What a pose shows. index: of the numbered face that looks up most (tetrahedron: of the corner that is up).

    lean_deg: from how it would lie flat.
    """

    index: int
    value: int
    lean_deg: float

    @property
    def cocked(self) -> bool:
        """Whether it leans on something."""
        return self.lean_deg > COCKED_DEG


@dataclass(frozen=True, slots=True)
class Label:
    """One die of a picture.

    outline, top: (N, 2) pixels, origin at the top left pixel's corner; top is round its upper face.
    seen: the share of its outline that is in the picture and behind no other die. value None: too little is seen.
    """

    die: str
    shape: str
    value: int | None
    shows: int
    cocked: bool
    lean_deg: float
    outline: Outline
    top: Outline
    seen: float
    pose: Pose


def up(die: Die, pose: Pose) -> Up:
    """What a die shows, by its pose alone."""
    if die.body.name == "D4":
        down = np.array([float((pose.turn @ face.normal)[2]) for face in die.body.faces])
        index = int(down.argmin())
        return Up(index, die.values[index], _off(-down[index]))
    heights = np.array([float((pose.turn @ face.normal)[2]) for face in die.body.numbered])
    index = int(heights.argmax())
    return Up(index, die.values[index], _off(heights[index]))


def _off(cosine: float) -> float:
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def labelled(dice: Sequence[Die], poses: Sequence[Pose], view: View, screens: Sequence[Outline] = ()) -> list[Label]:
    """A label a die, in the order given. screens: (N, 2) pixels each, what stands before all dice."""
    outlines = [outline(die, pose, view) for die, pose in zip(dice, poses, strict=True)]
    far = [float(np.linalg.norm(pose.middle_mm - view.eye)) for pose in poses]
    shares = seen(outlines, far, (view.camera.width_px, view.camera.height_px), screens)
    return [
        _label(die, pose, view, around, share)
        for die, pose, around, share in zip(dice, poses, outlines, shares, strict=True)
    ]


def _label(die: Die, pose: Pose, view: View, around: Outline, share: float) -> Label:
    found = up(die, pose)
    return Label(
        die.die,
        die.body.name,
        found.value if share >= LEAST_SEEN else None,
        found.value,
        found.cocked,
        found.lean_deg,
        around,
        view.project(pose.placed(_upper(die, found.index) * die.mm)),
        share,
        pose,
    )


def _upper(die: Die, index: int) -> Array:
    """The corners of the face that shows the value; of a tetrahedron the corner itself and those round its base."""
    if die.body.name == "D4":
        return tetrahedron_corners(die.body)
    return die.body.numbered[index].corners


def outline(die: Die, pose: Pose, view: View) -> Outline:
    """The hull of all of a die that the camera would see were nothing in front of it."""
    points = view.project(pose.placed(die.points_mm))
    return np.asarray(cv2.convexHull(points).reshape(-1, 2), np.float32)


def seen(
    outlines: Sequence[Outline], far_mm: Sequence[float], size: tuple[int, int], screens: Sequence[Outline] = ()
) -> list[float]:
    """Which share of each outline lies in a picture of that width and height, behind no nearer one and no screen."""
    width, height = size
    owner = np.full((height, width), -1, np.int16)
    order = [(int(k), outlines[k]) for k in np.argsort(far_mm)[::-1]]
    for number, shape in [*order, *((-1, screen) for screen in screens)]:
        cv2.fillPoly(owner, [np.round(shape * 16 - 8).astype(np.int32)], number, cv2.LINE_8, 4)
    counts = np.bincount(owner[owner >= 0].ravel(), minlength=len(outlines))
    areas = [max(cv2.contourArea(one), 1.0) for one in outlines]
    return [min(1.0, float(count) / area) for count, area in zip(counts, areas, strict=True)]
