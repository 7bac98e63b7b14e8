"""Every line of every table in the docs is drawn as a row: under a header and its separator, with as many cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SEPARATOR = re.compile(r":?-+:?")


def blocks(page: str) -> Iterator[list[str]]:
    """The runs of lines that begin with a bar, outside code."""
    for is_row, lines in groupby(FENCE.sub("", page).splitlines(), lambda line: line.startswith("|")):
        if is_row:
            yield list(lines)


def cells(line: str) -> list[str]:
    """A line's cells; a bar after a backslash is text."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def faults(page: str) -> list[str]:
    """Each line that is drawn as plain text, or whose cells are not the header's."""
    found = []
    for block in blocks(page):
        header, *rows = map(cells, block)
        if not rows or not all(map(SEPARATOR.fullmatch, rows[0])):
            found.append(f"no header and separator: {block[0]}")
        found += [
            f"{len(row)} cells, not {len(header)}: {line}"
            for row, line in zip(rows, block[1:], strict=True)
            if len(row) != len(header)
        ]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_line_of_a_table_is_a_row_of_it(page: Path) -> None:
    assert faults(page.read_text(encoding="utf-8")) == []


def test_a_split_table_and_a_missing_cell_are_found() -> None:
    table = "| a | b |\n|---|:-:|\n| `x \\| y` | 2 |\n"
    assert faults(table) == []
    assert faults(f"```\n| no table\n```\n{table}") == []
    assert faults(f"{table}\n| 3 | 4 |\n") == ["no header and separator: | 3 | 4 |"]
    assert faults(f"{table}| 3 |\n") == ["1 cells, not 2: | 3 |"]
