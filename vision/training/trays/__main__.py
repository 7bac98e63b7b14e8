"""Make a set of renders: `python -m training.trays OUT --kind pips --count 60 --seed 1`.

OUT gets a PNG a scene and labels.json. The pictures are renders: say so wherever they are shown or counted.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from training.trays.sets import write_set
from training.trays.throws import Kind


def main() -> None:
    """Read the command line and write the set."""
    parser = argparse.ArgumentParser(prog="python -m training.trays", description="Render pipped dice on trays.")
    parser.add_argument("out", type=Path, help="a folder, made if need be")
    parser.add_argument("--kind", choices=get_args(Kind), default="pips")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write_set(given.out, given.kind, given.seed, given.count)


if __name__ == "__main__":
    main()
