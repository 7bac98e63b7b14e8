"""The camera's eyes: a picture of the tray becomes a Throw. With the vision commands, the only user of dicevision."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from dicetower.errors import BadPicture
from dicetower.model import Die, Reading, ReadingStatus, SourceKind, Throw
from dicetower.sources.in_tray import WHOLE, InTray
from dicevision.capture import decode
from dicevision.enrol import DieSet
from dicevision.image import BadFrame, Frame
from dicevision.params import Params
from dicevision.picture import BadPicture as NoPicture
from dicevision.read import DieReading, read
from dicevision.tray import holds

MARGIN = 0.35
"""Of the die's box, added on each side of its crop: a person tells a six from a nine by the die round the numeral."""

LARGEST_CROP_PX = 480
"""The longer side of a stored crop. On screen it is some 240 pixels wide; twice that for a sharp screen."""

OVER = 0.35
"""Of a die's width: a die whose middle is no further from one that lay there is that one."""

Keep = Callable[[bytes], str]
"""Keeps a PNG and answers its name, see `evidence`."""

Own = Callable[[], DieSet | None]
"""The dice to be read by their own faces, as they are at the moment: see `die_sets`."""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class Camera:
    """Reads pictures of the tray. `keep` stores each die's crop before anybody hears of the die.

    own: the dice that their owners have shown, asked for each picture; read by comparison with their own faces.
    """

    def __init__(self, keep: Keep, now_ms: Callable[[], int] = _now_ms, own: Own = lambda: None) -> None:
        self._keep, self._now_ms, self._own = keep, now_ms, own

    def read_photo(self, picture: bytes, throw: str, *, player: str | None = None, plan: Sequence[str] = ()) -> Throw:
        """Read a picture file's bytes as one throw; BadPicture where they are no picture that can be read."""
        return self.read_frame(decoded(picture), throw, player=player, plan=plan)

    def read_frame(
        self,
        frame: Frame,
        throw: str,
        *,
        player: str | None = None,
        plan: Sequence[str] = (),
        tray: InTray = WHOLE,
        own: DieSet | None = None,
    ) -> Throw:
        """Read a frame as one throw. `plan` names the die types that are owed: it helps, and hides nothing.

        `own` are dice that their owners have shown, in place of those in use. Dice outside the tray, and those that lay
        there before, are not of the throw.
        """
        try:
            seen = read(frame, Params(tilt=tray.tilt), plan=list(plan) or None, own=own or self._own())
        except BadFrame as error:
            raise BadPicture(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
        dice = [die for die in seen.dice if _counts(frame, die, tray)]
        return self.throw_of(frame, dice, throw, player=player, tray=tray)

    def throw_of(
        self, frame: Frame, dice: Sequence[DieReading], throw: str, *, player: str | None = None, tray: InTray = WHOLE
    ) -> Throw:
        """The throw of dice that were read in a frame; StoreError where a crop cannot be kept."""
        now = self._now_ms()
        readings = [self._reading(frame, die, f"camera:{throw}:{n}", player, now, tray) for n, die in enumerate(dice)]
        return Throw(f"camera:{throw}", SourceKind.CAMERA, tuple(readings), now)

    def _reading(
        self, frame: Frame, seen: DieReading, key: str, player: str | None, now_ms: int, tray: InTray
    ) -> Reading:
        """The die in the service's terms: plain Python numbers, and sure only of a face that its type has."""
        die = Die(seen.die) if seen.die is not None else None
        sure = seen.status == "sure" and die is not None and seen.value is not None and die.holds(seen.value)
        return Reading(
            key=key,
            source=SourceKind.CAMERA,
            die=die,
            value=int(seen.value) if sure and seen.value is not None else None,
            status=ReadingStatus.SURE if sure else ReadingStatus.UNSURE,
            confidence=float(seen.confidence),
            cocked=bool(seen.cocked),
            candidates=tuple((int(value), float(share)) for value, share in seen.candidates),
            at=place(frame, seen),
            zone=next((part.name for part in tray.zones if holds(part.corners, place(frame, seen))), None),
            colour=seen.colour,
            who=player,
            host_time_ms=now_ms,
            evidence=self._keep(crop(frame, seen.box)),
        )


def decoded(picture: bytes) -> Frame:
    """The frame of a picture file's bytes; BadPicture where there is none, or not all of it, or too large a one."""
    try:
        return decode(picture)
    except NoPicture as error:
        raise BadPicture(str(error)) from error


def _counts(frame: Frame, seen: DieReading, tray: InTray) -> bool:
    """Whether a die lies in the tray and did not lie there before."""
    at = place(frame, seen)
    if tray.corners and not holds(tray.corners, at):
        return False
    wide, high = (OVER * side / whole for side, whole in zip(seen.box[2:], frame.shape[1::-1], strict=True))
    return not any(abs(at[0] - x) <= wide and abs(at[1] - y) <= high for x, y in tray.left)


def place(frame: Frame, seen: DieReading) -> tuple[float, float]:
    """The middle of the die's box as shares of the picture's width and height, origin top left."""
    x, y, width, height = seen.box
    return _share(x + width / 2, frame.shape[1]), _share(y + height / 2, frame.shape[0])


def _share(pixels: float, whole: int) -> float:
    return min(1.0, max(0.0, pixels / whole))


def crop(frame: Frame, box: tuple[int, int, int, int]) -> bytes:
    """The die with some tray round it, as a PNG."""
    x, y, width, height = box
    wide, high = round(width * MARGIN), round(height * MARGIN)
    tall, long = frame.shape[:2]
    left, top = min(max(0, x - wide), long - 1), min(max(0, y - high), tall - 1)
    right, bottom = max(left + 1, x + width + wide), max(top + 1, y + height + high)
    piece: Frame = frame[top:bottom, left:right]
    scale = LARGEST_CROP_PX / max(piece.shape[:2])
    if scale < 1:
        piece = np.asarray(cv2.resize(piece, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    done, png = cv2.imencode(".png", piece)
    assert done, "PNG takes any 8-bit picture"
    return png.tobytes()


def die_within(crop_size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Where the die lies in a `crop` of that width and height: x, y, width, height; the frame's edge being far away."""
    width, height = (side / (1 + 2 * MARGIN) for side in crop_size)
    return round(width * MARGIN), round(height * MARGIN), round(width), round(height)
