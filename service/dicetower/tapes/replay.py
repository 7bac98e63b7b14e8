"""A tape, played on a stage of its own: the real table over a real journal in a folder that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dicetower.errors import BadTape, DicetowerError
from dicetower.rules import pack
from dicetower.rules.ruleset import RuleSet
from dicetower.sources import tape as tapes
from dicetower.sources.camera import Camera
from dicetower.sources.evidence import EvidenceFolder
from dicetower.sources.tape import Head, Line, Tape
from dicetower.sources.tape_writer import seal
from dicetower.store.journal import open_journal
from dicetower.table import Table, Tables
from dicetower.tapes import inputs, results, start
from dicetower.tapes.inputs import Input
from dicetower.tapes.results import Difference, Result, Watch
from dicetower.tapes.stage import Clock, Draws, Pause, Stage

Played = Callable[[Line, Result], None]
"""Hears each input's result as it comes."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a tape came to: its results, their differences from what was expected, and the journal's export."""

    tape: Tape
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    export: tuple[dict[str, Any], ...]

    @property
    def ok(self) -> bool:
        """Whether all came as expected."""
        return not self.differences

    def attacks(self) -> list[dict[str, Any]]:
        """The attacks that ended, as the journal has them."""
        return [row for row in self.export if row["record"] == "attack" and row["state"] != "taken back"]


def no_pause(ms: int) -> None:
    """As fast as can be."""


def nobody(line: Line, result: Result) -> None:
    """Hears nothing."""


def replay(tape: Tape, rules: RuleSet | None = None, pause: Pause = no_pause, played: Played = nobody) -> Replayed:
    """Play a tape to its end and compare. BadTape where it cannot be played."""
    expected = _expected(tape)
    given = parsed(tape)
    with staged(tape, rules_of(tape, rules)) as (stage, table):
        got = tuple(_play(stage, tape, given, pause, played))
        export = tuple(table.export())
    return Replayed(tape, got, tuple(results.differences(expected, got)), export)


def parsed(tape: Tape) -> list[tuple[Line, Input]]:
    """The tape's inputs as values, all of them before the first is played."""
    return [(line, inputs.parse(line, place(tape, line))) for line in tape.inputs]


def place(tape: Tape, line: Line) -> str:
    """A line, as messages name it."""
    return f"{tape.name}/{tapes.INPUTS}: line {line.number}"


def rules_of(tape: Tape, other: RuleSet | None = None) -> RuleSet:
    """The pack a tape is played under: its own, `other`, or the one that ships; BadTape if it is not the tape's."""
    wanted = tape.head.rules["hash"]
    rules = _own_rules(tape) if tapes.RULES in tape.files else other or pack.standard()
    if rules.hash != wanted:
        raise BadTape(
            f"{tape.name}/{tapes.HEAD}: rules: the tape was made under {tape.head.rules['name']!r:.60} {wanted[:19]}, "
            f"and this is {rules.name!r:.60} {rules.hash[:19]}. Give its pack with --rules FILE, or accept this one "
            "with --update."
        )
    return rules


def _own_rules(tape: Tape) -> RuleSet:
    at = f"{tape.name}/{tapes.RULES}"
    try:
        return pack.parse(tape.bytes_of(tapes.RULES).decode("utf-8"), at)
    except UnicodeDecodeError:
        raise BadTape(f"{at}: expected UTF-8.") from None
    except BadTape:
        raise
    except DicetowerError as error:
        raise BadTape(str(error)) from None


def _expected(tape: Tape) -> tuple[Result, ...]:
    if tape.expected is None:
        return ()
    expected = results.from_expected(tape.expected, f"{tape.name}/{tapes.EXPECTED}")
    if expected and expected[-1].line > len(tape.inputs):
        raise BadTape(
            f"{tape.name}/{tapes.EXPECTED}: it has a result for line {expected[-1].line}; the tape ends before."
        )
    return expected


@contextmanager
def staged(tape: Tape, rules: RuleSet) -> Iterator[tuple[Stage, Table]]:
    """A stage with the tape's table as it begins, over a journal of its own."""
    with tempfile.TemporaryDirectory(prefix="dicetower-tape-") as folder:
        clock, draws = Clock(tape.head.start_ms), Draws()
        journal = tape.files[tapes.INPUTS].sha256[:8]
        name, rows = start.rows(tape.head.table, tape.history, rules, journal, clock.now_ms(), tape.name)
        with open_journal(Path(folder) / "journal.db", now_ms=clock.now_ms) as store:
            store.append(name, rows, 0)
            tables = Tables(store, rules, now_ms=clock.now_ms, below=draws.below, new_name=lambda: journal)
            table = tables.open(name)
            camera = Camera(EvidenceFolder(Path(folder) / "evidence").keep, clock.now_ms)
            watch = Watch(table.view, lambda after: store.read(name, after))
            yield Stage(table, watch, camera, clock, draws), table


def _play(stage: Stage, tape: Tape, given: list[tuple[Line, Input]], pause: Pause, played: Played) -> Iterator[Result]:
    before = 0
    for line, one in given:
        pause(line.ms - before)
        before = line.ms
        result = play_line(stage, tape, line, one)
        played(line, result)
        yield result


def play_line(stage: Stage, tape: Tape, line: Line, given: Input) -> Result:
    """Give a stage one line of a tape."""
    picture = tape.bytes_of(given.file) if isinstance(given, inputs.Frame | inputs.Shot) else b""
    index = given.own if isinstance(given, inputs.Frame) else None
    try:
        own = None if index is None else stage.own(index, tape.bytes_of)
        return stage.play(line.number, line.ms, given, picture, own)
    except BadTape as error:
        raise BadTape(f"{place(tape, line)}: {error}") from None


@dataclass(frozen=True, slots=True)
class Updated:
    """What taking a tape as it lies has changed, in words, and what it comes to now."""

    changes: tuple[str, ...]
    replayed: Replayed


def update(folder: Path, rules: RuleSet | None = None, played: Played = nobody) -> Updated:
    """Take a tape as it lies: play it, and write what came of it as expected, with a new manifest and seal."""
    tape = tapes.read(folder, as_it_lies=True)
    changes = list(tape.edits)
    tape, changed = _under_present_rules(tape, rules)
    changes += changed
    done = replay(_comparable(tape), rules, played=played)
    changes += [f"{tape.name}: {difference}." for difference in done.differences]
    if tape.expected is None:
        changes.append(f"{tape.name}: it had no expected results; it has now.")
    head = replace(tape.head, state="cut") if tape.head.state == "recording" else tape.head
    text = _whole_lines(tape) if tape.head.state == "recording" else None
    try:
        seal(folder, head, results.as_json(done.results), text)
    except OSError as error:
        raise BadTape(
            f"{tape.name}: it cannot be written: {error.strerror}. Nothing that counts was changed."
        ) from error
    return Updated(tuple(changes), replace(done, tape=tape))


def _comparable(tape: Tape) -> Tape:
    """The tape without expectations that can be no tape's: those that were edited into nonsense."""
    try:
        _expected(tape)
    except BadTape:
        return replace(tape, expected=None)
    return tape


def _whole_lines(tape: Tape) -> bytes:
    text = tape.bytes_of(tapes.INPUTS)
    return text[: text.rfind(b"\n") + 1]


def _under_present_rules(tape: Tape, other: RuleSet | None) -> tuple[Tape, list[str]]:
    """The tape under the pack it is played with now, and what that changes."""
    rules = _own_rules(tape) if tapes.RULES in tape.files else other or pack.standard()
    named = {"name": rules.name, "version": rules.version, "hash": rules.hash}
    if tape.head.rules == named:
        return tape, []
    head: Head = replace(tape.head, rules=named)
    return replace(tape, head=head), [f"{tape.name}: rules: {tape.head.rules['hash'][:19]} is now {rules.hash[:19]}."]
