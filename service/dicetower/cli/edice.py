"""E-dice at a served table: their rolls go to it, and what it owes goes to them."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from dicetower.sources.edie_port import Quiet

if TYPE_CHECKING:
    from dicetower.model import SourceHealth
    from dicetower.sources.arming import Owed
    from dicetower.sources.edie_port import Watcher
    from dicetower.sources.edie_session import Notice
    from dicetower.table import Published, Table

log = logging.getLogger("dicetower.edie")


class Logged(Quiet):
    """Puts what a person may need to know into the log."""

    def noticed(self, port: str, notice: Notice) -> None:
        """One sentence."""
        log.log(
            logging.INFO if notice.kind in ("identified", "handling") else logging.WARNING, "%s: %s", port, notice.text
        )


@contextlib.contextmanager
def at_table(
    ports: Sequence[str], table: Table, watcher: Watcher | None = None
) -> Iterator[Callable[[], Sequence[SourceHealth]]]:
    """E-dice at `ports`, if any are named; gives how each is. `watcher` sees bytes before anything is made of them."""
    from dicetower.sources.edie import Edie

    if not ports:
        yield tuple
        return
    source = Edie(ports, watcher=watcher or Logged())
    source.start(table.throw)
    try:
        with following(table, source.owe):
            yield source.healths
    finally:
        source.stop()


@contextlib.contextmanager
def following(table: Table, owe: Callable[[Sequence[Owed]], None]) -> Iterator[None]:
    """Tell `owe` what the table owes, at first and after every event, in order and in a thread of its own."""
    from dicetower.sources.arming import Ledger

    events: queue.SimpleQueue[Published | None] = queue.SimpleQueue()
    joined = table.join(events.put)
    view = dict(joined.snapshot or table.view())

    def follow() -> None:
        ledger = Ledger()
        owe(ledger.owed(view))
        for event in iter(events.get, None):
            view.update(event.changed, seq=event.seq)
            owe(ledger.owed(view))

    thread = threading.Thread(target=follow, name="edie owed", daemon=True)
    thread.start()
    try:
        yield
    finally:
        joined.leave()
        events.put(None)
        thread.join(timeout=5)
