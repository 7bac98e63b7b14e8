"""E-dice at their serial ports, with time and bytes from a tape: the session of each port, armed for what is owed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dicetower.errors import Conflict
from dicetower.model import Pledge, Reading, SourceKind, Throw
from dicetower.sources.arming import Ledger, handed_out
from dicetower.sources.edie_seen import Seen
from dicetower.sources.edie_session import EdieSession, Instant, Phase, Step
from dicetower.sources.pledges import Pledges
from dicetower.sources.verbs import Fair, Roll
from dicetower.tapes.results import PortStands

TICK_MS = 250
TICKS_MAX = 40
"""Ticks in one wait. A silent port is lost after 3.5 s (docs/wire.md); after that nothing more comes of waiting."""

Deliver = Callable[[Throw], None]
"""Takes a throw; returns when it is in the journal."""


@dataclass(slots=True)
class Port:
    """One port: its session, and the state last told of it."""

    session: EdieSession
    told: Phase | None = None


@dataclass
class Taped:
    """A `sources.pledges.Book` that keeps nothing: what was kept stands on the tape."""

    view: Callable[[], Mapping[str, Any]]
    pledges: Callable[[], Sequence[Pledge]]

    def wants_fair(self) -> bool:
        """As the table has agreed."""
        return bool(self.view()["settings"]["fair_edice"])

    def committed(self, pledge: Pledge) -> None:
        """Nothing."""

    def ended(self, pledge: Pledge) -> None:
        """Nothing."""

    def rolls(self, pledge: Pledge) -> Sequence[Roll]:  # noqa: ARG002
        """None: nothing is judged here."""
        return ()


@dataclass(slots=True)
class Ports:
    """All ports of a tape. `view` gives the table's state; `sent` collects what was written to each port.

    `shift` is how much earlier the tape's own table stood than this one, in events (see `sources.arming`).
    """

    deliver: Deliver
    view: Callable[[], Mapping[str, Any]]
    pledges: Callable[[], Sequence[Pledge]]
    start_ms: int
    shift: int = 0
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    _ports: dict[str, Port] = field(default_factory=dict)
    _seen: Seen = field(default_factory=Seen)
    _owed: Ledger = field(default_factory=Ledger)
    _notices: list[str] = field(default_factory=list)
    _now_ms: int = 0

    def __post_init__(self) -> None:
        self._owed.shift = self.shift

    def wait(self, ms: int) -> None:
        """Let time go by up to an offset: sessions ask again, arm again, and call a silent die lost."""
        gap = ms - self._now_ms
        moments = [self._now_ms + n * TICK_MS for n in range(1, min(gap // TICK_MS, TICKS_MAX) + 1)]
        for moment in [*moments, ms] if gap else []:
            self._now_ms = moment
            for name, port in self._ports.items():
                self._take(name, port.session.tick(self._instant()))

    def plug(self, name: str) -> None:
        """A port came: a new connection."""
        if name in self._ports:
            raise Conflict(f"Port {name} is plugged in already.")
        self._ports[name] = Port(EdieSession(self._seen))
        self._take(name, self._ports[name].session.tick(self._instant()))

    def unplug(self, name: str) -> None:
        """A port went."""
        self._port(name)
        del self._ports[name]

    def serial(self, name: str, data: bytes) -> None:
        """Bytes came from a port."""
        self._take(name, self._port(name).session.received(data, self._instant()))

    def arm(self) -> None:
        """Ask each e-die for what is owed of it now."""
        uids = {port.session.hello.uid: name for name, port in self._ports.items() if port.session.hello is not None}
        made = Pledges(Taped(self.view, self.pledges), lambda: self._now_ms)
        owed = handed_out(self._owed.owed(self.view()), {uid: self._owner(uid) for uid in uids if made.may_roll(uid)})
        for uid, name in uids.items():
            session, die = self._ports[name].session, owed.get(uid)
            self._take(name, session.pledge(made.ask(uid, session.fair), self._instant()))
            nonce = None if die is None else made.nonce(uid, die.req)
            step = session.disarm() if die is None else session.arm(die.req, die.die, self._instant(), nonce)
            self._take(name, step)

    def answers(self) -> dict[str, Fair | None]:
        """What each die that is there has said of its commitment, as it was last asked."""
        sessions = [port.session for port in self._ports.values()]
        return {session.hello.uid: session.fair for session in sessions if session.hello is not None}

    def news(self) -> tuple[tuple[str, ...], tuple[PortStands, ...]]:
        """What the lines told, and the ports whose state has changed, since this was last asked."""
        notices, self._notices = tuple(self._notices), []
        changed = [(name, port) for name, port in self._ports.items() if port.session.phase is not port.told]
        for _, port in changed:
            port.told = port.session.phase
        return notices, tuple(PortStands(name, port.session.phase.value) for name, port in changed)

    def _port(self, name: str) -> Port:
        if name not in self._ports:
            raise Conflict(f"No port {name!r:.60} is plugged in.")
        return self._ports[name]

    def _owner(self, uid: str) -> str | None:
        return next((die["player"] for die in self.view()["edice"] if die["uid"] == uid), None)

    def _instant(self) -> Instant:
        return Instant(self._now_ms, self.start_ms + self._now_ms)

    def _take(self, name: str, step: Step) -> None:
        """What one call came to. A roll is acknowledged once it is in the journal, not before."""
        self.sent += [(name, line) for line in step.send]
        self._notices += [notice.kind for notice in step.notices]
        for rolled in step.rolls:
            self.deliver(_throw(rolled.reading, self._owner(str(rolled.reading.device))))
            self._take(name, self._port(name).session.committed(rolled.reading.key))


def _throw(reading: Reading, player: str | None) -> Throw:
    mine = replace(reading, who=player)
    return Throw(reading.key, SourceKind.EDIE, (mine,), reading.host_time_ms or 0)
