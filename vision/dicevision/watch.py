"""A tray watched: frames in, throws out. What settles is read, and what came or moved since is one throw.

    watch = Watch(read_tray, Tray(), owed=lambda: 2)
    for thrown in watch.see(frame, at_s): ...      # for each new frame, in order

        watching ──motion──▶ motion ──rest──▶ settled ──read alike twice──▶ watching, with a throw or none
                                │                 └── dice are still owed: a moment's wait for the rest
                                └── a hand or sleeve reaches in: nothing is read until it is gone

Pure but for the reader it is given: time comes with the frames. One thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from dicevision import agree, moved, settle
from dicevision.agree import Look, agreed
from dicevision.image import Flags, Frame
from dicevision.moved import Lying
from dicevision.read import DieReading, TrayReading
from dicevision.settle import Motion, Settle, Small
from dicevision.tilt import Learnt, Tilt
from dicevision.tray import Empty, Tray, holds

EARLY_S = 0.05
"""Rest for so long, two frames of thirty a second, is read already, so that all is read by the time it is settled."""

GAP_S = 2.0
"""Frames further apart have a stall between them, where nobody says which belong together."""

GATHER_S = 0.8
"""While more dice are owed than came, the throw waits so long for the rest: dice of one hand land within it."""

HOLD_S = 3.0
"""A throw that waits is given for what it was after so long, whatever moves meanwhile."""

GIVE_UP_S = 4.0
"""What reaches in and does not move for so long is no hand, which trembles: a shadow, a box. It is read past then."""

REACHES = 0.16
"""A change that touches the tray's edge along more than this share of its shorter side is a hand or a sleeve: of a die,
1/16 or less of a tray, it would be three side by side."""

UNREAD_CELLS = 12
"""A thing that covers fewer cells is no die that could be read: 12 are 3 by 4, a die of 1/45 of the picture's width."""

LARGE = 0.3
"""So large a part of the tray does not change by dice."""

STRANGE = 0.05
"""Where a larger part of the tray beside the dice is not as it was empty, the camera or the tray was moved. Drawn trays
change by 0.056 where the camera tips by 3 degrees, 0.08 by 6; by 0.07 where the lamp goes to the other side."""

LEAN_TOGETHER = 3
"""Of so many dice not most lean: it is the camera that leans."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """One throw: the tray's picture that it was read in, the dice that came or moved, and those that lay there.

    at_s: when its picture came, seconds of the frames' own clock. settled_s: when rest was first told.
    tilt: the camera's, as it was known when the picture was read.
    """

    picture: Frame
    dice: tuple[DieReading, ...]
    left: tuple[DieReading, ...]
    at_s: float
    settled_s: float
    tilt: Tilt | None = None


@dataclass(slots=True)
class _Waiting:
    """A throw that waits for the rest of it, with all that lies there then."""

    thrown: Thrown
    lying: tuple[Lying, ...]
    since_s: float


class Watch:
    """Watches one tray. `read` reads its picture; `owed` says how many plain dice are still to be thrown.

    learnt: how the camera looks down, as the dice show; `read` may ask for it. It is forgotten where they, or the empty
    tray, say that the camera was moved, and the picture that said so is read without it.
    away: dice that lie there since the camera was away and did not lie so before. They were not seen to be thrown, so
    somebody must say whether they count; None as soon as one of them no longer lies so.
    """

    def __init__(
        self,
        read: Callable[[Frame], TrayReading],
        tray: Tray = Tray(),  # noqa: B008 - frozen
        owed: Callable[[], int] = lambda: 0,
        empty: Empty | None = None,
        tilt: Tilt | None = None,
    ) -> None:
        self.tray, self.empty, self.learnt = tray, empty, Learnt(tilt)
        self.state, self.reason = "watching", ""
        self.picture: Frame | None = None
        self.look: Look | None = None
        self._read, self._owed = read, owed
        self._settle = Settle()
        self._still: Small | None = None
        self._lying: tuple[Lying, ...] | None = None
        self._lay: tuple[Lying, ...] | None = None
        self.away: Thrown | None = None
        self._done = False
        self._looks: list[Look] = []
        self._settled_s = 0.0
        self._waiting: _Waiting | None = None
        self._last_s: float | None = None
        self._stretch: int | None = None
        self._reached = False
        self._corners = tray.outline(np.empty((1, 1, 0), np.uint8))

    @property
    def dice(self) -> tuple[DieReading, ...]:
        """The dice that lay there when it last settled."""
        return () if self.look is None else self.look.dice

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The tray's corners as shares of its picture."""
        return tuple((float(x), float(y)) for x, y in self._corners)

    @property
    def cells(self) -> Small | None:
        """The tray's picture as it is compared, of the last rest; None before the first."""
        return self._still

    def see(self, frame: Frame, at_s: float, stretch: int | None = None) -> list[Thrown]:
        """Take the next frame; return the throws that it completes.

        `stretch` numbers the camera's frames that came without a stall between them: a machine too slow to look at
        each of them is not taken for a camera that was away.
        """
        picture, self._corners = self.tray.picture(frame), self.tray.outline(frame)
        away = stretch != self._stretch if stretch is not None else at_s - (self._last_s or at_s) > GAP_S
        before = self._after_gap() if away and self._last_s is not None else []
        self._last_s, self._stretch, self.picture = at_s, stretch, picture
        throws = [*before, *self._look(picture, at_s)]
        self.learnt = self.learnt.joined(tilt for thrown in throws for tilt in _tilts(thrown.dice))
        return throws

    def answered(self) -> Thrown | None:
        """Somebody has said whether the dice that came while the camera was away count: ask no more."""
        away, self.away = self.away, None
        return away

    def _after_gap(self) -> list[Thrown]:
        """The camera was away: what lies in the tray then was not seen to come, so it is no throw."""
        done = self._let_go()
        self._lay = self._lay if self._lying is None else self._lying
        self._settle.restart()
        self._looks.clear()
        self._still, self._lying, self._done, self._settled_s = None, None, False, 0.0
        return done

    def _look(self, picture: Frame, at_s: float) -> list[Thrown]:
        cells = settle.small(picture)
        now = self._settle.see(cells, at_s, self._inside(cells))
        if now.motion is Motion.MOTION:
            self._looks.clear()
            self._done, self._settled_s = False, 0.0
            self._say("motion")
            return self._overdue(at_s)
        if self._done:
            return self._gathered(at_s)
        if now.settled and not self._settled_s:
            self._settled_s = at_s
        return self._at_rest(picture, cells, now, at_s)

    def _at_rest(self, picture: Frame, cells: Small, now: settle.Now, at_s: float) -> list[Thrown]:
        """Rest since a moment: look whether it is worth a reading, and read."""
        if now.still_s < EARLY_S:
            return self._overdue(at_s)
        changes = None if self._still is None else self._changes(cells, self._still)
        if changes is not None and not changes.any():
            if now.settled:
                self._finish(cells)
            return self._gathered(at_s)
        self._reached = changes is not None and self._reaches_in(changes, cells)
        if self._reached and now.still_s < GIVE_UP_S:
            self._say("motion", "Something reaches into the tray; dice are read when it is gone.")
            return self._overdue(at_s)
        self._say("settled")
        look = agreed(self._looks)
        if look is None:
            newest = self._looked(picture, cells, at_s)
            self._looks = [*self._looks, newest][-agree.MOST :]
            look = agreed(self._looks)
        return self._conclude(look, cells, at_s) if look is not None and now.settled else []

    def _looked(self, picture: Frame, cells: Small, at_s: float) -> Look:
        """Read the picture; once more, with the tilt unknown, where the camera was moved since it was learnt."""
        dice = self._dice_in(picture)
        if self.learnt.known is not None and self._is_moved(cells, dice):
            self.learnt, self.empty = Learnt(), None
            self._looks.clear()
            dice = self._dice_in(picture)
        return Look(picture, dice, at_s, self.learnt.known)

    def _is_moved(self, cells: Small, dice: tuple[DieReading, ...]) -> bool:
        """Whether the dice or the empty tray say that the camera does not look down as it did."""
        most_lean = len(dice) >= LEAN_TOGETHER and 2 * sum(die.cocked for die in dice) > len(dice)
        return most_lean or not self.learnt.bears(_tilts(dice)) or not self._fits(cells, dice)

    def _dice_in(self, picture: Frame) -> tuple[DieReading, ...]:
        """Read the picture; a die whose middle lies outside the tray is none of ours."""
        high, wide = picture.shape[:2]
        read = self._read(picture).dice
        return tuple(die for die in read if holds(self.corners, _share(moved.middle(die), wide, high)))

    def _conclude(self, look: Look, cells: Small, at_s: float) -> list[Thrown]:
        """The picture has settled and is read: say what came."""
        picture, dice = look.picture, look.dice
        lay, settled_s = self._lying, self._settled_s
        self.look = look
        unread = self._unread(cells, look)
        self._finish(cells)
        if unread:
            self._say("watching", "Something new lies in the tray that is not read as a die: look at the picture.")
        self.away = self._still_away(look)
        if lay is None:
            self._begin(look, settled_s or at_s)
            return []
        done = self._broken_up(picture, dice)
        lay = self._lying or ()
        new = moved.came(picture, self._plain(dice), lay)
        after = _after(picture, dice, lay, covered=self._reached)
        if not new:
            self._lying, self._waiting = after, None
            return done
        left = tuple(die for die in dice if die not in new)
        thrown = Thrown(picture, new, left, at_s, settled_s or at_s, look.tilt)
        if len(new) < self._owed():
            since_s = self._waiting.since_s if self._waiting is not None else at_s
            self._waiting = _Waiting(thrown, after, since_s)
            self._say("settled", "More dice are owed; waiting a moment for the rest.")
            return done
        self._lying, self._waiting = after, None
        return [*done, thrown]

    def _begin(self, look: Look, settled_s: float) -> None:
        """Dice lie there when the camera starts, or comes back: none was seen to come."""
        picture, dice, lay = look.picture, look.dice, self._lay
        new = dice if lay is None else moved.came(picture, dice, lay)
        self._lying, self._lay = _after(picture, dice, lay or (), covered=False), None
        self.learnt = self.learnt.joined(_tilts(new))
        if lay is not None and new:
            asked = () if self.away is None else _same(picture, dice, self.away)
            offered = tuple(die for die in dice if die in new or die in asked)
            left = tuple(die for die in dice if die not in offered)
            self.away = Thrown(picture, offered, left, look.at_s, settled_s, look.tilt)

    def _still_away(self, look: Look) -> Thrown | None:
        """What is asked about, where all of it lies as it lay."""
        away = self.away
        still = () if away is None else _same(look.picture, look.dice, away)
        return away if away is not None and len(still) == len(away.dice) else None

    def _plain(self, dice: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
        """The dice that may be thrown ones: beside what reaches in, a thing of no known type is part of it."""
        return tuple(die for die in dice if die.die is not None) if self._reached else dice

    def _broken_up(self, picture: Frame, dice: tuple[DieReading, ...]) -> list[Thrown]:
        """The throw that waited, where its dice do not all lie as they lay: it was one of its own."""
        waiting = self._waiting
        if waiting is None:
            return []
        found = _same(picture, dice, waiting.thrown)
        return [] if len(found) >= len(waiting.thrown.dice) else self._let_go()

    def _let_go(self) -> list[Thrown]:
        """Give the throw that waited for what it is."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return []
        self._lying = waiting.lying
        return [waiting.thrown]

    def _gathered(self, at_s: float) -> list[Thrown]:
        """At rest with all read: a throw that waited long enough is given."""
        waiting = self._waiting
        if waiting is None or at_s - waiting.thrown.at_s < GATHER_S:
            return []
        self._say("watching")
        return self._let_go()

    def _overdue(self, at_s: float) -> list[Thrown]:
        """In motion: a throw that waited too long is given."""
        waiting = self._waiting
        return [] if waiting is None or at_s - waiting.since_s < HOLD_S else self._let_go()

    def _finish(self, cells: Small) -> None:
        """This rest is dealt with: what is seen now is what the next is compared with."""
        self._still, self._done = cells, True
        self._looks.clear()
        self._settled_s = 0.0
        self._say("watching")
        if not self.dice and (self.empty is None or self._reached or not self._covers(cells).any()):
            self.empty = Empty(cells)

    def _changes(self, cells: Small, before: Small) -> Flags:
        if cells.shape != before.shape:
            return np.ones(cells.shape[:2], np.bool_)
        return settle.changed(settle.difference(cells, before), self._settle.noise) & self._inside(cells)

    def _covers(self, cells: Small) -> Flags:
        """Where something lies on the empty tray."""
        assert self.empty is not None
        return self.empty.covered(cells, self._settle.noise)

    def _fits(self, cells: Small, dice: tuple[DieReading, ...]) -> bool:
        """Whether the tray beside the dice is as it was empty, or that is not known."""
        if self.empty is None:
            return True
        inside = self._inside(cells)
        strange = self._covers(cells) & inside
        scale = cells.shape[1] / self.picture.shape[1] if self.picture is not None else 0.0
        for x, y, wide, high in (die.box for die in dice):
            top, left = max(0, int((y - high / 2) * scale)), max(0, int((x - wide / 2) * scale))
            strange[top : int((y + 1.5 * high) * scale) + 1, left : int((x + 1.5 * wide) * scale) + 1] = False
        return bool(strange.sum() <= STRANGE * inside.sum())

    def _inside(self, cells: Small) -> Flags:
        """Which cells lie in the tray."""
        high, wide = cells.shape[:2]
        corners = self._corners * np.array([wide, high]) - 0.5
        mask = np.zeros((high, wide), np.uint8)
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1)
        return np.asarray(mask, np.bool_)

    def _reaches_in(self, changes: Flags, cells: Small) -> bool:
        """Whether what has changed reaches in over the tray's edge, or is far larger than dice."""
        if self.empty is not None:
            changes = changes & self._covers(cells)
        inside = self._inside(cells)
        if changes.sum() > LARGE * inside.sum():
            return True
        joined = cv2.dilate(changes.astype(np.uint8), np.ones((3, 3), np.uint8))
        edge = inside & ~np.asarray(cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0), bool)
        count, labels = cv2.connectedComponents(joined)
        most = REACHES * min(cells.shape[:2])
        return any((edge & (labels == n)).sum() > most for n in range(1, count))

    def _unread(self, cells: Small, look: Look) -> bool:
        """Whether something came where no die was read. Told only where the empty tray is known."""
        if self._still is None or self.empty is None:
            return False
        things = (self._changes(cells, self._still) & self._covers(cells)).astype(np.uint8)
        scale = cells.shape[1] / look.picture.shape[1]
        count, labels, stats, _ = cv2.connectedComponentsWithStats(things)
        read = {0}
        for x, y, wide, high in (die.box for die in look.dice):
            inside = labels[int(y * scale) : int((y + high) * scale) + 1, int(x * scale) : int((x + wide) * scale) + 1]
            read |= set(np.unique(inside).tolist())
        return any(stats[n][cv2.CC_STAT_AREA] >= UNREAD_CELLS for n in range(count) if n not in read)

    def _say(self, state: str, reason: str = "") -> None:
        self.state, self.reason = state, reason


def _tilts(dice: tuple[DieReading, ...]) -> tuple[Tilt, ...]:
    return tuple(die.tilt for die in dice if die.tilt is not None)


def _share(at: tuple[float, float], wide: int, high: int) -> tuple[float, float]:
    return at[0] / wide, at[1] / high


def _same(picture: Frame, dice: tuple[DieReading, ...], thrown: Thrown) -> tuple[DieReading, ...]:
    """Those of `dice` that are a throw's and lie as they lay."""
    new = moved.came(picture, dice, moved.lying(thrown.picture, thrown.dice))
    return tuple(die for die in dice if die not in new)


def _after(picture: Frame, dice: tuple[DieReading, ...], lay: tuple[Lying, ...], covered: bool) -> tuple[Lying, ...]:
    """All that lies there now: the dice read, and those of before that are only not read, or `covered`."""
    return (*moved.lying(picture, dice), *moved.kept(picture, dice, lay, covered=covered))
