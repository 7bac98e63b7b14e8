"""A picture of each stage, drawn over the frame: what `read` hands to its trace."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from dicevision.blobs import Blobs
from dicevision.dice import Cube
from dicevision.find import Seen
from dicevision.image import Floats, Frame
from dicevision.pips import HALF_FACE
from dicevision.seek import Found

DARK, LIGHT, TOP, SIDE = (60, 60, 255), (255, 160, 40), (80, 200, 60), (200, 120, 200)
"""BGR: dark spots, light spots, tops and sides. Spots that do not fit an ellipse as a pip does are drawn thin."""

RING = np.stack([np.cos(np.linspace(0, 2 * math.pi, 33)), np.sin(np.linspace(0, 2 * math.pi, 33))], axis=1)
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * HALF_FACE


def spots(frame: Frame, blobs: Blobs) -> Frame:
    """Every spot as its ellipse."""
    picture = frame.copy()
    for i in range(len(blobs)):
        values, vectors = np.linalg.eigh(blobs.shape[i])
        axes = vectors * np.sqrt(np.maximum(values, 0))
        colour = DARK if blobs.dark[i] else LIGHT
        polygon(picture, blobs.xy[i] + RING @ axes.T, colour, 2 if blobs.clear[i] else 1)
    return picture


def faces(frame: Frame, dice: Sequence[Cube]) -> Frame:
    """Every face that was taken for one: tops whole, sides thin, each with its count and how far it is believed."""
    picture = frame.copy()
    for die in dice:
        for side in die.sides:
            face(picture, side, SIDE, 1)
        face(picture, die.top, TOP, 2)
    return picture


def found(frame: Frame, dice: Sequence[Found]) -> Frame:
    """Every die that the finder sees beside those with pips, with how likely it is one."""
    picture = frame.copy()
    for die in dice:
        polygon(picture, die.outline, TOP, 2)
        at = (round(die.box[0]), round(die.box[1]))
        cv2.putText(picture, f"{die.likely:.2f}", at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, TOP, 1, cv2.LINE_AA)
    return picture


def face(picture: Frame, seen: Seen, colour: tuple[int, int, int], thick: int) -> None:
    """Draw one face."""
    polygon(picture, seen.face.centre + SQUARE @ seen.face.axes.T, colour, thick)
    x, y = (round(float(c)) for c in seen.face.centre)
    text = f"{seen.face.value} {seen.belief:.2f}"
    for ink, width in (((0, 0, 0), 3), (colour, 1)):
        cv2.putText(picture, text, (x - 12, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, ink, width, cv2.LINE_AA)


def polygon(picture: Frame, points: Floats, colour: tuple[int, int, int], thick: int) -> None:
    """Draw a closed line through `points`."""
    fine = np.round(points * 16).astype(np.int32)
    cv2.polylines(picture, [fine], isClosed=True, color=colour, thickness=thick, lineType=cv2.LINE_AA, shift=4)
