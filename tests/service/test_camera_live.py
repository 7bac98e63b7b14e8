"""The live camera as a source: what it delivers, what it keeps when the journal says no, and how it says it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import ADDRESS, HKP
from tests.support.clips import Clip, Frame, scene
from tests.support.mjpeg import phone

from dicetower.cli.recording import Record
from dicetower.cli.serve import opened
from dicetower.errors import Conflict, StoreError
from dicetower.model import Throw
from dicetower.settings import Settings
from dicetower.sources import camera_live, tape
from dicetower.sources.camera_live import LiveCamera, Owed, halves, owed_by
from dicetower.sources.camera_profile import Profile
from dicetower.sources.evidence import EvidenceFolder
from dicetower.sources.in_tray import InTray
from dicetower.tapes.replay import replay
from dicevision.live import Standing, State
from dicevision.params import Params
from dicevision.read import TrayReading, read
from dicevision.tilt import LEAST, Learnt
from training.trays import DiePose

FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
TWO = DiePose(5, 32, value=2, yaw_deg=75, body="#1f3f93", pips="#f5f1e8")
BARE = scene()
PATIENCE_S = 60.0
PROFILE = Profile(source="0")
FAULT = "The throw met a fault of the service; its log has the place. Throw again."


@dataclass
class Nothing:
    """An opened camera that gives no frame: the test shows frames itself, at the clip's own times."""

    ended: str = ""
    over: bool = False
    reopens: bool = False

    def read(self) -> Frame | None:
        return None

    def close(self) -> None:
        """Nothing is held."""


@dataclass
class Table:
    """Takes throws; `says` is raised instead, while it is set."""

    throws: list[Throw] = field(default_factory=list)
    says: Exception | None = None
    asked: int = 0

    def __call__(self, throw: Throw) -> None:
        self.asked += 1
        if self.says is not None:
            raise self.says
        self.throws.append(throw)

    @property
    def values(self) -> list[list[int | None]]:
        return [[reading.value for reading in throw.readings] for throw in self.throws]


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


@contextmanager
def watching(folder: Path, table: Table, profile: Profile = PROFILE, **more: Any) -> Iterator[LiveCamera]:
    camera = LiveCamera(EvidenceFolder(folder).keep, open_feed=lambda source: Nothing(), **more)
    camera.use(profile)
    camera.start(table)
    try:
        yield camera
    finally:
        camera.stop()


def show(camera: LiveCamera, clip: Clip) -> None:
    for frame, at_s in clip:
        assert camera.watch is not None
        camera._see(camera.watch, frame, at_s)


def thrown(*scenes: Frame, rest: float = 0.6) -> Clip:
    clip = Clip().rest(BARE, 0.5)
    for each in scenes:
        clip.fly(each, 0.3).rest(each, rest)
    return clip


def test_a_throw_has_places_colours_zones_and_crops(tmp_path: Path) -> None:
    table = Table()
    with watching(tmp_path, table, replace(PROFILE, zones=halves("left and right"))) as camera:
        show(camera, thrown(scene(FIVE, THREE)))
    (throw,) = table.throws
    assert [(reading.value, reading.zone) for reading in throw.readings] == [(5, "left half"), (3, "right half")]
    assert throw.id.startswith("camera:")
    assert len({reading.key for reading in throw.readings}) == 2
    for reading in throw.readings:
        assert reading.at is not None
        assert reading.evidence is not None
        assert (tmp_path / reading.evidence).stat().st_size > 200
    assert camera.delay_ms is not None


def test_a_full_disk_keeps_the_throw_and_it_is_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_live, "AGAIN_S", 0.02)
    table = Table(says=StoreError("The disk is full."))
    with watching(tmp_path, table) as camera:
        monkeypatch.setattr(camera, "standing", lambda: Standing(State.LIVE))
        show(camera, thrown(scene(FIVE), scene(FIVE, THREE)))
        wait_for(lambda: table.asked > 3)
        assert table.throws == []
        assert camera.health().state == "waiting"
        assert "waits for the journal" in camera.health().reason
        table.says = None
        wait_for(lambda: len(table.throws) == 2)
        assert table.values == [[5], [3]]
        wait_for(lambda: camera.health().ok)


def test_no_more_throws_wait_than_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_live, "WAITING_MAX", 1)
    table = Table(says=StoreError("The disk is full."))
    with watching(tmp_path, table) as camera:
        show(camera, thrown(scene(FIVE), scene(FIVE, THREE)))
        table.says = None
        camera._again_s = 0.0
        wait_for(lambda: table.throws)
    assert table.values == [[3]]


@pytest.mark.parametrize("fault", [Conflict("This very picture was read already."), RuntimeError("a bug")])
def test_a_throw_the_table_refuses_is_told_and_the_next_is_taken(tmp_path: Path, fault: Exception) -> None:
    table = Table(says=fault)
    with watching(tmp_path, table) as camera:
        clip = thrown(scene(FIVE), scene(FIVE, THREE))
        first = next(k for k, (_, at_s) in enumerate(clip) if at_s > 1.35)
        late = Clip()
        early, late.frames = Clip(), clip.frames[first:]
        early.frames = clip.frames[:first]
        show(camera, early)
        wait_for(lambda: table.asked == 1)
        assert camera.said == (str(fault) if isinstance(fault, Conflict) else FAULT)
        table.says = None
        show(camera, late)
        wait_for(lambda: table.throws)
        assert camera.said == ""
    assert table.values == [[3]]


def test_throws_that_are_tried_out_reach_no_table(tmp_path: Path) -> None:
    table = Table()
    with watching(tmp_path, table) as camera:
        camera.trial = []
        show(camera, thrown(scene(FIVE)))
        assert [die.value for given in camera.trial for die in given.thrown.dice] == [5]
    assert table.throws == []


def test_a_fault_with_one_picture_does_not_end_the_watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    with watching(tmp_path, table) as camera:
        assert camera.watch is not None
        whole = camera.watch._look
        monkeypatch.setattr(camera.watch, "_look", lambda picture, at_s: [][1])
        show(camera, Clip().rest(BARE, 0.2))
        monkeypatch.setattr(camera.watch, "_look", whole)
        clip = Clip(at_s=1.0)
        show(camera, clip.rest(BARE, 0.5).fly(scene(FIVE)).rest(scene(FIVE), 0.6))
    assert table.values == [[5]]


def test_without_a_camera_it_waits(tmp_path: Path) -> None:
    camera = LiveCamera(EvidenceFolder(tmp_path).keep)
    assert not camera.used
    camera.start(Table())
    assert camera.standing().reason == "No camera is chosen."
    camera.stop()


def test_what_is_owed_is_of_those_whose_turn_it_is() -> None:
    slot = {"slot": "firer size", "by": "firer", "die": "D8", "state": "owed"}
    other = {"slot": "target armour", "by": "target", "die": "D10", "state": "owed"}
    filled = {"slot": "firer effectiveness", "by": "firer", "die": "D6", "state": "filled"}
    attack = {"state": "throwing", "turn": "firer", "slots": [slot, filled, other]}
    assert owed_by({"attack": attack}) == Owed(("D8", "D10"), 1)
    assert owed_by({"attack": attack | {"turn": None}}) == Owed(("D8", "D10"), 2)
    assert owed_by({"attack": attack | {"state": "resolved"}}) == Owed()
    assert owed_by({"attack": None}) == Owed()


@pytest.mark.parametrize("count", [True, False])
def test_dice_that_came_during_a_stall_count_when_a_person_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: bool
) -> None:
    table, clip = Table(), Clip().rest(scene(FIVE), 0.6)
    clip.at_s += 5
    with watching(tmp_path, table) as camera:
        monkeypatch.setattr(camera, "standing", lambda: Standing(State.LIVE))
        show(camera, clip.rest(scene(FIVE, THREE), 0.6))
        assert table.throws == []
        assert camera.watch is not None
        assert camera.watch.away is not None
        health, at_ms = camera.health(), round(camera.watch.away.at_s * 1000)
        assert (health.state, health.ok) == ("asking", True)
        assert "while the camera was away" in health.reason
        with pytest.raises(Conflict, match="asked about no more"):
            camera.answer_away(at_ms - 1, count)
        camera.answer_away(at_ms, count)
        assert camera.health().state == "watching"
        with pytest.raises(Conflict, match="somebody has answered"):
            camera.answer_away(at_ms, count)
    assert table.values == ([[3]] if count else [])
    assert count is (camera.delay_ms is not None and camera.delay_ms < 60_000)


# The camera's tilt.


@dataclass
class Aslant:
    """In the reader's place: dice lie where they lie, and show the tilt that the test says."""

    shows: tuple[float, float] = (0.0, 0.4)
    given: list[tuple[float, float] | None] = field(default_factory=list)

    def __call__(self, frame: Frame, params: Params, **how: Any) -> TrayReading:
        self.given.append(params.tilt)
        seen = read(frame, params, **how)
        return replace(seen, dice=tuple(replace(die, tilt=self.shows) for die in seen.dice))


def known(camera: LiveCamera, dice: int) -> None:
    """Let the camera have seen so many dice, all the same."""
    assert camera.watch is not None
    camera.watch.learnt = Learnt().joined([(0.0, 0.4)] * dice)


def test_a_tilt_that_is_learnt_is_in_the_set_up_and_read_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, told, given = Aslant(), list[Profile](), list[InTray]()
    monkeypatch.setattr(camera_live, "read", reader)
    table = Table()
    with watching(tmp_path, table, saw=lambda *saw: given.append(saw[-1])) as camera:
        camera.learnt = told.append
        known(camera, LEAST - 1)
        show(camera, thrown(scene(FIVE), scene(FIVE, THREE), rest=0.5))
    assert [profile.tilt for profile in told] == [(0.0, 0.4)]
    assert camera.profile.tilt == (0.0, 0.4)
    assert [tray.tilt for tray in given] == [None, (0.0, 0.4)]
    assert reader.given[-1] == (0.0, 0.4)
    assert table.values == [[5], [3]]


def test_a_camera_that_was_moved_loses_its_tilt_from_the_set_up_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, told = Aslant(shows=(0.0, -0.2)), list[Profile]()
    monkeypatch.setattr(camera_live, "read", reader)
    with watching(tmp_path, Table(), replace(PROFILE, tilt=(0.0, 0.4))) as camera:
        camera.learnt = told.append
        show(camera, thrown(scene(FIVE, THREE, TWO), rest=0.5))
    assert [profile.tilt for profile in told] == [None]
    assert reader.given[0] == (0.0, 0.4)
    assert reader.given[-1] is None


# The whole service, with a telephone as its camera.


@contextmanager
def served(folder: Path, source: str, record: Record | None = None) -> Iterator[TestClient]:
    settings = Settings(journal=str(folder / "journal.db"), camera=source)
    with opened(settings, record) as app, TestClient(app, base_url=ADDRESS) as client:
        yield client


def ready(client: TestClient) -> tuple[int, dict[str, Any]]:
    answer = client.get("/readyz")
    (part,) = [part for part in answer.json()["parts"] if part["name"] in ("tray camera", "camera")]
    return answer.status_code, part


def state(client: TestClient) -> dict[str, Any]:
    shown: dict[str, Any] = client.get("/api/v1/tables/main").json()
    return shown


def test_an_attack_is_thrown_under_a_camera_recorded_and_played_again(tmp_path: Path) -> None:
    attack = HKP | {"system": "firefight", "size": 1, "infantry": "militia", "cover": "open"}
    del attack["range"], attack["armour"]
    folder = tmp_path / "tape"
    with phone(BARE, rate=15) as camera, served(tmp_path, camera.url, Record(folder)) as client:
        wait_for(lambda: client.get("/api/v1/camera").json()["look"] is not None)
        answer = client.post("/api/v1/tables/main/attacks", json=attack)
        assert answer.status_code == 200, answer.text
        camera.show(scene(FIVE, THREE))
        wait_for(lambda: len(state(client)["unassigned"]) + _filled(client) >= 2)
        camera.show(scene(FIVE, THREE, TWO))
        wait_for(lambda: len(state(client)["unassigned"]) + _filled(client) >= 3)
        assert ready(client)[0] == 200
    read = tape.read(folder)
    frames = [line for line in read.inputs if line.kind == "frame"]
    assert len(frames) == 2
    assert [len(line.data["tray"]["left"]) for line in frames] == [0, 2]
    assert replay(read).differences == ()


def _filled(client: TestClient) -> int:
    attack = state(client)["attack"]
    return sum(slot["state"] != "owed" for slot in attack["slots"])


def test_a_stalled_camera_is_told_and_reads_nothing_and_comes_back(tmp_path: Path) -> None:
    with phone(BARE, rate=15) as camera, served(tmp_path, camera.url) as client:
        wait_for(lambda: client.get("/api/v1/camera").json()["look"] is not None)
        assert ready(client)[0] == 200
        camera.stalled = True
        wait_for(
            lambda: ready(client)[0] == 503
        )  # when exactly, tests/vision/test_live.py says with a clock of its own
        part = ready(client)[1]
        assert part["state"] in ("stalled", "lost")
        assert part["detail"]["since_ms"] > 0
        camera.show(scene(FIVE))
        assert client.get("/api/v1/camera").json()["dice"] == []
        assert client.get("/api/v1/camera/picture").status_code == 409
        camera.stalled = False
        wait_for(lambda: ready(client)[0] == 200)
        assert state(client)["unassigned"] == []  # what lay there when it came back was not seen to be thrown


def test_readyz_knows_no_camera_where_none_is_chosen(tmp_path: Path) -> None:
    with served(tmp_path, "") as client:
        status, part = ready(client)
        assert (status, part["state"]) == (200, "not configured")
        assert client.get("/api/v1/camera").json()["state"] == "none"


def test_a_camera_that_is_not_there_fails_readyz_with_its_reason(tmp_path: Path) -> None:
    with served(tmp_path, "/dev/video987") as client:
        wait_for(lambda: ready(client)[0] == 503)
        assert ready(client)[1]["reason"] == "There is no /dev/video987: is the camera plugged in?"
