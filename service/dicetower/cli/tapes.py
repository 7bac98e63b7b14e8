"""`dicetower replay` and `dicetower record`: play tapes and compare, or serve a table and keep what it is given."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicetower.cli import serve
from dicetower.cli.recording import TITLE, Record
from dicetower.cli.serve import with_settings
from dicetower.errors import BadInput, BadTape, CheckFailed, NotFound, Unavailable

if TYPE_CHECKING:
    from dicetower.rules.ruleset import RuleSet
    from dicetower.sources.tape import Line, Tape
    from dicetower.tapes.report import Case
    from dicetower.tapes.results import Result

LEAST_SPEED, GREATEST_SPEED = 0.01, 1000.0
SLICE_S = 0.5
"""A wait is cut into pieces, so that Ctrl-C is felt on every system."""


def register(main: click.Group) -> None:
    """Add this file's commands to `main`."""
    main.add_command(replay)
    main.add_command(record)


class Speed(click.ParamType[float]):
    """`max`, or how many times the tape's own pace."""

    name = "speed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the factor; infinity for `max`."""
        if value == "max":
            return float("inf")
        try:
            speed = float(value)
        except ValueError:
            speed = 0.0
        if not LEAST_SPEED <= speed <= GREATEST_SPEED:
            self.fail(
                f"expected max, or a number of {LEAST_SPEED:g} to {GREATEST_SPEED:g}, got {value!r:.40}.", param, ctx
            )
        return speed


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TAPE|DIR...")
@click.option("--speed", type=Speed(), default="max", metavar="N|max", help="N times the tape's own pace. [max]")
@click.option("--rules", type=click.Path(path_type=Path), metavar="FILE", help="The pack a tape was made under.")
@click.option("--update", is_flag=True, help="Take the tape as it lies: write a new expectation and manifest.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write what came of each as JUnit XML.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines: each result, then each tape's end.")
def replay(
    paths: tuple[Path, ...], speed: float, rules: Path | None, update: bool, junit: Path | None, as_json: bool
) -> int:
    """Play a tape, or every tape under a folder, and compare. Exit status 1 where something came otherwise."""
    from dicetower.rules import pack

    if update and (junit or speed != float("inf")):
        raise BadInput("--update goes with neither --junit nor --speed.")
    out = Out()
    with_rules = None if rules is None else pack.load(rules)
    found = [(folder, path) for path in paths for folder in tapes_at(path)]
    if update:
        return _update([folder for folder, _ in found], with_rules, out, as_json)
    return _replay(found, with_rules, speed, junit, out, as_json)


class Out:
    """Standard output, which its reader may close: what is checked is checked to the end all the same."""

    def __init__(self) -> None:
        self._closed = False

    def line(self, text: str) -> None:
        """Print a line, while anybody reads."""
        if self._closed:
            return
        try:
            click.echo(text)
            sys.stdout.flush()
        except BrokenPipeError:
            self._closed = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in its buffer goes nowhere


def tapes_at(path: Path) -> list[Path]:
    """The tape at a path, or all below it. A folder without any is a mistake, never a success."""
    from dicetower.sources import tape

    if not path.exists():
        raise NotFound(f"There is no tape {path}; name a tape's folder, or one that holds some.")
    if tape.is_tape(path):
        return [path]
    found = tape.under(path) if path.is_dir() else []
    if not found:
        raise BadTape(f"{path} is no tape and holds none: a tape is a folder with a {tape.HEAD}.")
    return found


def _replay(
    found: list[tuple[Path, Path]],
    rules: RuleSet | None,
    speed: float,
    junit: Path | None,
    out: Out,
    as_json: bool,
) -> int:
    from dicetower.tapes import report

    cases: list[Case] = []
    heard = _teller(out) if as_json else report.nobody
    for folder, path in found:
        for case in report.play([folder], path, rules, pauses(speed), heard):
            cases.append(case)
            _tell(case, out, as_json, single=len(found) == 1)
    if junit is not None:
        _write(junit, report.junit(cases))
    return _status(cases, single=len(found) == 1)


def _status(cases: list[Case], single: bool) -> int:
    """The exit status, with the sentence of what is wrong."""
    wrong = [case for case in cases if not case.ok]
    if single and wrong and wrong[0].replayed is None:
        raise BadTape(wrong[0].said)
    if wrong:
        count = "" if single else f"{len(wrong)} of {len(cases)} tapes did not come as expected. The first: "
        raise CheckFailed(f"{count}{wrong[0].said}")
    return 0


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}.") from error


def _teller(out: Out) -> Callable[[Tape, Line, Result], None]:
    from dicetower.tapes.results import one_as_json

    def tell(tape: Tape, line: Line, result: Result) -> None:
        out.line(json.dumps({"tape": tape.name, "ms": line.ms, "in": line.kind, **one_as_json(result)}))

    return tell


def _tell(case: Case, out: Out, as_json: bool, single: bool) -> None:
    if as_json:
        out.line(json.dumps(case_json(case)))
        return
    for line in single_lines(case) if single else case_lines(case):
        out.line(line)


def case_json(case: Case) -> dict[str, Any]:
    """A tape's end as one object."""
    done = case.replayed
    return {
        "tape": case.name,
        "title": case.title,
        "ok": case.ok,
        "inputs": 0 if done is None else len(done.results),
        "outcomes": [] if done is None else [_outcome(row) for row in done.attacks()],
        "difference": case.said or None,
    }


def _outcome(row: dict[str, Any]) -> dict[str, Any]:
    return {"attack": row["attack"], "title": row["title"], "state": row["state"], "outcome": row["outcome"]}


def case_lines(case: Case) -> list[str]:
    """A tape's end in a few lines: its title, each attack's outcome, and what came otherwise."""
    lines = [f"{case.title} ({case.name})" if case.replayed else case.name]
    lines += [f"  {attack_words(row)}" for row in (case.replayed.attacks() if case.replayed else [])]
    return [*lines, "  as expected" if case.ok else f"  {_verdict(case)}: {case.said}"]


def single_lines(case: Case) -> list[str]:
    """The same of a tape that is played alone: what is wrong with it is the error's sentence, and not said twice."""
    if case.replayed is None:
        return []
    *lines, last = case_lines(case)
    return [*lines, last if case.ok else f"  {_verdict(case)}"]


def _verdict(case: Case) -> str:
    return "CANNOT BE TRUSTED" if case.replayed is None else "NOT AS EXPECTED"


def attack_words(row: dict[str, Any]) -> str:
    """One attack of the export: what was declared and what it came to."""
    outcome = row["outcome"]
    if outcome is None or row["state"] not in ("resolved",):
        return f"{row['title']}: {row['state'].upper()}"
    return f"{row['title']}: {outcome['final'].replace('_', ' ').upper()} ({outcome['explanation']})"


def pauses(speed: float) -> Callable[[int], None]:
    """What to do between inputs at this speed."""
    import time

    def pause(ms: int) -> None:
        until = time.monotonic() + ms / 1000 / speed
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, SLICE_S))

    return pause


def _update(folders: list[Path], rules: RuleSet | None, out: Out, as_json: bool) -> int:
    from dicetower.tapes.replay import update

    for folder in folders:
        done = update(folder, rules)
        if as_json:
            out.line(json.dumps({"tape": done.replayed.tape.name, "changes": list(done.changes)}))
        else:
            for line in done.changes or [f"{done.replayed.tape.name}: nothing has changed."]:
                out.line(line)
    return 0


@click.command(short_help="Serve the table, and keep what it is given as a tape.")
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@with_settings
@click.option("--title", default=TITLE, show_default=True, help="What the tape calls itself.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as one line of JSON.")
def record(out: Path, title: str, config: Path | None, as_json: bool, **flags: Any) -> None:
    """Serve the table, and keep what it is given as a tape in the folder OUT, until Ctrl-C."""
    serve.run(serve.chosen(config, flags), as_json, Record(out, title))
