"""Candidate faces of a scene, as geometry finds them, as it should, and as it should not, each with what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision import blobs, find, pips
from dicevision.blobs import roots
from dicevision.find import Spots
from dicevision.image import Floats, Frame
from dicevision.judge import NONE, crops
from dicevision.pips import HALF_FACE
from training.faces import scatter
from training.faces.scatter import Drawn
from training.faces.truth import UNKNOWN, Truth, called, truths
from training.trays import geometry, throws
from training.trays.geometry import Array
from training.trays.throws import Scene

PATTERNS_KEPT, SPOTS_KEPT, RANDOM_KEPT = 8, 5, 3
"""Raw patterns, spots taken for ones, and places of chance that are kept of one scene: nearly all are none."""

FOUND = 0.5
"""Share of scenes in which the finder's own candidates are taken: it is slower than the drawing."""

Try = tuple[Floats, float]
"""A candidate: centre (2,) and half the face, pixels."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Crops (N, SIDE_PX, SIDE_PX, 3) and their classes (N,)."""

    pictures: NDArray[np.uint8]
    labels: NDArray[np.int64]


def cut(rng: np.random.Generator, drawn: Drawn) -> Cut:
    """All candidates of a scene whose class is known."""
    tried = [*(found(rng, drawn.frame) if rng.random() < FOUND else ()), *true(rng, drawn.faces), *false(rng, drawn)]
    told = [(centre, half, called(centre, half, drawn.faces)) for centre, half in tried]
    kept = [one for one in told if one[2] != UNKNOWN and one[1] > 2.5]
    centres, halves = np.array([one[0] for one in kept]), np.array([one[1] for one in kept])
    return Cut(crops(drawn.frame, centres, halves), np.array([one[2] for one in kept], np.int64))


def found(rng: np.random.Generator, frame: Frame) -> Iterator[Try]:
    """What the finder proposes, borne out by the picture or not."""
    spots = Spots.of(blobs.find(frame))
    if len(spots.blobs) == 0:
        return
    known = find.faces(frame, spots)
    for seen in known + find.ones(frame, spots, known):
        yield seen.face.centre, longer(seen.face.axes)
    patterns = pips.find(spots.blobs, spots.like, spots.loose)
    for k in rng.permutation(len(patterns))[:PATTERNS_KEPT]:
        yield patterns[k].centre, longer(patterns[k].axes)
    for k in rng.permutation(len(spots.blobs))[:SPOTS_KEPT]:
        axes = roots(spots.blobs.shape[k][None])[0] * rng.uniform(3, 7)
        yield spots.blobs.xy[k], float(np.linalg.norm(axes, 2))


def longer(axes: Array) -> float:
    """Half the longer side of a face whose axes are pitches in pixels."""
    return HALF_FACE * float(np.linalg.norm(axes, 2))


def true(rng: np.random.Generator, faces: Sequence[Truth]) -> Iterator[Try]:
    """True faces, tops twice, as far off as geometry places them."""
    for face in faces:
        for _ in range(2 if face.label < 6 else 1):
            off = face.axes @ rng.uniform(-0.22, 0.22, 2)
            yield face.centre + off, face.half * float(np.exp(rng.uniform(-0.3, 0.3)))


def false(rng: np.random.Generator, drawn: Drawn) -> Iterator[Try]:
    """Places beside true faces, far too small or large, and anywhere."""
    for face in drawn.faces:
        if rng.random() < 0.35:
            way = rng.uniform(0, 2 * np.pi)
            off = face.axes @ np.array([np.cos(way), np.sin(way)]) * rng.uniform(0.7, 2.0)
            yield face.centre + off, face.half * float(np.exp(rng.uniform(-0.4, 0.4)))
        if rng.random() < 0.15:
            yield face.centre, face.half * float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.75, 1.2)))
    height, width = drawn.frame.shape[:2]
    for _ in range(RANDOM_KEPT):
        yield rng.uniform(0, 1, 2) * (width, height), float(np.exp(rng.uniform(np.log(6), np.log(50))))


def scattered(rng: np.random.Generator) -> Cut:
    """The candidates of one fast scene."""
    return cut(rng, scatter.draw(rng))


def thrown(rng: np.random.Generator) -> Cut:
    """The candidates of one ray-traced scene, the camera often farther off than a tray's."""
    kind: throws.Kind = "cocked" if rng.random() < 0.35 else "pips"
    scene = throws.scene(kind, rng, bool(rng.random() < 0.6))
    return cut(rng, traced(farther(rng, scene)))


def farther(rng: np.random.Generator, scene: Scene) -> Scene:
    """The same scene with smaller dice, and now and then a smear."""
    camera = replace(scene.camera, view_mm=scene.camera.view_mm * float(np.exp(rng.uniform(0, 0.9))))
    motion = float(rng.uniform(1, 5)) if rng.random() < 0.1 else 0.0
    webcam = replace(scene.webcam, motion_px=motion, motion_deg=float(rng.uniform(0, 360)))
    return replace(scene, camera=camera, webcam=webcam)


def traced(scene: Scene) -> Drawn:
    """Draw a scene of training.trays and say what each face in it is."""
    frame, _ = scene.draw()
    view, dice = geometry.look(scene.camera), [geometry.place(pose) for pose in scene.dice]
    dice.sort(key=lambda die: -float(np.linalg.norm(die.middle - view.eye)))
    owner = np.zeros(frame.shape[:2], np.uint8)
    for k, die in enumerate(dice):
        cv2.fillPoly(owner, [np.rint(geometry.outline(view, die)).astype(np.int32)], k + 1)
    return Drawn(frame, tuple(face for k, die in enumerate(dice) for face in truths(view, die, owner, k + 1)))


def join(cuts: Sequence[Cut]) -> Cut:
    """One of several."""
    return Cut(np.concatenate([c.pictures for c in cuts]), np.concatenate([c.labels for c in cuts]))


def balanced(whole: Cut) -> Cut:
    """With at most as many of none as of all else."""
    none, some = np.flatnonzero(whole.labels == NONE), np.flatnonzero(whole.labels != NONE)
    rows = np.sort(np.concatenate([some, none[: len(some)]]))
    return Cut(whole.pictures[rows], whole.labels[rows])
