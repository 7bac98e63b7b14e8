"""Says what lies at a place that geometry takes for a face: the top of a flat die and its value, a side, or none.

A small net run by cv2.dnn looks at a square of the picture, upright, about twice as wide as the face, so that the die's
other faces, its outline and the ground are in view. How it was trained, and how often it is right: docs/judge-card.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.crops import blob, sample
from dicevision.image import Floats, Frame, Rows
from dicevision.pips import HALF_FACE, Face
from dicevision.threads import one_a_thread

SIDE_PX = 48
"""The crop's side: the face is then some 22 pixels wide and a pip 4."""

REACH = 2.2
"""Half the crop's side in half faces: a body seen from 60 degrees ends 2.2 half faces below its top's middle."""

CLASSES = ("1", "2", "3", "4", "5", "6", "side", "cocked", "none")
"""What the net tells apart. "1" to "6": the top of a die that lies flat, with so many pips. "side": another face of a
die. "cocked": the upper face of a die that leans. "none": anything else, or a face that is off the middle or much
larger or smaller than said."""

SIDE, COCKED, NONE = 6, 7, 8


class BadJudge(ValueError):
    """A model file is not one that the judge can use; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Judge:
    """The net, and what goes with its weights. A cv2.dnn net is no two threads' at once.

    temperature: divides the logits. agree: the weights of `agreed`, by logistic regression (docs/judge-card.md).
    """

    net: Any
    temperature: float
    agree: tuple[float, float, float, float] = (1.0, 1.0, 0.0, 0.0)


def crop(frame: Frame, centre: Floats, half: float) -> Frame:
    """(SIDE_PX, SIDE_PX, 3): the upright square round `centre` (2,) whose half side is REACH * `half` pixels."""
    step = 2 * REACH * half / SIDE_PX
    corner = np.asarray(centre, np.float64) - step * (SIDE_PX - 1) / 2
    return sample(frame, np.array([[step, 0, corner[0]], [0, step, corner[1]]]), SIDE_PX)


def crops(frame: Frame, centres: Floats, halves: Floats) -> NDArray[np.uint8]:
    """(N, SIDE_PX, SIDE_PX, 3) for N candidates."""
    taken = [crop(frame, centre, float(half)) for centre, half in zip(centres, halves, strict=True)]
    return np.stack(taken) if taken else np.zeros((0, SIDE_PX, SIDE_PX, 3), np.uint8)


def places(faces: Sequence[Face]) -> tuple[Floats, Floats]:
    """Centres (N, 2) and halves (N,) of geometry's faces, as `judge` takes them."""
    centres = np.array([face.centre for face in faces], np.float64).reshape(-1, 2)
    halves = np.array([HALF_FACE * face.longest for face in faces], np.float64)
    return centres, halves


def judge(frame: Frame, centres: Floats, halves: Floats, net: Judge) -> NDArray[np.float32]:
    """(N, len(CLASSES)) the likelihood of each class at each place.

    centres: (N, 2) pixels. halves: (N,) half the face's longer side in the picture, pixels.
    """
    if len(centres) == 0:
        return np.zeros((0, len(CLASSES)), np.float32)
    net.net.setInput(blob(crops(frame, centres, halves)))
    logits = np.asarray(net.net.forward(), np.float64) / net.temperature
    likely = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True), np.float32)


LEAST = 0.002
"""Likelihood and belief are taken to be at least this far from 0 and 1: neither knows better."""


def logit(p: Floats) -> Floats:
    """Log odds of probabilities, kept LEAST off 0 and 1."""
    q = np.minimum(np.maximum(p, LEAST), 1 - LEAST)
    return np.asarray(np.log(q / (1 - q)))


def evidence(likely: Floats, values: Rows, beliefs: Floats) -> Floats:
    """(N, 4) what `agreed` weighs, for likelihoods (N, len(CLASSES)), counted values (N,) and geometry's beliefs (N,).

    Log odds that the judge sees a top; of the value among tops; of geometry's belief; and 1.
    """
    top = likely[:, :SIDE].sum(axis=1)
    value = likely[np.arange(len(values)), values - 1] / np.maximum(top, 1e-9)
    return np.stack([logit(top), logit(value), logit(beliefs), np.ones(len(values))], axis=1)


def agreed(likely: Floats, values: Rows, beliefs: Floats, net: Judge) -> Floats:
    """(N,) the probability that geometry's values are right and lie on top, by what it and the judge say."""
    return np.asarray(1 / (1 + np.exp(-evidence(likely, values, beliefs) @ np.array(net.agree))))


def load(onnx: bytes, about_json: str) -> Judge:
    """The judge from its files' contents. Raises BadJudge where they do not fit this reader."""
    try:
        about = json.loads(about_json)
        classes, temperature = tuple(about["classes"]), float(about["temperature"])
        by_top, by_value, by_belief, more = (float(weight) for weight in about["agree"])
        net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
        net.setInput(np.zeros((1, 3, SIDE_PX, SIDE_PX), np.float32))
        outputs = int(net.forward().shape[1])
    except (KeyError, TypeError, ValueError, cv2.error) as error:
        raise BadJudge(f"expected an ONNX model and its JSON with classes and temperature; got {error}") from error
    if classes != CLASSES or outputs != len(CLASSES):
        raise BadJudge(f"expected the classes {', '.join(CLASSES)}; got {', '.join(classes)} and {outputs} outputs")
    return Judge(net, temperature, (by_top, by_value, by_belief, more))


@cache
def shipped_files() -> tuple[bytes, str]:
    """The contents of the model files in this package."""
    folder = files("dicevision") / "models"
    return (folder / "judge.onnx").read_bytes(), (folder / "judge.json").read_text()


def shipped() -> Judge:
    """A fresh net from the files in this package, for one thread."""
    return load(*shipped_files())


mine = one_a_thread(shipped)
"""This thread's own net, loaded once."""
