"""What the machine itself can do meanwhile: `python -m benchmarks.control FOLDER`, until its input ends.

Prints one line of JSON: how late a bare asyncio timer was, how long a small write to a file in FOLDER took to reach the
disk, and the load. A latency measured in the same minutes is judged beside these: none of it is the service's.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

WAKE_EVERY_S = 0.05
SYNC_EVERY_S = 0.2
BLOCK = bytes(4096)
"""A page of SQLite's log, which is what a commit syncs."""


async def _wake_ups(late_ms: list[float]) -> None:
    """Add how late each of a row of timers came."""
    while True:
        due = time.monotonic() + WAKE_EVERY_S
        await asyncio.sleep(WAKE_EVERY_S)
        late_ms.append((time.monotonic() - due) * 1000)


async def _syncs(file: Path, took_ms: list[float]) -> None:
    """Add how long each of a row of writes took to reach the disk; the waiting is done in a thread."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        took_ms.append(await asyncio.to_thread(_synced_ms, descriptor))
        await asyncio.sleep(SYNC_EVERY_S)


def _synced_ms(descriptor: int) -> float:
    began = time.monotonic()
    os.write(descriptor, BLOCK)
    os.fdatasync(descriptor)
    return (time.monotonic() - began) * 1000


async def _watch(folder: Path) -> dict[str, float]:
    late_ms, took_ms = list[float](), list[float]()
    tasks = [asyncio.create_task(_wake_ups(late_ms)), asyncio.create_task(_syncs(folder / "control", took_ms))]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    return {
        "wake_p99_ms": _p99(late_ms),
        "wake_max_ms": round(max(late_ms), 1),
        "fsync_p99_ms": _p99(took_ms),
        "fsync_max_ms": round(max(took_ms), 1),
        "load": round(os.getloadavg()[0], 2),
    }


def _p99(values: list[float]) -> float:
    return round(statistics.quantiles(values, n=100)[98], 1)


@contextmanager
def watched(folder: Path) -> Iterator[dict[str, float]]:
    """Watch the machine in a process of its own; the figures are in the dict once the block is left."""
    figures: dict[str, float] = {}
    with Popen([sys.executable, "-m", __spec__.name, folder], stdin=PIPE, stdout=PIPE, text=True) as process:
        yield figures
        told, _ = process.communicate()
        figures |= json.loads(told)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_watch(Path(sys.argv[1])))))
