"""All e-dice: ports found and lost, each die known by its id wherever it is plugged, armed for what is owed.

edie = Edie(["auto"], watcher=Quiet())
edie.start(table.throw)          # deliver: returns when the throw is in the journal
edie.owe(ledger.owed(view))      # after every change of the table
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from dicetower.errors import DeviceError
from dicetower.model import SourceHealth, Throw
from dicetower.sources import serial_ports
from dicetower.sources.arming import Owed, handed_out
from dicetower.sources.edie_port import EdiePort, Quiet, Watcher, Wiring
from dicetower.sources.edie_seen import Seen
from dicetower.sources.pledges import Pledges
from dicetower.sources.serial_ports import Port

log = logging.getLogger("dicetower.edie")

LOOK_EVERY_S = 1.0  # for new ports; a hand takes longer to move a plug


class Edie:
    """The e-dice of one table. Implements `model.Source`."""

    def __init__(
        self,
        ports: Iterable[str],
        *,
        watcher: Watcher | None = None,
        opened: Callable[[str], Port] = serial_ports.opened,
        pledges: Pledges | None = None,
    ) -> None:
        """Take the ports as `serial_ports.found` reads them; nothing is opened before `start`.

        `pledges` holds the dice to their commitments; without it none is asked for one.
        """
        self._wanted = tuple(ports)
        self._watcher = watcher or Quiet()
        self._opened = opened
        self._pledges = pledges
        self._seen = Seen()
        self._lock = threading.RLock()
        self._ports: dict[str, EdiePort] = {}
        self._players: dict[str, str | None] = {}
        self._arrival: list[str] = []
        self._gone: dict[str, SourceHealth] = {}
        self._owed: tuple[Owed, ...] = ()
        self._stopping = threading.Event()
        self._stirred = threading.Event()
        self._thread = threading.Thread(target=self._live, name="edie ports", daemon=True)
        self._deliver: Callable[[Throw], object] = _nowhere

    @property
    def name(self) -> str:
        """What the screen and /readyz call it."""
        return "e-dice"

    def start(self, deliver: Callable[[Throw], object]) -> None:
        """Look for ports and read them. `deliver` is called from the ports' threads, and must journal or raise."""
        self._deliver = deliver
        self._thread.start()

    def stop(self) -> None:
        """Close every port."""
        self._stopping.set()
        self._stirred.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        for port in self._all():
            port.stop()

    def health(self) -> SourceHealth:
        """The first die or port that is not well, else that all are."""
        healths = self.healths()
        bad = next((health for health in healths if not health.ok), None)
        if bad is not None:
            return SourceHealth(self.name, bad.state, False, bad.reason, bad.detail)
        return SourceHealth(self.name, "connected" if healths else "none", True, "", {"dice": len(healths)})

    def healths(self) -> list[SourceHealth]:
        """One a port: those the keeper named, and those of the others at which a die has answered.

        Then the dice whose port has gone: each was here, and is `lost` until it is plugged in again, anywhere.
        """
        healths = [(port, port.health()) for port in self._all()]
        shown = [health for port, health in healths if port.named or "uid" in health.detail]
        here = {health.detail.get("uid") for health in shown}
        with self._lock:
            return shown + [health for uid, health in self._gone.items() if uid not in here]

    def all_healths(self) -> list[SourceHealth]:
        """One a port, strangers too."""
        return [port.health() for port in self._all()]

    def dice(self) -> dict[str, str]:
        """The ids of the dice that are connected now, in order of arrival, and each one's port."""
        at = {port.uid: port.url for port in self._all()}
        with self._lock:
            return {uid: at[uid] for uid in self._arrival if uid in at}

    def newest(self) -> dict[str, int]:
        """The number of the newest roll of each connected die that has told it."""
        told = {port.uid: port.newest for port in self._all()}
        return {uid: number for uid, number in told.items() if uid is not None and number is not None}

    def port_of(self, url: str) -> EdiePort | None:
        """The port of that URL, if it is in use."""
        with self._lock:
            return self._ports.get(url)

    def bind(self, uid: str, player: str | None) -> None:
        """The die of that id is this player's, or nobody's."""
        with self._lock:
            self._players[uid] = player
        self._stirred.set()

    def owe(self, owed: Sequence[Owed]) -> None:
        """What the table wants rolled now. Returns at once."""
        with self._lock:
            self._owed = tuple(owed)
        self._stirred.set()

    # The thread that looks for ports and arms dice.

    def _live(self) -> None:
        while not self._stopping.is_set():
            try:
                self._look()
                self._arm()
            except Exception:
                log.exception("While looking for e-dice; it is tried again.")
            self._stirred.wait(LOOK_EVERY_S)
            self._stirred.clear()

    def _look(self) -> None:
        urls = serial_ports.found(self._wanted)
        for url in set(urls) - set(self._ports):
            self._add(url)
        for url in set(self._ports) - set(urls):
            self._remove(url)

    def _add(self, url: str) -> None:
        wiring = Wiring(self._take, self._owner, self._stirred.set, self._watcher, self._seen, self._opened)
        port = EdiePort(url, wiring, named=url in self._wanted)
        with self._lock:
            self._ports[url] = port
        port.start()

    def _remove(self, url: str) -> None:
        with self._lock:
            port = self._ports.pop(url)
        port.stop()
        gone = port.health()
        if "uid" in gone.detail:
            reason = f"{url}: there is no such port any more. Plug the e-die in again, here or elsewhere."
            with self._lock:
                self._gone[str(gone.detail["uid"])] = SourceHealth(
                    gone.name, "lost", False, reason, gone.detail | {"plugged": False}
                )

    def _arm(self) -> None:
        here = {uid: port for port in self._all() if (uid := port.uid) is not None}
        with self._lock:
            self._arrival = [uid for uid in self._arrival if uid in here]
            self._arrival += [uid for uid in here if uid not in self._arrival]
            owed, dice = self._owed, {uid: self._players.get(uid) for uid in self._arrival}
        self._hold_to_pledges(here)
        tasks = handed_out(owed, {uid: player for uid, player in dice.items() if self._may_roll(uid)})
        for uid, port in here.items():
            task = tasks.get(uid)
            if task is None:
                port.want_nothing()
            else:
                port.want(task.req, task.die, self._pledges.nonce(uid, task.req) if self._pledges else None)

    def _hold_to_pledges(self, here: Mapping[str, EdiePort]) -> None:
        if self._pledges is None:
            return
        for uid, port in here.items():
            port.pledge(self._pledges.ask(uid, port.fair))
        self._pledges.wait_for_others(here.keys())

    def _may_roll(self, uid: str) -> bool:
        return self._pledges is None or self._pledges.may_roll(uid)

    def _all(self) -> list[EdiePort]:
        with self._lock:
            return list(self._ports.values())

    def _owner(self, uid: str) -> str | None:
        with self._lock:
            return self._players.get(uid)

    def _take(self, throw: Throw) -> None:
        self._deliver(throw)


def _nowhere(throw: Throw) -> None:
    raise DeviceError(f"{throw.id}: nobody takes this roll yet.")
