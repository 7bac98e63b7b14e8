"""The parts of a service whose table is recorded: the same parts, with taps where people and devices come in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dicetower.api.services import ReadPhoto
    from dicetower.model import SourceHealth, Store
    from dicetower.rules.ruleset import RuleSet
    from dicetower.settings import Settings
    from dicetower.sources.own_dice import OwnDice
    from dicetower.table import Tables
    from dicetower.tapes.recorder import Recorder

TITLE = "A recorded table"
ORIGIN = "recorded at a table"
LICENCE = "its keeper's: ask before you pass it on"


@dataclass(frozen=True, slots=True)
class Record:
    """Where to record to, and what the tape calls itself."""

    folder: Path
    title: str = TITLE


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service stands on, recorded or not. `recorder` is the watcher of e-dice' ports, where there is one."""

    tables: Tables
    read_photo: ReadPhoto
    sources: Callable[[], Sequence[SourceHealth]] = tuple
    recorder: Recorder | None = None


@contextlib.contextmanager
def parts(
    settings: Settings,
    store: Store,
    rules: RuleSet,
    read_photo: ReadPhoto,
    record: Record | None,
    own: Callable[[], OwnDice | None] = lambda: None,
) -> Iterator[Parts]:
    """The tables, the first one open, and the reader of photographs; their tape is finished afterwards.

    own: the dice that their owners have shown, by which pictures are read.
    """
    from dicetower.table import Tables
    from dicetower.tapes.recorder import About, RecordedTables, Recorder

    if record is None:
        tables = Tables(store, rules)
        tables.open(settings.table)
        yield Parts(tables, read_photo)
        return
    recorder = Recorder(record.folder, About(record.title, ORIGIN, LICENCE), own=own)
    recorded = RecordedTables(store, rules, recorder, settings.table)
    pack_text = None if settings.rules is None else Path(settings.rules).read_bytes()
    recorder.begin(recorded.open(settings.table), store, rules, pack_text)
    try:
        yield Parts(recorded, recorder.eyes(read_photo), lambda: [recorder.health()], recorder)
    finally:
        recorder.finish()
