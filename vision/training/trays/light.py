"""What light reaches a point: the lamp's and the room's, less what the dice stand in the way of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from training.trays.geometry import Array, Placed
from training.trays.model import Light, Tray

LAMP_POINTS = 12
SKY_POINTS = 14
"""Points on the lamp, and directions of the room's light, that are tried for shadow: enough that no step shows at a
soft shadow's edge once the lens has blurred it."""
BLOCK = 0.93
"""A die stops light as a sharp cube of this share of its size: rounded corners let some past."""


def linear(colour: str) -> Array:
    """Return "#rrggbb" as light: (3,) float32 blue, green, red, 0 to 1 (sRGB's curve taken off, as a power of 2.2)."""
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (5, 3, 1)], np.float32) ** 2.2


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light worked out. `points` (K, 3): places on the disc, mm. `sky` (S, 3): unit directions, more upright ones.

    Strengths are such that a white floor under the lamp gets 1 of both together.
    """

    middle: Array
    points: Array
    sky: Array
    colour: Array
    ambient: float
    size_rad: float


def hang(light: Light) -> Lamp:
    """Work a light out."""
    a, e = np.radians(light.azimuth_deg), np.radians(light.elevation_deg)
    way = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    side = np.array([-np.sin(a), np.cos(a), 0])
    across = np.cross(way, side)
    u, v = sunflower(LAMP_POINTS)
    disc = way * light.distance_mm + light.radius_mm * (u[:, None] * side + v[:, None] * across)
    return Lamp(
        middle=np.asarray(way * light.distance_mm, np.float32),
        points=np.asarray(disc, np.float32),
        sky=sky(SKY_POINTS),
        colour=linear(light.tint),
        ambient=light.ambient,
        size_rad=float(np.arctan(light.radius_mm / light.distance_mm)),
    )


def sunflower(count: int) -> tuple[Array, Array]:
    """Return points spread evenly over the unit disc."""
    k = np.arange(count) + 0.5
    turn, out = k * np.pi * (3 - np.sqrt(5)), np.sqrt(k / count)
    return np.asarray(out * np.cos(turn), np.float32), np.asarray(out * np.sin(turn), np.float32)


def sky(count: int) -> Array:
    """Return unit directions over a floor, spread as their light counts on it (by the cosine)."""
    u, v = sunflower(count)
    return np.stack([u, v, np.sqrt(1 - u**2 - v**2)], -1)


def direct(at: Array, normal: Array | None, lamp: Lamp, dice: Sequence[Placed]) -> Array:
    """Return the lamp's light on points (N, 3): (N,). `normal` None: they look up, as a floor does."""
    way = lamp.middle - at
    far = np.linalg.norm(way, axis=-1)
    lean = way[:, 2] / far if normal is None else np.maximum((way * normal).sum(-1) / far, 0)
    fall = (float(np.linalg.norm(lamp.middle)) / far) ** 2
    return np.asarray(
        lean * fall * (1 - lamp.ambient) * unblocked(at, lamp.points[None] - at[:, None], dice), np.float32
    )


def room(at: Array, lamp: Lamp, dice: Sequence[Placed]) -> Array:
    """Return the room's light on points that look up: (N,)."""
    return lamp.ambient * unblocked(at, np.broadcast_to(lamp.sky, (len(at), *lamp.sky.shape)), dice)


def over_wall(at: Array, lamp: Lamp, tray: Tray) -> Array:
    """Return the share of the lamp that points in a tray see over its wall: (N,). Points outside see all of it."""
    if tray.wall_mm <= 0:
        return np.ones(len(at), np.float32)
    way = lamp.points[None] - at[:, None]
    rise = np.maximum(tray.wall_mm - at[:, None, 2:], 0) / np.maximum(way[..., 2:], 1)
    over = np.abs((at[:, None] + way * rise)[..., :2])
    seen = (over < half_floor(tray)).all(-1).mean(-1)
    inside = (np.abs(at[:, :2]) < half_floor(tray)).all(-1)
    return np.asarray(np.where(inside, seen, 1), np.float32)


def by_wall(at: Array, tray: Tray) -> Array:
    """Return the share of the room's light that points on a tray's floor keep beside its wall: (N,)."""
    if tray.wall_mm <= 0:
        return np.ones(len(at), np.float32)
    gap = np.abs(half_floor(tray) - np.abs(at[:, :2]))
    return np.asarray(1 - 0.35 * np.exp(-gap / (0.8 * tray.wall_mm)).sum(-1), np.float32)


def half_floor(tray: Tray) -> Array:
    """Return half the floor's width and depth, mm."""
    return np.array([tray.width_mm / 2, tray.depth_mm / 2], np.float32)


def unblocked(at: Array, ways: Array, dice: Sequence[Placed]) -> Array:
    """Return the share of `ways` (N, K, 3) from points (N, 3) that no die stands in: (N,). Clear dice let half past."""
    through = np.ones(ways.shape[:2], np.float32)
    for die in dice:
        near = np.flatnonzero(np.linalg.norm(at - die.middle, axis=-1) < 6 * die.pose.size_mm)
        if len(near):
            passed = 0.5 if die.pose.finish == "clear" else 0.0
            through[near] *= np.where(crosses(at[near], ways[near], die), passed, 1)
    return np.asarray(through.mean(-1), np.float32)


def crosses(at: Array, ways: Array, die: Placed) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return whether rays cross a die's block, by its three pairs of planes."""
    start = ((at - die.middle) @ die.turn)[:, None]
    along = ways @ die.turn
    along = np.where(np.abs(along) < 1e-6, 1e-6, along)
    half = die.half_mm * BLOCK
    one, other = (-half - start) / along, (half - start) / along
    enter, leave = np.minimum(one, other).max(-1), np.maximum(one, other).min(-1)
    return np.asarray(leave > np.maximum(enter, 1e-3))
