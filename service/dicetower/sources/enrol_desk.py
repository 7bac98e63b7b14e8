"""What the page /enrol asks: the sets and their faces, a face shown to the camera or in a photograph, a try-out.

A page that is shown dice has the camera to itself: it says so every few seconds, and once it is silent the camera is
the table's again. Corrections at the table come in by `learn`: a face is offered to its set, and a person takes it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dicetower.errors import BadInput, Conflict, DicetowerError, NotFound, Unavailable
from dicetower.model import Die, FaceAsked
from dicetower.sources.camera import decoded
from dicetower.sources.camera_desk import dice_shown
from dicetower.sources.camera_live import LiveCamera
from dicetower.sources.die_sets import DieSets, pairs_alike, values_of
from dicetower.sources.in_tray import WHOLE
from dicevision import diesets, enrol, moved, numerals, shots
from dicevision.agree import Look
from dicevision.enrol import Comparison, DieSet, Face
from dicevision.image import Frame, Points
from dicevision.live import State
from dicevision.read import DieReading, read
from dicevision.shots import BadShot, Shown
from dicevision.tray import holds
from dicevision.watch import Watch

HOLD_S = 10.0
"""Seconds after which a page that said nothing has gone. It speaks every three; a slow hall's wireless may lose two."""

PICTURES_MAX = 12
"""Pictures of one face. Three are asked for; each more costs comparing time (docs/enrol.md) and tells less."""

OFFERS_MAX = 24
"""Faces of a set that wait for a person's word; past it the oldest go. They are hints, and every game brings more."""

WAIT_S = 10.0
"""How long a photograph waits for the one before it."""


@dataclass(slots=True)
class _Hold:
    """Which page has the camera, until when, and what it was shown last: the dice that lay there are not new."""

    holder: str
    until_s: float
    before: tuple[moved.Lying, ...]
    judged: tuple[float, Points | BadShot] | None = None


class EnrolDesk:
    """Stands before the die sets and, where there is one, the live camera. Any thread may call."""

    def __init__(
        self,
        sets: DieSets,
        camera: LiveCamera | None = None,
        *,
        configured: Sequence[str] = (),
        learn: bool = False,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`configured`: the sets that the settings name. `learn`: take a corrected face where the set is sure of it."""
        self._sets, self._camera, self._now_s = sets, camera, now_s
        self._configured, self._learns = tuple(configured), learn
        self._offers = DieSets(sets.folder.with_name(f"{sets.folder.name}-offered"))
        self._lock, self._turn = threading.RLock(), threading.Lock()
        self._hold: _Hold | None = None
        self._remarks: dict[tuple[str, int | None], str] = {}
        if camera is not None:
            camera.lent = self._held

    # The sets.

    def state(self) -> dict[str, Any]:
        """Every set, its faces and what is offered to it, as `docs/api.md` gives it."""
        return {"sets": [self.one(name) for name in self._sets.names()], "learn": self._learns}

    def one(self, name: str) -> dict[str, Any]:
        """One set; with nothing in it where none of that name is kept. A broken one says what is wrong with it."""
        shape = {"name": name, "used": name in self._sets.used, "configured": name in self._configured}
        try:
            known = self._sets.get(name)
        except DicetowerError as error:
            return {**shape, "fault": str(error), "dice": [], "offers": []}
        dice = [{"die": die, "faces": _faces(known, Die(die))} for die in known.dice]
        return {**shape, "fault": "", "dice": dice, "offers": self._offered(known)}

    def picture(self, name: str, picture: str) -> bytes:
        """A picture of a set's, or one that is offered to it, as a PNG; NotFound."""
        for sets in (self._sets, self._offers):
            if name in sets.names() and any(face.picture == picture for face in sets.load(name).faces):
                return sets.png(name, picture)
        raise NotFound(f"The set {name!r:.60} has no picture {picture!r:.60}.")

    def alike(self, name: str) -> list[tuple[str, str, str]]:
        """(die, label, label) of the faces that comparison cannot tell apart."""
        return pairs_alike(self._sets.load(name))

    def remove(self, name: str, picture: str) -> dict[str, Any]:
        """Take one picture out of a set; with its last picture the set is gone."""
        with self._lock:
            known = self._sets.load(name)
            self._sets.put(_without(known, picture))
            return self.one(name)

    def forget(self, name: str) -> None:
        """Take a set away with all its pictures. Conflict where the settings name it: no start would find it."""
        if name in self._configured:
            raise Conflict(f"die_sets in the configuration names {name}: take it out there, then forget it.")
        self._sets.forget(name)
        if name in self._offers.names():
            self._offers.forget(name)

    def use(self, name: str, on: bool) -> dict[str, Any]:
        """Read with a set at the table from now on, or no longer, until the service ends."""
        self._sets.use(name, on)
        return self.one(name)

    # A face is shown.

    def hold(self, holder: str, on: bool) -> None:
        """Have the camera for a page, or give it back. Conflict where another page has it, or none is live."""
        with self._lock:
            mine = self._hold is not None and self._hold.holder == holder
            if not on:
                self._hold = None if mine else self._hold
                return
            if self._held() and not mine:
                raise Conflict("Another page is being shown dice; wait until it is done.")
            if self._hold is None or not self._held():
                self._hold = _Hold(holder, 0.0, self._lying(self._watch()))
            self._hold.until_s = self._now_s() + HOLD_S

    def shoot(self, name: str, holder: str, look: int, asked: FaceAsked) -> dict[str, Any]:
        """Take the new die of a settled picture, named by `look` as the camera's state has it, as a face's picture.

        Conflict where the page does not have the camera, or the tray has changed since.
        """
        shown = _shown(asked)
        with self._lock:
            hold = self._hold
            if hold is None or not self._held() or hold.holder != holder:
                raise Conflict("The camera was given back to the table; begin to show faces again.")
            seen = self._look(look)
            if hold.judged is None or hold.judged[0] != seen.at_s:
                hold.judged = seen.at_s, self._new_die(hold, seen)
            return self._judged(name, seen.picture, hold.judged[1], shown, asked)

    def shoot_photo(self, name: str, photograph: bytes, asked: FaceAsked) -> dict[str, Any]:
        """Take the one die of a photograph as a face's picture; BadPicture where it is none that can be read."""
        shown = _shown(asked)
        with self._one_at_a_time():
            frame = decoded(photograph)
            try:
                outline: Points | BadShot = shots.only(shots.found(frame))
            except BadShot as bad:
                outline = bad
            with self._lock:
                return self._judged(name, frame, outline, shown, asked)

    def try_look(self, name: str, look: int) -> list[dict[str, Any]]:
        """The dice of a settled picture as they are read with a set."""
        seen = self._look(look)
        return self._read(name, seen.picture)

    def try_photo(self, name: str, photograph: bytes) -> list[dict[str, Any]]:
        """The dice of a photograph as they are read with a set."""
        with self._one_at_a_time():
            return self._read(name, decoded(photograph))

    # What the table tells.

    def learn(self, picture: Frame, outline: Points, die: Die, value: int) -> str | None:
        """Hear what a die in a picture truly shows. Its face is offered to the set in use that it is likeliest of.

        Answers that set's name; None where no set in use has such a die, or it is not seen whole. A face is taken only
        where the settings say so, and never one of a die that the set is not sure to have.
        """
        if enrol.is_cut_off(picture, outline):
            return None
        nets = numerals.mine()
        held = [known for known in map(self._sets.load, self._sets.used) if die in known.dice]
        told = [(enrol.look(picture, outline, _of_die(known, die), nets), known) for known in held]
        if not told:
            return None
        seen, known = min(told, key=lambda each: each[0].nothing)
        face = _face_in(picture, outline, die, value)
        with self._lock:
            if self._learns and _is_sure_of(seen, die, value):
                self._add(known.name, face)
            else:
                self._offer(known.name, face)
        return known.name

    @property
    def listens(self) -> bool:
        """Whether a set is in use that could learn."""
        return bool(self._sets.used)

    def learn_crop(self, crop: Frame, box: tuple[int, int, int, int], die: Die, value: int) -> str | None:
        """`learn` of a kept crop. `box`: x, y, width, height of the die in it, should the finder see none."""
        return self.learn(crop, _outline_in(crop, box), die, value)

    def unlearn_crop(self, crop: Frame, box: tuple[int, int, int, int], die: Die, value: int) -> None:
        """Take `learn_crop` back: its face is offered no more, and where it was taken without asking it goes."""
        outline = _outline_in(crop, box)
        if enrol.is_cut_off(crop, outline):
            return
        face = _face_in(crop, outline, die, value)
        with self._lock:
            _take_out(self._offers, self._offers.names(), face)
            if self._learns:
                _take_out(self._sets, self._sets.used, face)

    def decide(self, name: str, picture: str, take: bool) -> dict[str, Any]:
        """Take an offered face into its set, or let it go; NotFound."""
        with self._lock:
            offered = self._offers.load(name)
            face = _named(offered, picture)
            if take:
                self._add(name, face)
            self._offers.put(_without(offered, picture))
            return self.one(name)

    def _offer(self, name: str, face: Face) -> None:
        offered = self._offers.get(name)
        self._offers.put(replace(offered, faces=(*_without_face(offered, face).faces, face)[-OFFERS_MAX:]))

    def _offered(self, known: DieSet) -> list[dict[str, Any]]:
        if known.name not in self._offers.names():
            return []
        return [self._offer_shown(known, face) for face in self._offers.load(known.name).faces]

    def _offer_shown(self, known: DieSet, face: Face) -> dict[str, Any]:
        picture = diesets.picture_name(face)
        key = picture, diesets.stamp(self._sets.folder, known.name)
        if key not in self._remarks:
            self._remarks[key] = _remark(known, face)
        label = known.label(face.die, face.value)
        return {"picture": picture, "die": face.die, "value": face.value, "label": label, "says": self._remarks[key]}

    # Inside.

    def _held(self) -> bool:
        hold = self._hold
        return hold is not None and self._now_s() < hold.until_s

    def _watch(self) -> Watch:
        camera = self._camera
        if camera is None or camera.watch is None or camera.standing().state is not State.LIVE:
            raise Conflict("No camera is live; photographs will do as well.")
        return camera.watch

    def _look(self, look: int) -> Look:
        seen = self._watch().look
        if seen is None or round(seen.at_s * 1000) != look:
            raise Conflict("The tray has changed since that was shown; look again.")
        return seen

    def _lying(self, watch: Watch) -> tuple[moved.Lying, ...]:
        """The dice that lie there before anything is shown."""
        return () if watch.look is None else moved.lying(watch.look.picture, self._in_tray(watch.look.picture))

    def _in_tray(self, picture: Frame) -> list[DieReading]:
        """The dice in the tray, told by nothing but their places."""
        high, wide = picture.shape[:2]
        dice = [shots.unread(die.outline) for die in shots.found(picture)]
        corners = self._watch().corners
        return [die for die in dice if holds(corners, (moved.middle(die)[0] / wide, moved.middle(die)[1] / high))]

    def _new_die(self, hold: _Hold, seen: Look) -> Points | BadShot:
        """The outline of the die that came since the last picture; alone in the tray it need not have moved."""
        dice = self._in_tray(seen.picture)
        new = moved.came(seen.picture, dice, hold.before)
        hold.before = moved.lying(seen.picture, dice)
        if not dice:
            return BadShot("none", "No die is seen: lay it in the middle of the tray, flat.", firm=True)
        if len(dice) == 1:
            return dice[0].outline
        if len(new) == 1:
            return new[0].outline
        if new:
            return BadShot("several", f"{len(new)} dice came at once: show one.", firm=True)
        return BadShot("several", f"{len(dice)} dice lie there, and none is new: take the others out.", firm=True)

    def _judged(
        self, name: str, picture: Frame, die: Points | BadShot, shown: Shown, asked: FaceAsked
    ) -> dict[str, Any]:
        """Keep the face, or say why not."""
        try:
            if isinstance(die, BadShot):
                raise die
            known = _without(self._sets.get(name), asked.replaces, missing_ok=True)
            face = shots.taken(picture, die, shown, known, insist=asked.insist)
        except BadShot as bad:
            like = None if bad.like is None else diesets.picture_name(bad.like)
            shape = {"taken": None, "why": bad.why, "says": str(bad), "firm": bad.firm, "like": like}
            return {"set": self.one(name), **shape}
        self._add(name, face, asked.replaces)
        shape = {"taken": diesets.picture_name(face), "why": "", "says": "", "firm": False, "like": None}
        return {"set": self.one(name), **shape}

    def _add(self, name: str, face: Face, replaces: str = "") -> None:
        """Keep a face. A symbol's name is its face's, and so that of all its pictures."""
        known = _without(self._sets.get(name), replaces, missing_ok=True)
        if sum(_same_value(one, face) for one in known.faces) >= PICTURES_MAX:
            raise Conflict(f"{PICTURES_MAX} pictures of this face are kept; remove one first.")
        label = face.label or next((one.label for one in known.faces if _same_value(one, face)), "")
        kept = (replace(one, label=label) if _same_value(one, face) else one for one in known.faces)
        self._sets.put(replace(known, faces=(*kept, replace(face, label=label))))

    def _read(self, name: str, picture: Frame) -> list[dict[str, Any]]:
        dice = read(picture, own=self._sets.load(name)).dice
        return dice_shown(Look(picture, dice, 0.0), WHOLE)

    @contextlib.contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Photographs take a whole core and some 20 bytes a pixel."""
        if not self._turn.acquire(timeout=WAIT_S):
            raise Unavailable("Other photographs are being looked at; send this one again in a moment.")
        try:
            yield
        finally:
            self._turn.release()


def _shown(asked: FaceAsked) -> Shown:
    """A face as a person says it; BadInput where the die has none such."""
    if not asked.die.holds(asked.value):
        raise BadInput(f"A {asked.die} has no {asked.value}.")
    return Shown(asked.die, asked.value, asked.label)


def _faces(known: DieSet, die: Die) -> list[dict[str, Any]]:
    """Every face that a die has, shown or not."""
    pictures: dict[int, list[str]] = {}
    for face in known.faces:
        if face.die == die:
            pictures.setdefault(face.value, []).append(diesets.picture_name(face))
    return [
        {"value": value, "label": known.label(die, value), "pictures": pictures.get(value, [])}
        for value in values_of(die)
    ]


def _same_value(one: Face, other: Face) -> bool:
    return (one.die, one.value) == (other.die, other.value)


def _named(known: DieSet, picture: str) -> Face:
    """The face whose picture goes by that name; NotFound."""
    face = next((face for face in known.faces if diesets.picture_name(face) == picture), None)
    if face is None:
        raise NotFound(f"The set {known.name} has no picture {picture!r:.60}.")
    return face


def _without(known: DieSet, picture: str, *, missing_ok: bool = False) -> DieSet:
    """The set without one picture; NotFound where it has none of that name."""
    if missing_ok and (not picture or all(diesets.picture_name(face) != picture for face in known.faces)):
        return known
    return _without_face(known, _named(known, picture))


def _without_face(known: DieSet, face: Face) -> DieSet:
    name = diesets.picture_name(face)
    return replace(known, faces=tuple(one for one in known.faces if diesets.picture_name(one) != name))


def _face_in(picture: Frame, outline: Points, die: Die, value: int) -> Face:
    """The face on top of the die inside an outline."""
    return enrol.enrolled(picture, numerals.place(picture, outline, numerals.mine()).disc, die, value)


def _take_out(sets: DieSets, names: Iterable[str], face: Face) -> None:
    """Take a face out of those sets that have its picture as of the same value."""
    for known in map(sets.load, list(names)):
        kept = _without_face(known, face)
        if len(kept.faces) < len(known.faces):
            sets.put(kept)


def _outline_in(crop: Frame, box: tuple[int, int, int, int]) -> Points:
    """The outline of the die in a kept crop: the one found nearest to its `box`, else that box."""
    x, y, width, height = box
    middle = np.array([x + width / 2, y + height / 2])
    outlines = [found.outline for found in shots.found(crop)]
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)
    return min(outlines, key=lambda each: float(np.linalg.norm(each.mean(axis=0) - middle)), default=corners)


def _of_die(known: DieSet, die: Die) -> DieSet:
    return replace(known, faces=tuple(face for face in known.faces if face.die == die))


def _is_sure_of(seen: Comparison, die: Die, value: int) -> bool:
    """Whether a die is surely of the set, and nothing speaks for another of its values than was said."""
    (best, share), *_ = seen.candidates
    return seen.nothing <= 1 - enrol.SURE_AT and (best == (die, value) or share < shots.OTHER)


def _remark(known: DieSet, face: Face) -> str:
    """What is to be thought of before an offered face is taken; empty where it fits."""
    told = enrol.compare(face.crop, [enrol.KEPT_DISC], _of_die(known, Die(face.die)))
    die, value, share = told.best
    name = known.label(face.die, face.value)
    if told.nothing >= share:
        return f"It looks like no face of {known.name} that was shown: is it one of its dice?"
    if value != face.value and share >= shots.OTHER:
        return f"It looks like the {known.label(die, value)} that was shown: is it really the {name}?"
    return ""
