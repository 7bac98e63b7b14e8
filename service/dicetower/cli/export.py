"""`dicetower export`: every attack and every die of the journal, for a script or a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicetower.errors import BadInput, NotFound

if TYPE_CHECKING:
    from dicetower.model import Store


def register(main: click.Group) -> None:
    """Add this file's command to `main`."""
    main.add_command(export)


@click.command(short_help="Print every attack and every die; changes nothing.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each attack and each die.")
@click.option("--csv", "as_csv", is_flag=True, help="A spreadsheet: CSV, one row for each attack and each die.")
@click.option("--table", metavar="NAME", help="One table; else all that the journal holds.")
@click.option("--journal", metavar="FILE", help="The journal: a file, or a database URL; else the configured one.")
@click.option("--config", type=click.Path(path_type=Path), help="The configuration file.")
def export(as_json: bool, as_csv: bool, table: str | None, journal: str | None, config: Path | None) -> None:
    """Print every attack and every die, also while a service runs; it changes nothing."""
    from dicetower.api.sheet import sheet
    from dicetower.store.journal import read_journal

    if as_json == as_csv:
        raise BadInput("Say --json (a line of JSON an attack and a die) or --csv (a spreadsheet).")
    with read_journal(_journal(journal, config)) as store:
        rows = _rows(store, table)
        if as_csv:
            click.echo(sheet(rows), nl=False)
        else:
            for row in rows:
                click.echo(json.dumps(row))


def _journal(journal: str | None, config: Path | None) -> str:
    from dicetower import settings

    chosen = settings.load({"journal": journal}, config).settings.journal
    if chosen == settings.MEMORY:
        raise BadInput("A journal in memory ends with its service; name a file with --journal.")
    return chosen


def _rows(store: Store, table: str | None) -> Iterator[dict[str, Any]]:
    from dicetower.game.events import from_row
    from dicetower.game.ledger import Ledger

    names = store.tables()
    if table is not None and table not in names:
        raise NotFound(f"This journal has no table {table!r:.60}; it has {', '.join(names) or 'none yet'}.")
    for name in names if table is None else [table]:
        yield from Ledger(name).add_all(map(from_row, store.read(name))).rows()
