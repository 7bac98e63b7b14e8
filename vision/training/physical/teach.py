"""Rendered trays to train with: `python -m training.physical.teach OUT --count 150 --seed 7` (`.[physical]`).

OUT gets a scene's picture and labels, as `training.physical` writes them, and what its dice teach the numeral nets
(a small `training.shards.Shard`). What is there already is not made again. Materials and grounds are those of the dice
that are drawn to train with, fonts those that are trained on: the rendered trays that judge share none of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dicevision import numbered
from training import families, shards, singles
from training.finder.targets import box_of
from training.glyphs import Font
from training.physical import labels, light, scene, sets
from training.physical.die import Die, Pose
from training.physical.labels import Label
from training.physical.scene import Scene
from training.shards import Shard
from training.singles import Side, Single
from training.solids import Array, Face
from training.trays.geometry import View
from training.trays.sensor import develop

SIZE = (960, 720)
"""Pixels: dice are 50 to 120 wide; cheaper to render than a webcam's full size."""

THROWS = 3
"""Of each handful: another throw costs two fifths of what another scene costs, which is compiled first."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One die as the camera sees it: what `singles` asks of a view, points in the die's own units."""

    die: Die
    pose: Pose
    view: View

    def project(self, points: Array) -> Array:
        """(N, 3) in the die's space -> (N, 2) pixels, places as the pictures of single dice have them."""
        return np.asarray(self.view.project(self.pose.placed(points * self.die.mm)), np.float64) - 0.5

    def towards(self, way: Array) -> Array:
        """A direction of the tray as seen from the die: right, up, towards the camera."""
        away = self.pose.middle_mm - self.view.eye
        away = away / np.linalg.norm(away)
        right = self.view.turn[0] - away * (self.view.turn[0] @ away)
        right = right / np.linalg.norm(right)
        return np.array([way @ right, way @ np.cross(right, away), -(way @ away)])


def tilt_of(sight: Sight, top: Array) -> tuple[float, float]:
    """What the upper face's normal (of the die's own space) is seen as: x right, y up; 0 straight at the camera."""
    x, y, _ = sight.towards(sight.pose.turn @ top)
    return float(x), float(y)


def single_of(picture: NDArray[np.uint8], die: Die, label: Label, view: View) -> Single:
    """One die of a scene in the form of a drawn single."""
    sight = Sight(die, label.pose, view)
    outline = np.asarray(label.outline - 0.5, np.float32)
    box = box_of(outline)
    top, others, normal = sides(sight, label)
    return Single(
        picture,
        die.die,
        die.body.name,
        box,
        outline,
        top,
        tuple(others),
        tilt_of(sight, normal),
        numbered.away(picture, box),
    )


def sides(sight: Sight, label: Label) -> tuple[Side, list[Side], Array]:
    """The top, the side faces that face the camera well enough, and the top's normal."""
    die = sight.die
    top = labels.up(die, label.pose).index
    if die.body.name == "D4":
        base = die.body.faces[top]
        disc = singles.disc_of_apex(sight, base)
        return Side(disc, label.shows, False), [], -base.normal
    seen = [k for k, face in enumerate(die.body.numbered) if faces(sight, face) > singles.LEAST_SEEN and k != top]
    printed = {id(face): one for face, one in die.numerals}
    made = []
    for k in (top, *seen):
        face = die.body.numbered[k]
        one = printed[id(face)]
        disc = singles.disc_of(sight, die.body.name, face)
        made.append(Side(disc, die.values[k], one.marked, one.numeral, one.pips))
    return made[0], made[1:], die.body.numbered[top].normal


def faces(sight: Sight, face: Face) -> float:
    """Cosine of the angle at which the camera sees a face."""
    return float(sight.towards(sight.pose.turn @ face.normal)[2])


def taught(drawn: Scene, picture: NDArray[np.uint8]) -> Iterator[tuple[Single, list[Side]]]:
    """What each die that is seen well enough teaches."""
    rng = np.random.default_rng((*drawn.seed, 11))
    for die, label in zip(drawn.dice, drawn.labels(), strict=True):
        if label.value is not None:
            single = single_of(picture, die, label, drawn.view)
            yield single, shards.beside_top(single, rng)


def write(out: Path, seed: int, number: int, fonts: Sequence[Font], samples: int) -> None:
    """One handful, thrown THROWS times: of each throw picture, labels and shard. Where labels are, all are there."""
    missing = [throw for throw in range(THROWS) if not labels_of(out, number, throw).is_file()]
    if not missing:
        return
    drawn = scene.taught(seed, number, fonts, SIZE)
    studio = light.Studio(drawn, samples)
    for throw in missing:
        thrown = replace(drawn, poses=scene.thrown(seed, number, drawn.dice, drawn.tray, throw))
        noise = np.random.default_rng((seed, number, 7, throw))
        keep(labels_of(out, number, throw), thrown, develop(studio.shot(thrown.poses, throw), drawn.webcam, noise))


def keep(path: Path, thrown: Scene, picture: NDArray[np.uint8]) -> None:
    """Write what one picture teaches, the picture and, last, its labels."""
    shards.save(shards.of(list(taught(thrown, picture))), path.with_suffix(".npz"))
    sets.write_scene(path, thrown, lambda _: picture)


def labels_of(out: Path, number: int, throw: int) -> Path:
    """Where the labels of a handful's throw lie."""
    return out / f"tray-{number:04d}-{throw}.json"


def gathered(folder: Path) -> Shard:
    """All that the scenes of a folder teach the numeral nets, as one shard: top faces first, as everywhere."""
    parts = [shards.load(path) for path in sorted(folder.glob("tray-*.npz"))]
    if not parts:
        raise SystemExit(f"expected rendered trays of training.physical.teach in {folder}; there are none")
    dice = [len(part.whole) for part in parts]
    held = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("whole", "shape", "geometry", "away")
    }
    for name in ("face", "labels"):
        tops = [getattr(part, name)[:count] for part, count in zip(parts, dice, strict=True)]
        rest = [getattr(part, name)[count:] for part, count in zip(parts, dice, strict=True)]
        held[name] = np.concatenate([*tops, *rest])
    return Shard(**held)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.physical.teach", description=__doc__)
    parser.add_argument("out", type=Path, help="a folder, made if need be")
    parser.add_argument("--count", type=int, default=150, help=f"handfuls, each thrown {THROWS} times (default 150)")
    parser.add_argument("--begin", type=int, default=0, help="number of the first (default 0)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--samples", type=int, default=light.SAMPLES, help="rays a pixel before denoising")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    fonts, began = families.fonts_of("train"), time.monotonic()
    for number in range(given.begin, given.begin + given.count):
        write(given.out, given.seed, number, fonts, given.samples)
        sys.stdout.write(f"tray-{number:04d} {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
