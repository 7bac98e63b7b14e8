"""A real service on a free port, a journal of its own, and a script's way of playing at its tables."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Page, ViewportSize
from tests.support.children import end, ended_on_failure

from dicetower import settings
from dicetower.model import Attack, Die, Reading, ReadingStatus, SourceKind, Throw
from dicetower.rules import pack
from dicetower.sources.evidence import EvidenceFolder
from dicetower.store.journal import open_journal
from dicetower.table import Tables

ANSWERS_S = 30.0
SLOTS = ("firer size", "firer effectiveness", "target armour", "target effectiveness")
HKP = {"system": "HKP", "size": 3, "range": "medium", "armour": 4}
"""The worked attack of RULINGS.md: D8 and D6 against D10 and D8."""

WIDE: ViewportSize = {"width": 1920, "height": 1080}
TALL: ViewportSize = {"width": 390, "height": 844}

State = dict[str, Any]
Opens = Callable[..., Page]
"""Open a page: what the fixture `opens` gives."""


class Server:
    """`dicetower serve` as a process; killed and started again it has the same port and the same journal."""

    def __init__(self, folder: Path, *more: str) -> None:
        """`more`: further words of the command."""
        folder.mkdir(parents=True, exist_ok=True)
        self.journal = folder / "journal.db"
        self.log = folder / "serve.log"
        self.url = ""
        self._more = more
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Start it and wait until it says where it listens."""
        call = ["serve", "--port", str(self._port), "--journal", str(self.journal), "--json", *self._more]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dicetower", *call], stdout=subprocess.PIPE, stderr=log, env=_plain_environment()
            )
        with ended_on_failure(self._process):
            assert self._process.stdout
            line = self._process.stdout.readline()
            assert line, f"the service did not start: {self.log.read_text()}"
        self.url = json.loads(line)["listening"].rstrip("/")
        self._port = int(self.url.rpartition(":")[2])
        wait_until(self._answers, "the service to answer")
        return self

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=2):
            return True
        return False

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL, nothing said."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        with ended_on_failure(self._process):
            self._process.send_signal(how)
            self._process.wait(timeout=ANSWERS_S)
        end(self._process)
        self._process = None

    def table(self, name: str) -> Play:
        """Open a table and play at it."""
        play = Play(self, name)
        play.post("/api/v1/tables", {"table": name})
        return play


class Play:
    """One table over HTTP. Every act answers the new state."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.path = f"/api/v1/tables/{name}"
        self._requests = itertools.count(1)

    def url(self, page: str) -> str:
        """The address of one of its pages: control, display or overlay."""
        path = {"control": f"/?table={self.name}"}.get(page, f"/{page}/{self.name}")
        return self.server.url + path

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.server.url + path, timeout=ANSWERS_S) as answer:
            return json.load(answer)

    def post(self, path: str, body: Mapping[str, Any], method: str = "POST") -> State:
        request = urllib.request.Request(
            self.server.url + path, json.dumps(body).encode(), {"content-type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=ANSWERS_S) as answer:
            state: State = json.load(answer)
            return state

    def state(self) -> State:
        state: State = self.get(self.path)
        return state

    def declare(self, attack: Mapping[str, Any] = HKP, firer: str = "red", target: str = "blue") -> State:
        return self.post(f"{self.path}/attacks", {**attack, "firer": firer, "target": target})

    def throw(self, values: Mapping[str, int]) -> State:
        dice = [{"slot": slot, "value": value} for slot, value in values.items()]
        return self.post(f"{self.path}/throws", {"request": f"r{next(self._requests)}", "dice": dice})

    def throw_loose(self, die: str, value: int) -> State:
        """One typed die that names no slot: where nobody owes it, it is left over."""
        body = {"request": f"r{next(self._requests)}", "dice": [{"die": die, "value": value}]}
        return self.post(f"{self.path}/throws", body)

    def play(self, values: Sequence[int], damage: int | None = None, attack: Mapping[str, Any] = HKP) -> State:
        """A whole attack: declared, its four dice typed, and the damage die where one is named."""
        self.declare(attack)
        state = self.throw(dict(zip(SLOTS, values, strict=True)))
        return state if damage is None else self.throw({"damage": damage})

    def set(self, **changes: Any) -> State:
        return self.post(f"{self.path}/settings", changes, method="PATCH")

    def void(self) -> State:
        return self.post(f"{self.path}/attacks/{self.state()['attack']['id']}/void", {"reason": "the test goes on"})


def seed_doubt(journal: Path, table: str) -> None:
    """Write a journal that no service has open: Red's D6 in doubt, and a D12 in the tray that nobody owes."""
    folder = EvidenceFolder(settings.load({"journal": str(journal)}).settings.evidence)
    crop = folder.keep(_drawn_die())
    dice = (_read(0, Die.D8, 5, crop), _read(1, Die.D6, None, crop), _read(2, Die.D12, 9, crop))
    with open_journal(str(journal)) as store:
        opened = Tables(store, pack.standard()).open(table)
        opened.declare(Attack("HKP", 3, range="medium", armour=4), "red", "blue")
        opened.throw(Throw("camera:seeded", SourceKind.CAMERA, dice, 1_700_000_000_000))


def _read(number: int, die: Die, value: int | None, evidence: str) -> Reading:
    return Reading(
        f"camera:seeded:{number}",
        SourceKind.CAMERA,
        die,
        value,
        ReadingStatus.UNSURE if value is None else ReadingStatus.SURE,
        candidates=((4, 0.6), (5, 0.4)) if value is None else (),
        evidence=evidence,
    )


def _drawn_die() -> bytes:
    """Our own picture of a D6 whose middle pip is in glare."""
    picture = np.full((160, 160, 3), (60, 74, 90), np.uint8)
    cv2.rectangle(picture, (36, 36), (124, 124), (214, 224, 230), -1)
    for centre in ((58, 58), (102, 102), (58, 102), (102, 58)):
        cv2.circle(picture, centre, 9, (30, 30, 34), -1)
    cv2.circle(picture, (80, 80), 16, (255, 255, 255), -1)
    ok, png = cv2.imencode(".png", picture)
    assert ok
    return png.tobytes()


def wait_until(holds: Any, what: str, seconds: float = ANSWERS_S) -> None:
    """Wait for `holds()`; a test that waits in vain fails and says for what."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited {seconds:g} s in vain for {what}"
        time.sleep(0.05)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A started service, ended afterwards."""
    server = Server(folder).start()
    try:
        yield server
    finally:
        server.stop()


def _plain_environment() -> dict[str, str]:
    """The environment without the keeper's own settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DICETOWER_")}
