"""The camera over the tray, frame by frame, at a time that is told: how a tape's film is watched.

What settles is read and becomes a throw as it does under a live camera (see `camera_live`), but for the waiting.
"""

from __future__ import annotations

from collections.abc import Callable

from dicetower.errors import BadPicture
from dicetower.model import Throw
from dicetower.sources.camera import Camera, decoded
from dicetower.sources.camera_live import Owed
from dicevision.image import BadFrame, Frame
from dicevision.read import TrayReading, read
from dicevision.watch import Watch


class Shots:
    """Watches one tray, which fills the picture. `owed` says what the table waits for."""

    def __init__(self, camera: Camera, owed: Callable[[], Owed]) -> None:
        self._camera, self._owed = camera, owed
        self._watch = Watch(self._read, owed=lambda: self._owed().count)

    def see(self, picture: bytes, at_ms: int, throw: str) -> list[Throw]:
        """Take the next frame, a picture file's bytes; return the throws that it completes, named by `throw`.

        BadPicture where it is no picture that can be read.
        """
        try:
            thrown = self._watch.see(decoded(picture), at_ms / 1000)
        except BadFrame as error:
            raise BadPicture(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
        names = [throw, *(f"{throw}, {number}" for number in range(2, len(thrown) + 1))]
        return [self._camera.throw_of(one.picture, one.dice, name) for name, one in zip(names, thrown, strict=False)]

    def _read(self, picture: Frame) -> TrayReading:
        return read(picture, plan=list(self._owed().plan) or None)
