"""The core's own tests in C: under ASan and UBSan, then measured, then fuzzed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).parents[2] / "firmware"
Make = Callable[..., str]


def test_unit_tests_pass_under_sanitizers(make: Make) -> None:
    printed = make("test")
    files = {path.stem.removeprefix("test_") for path in (FIRMWARE / "test").glob("test_*.c")}
    assert set(re.findall(r"^(\w+): \d+ checks, 0 failed$", printed, re.MULTILINE)) == files


def test_they_run_nearly_every_line_of_the_core(make: Make) -> None:
    printed = make("coverage")
    assert re.search(r"^core +lines +\d+/", printed, re.MULTILINE), printed


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutated_line_breaks_codec_or_die(make: Make, seed: int) -> None:
    assert "nothing found" in make("fuzz", "FUZZ_RUNS=20000", f"FUZZ_SEED={seed}")


@pytest.mark.soak
def test_a_million_mutated_lines(make: Make) -> None:
    assert "nothing found" in make("fuzz", "FUZZ_RUNS=1000000", "FUZZ_SEED=3")


def test_core_includes_no_vendor_header() -> None:
    allowed = {"stdbool.h", "stddef.h", "stdint.h", "string.h"}
    for path in [FIRMWARE / "hal.h", *(FIRMWARE / "core").glob("*.[ch]")]:
        assert set(re.findall(r"#include <(.+?)>", path.read_text())) <= allowed, path


def test_core_has_no_state_and_no_heap(tmp_path: Path) -> None:
    """As the linker sees it: nothing in data or bss, and nothing called from outside but three of string.h."""
    sources = sorted((FIRMWARE / "core").glob("*.c"))
    subprocess.run(["gcc", "-std=c99", "-O1", "-c", *sources], cwd=tmp_path, check=True)
    printed = subprocess.run(["nm", *tmp_path.glob("*.o")], capture_output=True, text=True, check=True).stdout
    symbols = {(kind, name) for kind, name in re.findall(r"^\S* +(\w) (\w+)$", printed, re.MULTILINE)}
    own = {name for kind, name in symbols if kind in "TRr"}
    assert {name for kind, name in symbols if kind in "BbCDdGgSs"} == set()
    assert {name for kind, name in symbols if kind == "U"} - own <= {"memcmp", "memcpy", "memset"} | LINKERS_OWN


LINKERS_OWN = {"__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
