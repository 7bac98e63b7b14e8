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


def need(found: object, tool: str, package: str) -> None:
    """Skip where a developer lacks a tool; fail where the whole house must be there."""
    if found:
        return
    message = f"{tool} is not installed; Debian has it in {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def make() -> Callable[..., str]:
    """`make(target, ...)` in firmware/, one at a time over all workers; gives what it printed."""

    def run(*targets: str) -> str:
        need(shutil.which("gcc"), "gcc", "gcc")
        need(shutil.which("make"), "make", "make")
        with build_lock():
            done = subprocess.run(["make", "-s", *targets], cwd=FIRMWARE, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def host_program(make: Callable[..., str]) -> Path:
    """The core as a PC program."""
    make("host")
    return BUILD / "edie-host"


@pytest.fixture(scope="session")
def elf_program(make: Callable[..., str]) -> tuple[Path, Path]:
    """The emulator, and the ELF that goes into a board."""
    need(shutil.which("avr-gcc"), "avr-gcc", "gcc-avr and avr-libc")
    need(Path("/usr/include/simavr").is_dir(), "simavr", "libsimavr-dev")
    make("avr", "sim")
    return BUILD / "edie-sim", BUILD / "avr/edie.elf"


@pytest.fixture(params=["host", "elf"])
def program(request: pytest.FixtureRequest) -> list[str | Path]:
    """How to start an emulated die: each of the two."""
    return start_command(request, request.param)


@pytest.fixture
def elf(request: pytest.FixtureRequest) -> list[str | Path]:
    """How to start the real ELF in the emulator."""
    return start_command(request, "elf")


def start_command(request: pytest.FixtureRequest, kind: str) -> list[str | Path]:
    if kind == "host":
        return [request.getfixturevalue("host_program"), "--seed", "7"]
    simulator, elf = request.getfixturevalue("elf_program")
    return [simulator, "--elf", elf, "--seed", "7"]
