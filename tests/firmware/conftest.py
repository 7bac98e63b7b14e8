"""What the firmware's tests share: builds, made once for all workers."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
BUILD = FIRMWARE / "build"


@contextmanager
def build_lock() -> Iterator[None]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def need(tool: str, package: str) -> None:
    """Skip where a developer lacks a tool; fail where the whole house must be there."""
    if shutil.which(tool) is None:
        message = f"{tool} is not installed; Debian has it in {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session")
def make() -> Callable[..., str]:
    """`make(target, ...)` in firmware/, one at a time over all workers; gives what it printed."""

    def run(*targets: str) -> str:
        need("gcc", "gcc")
        need("make", "make")
        with build_lock():
            done = subprocess.run(["make", "-s", *targets], cwd=FIRMWARE, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
