"""Photographs of single numeral dice as examples to learn from: `python -m training.photographs --data DIR --out DIR`.

DIR holds labels.csv and photos/; a shard is written for each set. The labels say type and value alone: where the top
numeral lies is what the nets that ship say where they, told the type, read the labelled value. A set that is to judge
what was learnt is left out of training as a whole (`--without` of `training.reader`).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from dicevision import numbered, numerals, seek
from dicevision.image import Frame, Points, workable
from dicevision.numerals import NumeralNets, NumeralReading
from dicevision.params import Params
from training import shards, solids
from training.shards import Shard
from training.singles import Side, Single

TAKEN_AT = 0.3
"""Probability of the labelled value, the type told, from which the place it is read at teaches."""

BESIDE = 0.25
"""Share of photographs that give one more face whose disc is off: a photograph's look must not say "a numeral"."""

ONE_TILT = ("tower-tray", "turntable-d20 top", "turntable-d20 color")
"""Photographs that one fixed camera took of dice near its axis."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """One photograph with its one labelled die. camera: what took it, where that is one for many."""

    path: Path
    die: str
    value: int

    @property
    def camera(self) -> str | None:
        """The fixed camera that took it, as ONE_TILT names it."""
        view = next((f" {word}" for word in ("top", "color") if f"d20_{word}" in self.path.name), "")
        told = self.path.parent.name + (view if self.path.parent.name == "turntable-d20" else "")
        return told if told in ONE_TILT else None


def listed(data: Path) -> dict[str, list[Photograph]]:
    """By set, every photograph of exactly one labelled numeral die."""
    rows: dict[str, list[dict[str, str]]] = {}
    with (data / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["file"], []).append(row)
    sets: dict[str, list[Photograph]] = {}
    for name, dice in rows.items():
        if len(dice) == 1 and dice[0]["style"] == "numeral" and dice[0]["value"]:
            one = Photograph(data / "photos" / name, dice[0]["die"], int(dice[0]["value"]))
            sets.setdefault(name.split("/")[0], []).append(one)
    return sets


def opened(photograph: Photograph) -> Frame:
    """Its picture, in the size that the reader works in. ValueError where there is none."""
    picture = cv2.imread(str(photograph.path))
    if picture is None:
        raise ValueError(f"expected a photograph that labels.csv names; {photograph.path} cannot be opened")
    return workable(np.asarray(picture, np.uint8), Params().most_px)[0]


def outlines(frame: Frame) -> list[Points]:
    """The outlines of whatever may be a die, as the nets that read are given them."""
    return [numbered.grown(one.outline) for one in seek.likely_dice(frame, seek.mine())]


def tilts(photographs: Sequence[Photograph], nets: NumeralNets) -> dict[str, tuple[float, float]]:
    """The tilt of each fixed camera, as its dice show it."""
    seen: dict[str, list[numerals.Placed]] = {}
    for one in photographs:
        if one.camera is not None:
            frame = opened(one)
            ways = [numerals.place(frame, outline, nets) for outline in outlines(frame)]
            if ways:
                seen.setdefault(one.camera, []).append(max(ways, key=lambda way: way.die))
    return {camera: numerals.common_tilt(ways) for camera, ways in seen.items()}


def single(photograph: Photograph, nets: NumeralNets, tilt: tuple[float, float] | None) -> Single | None:
    """The photograph as if it were a render, its numeral where it reads best; None where nothing reads as labelled."""
    frame = opened(photograph)
    best: tuple[float, NumeralReading, Points] | None = None
    for outline in outlines(frame):
        reading = numerals.read_numeral(frame, outline, nets, die=photograph.die, tilt=tilt)
        share = dict(reading.joint).get((photograph.die, photograph.value), 0.0)
        if share >= TAKEN_AT and (best is None or share > best[0]):
            best = (share, reading, outline)
    return None if best is None else as_render(photograph, frame, best[1], best[2], nets)


def as_render(
    photograph: Photograph, frame: Frame, reading: NumeralReading, outline: Points, nets: NumeralNets
) -> Single:
    """Put what was read into the form that renders have."""
    box = numerals.box_of(outline)
    off = numbered.away(frame, box)
    placed = numerals.place(frame, outline, nets, off)
    marked = photograph.value in numerals.TWIN and reading.mark_seen >= numerals.MARK_SEEN_AT
    top = Side(disc=reading.disc, value=photograph.value, numeral=True, marked=marked, pips=False)
    return Single(
        picture=frame, die=photograph.die, shape=shape_of(photograph.die, placed, nets), box=box, outline=outline,
        top=top, others=(), tilt=reading.tilt, away=off,
    )  # fmt: skip


def shape_of(die: str, placed: numerals.Placed, nets: NumeralNets) -> str:
    """The likeliest of the shapes that a die of that type can have."""
    shares = zip(placed.shapes, nets.calibration.shapes, solids.SHAPES, strict=True)
    return max((float(share), shape) for share, dice, shape in shares if die in dice)[1]


def shard_of(photographs: Sequence[Photograph], nets: NumeralNets, seed: int = 0) -> Shard:
    """Those of the photographs that read as they are labelled, as renders are kept."""
    learnt, rng = tilts(photographs, nets), np.random.default_rng(seed)
    found = (single(one, nets, learnt.get(one.camera or "")) for one in photographs)
    dice = (one for one in found if one is not None)
    return shards.of((one, list(beside(one, rng))) for one in dice)


def beside(one: Single, rng: np.random.Generator) -> Iterator[Side]:
    """Now and then a disc that missed the face."""
    if one.die != "D4" and rng.random() < BESIDE:
        yield shards.misplaced(one.top, rng)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.photographs", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with labels.csv and photos/")
    parser.add_argument("--out", type=Path, required=True, help="folder for a shard of each set (ignored by git)")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    for name, photographs in listed(given.data).items():
        shard = shard_of(photographs, numerals.mine())
        shards.save(shard, given.out / f"{name}.npz")
        sys.stdout.write(f"{name}: {len(shard.whole)} of {len(photographs)} photographs teach\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
