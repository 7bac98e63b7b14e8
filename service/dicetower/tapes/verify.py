"""Checks the fair rolls of a tape by its bytes alone: what dice said of their commitments, their seeds and their rolls.

Of what the tape says came of it (`uncommit`) nothing is believed; the host's secret is all that is taken from it, and
only behind the line in which the die commits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dicetower.errors import BadLine
from dicetower.model import Pledge, PledgeState
from dicetower.sources.fair import Verdict, checked
from dicetower.sources.tape import Tape
from dicetower.sources.verbs import Fair, Hello, Message, Roll, Start, Unknown, meaning
from dicetower.sources.wire import Framer, Line
from dicetower.tapes import inputs
from dicetower.tapes.replay import parsed


@dataclass(frozen=True, slots=True)
class Finding:
    """One commitment of one die.

    `own` are the numbers of the rolls meanwhile that did not come of its seed, `begun` the requests that were begun and
    never rolled.
    """

    uid: str
    commitment: str
    verdict: Verdict
    own: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()


@dataclass(slots=True)
class _Game:
    """What a die did under one commitment."""

    pledge: Pledge
    rolls: list[Roll] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    ended: Verdict | None = None

    def finding(self) -> Finding:
        verdict = self.ended or Verdict(PledgeState.UNANSWERED, "The tape ends without its seed.")
        rolled = {roll.req for roll in self.rolls}
        own = tuple(sorted({roll.roll for roll in self.rolls if not roll.fair}))
        begun = tuple(req for req in dict.fromkeys(self.begun) if req not in rolled)
        return Finding(self.pledge.uid, self.pledge.commitment, verdict, own, begun)


@dataclass(slots=True)
class _Port:
    """One connection: its lines, and the die that it has said it is."""

    framer: Framer = field(default_factory=Framer)
    hello: Hello | None = None


def verified(tape: Tape) -> list[Finding]:
    """Every commitment on a tape, in the order in which they were made. BadTape where it holds something else."""
    reader = _Reader()
    for _, given in parsed(tape):
        reader.take(given)
    return [game.finding() for game in reader.games]


class _Reader:
    """Follows the dice of a tape."""

    def __init__(self) -> None:
        self.games: list[_Game] = []
        self._ports: dict[str, _Port] = {}
        self._said: dict[str, str] = {}
        self._game: dict[str, _Game] = {}

    def take(self, given: inputs.Input) -> None:
        match given:
            case inputs.Plug():
                self._ports[given.port] = _Port()
            case inputs.Serial() if given.port in self._ports:
                self._hear(self._ports[given.port], given.raw())
            case inputs.Commit():
                self._commit(given)
            case _:
                pass

    def _commit(self, given: inputs.Commit) -> None:
        game = _Game(Pledge(given.uid, given.commitment, given.secret))
        if self._said.get(given.uid) != given.commitment:
            text = f"No line of the die before it says this commitment, got {self._said.get(given.uid, 'none')}."
            game.ended = Verdict(PledgeState.BROKEN, text)
        self._game[given.uid] = game
        self.games.append(game)

    def _hear(self, port: _Port, data: bytes) -> None:
        for message in _messages(port.framer.feed(data)):
            if isinstance(message, Hello):
                port.hello = message
            elif port.hello is not None and getattr(message, "boot", None) == port.hello.boot:
                self._said_by(port.hello.uid, message)

    def _said_by(self, uid: str, message: Message) -> None:
        game = self._game.get(uid)
        match message:
            case Fair():
                self._fair(uid, game, message)
            case Start() if game is not None and message.req:
                game.begun.append(message.req)
            case Roll() if game is not None:
                game.rolls.append(message)
                self._too_late(game, message)
            case _:
                pass

    def _fair(self, uid: str, game: _Game | None, said: Fair) -> None:
        if said.commitment is not None:
            self._said[uid] = said.commitment
        if game is None or game.ended is not None:
            return
        if said.seed is not None:
            game.ended = checked(game.pledge, said.seed, game.rolls)
        elif said.commitment is None:
            game.ended = Verdict(PledgeState.REFUSED, "It says that it has no seed.")
        elif said.commitment != game.pledge.commitment:
            game.ended = Verdict(PledgeState.VOID, f"It says another commitment, {said.commitment}, in mid-game.")

    def _too_late(self, game: _Game, roll: Roll) -> None:
        """A roll by a seed that is known already proves nothing: unless it is the copy of one before."""
        copies = sum((other.roll, other.content) == (roll.roll, roll.content) for other in game.rolls)
        if roll.fair and copies == 1 and game.ended is not None and game.ended.state is PledgeState.VERIFIED:
            text = f"Roll {roll.roll}, a {roll.die}, came after its seed was revealed."
            game.ended = Verdict(PledgeState.BROKEN, text, game.ended.rolls, roll.roll)


def _messages(items: Iterable[object]) -> Iterable[Message]:
    for item in items:
        if isinstance(item, Line):
            try:
                message = meaning(item)
            except BadLine:
                continue
            if not isinstance(message, Unknown):
                yield message
