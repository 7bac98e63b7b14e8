"""The die's surface: where a ray meets a rounded cube, and what is there: which way it looks, pip or body."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from training.trays.geometry import UP, Array, Placed

STEPS = 40
"""Sphere tracing's most steps; a ray that grazes an edge takes the most; 40 leaves it within 0.01 mm."""
NEAR_MM = 0.004
DIMPLE = 0.75
"""How steep the rim of the deepest pip is: tan of the angle between its wall and the face."""

PATTERNS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""value: its pips on the face, in units of the pose's pip_spread."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where rays met a die. `which` (M,) are the rays' indices; the rest is in their order.

    far: mm along the ray. at: on the tray, mm. own: in the die's own axes, mm. normal: unit, tray axes.
    pip: 1 on a pip, 0 on the body.
    """

    which: NDArray[np.intp]
    far: Array
    at: Array
    own: Array
    normal: Array
    pip: Array

    def only(self, some: NDArray[np.intp]) -> Hits:
        """Return some of them."""
        return Hits(*(getattr(self, field.name)[some] for field in fields(self)))


def meet(die: Placed, eye: Array, ways: Array) -> Hits:
    """Return where rays from `eye` along `ways` (N, 3) meet a die."""
    start = np.asarray((eye - die.middle) @ die.turn, np.float32)
    along = np.asarray(ways @ die.turn, np.float32)
    which, far = trace(start, along, die)
    own = start + along[which] * far[:, None]
    normal = slope(own, die)
    pip, normal = pipped(own, normal, die)
    return Hits(which, far, eye + ways[which] * far[:, None], own, normal @ die.turn.T, pip)


def trace(start: Array, along: Array, die: Placed) -> tuple[NDArray[np.intp], Array]:
    """Step along each ray by the distance to the surface, from where it enters the ball round the die."""
    reach = die.half_mm * 1.74
    middle = -(along @ start)
    inside = reach**2 - (start @ start - middle**2)
    which = np.flatnonzero(inside > 0)
    far, rays = (middle - np.sqrt(np.maximum(inside, 0)))[which], along[which]
    gap = np.full_like(far, np.inf)
    for _ in range(STEPS):
        gap = distance(start + rays * far[:, None], die)
        far = far + np.maximum(gap, 0)
        if not ((gap > NEAR_MM) & (gap < reach)).any():
            break
    met = gap < NEAR_MM * 5
    return which[met], np.asarray(far[met], np.float32)


def distance(points: Array, die: Placed) -> Array:
    """Return how far points in the die's own axes are from its surface: from its inner cube, less the edge."""
    past = np.abs(points) - (die.half_mm - die.round_mm)
    outside = np.sqrt((np.maximum(past, 0) ** 2).sum(-1))
    return np.asarray(outside + np.minimum(past.max(-1), 0) - die.round_mm, np.float32)


def slope(own: Array, die: Placed) -> Array:
    """Return the unit normals at points on the surface, in the die's own axes."""
    past = np.maximum(np.abs(own) - (die.half_mm - die.round_mm), 0)
    return np.asarray(np.sign(own) * past / np.maximum(np.linalg.norm(past, axis=-1, keepdims=True), 1e-6), np.float32)


def pipped(own: Array, normal: Array, die: Placed) -> tuple[Array, Array]:
    """Return which points lie on a pip, and the normals with the pips' hollows in them."""
    pip, bent = np.zeros(len(own), np.float32), normal.copy()
    side = np.abs(own).argmax(-1)
    for value, (axis, sign) in UP.items():
        on_face = np.flatnonzero((side == axis) & (np.sign(own[:, axis]) == sign))
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for pu, pv in PATTERNS[value]:
            hollow(on_face, (u, v), (pu, pv), own, die, pip, bent)
    return pip, np.asarray(bent / np.linalg.norm(bent, axis=-1, keepdims=True), np.float32)


def hollow(
    on_face: NDArray[np.intp],
    axes: tuple[int, int],
    place: tuple[float, float],
    own: Array,
    die: Placed,
    pip: Array,
    bent: Array,
) -> None:
    """Mark one pip of one face in `pip`, and bend `bent` inwards over it, more towards its rim."""
    spread, radius = die.pose.size_mm * die.pose.pip_spread, die.pose.size_mm * die.pose.pip_size
    off = np.stack([own[on_face, axis] - at * spread for axis, at in zip(axes, place, strict=True)], -1) / radius
    inside = (off**2).sum(-1) < 1
    points, off = on_face[inside], off[inside]
    pip[points] = 1
    for k, axis in enumerate(axes):
        bent[points, axis] -= off[:, k] * DIMPLE * die.pose.pip_depth
