"""E-dice at a real table: from what it owes to the outcome, on a tape and back, and through kill -9 of the service."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.support.children import end, ended_on_failure
from tests.support.rig import Live, live, wait_for

from dicetower.cli.edice import at_table
from dicetower.errors import Conflict, NotFound
from dicetower.game.events import DiceThrown, from_row
from dicetower.model import Attack, Reading, SourceHealth, SourceKind
from dicetower.rules.pack import standard
from dicetower.sources import tape
from dicetower.store.journal import open_journal
from dicetower.store.memory import MemoryStore
from dicetower.table import Table, Tables
from dicetower.tapes.recorder import About, RecordedTables, Recorder
from dicetower.tapes.replay import replay
from dicetower.tapes.verify import verified

HKP = Attack(system="HKP", size=3, range="medium", armour=4)
TYPES = [8, 6, 10, 8]


@contextmanager
def recording(folder: Path, title: str) -> Iterator[tuple[Table, Recorder]]:
    """A table that is recorded; the tape is finished whatever happens."""
    store, rules = MemoryStore(), standard()
    recorder = Recorder(folder, About(title, "recorded in a test", "MIT"))
    table = RecordedTables(store, rules, recorder, "main").open("main")
    recorder.begin(table, store, rules)
    try:
        yield table, recorder
    finally:
        recorder.finish()


def roll_when_armed(die: Live, sides: int) -> None:
    wait_for(lambda: die.tell("display") == f" d{sides:2}")
    die.roll()
    wait_for(lambda: die.tell("display") != f" d{sides:2}")


def play(die: Live, table: Table) -> None:
    """An attack, its dice rolled by one e-die as the table asks for them, the damage die too where one is owed."""
    table.declare(HKP, "red", "blue")
    for sides in TYPES:
        roll_when_armed(die, sides)
    wait_for(lambda: table.view()["attack"]["state"] != "throwing")
    if table.view()["attack"]["state"] == "damage":
        roll_when_armed(die, 10)
        wait_for(lambda: table.view()["attack"]["state"] != "damage")


@pytest.fixture
def die(host_program: Path, tmp_path: Path) -> Iterator[Live]:
    with live([host_program], tmp_path / "die") as made:
        yield made


def test_one_die_serves_whole_attacks_armed_in_turn(die: Live) -> None:
    table = Tables(MemoryStore(), standard()).open("main")
    with at_table([str(die.link)], table) as healths:
        for _ in range(3):
            play(die, table)
        (health,) = healths()
        assert (health.state, health.ok, health.detail["kind"]) == ("connected", True, "e-die")
    assert all(slot["state"] == "filled" for slot in table.view()["attack"]["slots"])
    assert table.view()["unassigned"] == []


@pytest.fixture
def second(host_program: Path, tmp_path: Path) -> Iterator[Live]:
    with live([host_program], tmp_path / "second") as made:
        yield made


def test_the_first_die_that_is_pressed_is_the_players_and_its_roll_counts_for_nothing(
    die: Live, second: Live, tmp_path: Path
) -> None:
    """Bound by its id, on a tape and back; a roll that waited, and one of another die, bind nothing."""
    with (
        recording(tmp_path / "tape", "A die is bound") as (table, recorder),
        at_table([str(die.link), str(second.link)], table, recorder) as edice,
    ):
        wait_for(lambda: edice.source is not None and len(edice.source.newest()) == 2)
        second.roll()
        wait_for(lambda: len(table.view()["unassigned"]) == 1)
        (waited,) = table.view()["unassigned"]
        edice.ask("main", "red")
        assert [health.detail for health in edice() if health.name == "press"] == [
            {"kind": "pressing", "player": "red", "table": "main"}
        ]
        die.roll()
        wait_for(lambda: table.view()["edice"])
        (known,) = table.view()["edice"]
        assert (known["player"], edice.source and edice.source.dice()[known["uid"]]) == ("red", str(die.link))
        assert table.view()["unassigned"] == [waited], "the roll that bound it has left the screen"
        assert [health.name for health in edice() if health.name == "press"] == []
        table.declare(HKP, "blue", "red")
        wait_for(lambda: (die.tell("display"), second.tell("display")) == (" d10", " d 8"))
        with pytest.raises(Conflict, match="owes dice"):
            edice.ask("main", "blue")
        assert all(slot["state"] == "owed" for slot in table.view()["attack"]["slots"])
    assert replay(tape.read(tmp_path / "tape")).ok


def test_asking_ends_with_its_time_when_it_is_stopped_and_when_dice_are_owed(die: Live) -> None:
    table, now_ms = Tables(MemoryStore(), standard()).open("main"), [0]
    with at_table([str(die.link)], table, now_ms=lambda: now_ms[0]) as edice:
        wait_for(lambda: edice.source is not None and edice.source.newest())
        with pytest.raises(NotFound, match="green"):
            edice.ask("main", "green")
        with pytest.raises(Conflict, match="are at table main"):
            edice.ask("other", "red")
        for end in (
            lambda: now_ms.__setitem__(0, now_ms[0] + 30_000),
            lambda: edice.cancel("main"),
            lambda: table.declare(HKP, "red", "blue"),
        ):
            edice.ask("main", "red")
            assert [health.name for health in edice() if health.name == "press"] == ["press"]
            end()
            wait_for(lambda: all(health.name != "press" for health in edice()))
    assert table.view()["edice"] == []


def test_a_die_whose_port_is_gone_is_shown_as_lost_until_it_is_back(die: Live, tmp_path: Path) -> None:
    table = Tables(MemoryStore(), standard()).open("main")
    with at_table([str(tmp_path / "die*")], table) as edice:
        wait_for(lambda: [health.state for health in edice()] == ["connected"])
        (before,) = edice()
        die.tell("unplug")
        wait_for(lambda: [health.detail.get("plugged") for health in edice()] == [False])
        (gone,) = edice()
        assert (gone.state, gone.ok, gone.detail["uid"]) == ("lost", False, before.detail["uid"])
        assert gone.detail["since_ms"] > 1_600_000_000_000
        die.tell("plug")
        wait_for(lambda: [health.state for health in edice()] == ["connected"])


def test_no_ports_named_no_e_dice() -> None:
    table = Tables(MemoryStore(), standard()).open("main")
    with at_table([], table) as healths:
        assert list(healths()) == []


def test_a_named_port_that_is_missing_is_not_well(tmp_path: Path) -> None:
    table = Tables(MemoryStore(), standard()).open("main")
    with at_table([str(tmp_path / "none")], table) as healths:
        wait_for(lambda: bad(list(healths())))


def bad(healths: list[SourceHealth]) -> bool:
    return len(healths) == 1 and not healths[0].ok and "no such port" in healths[0].reason


def test_what_was_recorded_live_plays_again(die: Live, tmp_path: Path) -> None:
    with (
        recording(tmp_path / "tape", "An attack by e-die") as (table, recorder),
        at_table([str(die.link)], table, recorder),
    ):
        play(die, table)
    played = tape.read(tmp_path / "tape")
    assert played.head.state == "whole"
    assert replay(played).ok


def test_a_fair_game_is_checked_at_its_end_and_on_its_tape(die: Live, tmp_path: Path) -> None:
    """Committed, played through a restart of the die and one of the host, revealed, verified; then from the tape."""
    with recording(tmp_path / "tape", "A fair game") as (table, recorder):
        table.change_settings({"fair_edice": True})
        with at_table([str(die.link)], table, recorder):
            wait_for(lambda: pledge_state(table) == "stands")
            play(die, table)
            die.tell("reset")
            play(die, table)
        with at_table([str(die.link)], table, recorder):
            play(die, table)
            table.change_settings({"fair_edice": False})
            wait_for(lambda: pledge_state(table) == "verified")
    (pledge,) = table.view()["pledges"]
    assert re.fullmatch(r"Its seed gives every one of its 1[2-5] rolls\.", pledge["text"])
    assert "secret" not in pledge
    played = tape.read(tmp_path / "tape")
    assert replay(played).ok
    (finding,) = verified(played)
    assert (finding.verdict.state, finding.verdict.text, finding.own) == ("verified", pledge["text"], ())


def test_a_die_out_of_reach_is_not_out_of_the_game(die: Live) -> None:
    table = Tables(MemoryStore(), standard()).open("main")
    table.change_settings({"fair_edice": True})
    with at_table([str(die.link)], table) as edice:
        wait_for(lambda: pledge_state(table) == "stands")
        die.tell("link out lose=1")
        wait_for(lambda: edice.source is not None and not edice.source.dice())
        table.change_settings({"fair_edice": False})
        die.tell("link out")
        wait_for(lambda: pledge_state(table) == "verified")


def pledge_state(table: Table) -> str | None:
    return next((pledge["state"] for pledge in table.view()["pledges"]), None)


class Service:
    """The real service, with an e-die configured."""

    def __init__(self, journal: Path, link: Path) -> None:
        command = ["serve", "--port", "0", "--journal", str(journal), "--edie", str(link), "--json"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dicetower", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout
        with ended_on_failure(self.process):
            self.address: str = json.loads(self.process.stdout.readline())["listening"]

    def kill(self) -> None:
        """As kill -9 does it."""
        end(self.process)


@contextmanager
def service(journal: Path, link: Path) -> Iterator[Service]:
    made = Service(journal, link)
    try:
        yield made
    finally:
        made.kill()


def test_a_port_that_says_nothing_stops_no_page(tmp_path: Path) -> None:
    """Its reader blocks in a thread of its own; the service answers all the same."""
    master, slave = pty.openpty()
    try:
        with service(tmp_path / "journal.db", Path(os.ttyname(slave))) as made:
            assert json.load(urlopen(f"{made.address}healthz"))
            wait_for(lambda: "opened, not identified" in urlopen(f"{made.address}api/v1/tables/main").read().decode())
    finally:
        os.close(master)
        os.close(slave)


def journalled(journal: Path) -> list[Reading]:
    """Every e-die reading, in the journal's order."""
    with open_journal(str(journal)) as store:
        events = [from_row(row) for row in store.read("main")]
    throws = [event.throw for event in events if isinstance(event, DiceThrown)]
    return [reading for throw in throws if throw.source is SourceKind.EDIE for reading in throw.readings]


def kills(die: Live, journal: Path, rounds: int, seed: int) -> None:
    """Every roll the die has shown is in the journal, once, in order, with the value shown."""
    rng = random.Random(seed)
    shown: list[int] = []
    for _ in range(rounds):
        with service(journal, die.link):
            wait_for(lambda: die.tell("display") != "----")
            die.roll()
            time.sleep(rng.uniform(0.3, 1.1))  # START, ROLL, journal and ACK all lie in here
        wait_for(lambda: die.tell("display")[-1].isdigit())
        shown.append(int(die.tell("display")[3:]))
    with service(journal, die.link):
        wait_for(lambda: "unacked=0" in die.tell("figures"))
    readings = journalled(journal)
    assert [int(reading.key.split(":")[2]) for reading in readings] == list(range(1, rounds + 1))
    assert [reading.value for reading in readings] == shown


def test_20_kills_of_the_service_between_roll_and_ack(die: Live, tmp_path: Path) -> None:
    kills(die, tmp_path / "journal.db", rounds=20, seed=1)


@pytest.mark.soak
def test_200_kills_of_the_service_between_roll_and_ack(die: Live, tmp_path: Path) -> None:
    kills(die, tmp_path / "journal.db", rounds=200, seed=2)
