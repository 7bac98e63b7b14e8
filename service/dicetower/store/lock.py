"""One service a journal: a lock file beside it, which the system frees when the process ends, however it ends.

The file also holds how far each table had been written. It is written after every commit and not synced, so that it
is never ahead of the journal; a journal that is behind it has lost its `-wal` file or is an older copy.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dicetower.errors import StoreError

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # past the text, which others may read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class JournalLock:
    """The lock on one journal file. `reached` is what the last holder wrote of it: journal id and events a table."""

    def __init__(self, journal: Path) -> None:
        """Take the lock; StoreError where another process has it, or the folder takes no file."""
        self.path = journal.with_name(journal.name + ".lock")
        self._writing = threading.Lock()
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        except OSError as error:
            raise StoreError(
                f"The journal's folder cannot be written: {self.path}: {error.strerror}. "
                "Nothing was changed; give this user the right to write there, or name another journal."
            ) from error
        self.reached = self._read()
        try:
            _take(self._descriptor)
        except OSError as error:
            os.close(self._descriptor)
            raise StoreError(
                f"The journal {journal} is in use by another Dicetower (process {self.reached.get('pid', '?')}). "
                "Nothing was changed; stop that one, or name another journal."
            ) from error

    def _read(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else {}
        return {}

    def write(self, journal: str, seqs: Mapping[str, int]) -> None:
        """Say who holds the lock, and how far each table of the journal of that id has been written."""
        text = json.dumps({"pid": os.getpid(), "journal": journal, "seqs": dict(seqs)}).encode()
        with self._writing, contextlib.suppress(OSError):  # a full disk: the journal itself says so
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            written = os.write(self._descriptor, text)
            os.ftruncate(self._descriptor, written)

    def release(self) -> None:
        """Let another process have the journal."""
        os.close(self._descriptor)
