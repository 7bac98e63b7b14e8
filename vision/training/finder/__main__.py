"""Draw, train and write the finder: `python -m training.finder --out OUT`; stopped, it goes on where it was."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from training.families import prepare_fonts
from training.finder import export, fit, shards
from training.finder.fit import Cycle

D4_FIRST = 100
"""Number of the first shard that is rich in D4s."""


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and do it all."""
    parser = argparse.ArgumentParser(prog="python -m training.finder", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/finder"), help="folder for all that is made")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", type=int, default=24, help=f"of {shards.SCENES} scenes each")
    parser.add_argument("--passes", type=int, default=2, help="how often the first cycle sees each scene whole")
    parser.add_argument("--hard-passes", type=int, default=2, help="the same of the second, which looks at its errors")
    parser.add_argument("--d4-shards", type=int, default=8, help="the last cycle: as many rich in D4s as others")
    parser.add_argument("--workers", type=int, default=1, help="processes that draw while this one trains")
    given = parser.parse_args(arguments)
    (given.out / "models").mkdir(parents=True, exist_ok=True)
    fonts, kept = prepare_fonts(given.out)
    held = [shards.path_of(given.out, given.seed + shards.HELD_SEED, k) for k in range(shards.HELD)]
    numbers = [*range(given.shards), *range(D4_FIRST, D4_FIRST + given.d4_shards)]
    paths = [shards.path_of(given.out, given.seed, k) for k in numbers]
    with ProcessPoolExecutor(max(1, given.workers), multiprocessing.get_context("spawn")) as pool:
        for k, path in zip(numbers, paths, strict=True):
            pool.submit(
                shards.write, path, given.seed, k, shards.SCENES, fonts, shards.RICH_IN_D4S if k >= D4_FIRST else 0.0
            )
        for k, path in enumerate(held):
            pool.submit(shards.write, path, given.seed + shards.HELD_SEED, k, shards.SCENES, kept)
        cycles = [
            Cycle(given.shards, given.passes),
            Cycle(given.shards, given.hard_passes, 0.6, hard=True),
            Cycle(2 * given.d4_shards, 1, 0.4, hard=True, first=given.shards - given.d4_shards),
        ]
        net = fit.fit(paths, given.out, cycles, given.seed, await_file)
        for path in held:
            await_file(path)
    how = {"seed": given.seed, "shards": given.shards, "scenes": shards.SCENES, "passes": given.passes,
           "hard passes": given.hard_passes, "d4 shards": given.d4_shards}  # fmt: skip
    told = export.write(net, given.out / "models", [shards.load(path) for path in held], how)
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def await_file(path: Path) -> None:
    """Wait until a shard is there: it appears whole."""
    while not path.exists():
        time.sleep(1)


if __name__ == "__main__":
    raise SystemExit(main())
