"""Trains the numeral reader from a seed: `python -m training.reader --seed 1` (with vision on PYTHONPATH, `.[train]`).

Draws the renders, trains both nets, exports and checks them, calibrates. `OUT/models` then holds the three files that
ship and golden.json for fixtures/nets. What is there already is not made again, so a stopped run goes on. How long it
takes: docs/model-card.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn

from dicevision import numerals
from training import again, calibrate, export, fit, glyphs, shards
from training.families import prepare_fonts
from training.physical import teach


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out.

    photographs: the folder of `training.photographs`, or "". without: the sets in it that are left out. rendered: the
    folder of `training.physical.teach`, or "".
    shard: renders in each. numeral, locate: each net's cycles, as `cycles` reads them. calibrated_on: renders. after:
    "numeral", "locate", both with a blank between, or "": the nets that go on from those that ship. height: the share
    of the learning rate in every cycle that goes on from something.
    """

    seed: int = 1
    shard: int = 2000
    held_shards: int = 2
    held_shard: int = 1000
    numeral: str = "10x7 30x4 60x3"
    locate: str = "10x6 30x4 40x3"
    calibrated_on: int = 1500
    processes: int = 2
    after: str = ""
    photographs: str = ""
    without: str = ""
    rendered: str = ""
    height: float = 0.5


def cycles(text: str) -> tuple[tuple[int, int], ...]:
    """What "10x7 30x4" says: seven passes over ten shards, then four over thirty, each begun where the last ended."""
    said = [part.split("x") for part in text.split()]
    if not said or not all(len(part) == 2 and all(n.isdecimal() and int(n) for n in part) for part in said):
        raise SystemExit(f'expected cycles such as "10x7 30x4" (shards times passes); got {text!r}')
    return tuple((int(count), int(passes)) for count, passes in said)


def train(recipe: Recipe, folder: Path) -> Path:
    """Do it all; return the folder with the three files."""
    began, models = time.monotonic(), folder / "models"
    models.mkdir(parents=True, exist_ok=True)
    fonts, kept = prepare_fonts(folder)
    held = shards.make_all(
        folder / "held", recipe.seed + 98, recipe.held_shards, recipe.held_shard, kept, recipe.processes
    )
    told = {name: cycles(getattr(recipe, name)) for name in fit.TASKS}
    count = max(count for each in told.values() for count, _ in each)
    drawn = shards.make_all(folder / "train", recipe.seed, count, recipe.shard, fonts, recipe.processes)
    went_on = {name: begun(name, drawn[0], folder) for name in recipe.after.split()}
    beside = [*photographed(recipe), *([teach.gathered(Path(recipe.rendered))] if recipe.rendered else [])]
    nets = {
        name: learn(name, each, drawn, held, folder, recipe.seed, went_on.get(name), beside, recipe.height)
        for name, each in told.items()
    }
    apart = {name: export.write(net, models / f"{name}.onnx") for name, net in nets.items()}
    (models / "golden.json").write_text(export.proof(nets))
    about = {
        "recipe": asdict(recipe),
        "seconds in this run": round(time.monotonic() - began),
        "cv2.dnn less PyTorch": apart,
    }
    finish(models, kept, recipe, about)
    return models


def photographed(recipe: Recipe) -> list[shards.Shard]:
    """The photographs' shards, by set, less those left out."""
    if not recipe.photographs:
        return []
    paths, left = sorted(Path(recipe.photographs).glob("*.npz")), set(recipe.without.split())
    if not paths or not left <= {path.stem for path in paths}:
        known = ", ".join(path.stem for path in paths) or "none"
        raise SystemExit(
            f"expected sets of photographs in {recipe.photographs}, and those left out among them; {known}"
        )
    return [shards.load(path) for path in paths if path.stem not in left]


UNFOLDED_BY = 40
"""Batches by which a shipped net is taken up."""


def begun(name: str, drawn: Path, folder: Path) -> Path:
    """A checkpoint of the net that ships, as if a cycle had ended with it."""
    if name not in fit.TASKS:
        raise SystemExit(f"expected nets of {', '.join(fit.TASKS)} to go on from; got {name!r}")
    (folder / "cycle0").mkdir(exist_ok=True)
    path = folder / "cycle0" / f"{name}.checkpoint.pt"
    task, shard, rng = fit.TASKS[name], shards.load(drawn), torch.Generator().manual_seed(0)
    mixed = torch.randperm(task.rows(shard), generator=rng).numpy()[: UNFOLDED_BY * fit.BATCH]
    net = task.net()
    batches = [task.batch(shard, mixed[k : k + fit.BATCH], rng, True)[0] for k in range(0, len(mixed), fit.BATCH)]
    again.restore(net, Path(numerals.__file__).with_name("models") / f"{name}.onnx", batches)
    torch.save({"net": net.state_dict()}, path)
    return path


def learn(
    name: str,
    told: Sequence[tuple[int, int]],
    drawn: list[Path],
    held: list[Path],
    folder: Path,
    seed: int,
    before: Path | None = None,
    beside: Sequence[shards.Shard] = (),
    height: float = 0.5,
) -> nn.Sequential:
    """One net: in each cycle so many passes over the first so many shards, begun with what the last one learnt."""
    for number, (count, passes) in enumerate(told, 1):
        own = folder / f"cycle{number}"
        own.mkdir(exist_ok=True)
        net = fit.fit(
            fit.TASKS[name], drawn[:count], held, own, passes, seed, after=before, beside=beside, height=height
        )
        before = own / f"{name}.checkpoint.pt"
    return net


def finish(models: Path, kept: Path, recipe: Recipe, about: dict[str, object]) -> None:
    """Calibrate on renders in the fonts kept back, and write the calibration."""
    path = models / "numerals.json"
    path.write_text(export.calibration(1.0, 0.5, {}))
    nets = numerals.in_folder(models)
    singles = calibrate.renders(recipe.seed + 500, recipe.calibrated_on, glyphs.load(kept))
    found = calibrate.fit([calibrate.see(single, nets) for single in singles], nets.calibration)
    path.write_text(export.calibration(found.temperature, found.shape_weight, about))


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m training.reader", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out/reader"), help="folder for all that is made (ignored by git)"
    )
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    given = vars(parser.parse_args(arguments))
    models = train(Recipe(**{k: v for k, v in given.items() if k != "out"}), given["out"])
    sys.stdout.write(json.dumps({"models": str(models)}) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
