"""How well and how fast dice are read, set by set, with the usual recipe beside ours on the same pictures.

Every reader reads every set in a process of its own, on one thread, so that times and memory are its own.
"""

from __future__ import annotations

import importlib.util
import math
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks import renders
from benchmarks.photographs import NoData, NoSuchSet, Sample, install, photograph_sets, spread
from benchmarks.readers import OURS, READERS, Read, beside
from benchmarks.scoring import Judged, Tally, Verdict, judge

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared/data"
VGA_PX = 640 * 480
TIMED = 60
"""Pictures of a set, evenly spread, that the speed at 640x480 is taken on."""


@dataclass(frozen=True, slots=True)
class Result:
    """One reader on one set.

    `misread` holds every verdict but right, with its picture's name. `ms` is the median wall time of a picture as it
    is; `per_core_second` how many pictures of 640x480 pixels' area a core reads in a second of its own time;
    `peak_mb` the whole process at its largest, units of 10^6 bytes.
    """

    set: str
    reader: str
    setting: str
    pictures: int
    tally: Tally
    by_die: dict[str, Tally]
    misread: list[tuple[str, Judged]]
    ms: float
    per_core_second: float
    peak_mb: float


def set_names(data: Path) -> list[str]:
    """Return the sets that are read where none is named: photographs, then renders."""
    return [*photograph_sets(data), *renders.at_hand()]


def samples_of(name: str, data: Path) -> list[Sample]:
    """Return a set's pictures."""
    return renders.render_set(name) if name in renders.NAMES else photograph_sets(data)[name]


def run(names: Sequence[str], data: Path = DATA, peers: bool = True) -> Iterator[Result]:
    """Return a result a set and reader, each measured when it is asked for.

    Raises NoData with a sentence, before anything is measured, where something it needs is not there.
    """
    wanted = list(names) or set_names(data)
    check(wanted, data, peers)
    return measured(wanted, data, peers)


def measured(wanted: Sequence[str], data: Path, peers: bool) -> Iterator[Result]:
    """Measure set by set."""
    for name in wanted:
        if name in renders.NAMES:
            renders.render_set(name)
        for reader in [OURS, *beside(name)] if peers else [OURS]:
            yield in_a_process(reader.name, name, data)


def check(wanted: Sequence[str], data: Path, peers: bool) -> None:
    """Say what is missing before anything is measured."""
    if any(name not in renders.NAMES for name in wanted):
        known = [*photograph_sets(data), *renders.NAMES]
        if unknown := [name for name in wanted if name not in known]:
            raise NoSuchSet(f"There is no set {', '.join(unknown)}; there are {', '.join(known)}.")
    if peers and importlib.util.find_spec("sklearn") is None:
        raise NoData(f"The recipe beside ours needs scikit-learn: {install('bench')}, or add --ours-only.")


def in_a_process(reader: str, name: str, data: Path) -> Result:
    """Measure in a fresh process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, reader, name, data).result()


def measure(reader: str, name: str, data: Path) -> Result:
    """Read one whole set."""
    cv2.setNumThreads(1)
    samples = samples_of(name, data)
    read, setting = READERS[reader].fitted(samples)
    read(samples[0].frame())
    told, ms = read_all(read, samples)
    peak = peak_mb()
    judged = [one for _, some in told for one in some]
    return Result(
        set=name,
        reader=reader,
        setting=setting,
        pictures=len(samples),
        tally=Tally.of(judged),
        by_die=by_die(judged),
        misread=[(image, one) for image, some in told for one in some if one.verdict is not Verdict.RIGHT],
        ms=ms,
        per_core_second=speed(read, spread(samples, TIMED)),
        peak_mb=peak,
    )


def by_die(judged: Sequence[Judged]) -> dict[str, Tally]:
    """Tally each die type apart, D4 before D10."""
    dice = sorted({one.die for one in judged}, key=lambda die: int(die[1:]) if die[1:].isdigit() else 0)
    return {die: Tally.of(one for one in judged if one.die == die) for die in dice}


def read_all(read: Read, samples: Sequence[Sample]) -> tuple[list[tuple[str, list[Judged]]], float]:
    """Return each picture's verdicts, and the median milliseconds a picture, its opening not counted."""
    told, took = [], []
    for sample in samples:
        frame = sample.frame()
        start = time.perf_counter()
        found = read(frame, plan=sample.plan) if sample.plan else read(frame)
        took.append(time.perf_counter() - start)
        told.append((sample.name, judge(sample.labels, found)))
    return told, statistics.median(took) * 1000


def speed(read: Read, samples: Sequence[Sample]) -> float:
    """Return pictures a second of one core's own time, each first brought to the area of 640x480."""
    frames = [vga(sample.frame()) for sample in samples]
    start = time.process_time()
    for frame in frames:
        read(frame)
    return len(frames) / (time.process_time() - start)


def vga(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale to the area of 640x480, the shape kept."""
    scale = math.sqrt(VGA_PX / (frame.shape[0] * frame.shape[1]))
    if abs(scale - 1) < 0.001:
        return frame
    return np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def peak_mb() -> float:
    """Return this process's largest resident memory so far, in units of 10^6 bytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) * 1024 / 1e6
    except (OSError, StopIteration):  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
