"""Dice of the camera's that a person set right: their crops are offered for enrolment, never taken by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dicetower.errors import BadInput, NotFound
from dicetower.model import Reading, SourceKind

if TYPE_CHECKING:
    from dicetower.game.events import Event
    from dicetower.model import Store


@dataclass(frozen=True, slots=True)
class Corrected:
    """One die. `read`: what the camera gave; None where it had asked. `picture`: the kept crop.

    box: x, y, width, height in pixels: where the die lies in the crop.
    """

    table: str
    reading: str
    die: str
    value: int
    read: int | None
    picture: str
    box: tuple[int, int, int, int]
    at_ms: int


def corrected(journal: str | None, table: str | None) -> list[Corrected]:
    """All of a journal's, oldest first; the configured journal where none is named."""
    from dicetower import settings
    from dicetower.store.journal import read_journal

    effective = settings.load({"journal": journal}).settings
    if effective.journal == settings.MEMORY:
        raise BadInput("A journal in memory ends with its service; name a file with --journal.")
    with read_journal(effective.journal) as store:
        names = store.tables()
        if table is not None and table not in names:
            raise NotFound(f"This journal has no table {table!r:.60}; it has {', '.join(names) or 'none yet'}.")
        return [one for name in names if table in (None, name) for one in at_table(store, name, effective.evidence)]


def at_table(store: Store, table: str, evidence: Path) -> Iterator[Corrected]:
    """One table's, by its history: dice whose value a person said, with a crop that is still there."""
    from dicetower.game.events import from_row

    return by_history(table, [from_row(row) for row in store.read(table)], evidence)


def by_history(table: str, events: Sequence[Event], evidence: Path) -> Iterator[Corrected]:
    """The same by a table's first so many events."""
    from dicetower.game.events import DiceThrown
    from dicetower.game.ledger import Ledger
    from dicetower.sources.camera import die_within

    seen: dict[str, Reading] = {
        one.key: one for event in events if isinstance(event, DiceThrown) for one in event.throw.readings
    }
    for row in Ledger(table).add_all(events).rows():
        if row["record"] != "die" or not row["by_person"] or row["value"] is None or row["die"] is None:
            continue
        reading = seen[row["reading"]]
        picture = evidence / (reading.evidence or "")
        if reading.source is SourceKind.CAMERA and reading.evidence and picture.is_file():
            box = die_within(png_size(picture))
            shown = row["die"], row["value"], reading.value
            yield Corrected(table, reading.key, *shown, str(picture), box, row["at_ms"])


def png_size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG that we wrote, from its first chunk."""
    with path.open("rb") as file:
        head = file.read(24)
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
