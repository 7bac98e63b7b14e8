"""The camera over the tray as a source: frames are watched, what settles is read, what came or moved is a throw.

    capture thread (dicevision.live) ──newest frame──▶ this thread: watch, read ──Throw──▶ deliver

Implements `model.Source`. A throw that the journal does not take is kept, and given again until it does.
"""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cv2

from dicetower.errors import BadInput, Conflict, DeviceError, StoreError
from dicetower.model import SourceHealth, Throw
from dicetower.sources.camera import Camera, Keep, Own, decoded
from dicetower.sources.camera_profile import Profile
from dicetower.sources.in_tray import InTray, Part
from dicevision import feeds, settle
from dicevision.enrol import DieSet
from dicevision.feeds import spoken
from dicevision.image import BadFrame, Frame
from dicevision.live import Live, Standing, State
from dicevision.moved import middle
from dicevision.params import Params
from dicevision.read import Trace, TrayReading, read
from dicevision.tilt import Tilt
from dicevision.tray import BadTray, Empty, Tray, Zone
from dicevision.watch import Thrown, Watch

NAME = "tray camera"

WAITING_MAX = 8
"""Throws that may wait for the journal. Each holds its picture, some 6 MB; nobody throws on over a full disk."""

AGAIN_S = 1.0
"""How often a throw that waits is given to the journal again."""

NEXT_FRAME_S = 0.25
"""How long to wait for a frame before looking whether to stop, or whether a throw waits."""

NEWS = 0.03
"""A change of the tilt (sine of the angle) from which the set-up is written anew: 2 degrees."""

AWAY = "Dice came into the tray while the camera was away. Say on the camera's page whether they count."

log = logging.getLogger("dicetower.camera")


@dataclass(frozen=True, slots=True)
class Owed:
    """What the table waits for: the die types as a prior, and how many plain dice the throwers owe."""

    plan: tuple[str, ...] = ()
    count: int = 0


def owed_by(view: Mapping[str, Any]) -> Owed:
    """What a table's open attack still owes: every type as a prior, and how many dice of those whose turn it is."""
    attack = view["attack"]
    if attack is None or attack["state"] not in ("throwing", "damage"):
        return Owed()
    owing = [slot for slot in attack["slots"] if slot["state"] == "owed"]
    theirs = [slot for slot in owing if attack["turn"] in (None, slot["by"])]
    return Owed(tuple(slot["die"] for slot in owing), len(theirs))


class Saw(Protocol):
    """Hears of a picture before its throw is delivered: the recorder of tapes."""

    def __call__(
        self, throw: Throw, picture: bytes, request: str, player: str | None, plan: Sequence[str], tray: InTray | None
    ) -> None:
        """Keep the picture, a PNG."""


@dataclass(frozen=True, slots=True)
class Given:
    """A throw as it was read, with all that is needed to read it again."""

    thrown: Thrown
    request: str
    plan: tuple[str, ...]
    tray: InTray


class LiveCamera:
    """One camera at one table. `use` chooses it, before `start` or later; without one it waits."""

    def __init__(
        self,
        keep: Keep,
        *,
        table: str = "main",
        owed: Callable[[], Owed] = Owed,
        saw: Saw | None = None,
        open_feed: Callable[[str], feeds.Feed] = feeds.opened,
        own: Own = lambda: None,
    ) -> None:
        self.table = table
        self.trial: list[Given] | None = None
        """While somebody tries throws at /setup they are kept here and not delivered."""
        self.lent: Callable[[], bool] = lambda: False
        """Whether a page has the camera to itself, to be shown dice: nothing of that is a throw."""
        self.delay_ms: float | None = None
        """How long the newest throw took from its first settled frame until it was in the journal."""
        self.profile = Profile()
        self.learnt: Callable[[Profile], None] = _unheard
        """Hears of the set-up when the camera's tilt has come to be known, or is no longer."""
        self.watch: Watch | None = None
        self.live: Live | None = None
        self.said = ""
        """What the table said of the newest throw that it did not take."""
        self._camera, self._owed, self._saw, self._open = Camera(keep), owed, saw, open_feed
        self._own = own
        self._run, self._count = secrets.token_hex(4), 0
        self.plan: tuple[str, ...] = ()
        """The die types that were owed when the newest picture was read."""
        self._waiting: deque[Given] = deque()
        self._again_s = 0.0
        self._lock, self._giving = threading.RLock(), threading.RLock()
        self._stopping = threading.Event()
        self._chosen = threading.Event()
        self._thread = threading.Thread(target=self._watch_on, name="tray camera", daemon=True)
        self._deliver: Callable[[Throw], object] = _nowhere

    # As a source.

    @property
    def name(self) -> str:
        """What the screen and /readyz call it."""
        return NAME

    def start(self, deliver: Callable[[Throw], object]) -> None:
        """Begin to watch. `deliver` is called from this source's thread, and must journal or raise."""
        self._deliver = deliver
        self._thread.start()

    def stop(self) -> None:
        """Close the camera."""
        self._stopping.set()
        self._chosen.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        with self._lock:
            live, self.live = self.live, None
        if live is not None:
            live.stop()

    def health(self) -> SourceHealth:
        """How it is now; changes only when its state does."""
        standing = self.standing()
        source = "" if self.live is None else spoken(self.live.source)
        detail = {"kind": "camera", "table": self.table, "source": source, "profile": self.profile.name}
        if standing.state in (State.STALLED, State.LOST):
            since = {} if standing.age_s is None else {"since_ms": round(time.time() - standing.age_s) * 1000}
            return SourceHealth(self.name, standing.state, False, standing.reason, detail | since)
        if self._waiting:
            reason = "A throw that was read waits for the journal; it is given again until the journal takes it."
            return SourceHealth(self.name, "waiting", False, reason, detail)
        if self.watch is not None and self.watch.away is not None:
            return SourceHealth(self.name, "asking", True, AWAY, detail)
        if self.lent():
            return SourceHealth(self.name, "lent", True, "", detail)
        return SourceHealth(self.name, "opening" if standing.state is State.OPENING else "watching", True, "", detail)

    def standing(self) -> Standing:
        """How the camera itself is."""
        live = self.live
        return Standing(State.OPENING, "No camera is chosen.") if live is None else live.standing()

    @property
    def used(self) -> bool:
        """Whether a camera is chosen."""
        return self.live is not None

    # Choosing.

    def use(self, profile: Profile) -> None:
        """Watch this camera and this tray from now on; BadInput where the tray is none."""
        tray = tray_of(profile)
        with self._lock:
            before = self.live
            if before is None or before.source != profile.source:
                self.live = Live(profile.source, open_feed=self._open)
                self.live.start()
            self.profile = profile
            owing = lambda: self._now_owed().count  # noqa: E731 - asked anew each time
            self.watch = Watch(self._read, tray, owing, _empty_of(profile), profile.tilt)
        if before is not None and before is not self.live:
            before.stop()
        self._chosen.set()

    def close(self) -> None:
        """Watch no camera."""
        with self._lock:
            live, self.live, self.watch = self.live, None, None
            self._chosen.clear()
        if live is not None:
            live.stop()

    def answer_away(self, at_ms: int, count: bool) -> None:
        """Dice came while the camera was away: they count as a throw, or they do not.

        `at_ms` says which were shown to whoever answers; Conflict where they are asked about no more.
        """
        with self._giving:
            watch = self.watch
            away = None if watch is None else watch.away
            if watch is None or away is None or round(away.at_s * 1000) != at_ms:
                raise Conflict("These dice are asked about no more: they were moved, or somebody has answered.")
            if count and self.lent():
                raise Conflict("Dice are being shown to the camera at /enrol; count these when that is done.")
            watch.answered()
            if count:
                self._take(replace(away, settled_s=time.monotonic()))

    def own(self) -> DieSet | None:
        """The dice that their owners have shown, which are read by their own faces."""
        return self._own()

    def in_tray(self, thrown: Thrown | None = None, tilt: Tilt | None = None) -> InTray:
        """What is known of the tray, as a tape keeps it, with the tilt that its picture was read with."""
        watch = self.watch
        corners = () if watch is None or self.profile.corners == Profile().corners else watch.corners
        left = () if thrown is None else tuple(_share(thrown.picture, middle(die)) for die in thrown.left)
        return InTray(tuple((round(x, 5), round(y, 5)) for x, y in corners), left, self.profile.zones, tilt)

    # The thread.

    def _watch_on(self) -> None:
        seen = 0
        while not self._stopping.is_set():
            self._chosen.wait(NEXT_FRAME_S)
            live, watch = self.live, self.watch
            shot = None if live is None else live.wait(seen, NEXT_FRAME_S)
            if shot is not None and watch is not None:
                seen = shot.seq
                self._see(watch, shot.frame, shot.at_s, shot.stretch)
            elif live is None or (live.newest is not None and live.newest.seq < seen):
                seen = 0
            self._give_waiting()

    def _see(self, watch: Watch, frame: Frame, at_s: float, stretch: int | None = None) -> None:
        """Show the watch a frame; nothing that goes wrong with one picture ends the watching."""
        try:
            throws = watch.see(frame, at_s, stretch)
        except BadFrame as error:
            self.said = f"The tray's picture cannot be read: {error}."
            return
        except Exception:
            log.exception("While watching the tray; the next picture is looked at all the same.")
            return
        for thrown in throws:
            self._take(thrown)
        self._note_tilt(watch)

    def _note_tilt(self, watch: Watch) -> None:
        """Put what the watch knows of the camera's tilt into the set-up, where that is news."""
        had, has = self.profile.tilt, watch.learnt.known
        if watch is self.watch and _news(had, has):
            self.profile = replace(self.profile, tilt=has)
            self.learnt(self.profile)

    def read(self, picture: Frame, trace: Trace | None = None) -> TrayReading:
        """Read the tray's picture with all that is known of the table."""
        tilt = None if self.watch is None else self.watch.learnt.known
        return read(picture, Params(tilt=tilt), plan=list(self.plan) or None, own=self._own(), trace=trace)

    def _read(self, picture: Frame) -> TrayReading:
        self.plan = self._now_owed().plan
        return self.read(picture)

    def _now_owed(self) -> Owed:
        try:
            return self._owed()
        except StoreError:
            return Owed()

    def _take(self, thrown: Thrown) -> None:
        """A throw was read: try it out, or give it to the table."""
        if self.lent():
            return
        with self._giving:
            self._count += 1
            given = Given(thrown, f"{self._run}-{self._count}", self.plan, self.in_tray(thrown, thrown.tilt))
        if self.trial is not None:
            self.trial.append(given)
            del self.trial[:-4]
            return
        with self._giving:
            self._waiting.append(given)
            while len(self._waiting) > WAITING_MAX:
                self._waiting.popleft()
                log.error("%d throws wait for the journal; the oldest is dropped. Free some space.", WAITING_MAX)
            self._again_s = 0.0
        self._give_waiting()

    def _give_waiting(self) -> None:
        """Give what waits to the table, in order; what the journal cannot take now stays and is given again."""
        with self._giving:
            while self._waiting and time.monotonic() >= self._again_s:
                if not self._given(self._waiting[0]):
                    self._again_s = time.monotonic() + AGAIN_S
                    return
                self._waiting.popleft()

    def _given(self, given: Given) -> bool:
        """Give one throw to the table; False where the journal cannot take it now."""
        try:
            self._give(given)
        except StoreError as error:
            log.error("A throw waits: %s", error)  # noqa: TRY400 - a person reads it, and no trace helps them
            return False
        except (Conflict, BadInput) as refused:
            self.said = str(refused)
            log.warning("A throw was not taken: %s", refused)
        except Exception:
            self.said = "The throw met a fault of the service; its log has the place. Throw again."
            log.exception("A throw could not be given to the table, and is dropped.")
        return True

    def _give(self, given: Given) -> None:
        thrown = given.thrown
        throw = self._camera.throw_of(thrown.picture, thrown.dice, given.request, tray=given.tray)
        if self._saw is not None:
            self._saw(throw, png(thrown.picture), given.request, None, given.plan, given.tray)
        self._deliver(throw)
        self.said = ""
        self.delay_ms = (time.monotonic() - thrown.settled_s) * 1000


def png(picture: Frame) -> bytes:
    """A picture without loss, packed fast: it is written while a throw waits."""
    done, data = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    assert done, "PNG takes any 8-bit picture"
    return data.tobytes()


def tray_of(profile: Profile) -> Tray:
    """The tray that a profile marks; BadInput where it is none."""
    zones = tuple(Zone(part.name, part.corners) for part in profile.zones)
    try:
        return Tray(profile.corners, profile.turn, profile.width_mm, zones)
    except BadTray as error:
        raise BadInput(str(error)) from error


def halves(how: str) -> tuple[Part, ...]:
    """The zones a set-up offers: "left and right", "near and far", or none."""
    if how == "left and right":
        return (
            Part("left half", ((0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0))),
            Part("right half", ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.0))),
        )
    if how == "near and far":
        return (
            Part("far half", ((0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5))),
            Part("near half", ((0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (0.0, 1.0))),
        )
    return ()


def _empty_of(profile: Profile) -> Empty | None:
    """The empty tray as the profile has it; none where its picture is broken: it is then learnt anew."""
    if profile.empty is None:
        return None
    try:
        return Empty(settle.small(decoded(profile.empty)))
    except BadInput:
        return None


def _news(had: Tilt | None, has: Tilt | None) -> bool:
    if had is None or has is None:
        return had is not has
    return math.hypot(had[0] - has[0], had[1] - has[1]) > NEWS


def _unheard(profile: Profile) -> None:
    """Nobody keeps it."""


def _share(picture: Frame, at: tuple[float, float]) -> tuple[float, float]:
    high, wide = picture.shape[:2]
    return round(at[0] / wide, 5), round(at[1] / high, 5)


def _nowhere(throw: Throw) -> None:
    raise DeviceError(f"{throw.id}: nobody takes this throw yet.")
