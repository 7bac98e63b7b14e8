"""What the pages ask of the live camera: its picture, what was read in it, what is wrong with it, and its set-up.

Answers are plain values. Nothing here opens a file that a page names: a source that a page may choose is a camera of
this machine or a network address, and profiles go by their names.
"""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from dicetower.errors import BadInput, Conflict, DicetowerError, NotFound
from dicetower.model import Die, SourceHealth
from dicetower.sources.camera import place
from dicetower.sources.camera_live import Given, LiveCamera, halves, png
from dicetower.sources.camera_profile import Profile, Profiles
from dicetower.sources.in_tray import InTray, Place
from dicetower.sources.own_dice import OwnDice
from dicevision import feeds, quality
from dicevision.agree import Look
from dicevision.feeds import spoken
from dicevision.image import Frame, Points
from dicevision.live import State
from dicevision.moved import middle
from dicevision.read import DieReading, read
from dicevision.tray import MARKER_IDS, find_markers, holds, marker
from dicevision.watch import Thrown

JPEG_QUALITY = 80
WIDEST_PX = 1280
"""The widest picture sent to a page: a screen shows it no larger, and it is some 150 KB."""

FAULTS_EVERY_S = 1.0

log = logging.getLogger("dicetower.camera")

LENT = "Dice are being shown at /enrol; nothing is given to the table meanwhile."


@dataclass(frozen=True, slots=True)
class Fix:
    """What a person says of one die that was read wrong: its type and value, or that it is no die (value None).

    number: its place among those read, left to right. missed: none was read there; it comes before the die of that
    number, and lies at `missed`, as shares of the tray's picture.
    """

    number: int
    die: Die | None
    value: int | None
    missed: Place | None = None


@dataclass(frozen=True, slots=True)
class Misread:
    """A picture that was read wrong, with all that is needed to read it again, and what is right."""

    picture: bytes
    plan: tuple[str, ...]
    tray: InTray
    fix: Fix
    own: OwnDice | None = None


KeepMisread = Callable[[Misread], str]
"""Keeps it as a tape and answers the tape's name."""

Learn = Callable[[Frame, Points, Die, int], str | None]
"""Hears what a die in a picture truly shows, and answers the die set that its face is offered to, if one is."""


def _learn_nothing(picture: Frame, outline: Points, die: Die, value: int) -> None:  # noqa: ARG001 - no sets here
    return None


class Desk:
    """Stands before one live camera. Any thread may call."""

    def __init__(
        self, camera: LiveCamera, profiles: Profiles, keep: KeepMisread, learn: Learn = _learn_nothing
    ) -> None:
        self._camera, self._profiles, self._keep, self._learn = camera, profiles, keep, learn
        camera.learnt = self._learnt
        self._lock = threading.Lock()
        self._stages: list[tuple[str, bytes]] = []
        self._faults: tuple[float, list[dict[str, str]]] = (0.0, [])

    def sources(self) -> list[SourceHealth]:
        """The camera among the sources on screen; none while none is chosen."""
        return [self._camera.health()] if self._camera.used else []

    # What is seen.

    def state(self) -> dict[str, Any]:
        """How the camera is and what lies in the tray, as `docs/api.md` gives it."""
        camera, standing, watch = self._camera, self._camera.standing(), self._camera.watch
        live = standing.state is State.LIVE
        shot = None if camera.live is None else camera.live.newest
        state = watch.state if live and watch is not None else standing.state.value
        said = camera.said or (LENT if camera.lent() else "") or (watch.reason if watch is not None else "")
        reason = said if live else standing.reason
        look = None if watch is None else watch.look
        return {
            "chosen": camera.used,
            "state": state if camera.used else "none",
            "reason": reason,
            "source": "" if camera.live is None else spoken(camera.live.source),
            "table": camera.table,
            "size": list(standing.size) if standing.size else None,
            "rate": standing.rate,
            "age_ms": None if standing.age_s is None else round(standing.age_s * 1000),
            "delay_ms": None if camera.delay_ms is None else round(camera.delay_ms),
            "frame": 0 if shot is None else shot.seq,
            "look": None if look is None else round(look.at_s * 1000),
            "dice": [] if look is None or not live or state == "motion" else dice_shown(look, camera.in_tray()),
            "faults": self._wrong() if live else [],
            "setup": _setup(camera.profile),
            "away": None if watch is None or watch.away is None else _away(watch.away, camera.in_tray()),
            "trial": None if camera.trial is None else [_tried(given) for given in list(camera.trial)],
        }

    def picture(self, whole: bool, width_px: int = WIDEST_PX) -> bytes:
        """The newest frame as a JPEG, the tray's part or the whole; Conflict where there is none that is live."""
        frame = self._frame() if whole else self._tray_picture()
        scale = min(1.0, min(width_px, WIDEST_PX) / frame.shape[1])
        if scale < 1:
            frame = np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        done, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        assert done, "JPEG takes any 8-bit picture"
        return data.tobytes()

    def look_again(self) -> list[str]:
        """Read the newest picture once more, keeping each stage; their names. `stage` gives their pictures."""
        stages: list[tuple[str, bytes]] = []
        picture = self._tray_picture()
        self._camera.read(picture, lambda name, stage: stages.append((name, png(stage))))
        with self._lock:
            self._stages = stages
        return [name for name, _ in stages]

    def stage(self, number: int) -> bytes:
        """One stage of `look_again`, as a PNG; NotFound."""
        with self._lock:
            if not 0 <= number < len(self._stages):
                raise NotFound("There is no such stage; ask for the stages first.")
            return self._stages[number][1]

    def wrong(self, look: int, which: int | Place | None, die: Die | None, value: int | None) -> tuple[str, str | None]:
        """Keep a die that was read wrong, and what it shows, as a tape. `value` None: there is no die.

        `which` is its number in the look, or a place, as shares of the tray's picture: where no die was read there, one
        was missed. Answers the tape's name, and the die set that the face is offered to, if one is. Conflict where the
        tray has moved on since `look`.
        """
        watch = self._camera.watch
        seen = None if watch is None else watch.look
        if seen is None or round(seen.at_s * 1000) != look:
            raise Conflict("The tray has changed since that was shown; look again, then say what is wrong.")
        fix = _fix(seen, which, die, value)
        camera = self._camera
        kept = self._keep(Misread(png(seen.picture), camera.plan, camera.in_tray(tilt=seen.tilt), fix, camera.own()))
        if fix.die is None or fix.value is None or fix.missed is not None:
            return kept, None
        return kept, self._learn(seen.picture, seen.dice[fix.number].outline, fix.die, fix.value)

    def answer_away(self, at_ms: int, count: bool) -> None:
        """Dice that came while the camera was away count as a throw, or do not; Conflict where none are asked about."""
        self._camera.answer_away(at_ms, count)

    def _frame(self) -> Frame:
        live = self._camera.live
        shot = None if live is None else live.newest
        if live is None or shot is None or live.standing().state is not State.LIVE:
            reason = self._camera.standing().reason
            raise Conflict(reason or "The camera shows no picture now.")
        return shot.frame

    def _tray_picture(self) -> Frame:
        watch = self._camera.watch
        return self._frame() if watch is None else watch.tray.picture(self._frame())

    def _wrong(self) -> list[dict[str, str]]:
        """What is wrong with the picture, looked at once a second at most."""
        at_s, told = self._faults
        if time.monotonic() - at_s < FAULTS_EVERY_S:
            return told
        watch = self._camera.watch
        look = None if watch is None else watch.look
        try:
            found = [*quality.faults(self._tray_picture(), ())]
        except Conflict:
            return told
        if look is not None:
            found += [fault for fault in quality.faults(look.picture, look.dice) if fault not in found]
        told = [{"what": fault.what, "says": fault.says} for fault in found]
        self._faults = (time.monotonic(), told)
        return told

    # Its set-up.

    def choices(self) -> dict[str, Any]:
        """The cameras of this machine, and the profiles there are."""
        return {"devices": feeds.found(), "profiles": self._profiles.names()}

    def open(self, source: str) -> None:
        """Use a camera of this machine or in the network; BadInput for anything else, files above all."""
        if not (feeds.is_device(source) or feeds.is_address(source)):
            raise BadInput(
                "Expected a camera's number, its device such as /dev/video0, or an address such as "
                "http://192.168.0.7:8080/video; video files and folders are opened from the command line alone."
            )
        self._camera.use(replace(Profile(), name=self._camera.profile.name, source=source))

    def close(self) -> None:
        """Use no camera."""
        self._camera.close()

    def change(
        self,
        *,
        corners: tuple[Place, ...] | None = None,
        turn: int | None = None,
        width_mm: float | None = None,
        zones: str | None = None,
    ) -> None:
        """Change the set-up that is in force, not what is kept; a width of 0 is none."""
        profile = self._chosen()
        changed = replace(
            profile,
            corners=profile.corners if corners is None else corners,
            turn=profile.turn if turn is None else turn,
            width_mm=profile.width_mm if width_mm is None else (width_mm or None),
            zones=profile.zones if zones is None else halves(zones),
        )
        moved = (changed.corners, changed.turn) != (profile.corners, profile.turn)
        self._camera.use(replace(changed, empty=None, tilt=None) if moved else changed)

    def find_tray(self) -> None:
        """Mark the tray between the four printed markers; Conflict where they are not all seen."""
        corners = find_markers(self._frame())
        if corners is None:
            raise Conflict("The four markers are not all seen: lay them at the tray's corners, flat and in the light.")
        self.change(corners=corners)

    def learn_empty(self) -> None:
        """Take the tray as it looks now for the empty one; Conflict where dice lie in it."""
        profile, picture = self._chosen(), self._tray_picture()
        found = read(picture).dice
        if found:
            some = "a die lies" if len(found) == 1 else f"{len(found)} dice lie"
            raise Conflict(f"The tray is not empty: {some} in it. Take everything out, then learn it again.")
        scale = min(1.0, 640 / picture.shape[1])
        small = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        self._camera.use(replace(profile, empty=png(small)))

    def try_throws(self, on: bool) -> None:
        """While it is on, throws are shown at /setup and not given to the table."""
        self._camera.trial = [] if on else None

    def save(self, name: str) -> None:
        """Keep the set-up that is in force under a name."""
        profile = replace(self._chosen(), name=name)
        self._profiles.save(profile)
        self._camera.profile = profile

    def _learnt(self, profile: Profile) -> None:
        """Keep the camera's tilt with the set-up of that name, where there is one and it is of this camera and tray."""
        try:
            if profile.name in self._profiles.names() and (kept := self._profiles.load(profile.name)).sees_as(profile):
                self._profiles.save(replace(kept, tilt=profile.tilt))
        except DicetowerError as error:
            log.warning("The camera's tilt is not kept with its set-up: %s", error)

    def load(self, name: str) -> None:
        """Use a set-up that was kept."""
        profile = self._profiles.load(name)
        source = profile.source or self._camera.profile.source
        if not source:
            raise Conflict(f"The profile {name} names no camera; choose one first.")
        self._camera.use(replace(profile, source=source))

    def marker(self, number: int) -> bytes:
        """A marker to print, as a PNG; NotFound."""
        if number not in MARKER_IDS:
            raise NotFound(f"There are markers {MARKER_IDS[0]} to {MARKER_IDS[-1]}.")
        return png(marker(number, 480))

    def _chosen(self) -> Profile:
        if not self._camera.used:
            raise Conflict("No camera is chosen yet; choose one first.")
        return self._camera.profile


def _fix(look: Look, which: int | Place | None, die: Die | None, value: int | None) -> Fix:
    """What a person says of a look; BadInput or NotFound where that can be of no die in it."""
    if which is None:
        raise BadInput("Say which die is wrong by its number, or mark a place on the picture.")
    if value is not None and (die is None or not die.holds(value)):
        raise BadInput(f"A {die or 'die of no type'} has no {value}.")
    number = which if isinstance(which, int) else _number_at(look, which)
    if number is None and not isinstance(which, int):
        if value is None:
            raise NotFound("No die was read at that place; there is nothing to take away.")
        return Fix(sum(place(look.picture, other)[0] < which[0] for other in look.dice), die, value, which)
    if number is None or not 0 <= number < len(look.dice):
        raise NotFound(f"There is no die {number} in this picture.")
    return Fix(number, die, value)


def _number_at(look: Look, at: Place) -> int | None:
    """The number of the die whose outline holds a place."""
    high, wide = look.picture.shape[:2]
    pixel = (at[0] * wide, at[1] * high)
    within = (n for n, die in enumerate(look.dice) if cv2.pointPolygonTest(die.outline, pixel, False) >= 0)
    return next(within, None)


def missing(source: str) -> str:
    """Why a device, a video or a folder is not there, in a sentence; empty where nothing can be told."""
    if source.isdecimal() and sys.platform == "linux" and not Path(f"/dev/video{int(source)}").exists():
        return f"There is no camera {source} (/dev/video{int(source)}): is it plugged in?"
    if source.startswith("/dev/") and not Path(source).exists():
        return f"There is no {source}: is the camera plugged in?"
    if not (feeds.is_device(source) or feeds.is_address(source)) and not Path(source).exists():
        return f"There is no {source}: name a camera's number, device, address, a video file or a folder."
    return ""


def dice_shown(look: Look, tray: InTray) -> list[dict[str, Any]]:
    """The dice of a look, as `docs/api.md` gives them."""
    high, wide = look.picture.shape[:2]
    return [_die(die, number, (wide, high), look, tray) for number, die in enumerate(look.dice)]


def _die(die: DieReading, number: int, size: tuple[int, int], look: Look, tray: InTray) -> dict[str, Any]:
    zone = next((part.name for part in tray.zones if holds(part.corners, place(look.picture, die))), None)
    x, y = middle(die)
    outline = [[round(float(u) / size[0], 4), round(float(v) / size[1], 4)] for u, v in die.outline]
    return {
        "number": number,
        "die": die.die,
        "value": die.value,
        "status": die.status,
        "cocked": die.cocked,
        "confidence": round(float(die.confidence), 3),
        "outline": outline,
        "at": [round(x / size[0], 4), round(y / size[1], 4)],
        "width_px": max(die.box[2:]),
        "colour": die.colour,
        "zone": zone,
        "candidates": [[int(value), round(float(share), 3)] for value, share in die.candidates[:4]],
        "reasons": list(die.reasons),
    }


def _away(thrown: Thrown, tray: InTray) -> dict[str, Any]:
    """Dice that are asked about, and what names them in the answer."""
    look = Look(thrown.picture, thrown.dice, thrown.at_s)
    return {"at": round(thrown.at_s * 1000), "dice": dice_shown(look, tray)}


def _tried(given: Given) -> dict[str, Any]:
    """A throw that was tried: its dice, where each lay and what colour it has."""
    look = Look(given.thrown.picture, given.thrown.dice, given.thrown.at_s)
    return {"throw": given.request, "dice": dice_shown(look, given.tray)}


def _setup(profile: Profile) -> dict[str, Any]:
    return {
        "profile": profile.name,
        "corners": [list(corner) for corner in profile.corners],
        "turn": profile.turn,
        "width_mm": profile.width_mm,
        "zones": [part.name for part in profile.zones],
        "empty": profile.empty is not None,
        "tilt_deg": None if profile.tilt is None else round(math.degrees(math.asin(math.hypot(*profile.tilt)))),
    }
