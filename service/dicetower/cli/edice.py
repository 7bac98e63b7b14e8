"""E-dice at a served table: their rolls go to it, what it owes goes to them, and a press says whose a die is."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dicetower.errors import Conflict, NotFound
from dicetower.model import SourceHealth
from dicetower.sources.arming import Ledger, takes_dice
from dicetower.sources.binding import ASKED_FOR_MS, Pressing
from dicetower.sources.edie_port import Quiet
from dicetower.sources.verbs import Heartbeat

if TYPE_CHECKING:
    from dicetower.model import Pledge, Throw
    from dicetower.sources.edie import Edie
    from dicetower.sources.edie_port import Watcher
    from dicetower.sources.edie_session import Notice
    from dicetower.sources.verbs import Message, Roll
    from dicetower.table import Published, Table, View

log = logging.getLogger("dicetower.edie")


class Logged(Quiet):
    """Puts what a person may need to know into the log."""

    def noticed(self, port: str, notice: Notice) -> None:
        """One sentence."""
        log.log(
            logging.INFO if notice.kind in ("identified", "handling") else logging.WARNING, "%s: %s", port, notice.text
        )


def _mono_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class EDice(Quiet):
    """The e-dice at a table: what the page shows of them, and "press Red's die".

    Called, it gives how each is. As the ports' watcher it hears heartbeats and hands everything on to `watcher`.
    """

    def __init__(self, table: Table, watcher: Watcher, now_ms: Callable[[], int] = _mono_ms) -> None:
        self._table, self._watcher, self._now_ms = table, watcher, now_ms
        self.source: Edie | None = None
        self._pressing: Pressing | None = None
        self._lock = threading.Lock()

    def use(self, source: Edie) -> None:
        """These are the dice."""
        self.source = source

    def __call__(self) -> list[SourceHealth]:
        """How each die is, and whether the page asks for one to be pressed."""
        healths = [] if self.source is None else [*self.source.healths(), *self._asking()]
        return [replace(health, detail=health.detail | {"table": self._table.name}) for health in healths]

    def _asking(self) -> list[SourceHealth]:
        asked = self._asked()
        detail = {"kind": "pressing", "player": asked.player} if asked is not None else {}
        return [SourceHealth("press", "asking", True, "", detail)] if asked is not None else []

    def _asked(self) -> Pressing | None:
        """What is asked now, if its time is not over."""
        with self._lock:
            if self._pressing is not None and self._now_ms() >= self._pressing.until_ms:
                self._pressing = None
            return self._pressing

    def ask(self, table: str, player: str) -> View:
        """The next e-die that is pressed is this player's. Conflict where none could be, or it would throw a die."""
        source, view = self._at(table), self._table.view()
        if all(seated["id"] != player for seated in view["players"]):
            raise NotFound(f"No player {player!r:.60} sits at this table.")
        if not source.dice():
            raise Conflict("No e-die is connected; plug one in first.")
        if takes_dice(view["attack"]):
            raise Conflict(
                f"Attack {view['attack']['number']} owes dice, and an e-die that is pressed now rolls for it. Choose "
                "the die's player in the list, or end the attack first."
            )
        with self._lock:
            self._pressing = Pressing(source.newest(), player, self._now_ms() + ASKED_FOR_MS)
        return view

    def cancel(self, table: str) -> View:
        """Ask no longer."""
        self._at(table)
        with self._lock:
            self._pressing = None
        return self._table.view()

    def _at(self, table: str) -> Edie:
        if self.source is None:
            raise Conflict("This service has no e-dice: start it with --edie auto, or with the ports' names.")
        if table != self._table.name:
            raise Conflict(f"The e-dice of this service are at table {self._table.name}.")
        return self.source

    def throw(self, throw: Throw) -> None:
        """Take a roll to the table; where it answers "press Red's die", the die is then Red's."""
        self._table.throw(throw)
        for reading in throw.readings:
            if (player := self._pressed(str(reading.device), reading.key)) is not None:
                self._table.set_edie(str(reading.device), player=player, pressed=reading.key)

    def _pressed(self, uid: str, key: str) -> str | None:
        """Whose die that roll makes it, if it makes it anybody's."""
        asked = self._asked()
        if asked is None or not asked.is_press(uid, int(key.split(":")[2])):
            return None
        with self._lock:
            self._pressing = None
        return asked.player

    def owe(self, view: Mapping[str, Any], ledger: Ledger) -> None:
        """Tell the dice whose each is and what the table owes. Nothing is asked once dice are owed."""
        assert self.source is not None
        if takes_dice(view["attack"]):
            with self._lock:
                self._pressing = None
        for die in view["edice"]:
            self.source.bind(die["uid"], die["player"])
        self.source.owe(ledger.owed(view))

    # As the ports' watcher.

    def plugged(self, port: str) -> None:
        """Handed on."""
        self._watcher.plugged(port)

    def unplugged(self, port: str) -> None:
        """Handed on."""
        self._watcher.unplugged(port)

    def heard(self, port: str, data: bytes) -> None:
        """Handed on."""
        self._watcher.heard(port, data)

    def sent(self, port: str, data: bytes) -> None:
        """Handed on."""
        self._watcher.sent(port, data)

    def noticed(self, port: str, notice: Notice) -> None:
        """Handed on."""
        self._watcher.noticed(port, notice)

    def said(self, port: str, message: Message) -> None:
        """Handed on; a die that comes while the page asks says which was its newest roll."""
        self._watcher.said(port, message)
        asked, known = self._asked(), self.source.port_of(port) if self.source is not None else None
        if asked is not None and isinstance(message, Heartbeat) and known is not None and known.uid is not None:
            asked.counts_from(known.uid, message.last)


class TableBook:
    """A table as `sources.pledges.Book`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def wants_fair(self) -> bool:
        """As the table has agreed."""
        return bool(self._table.view()["settings"]["fair_edice"])

    def pledges(self) -> Sequence[Pledge]:
        """Each die's latest."""
        return self._table.pledges()

    def committed(self, pledge: Pledge) -> None:
        """Into the journal."""
        self._table.commit_edie(pledge)

    def ended(self, pledge: Pledge) -> None:
        """Into the journal."""
        self._table.end_commitment(pledge)

    def rolls(self, pledge: Pledge) -> list[Roll]:
        """Out of the journal: each reading of an e-die keeps its line."""
        from dicetower.sources.fair import roll_in

        readings = self._table.rolled_under(pledge)
        return [roll for reading in readings if (roll := roll_in(reading.evidence or "")) is not None]


@contextlib.contextmanager
def at_table(
    ports: Sequence[str], table: Table, watcher: Watcher | None = None, now_ms: Callable[[], int] = _mono_ms
) -> Iterator[EDice]:
    """E-dice at `ports`, if any are named. `watcher` sees bytes before anything is made of them."""
    from dicetower.sources.edie import Edie
    from dicetower.sources.pledges import Pledges

    made = EDice(table, watcher or Logged(), now_ms)
    if not ports:
        yield made
        return
    source = Edie(ports, watcher=made, pledges=Pledges(TableBook(table), now_ms))
    made.use(source)
    source.start(made.throw)
    try:
        with following(table, made.owe):
            yield made
    finally:
        source.stop()


@contextlib.contextmanager
def following(table: Table, owe: Callable[[Mapping[str, Any], Ledger], None]) -> Iterator[None]:
    """Give `owe` the table's state, at first and after every event, in order and in a thread of its own."""
    events: queue.SimpleQueue[Published | None] = queue.SimpleQueue()
    joined = table.join(events.put)
    view = dict(joined.snapshot or table.view())

    def follow() -> None:
        ledger = Ledger()
        owe(view, ledger)
        for event in iter(events.get, None):
            view.update(event.changed, seq=event.seq)
            owe(view, ledger)

    thread = threading.Thread(target=follow, name="edie owed", daemon=True)
    thread.start()
    try:
        yield
    finally:
        joined.leave()
        events.put(None)
        thread.join(timeout=5)
