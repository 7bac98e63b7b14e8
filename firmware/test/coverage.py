"""Sum up gcov's text (`gcov -b`) for the core: one row a file, then the total. Exit 1 under the promised share."""

from __future__ import annotations

import re
import sys
from pathlib import Path

LINES_PROMISED = 0.98  # of all lines of core; what is left are defaults of exhaustive switches
FILE = re.compile(
    r"File '(?P<path>[^']*core/[^']+\.c)'\nLines executed:(?P<lines>[\d.]+)% of (?P<total>\d+)\n(?P<rest>(?:.+\n)*)"
)
BRANCHES = re.compile(r"Taken at least once:([\d.]+)% of (\d+)")


def main(text: str) -> int:
    """Write the table; the exit status."""
    rows = {}
    for match in FILE.finditer(text):
        branches = BRANCHES.search(match["rest"])
        total = int(match["total"])
        row = (round(float(match["lines"]) * total / 100), total, *share(branches))
        rows[Path(match["path"]).name] = row
    for name, row in sorted(rows.items()):
        sys.stdout.write(shown(name, row))
    sums = tuple(map(sum, zip(*rows.values(), strict=True)))
    sys.stdout.write(shown("core", sums))
    return 0 if sums[0] / sums[1] >= LINES_PROMISED else 1


def share(match: re.Match[str] | None) -> tuple[int, int]:
    """How many branches went both ways, and how many there are."""
    return (0, 0) if match is None else (round(float(match[1]) * int(match[2]) / 100), int(match[2]))


def shown(name: str, row: tuple[int, ...]) -> str:
    """One row of the table."""
    return f"{name:14} lines {row[0]:4}/{row[1]:4}  branches {row[2]:4}/{row[3]:4}\n"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).read_text()))
