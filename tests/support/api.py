"""A service for tests: the real tables, rules and application, over any journal, behind a client or a real socket."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from dicetower.api.app import create_app
from dicetower.api.listen import Server, bound
from dicetower.api.services import Services
from dicetower.model import Reading, SourceHealth, SourceKind, Store, Throw
from dicetower.rules.pack import standard
from dicetower.sources.evidence import EvidenceFolder
from dicetower.table import Tables

ADDRESS = "http://127.0.0.1"
ReadingMaker = Callable[[str, str | None, Sequence[str]], tuple[Reading, ...]]


class Reader:
    """A reader of photographs whose readings the test says; it remembers what it was asked."""

    def __init__(self) -> None:
        self.says: ReadingMaker = lambda throw, player, plan: ()
        self.asked: list[tuple[bytes, str, str | None, tuple[str, ...]]] = []

    def __call__(self, picture: bytes, throw: str, *, player: str | None, plan: Sequence[str]) -> Throw:
        self.asked.append((picture, throw, player, tuple(plan)))
        return Throw(f"camera:{throw}", SourceKind.CAMERA, self.says(throw, player, plan), 1)


@dataclass
class Bench:
    """The parts of a service under test."""

    store: Store
    tables: Tables
    reader: Reader
    evidence: EvidenceFolder
    sources: list[SourceHealth]
    app: FastAPI

    def client(self) -> TestClient:
        """A client that, unlike a browser, sends no Origin."""
        return TestClient(self.app, base_url=ADDRESS)


def a_bench(store: Store, folder: Path) -> Bench:
    tables = Tables(store, standard())
    tables.open("main")
    sources: list[SourceHealth] = []
    reader, evidence = Reader(), EvidenceFolder(folder)
    services = Services(tables, store, standard(), reader, evidence.find, lambda: sources)
    return Bench(store, tables, reader, evidence, sources, create_app(services))


@dataclass
class Running:
    """A service behind a real socket."""

    port: int
    server: Server
    thread: threading.Thread

    def stop(self) -> None:
        """Stop as Ctrl-C does, and wait."""
        self.server.should_exit = True
        self.thread.join(30)
        assert not self.thread.is_alive()


@contextlib.contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[Running]:
    """Serve `app` on loopback in a thread, through the product's own socket and server."""
    with contextlib.closing(bound("127.0.0.1", port)) as listener:
        server = Server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        running = Running(listener.getsockname()[1], server, thread)
        try:
            yield running
        finally:
            running.stop()


HKP: dict[str, str | int] = {
    "system": "HKP",
    "size": 3,
    "range": "medium",
    "armour": 4,
    "firer": "red",
    "target": "blue",
}
"""The worked example of the rulings: D8 and D6 against D10 and D8."""
