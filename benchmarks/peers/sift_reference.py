"""One reference photograph a face, matched by SIFT: how home-made readers of one's own numeral dice usually do it.

As described for autodice and like projects: keypoints of the die's crop are matched with those of a reference crop of
each face by Lowe's ratio test (0.75, "Distinctive Image Features from Scale-Invariant Keypoints", 2004, section 7.1),
and the matches that one turn, shift and scale explains are counted. The face with the most wins; with few, or hardly
more than the runner-up, there is no answer. It knows the dice of the set beforehand, which ours does not: the first
photograph of each face is its reference, and the next one where the first is being read. A face that was photographed
once can then not be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.outlines import BY_SET
from benchmarks.photographs import Sample
from benchmarks.scoring import Box, Detection
from dicevision.image import Frame, Points

CROP_PX = 200
"""Longer side that a die's crop is brought to."""

RATIO = 0.75
LEAST_MATCHES = 8
AHEAD = 1.3
"""Matches that a face needs, and how many times as many as the runner-up, for an answer that is sure."""

MOST_FEATURES = 400

OFF_PX = 4.0
"""How far a match may be from where the common turn, shift and scale puts it."""


@dataclass(frozen=True, slots=True)
class Features:
    """The keypoints' places (N, 2) in pixels and their descriptors (N, 128)."""

    places: NDArray[np.float32]
    descriptors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reference:
    """One face as it was photographed; `picture` is the photograph's digest."""

    die: str
    value: int
    picture: bytes
    features: Features


def digest(frame: Frame) -> bytes:
    """A picture's identity."""
    return sha256(frame.tobytes()).digest()


def crop(frame: Frame, outline: Points) -> tuple[Frame, Box]:
    """The die inside `outline`, CROP_PX in its longer side, and its box."""
    x, y, width, height = cv2.boundingRect(outline)
    part = frame[max(y, 0) : y + height, max(x, 0) : x + width]
    scale = CROP_PX / max(part.shape[:2])
    return np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), (
        float(x), float(y), float(width), float(height),
    )  # fmt: skip


def features(picture: Frame) -> Features:
    """The strongest MOST_FEATURES, of weaker contrast than OpenCV's default too: engraved dice have much of it."""
    points, descriptors = cv2.SIFT.create(MOST_FEATURES, contrastThreshold=0.02).detectAndCompute(picture, None)
    if descriptors is None:
        return Features(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32))
    return Features(np.array([point.pt for point in points], np.float32), np.asarray(descriptors, np.float32))


def explained(seen: Features, known: Features) -> int:
    """How many matches one turn, shift and scale explains."""
    if min(len(seen.places), len(known.places)) < 2:
        return 0
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(seen.descriptors, known.descriptors, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < RATIO * pair[1].distance]
    if len(good) < 3:
        return 0
    cv2.setRNGSeed(1)
    ours, theirs = seen.places[[m.queryIdx for m in good]], known.places[[m.trainIdx for m in good]]
    _, inliers = cv2.estimateAffinePartial2D(ours, theirs, method=cv2.RANSAC, ransacReprojThreshold=OFF_PX)
    return 0 if inliers is None else int(inliers.sum())


class SiftReference:
    """The recipe for the dice of one set, of one die a photograph."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.outline = BY_SET[samples[0].name.split("/")[0]]
        self.references: list[Reference] = []
        for sample in samples:
            self._learn(sample)

    def _learn(self, sample: Sample) -> None:
        if not sample.labels or sample.labels[0].value is None:
            return
        die, value = sample.labels[0].die, sample.labels[0].value
        if sum((one.die, one.value) == (die, value) for one in self.references) == 2:
            return
        frame = sample.frame()
        outline = self.outline(frame)
        if outline is not None:
            self.references.append(Reference(die, value, digest(frame), features(crop(frame, outline)[0])))

    def known_to(self, frame: Frame) -> list[Reference]:
        """One reference a face, the photograph that is being read left out."""
        own, chosen = digest(frame), dict[tuple[str, int], Reference]()
        for one in self.references:
            if one.picture != own:
                chosen.setdefault((one.die, one.value), one)
        return list(chosen.values())

    def read(self, frame: Frame) -> list[Detection]:
        """The die in a photograph, or none."""
        outline = self.outline(frame)
        if outline is None:
            return []
        picture, box = crop(frame, outline)
        seen = features(picture)
        told = sorted(((explained(seen, one.features), one) for one in self.known_to(frame)), key=lambda pair: -pair[0])
        if not told or told[0][0] == 0:
            return [Detection(box, None, None, False, 0.0)]
        (most, best), second = told[0], told[1][0] if len(told) > 1 else 0
        sure = most >= LEAST_MATCHES and most >= AHEAD * second
        return [Detection(box, best.die, best.value, sure, most / (most + second))]
