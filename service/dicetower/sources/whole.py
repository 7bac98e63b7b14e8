"""Files that are whole or not there: written under another name, synced, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def put(path: Path, data: bytes) -> None:
    """Write a file so that its name always names a whole one. Raises OSError, and leaves nothing half."""
    handle, half = tempfile.mkstemp(prefix="half-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(half).replace(path)
    except OSError:
        Path(half).unlink(missing_ok=True)
        raise
