"""The usual recipe: find round dark spots, cluster them by distance, call each cluster's count a die.

As described in Quentin Golsteyn's "Using OpenCV to identify a dice roll" (2020) and many later write-ups: median
blur, grey, OpenCV's SimpleBlobDetector with its defaults but for a least inertia, scikit-learn's DBSCAN in which a
single spot may be a cluster. Its distances are in pixels, so it depends on the picture's width: `WIDTHS` and both
polarities are tried over a whole set, and the best for that set is what is reported.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN

from benchmarks.scoring import Box, Detection

os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # one thread; and where the cores cannot be counted joblib warns

WIDTHS = (400, 560, 640, 800, 960, 1280, 1600)
"""Picture widths tried, pixels."""

MEDIAN_PX = 7
LEAST_INERTIA = 0.6
REACH_PX = 40
"""The write-up's own values: the blur's window, a spot's least roundness, how far apart one die's spots may be."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run the recipe. `light`: look for light spots (255) instead of dark ones (0), the default."""

    width: int
    light: bool = False

    def __str__(self) -> str:
        return f"{self.width} px wide, {'light' if self.light else 'dark'} spots"


SETTINGS = tuple(Setting(width, light) for width in WIDTHS for light in (False, True))


def read(frame: NDArray[np.uint8], setting: Setting) -> list[Detection]:
    """Run the recipe on one picture; boxes are in the picture's own pixels."""
    scale = setting.width / frame.shape[1]
    small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    spots = detector(setting.light).detect(cv2.cvtColor(cv2.medianBlur(small, MEDIAN_PX), cv2.COLOR_BGR2GRAY))
    if not spots:
        return []
    places = np.array([spot.pt for spot in spots])
    radii = np.array([spot.size / 2 for spot in spots])
    cluster = DBSCAN(eps=REACH_PX, min_samples=1).fit(places).labels_
    return [die(places[cluster == k] / scale, radii[cluster == k] / scale) for k in range(cluster.max() + 1)]


def detector(light: bool) -> cv2.SimpleBlobDetector:
    """OpenCV's spot finder as the recipe sets it."""
    params = cv2.SimpleBlobDetector.Params()
    params.minInertiaRatio = LEAST_INERTIA
    params.blobColor = 255 if light else 0
    return cv2.SimpleBlobDetector.create(params)


def die(places: NDArray[np.float64], radii: NDArray[np.float64]) -> Detection:
    """Call one cluster a die: its spots are the value, the box round them its place. The recipe has no doubt."""
    return Detection(box=round_spots(places, radii), die="D6", value=len(places), sure=True)


def round_spots(places: NDArray[np.float64], radii: NDArray[np.float64]) -> Box:
    """Return the box round all spots of a cluster."""
    low = (places - radii[:, None]).min(axis=0)
    wide, high = (places + radii[:, None]).max(axis=0) - low
    return float(low[0]), float(low[1]), float(wide), float(high)
