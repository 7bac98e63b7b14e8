"""Films: which frames are rendered, and where a die is before it is thrown. No engine is needed."""

from __future__ import annotations

import numpy as np
import pytest

from training.physical import clips, light, throw
from training.physical.clips import AWAY, BEFORE_S, RATE, TAKES, scene_of
from training.physical.die import Pose

LOW, HIGH = (Pose(np.eye(3), np.array([10.0, 0.0, z])) for z in (8.0, 30.0))


class Still:
    """Stands for the studio: light that says which shot it is."""

    asked: list[int]

    def __init__(self, *_: object) -> None:
        Still.asked = []

    def shot(self, poses: tuple[Pose, ...], number: int = 0) -> light.Light:
        Still.asked.append(number)
        return np.full((36, 48, 3), 0.05 + poses[0].middle_mm[2] / 100, np.float32)


def test_only_frames_in_which_a_die_moved_are_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(light, "Studio", Still)
    drawn = scene_of(TAKES["rocking-die"])
    creeping = Pose(np.eye(3), np.array([10.01, 0.0, 8.0]))
    shown = list(clips.frames(drawn, [(HIGH,), (HIGH,), (LOW,), (creeping,), (LOW,), (HIGH,)]))
    assert Still.asked == [0, 2, 5]
    assert len(shown) == 6
    assert not np.array_equal(shown[0], shown[1])
    assert np.abs(shown[0].astype(int) - shown[1]).mean() < 8


def test_a_die_is_out_of_sight_until_it_is_thrown(monkeypatch: pytest.MonkeyPatch) -> None:
    flying = [[HIGH, HIGH]] * 40
    monkeypatch.setattr(throw, "film", lambda *_: flying)
    take = TAKES["two-apart"]
    drawn = scene_of(take)
    shown = clips.poses(take, drawn.dice, drawn.tray.inside_mm)
    first, second = ([pose[k] is not AWAY for pose in shown].index(True) for k in (0, 1))
    assert first == round(BEFORE_S * RATE)
    assert (second - first) / RATE == pytest.approx(take.after_s[1], abs=1 / RATE)


@pytest.mark.parametrize("name", TAKES)
def test_the_same_take_is_the_same_film_and_begins_beside_the_tray(name: str) -> None:
    take = TAKES[name]
    one, other = scene_of(take), scene_of(take)
    assert [die.values for die in one.dice] == [die.values for die in other.dice]
    half = one.tray.inside_mm[0] / 2
    assert all(toss.at_mm[0] < -half - 20 for toss in clips.tosses(take))
    assert all(
        a.at_mm.tolist() == b.at_mm.tolist() for a, b in zip(clips.tosses(take), clips.tosses(take), strict=True)
    )
