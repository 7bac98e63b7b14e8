"""Processes that tests start: ended for certain, with no pipe left open for the next test to be blamed for."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """Kill it where it still runs, wait for it, and close its pipes; one with bytes for a dead reader too."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@contextmanager
def ended_on_failure(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> Iterator[None]:
    """What greets a process that was just started: where the greeting fails, the process is ended."""
    try:
        yield
    except BaseException:
        end(process)
        raise
