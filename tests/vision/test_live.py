"""A camera kept open: the newest frame alone, stalled within two seconds, lost and back by itself."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.mjpeg import phone

from dicevision.feeds import Feed, NoFeed
from dicevision.image import Frame
from dicevision.live import STALLED_S, Live, State, same

PATIENCE_S = 20.0


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Staged:
    """A feed that gives what the test puts there, and ends when it is told."""

    frames: list[Frame] = field(default_factory=list)
    ended: str = ""
    over: bool = False
    reopens: bool = True
    closed: bool = False

    def read(self) -> Frame | None:
        return self.frames.pop(0) if self.frames else None

    def close(self) -> None:
        self.closed = True


def frame(n: int) -> Frame:
    return np.full((40, 60, 3), n, np.uint8)


@contextmanager
def running(live: Live) -> Iterator[Live]:
    live.start()
    try:
        yield live
    finally:
        live.stop()


def staged(feed: Feed, clock: Clock) -> Live:
    return Live("0", open_feed=lambda source: feed, clock=clock, back_off_s=(0.001,))


def test_it_is_live_then_stalled_at_two_seconds_and_live_again() -> None:
    feed, clock = Staged(), Clock()
    with running(staged(feed, clock)) as live:
        assert live.standing().state is State.OPENING
        assert live.standing().reason == "Camera 0 is being opened."
        feed.frames.append(frame(1))
        wait_for(lambda: live.newest)
        assert live.standing().state is State.LIVE
        assert live.standing().reason == ""
        assert live.standing().size == (60, 40)
        clock.now += STALLED_S - 0.01
        assert live.standing().state is State.LIVE
        clock.now += 0.01
        assert live.standing().state is State.STALLED
        assert live.standing().reason == ("Camera 0 sends no new picture; nothing is read from the old one.")
        assert live.newest is not None
        assert live.newest.stretch == 1
        feed.frames.append(frame(2))
        wait_for(lambda: live.standing().state is State.LIVE)
        assert live.newest.stretch == 2


def test_a_frozen_drivers_same_picture_is_no_new_frame() -> None:
    feed, clock = Staged(), Clock()
    with running(staged(feed, clock)) as live:
        feed.frames.append(frame(7))
        wait_for(lambda: live.newest)
        for _ in range(5):
            clock.now += 0.5
            feed.frames.append(frame(7).copy())
            wait_for(lambda: not feed.frames)
        assert live.standing().state is State.STALLED
        assert live.newest is not None
        assert live.newest.seq == 1


def test_a_lost_camera_says_why_and_comes_back_by_itself() -> None:
    feeds: list[Staged | NoFeed] = [
        NoFeed("There is no camera 0."),
        Staged([frame(1)]),
        NoFeed("There is no camera 0."),
        Staged([frame(2)]),
    ]
    at = iter(feeds)
    gate = threading.Semaphore(0)

    def open_feed(source: str) -> Feed:
        gate.acquire(timeout=PATIENCE_S)
        feed = next(at)
        if isinstance(feed, NoFeed):
            raise feed
        return feed

    with running(Live("0", open_feed=open_feed, back_off_s=(0.001,))) as live:
        gate.release()
        wait_for(lambda: live.standing().state is State.LOST)
        assert live.standing().reason == "There is no camera 0."
        gate.release()
        wait_for(lambda: live.standing().state is State.LIVE)
        first = feeds[1]
        assert isinstance(first, Staged)
        first.ended = "Camera 0 stopped: is it still plugged in?"
        wait_for(lambda: live.standing().state is State.LOST)
        assert first.closed
        assert "plugged in" in live.standing().reason
        gate.release(2)
        wait_for(lambda: live.standing().state is State.LIVE)
        assert live.newest is not None
        assert live.newest.seq == 2
        gate.release(5)


def test_a_file_at_its_end_is_not_opened_again() -> None:
    opened = []

    def open_feed(source: str) -> Feed:
        opened.append(source)
        return Staged([], "The video a.avi has ended.", over=True)

    live = Live("a.avi", open_feed=open_feed, back_off_s=(0.001,))
    with running(live):
        wait_for(lambda: live.standing().state is State.LOST)
        time.sleep(0.05)
    assert opened == ["a.avi"]


def test_an_open_camera_that_gives_nothing_is_opened_anew() -> None:
    clock = Clock()
    opened: list[Staged] = []

    def open_feed(source: str) -> Feed:
        opened.append(Staged([frame(len(opened))]))
        return opened[-1]

    with running(Live("0", open_feed=open_feed, clock=clock, back_off_s=(0.001,))) as live:
        wait_for(lambda: live.newest)
        clock.now += 7
        wait_for(lambda: len(opened) == 2)
        assert opened[0].closed


def test_waiting_gives_only_what_is_newer() -> None:
    feed, clock = Staged(), Clock()
    with running(staged(feed, clock)) as live:
        assert live.wait(0, 0.01) is None
        feed.frames += [frame(1), frame(2), frame(3)]
        wait_for(lambda: live.newest is not None and live.newest.seq == 3)
        shot = live.wait(0, 1)
        assert shot is not None
        assert (shot.seq, int(shot.frame[0, 0, 0])) == (3, 3)
        assert live.wait(3, 0.01) is None


def test_only_the_newest_frame_is_held() -> None:
    feed = Staged([np.random.default_rng(n).integers(0, 255, (50, 50, 3), np.uint8) for n in range(40)])
    with running(staged(feed, Clock())) as live:
        wait_for(lambda: live.newest is not None and live.newest.seq == 40)
        gc.collect()
        held = [each for each in gc.get_objects() if type(each).__name__ == "Shot"]
        assert len(held) == 1


def test_a_read_that_hangs_in_its_driver_hides_no_stall_and_does_not_hold_stop_up() -> None:
    release = threading.Event()

    class Hanging(Staged):
        def read(self) -> Frame | None:
            if self.frames:
                return self.frames.pop(0)
            release.wait(PATIENCE_S)
            return None

    clock = Clock()
    live = staged(Hanging([frame(1)]), clock)
    live.start()
    wait_for(lambda: live.newest)
    clock.now += 3
    assert live.standing().state is State.STALLED
    began = time.monotonic()
    threading.Timer(0.1, release.set).start()
    live.stop()
    assert time.monotonic() - began < 5


def test_a_telephone_stalls_dies_and_returns() -> None:
    with phone(np.full((48, 64, 3), 90, np.uint8), rate=30) as camera, running(Live(camera.url)) as live:
        wait_for(lambda: live.standing().state is State.LIVE)
        camera.stalled = True
        wait_for(lambda: live.standing().state is State.STALLED)
        assert live.newest is not None
        before = live.newest.seq
        camera.stalled = False
        wait_for(lambda: live.standing().state is State.LIVE)
        camera.stop()
        wait_for(lambda: live.standing().state is State.LOST)
        assert "stopped sending" in live.standing().reason or "does not answer" in live.standing().reason
        camera.start()
        wait_for(lambda: live.standing().state is State.LIVE)
        assert live.newest.seq > before


@given(st.integers(0, 39), st.integers(0, 59), st.integers(0, 2))
def test_one_changed_byte_makes_another_frame(y: int, x: int, channel: int) -> None:
    one = frame(9)
    other = one.copy()
    assert same(one, other)
    other[y, x, channel] ^= 1
    assert not same(one, other)


@pytest.mark.parametrize("shape", [(40, 61, 3), (41, 60, 3)])
def test_another_size_is_another_frame(shape: tuple[int, int, int]) -> None:
    assert not same(frame(1), np.ones(shape, np.uint8))
