"""How a die's surface looks: its body and ink in the light that reaches them, and what its gloss mirrors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from training.trays import light
from training.trays.cube import Hits
from training.trays.geometry import Array, Placed, View
from training.trays.model import Tray

GLASS = 0.04
"""The share of light that plastic mirrors when looked at straight (refractive index 1.5)."""


@dataclass(frozen=True, slots=True)
class Scenery:
    """What shading a die needs to know. floor (3,): the ground's mean colour, which it throws back."""

    view: View
    tray: Tray
    lamp: light.Lamp
    dice: Sequence[Placed]
    floor: Array
    seed: int


def shade(hits: Hits, die: Placed, index: int, scenery: Scenery) -> Array:
    """Return the light that comes from points on a die: (M, 3)."""
    others = [other for k, other in enumerate(scenery.dice) if k != index]
    paint = body(hits.own, die, np.random.default_rng([scenery.seed, 3, index]))
    straight = light.direct(hits.at, hits.normal, scenery.lamp, others)
    straight = straight * light.over_wall(hits.at, scenery.lamp, scenery.tray)
    up = 0.5 + 0.5 * hits.normal[:, 2]
    above = light.room(hits.at, scenery.lamp, others) * up
    below = (1 - up)[:, None] * scenery.floor * 0.7
    lit = straight[:, None] * scenery.lamp.colour + above[:, None] + below
    inside = paint * (glow(hits, die, scenery) if die.pose.finish == "clear" else lit)
    inked = np.where(hits.pip[:, None] > 0, light.linear(die.pose.pips) * lit, inside)
    return np.asarray(inked + mirrored(hits, die, straight, scenery), np.float32)


def body(own: Array, die: Placed, rng: np.random.Generator) -> Array:
    """Return the body's paint at points: one colour, or two that swirl."""
    base = light.linear(die.pose.body)
    if die.pose.finish != "marbled":
        return np.broadcast_to(base, own.shape)
    other = np.clip(base * rng.uniform(0.4, 0.7) if base.mean() > 0.25 else base * 2 + 0.06, 0, 1)
    share = swirl(own / die.pose.size_mm, rng)[:, None]
    return np.asarray(base * (1 - share) + other * share, np.float32)


def swirl(places: Array, rng: np.random.Generator) -> Array:
    """Return marbling, 0 to 1: waves bent by waves."""
    bent = places + 0.16 * np.sin(places @ rng.normal(0, 7, (3, 3)) + rng.uniform(0, 6, 3))
    wave = np.sin(bent @ rng.normal(0, 6, 3) + rng.uniform(0, 6))
    return np.asarray(np.clip(0.5 + 0.75 * wave, 0, 1) ** 1.5, np.float32)


def glow(hits: Hits, die: Placed, scenery: Scenery) -> Array:
    """Return the light inside a clear die: brightest low down, away from the lamp, where its beam is gathered."""
    way = scenery.lamp.middle / np.linalg.norm(scenery.lamp.middle)
    deep = -((hits.at - die.middle) @ way) / die.half_mm
    return np.asarray(0.5 + 0.3 * np.clip(deep, -1, 1.6)[:, None] + 0.5 * scenery.floor, np.float32)


def mirrored(hits: Hits, die: Placed, straight: Array, scenery: Scenery) -> Array:
    """Return what the gloss mirrors: the lamp as a soft spot, and the room above or the floor below."""
    look = hits.at - scenery.view.eye
    look = look / np.linalg.norm(look, axis=-1, keepdims=True)
    facing = np.clip(-(look * hits.normal).sum(-1), 0, 1)
    share = (GLASS + (1 - GLASS) * (1 - facing) ** 5) * (0.15 + 0.85 * die.pose.gloss)
    way = look + 2 * facing[:, None] * hits.normal
    spot = lamp_in(way, hits, die, scenery) * (straight > 0.01)
    seen = np.where(way[:, 2:] > 0, scenery.lamp.ambient * (0.3 + 0.7 * way[:, 2:]), 0.4 * scenery.floor)
    return np.asarray(share[:, None] * (spot[:, None] * scenery.lamp.colour + seen), np.float32)


def lamp_in(way: Array, hits: Hits, die: Placed, scenery: Scenery) -> Array:
    """Return how bright the lamp is along mirrored ways.

    A disc of angular radius a that gives a floor the light E has the radiance E / sin(a)^2; roughness spreads it.
    """
    lamp = scenery.lamp
    to = lamp.middle - hits.at
    to = to / np.linalg.norm(to, axis=-1, keepdims=True)
    off = np.arccos(np.clip((way * to).sum(-1), -1, 1))
    wide2 = lamp.size_rad**2 + (0.03 + 0.5 * (1 - die.pose.gloss) ** 2) ** 2
    return np.asarray((1 - lamp.ambient) / np.sin(np.sqrt(wide2)) ** 2 * np.exp(-((off**2 / wide2) ** 2)), np.float32)
