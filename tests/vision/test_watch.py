"""A watched tray, by rendered clips and the real reader: one throw is one throw, and nothing else is any."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.support.clips import Clip, Frame, scene, with_hand

from dicevision.read import TrayReading, read
from dicevision.tray import Tray
from dicevision.watch import GATHER_S, GIVE_UP_S, Thrown, Watch
from training.trays import DiePose, Light

FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
TWO = DiePose(5, 32, value=2, yaw_deg=75, body="#1f3f93", pips="#f5f1e8")
BARE = scene()


def watched(clip: Iterable[tuple[Frame, float]], watch: Watch | None = None) -> list[Thrown]:
    machine = watch or Watch(read)
    return [thrown for frame, at_s in clip for thrown in machine.see(frame, at_s)]


def values(throws: Iterable[Thrown]) -> list[list[int | None]]:
    return [sorted((die.value for die in thrown.dice), key=str) for thrown in throws]


@pytest.mark.parametrize("rate", [12.0, 24.0])
def test_one_throw_is_one_throw(rate: float) -> None:
    throws = watched(Clip(rate=rate).rest(BARE).fly(scene(FIVE, THREE)).rest(scene(FIVE, THREE), 1.5))
    assert values(throws) == [[3, 5]]
    assert throws[0].left == ()


def test_it_is_read_in_the_very_picture_that_is_given() -> None:
    (thrown,) = watched(Clip().rest(BARE).fly(scene(FIVE, THREE)).rest(scene(FIVE, THREE), 1))
    assert [die.value for die in read(thrown.picture).dice] == [die.value for die in thrown.dice]


def test_a_die_that_rocks_is_one_throw() -> None:
    leaning = scene(replace(FIVE, tilt_deg=14, tilt_to_deg=40), THREE)
    lying = scene(FIVE, THREE)
    throws = watched(Clip().rest(BARE).fly(leaning).rock(lying, leaning, times=6, every_s=0.13).rest(lying, 2))
    assert values(throws) == [[3, 5]]


@pytest.mark.parametrize("pause", [0.15, 0.5])
def test_two_dice_that_land_apart_in_time_are_one_throw_while_two_are_owed(pause: float) -> None:
    clip = Clip().rest(BARE).fly(scene(FIVE), 0.2).rest(scene(FIVE), pause).fly(scene(FIVE, THREE), 0.3)
    throws = watched(clip.rest(scene(FIVE, THREE), 1.5), Watch(read, owed=lambda: 2))
    assert values(throws) == [[3, 5]]


def test_dice_thrown_one_by_one_are_a_throw_each_and_none_is_lost() -> None:
    clip = Clip().rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 1.5).fly(scene(FIVE, THREE))
    throws = watched(clip.rest(scene(FIVE, THREE), 1.5), Watch(read, owed=lambda: 2))
    assert values(throws) == [[5], [3]]
    assert [len(thrown.left) for thrown in throws] == [0, 1]
    assert throws[0].at_s <= 0.7 + 0.4 + 0.4 + GATHER_S


def test_a_single_die_taken_up_at_once_while_two_are_owed_is_not_lost() -> None:
    clip = Clip().rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 0.6).hand(0.5, after=BARE).rest(BARE, 1)
    assert values(watched(clip, Watch(read, owed=lambda: 2))) == [[5]]


def test_what_lies_there_at_the_start_is_no_throw() -> None:
    watch = Watch(read)
    assert watched(Clip().rest(scene(FIVE, THREE), 2), watch) == []
    assert [die.value for die in watch.dice] == [5, 3]


def test_dice_left_from_the_last_throw_are_not_read_again() -> None:
    clip = Clip().rest(scene(FIVE)).fly(scene(FIVE, THREE)).rest(scene(FIVE, THREE), 1)
    throws = watched(clip.fly(scene(FIVE, THREE, TWO)).rest(scene(FIVE, THREE, TWO), 1))
    assert values(throws) == [[3], [2]]
    assert [[die.value for die in thrown.left] for thrown in throws] == [[5], [5, 3]]


def test_a_die_thrown_again_is_read_again() -> None:
    again = scene(FIVE, replace(THREE, x_mm=-5, y_mm=-20, value=4, yaw_deg=10))
    clip = Clip().rest(scene(FIVE, THREE)).hand(0.5, after=scene(FIVE)).rest(scene(FIVE)).fly(again).rest(again, 1)
    assert values(watched(clip)) == [[4]]


NOTHING: dict[str, Callable[[Clip], Clip]] = {
    "a hand comes and goes": lambda clip: clip.hand(0.8).rest(clip._last, 1),
    "a hand rests in the tray": lambda clip: clip.hand(0.8, still_s=1.5).rest(clip._last, 1),
    "dice taken up": lambda clip: clip.hand(0.8, after=BARE).rest(BARE, 1),
    "one die taken up": lambda clip: clip.hand(0.8, after=scene(THREE)).rest(scene(THREE), 1),
    "a cloud": lambda clip: clip.light(0.7, 1.0).rest(clip._last, 1),
    "the sun comes out": lambda clip: clip.light(1.15, 0.3).rest(clip._last, 1),
    "exposure leaps": lambda clip: clip.light(0.8, 0.03).rest(clip._last, 1),
    "a lamp is moved": lambda clip: clip.rest(scene(FIVE, THREE, lamp=Light(azimuth_deg=20, elevation_deg=35)), 5),
    "a die is nudged by a millimetre": lambda clip: clip.rest(scene(replace(FIVE, x_mm=-29), THREE), 1),
}


@pytest.mark.parametrize("what", NOTHING)
def test_what_is_no_throw(what: str) -> None:
    clip = Clip().rest(scene(FIVE, THREE))
    NOTHING[what](clip)
    assert watched(clip) == []


def test_dice_under_a_hand_are_still_the_old_ones() -> None:
    both = scene(FIVE, THREE)
    covered = with_hand(both, 150)
    clip = Clip().rest(both).rest(covered, GIVE_UP_S + 1).rest(both, 1)
    assert watched(clip) == []


def test_the_state_and_its_reason_are_told() -> None:
    watch = Watch(read, owed=lambda: 3)
    told: list[tuple[str, str]] = []
    for frame, at_s in Clip().rest(BARE).hand(0.6, still_s=0.6).rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 1.5):
        watch.see(frame, at_s)
        if not told or told[-1] != (watch.state, watch.reason):
            told.append((watch.state, watch.reason))
    assert ("motion", "Something reaches into the tray; dice are read when it is gone.") in told
    assert ("settled", "More dice are owed; waiting a moment for the rest.") in told
    assert told[-1] == ("watching", "")


def test_a_thing_that_is_no_die_is_told_and_is_no_throw() -> None:
    watch, coin = Watch(read), BARE.copy()
    coin[100:130, 140:170] = (30, 40, 60)
    assert watched(Clip().rest(BARE).fly(coin).rest(coin, 1), watch) == []
    assert watch.state == "watching"
    assert "not read as a die" in watch.reason


def away(before: Frame, *after: Frame) -> Watch:
    """A watch whose camera stalled before each further scene; none of it is a throw."""
    watch, clip = Watch(read), Clip(rate=12).rest(before, 0.6)
    for each in after:
        clip.at_s += 5
        clip.rest(each, 0.6)
    assert watched(clip, watch) == []
    return watch


def test_dice_that_came_while_the_camera_was_away_are_asked_about() -> None:
    watch = away(scene(FIVE), scene(FIVE, THREE))
    asked = watch.away
    assert asked is not None
    assert values([asked]) == [[3]]
    assert [die.value for die in asked.left] == [5]
    assert [die.value for die in read(asked.picture).dice] == [5, 3]
    assert watch.answered() is asked
    assert watch.away is None


def test_dice_moved_while_the_camera_was_away_are_asked_about_and_those_left_are_not() -> None:
    watch = away(scene(FIVE, THREE), scene(FIVE, replace(THREE, x_mm=-5, y_mm=-20, value=4)))
    assert watch.away is not None
    assert values([watch.away]) == [[4]]
    assert away(scene(FIVE, THREE), scene(FIVE, THREE)).away is None
    assert away(scene(FIVE, THREE), scene(FIVE)).away is None


def test_after_a_second_stall_what_is_new_is_asked_about_with_the_rest() -> None:
    watch = away(scene(FIVE), scene(FIVE, THREE), scene(FIVE, THREE, TWO))
    assert watch.away is not None
    assert values([watch.away]) == [[2, 3]]


def test_dice_taken_up_are_asked_about_no_more_and_the_next_throw_is_one() -> None:
    watch = away(BARE, scene(FIVE))
    assert watch.away is not None
    clip = Clip(rate=12, at_s=20).rest(scene(FIVE), 0.1)
    clip.at_s = (watch._last_s or 0) + 0.1
    clip.frames.clear()
    throws = watched(clip.rest(BARE, 0.6).rest(scene(TWO), 0.6), watch)
    assert watch.away is None
    assert values(throws) == [[2]]


def test_a_throw_that_waited_is_given_when_the_camera_was_away() -> None:
    clip = Clip().rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 0.5)
    clip.at_s += 5
    assert values(watched(clip.rest(scene(FIVE), 1), Watch(read, owed=lambda: 2))) == [[5]]


def test_a_machine_too_slow_for_each_frame_loses_no_throw() -> None:
    clip = Clip(rate=0.4).rest(BARE, 15).rest(scene(FIVE), 20)
    watch = Watch(read)
    throws = [thrown for frame, at_s in clip for thrown in watch.see(frame, at_s, stretch=1)]
    assert values(throws) == [[5]]
    assert [each for frame, at_s in Clip(at_s=60).rest(scene(THREE), 1) for each in watch.see(frame, at_s, 2)] == []


def test_once_two_frames_agree_no_more_is_read() -> None:
    looked: list[int] = []

    def counted(picture: Frame) -> TrayReading:
        looked.append(1)
        return read(picture)

    clip = Clip(rate=30).rest(BARE).rest(scene(FIVE), 2)
    assert values(watched(clip, Watch(counted))) == [[5]]
    assert len(looked) == 4  # two of the bare tray, two of the throw


def test_dice_outside_the_tray_are_none_of_it() -> None:
    left = Tray(((0.0, 0.0), (0.55, 0.0), (0.5, 1.0), (0.0, 1.0)))
    clip = Clip().rest(BARE).fly(scene(FIVE, THREE)).rest(scene(FIVE, THREE), 1)
    assert values(watched(clip, Watch(read, left))) == [[5]]


def test_a_reader_that_says_otherwise_in_each_frame_is_asked_about() -> None:
    faces = iter(range(1, 100))

    @dataclass
    class Wavering:
        """The real reading, with another value each time."""

        def __call__(self, picture: Frame) -> object:
            whole = read(picture)
            face = next(faces) % 5 + 1
            return replace(whole, dice=tuple(replace(die, value=face, status="sure") for die in whole.dice))

    clip = Clip().rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 1.5)
    assert values(watched(clip, Watch(Wavering()))) == [[None]]  # type: ignore[arg-type] # a stand-in


def test_much_noise_is_borne() -> None:
    clip = Clip(noise=6.0).rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 1.5).rest(scene(FIVE), 2)
    throws = watched(clip)
    assert len(throws) == 1
    assert values(throws)[0][0] in (5, None)


def test_each_picture_is_its_own() -> None:
    throws = watched(Clip().rest(BARE).fly(scene(FIVE)).rest(scene(FIVE), 1).fly(scene(TWO)).rest(scene(TWO), 1))
    assert values(throws) == [[5], [2]]
    assert not np.array_equal(throws[0].picture, throws[1].picture)
