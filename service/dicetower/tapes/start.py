"""The table a tape begins with: its players and settings, or the history it had; as journal rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dicetower.errors import BadTape, DicetowerError
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.game.events import Event, PlayerSeated, RulesLoaded, SettingsChanged, TableOpened, from_row, to_row
from dicetower.game.fold import fold
from dicetower.game.seats import check_table_name
from dicetower.game.settings import Settings
from dicetower.game.state import State
from dicetower.model import Player, Recorded
from dicetower.rules.ruleset import RuleSet
from dicetower.sources.tape import Json

Row = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Start:
    """A new table."""

    name: str
    settings: Settings
    players: tuple[Player, ...]


def start_json(start: Start) -> dict[str, Any]:
    """The `table` of a tape.json."""
    shown: dict[str, Any] = to_json(start)
    return shown


def rows(
    table: Json, history: Iterable[Json], rules: RuleSet, journal: str, at_ms: int, tape: str
) -> tuple[str, list[Row]]:
    """The table's name and the journal rows it begins with; BadTape where they are no table."""
    past = list(history)
    if past:
        name = table.get("name")
        if table.keys() != {"name"} or not isinstance(name, str):
            raise BadTape(f"{tape}/tape.json: table: expected a name alone beside a history.")
        _check_name(name, tape)
        return name, _past(name, past, f"{tape}/history.jsonl")
    start = _start(table, f"{tape}/tape.json")
    _check_name(start.name, tape)
    events: tuple[Event, ...] = (
        TableOpened(at_ms, journal),
        RulesLoaded(at_ms, rules),
        SettingsChanged(at_ms, start.settings),
        *(PlayerSeated(at_ms, player) for player in start.players),
    )
    return start.name, [to_row(event) for event in events]


def first_seq(table: Json) -> int:
    """The sequence of a new table that has been opened: opened, rules, settings, then its players."""
    return 3 + len(_start(table, "tape.json").players)


def _check_name(name: str, tape: str) -> None:
    try:
        check_table_name(name)
    except DicetowerError as error:
        raise BadTape(f"{tape}/tape.json: table: {error}") from None


def _start(table: Json, at: str) -> Start:
    try:
        return from_json(Start, dict(table), "table")
    except Malformed as fault:
        raise BadTape(f"{at}: {fault}.") from None


def history_of(recorded: Iterable[Recorded]) -> list[dict[str, Any]]:
    """Journal rows as the lines of a history."""
    return [{"kind": row.kind, "data": row.data} for row in recorded]


def _past(name: str, history: list[Json], at: str) -> list[Row]:
    """The rows of a history, which must make a table."""
    rows = [_row(line, f"{at}: line {number}") for number, line in enumerate(history, 1)]
    _fold(name, rows, at)
    return rows


def _row(line: Json, at: str) -> Row:
    kind, data = line.get("kind"), line.get("data")
    if line.keys() != {"kind", "data"} or not isinstance(kind, str) or not isinstance(data, dict):
        raise BadTape(f"{at}: expected an event's kind and data.")
    return kind, data


def _fold(name: str, rows: Iterable[Row], at: str) -> State:
    """The state the rows lead to; whatever goes wrong, they are no history of a table."""
    try:
        return fold(name, (from_row(Recorded(seq, name, *row, 0)) for seq, row in enumerate(rows, 1)))
    except DicetowerError as error:
        raise BadTape(f"{at}: {error}") from None
    except (AssertionError, LookupError, ValueError, TypeError, StopIteration) as error:
        raise BadTape(f"{at}: these events do not follow from each other ({type(error).__name__}).") from None


def is_new(recorded: Iterable[Recorded]) -> bool:
    """Whether nothing has happened at a table yet but its opening."""
    return all(
        row.kind in (TableOpened.kind, RulesLoaded.kind, SettingsChanged.kind, PlayerSeated.kind) for row in recorded
    )


def start_of(view: Mapping[str, Any]) -> Start:
    """A new table's start, from its view."""
    return from_json(Start, {"name": view["table"], "settings": view["settings"], "players": view["players"]})
