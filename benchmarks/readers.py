"""The readers that are compared, each behind one shape: a picture in, detections out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.outlines import BY_SET
from benchmarks.photographs import Sample, spread
from benchmarks.renders import WRONG_PLAN
from benchmarks.scoring import Detection, Tally, judge

Read = Callable[..., list[Detection]]
"""Takes a picture, BGR uint8; ours also `plan`, the die types that are said to be owed."""

TRIED_FIRST = 20
"""Photographs of a set, evenly spread, on which every setting of a peer is tried."""
FINALISTS = 2
"""How many of its settings are then tried on the whole set; the best of them is what is reported."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read dice.

    `fitted(samples)` is told the whole set, with labels, and returns the reader at its best for that set, with the
    setting in words; ours has one setting and takes no notice.
    """

    name: str
    fitted: Callable[[Sequence[Sample]], tuple[Read, str]]


def ours(samples: Sequence[Sample]) -> tuple[Read, str]:  # noqa: ARG001 - nothing is fitted
    """Return the product's own reader, as it ships."""
    from dicevision.read import DieReading, read

    def detection(die: DieReading) -> Detection:
        best = die.candidates[0][0] if die.value is None and die.candidates else die.value
        box = tuple(float(side) for side in die.box)
        return Detection(
            (box[0], box[1], box[2], box[3]), die.die, best, die.status == "sure", float(die.confidence), die.cocked
        )

    def detections(frame: NDArray[np.uint8], plan: Sequence[str] | None = None) -> list[Detection]:
        return [detection(die) for die in read(frame, plan=plan).dice]

    return detections, "as shipped"


def blob_dbscan(samples: Sequence[Sample]) -> tuple[Read, str]:
    """Return the usual blob-and-cluster recipe at the picture width and polarity that read the most of `samples`."""
    from benchmarks.peers.blob_dbscan import SETTINGS, read

    def score(some: Sequence[Sample], way: Read) -> tuple[int, int]:
        tally = Tally.of(one for sample in some for one in judge(sample.labels, way(sample.frame())))
        return tally.right, -tally.wrong - tally.invented_sure

    few = spread(list(samples), TRIED_FIRST)
    ways = {setting: partial(read, setting=setting) for setting in SETTINGS}
    finalists = sorted(ways, key=lambda setting: score(few, ways[setting]), reverse=True)[:FINALISTS]
    best = max(finalists, key=lambda setting: score(samples, ways[setting]))
    return ways[best], str(best)


def sift_reference(samples: Sequence[Sample]) -> tuple[Read, str]:
    """Return the matcher of numeral dice, having been shown every face of `samples` once."""
    from benchmarks.peers.sift_reference import SiftReference

    peer = SiftReference(samples)
    return peer.read, f"{len({(one.die, one.value) for one in peer.references})} faces shown"


OURS = Reader("dicevision", ours)
BLOB_DBSCAN = Reader("blob-dbscan", blob_dbscan)
SIFT_REFERENCE = Reader("sift-reference", sift_reference)
READERS = {reader.name: reader for reader in (OURS, BLOB_DBSCAN, SIFT_REFERENCE)}


def beside(name: str) -> list[Reader]:
    """The peers that are run beside ours on a set: the matcher wants numerals, one die a photograph; no peer a plan."""
    if name == WRONG_PLAN:
        return []
    return [BLOB_DBSCAN, SIFT_REFERENCE] if name in BY_SET else [BLOB_DBSCAN]
