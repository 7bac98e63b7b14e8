"""Tapes for tests: copies to break, and new ones told in a few lines."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dicetower.game.seats import FIRST_PLAYERS
from dicetower.game.settings import Settings
from dicetower.rules import pack
from dicetower.sources.tape import Head
from dicetower.sources.tape_writer import TapeWriter, seal
from dicetower.tapes import start

BUNDLED = Path(__file__).parents[2] / "fixtures" / "tapes"
START_MS = 1_700_000_000_000


def copied(name: str, to: Path) -> Path:
    """A bundled tape's copy, to be broken."""
    return Path(shutil.copytree(BUNDLED / name, to / name))


def head(**more: Any) -> Head:
    rules = pack.standard()
    table = start.start_json(start.Start("main", Settings(), FIRST_PLAYERS))
    said: dict[str, Any] = {
        "title": "A test",
        "shows": (),
        "origin": "a test",
        "licence": "MIT",
        "start_ms": START_MS,
        "rules": {"name": rules.name, "version": rules.version, "hash": rules.hash},
        "table": table,
    }
    return Head(**said | more)


def made(folder: Path, lines: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]] = (), **more: Any) -> Path:
    """A sealed tape of these inputs; `ms` is 1000 a line where left out."""
    with TapeWriter(folder, head(**more)) as writer:
        for number, line in enumerate(lines, 1):
            rest = {key: value for key, value in line.items() if key not in ("ms", "in")}
            writer.add(line.get("ms", 1000 * number), line["in"], rest)
    seal(folder, head(**more), {"version": 1, "results": list(results)})
    return folder


def resealed(folder: Path, change: Callable[[dict[str, Any]], None] = lambda whole: None) -> Path:
    """A tape with its manifest and seal made anew, apart from the code under test: an edit that hides itself."""
    path = folder / "tape.json"
    whole = json.loads(path.read_text())
    for name in whole["files"]:
        if (folder / name).is_file():
            data = (folder / name).read_bytes()
            whole["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    change(whole)
    whole.pop("seal", None)
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    whole["seal"] = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    path.write_text(json.dumps(whole))
    return folder
