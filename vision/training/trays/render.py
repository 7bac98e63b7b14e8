"""One picture: the ground, the dice before it, the light on both, then the sensor."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays import geometry, ground, light, sensor
from training.trays.cube import meet
from training.trays.geometry import Array, Placed, View
from training.trays.material import Scenery, shade
from training.trays.model import Camera, DieLabel, DiePose, Light, Sensor, Tray

FINER = 2
"""Rays along each side of a pixel."""
SHADE_PX = 3
"""The floor's shadows are worked out every so many pixels: they are soft."""


def render_tray(
    dice: Sequence[DiePose],
    *,
    tray: Tray = Tray(),  # noqa: B008 - frozen
    camera: Camera = Camera(),  # noqa: B008
    lamp: Light = Light(),  # noqa: B008
    webcam: Sensor = Sensor(),  # noqa: B008
    seed: int = 0,
    shot: int = 0,
) -> tuple[NDArray[np.uint8], tuple[DieLabel, ...]]:
    """Draw dice on a tray; return the picture and a label a die, in the order given.

    `seed` fixes the tray's grain and the dice's marbling; `shot` only the sensor's noise, so that the same tray can be
    photographed many times.
    """
    view, hung, placed = geometry.look(camera), light.hang(lamp), [geometry.place(pose) for pose in dice]
    ways = pixel_rays(view)
    base = ground.lay(tray, view, ways, np.random.default_rng([seed, 1]))
    picture = lit_ground(base, tray, hung, placed)
    hidden = draw_dice(picture, ways, Scenery(view, tray, hung, placed, base.paint.mean((0, 1)), seed))
    small = cv2.resize(picture, (camera.width_px, camera.height_px), interpolation=cv2.INTER_AREA)
    frame = sensor.develop(np.asarray(small, np.float32), webcam, np.random.default_rng([seed, 2, shot]))
    return frame, tuple(label(view, die, gone) for die, gone in zip(placed, hidden, strict=True))


def pixel_rays(view: View) -> Array:
    """Return the rays through the middles of the finer pixels: (H, W, 3)."""
    x = (np.arange(view.camera.width_px * FINER, dtype=np.float32) + 0.5) / FINER
    y = (np.arange(view.camera.height_px * FINER, dtype=np.float32) + 0.5) / FINER
    wide, high = np.meshgrid(x, y)
    return view.rays(np.asarray(wide, np.float32), np.asarray(high, np.float32))


def lit_ground(base: ground.Ground, tray: Tray, lamp: light.Lamp, dice: Sequence[Placed]) -> Array:
    """Return the ground with the light that reaches it."""
    step = SHADE_PX * FINER
    points = base.at[step // 2 :: step, step // 2 :: step]
    flat = points.reshape(-1, 3)
    straight = light.direct(flat, None, lamp, dice) * light.over_wall(flat, lamp, tray)
    round_about = light.room(flat, lamp, dice) * light.by_wall(flat, tray)
    shade = straight[:, None] * lamp.colour + round_about[:, None]
    wide = cv2.resize(shade.reshape(*points.shape[:2], 3), base.up.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(base.paint * wide * (0.6 + 0.4 * base.up[..., None]), np.float32)


def draw_dice(picture: Array, ways: Array, scenery: Scenery) -> list[float]:
    """Draw the dice into the picture, the nearest in front; return the share of each that others hide."""
    depth = np.full(picture.shape[:2], np.inf, np.float32)
    owner = np.full(picture.shape[:2], -1, np.int16)
    whole = []
    for k, die in enumerate(scenery.dice):
        rows, columns = window(scenery.view, die, picture.shape[:2])
        hits = meet(die, scenery.view.eye, ways[rows, columns].reshape(-1, 3))
        whole.append(len(hits.which))
        y, x = np.divmod(hits.which, columns.stop - columns.start)
        y, x = y + rows.start, x + columns.start
        front = np.flatnonzero(hits.far < depth[y, x])
        depth[y[front], x[front]], owner[y[front], x[front]] = hits.far[front], k
        picture[y[front], x[front]] = shade(hits.only(front), die, k, scenery)
    return [1 - float((owner == k).sum()) / whole[k] if whole[k] else 1.0 for k in range(len(whole))]


def window(view: View, die: Placed, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Return the finer rows and columns that a die can cover."""
    low = np.floor(geometry.outline(view, die).min(0) * FINER).astype(int) - 2
    high = np.ceil(geometry.outline(view, die).max(0) * FINER).astype(int) + 2
    (x0, y0), (x1, y1) = np.clip(low, 0, shape[1::-1]), np.clip(high, 0, shape[1::-1])
    return slice(int(y0), int(y1)), slice(int(x0), int(x1))


def label(view: View, die: Placed, hidden: float) -> DieLabel:
    """Say what is true of a die."""
    round_all, face = geometry.outline(view, die), geometry.top_face(view, die)
    cocked = die.pose.tilt_deg > geometry.COCKED_DEG
    value = geometry.upper_value(die)
    return DieLabel("D6", value, cocked, box(round_all), box(face), round_all, face, hidden, die.pose)


def box(points: Array) -> tuple[float, float, float, float]:
    """Return the upright box round points: x, y, width, height."""
    (x0, y0), (x1, y1) = points.min(0), points.max(0)
    return float(x0), float(y0), float(x1 - x0), float(y1 - y0)
