"""Pictures become throws: the mapping by hand-made readings, the eyes by our own renders and by real photographs."""

from __future__ import annotations

import csv
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.api import HKP, Bench

from dicetower.errors import BadPicture
from dicetower.model import ReadingStatus, Throw
from dicetower.sources import camera
from dicetower.sources.camera import LARGEST_CROP_PX, Camera, crop
from dicetower.sources.evidence import EvidenceFolder
from dicetower.sources.in_tray import InTray, Part
from dicevision.enrol import DieSet
from dicevision.params import Params
from dicevision.read import DieReading, TrayReading
from training.trays import DiePose, render_tray

PHOTOS = Path(__file__).parents[3] / "shared/data"
BLANK = np.zeros((480, 640, 3), np.uint8)
SEEN = DieReading(
    die="D8",
    value=5,
    status="sure",
    cocked=False,
    confidence=0.98,
    box=(60, 100, 40, 40),
    outline=np.zeros((4, 2), np.float32),
    colour="#d8d2c0",
    candidates=((5, 0.98), (6, 0.02)),
    reasons=(),
)


def kept(png: bytes) -> str:
    return f"{len(png)}.png"


def read_as(monkeypatch: pytest.MonkeyPatch, *dice: DieReading) -> Throw:
    """What the camera makes of a frame where the reader sees `dice`."""
    monkeypatch.setattr(camera, "read", lambda frame, params, plan, own: TrayReading((640, 480), dice))
    return Camera(kept, lambda: 99).read_frame(BLANK, "t1", player="red", plan=["D8"])


def test_dice_left_from_before_and_outside_the_tray_are_not_of_the_throw(monkeypatch: pytest.MonkeyPatch) -> None:
    """A die's middle is (80, 120) of 640 x 480: (0.125, 0.25)."""
    other = replace(SEEN, box=(500, 300, 40, 40), value=3)
    monkeypatch.setattr(camera, "read", lambda frame, params, plan, own: TrayReading((640, 480), (SEEN, other)))

    def values(tray: InTray) -> list[tuple[int | None, str | None]]:
        throw = Camera(kept, lambda: 99).read_frame(BLANK, "t1", tray=tray)
        return [(reading.value, reading.zone) for reading in throw.readings]

    right = ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.0))
    assert values(InTray()) == [(5, None), (3, None)]
    assert values(InTray(corners=right)) == [(3, None)]
    assert values(InTray(left=((0.13, 0.26),))) == [(3, None)]
    assert values(InTray(left=((0.16, 0.25),))) == [(5, None), (3, None)]  # more than a third of a die beside it
    assert values(InTray(zones=(Part("right half", right),))) == [(5, None), (3, "right half")]


def test_the_dice_that_players_have_shown_are_read_with(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[DieSet | None] = []

    def seen(frame: object, params: Params, *, plan: object, own: DieSet | None) -> TrayReading:
        given.append(own)
        return TrayReading((640, 480), ())

    monkeypatch.setattr(camera, "read", seen)
    runes = DieSet("runes", ())
    Camera(kept, own=lambda: runes).read_frame(BLANK, "t1")
    Camera(kept).read_frame(BLANK, "t1")
    assert given == [runes, None]


def test_it_is_read_with_the_tilt_that_its_camera_had_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Params] = []

    def seen(frame: object, params: Params, **how: object) -> TrayReading:
        given.append(params)
        return TrayReading((640, 480), ())

    monkeypatch.setattr(camera, "read", seen)
    Camera(kept).read_frame(BLANK, "t1", tray=InTray(tilt=(0.1, 0.4)))
    Camera(kept).read_frame(BLANK, "t2")
    assert given == [Params(tilt=(0.1, 0.4)), Params()]


def test_a_sure_die_in_the_services_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    throw = read_as(monkeypatch, SEEN)
    assert (throw.id, throw.source, throw.host_time_ms) == ("camera:t1", "camera", 99)
    (reading,) = throw.readings
    assert asdict(reading) | {"evidence": "kept"} == {
        "key": "camera:t1:0", "source": "camera", "die": "D8", "value": 5, "status": "sure", "confidence": 0.98,
        "cocked": False, "candidates": ((5, 0.98), (6, 0.02)), "at": (0.125, 0.25), "colour": "#d8d2c0", "who": "red",
        "zone": None, "device": None, "slot": None, "late": False, "source_time_ms": None, "host_time_ms": 99,
        "evidence": "kept",
    }  # fmt: skip


@pytest.mark.parametrize(
    "seen",
    [
        replace(SEEN, status="unsure", value=None),
        replace(SEEN, status="unsure"),
        replace(SEEN, value=None),
        replace(SEEN, value=9),
        replace(SEEN, value=0),
        replace(SEEN, die=None),
        replace(SEEN, die="D100", value=5),
    ],
)
def test_what_is_not_a_face_of_a_known_die_surely_seen_is_unsure(
    monkeypatch: pytest.MonkeyPatch, seen: DieReading
) -> None:
    (reading,) = read_as(monkeypatch, seen).readings
    assert (reading.status, reading.value) == (ReadingStatus.UNSURE, None)
    assert reading.candidates == ((5, 0.98), (6, 0.02))


def test_numbers_of_the_reader_are_plain_numbers_that_a_journal_can_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: Any = {
        "value": np.int64(5),
        "confidence": np.float32(0.5),
        "cocked": np.bool_(True),
        "candidates": ((np.int32(5), np.float32(0.5)),),
    }
    (reading,) = read_as(monkeypatch, replace(SEEN, **numbers)).readings
    assert json.loads(json.dumps(asdict(reading)))["candidates"] == [[5, 0.5]]


@pytest.mark.parametrize(
    "box", [(0, 0, 40, 40), (620, 460, 40, 40), (-30, -30, 40, 40), (700, 500, 10, 10), (5, 5, 0, 0)]
)
def test_a_crop_at_the_edge_is_a_picture_all_the_same(box: tuple[int, int, int, int]) -> None:
    assert shown(crop(BLANK, box)).size > 0


def shown(png: bytes) -> NDArray[Any]:
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture


def test_a_crop_shows_the_die_with_tray_round_it_pixel_for_pixel() -> None:
    frame = np.random.default_rng(1).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    assert np.array_equal(shown(crop(frame, (100, 200, 40, 20))), frame[193:227, 86:154])


def test_a_large_die_is_cropped_to_a_size_for_a_screen() -> None:
    assert max(shown(crop(np.zeros((3000, 4000, 3), np.uint8), (0, 0, 3000, 2000))).shape) == LARGEST_CROP_PX


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (b"", "empty"),
        (b"not a picture", "Expected a picture"),
        (b"GIF89a" + bytes(40), "GIF"),
        (b"\xff\xd8\xff" + bytes(40), "JPEG"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
    ],
)
def test_what_is_no_picture_is_said_in_a_sentence(picture: bytes, said: str) -> None:
    with pytest.raises(BadPicture, match=said):
        Camera(kept).read_photo(picture, "t1")


def test_a_picture_too_small_for_a_die_is_said() -> None:
    with pytest.raises(BadPicture, match="32 pixels"):
        Camera(kept).read_frame(np.zeros((8, 8, 3), np.uint8), "t1")


def test_an_empty_tray_is_a_throw_without_dice() -> None:
    assert Camera(kept).read_frame(np.full((480, 640, 3), 40, np.uint8), "t1").readings == ()


def test_rendered_dice_lie_where_they_were_put_and_what_is_sure_is_right(tmp_path: Path) -> None:
    """A render of ours: two dice well apart, whose faces and places the renderer knows."""
    folder = EvidenceFolder(tmp_path)
    frame, labels = render_tray([DiePose(-40, 0, 5), DiePose(40, 0, 2)])
    throw = Camera(folder.keep).read_frame(frame, "t1")
    for label in labels:
        x, y, width, height = label.top_box
        middle = np.array([(x + width / 2) / frame.shape[1], (y + height / 2) / frame.shape[0]])
        near = [reading for reading in throw.readings if np.linalg.norm(np.subtract(reading.at or 9, middle)) < 0.02]
        assert [reading.value for reading in near] in ([label.value], [None])
        assert near[0].evidence
        assert min(shown(folder.find(near[0].evidence).read_bytes()).shape[:2]) >= min(width, height)


def single_dice(count: int) -> list[tuple[Path, int]]:
    """The first photographs of wood-desk that show one die, each with what lies on top, as labelled by a person."""
    if not PHOTOS.exists():
        assert os.environ.get("CI") != "true", f"the photographs are missing: {PHOTOS}"
        pytest.skip(f"the photographs are not here: {PHOTOS}")
    values: defaultdict[str, list[int]] = defaultdict(list)
    with (PHOTOS / "labels.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values[row["file"]].append(int(row["value"] or 0))
    chosen = [name for name in sorted(values) if name.startswith("wood-desk/") and len(values[name]) == 1]
    return [(PHOTOS / "photos" / name, values[name][0]) for name in chosen[:count]]


def test_a_photograph_of_a_die_on_wood_fills_its_slot_through_the_whole_service(bench: Bench) -> None:
    """HKP at medium range owes one D6, the firer's effectiveness; what is sure must be what a person saw."""
    eyes = Camera(bench.evidence.keep)

    def look(picture: bytes, throw: str, *, player: str | None, plan: Sequence[str]) -> Throw:
        return eyes.read_photo(picture, throw, player=player, plan=plan)

    bench.app.state.photo_reader._read = look
    filled = 0
    with bench.client() as client:
        client.post("/api/v1/tables/main/attacks", json=HKP)
        for path, value in single_dice(12):
            answer = client.post("/api/v1/tables/main/photo", files={"photo": (path.name, path.read_bytes())})
            slot = answer.json()["attack"]["slots"][1] if answer.status_code == 200 else {"state": "owed"}
            assert slot["state"] != "filled" or slot["value"] == value, path.name
            filled += slot["state"] == "filled"
            if slot["state"] != "owed":
                body = {"slots": ["firer effectiveness"], "reason": "the next photograph"}
                client.post("/api/v1/tables/main/attacks/a1/reroll", json=body)
        assert client.get("/api/v1/tables/main").json()["unassigned"] is not None
    assert filled >= 6
