"""One die under one camera, seen again and again: the same solid, marking, material, ground and camera, thrown anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from training import scene, surface
from training.glyphs import Font
from training.singles import SPAN_PX, Single, Thrown, labelled, lay, lying, silhouette, throw, view_of

SPREAD_DEG = 7.0
"""How far the tilt at which one camera sees a die differs from throw to throw: the die lies elsewhere in the tray."""


@dataclass(frozen=True, slots=True)
class Series:
    """One die under one camera. span_px: its width there. seed: of what stays: the ground, and the camera's tones.

    The light on the die and its highlights are drawn for each throw, and so are marbling and speckles: the renderer
    lays them on the picture, not on the die, so that a body's pattern tells nothing here.
    """

    thrown: Thrown
    stuff: surface.Material
    span_px: float
    seed: int

    @property
    def values(self) -> tuple[int, ...]:
        """What it can show, by face."""
        return self.thrown.values

    def show(self, rng: np.random.Generator, value: int) -> Single:
        """A new throw of it that shows `value`: turned anywhere, in another place of the tray."""
        thrown = _lying(rng, self.thrown, self.thrown.values.index(value))
        span = self.span_px * float(rng.uniform(0.92, 1.08))
        fine = 2 if span < 80 else 1
        size = int(span * 1.6) * fine
        view = view_of(rng, thrown, span * fine, size)
        floor = scene.background(np.random.default_rng(self.seed), size)
        mask, outline = silhouette(rng, thrown, view, size)
        picture = floor * scene.shadow(rng, mask, span * fine)[..., None]
        lay(rng, picture, floor, thrown, view, mask, self.stuff)
        if fine > 1:
            picture = cv2.resize(picture, None, fx=1 / fine, fy=1 / fine, interpolation=cv2.INTER_AREA)
        return labelled(scene.shoot(np.random.default_rng(self.seed), picture, span), thrown, view, outline, fine)


def series(rng: np.random.Generator, fonts: Sequence[Font] = (), die: str | None = None) -> Series:
    """A die and a camera, drawn; `die` where its type is given."""
    span_px = float(np.exp(rng.uniform(*np.log(SPAN_PX))))
    return Series(throw(rng, fonts, die), surface.draw(rng), span_px, int(rng.integers(2**31)))


def _lying(rng: np.random.Generator, one: Thrown, top: int) -> Thrown:
    """The die with another face on top, seen at about its camera's tilt."""
    east, north = np.clip(np.array(one.tilt) + np.sin(np.radians(rng.normal(0, SPREAD_DEG, 2))), -0.7, 0.7)
    tilt = (float(east), float(north))
    return replace(one, top=top, tilt=tilt, rotation=lying(rng, one.body, top, tilt))
