"""What a live camera knew of its tray when it gave a picture to be read: a tape keeps it beside the picture."""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[float, float]
"""Shares of the tray's picture, x then y from 0 to 1, origin top left."""


@dataclass(frozen=True, slots=True)
class Part:
    """A zone: its name, and its corners in order round it."""

    name: str
    corners: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class InTray:
    """corners: the tray in its picture; none: all of it. left: middles of the dice that lay there before the throw.

    zones: parts of the tray; the first that holds a die's middle names its reading's zone.
    tilt: how the camera looks down, where other dice had shown it: the world's up as seen (x right, y up, sine).
    """

    corners: tuple[Place, ...] = ()
    left: tuple[Place, ...] = ()
    zones: tuple[Part, ...] = ()
    tilt: tuple[float, float] | None = None


WHOLE = InTray()
