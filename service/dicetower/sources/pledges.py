"""What each e-die is asked of its commitment, and what comes of its answers. The table keeps the pledges.

made = Pledges(book, now_ms)
made.ask("5b0f...", port.fair)         # again and again: Commit, Reveal or None is what the die is to be asked
made.may_roll("5b0f...")               # whether the table takes its rolls now
made.nonce("5b0f...", req)             # what goes with its ARM
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from dicetower.model import Pledge, PledgeState
from dicetower.sources import fair
from dicetower.sources.verbs import Commit, Fair, Reveal, Roll

PATIENCE_MS = 30_000
"""How long a reveal is waited for: time to plug a die in again that was put away too early."""


class Book(Protocol):
    """The table, as far as commitments go."""

    def wants_fair(self) -> bool:
        """Whether the table plays with fair e-dice only."""

    def pledges(self) -> Sequence[Pledge]:
        """Each die's latest."""

    def committed(self, pledge: Pledge) -> None:
        """Keep a new pledge."""

    def ended(self, pledge: Pledge) -> None:
        """Keep how a pledge ended."""

    def rolls(self, pledge: Pledge) -> Sequence[Roll]:
        """What its die has rolled since."""


class Pledges:
    """The host's side of docs/wire.md, "Fair dice"."""

    def __init__(
        self,
        book: Book,
        now_ms: Callable[[], int],
        secret: Callable[[], str] = lambda: secrets.token_hex(fair.SECRET_BYTES),
    ) -> None:
        self._book, self._now_ms, self._secret = book, now_ms, secret
        self._asked_ms: dict[str, int] = {}

    def ask(self, uid: str, said: Fair | None) -> type[Commit | Reveal] | None:
        """Take what the die last said of its commitment on this connection, and say what to ask of it."""
        pledge = self._of(uid)
        if not self._book.wants_fair():
            return self._ending(pledge, said) if pledge is not None and _stands(pledge) else None
        commitment = said.commitment if said is not None else None
        if commitment is not None and _is_known(pledge, commitment):
            return Reveal  # it must make a new one: anybody can foretell what this one gives
        if commitment is not None:
            self._keep(uid, pledge, commitment)
        return Commit

    def wait_for_others(self, here: Collection[str]) -> None:
        """Let the time run of dice that are not `here`, and whose seeds are asked for."""
        if self._book.wants_fair():
            self._asked_ms.clear()
            return
        for pledge in self._book.pledges():
            if _stands(pledge) and pledge.uid not in here:
                self._ending(pledge, None)

    def may_roll(self, uid: str) -> bool:
        """Whether the die may be armed: at a table that plays fair, only under a commitment."""
        return not self._book.wants_fair() or _stands(self._of(uid))

    def nonce(self, uid: str, req: int) -> str | None:
        """The host's number for a request; None where no commitment stands."""
        pledge = self._of(uid)
        return fair.nonce_of(pledge.secret, req) if pledge is not None and _stands(pledge) else None

    def _keep(self, uid: str, pledge: Pledge | None, commitment: str) -> None:
        if pledge is not None and _stands(pledge):
            if pledge.commitment == commitment:
                return
            text = "It no longer stands by its commitment: its memory was lost or changed. Its rolls cannot be checked."
            self._end(pledge, PledgeState.VOID, text)
        self._book.committed(Pledge(uid, commitment, self._secret()))

    def _of(self, uid: str) -> Pledge | None:
        return next((pledge for pledge in self._book.pledges() if pledge.uid == uid), None)

    def _ending(self, pledge: Pledge, said: Fair | None) -> type[Reveal]:
        since_ms = self._asked_ms.setdefault(pledge.uid, self._now_ms())
        if said is not None and said.commitment is None:
            self._judge(pledge, said.seed)
        elif self._now_ms() - since_ms >= PATIENCE_MS:
            seconds = PATIENCE_MS // 1000
            self._end(pledge, PledgeState.UNANSWERED, f"It was asked for its seed and gave none in {seconds} seconds.")
        return Reveal

    def _judge(self, pledge: Pledge, seed: str | None) -> None:
        if seed is None:
            self._end(pledge, PledgeState.REFUSED, "It was asked for its seed and says that it has none.")
            return
        verdict = fair.checked(pledge, seed, self._book.rolls(pledge))
        self._end(pledge, verdict.state, verdict.text, seed)

    def _end(self, pledge: Pledge, state: PledgeState, text: str, seed: str | None = None) -> None:
        self._book.ended(Pledge(pledge.uid, pledge.commitment, pledge.secret, state, seed, text))
        self._asked_ms.pop(pledge.uid, None)


def _is_known(pledge: Pledge | None, commitment: str) -> bool:
    """Whether that is the commitment to a seed which was revealed."""
    return pledge is not None and pledge.seed is not None and fair.commitment_of(pledge.seed) == commitment


def _stands(pledge: Pledge | None) -> bool:
    return pledge is not None and pledge.state is PledgeState.STANDS
