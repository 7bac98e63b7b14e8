"""What a scene is made of. Colours are "#rrggbb" as they look in white light."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Finish = Literal["plain", "marbled", "clear"]
Surface = Literal["felt", "wood", "leather", "black", "card"]


@dataclass(frozen=True, slots=True)
class DiePose:
    """One pipped D6 and how it lies.

    x_mm, y_mm: its middle on the tray. value: the face up. yaw_deg: turned anticlockwise, seen from above.
    tilt_deg: how far it leans (0: flat), towards tilt_to_deg (0: +x, 90: +y); it is lifted to rest on the tray.
    size_mm: edge to edge. roundness: the edge's radius as a share of the size, 0.04 (sharp) to 0.3 (nearly a ball).
    pip_size: a pip's radius as a share of the size. pip_spread: from the face's middle to a corner pip, along an edge.
    gloss: 0 chalk to 1 lacquer. pip_depth: 0 printed to 1 drilled deep.
    """

    x_mm: float
    y_mm: float
    value: int
    yaw_deg: float = 0.0
    tilt_deg: float = 0.0
    tilt_to_deg: float = 0.0
    size_mm: float = 16.0
    body: str = "#e9e4d6"
    pips: str = "#17161a"
    finish: Finish = "plain"
    roundness: float = 0.13
    pip_size: float = 0.09
    pip_spread: float = 0.25
    gloss: float = 0.6
    pip_depth: float = 0.6


@dataclass(frozen=True, slots=True)
class Tray:
    """Where the dice lie. wall_mm: the rim's height, 0 for a bare surface. colour None: the surface's usual one."""

    surface: Surface = "felt"
    colour: str | None = None
    width_mm: float = 300.0
    depth_mm: float = 225.0
    wall_mm: float = 22.0
    rim_mm: float = 12.0
    rim: str = "#5b3a24"


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole that looks at the tray's middle.

    tilt_deg: 0 straight down, 60 from low in front. distance_mm: to the tray's middle. view_mm: how wide a strip
    through the middle fills the picture's width. roll_deg: how crooked it hangs.
    """

    width_px: int = 640
    height_px: int = 480
    distance_mm: float = 450.0
    view_mm: float = 280.0
    tilt_deg: float = 0.0
    roll_deg: float = 0.0

    @property
    def focal_px(self) -> float:
        """The focal length in pixels."""
        return self.width_px * self.distance_mm / self.view_mm


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp, a disc, over a room's even light.

    azimuth_deg: where it stands (0: +x, 90: +y). elevation_deg: above the tray. distance_mm, radius_mm: the lamp's
    place and size: large is soft. ambient: the share of the light that comes from all round.
    tint: the lamp's colour.
    """

    azimuth_deg: float = 120.0
    elevation_deg: float = 60.0
    distance_mm: float = 900.0
    radius_mm: float = 110.0
    ambient: float = 0.45
    tint: str = "#fff4e2"


@dataclass(frozen=True, slots=True)
class Sensor:
    """What a webcam does to the light. blur_px: the lens, standard deviation. noise: 0 none, 1 a webcam in a dim room.

    exposure: 1 as the camera would choose. sharpen: the halo that webcams draw round edges. jpeg: quality, 0 for none.
    motion_px: a smear along motion_deg. tint: what its white balance makes of white.
    """

    blur_px: float = 0.7
    noise: float = 0.4
    exposure: float = 1.0
    sharpen: float = 0.4
    vignette: float = 0.15
    jpeg: int = 88
    motion_px: float = 0.0
    motion_deg: float = 0.0
    tint: str = "#ffffff"


@dataclass(frozen=True, slots=True)
class DieLabel:
    """What is true of one die in the picture. Pixels, origin at the top left pixel's corner.

    box, outline: round all of it that would be seen were nothing in front. top_box, top_face: round its upper face.
    hidden: the share of it that another die hides. cocked: it leans by more than `geometry.COCKED_DEG`.
    """

    die: str
    value: int
    cocked: bool
    box: tuple[float, float, float, float]
    top_box: tuple[float, float, float, float]
    outline: NDArray[np.float32]
    top_face: NDArray[np.float32]
    hidden: float
    pose: DiePose = field(repr=False)
