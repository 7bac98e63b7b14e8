"""A watched tray learns how its camera looks down, from drawn dice, and forgets it where the camera was moved."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
from tests.support.clips import Clip, Frame

from dicevision.params import Params
from dicevision.read import TrayReading, read
from dicevision.tilt import LEAST, Learnt, Tilt
from dicevision.watch import Thrown, Watch
from training import singles, surface
from training.finder import table

SIZE = (480, 360)
PAD = 100
STEEP, LEVEL = (0.0, 0.5), (0.0, 0.0)
PLACES = ((110, 100), (240, 190), (370, 110), (130, 270), (360, 270))
KINDS = ("D8", "D20", "D10", "D12", "D20")


@cache
def ground(edge: int = 0) -> Frame:
    """Green cloth, with a plank of the tray's rim that lies `edge` pixels in."""
    made = np.full((SIZE[1], SIZE[0], 3), (64, 102, 51), np.uint8)
    cv2.rectangle(made, (edge, 0), (edge + 30, SIZE[1]), (40, 70, 110), -1)
    return np.asarray(cv2.GaussianBlur(made, (5, 5), 1), np.uint8)


@cache
def thrown(tilt: Tilt, seed: int, edge: int = 0) -> Frame:
    """Five numeral dice on the cloth, as a camera of that tilt sees them."""
    rng = np.random.default_rng((seed, 11))
    picture = cv2.copyMakeBorder(ground(edge), PAD, PAD, PAD, PAD, cv2.BORDER_REPLICATE).astype(np.float32) / 255
    stuff = surface.Material(((0.85, 0.85, 0.9),) * 3, "plain", 0.0, 0.1, 0.0, (0.05, 0.05, 0.05), 1.0)
    for kind, place in zip(KINDS, PLACES, strict=True):
        die = singles.throw(rng, (), kind, tilt=singles.seen_from(tilt, (0, 0)))
        die = table.at_place(die, tilt, (np.array(place, float) - np.array(SIZE) / 2) / SIZE[0])
        table.lay(rng, picture, die, np.array(place, float) + PAD, 62, stuff, 3)
    frame = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.7), 0, 1)[PAD:-PAD, PAD:-PAD] * 255
    return np.ascontiguousarray(frame.astype(np.uint8))


class Table:
    """A watch with the real reader, and what came of it."""

    def __init__(self) -> None:
        self.throws: list[Thrown] = []
        self.read_with: list[Tilt | None] = []
        self.watch = Watch(self._read)
        self.at_s = 0.0

    def _read(self, picture: Frame) -> TrayReading:
        self.read_with.append(self.watch.learnt.known)
        return read(picture, Params(tilt=self.watch.learnt.known))

    def show(self, *scenes: Frame) -> None:
        """Each scene comes to rest in turn."""
        for scene in scenes:
            clip = Clip(rate=12, at_s=self.at_s).rest(scene, 0.6)
            self.throws += [made for frame, at_s in clip for made in self.watch.see(frame, at_s)]
            self.at_s = clip.at_s


@cache
def learnt() -> Learnt:
    """What three throws of five dice show."""
    made = Table()
    made.show(ground(), *(thrown(STEEP, seed) for seed in (1, 2, 3)))
    return made.watch.learnt


def settled() -> Table:
    """A table that knows its camera's tilt, and its tray empty."""
    made = Table()
    made.show(ground())
    made.watch.learnt = learnt()
    return made


def test_the_tilt_is_learnt_from_throws_and_read_with_and_reads_the_same_again() -> None:
    known = learnt().known
    assert known is not None
    assert math.dist(known, STEEP) < 0.2
    made = settled()
    made.show(thrown(STEEP, 4))
    (throw,) = made.throws
    assert throw.tilt == made.read_with[-1] == known
    assert len(made.watch.learnt.dice) > len(learnt().dice)
    again = {die.box: (die.die, die.value) for die in read(throw.picture, Params(tilt=throw.tilt)).dice}
    assert all(again[die.box] == (die.die, die.value) for die in throw.dice if die.status == "sure")


def test_dice_that_lie_there_are_learnt_from_once() -> None:
    made = Table()
    made.show(thrown(STEEP, 1))
    seen = len(made.watch.learnt.dice)
    assert 0 < seen < LEAST
    marked = thrown(STEEP, 1).copy()
    cv2.circle(marked, (240, 320), 12, (20, 20, 20), -1)
    made.show(marked)
    assert len(made.read_with) > 2
    assert len(made.watch.learnt.dice) == seen


def test_a_camera_that_was_moved_reads_nothing_with_the_old_tilt() -> None:
    """Its dice say so; the tray itself looks as it did."""
    made = settled()
    made.watch.empty = None
    made.show(thrown(LEVEL, 7))
    (throw,) = made.throws
    assert throw.tilt is None
    assert len(throw.dice) >= 3
    assert made.watch.learnt.known is None
    assert len(made.watch.learnt.dice) >= 3
    assert any(die.status == "sure" for die in throw.dice)


def test_an_empty_tray_that_no_longer_fits_says_so_too() -> None:
    """The dice alone would not: they show the same tilt."""
    made = settled()
    beside = thrown(STEEP, 4, edge=24)
    assert made.watch.empty is not None
    made.watch._reaches_in = lambda *_: False  # type: ignore[method-assign] # it would be read past after 4 s
    made.read_with.clear()
    made.show(beside)
    assert made.read_with[0] == learnt().known
    assert made.read_with[-1] is None
    assert made.watch.empty is None
    (throw,) = made.throws
    assert throw.tilt is None
