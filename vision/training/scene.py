"""What is round a die, and the camera: the tray under it, its shadow, blur, noise, exposure and JPEG."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.surface import Picture, _colour, noise


def background(rng: np.random.Generator, size: int) -> Picture:
    """A tray's floor: felt, cloth, leather, wood, card, or a printed map."""
    base = np.array(_colour(rng), np.float32) * rng.uniform(0.2, 1.0)
    picture = np.broadcast_to(base, (size, size, 3)).copy()
    kind = rng.choice(["plain", "felt", "wood", "map", "black", "white"], p=[0.2, 0.25, 0.2, 0.15, 0.1, 0.1])
    if kind == "black":
        picture = np.full((size, size, 3), rng.uniform(0, 0.08), np.float32)
    if kind == "white":
        picture = np.full((size, size, 3), rng.uniform(0.75, 1.0), np.float32)
    if kind == "felt":
        picture += (rng.standard_normal((size, size, 1)) * rng.uniform(0.02, 0.1)).astype(np.float32)
        picture += (noise(rng, size, 6) * rng.uniform(0, 0.06))[..., None]
    if kind == "wood":
        _grain(rng, picture)
    if kind == "map":
        _print(rng, picture)
    slope = np.linspace(-1, 1, size, dtype=np.float32)
    light = slope[None, :] * rng.uniform(-0.15, 0.15) + slope[:, None] * rng.uniform(-0.15, 0.15)
    return np.asarray(np.clip(picture * (1 + light[..., None]), 0, 1))


def _grain(rng: np.random.Generator, picture: Picture) -> None:
    size = picture.shape[0]
    rows = rng.standard_normal((int(rng.integers(12, size // 2)), 3)).astype(np.float32)
    grain = cv2.resize(rows, (size, size), interpolation=cv2.INTER_LINEAR) + 0.5 * noise(rng, size, 7)
    grain = np.rot90(grain, int(rng.integers(2)))
    picture += grain[..., None] * rng.uniform(0.02, 0.09) * np.array([0.6, 0.9, 1.0], np.float32)


def _print(rng: np.random.Generator, picture: Picture) -> None:
    size = picture.shape[0]
    for _ in range(int(rng.integers(3, 10))):
        a, b = (tuple(int(v) for v in rng.integers(0, size, 2)) for _ in range(2))
        colour = _colour(rng)
        if rng.random() < 0.5:
            cv2.line(picture, a, b, colour, int(rng.integers(1, 6)), cv2.LINE_AA)
        else:
            cv2.rectangle(picture, a, b, colour, -1 if rng.random() < 0.6 else 2)


def shadow(rng: np.random.Generator, hull: Picture, span_px: float) -> Picture:
    """How much light the tray gets back, 0 to 1: a soft cast shadow and a dark seam of contact round the die."""
    reach = rng.uniform(0, 0.3) * span_px
    angle = rng.uniform(0, 2 * np.pi)
    shift = np.array([[1, 0, reach * np.cos(angle)], [0, 1, reach * np.sin(angle)]], np.float32)
    cast = cv2.warpAffine(hull, shift, hull.shape[::-1])
    soft = cv2.blur(cv2.blur(cast, (k := max(1, int(span_px * rng.uniform(0.03, 0.25))), k)), (k, k))
    c = max(1, int(span_px * 0.06))
    seam = cv2.blur(hull, (c, c))
    return np.asarray(1 - rng.uniform(0, 0.75) * np.maximum(soft, seam * rng.uniform(0, 0.8)))


def _blur(rng: np.random.Generator, picture: Picture, span_px: float) -> Picture:
    if rng.random() < 0.75:
        picture = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.25, 0.45 + span_px * 0.007)))
    if rng.random() < 0.12:
        length = max(2, int(span_px * rng.uniform(0.015, 0.05)))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        tip = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        a, b = (tuple(int(v) for v in np.round(length / 2 - 0.5 + s * tip)) for s in (-1, 1))
        cv2.line(kernel, a, b, 1.0)
        picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1))
    return picture


def _tone(rng: np.random.Generator, picture: Picture) -> Picture:
    picture = picture * rng.uniform(0.65, 1.25) * rng.uniform(0.88, 1.12, 3).astype(np.float32)
    grey = picture.mean(axis=2, keepdims=True)
    saturation = rng.uniform(1.2, 3.0) if rng.random() < 0.2 else rng.uniform(0.4, 1.3)
    picture = grey + (picture - grey) * np.float32(saturation)
    contrast = rng.uniform(1.1, 2.0) if rng.random() < 0.15 else rng.uniform(0.7, 1.15)
    picture = (picture - 0.5) * np.float32(contrast) + np.float32(rng.uniform(0.4, 0.6))
    return np.clip(picture, 0, 1) ** np.float32(rng.uniform(0.7, 1.4))


def shoot(rng: np.random.Generator, picture: Picture, span_px: float) -> NDArray[np.uint8]:
    """The picture as a camera would give it: blurred, toned, noisy, perhaps sharpened, through JPEG."""
    picture = _tone(rng, _blur(rng, picture, span_px))
    if rng.random() < 0.7:
        picture = picture + rng.standard_normal(picture.shape, dtype=np.float32) * np.float32(rng.uniform(0.002, 0.032))
    if rng.random() < 0.25:
        picture = picture + (picture - cv2.GaussianBlur(picture, (0, 0), 1.2)) * np.float32(rng.uniform(0.3, 1.5))
    taken = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    if rng.random() < 0.75:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 96))]
        taken = np.asarray(cv2.imdecode(cv2.imencode(".jpg", taken, quality)[1], cv2.IMREAD_COLOR), np.uint8)
    return taken
