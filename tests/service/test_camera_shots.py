"""The camera frame by frame, as a tape's film is watched."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest
from tests.support.clips import Clip, scene
from tests.support.tapes import head

from dicetower.errors import BadPicture, BadTape
from dicetower.model import Throw
from dicetower.sources import tape
from dicetower.sources.camera import Camera
from dicetower.sources.camera_live import Owed, owed_by
from dicetower.sources.camera_shots import Shots
from dicetower.sources.tape_writer import TapeWriter, seal
from dicetower.tapes.replay import replay
from training.trays import DiePose

PAIR = (DiePose(-25, 0, 5, yaw_deg=20), DiePose(25, 5, 3, yaw_deg=50))


def watched(clip: Clip, count: int) -> list[tuple[int, Throw]]:
    """The throws of a film with the number of the frame that completed each."""
    shots = Shots(Camera(lambda png: "kept", lambda: 0), lambda: Owed(("D6", "D6"), count))
    found = []
    for number, (frame, at_s) in enumerate(clip):
        png = cv2.imencode(".png", frame)[1].tobytes()
        found += [(number, throw) for throw in shots.see(png, round(at_s * 1000), f"shot {number}")]
    return found


def test_dice_that_settle_are_one_throw_named_by_its_shot() -> None:
    clip = Clip().rest(scene(), 0.8).fly(scene(*PAIR)).rest(scene(*PAIR), 1.2)
    [(number, throw)] = watched(clip, 2)
    assert throw.id == f"camera:shot {number}"
    assert [(reading.die, reading.value) for reading in throw.readings] == [("D6", 5), ("D6", 3)]


def test_dice_that_lie_there_from_the_first_are_none() -> None:
    assert watched(Clip().rest(scene(*PAIR), 2.0), 2) == []


def test_what_is_no_picture_is_said() -> None:
    shots = Shots(Camera(lambda png: "kept"), Owed)
    with pytest.raises(BadPicture):
        shots.see(b"\x89PNG\r\n\x1a\nnone", 0, "shot")


def test_a_shot_that_is_no_picture_is_a_broken_tape(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t", head()) as writer:
        writer.add(0, "shot", {"file": writer.frame(b"\xff\xd8\xffnone")})
    seal(tmp_path / "t", head(), {"version": 1, "results": []})
    with pytest.raises(BadTape, match=r"t/inputs\.jsonl: line 1: frames/0001\.jpg: "):
        replay(tape.read(tmp_path / "t"))


@pytest.mark.parametrize(
    ("attack", "owed"),
    [
        (None, Owed()),
        ({"state": "resolved", "turn": None, "slots": []}, Owed()),
        (
            {
                "state": "throwing",
                "turn": "firer",
                "slots": [
                    {"die": "D8", "by": "firer", "state": "owed"},
                    {"die": "D6", "by": "firer", "state": "filled"},
                    {"die": "D12", "by": "target", "state": "owed"},
                ],
            },
            Owed(("D8", "D12"), 1),
        ),
    ],
)
def test_the_open_attack_says_what_is_owed(attack: object, owed: Owed) -> None:
    assert owed_by({"attack": attack}) == owed
