"""The crops that dice were read from, kept beside the journal: a file a crop, named by the hash of what is in it.

A file is whole and on the disk before `keep` answers its name, so no journal row ever names one that a power cut took.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from dicetower.errors import NotFound, StoreError
from dicetower.sources import whole

NAME = re.compile(r"[0-9a-f]{64}\.png")

CROP_BYTES = 64 * 1024
"""As much as a large crop: a die some 150 pixels wide, as PNG."""


class EvidenceFolder:
    """A folder of crops. It is made when the first is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, png: bytes) -> str:
        """Return the crop's name; it would survive a power cut from here on. StoreError where it cannot be kept."""
        name = f"{hashlib.sha256(png).hexdigest()}.png"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / name).exists():
                self._write(name, png)
        except OSError as error:
            raise StoreError(
                f"The picture of a die cannot be kept in {self.folder}: {error.strerror or error}. Free some space or "
                "give the folder back, then throw again; nothing of this throw was taken."
            ) from error
        return name

    def check(self) -> None:
        """StoreError where no crop could be kept now, with what to do; leaves nothing behind."""
        there = next((place for place in (self.folder, *self.folder.parents) if os.path.lexists(place)), self.folder)
        try:
            with tempfile.TemporaryFile(dir=there) as trial:
                trial.write(bytes(CROP_BYTES))
                trial.flush()
        except OSError as error:
            why = (error.strerror or "no reason is given").lower()
            raise StoreError(
                f"Pictures of dice cannot be kept in {self.folder}: {why}. "
                "Free some space or give the folder back; until then no photograph and no camera's throw is taken."
            ) from error

    def find(self, name: str) -> Path:
        """Return the file of a crop; NotFound where there is none of that name."""
        path = self.folder / name
        if NAME.fullmatch(name) is None or not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where the folder may not be entered
            raise NotFound(f"There is no picture {name[:80]!r}; the state names those there are.")
        return path

    def _write(self, name: str, png: bytes) -> None:
        whole.put(self.folder / name, png)
        _sync_folder(self.folder)


def _sync_folder(folder: Path) -> None:
    """Put the folder's own entry on the disk, where the system has such a thing (Windows has not)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
