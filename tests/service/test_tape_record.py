"""A live table kept as a tape, through HTTP: it plays again as it was, wherever it began and however it ended."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.service.test_own_dice import some
from tests.support.api import ADDRESS, HKP
from tests.support.tapes import BUNDLED

from dicetower.cli.recording import Record
from dicetower.cli.serve import opened
from dicetower.errors import BadTape
from dicetower.game.events import from_row
from dicetower.model import Die, Reading, ReadingStatus, SourceKind, Throw
from dicetower.rules import pack
from dicetower.settings import Settings
from dicetower.sources import tape
from dicetower.sources.own_dice import packed
from dicetower.sources.tape import Tape
from dicetower.sources.tape_writer import TapeWriter
from dicetower.sources.verbs import Arm, Armed, Hello, Roll, encode_message, meaning
from dicetower.sources.wire import decode
from dicetower.store.memory import MemoryStore
from dicetower.tapes.ports import Ports
from dicetower.tapes.recorder import About, RecordedTables, Recorder
from dicetower.tapes.replay import replay, update
from dicevision import diesets

T = "/api/v1/tables/main"
FRAMES = BUNDLED / "one-tray/frames"
SIZE = f"{T}/attacks/a1/slots/firer size/value"


@contextlib.contextmanager
def recorded(folder: Path, journal: Path, rules: Path | None = None, **more: Any) -> Iterator[TestClient]:
    """A service whose table is recorded into `folder`, put together as `dicetower record` does."""
    chosen = Settings(journal=str(journal), rules=rules, **more)
    with opened(chosen, Record(folder, "An evening")) as app, TestClient(app, base_url=ADDRESS) as client:
        yield client


def post(client: TestClient, path: str, body: Any = None, status: int = 200) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def throw(
    client: TestClient, request: str, *dice: tuple[str, int], player: str | None = None, status: int = 200
) -> Any:
    typed = [{"die": die, "value": value} for die, value in dice]
    return post(client, f"{T}/throws", {"request": request, "player": player, "dice": typed}, status)


def photo(client: TestClient, name: str, **form: str) -> Any:
    answer = client.post(f"{T}/photo", files={"photo": (FRAMES / name).read_bytes()}, data=form)
    assert answer.status_code == 200, answer.text
    return answer.json()


def plays(folder: Path) -> Tape:
    """The tape, which must play as it was."""
    read = tape.read(folder)
    done = replay(read)
    assert done.differences == ()
    return read


def test_dice_that_their_owners_have_shown_travel_with_the_pictures_read_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    runes = some("runes")
    diesets.save(Settings(journal=str(tmp_path / "journal.db")).die_set_folder, runes)
    with recorded(tmp_path / "tape", tmp_path / "journal.db", die_sets=("runes",)) as client:
        photo(client, "0001.png", request="p1")
        photo(client, "0002.png", request="p2")
    shutil.rmtree(tmp_path / "data")
    read = plays(tmp_path / "tape")
    assert {line.data["own"] for line in read.inputs} == {packed(runes)[0]}
    assert len([name for name in read.files if name.startswith("sets/")]) == 1 + len(runes.faces)


def kinds(read: Tape) -> list[str]:
    return [line.kind for line in read.inputs]


def an_evening(client: TestClient) -> None:
    """Every act there is, and some that are refused."""
    post(client, f"{T}/attacks", HKP)
    post(client, f"{T}/attacks", HKP, 409)
    throw(client, "r1", ("D8", 5), ("D6", 3))
    throw(client, "r1", ("D8", 5), ("D6", 3))
    throw(client, "r2", ("D12", 9))
    loose = client.get(T).json()["unassigned"][0]["reading"]
    post(client, f"{T}/readings/{loose}/dismiss")
    post(client, f"{T}/readings/{loose}/dismiss", status=404)
    post(client, SIZE, {"value": 7, "reason": "upside down"})
    post(client, f"{T}/attacks/a1/reroll", {"slots": ["firer size"], "reason": "off the table"})
    throw(client, "r3", ("D8", 6))
    correction = {**HKP, "range": "long", "confirm": True}
    seq = post(client, f"{T}/attacks/a1/correction", {**correction, "confirm": False})["seq"]
    post(client, f"{T}/attacks/a1/correction", {**correction, "seq": seq - 1}, 409)
    post(client, f"{T}/attacks/a1/correction", {**correction, "seq": seq})
    throw(client, "r4", ("D4", 4), player="red")
    throw(client, "r5", ("D10", 7), ("D8", 3))
    throw(client, "r6", ("D10", 0))
    post(client, f"{T}/undo", {"confirm": False})
    post(client, f"{T}/undo", {"confirm": True, "seq": 1}, 409)
    post(client, f"{T}/undo", {"confirm": True})
    post(client, f"{T}/attacks/a1/confirm")
    client.patch(f"{T}/settings", json={"virtual": True, "damage_table": False})
    client.patch(f"{T}/settings", json={"zones": [{"name": "left half", "player": "nobody"}]})
    post(client, f"{T}/players", {"name": "Green"})
    client.patch(f"{T}/players/green", json={"name": "Gold"})
    post(client, f"{T}/again")
    post(client, f"{T}/virtual", {"request": "v1", "player": "blue"})
    post(client, f"{T}/attacks/a1/void", {"reason": "the wrong one"}, 409)
    post(client, f"{T}/attacks/a2/void", {"reason": "enough"})


EVERY = [
    "declare", "declare", "type", "type", "type", "dismiss", "dismiss", "value", "reroll", "type", "correct", "correct",
    "type", "type", "type", "undo", "undo", "confirm", "settings", "settings", "seat", "player", "again", "virtual",
    "void", "void",
]  # fmt: skip


def test_an_evening_plays_again_as_it_was(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        an_evening(client)
        live = client.get(f"{T}/export").text
    read = plays(tmp_path / "tape")
    assert kinds(read) == EVERY
    assert (read.head.state, read.head.title) == ("whole", "An evening")
    rows = json.loads(live)
    again = replay(read).export
    facts = [(row["record"], row.get("slot"), row.get("value"), row.get("outcome")) for row in rows]
    assert facts == [(row["record"], row.get("slot"), row.get("value"), row.get("outcome")) for row in again]


def test_a_tape_holds_no_reading(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        an_evening(client)
        photo(client, "0001.png")
    text = (tmp_path / "tape/inputs.jsonl").read_text()
    assert not any(word in text for word in ("typed:", "camera:", "confidence", "candidates"))


def test_photographs_are_kept_as_they_came_and_read_again(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        post(client, f"{T}/attacks", {**HKP, "size": 2})
        photo(client, "0002.png", request="three")
        shown = photo(client, "0003.png", player="red")
        refused = client.post(f"{T}/photo", files={"photo": b"no picture"})
    assert refused.status_code == 422
    assert [slot["value"] for slot in shown["attack"]["slots"]][:2] == [3, 6]
    read = plays(tmp_path / "tape")
    assert kinds(read) == ["declare", "frame", "frame"]
    assert [line.data.get("player") for line in read.inputs[1:]] == [None, "red"]
    assert read.bytes_of("frames/0002.png") == (FRAMES / "0003.png").read_bytes()


def test_a_picture_without_a_die_is_on_the_tape_and_refused_again(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        post(client, f"{T}/attacks", HKP)
        empty = BUNDLED / "absent-opponent/frames/0001.png"
        assert client.post(f"{T}/photo", files={"photo": empty.read_bytes()}).status_code == 422
        throw(client, "r1", ("D8", 5), ("D6", 3))
    read = plays(tmp_path / "tape")
    assert read.expected is not None
    assert read.expected["results"][1] == {"line": 2, "refused": "BadPicture"}


def test_a_recording_may_begin_in_the_middle_of_a_throw(tmp_path: Path) -> None:
    with recorded(tmp_path / "first", tmp_path / "journal.db") as client:
        post(client, f"{T}/attacks", HKP)
        throw(client, "r1", ("D8", 5))
        throw(client, "r2", ("D12", 3), ("D6", 1))
    with recorded(tmp_path / "second", tmp_path / "journal.db") as client:
        throw(client, "r1", ("D8", 5))
        loose = client.get(T).json()["unassigned"][0]["reading"]
        post(client, f"{T}/readings/{loose}/dismiss")
        throw(client, "r3", ("D10", 7), ("D8", 3))
        throw(client, "r4", ("D10", 6))
        post(client, f"{T}/undo", {"confirm": True})
        post(client, f"{T}/attacks/a1/confirm")
        post(client, f"{T}/again")
    read = plays(tmp_path / "second")
    assert len(read.history) > 5
    assert read.inputs[1].data == {"of": {"key": "typed:r2:0"}}
    assert (tmp_path / "second/history.jsonl").is_file()
    assert not (tmp_path / "first/history.jsonl").exists()


def test_house_rules_are_on_the_tape(tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    standard = Path(pack.__file__).with_name("dirtside2.toml").read_text()
    ours.write_text(standard.replace('name = "Dirt', 'name = "Our Dirt', 1))
    with recorded(tmp_path / "tape", tmp_path / "journal.db", rules=ours) as client:
        post(client, f"{T}/attacks", HKP)
    read = plays(tmp_path / "tape")
    assert read.head.rules["name"].startswith("Our")
    assert read.bytes_of("rules.toml") == ours.read_bytes()


def test_the_screen_says_that_it_is_recorded(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        post(client, f"{T}/attacks", HKP)
        assert [(source["name"], source["state"]) for source in client.get(T).json()["sources"]] == [
            ("tape", "recording")
        ]


def test_other_tables_of_the_service_are_not_on_the_tape(tmp_path: Path) -> None:
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        post(client, "/api/v1/tables", {"table": "other"})
        post(client, "/api/v1/tables/other/attacks", HKP)
        post(client, f"{T}/attacks", HKP)
    assert kinds(plays(tmp_path / "tape")) == ["declare"]


def test_every_act_of_a_table_has_its_tap() -> None:
    """A use case added to Table and not to RecordedTable would be lost without a word."""
    from dicetower.table import Table
    from dicetower.tapes.recorder import RecordedTable

    asks = {"view", "join", "seq", "export", "preview_correction", "preview_undo", "pledges", "rolled_under"}
    acts = {name for name in vars(Table) if not name.startswith("_")} - asks
    assert acts <= set(vars(RecordedTable))


# E-dice, by the taps that a port's watcher has.


class Bench:
    """A recorded table with one e-die at one port, time told by hand."""

    def __init__(self, folder: Path) -> None:
        self.ms = 0
        rules, self.store = pack.standard(), MemoryStore()
        self.recorder = Recorder(folder, About("e-dice", "a test", "MIT"), mono_ms=lambda: self.ms)
        self.tables = RecordedTables(self.store, rules, self.recorder, "main")
        self.table = self.tables.open("main")
        self.recorder.begin(self.table, self.store, rules)
        self.ports = Ports(self.take, self.table.view, self.table.pledges, 0)
        self.seq = 0

    def plug(self) -> None:
        self.recorder.plugged("p")
        self.ports.plug("p")

    def say(self, message: Any, cut: int | None = None) -> None:
        """Bytes come, in one piece or two."""
        line = encode_message(self.seq, message)
        self.seq += 1
        for piece in (line[:cut], line[cut:]) if cut else (line,):
            self.ms += 100
            self.ports.wait(self.ms)
            self.recorder.heard("p", piece)
            self.ports.serial("p", piece)
            self.ports.arm()

    def armed_for(self) -> int:
        """The number of the last ARM that was written to the port."""
        self.ports.arm()
        said = [meaning(decode(line.rstrip(b"\n"))) for _, line in self.ports.sent]
        return [message for message in said if isinstance(message, Arm)][-1].req

    def take(self, thrown: Throw) -> None:
        self.table.throw(thrown)


def test_serial_bytes_are_on_the_tape_and_their_rolls_are_not(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "tape")
    bench.plug()
    bench.say(Hello("1.0", "7f3a9c0e5b1d2846", "5be0cd19", "1.0", "0badcafe", "por", ("btn",), 0), cut=20)
    bench.table.declare(pack_attack(), "red", "blue")
    for value, die, cut in ((5, Die.D8, None), (3, Die.D6, 30), (7, Die.D10, None)):
        req = bench.armed_for()
        bench.say(Armed("5be0cd19", req, die))
        roll = Roll("5be0cd19", bench.seq, die, value, req, 800, "ok", False, bench.ms)
        bench.say(roll, cut)
        bench.say(roll)
    bench.recorder.unplugged("p")
    bench.recorder.finish()
    read = plays(tmp_path / "tape")
    assert set(kinds(read)) == {"plug", "serial", "declare", "unplug"}
    last = replay(read).export[-1]
    assert (last["source"], last["slot"], last["value"]) == ("edie", "target armour", 7)


def pack_attack() -> Any:
    from dicetower.model import Attack

    return Attack("HKP", 3, range="medium", armour=4)


def test_a_throw_from_nowhere_stops_the_recording_and_not_the_game(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "tape")
    bench.table.declare(pack_attack(), "red", "blue")
    reading = Reading("camera:x:0", SourceKind.CAMERA, Die.D8, 5, ReadingStatus.SURE)
    shown = bench.table.throw(Throw("camera:x", SourceKind.CAMERA, (reading,), 1))
    assert shown["attack"]["slots"][0]["value"] == 5
    assert bench.recorder.health().ok is False
    assert "was not given" in bench.recorder.health().reason
    bench.table.void("a1", "over")
    bench.recorder.finish()
    read = plays(tmp_path / "tape")
    assert (read.head.state, kinds(read)) == ("cut", ["declare"])


# What can go wrong.


def test_a_folder_with_something_in_it_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    with pytest.raises(BadTape, match="there already"), recorded(tmp_path / "mine", tmp_path / "journal.db"):
        pass
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = recorded(tmp_path / "file/tape", tmp_path / "journal.db")
    with pytest.raises(BadTape, match="cannot be written: Not a directory"), place:
        pass


def test_a_full_disk_stops_the_tape_and_not_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TapeWriter._whole

    def full(self: TapeWriter, line: bytes) -> None:
        if self.lines == 2:
            assert self._file is not None
            end = self._file.tell()
            self._file.write(line[:10])  # as much as there is room for
            self._back_to(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(self, line)

    monkeypatch.setattr(TapeWriter, "_whole", full)
    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        post(client, f"{T}/attacks", HKP)
        throw(client, "r1", ("D8", 5), ("D6", 3))
        throw(client, "r2", ("D10", 7), ("D8", 3))
        shown = throw(client, "r3", ("D10", 6))
        assert shown["attack"]["outcome"]["final"] == "mobility"
        assert "No space left" in shown["sources"][0]["reason"]
        assert client.get("/readyz").status_code == 503
    read = plays(tmp_path / "tape")
    assert (read.head.state, kinds(read)) == ("cut", ["declare", "type"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_device_that_is_always_full_takes_no_half_line(tmp_path: Path) -> None:
    with TapeWriter(
        tmp_path / "t", tape.Head("t", (), "o", "l", 0, {"name": "", "version": "", "hash": ""}, {})
    ) as writer:
        assert writer._file is not None
        writer._file.close()
        writer._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115 - closed by the writer
        with pytest.raises(OSError, match="No space left"):
            writer.add(0, "again", {})
        assert writer.lines == 0


def test_what_a_killed_service_leaves_is_closed_as_cut(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "from tests.service.test_tape_record import recorded, post, throw, T, HKP\n"
        "with recorded(Path(sys.argv[2]), Path(sys.argv[3])) as client:\n"
        "    post(client, f'{T}/attacks', HKP); throw(client, 'r1', ('D8', 5), ('D6', 3))\n"
        "    print('here', flush=True); sys.stdin.read()"
    )
    command = [
        sys.executable,
        "-c",
        program,
        str(BUNDLED.parents[1]),
        str(tmp_path / "t"),
        str(tmp_path / "journal.db"),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"here\n"
        service.send_signal(signal.SIGKILL)
        service.wait()
    with (tmp_path / "t/inputs.jsonl").open("ab") as file:
        file.write(b'{"ms": 99999, "in": "ty')
    with pytest.raises(BadTape, match="did not end"):
        tape.read(tmp_path / "t")
    changes = update(tmp_path / "t").changes
    assert changes == (
        "t/inputs.jsonl: the last line was cut off and is dropped.",
        "t: line 1: firer size: expected nothing, got D8 owed.",
        *changes[2:],
    )
    read = plays(tmp_path / "t")
    assert (read.head.state, kinds(read)) == ("cut", ["declare", "type"])


def test_the_live_journal_and_the_tape_agree_on_every_event(tmp_path: Path) -> None:
    """The replayed journal holds the same kinds of events in the same order as the live one."""
    from dicetower.store.journal import read_journal

    with recorded(tmp_path / "tape", tmp_path / "journal.db") as client:
        an_evening(client)
    live = [from_row(row).kind for row in read_journal(tmp_path / "journal.db").read("main")]
    from dicetower.tapes.replay import parsed, play_line, rules_of, staged

    read = tape.read(tmp_path / "tape")
    with staged(read, rules_of(read)) as (stage, table):
        for line, given in parsed(read):
            play_line(stage, read, line, given)
        again = [from_row(row).kind for row in table._store.read("main")]
    assert again == live
