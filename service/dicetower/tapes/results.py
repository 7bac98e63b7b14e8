"""What came of an input at a table: dice, status, slots and outcome, and no more. Live, on replay and as expected.

Confidence, places, sentences and times are left out: they may change without a die being read otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from dicetower.assign import Decision
from dicetower.errors import BadTape
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.game.events import DiceThrown, Event, from_row
from dicetower.model import Reading, Recorded

VERSION = 1
FORM = f'expected {{"version": {VERSION}, "results": [...]}}'


@dataclass(frozen=True, slots=True)
class DieSeen:
    """A die of a throw as its source read it, and the slot it went to with the face that stands there."""

    die: str | None
    value: int | None
    status: str
    slot: str | None = None
    stands: int | None = None
    cocked: bool = False


@dataclass(frozen=True, slots=True)
class SlotStands:
    """A slot after an input. `state` is owed, asking or filled."""

    slot: str
    die: str
    state: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomeStands:
    """An outcome, without its explanation."""

    outcome: str
    pairs_to_target: int
    final: str
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class AttackStands:
    """The open attack after an input, or the last one."""

    id: str
    state: str
    slots: tuple[SlotStands, ...]
    outcome: OutcomeStands | None = None
    reopened: bool = False


@dataclass(frozen=True, slots=True)
class Loose:
    """An unassigned die."""

    die: str | None
    value: int | None
    status: str


@dataclass(frozen=True, slots=True)
class PortStands:
    """A serial port, in the words of the e-die's session."""

    port: str
    phase: str


@dataclass(frozen=True, slots=True)
class Result:
    """What one input came to. `refused` is the class of the error that turned it away.

    `attack` and `unassigned` are None where nothing changed at the table; `notices` are the kinds of what an e-die's
    lines told, `ports` the ports whose state has changed.
    """

    line: int
    refused: str | None = None
    dice: tuple[DieSeen, ...] = ()
    notices: tuple[str, ...] = ()
    ports: tuple[PortStands, ...] = ()
    attack: AttackStands | None = None
    unassigned: tuple[Loose, ...] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing came of it."""
        return self == Result(self.line)


class Watch:
    """Looks at a table before and after an input. `rows` reads its journal after a sequence."""

    def __init__(self, view: Callable[[], Mapping[str, Any]], rows: Callable[[int], Iterable[Recorded]]) -> None:
        self._view, self._rows = view, rows
        self._seq: int = view()["seq"]
        self.throws: list[tuple[str, ...]] = []
        """The keys of the dice of each throw taken so far, in the order its source gave them."""

    def result(
        self, line: int, refused: str | None = None, notices: Sequence[str] = (), ports: Sequence[PortStands] = ()
    ) -> Result:
        """What happened since this was last asked."""
        events = [from_row(row) for row in self._rows(self._seq)]
        view = self._view()
        self._seq = view["seq"]
        thrown = [event for event in events if isinstance(event, DiceThrown)]
        self.throws += [tuple(reading.key for reading in event.throw.readings) for event in thrown]
        return Result(
            line,
            refused,
            tuple(seen for event in thrown for seen in _seen(event)),
            tuple(notices),
            tuple(ports),
            _attack(view["attack"]) if _touched(events) else None,
            _loose(view["unassigned"]) if events else None,
        )


def _touched(events: Iterable[Event]) -> bool:
    return any(
        hasattr(event, "attack") or event.kind in ("doubt answered", "die dismissed", "undone") for event in events
    )


def _seen(event: DiceThrown) -> Iterable[DieSeen]:
    decisions = {decision.reading: decision for decision in event.decisions}
    return (_die_seen(reading, decisions[reading.key]) for reading in event.throw.readings)


def _die_seen(reading: Reading, decision: Decision) -> DieSeen:
    return DieSeen(
        None if reading.die is None else reading.die.value,
        reading.value,
        reading.status.value,
        None if decision.slot is None else decision.slot.value,
        decision.value,
        reading.cocked,
    )


def _attack(shown: Mapping[str, Any] | None) -> AttackStands | None:
    if shown is None:
        return None
    slots = tuple(SlotStands(slot["slot"], slot["die"], slot["state"], slot["value"]) for slot in shown["slots"])
    outcome = shown["outcome"]
    stands = None if outcome is None else {key.name: outcome[key.name] for key in fields(OutcomeStands)}
    made = None if stands is None else OutcomeStands(**stands)
    return AttackStands(shown["id"], shown["state"], slots, made, shown["reopened"])


def _loose(shown: Iterable[Mapping[str, Any]]) -> tuple[Loose, ...]:
    return tuple(Loose(die["die"], die["value"], die["status"]) for die in shown)


# As JSON.


def as_json(results: Iterable[Result]) -> dict[str, Any]:
    """What expected.json holds: results that came to nothing are left out."""
    return {"version": VERSION, "results": [one_as_json(result) for result in results if not result.empty]}


def one_as_json(result: Result) -> dict[str, Any]:
    """One result, without what is not so."""
    shown = to_json(result)
    kept = {key: _short(value) for key, value in shown.items() if value not in (None, [])}
    return kept if result.unassigned != () else {**kept, "unassigned": []}


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {
            key: part for key, part in value.items() if key in ("die", "value") or not (part is None or part is False)
        }
        return {key: _short(part) for key, part in kept.items()}
    return [_short(part) for part in value] if isinstance(value, list) else value


def from_expected(whole: Mapping[str, Any], at: str) -> tuple[Result, ...]:
    """The results that an expected.json holds; BadTape where it is none."""
    if whole.keys() != {"version", "results"} or not isinstance(whole["results"], list):
        raise BadTape(f"{at}: {FORM}.")
    if whole["version"] != VERSION or isinstance(whole["version"], bool):
        raise BadTape(f"{at}: expected version {VERSION}, got {whole['version']!r:.60}.")
    results = tuple(_read(data, f"{at}: result {number}") for number, data in enumerate(whole["results"], 1))
    lines = [result.line for result in results]
    if lines != sorted(set(lines)):
        raise BadTape(f"{at}: expected results in order of line, one a line.")
    return results


def _read(data: Any, at: str) -> Result:
    try:
        return from_json(Result, data, "result")
    except Malformed as fault:
        raise BadTape(f"{at}: {fault}.") from None


# Differences.


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that came otherwise: in which line, what, and how it is said on both sides."""

    line: int
    what: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}: expected {self.expected}, got {self.got}"


def differences(expected: Iterable[Result], got: Iterable[Result]) -> list[Difference]:
    """Every difference, in order of line. Notices and ports count where any are expected."""
    expected, got = list(expected), list(got)
    if not any(result.notices or result.ports for result in expected):
        got = [replace(result, notices=(), ports=()) for result in got]
    wanted, came = ({result.line: result for result in side if not result.empty} for side in (expected, got))
    return [
        difference
        for line in sorted({*wanted, *came})
        for difference in _between(wanted.get(line, Result(line)), came.get(line, Result(line)))
    ]


def _between(expected: Result, got: Result) -> list[Difference]:
    wanted, came = _facts(expected), _facts(got)
    names = dict.fromkeys([*wanted, *came])
    return [
        Difference(expected.line, name, wanted.get(name, "nothing"), came.get(name, "nothing"))
        for name in names
        if wanted.get(name) != came.get(name)
    ]


def _facts(result: Result) -> dict[str, str]:
    """A result as named facts, each in words: what two results are compared by, in the order they are told."""
    facts = {} if result.refused is None else {"refused": result.refused}
    facts |= {f"die {n} of the throw": _die_words(die) for n, die in enumerate(result.dice, 1)}
    facts |= {f"port {port.port}": port.phase for port in result.ports}
    facts |= {"notices": ", ".join(result.notices)} if result.notices else {}
    facts |= {} if result.attack is None else _attack_facts(result.attack)
    if result.unassigned is not None:
        words = ", ".join(f"{_face(die.die, die.value)} ({die.status})" for die in result.unassigned)
        facts["unassigned dice"] = words or "none"
    return facts


def _die_words(die: DieSeen) -> str:
    where = "unassigned" if die.slot is None else f"in {die.slot} as {'in doubt' if die.stands is None else die.stands}"
    return f"{_face(die.die, die.value)}, {die.status}{', cocked' if die.cocked else ''}, {where}"


def _face(die: str | None, value: int | None) -> str:
    return f"{die or 'die of unknown type'} {'not read' if value is None else value}"


def _attack_facts(attack: AttackStands) -> dict[str, str]:
    facts = {slot.slot: f"{slot.die} {slot.state if slot.value is None else slot.value}" for slot in attack.slots}
    outcome = attack.outcome
    facts["outcome"] = "none" if outcome is None else outcome.final.replace("_", " ")
    if outcome is not None:
        facts["first outcome"] = outcome.outcome
        facts["pairs to the target"] = str(outcome.pairs_to_target)
        facts["damage die's row"] = outcome.damage or "none"
    state = f"{attack.state}{', waiting for a person' if attack.reopened else ''}"
    return {**facts, "attack": f"{attack.id}, {state}"}
