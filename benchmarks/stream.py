"""How soon every open page shows a throw: the real service in a process of its own, many pages on loopback.

A throw's time runs from just before its call is sent to the moment a page has its event, the journal's sync included.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SETTLE_S = 1.0
"""Left to the pages after the last throw, before they are closed."""


@dataclass(frozen=True, slots=True)
class Load:
    """How many pages, how many throws a second, for how long."""

    pages: int = 100
    per_second: float = 5
    seconds: float = 20


@dataclass(frozen=True, slots=True)
class Result:
    """Milliseconds from the call to the event, over all pages and throws; and what the service spent.

    `late` counts events that a page never saw; `cpu_us` is the service's processor time an event and page.
    """

    pages: int
    per_second: float
    seconds: float
    throws: int
    events: int
    late: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    answered_p50_ms: float
    cpu_us: float | None
    cores: float | None


def run(load: Load) -> Result:
    """Measure one load."""
    with tempfile.TemporaryDirectory() as folder, _service(Path(folder) / "journal.db") as (process, address):
        before = _cpu_s(process.pid)
        began = time.perf_counter()
        seen, sent, answered = asyncio.run(_measured(address, load))
        took = time.perf_counter() - began
        after = _cpu_s(process.pid)
    spent = None if before is None or after is None else after - before
    return _result(load, seen, sent, answered, spent, took)


@contextmanager
def _service(journal: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "dicetower", "serve", "--port", "0", "--json", "--journal", str(journal)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process, json.loads(process.stdout.readline())["listening"]
        finally:
            process.terminate()


async def _measured(address: str, load: Load) -> tuple[list[dict[int, float]], dict[int, float], list[float]]:
    """When each page had each sequence, when each was called for, and how long each call took."""
    port = int(address.rstrip("/").rpartition(":")[2])
    seen: list[dict[int, float]] = [{} for _ in range(load.pages)]
    ready = [asyncio.Event() for _ in range(load.pages)]
    pages = [asyncio.create_task(_page(port, had, open_)) for had, open_ in zip(seen, ready, strict=True)]
    await asyncio.gather(*(open_.wait() for open_ in ready))
    sent, answered = await asyncio.to_thread(_throw, address, load)
    await asyncio.sleep(SETTLE_S)
    for page in pages:
        page.cancel()
    await asyncio.gather(*pages, return_exceptions=True)
    return seen, sent, answered


async def _page(port: int, had: dict[int, float], ready: asyncio.Event) -> None:
    """Note when each id comes. It does no more than that: a page's own work is not what is measured."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(f"GET /api/v1/tables/main/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    try:
        async for line in reader:
            if line.startswith(b"id: "):
                had[int(line[4:])] = time.perf_counter()
                ready.set()
    finally:
        writer.close()


def _throw(address: str, load: Load) -> tuple[dict[int, float], list[float]]:
    """Type dice at the rate asked for: when the event of each was called for, and how long the answer took."""
    sent: dict[int, float] = {}
    answered: list[float] = []
    began = time.perf_counter()
    for n in range(round(load.per_second * load.seconds)):
        time.sleep(max(0.0, began + n / load.per_second - time.perf_counter()))
        at = time.perf_counter()
        sent[_typed(address, n)] = at
        answered.append(time.perf_counter() - at)
    return sent, answered


def _typed(address: str, n: int) -> int:
    """One throw in a table's usual state: an attack open, a few dice unassigned. Return its sequence."""
    if n % 4 == 0:
        if n:
            _post(address, f"attacks/a{n // 4}/void", {"reason": "the next"})
        attack = {"system": "HKP", "size": 3, "range": "medium", "armour": 4, "firer": "red", "target": "blue"}
        _post(address, "attacks", attack)
    body = {"request": f"b{n}", "dice": [{"die": "D20", "value": 1 + n % 20}]}
    seq: int = _post(address, "throws", body)["seq"]
    return seq


def _post(address: str, path: str, body: dict[str, Any]) -> Any:
    whole = f"{address}api/v1/tables/main/{path}"
    request = urllib.request.Request(whole, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def _cpu_s(pid: int) -> float | None:
    """Processor seconds a process has used, user and system; None where the system has no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _result(
    load: Load,
    seen: list[dict[int, float]],
    sent: dict[int, float],
    answered: list[float],
    spent_s: float | None,
    took_s: float,
) -> Result:
    times = sorted((had[seq] - at) * 1000 for had in seen for seq, at in sent.items() if seq in had)
    events = sum(len(had) for had in seen)
    return Result(
        pages=load.pages,
        per_second=load.per_second,
        seconds=load.seconds,
        throws=len(sent),
        events=events,
        late=load.pages * len(sent) - len(times),
        p50_ms=round(statistics.median(times), 1),
        p99_ms=round(times[int(len(times) * 0.99)], 1),
        max_ms=round(times[-1], 1),
        answered_p50_ms=round(statistics.median(answered) * 1000, 1),
        cpu_us=None if spent_s is None else round(spent_s / events * 1e6, 1),
        cores=None if spent_s is None else round(spent_s / took_s, 3),
    )


COLUMNS = ("pages", "throws", "events", "late", "p50 ms", "p99 ms", "max ms", "answer ms", "CPU us", "cores")


def heading() -> str:
    """The table's first line."""
    return "".join(name.rjust(10) for name in COLUMNS)


def row(result: Result) -> str:
    """One result as a line of the table."""
    shown = (
        result.pages, result.throws, result.events, result.late, result.p50_ms, result.p99_ms, result.max_ms,
        result.answered_p50_ms, result.cpu_us, result.cores,
    )  # fmt: skip
    return "".join(("-" if value is None else str(value)).rjust(10) for value in shown)


def as_json(result: Result) -> dict[str, Any]:
    """One result as a JSON line."""
    return asdict(result)


NOTES = """
From the call to the event at every page, the journal's sync included. late: events that a page never saw.
answer: median of the call itself. CPU: the service's processor time an event and page. cores: over the whole run.
"""
