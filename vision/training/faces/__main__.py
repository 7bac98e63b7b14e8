"""Draw, train and write the judge: `python -m training.faces OUT --seed 11`; stopped, it goes on where it was."""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import torch

from dicevision import judge
from training.faces import files, fit
from training.faces.agree import cases, weights
from training.faces.shards import Source, path_of, shard

HELD = 2
"""Scatter shards that are only measured on, and half as many of trays."""

AGREED = 400
"""Scenes, in no shard, from which it is learnt how far to trust geometry and judge together."""


def main() -> None:
    """Read the command line and do it all."""
    parser = argparse.ArgumentParser(prog="python -m training.faces", description="Train the judge of faces.")
    parser.add_argument("out", type=Path, help="a folder for shards, checkpoint, log and model; made if need be")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--scatter", type=int, default=30, help="shards of fast scenes")
    parser.add_argument("--trays", type=int, default=4, help="shards of ray-traced scenes")
    parser.add_argument("--workers", type=int, default=2, help="processes that draw while this one trains")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    wanted: list[tuple[Source, int]] = [("trays", k) for k in range(given.trays)]
    wanted += [("scatter", k) for k in range(given.scatter)]
    with ProcessPoolExecutor(max(1, given.workers), multiprocessing.get_context("spawn")) as pool:
        if given.workers:
            pool.map(partial(drawn, given.out, given.seed), wanted)
        train(given.out, given.seed, given.trays, given.scatter)


def drawn(out: Path, seed: int, which: tuple[Source, int]) -> None:
    """Make one shard, on one thread."""
    cv2.setNumThreads(1)
    shard(out, which[0], seed, which[1])


def train(out: Path, seed: int, trays: int, scatter: int) -> None:
    """Train on the shards as they come, calibrate on the held ones, and write judge.onnx and judge.json."""
    held = [path_of(out, "scatter", seed, k) for k in range(HELD)] + [path_of(out, "trays", seed, 0)]
    paths = [path_of(out, "trays", seed, k) for k in range(1, trays)]
    paths += [path_of(out, "scatter", seed, k) for k in range(HELD, scatter)]
    for path in held:
        await_file(path)
    kept = fit.opened(held)
    net = fit.fit(paths, kept, out, seed, await_file)
    logits, labels = fit.outputs(net, kept), torch.from_numpy(kept.labels)
    heat = fit.temperature(logits, labels)
    apart = files.write(net, out / "judge.onnx")
    alone = judge.Judge(cv2.dnn.readNetFromONNX(str(out / "judge.onnx")), heat)
    agree = weights(cases(range(AGREED), alone))
    how = {"seed": seed, "trays": trays, "scatter": scatter, "held": fit.score(logits / heat, labels), "apart": apart}
    (out / "judge.json").write_text(files.about(net, heat, agree, how))


def await_file(path: Path) -> None:
    """Wait until a shard is there: it appears whole."""
    while not path.exists():
        time.sleep(1)


if __name__ == "__main__":
    main()
