"""What a webcam makes of the light: lens, exposure, noise, the halo it draws, eight bits and JPEG."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.trays.geometry import Array
from training.trays.light import linear
from training.trays.model import Sensor

MIDDLE = 0.20
"""The mean light that automatic exposure aims at, linear: photography's 18 per cent grey, a little over."""
GAIN = (0.5, 2.6)
"""How far automatic exposure may go either way: a black tray stays dark, a white one bright."""
SHOT, READ = 0.0012, 0.00006
"""Noise variance at noise 1, linear: per unit of light, and in the dark. Chosen so that a mid grey has a deviation of
some 5 of 255, as a webcam has by a desk lamp."""


def develop(light: Array, sensor: Sensor, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture (H, W, 3) uint8 that a webcam gives of light (H, W, 3) float32."""
    seen = exposed(lens(light, sensor), sensor)
    noisy = seen + noise(seen, sensor.noise, rng)
    picture = sharpened(np.clip(noisy, 0, 1) ** (1 / 2.2), sensor.sharpen)
    return packed(np.clip(picture * 255 + 0.5, 0, 255).astype(np.uint8), sensor.jpeg)


def lens(light: Array, sensor: Sensor) -> Array:
    """Blur as the lens and a moving camera do, and darken the corners."""
    if sensor.blur_px > 0:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), sensor.blur_px), np.float32)
    if sensor.motion_px >= 1:
        light = np.asarray(cv2.filter2D(light, -1, smear(sensor)), np.float32)
    h, w = light.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32))
    return np.asarray(light * (1 - sensor.vignette * (x**2 + y**2) / 2)[..., None], np.float32)


def smear(sensor: Sensor) -> Array:
    """Return the kernel of a straight movement."""
    reach = int(np.ceil(sensor.motion_px)) | 1
    kernel = np.zeros((reach, reach), np.float32)
    way = (
        np.array([np.cos(np.radians(sensor.motion_deg)), -np.sin(np.radians(sensor.motion_deg))]) * sensor.motion_px / 2
    )
    ends = [tuple(round(16 * (reach // 2 + sign * step)) for step in way) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(kernel / kernel.sum(), np.float32)


def exposed(light: Array, sensor: Sensor) -> Array:
    """Expose as the camera would, by the picture's mean, and tint."""
    gain = float(np.clip(MIDDLE / max(float(light.mean()), 1e-4), *GAIN)) * sensor.exposure
    return np.asarray(light * gain * linear(sensor.tint), np.float32)


def noise(light: Array, much: float, rng: np.random.Generator) -> Array:
    """Return shot and read noise, a little smoothed, as a webcam's own cleaning leaves it."""
    if much <= 0:
        return np.zeros_like(light)
    grains = rng.standard_normal(light.shape, np.float32)
    soft = cv2.GaussianBlur(grains, (0, 0), 0.6) * 2.0
    return np.asarray(soft * np.sqrt(much * (SHOT * np.maximum(light, 0) + READ)), np.float32)


def sharpened(picture: Array, much: float) -> Array:
    """Draw the halo."""
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.3), np.float32)
    return np.asarray(picture + much * (picture - soft), np.float32)


def packed(picture: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """Pass a picture through JPEG."""
    if quality <= 0:
        return picture
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
