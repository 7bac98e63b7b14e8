"""Make a set of rendered trays: `python -m training.physical OUT --count 5` (vision on PYTHONPATH, `.[physical]`).

OUT gets a PNG and a JSON of labels a scene. What is there already is not made again. The pictures are renders: say so
wherever they are shown or counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from training import families
from training.physical import light, sets


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.physical", description="Render trays of mixed dice.")
    parser.add_argument("out", type=Path, help="a folder, made if need be")
    parser.add_argument("--count", type=int, default=5, help="scenes (default 5)")
    parser.add_argument("--begin", type=int, default=0, help="number of the first scene (default 0)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dice", type=int, default=8, help="dice a scene (default 8)")
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 960), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--samples", type=int, default=light.SAMPLES, help="rays a pixel before denoising")
    parser.add_argument("--fonts", choices=("held", "train", "strokes"), default="strokes")
    given = parser.parse_args(arguments)
    if min(given.count, given.dice, given.samples, *given.size) < 1 or given.dice > 20:
        parser.error("expected at least one scene, sample and pixel, and 1 to 20 dice")
    began = time.monotonic()
    numbers = range(given.begin, given.begin + given.count)
    size = (given.size[0], given.size[1])
    fonts = families.fonts_of(given.fonts)
    for done in sets.write_set(
        given.out, given.seed, numbers, fonts, dice=given.dice, size=size, samples=given.samples
    ):
        sys.stdout.write(f"{done.stem} {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
