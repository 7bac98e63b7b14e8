"""What pages ask of the camera, over HTTP: its picture, its dice, "this is wrong", its set-up; and who may ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.service.test_own_dice import some
from tests.support.clips import Frame, scene
from tests.support.live import PATIENCE_S
from tests.vision.test_tray import with_markers

from dicetower.api.app import create_app
from dicetower.api.services import Services
from dicetower.errors import BadTape
from dicetower.rules.pack import standard
from dicetower.sources import camera, tape
from dicetower.sources.camera_desk import Desk
from dicetower.sources.camera_live import LiveCamera, png
from dicetower.sources.camera_profile import Profile, Profiles
from dicetower.sources.evidence import EvidenceFolder
from dicetower.sources.own_dice import packed
from dicetower.store.memory import MemoryStore
from dicetower.table import Tables
from dicetower.tapes.replay import replay
from dicetower.tapes.wrong import Corrections
from dicevision.enrol import DieSet
from dicevision.feeds import Feed
from dicevision.params import Params
from dicevision.read import TrayReading, read
from dicevision.tilt import Learnt
from training.trays import DiePose

FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
TWO = DiePose(5, 32, value=2, yaw_deg=75, body="#1f3f93", pips="#f5f1e8")
HERE = ("127.0.0.1", 50000)
C = "/api/v1/camera"


class Still:
    """An opened camera that shows one picture, with a little noise in each frame."""

    ended, over, reopens = "", False, True

    def __init__(self, picture: Frame) -> None:
        self.picture = picture
        self._rng = np.random.default_rng(1)

    def read(self) -> Frame | None:
        grain = self._rng.normal(0, 1.5, self.picture.shape)
        return np.clip(self.picture + grain, 0, 255).astype(np.uint8)

    def close(self) -> None:
        """Nothing is held."""


class Studio:
    """A service with a camera that the test holds in its hand."""

    def __init__(self, folder: Path, picture: Frame) -> None:
        self.folder = folder
        self.still = Still(picture)
        evidence = EvidenceFolder(folder / "evidence")
        store, rules = MemoryStore(), standard()
        self.tables = Tables(store, rules)
        table = self.tables.open("main")
        self.camera = LiveCamera(evidence.keep, open_feed=self._opened)
        desk = Desk(self.camera, Profiles(folder / "cameras"), Corrections(folder / "wrong", rules).keep)
        self.app = create_app(Services(self.tables, store, rules, _no_photo, evidence.find, desk.sources, camera=desk))
        self.camera.start(table.throw)

    def _opened(self, source: str) -> Feed:
        return self.still

    def client(self, at: tuple[str, int] = HERE) -> TestClient:
        return TestClient(self.app, base_url="http://127.0.0.1", client=at)

    def learns(self, tilt: tuple[float, float]) -> None:
        """Let the camera come to know how it looks down."""
        watch = self.camera.watch
        assert watch is not None
        watch.learnt = Learnt(tilt)
        self.camera._note_tilt(watch)

    def look(self, picture: Frame | None = None, after_s: float = 0.1) -> None:
        """Show the camera one more rest of a picture, at the picture's own times."""
        watch = self.camera.watch
        assert watch is not None
        self.still.picture = self.still.picture if picture is None else picture
        start = 0.0 if watch._last_s is None else watch._last_s + after_s
        for k in range(8):
            frame = self.still.read()
            assert frame is not None
            watch.see(frame, start + k * 0.1)


def _no_photo(picture: bytes, throw: str, *, player: str | None, plan: Any) -> Any:
    raise AssertionError("no photograph is sent here")


@contextmanager
def studio(folder: Path, picture: Frame) -> Iterator[Studio]:
    """The watching thread is off: the test shows the frames."""
    made = Studio(folder, picture)
    made.camera._see = lambda *args: None  # type: ignore[method-assign] # frames come from the test alone
    try:
        yield made
    finally:
        made.camera.stop()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Studio]:
    with studio(tmp_path, scene(FIVE, THREE)) as made:
        made.camera.use(Profile(source="0"))
        live = made.camera.live
        assert live is not None
        assert live.wait(0, PATIENCE_S) is not None
        made.look()
        yield made


def test_the_state_has_the_dice_their_places_and_the_set_up(two: Studio) -> None:
    state = two.client().get(C).json()
    assert state["state"] == "watching"
    assert [(die["die"], die["value"], die["status"]) for die in state["dice"]] == [
        ("D6", 5, "sure"),
        ("D6", 3, "sure"),
    ]
    assert all(0 < x < 1 and 0 < y < 1 for die in state["dice"] for x, y in die["outline"])
    assert state["setup"]["corners"] == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert state["source"] == "camera 0"
    assert state["size"] == [320, 240]


def test_the_picture_is_a_jpeg_of_the_size_asked_for(two: Studio) -> None:
    client = two.client()
    client.patch(f"{C}/setup", json={"corners": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]})
    whole = client.get(f"{C}/picture?whole=true&width=160")
    assert whole.headers["content-type"] == "image/jpeg"
    assert whole.headers["cache-control"] == "no-store"
    decoded = cv2.imdecode(np.frombuffer(whole.content, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape == (120, 160, 3)
    tray = cv2.imdecode(np.frombuffer(client.get(f"{C}/picture").content, np.uint8), cv2.IMREAD_COLOR)
    assert tray is not None
    assert tray.shape == (240, 160, 3)


def test_dice_that_came_while_the_camera_was_away_are_shown_and_answered(two: Studio) -> None:
    client = two.client()
    assert client.get(C).json()["away"] is None
    two.look(scene(FIVE, THREE, TWO), after_s=10)
    asked = client.get(C).json()["away"]
    assert [(die["die"], die["value"]) for die in asked["dice"]] == [("D6", 2)]
    body = {"at": asked["at"], "count": True}
    assert client.post(f"{C}/away", json=body).json()["away"] is None
    assert [die["value"] for die in two.tables.open("main").view()["unassigned"]] == [2]
    assert client.post(f"{C}/away", json=body).status_code == 409


def test_each_stage_is_a_picture(two: Studio) -> None:
    client = two.client()
    names = client.post(f"{C}/stages").json()["stages"]
    assert names
    for number in range(len(names)):
        assert client.get(f"{C}/stages/{number}").content.startswith(b"\x89PNG")
    assert client.get(f"{C}/stages/{len(names)}").status_code == 404


def test_a_die_said_to_be_wrong_is_a_tape_that_fails_until_it_is_read_right(two: Studio) -> None:
    client = two.client()
    look = client.get(C).json()["look"]
    answer = client.post(f"{C}/wrong", json={"look": look, "number": 1, "die": "D8", "value": 7})
    assert answer.status_code == 200, answer.text
    made = tape.read(two.folder / "wrong" / answer.json()["tape"])
    done = replay(made)
    assert str(done.differences[0]) == (
        "line 1: die 2 of the throw: expected D8 7, sure, unassigned, got D6 3, sure, unassigned"
    )
    assert len(done.results[0].dice) == 2


def test_what_was_read_right_after_all_makes_a_tape_that_passes(two: Studio) -> None:
    client = two.client()
    look = client.get(C).json()["look"]
    name = client.post(f"{C}/wrong", json={"look": look, "number": 0, "die": "D6", "value": 5}).json()["tape"]
    assert replay(tape.read(two.folder / "wrong" / name)).differences == ()


def test_a_thing_that_is_no_die_is_expected_not_to_be_read(two: Studio) -> None:
    client = two.client()
    look = client.get(C).json()["look"]
    name = client.post(f"{C}/wrong", json={"look": look, "number": 0, "value": None}).json()["tape"]
    folder = two.folder / "wrong" / name
    expected = json.loads((folder / "expected.json").read_text())["results"][0]
    assert [die["value"] for die in expected["dice"]] == [3]
    assert replay(tape.read(folder)).differences != ()


@pytest.mark.parametrize(("at", "order"), [((0.05, 0.9), 0), ((0.5, 0.1), 1), ((0.95, 0.5), 2)])
def test_a_missed_die_is_expected_where_it_stands_from_left_to_right(
    two: Studio, at: tuple[float, float], order: int
) -> None:
    client = two.client()
    body = {"look": client.get(C).json()["look"], "at": at, "die": "D8", "value": 7}
    name = client.post(f"{C}/wrong", json=body).json()["tape"]
    made = tape.read(two.folder / "wrong" / name)
    assert made.head.shows == ("a missed die",)
    assert made.head.title.endswith(f"{at[0]:.0%} from the left and {at[1]:.0%} from the top")
    expected = json.loads((made.folder / "expected.json").read_text())["results"][0]
    read = [("D6", 5), ("D6", 3)]
    wanted = [*read[:order], ("D8", 7), *read[order:]]
    assert [(die["die"], die["value"]) for die in expected["dice"]] == wanted
    assert [(die["die"], die["value"]) for die in expected["unassigned"]] == wanted
    assert f"die {order + 1} of the throw: expected D8 7, sure" in str(replay(made).differences[0])


def test_a_die_missed_in_a_tray_where_none_was_read(two: Studio) -> None:
    client = two.client()
    two.look(scene())
    body = {"look": client.get(C).json()["look"], "at": (0.5, 0.5), "die": "D20", "value": 20}
    made = tape.read(two.folder / "wrong" / client.post(f"{C}/wrong", json=body).json()["tape"])
    assert [str(difference) for difference in replay(made).differences][:2] == [
        "line 1: die 1 of the throw: expected D20 20, sure, unassigned, got nothing",
        "line 1: unassigned dice: expected D20 20 (sure), got nothing",
    ]


def test_a_place_on_a_die_is_that_die(two: Studio) -> None:
    client = two.client()
    state = client.get(C).json()
    for value, left in ((6, [6, 3]), (None, [3])):
        body = {"look": state["look"], "at": state["dice"][0]["at"], "die": value and "D6", "value": value}
        name = client.post(f"{C}/wrong", json=body).json()["tape"]
        expected = json.loads((two.folder / "wrong" / name / "expected.json").read_text())["results"][0]
        assert [die["value"] for die in expected["dice"]] == left


def test_the_faces_that_it_was_read_by_are_on_the_tape_and_it_is_read_by_them_again(
    two: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, runes, read_by = two.client(), some(), list[DieSet | None]()
    two.camera._own = lambda: runes
    body = {"look": client.get(C).json()["look"], "number": 0, "die": "D6", "value": 4}

    def seen(frame: Frame, params: Params, *, plan: Any, own: DieSet | None) -> TrayReading:
        read_by.append(own)
        return read(frame, params, plan=plan)

    monkeypatch.setattr(camera, "read", seen)
    made = tape.read(two.folder / "wrong" / client.post(f"{C}/wrong", json=body).json()["tape"])
    assert len([name for name in made.files if name.startswith("sets/")]) == 1 + len(runes.faces)
    assert not replay(made).ok
    assert [own and [(face.die, face.value) for face in own.faces] for own in read_by] == [[("D6", 1), ("D6", 2)]] * 2
    (made.folder / packed(runes)[0]).unlink()
    with pytest.raises(BadTape, match=r"sets/[0-9a-f]{16}\.json: the file is missing"):
        tape.read(made.folder)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"die": "D6", "value": 4}, 422, "mark a place on the picture"),
        ({"at": [0.01, 0.01], "value": None}, 404, "No die was read at that place"),
        ({"at": [0.01, 0.01], "die": "D6", "value": 7}, 422, "A D6 has no 7"),
        ({"at": [0.01, 1.01], "die": "D6", "value": 6}, 422, "less than or equal to 1"),
        ({"look": 1, "number": 0, "die": "D6", "value": 4}, 409, "The tray has changed"),
        ({"number": 7, "die": "D6", "value": 4}, 404, "no die 7"),
        ({"number": 0, "die": "D6", "value": 9}, 422, "A D6 has no 9"),
        ({"number": 0, "value": 4}, 422, "A die of no type has no 4"),
    ],
)
def test_what_cannot_be_wrong_is_refused(two: Studio, body: dict[str, Any], status: int, says: str) -> None:
    client = two.client()
    answer = client.post(f"{C}/wrong", json={"look": client.get(C).json()["look"], **body})
    assert answer.status_code == status
    assert says in answer.json()["detail"]
    assert not (two.folder / "wrong").exists()


@pytest.mark.parametrize("source", ["/etc/passwd", "../secret", "file:///etc/passwd", "clips/", "ftp://host/x"])
def test_no_file_is_opened_for_a_page(two: Studio, source: str) -> None:
    answer = two.client().post(f"{C}/open", json={"source": source})
    assert answer.status_code == 422
    assert "from the command line alone" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/choices", None),
        ("POST", "/open", {"source": "0"}),
        ("POST", "/close", None),
        ("PATCH", "/setup", {"turn": 1}),
        ("POST", "/find", None),
        ("POST", "/empty", None),
        ("POST", "/trial", {"on": True}),
        ("POST", "/profile", {"name": "kitchen"}),
        ("POST", "/profile/use", {"name": "kitchen"}),
    ],
)
def test_the_set_up_is_the_keepers_alone(two: Studio, method: str, path: str, body: Any) -> None:
    for client, headers in (
        (two.client(("192.168.0.9", 4000)), {}),
        (two.client(), {"x-forwarded-for": "192.168.0.9"}),
    ):
        answer = client.request(method, f"{C}{path}", json=body, headers=headers)
        assert answer.status_code == 403
        assert "on the machine that serves" in answer.json()["detail"]
    evil = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert two.client().request(method, f"{C}{path}", json=body, headers=evil).status_code == 403
    assert two.camera.profile == Profile(source="0")
    assert two.camera.trial is None


def test_others_may_look_at_the_tray(two: Studio) -> None:
    client = two.client(("192.168.0.9", 4000))
    assert client.get(C).status_code == 200
    assert client.get(f"{C}/picture").status_code == 200


def test_a_set_up_is_changed_kept_and_used_again(two: Studio) -> None:
    client = two.client()
    corners = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]
    body = {"corners": corners, "turn": 2, "width_mm": 120.0, "zones": "left and right"}
    state = client.patch(f"{C}/setup", json=body).json()
    assert state["setup"] == {
        "profile": "tray",
        "corners": corners,
        "turn": 2,
        "width_mm": 120.0,
        "zones": ["left half", "right half"],
        "empty": False,
        "tilt_deg": None,
    }
    assert client.post(f"{C}/profile", json={"name": "kitchen"}).json()["setup"]["profile"] == "kitchen"
    client.patch(f"{C}/setup", json={"corners": [[0, 0], [1, 0], [1, 1]], "turn": 0, "width_mm": 0, "zones": "none"})
    assert client.get(f"{C}/choices").json()["profiles"] == ["kitchen"]
    again = client.post(f"{C}/profile/use", json={"name": "kitchen"}).json()["setup"]
    assert again == state["setup"] | {"profile": "kitchen"}
    assert client.post(f"{C}/profile/use", json={"name": "attic"}).status_code == 404


def test_a_tilt_is_kept_with_its_set_up_and_forgotten_with_the_tray(two: Studio) -> None:
    client, kept = two.client(), Profiles(two.folder / "cameras")
    client.post(f"{C}/profile", json={"name": "kitchen"})
    assert client.get(C).json()["setup"]["tilt_deg"] is None
    two.learns((0.0, 0.5))
    assert client.get(C).json()["setup"]["tilt_deg"] == 30
    assert kept.load("kitchen").tilt == (0.0, 0.5)
    client.patch(f"{C}/setup", json={"zones": "left and right"})
    assert client.get(C).json()["setup"]["tilt_deg"] == 30
    client.patch(f"{C}/setup", json={"turn": 1})
    assert client.get(C).json()["setup"]["tilt_deg"] is None
    two.learns((0.3, 0.0))
    assert kept.load("kitchen").tilt == (0.0, 0.5), "the set-up that is kept is of the tray as it was"
    assert client.post(f"{C}/profile/use", json={"name": "kitchen"}).json()["setup"]["tilt_deg"] == 30


def test_corners_that_are_no_tray_change_nothing(two: Studio) -> None:
    answer = two.client().patch(f"{C}/setup", json={"corners": [[0, 0], [1, 1], [1, 0], [0, 1]]})
    assert (answer.status_code, "cross each other" in answer.json()["detail"]) == (422, True)
    assert two.camera.profile == Profile(source="0")


def test_an_empty_tray_is_learnt_and_one_with_dice_is_not(two: Studio) -> None:
    client = two.client()
    answer = client.post(f"{C}/empty")
    assert answer.status_code == 409
    assert "2 dice lie in it" in answer.json()["detail"]
    two.look(scene())
    live = two.camera.live
    assert live is not None
    assert live.wait(live.newest.seq + 2 if live.newest else 0, PATIENCE_S) is not None
    assert client.post(f"{C}/empty").json()["setup"]["empty"] is True
    assert client.post(f"{C}/profile", json={"name": "kitchen"}).status_code == 200
    assert Profiles(two.folder / "cameras").load("kitchen").empty == two.camera.profile.empty
    assert two.camera.watch is not None
    assert two.camera.watch.empty is not None


def test_printed_markers_are_found(tmp_path: Path) -> None:
    with studio(tmp_path, np.asarray(with_markers(), np.uint8)) as made:
        made.camera.use(Profile(source="0"))
        assert made.camera.live is not None
        assert made.camera.live.wait(0, PATIENCE_S) is not None
        client = made.client()
        corners = client.post(f"{C}/find").json()["setup"]["corners"]
        assert np.allclose(corners[0], (90 / 640, 90 / 480), atol=0.02)
        assert client.get(f"{C}/markers/3").content == made_marker(3)
        assert client.get(f"{C}/markers/4").status_code == 404


def made_marker(number: int) -> bytes:
    from dicevision.tray import marker

    return png(marker(number, 480))


def test_markers_that_are_not_there_are_said_not_to_be(two: Studio) -> None:
    answer = two.client().post(f"{C}/find")
    assert answer.status_code == 409
    assert "not all seen" in answer.json()["detail"]


def test_without_a_camera_each_call_says_so(tmp_path: Path) -> None:
    with studio(tmp_path, scene()) as made:
        client = made.client()
        assert client.get(C).json()["state"] == "none"
        assert client.get(f"{C}/picture").status_code == 409
        assert (
            client.patch(f"{C}/setup", json={"turn": 1}).json()["detail"]
            == "No camera is chosen yet; choose one first."
        )
        assert client.post(f"{C}/open", json={"source": "0"}).json()["chosen"] is True
        assert client.post(f"{C}/close").json()["chosen"] is False
