"""kill -9 of the real service, at random moments, under a stream of throws: what it said was taken is there, once.

One journal lives through all rounds. After each kill it is opened as the next start opens it, and compared with what
the dead service had answered.
"""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.support.children import end, ended_on_failure

from dicetower.game.events import from_row
from dicetower.game.fold import fold
from dicetower.game.view import view
from dicetower.rules.pack import standard
from dicetower.store.journal import open_journal
from dicetower.table import Tables

ATTACK = {"system": "DFFG", "size": 3, "range": "medium", "armour": 4, "firer": "red", "target": "blue"}
"""Two D8 for the firer, D10 and D8 for the target, and perhaps a D10 for damage."""

START_S = 60
"""How long a service may take to listen on a busy machine."""


@dataclass
class Answered:
    """What the service has answered: the dice of every throw that was sent, those acknowledged, the last state."""

    sent: dict[str, int] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    state: dict[str, Any] = field(default_factory=dict)


class Service:
    """The real service as a process."""

    def __init__(self, journal: Path) -> None:
        command = [sys.executable, "-m", "dicetower", "serve", "--port", "0", "--journal", str(journal), "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def address(self) -> str:
        """Where it listens, once it does."""
        with ended_on_failure(self.process):
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, self.process.stderr and self.process.stderr.read()
        return str(urlsplit(json.loads(line)["listening"]).netloc)

    def kill(self) -> None:
        """End it as a power cut would, and wait until it is gone."""
        end(self.process)


class Stream(threading.Thread):
    """Plays attack after attack as fast as the service answers, until it answers no more."""

    def __init__(self, address: str, answered: Answered, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection(address, timeout=START_S)
        self.answered, self.chance = answered, chance
        self.first = threading.Event()

    def run(self) -> None:
        try:
            while True:
                self.step()
                self.first.set()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass
        finally:
            self.first.set()
            self.connection.close()

    def step(self) -> None:
        attack = self.answered.state.get("attack")
        if attack is None or attack["state"] in ("resolved", "void"):
            self.post("attacks", ATTACK)
            return
        owed = [slot["die"] for slot in attack["slots"] if slot["state"] == "owed" and slot["by"] == attack["turn"]]
        owed.append("D20")  # nobody owes it: it lies unassigned, and is not to be lost either
        request = f"{self.chance.getrandbits(64):x}"
        dice = [{"die": die, "value": self.chance.randint(1, int(die[1:]))} for die in owed]
        self.answered.sent[request] = len(dice)
        self.post("throws", {"request": request, "dice": dice})
        self.answered.acknowledged.add(request)

    def post(self, path: str, body: dict[str, Any]) -> None:
        self.connection.request(
            "POST", f"/api/v1/tables/main/{path}", json.dumps(body), {"Content-Type": "application/json"}
        )
        answer = self.connection.getresponse()
        state = json.loads(answer.read())
        assert answer.status == 200, state
        self.answered.state = state


def one_round(journal: Path, answered: Answered, chance: random.Random) -> None:
    service = Service(journal)
    try:
        if chance.random() < 0.15:
            time.sleep(chance.uniform(0, 1.5))  # killed while it starts
            return
        stream = Stream(service.address(), answered, chance)
        stream.start()
        stream.first.wait()
        time.sleep(chance.uniform(0, 0.3))
    finally:
        service.kill()
    stream.join(START_S)


def check(journal: Path, answered: Answered) -> None:
    """Everything acknowledged is there once, no throw is there by half, and the state goes on from the last answer."""
    with open_journal(journal) as store:
        rows = list(store.read("main"))  # which checks the chain
        table = Tables(store, standard()).open("main")
        dice = Counter(row["throw"] for row in table.export() if row["record"] == "die")
        assert table.seq == len(rows) or not rows, "opening it added nothing, unless it was killed before it began"
    expected = {f"typed:{request}": count for request, count in answered.sent.items()}
    assert {f"typed:{request}" for request in answered.acknowledged} <= dice.keys()
    assert dice.items() <= expected.items(), "no half throw, and none twice"
    seq = answered.state.get("seq", 0)
    assert seq <= table.seq
    if seq:
        then = view(fold("main", (from_row(row) for row in rows[:seq])))
        shown = {key: value for key, value in answered.state.items() if key in then and key != "journal"}
        assert shown == {key: value for key, value in then.items() if key != "journal"}, "in mid-throw too"
    answered.state = table.view()
    answered.acknowledged |= {key.removeprefix("typed:") for key in dice}


def kill_it(journal: Path, rounds: int, seed: int) -> None:
    chance, answered, moments = random.Random(seed), Answered(), Counter[str]()
    for _ in range(rounds):
        one_round(journal, answered, chance)
        check(journal, answered)
        moments[answered.state["attack"]["state"] if answered.state["attack"] else "none"] += 1
    assert len(answered.acknowledged) > rounds, "there was a stream of throws"
    assert len(moments) > 1, f"it was killed in different states of the game: {moments}"


@pytest.mark.timeout(900)
def test_kill_9_loses_nothing(tmp_path: Path) -> None:
    kill_it(tmp_path / "journal.db", 20, seed=20)


@pytest.mark.timeout(7200)
@pytest.mark.soak
def test_kill_9_loses_nothing_200_times(tmp_path: Path) -> None:
    kill_it(tmp_path / "journal.db", 200, seed=200)
