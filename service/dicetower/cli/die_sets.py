"""Corrections at a served table, told to the die sets: a doubt answered, a value put right, and either taken back."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dicetower.cli.corrected import Corrected, by_history
from dicetower.errors import DicetowerError
from dicetower.game.events import DoubtAnswered, Undone, ValueCorrected, from_row
from dicetower.model import Die

if TYPE_CHECKING:
    from dicetower.model import Store
    from dicetower.settings import Settings
    from dicetower.sources.enrol_desk import EnrolDesk
    from dicetower.table import Published, Table, Tables

log = logging.getLogger("dicetower.die_sets")

KINDS = (DoubtAnswered.kind, ValueCorrected.kind, Undone.kind)

WAITING_MAX = 64
"""Corrections that may wait to be looked at. A table makes one a minute; past it they are lost to the sets alone."""

Said = tuple[str, "Published"]
"""A table, and its event by which a person said what a die shows, or took that back."""


@contextlib.contextmanager
def corrections_to(enrol: EnrolDesk, tables: Tables, store: Store, settings: Settings) -> Iterator[None]:
    """While this lasts, what people correct at the service's own tables is told to the sets, aside of the table."""
    waiting: queue.Queue[Said | None] = queue.Queue(WAITING_MAX)
    names = dict.fromkeys((settings.table, settings.camera_table or settings.table))
    leaves = [_listen(tables.open(name), waiting) for name in names]
    thread = threading.Thread(target=_tell, args=(enrol, store, settings.evidence, waiting), name="corrections")
    thread.start()
    try:
        yield
    finally:
        for leave in leaves:
            leave()
        waiting.put(None)
        thread.join()


def _listen(table: Table, waiting: queue.Queue[Said | None]) -> Callable[[], None]:
    def hear(published: Published) -> None:
        if published.kind in KINDS:
            with contextlib.suppress(queue.Full):
                waiting.put_nowait((table.name, published))

    return table.join(hear).leave


def _tell(enrol: EnrolDesk, store: Store, evidence: Path, waiting: queue.Queue[Said | None]) -> None:
    """Hand each correction on; what goes wrong with one is logged and costs nothing else."""
    while (said := waiting.get()) is not None:
        if not enrol.listens:
            continue
        try:
            changed(enrol, store, evidence, *said)
        except DicetowerError as error:
            log.warning("A correction could not be offered to a die set: %s", error)
        except Exception:
            log.exception("While offering a correction to a die set.")


def changed(enrol: EnrolDesk, store: Store, evidence: Path, table: str, published: Published) -> None:
    """Hand on what one event changed of what people say that dice show, of dice that the camera saw with a kept crop.

    What was said of a die before it is taken back. A re-roll that is undone says nothing anew.
    """
    events = [from_row(row) for row in store.read(table) if row.seq <= published.seq]
    before, after = ({one.reading: one for one in by_history(table, some, evidence)} for some in (events[:-1], events))
    for key in [key for key in {**before, **after} if _said(before.get(key)) != _said(after.get(key))]:
        if key in before:
            tell(enrol, before[key], back=True)
        if key in after and (key in before or published.kind != Undone.kind):
            tell(enrol, after[key])


def _said(one: Corrected | None) -> tuple[str, int] | None:
    return None if one is None else (one.die, one.value)


def tell(enrol: EnrolDesk, one: Corrected, *, back: bool = False) -> None:
    """Hand one correction to the sets, as it is seen in its crop, or take it `back`."""
    from dicetower.sources.camera import decoded

    say = enrol.unlearn_crop if back else enrol.learn_crop
    say(decoded(Path(one.picture).read_bytes()), one.box, Die(one.die), one.value)
