"""A service in memory for each test that asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.support.api import Bench, a_bench

from dicetower.store.memory import MemoryStore


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A service with the table `main` open, Red and Blue seated, over a journal that lasts one test."""
    return a_bench(MemoryStore(), tmp_path / "evidence")


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    """A client of that service."""
    with bench.client() as made:
        yield made
