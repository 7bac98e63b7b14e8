"""A table's history as a spreadsheet: CSV (RFC 4180), one row an attack and one a die, the columns of both."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dicetower.game.ledger import columns

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula's start (OWASP, CSV injection); players choose their own names."""


def sheet(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return `rows` as CSV with a head line, always the same. What is nested gets a column each: `outcome.final`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(), restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in _flat(row)} for row in rows)
    return text.getvalue()


def _flat(row: Mapping[str, Any], under: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{under}{name}.")
        else:
            yield f"{under}{name}", value


def _cell(value: Any) -> Any:
    """Text that would start a formula is quoted as a spreadsheet quotes it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
