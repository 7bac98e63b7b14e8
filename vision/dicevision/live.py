"""A camera kept open: a thread that holds its newest frame alone, opens it anew when it goes, and says how it is.

    live = Live("0"); live.start()
    shot = live.wait(after=0, timeout_s=1)      # the newest frame, or None where none newer came

        opening ──frame──▶ live ──no new frame for 2 s──▶ stalled
           ▲                 ▲ └───────frame────────────────┘ │
           └── back-off ── lost ◀──────── it ended, or cannot be opened

A frame that equals the last to the bit is no new frame: a sensor's noise never repeats, a frozen driver's picture does.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dicevision import feeds
from dicevision.feeds import Feed, NoFeed, spoken
from dicevision.image import Frame

STALLED_S = 2.0
"""Without a new frame for so long a camera is stalled: the product's promise to the table."""

REOPEN_S = 6.0
"""A camera that is open and gives nothing new for so long is closed and opened anew."""

BACK_OFF_S = (0.5, 1.0, 2.0, 4.0, 5.0)
"""Waits before each next try to open: a replugged camera is back within five seconds, and a log is not flooded."""

IDLE_S = 0.02
"""The least time between two looks where a feed has nothing new and does not wait by itself."""


class State(StrEnum):
    """How a camera is."""

    OPENING = "opening"
    LIVE = "live"
    STALLED = "stalled"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame, when it came (monotonic seconds), and its number: 1 for the first, without gaps over reopenings.

    stretch: how many times frames have begun to come: it grows where one came STALLED_S or more after the last.
    """

    frame: Frame
    seq: int
    at_s: float
    stretch: int = 1


@dataclass(frozen=True, slots=True)
class Standing:
    """How a camera is: `reason` is a sentence, empty while it is live; `age_s` is the newest frame's.

    `rate` counts the newest second's frames, `size` is (width, height) in pixels; None before the first frame.
    """

    state: State
    reason: str = ""
    age_s: float | None = None
    rate: float = 0.0
    size: tuple[int, int] | None = None


class Live:
    """One camera. Any thread may call; `start` once, `stop` last."""

    def __init__(
        self,
        source: str,
        *,
        open_feed: Callable[[str], Feed] = feeds.opened,
        clock: Callable[[], float] = time.monotonic,
        back_off_s: tuple[float, ...] = BACK_OFF_S,
    ) -> None:
        self.source = source
        self._open, self._clock, self._back_off_s = open_feed, clock, back_off_s
        self._fresh = threading.Condition()
        self._shot: Shot | None = None
        self._times: deque[float] = deque(maxlen=64)
        self._lost = ""
        self._over = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {spoken(source)}", daemon=True)

    def start(self) -> None:
        """Begin to open it; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Close it. A read that hangs in the driver is left behind; its thread ends with it."""
        self._stopping.set()
        with self._fresh:
            self._fresh.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    @property
    def newest(self) -> Shot | None:
        """The newest frame, however old."""
        with self._fresh:
            return self._shot

    def wait(self, after: int, timeout_s: float) -> Shot | None:
        """The newest frame whose number is above `after`, waiting for it at most so long."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._stopping.is_set() or self._seq > after, timeout_s)
            return self._shot if self._seq > after else None

    @property
    def _seq(self) -> int:
        return 0 if self._shot is None else self._shot.seq

    def standing(self) -> Standing:
        """How it is now; told by the clock, so a thread that hangs in a driver cannot hide a stall."""
        with self._fresh:
            now, shot = self._clock(), self._shot
            if shot is None:
                return Standing(State.LOST, self._lost) if self._lost else Standing(State.OPENING, self._opening)
            age = now - shot.at_s
            size = (shot.frame.shape[1], shot.frame.shape[0])
            if self._lost:
                return Standing(State.LOST, self._lost, age, 0.0, size)
            if age >= STALLED_S:
                reason = f"{self._name} sends no new picture; nothing is read from the old one."
                return Standing(State.STALLED, reason, age, 0.0, size)
            rate = sum(now - at < 1 for at in self._times)
            return Standing(State.LIVE, "", age, float(rate), size)

    @property
    def _name(self) -> str:
        name = spoken(self.source)
        return f"{name[:1].upper()}{name[1:]}"

    @property
    def _opening(self) -> str:
        return f"{self._name} is being opened."

    # The thread.

    def _run(self) -> None:
        fails = 0
        while not self._stopping.is_set() and not self._over:
            came = self._seq
            self._use()
            fails = 0 if self._seq > came else fails + 1
            if not self._over:
                self._stopping.wait(self._back_off_s[min(fails, len(self._back_off_s) - 1)])

    def _use(self) -> None:
        """One opening, to its end."""
        try:
            feed = self._open(self.source)
        except NoFeed as error:
            self._say_lost(str(error))
            return
        try:
            self._read(feed)
        finally:
            feed.close()

    def _read(self, feed: Feed) -> None:
        last = self._clock()
        while not self._stopping.is_set():
            frame = feed.read()
            if feed.ended:
                self._over = feed.over
                self._say_lost(feed.ended)
                return
            if frame is not None and self._take(frame):
                last = self._clock()
            else:
                self._stopping.wait(IDLE_S)
            if self._clock() - last > REOPEN_S and feed.reopens:
                return

    def _take(self, frame: Frame) -> bool:
        """Hold a frame in place of the last; False where it is the last once more."""
        if self._shot is not None and same(self._shot.frame, frame):
            return False
        with self._fresh:
            now, last = self._clock(), self._shot
            stretch = 1 if last is None else last.stretch + (now - last.at_s >= STALLED_S)
            self._shot, self._lost = Shot(frame, self._seq + 1, now, stretch), ""
            self._times.append(now)
            self._fresh.notify_all()
        return True

    def _say_lost(self, why: str) -> None:
        with self._fresh:
            self._lost = why


def same(one: Frame, other: Frame) -> bool:
    """Whether two frames are equal to the bit; a few rows tell most of those that are not."""
    return one.shape == other.shape and np.array_equal(one[::97], other[::97]) and np.array_equal(one, other)
