"""Writes a tape's folder: line by line as things happen, then sealed. `tape` reads what this makes.

    with TapeWriter(folder, head) as writer:   # a folder in the state "recording" from here on
        writer.add(120, "again", {})
    seal(folder, head, expected)               # manifest and seal: the tape is whole

OSError wherever the disk says no; what was written before stays right.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from io import RawIOBase
from pathlib import Path
from typing import Any

from dicetower.errors import BadTape
from dicetower.sources.tape import (
    EXPECTED,
    FORMAT,
    HALF,
    HEAD,
    INPUTS,
    MAGIC,
    VERSION,
    Head,
    Json,
    found_in,
    names_in,
    sealed,
)


@dataclass(slots=True)
class TapeWriter:
    """A tape being written. `lines` counts its inputs so far."""

    folder: Path
    head: Head
    lines: int = 0
    _file: RawIOBase | None = None
    _frames: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> TapeWriter:
        """Make the folder, or take an empty one; BadTape where something lies there."""
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise BadTape(f"{self.folder} is there already and not an empty folder; name another.")
        self.folder.mkdir(parents=True, exist_ok=True)
        _put(self.folder / HEAD, _pretty(_head_json(replace(self.head, state="recording"))))
        self._file = (self.folder / INPUTS).open("xb", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; the tape stays in the state it is in."""
        if self._file is not None:
            self._file.close()

    def put(self, name: str, data: bytes) -> None:
        """Add the rule pack or the history."""
        _put(self.folder / name, data)

    def add(self, ms: int, kind: str, data: Json) -> int:
        """Add an input; it would survive a crash of this program from here on. Return its line's number."""
        assert self._file is not None
        self._whole(json.dumps({"ms": ms, "in": kind, **data}).encode() + b"\n")
        self.lines += 1
        return self.lines

    def _whole(self, line: bytes) -> None:
        """Write a line or nothing: on a full disk the half of it that fitted is taken off again."""
        assert self._file is not None
        end = self._file.tell()
        try:
            written = self._file.write(line)
        except OSError:
            self._back_to(end)
            raise
        if written != len(line):
            self._back_to(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _back_to(self, end: int) -> None:
        assert self._file is not None
        with contextlib.suppress(OSError):
            self._file.truncate(end)

    def frame(self, data: bytes) -> str:
        """Keep a picture file's bytes, once; return the name that an input gives it. BadTape for any other file."""
        form = next((form for form, starts in MAGIC.items() if data.startswith(starts)), None)
        if form is None:
            raise BadTape(f"a tape keeps pictures of the forms {', '.join(MAGIC)}; got one that starts {data[:8]!r}.")
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._frames:
            name = f"frames/{len(self._frames) + 1:04}.{form}"
            (self.folder / name).parent.mkdir(exist_ok=True)
            _put(self.folder / name, data)
            self._frames[digest] = name
        return self._frames[digest]

    def own(self, index: str, files: Mapping[str, bytes]) -> str:
        """Keep a die set's files, once; return its index, which an input names."""
        for name, data in files.items():
            if not (self.folder / name).exists():
                (self.folder / name).parent.mkdir(exist_ok=True)
                _put(self.folder / name, data)
        return index


def history_bytes(rows: Iterable[Json]) -> bytes:
    """The history file for these rows."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def seal(folder: Path, head: Head, expected: Json, inputs: bytes | None = None) -> None:
    """Write what came of it, the manifest and the seal; `inputs` where their file is to be written anew."""
    for half in [folder / name for name in names_in(folder) if name.endswith(HALF)]:
        half.unlink()
    if inputs is not None:
        _put(folder / INPUTS, inputs)
    results = ",\n".join(json.dumps(result) for result in expected["results"])
    _put(folder / EXPECTED, f'{{"version": {expected["version"]}, "results": [\n{results}\n]}}\n'.encode())
    files = {name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in sorted(found_in(folder).items())}
    whole = {**_head_json(head), "files": files}
    _put(folder / HEAD, _pretty({**whole, "seal": sealed(whole)}))


def _head_json(head: Head) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "state": head.state,
        "title": head.title,
        "shows": list(head.shows),
        "origin": head.origin,
        "licence": head.licence,
        "start_ms": head.start_ms,
        "rules": dict(head.rules),
        "table": dict(head.table),
    }


def _pretty(whole: Json) -> bytes:
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()


def _put(path: Path, data: bytes) -> None:
    """Write under another name, then rename: a file under its own name is always whole."""
    half = path.with_name(path.name + HALF)
    try:
        half.write_bytes(data)
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
