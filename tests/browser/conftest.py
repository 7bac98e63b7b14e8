"""One Chromium and one service a worker; each test has a table and pages of its own."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from tests.support import chromium
from tests.support.screen import WIDE, Opens, Play, Server, seed_doubt, serving

PATIENCE_MS = 20_000
"""A wait ends as soon as what it waits for is there; a busy machine is given its time."""

CLOSES_S = 15.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests stay on one worker: two browsers on two cores only get into each other's way."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        try:
            browser = chromium.launch(playwright)
        except chromium.NoChromium as none:
            sys.stderr.write("\n".join(none.__notes__))
            if os.environ.get("CI") == "true":
                raise pytest.fail.Exception(str(none), pytrace=False) from None
            pytest.skip(str(none))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture(scope="session")
def table_names() -> Iterator[str]:
    return (f"table-{number}" for number in itertools.count(1))


@pytest.fixture
def table(server: Server, table_names: Iterator[str]) -> Play:
    return server.table(next(table_names))


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A service that the test may kill."""
    with serving(tmp_path / "own") as server:
        yield server


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Play]:
    """A table where Red's D6 is in doubt, and a D12 that nobody owes lies in the tray."""
    server = Server(tmp_path / "asking")
    seed_doubt(server.journal, "doubt")
    yield Play(server.start(), "doubt")
    server.stop()


@pytest.fixture
def opens(browser: Browser) -> Iterator[Opens]:
    """Open pages; a script error or a blocked request on any of them fails the test.

    Pages opened with the same `context` share a browser profile. `theme`, `size`, `motion` are the context's.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_page(
        url: str,
        context: BrowserContext | None = None,
        theme: Any = "dark",
        size: ViewportSize = WIDE,
        motion: Any = "reduce",
        workers: Any = "block",
    ) -> Page:
        if context is None:
            context = browser.new_context(
                viewport=size, color_scheme=theme, reduced_motion=motion, service_workers=workers
            )
            context.set_default_timeout(PATIENCE_MS)
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"{url}: {error.stack or error}"))
        page.on("console", lambda said: faults.append(f"{url}: {said.text}") if _is_fault(said) else None)
        page.goto(url)
        return page

    yield open_page
    for page in [page for context in contexts for page in context.pages]:
        _close(page)
    assert faults == []


def _close(page: Page) -> None:
    """Close a page, not its context, and wait for it only so long.

    Chromium was seen never to answer the close of a context whose worker held a stream, and once in some hundred
    closes that of a page; the test is over by then, and such a page goes with the browser.
    """

    def late(_number: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    left = signal.setitimer(signal.ITIMER_REAL, CLOSES_S)[0]
    try:
        page.close()
    except TimeoutError:
        sys.stderr.write(f"{page.url} was not closed in {CLOSES_S:g} s\n")
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)


def _is_fault(said: Any) -> bool:
    """Whether a line on the console is a fault of the page: a refused call or a server that is gone is not."""
    return said.type == "error" and "Failed to load resource" not in said.text
