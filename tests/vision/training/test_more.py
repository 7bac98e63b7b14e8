"""The finder trained further, and written as it ships. Only where torch is installed (`pip install -e .[train]`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training alone needs torch (`pip install -e .[train]`)")

import torch

from dicevision import seek
from training.finder import export, fit, more, shards


def outlines(shard: shards.Shard) -> list[bytes]:
    """Every die's outline, whichever scene it is in."""
    return sorted(outline.tobytes() for scene in shard.dice() for outline, _ in scene)


def test_the_net_that_ships_is_taken_up_and_written_as_it_ships(tmp_path: Path) -> None:
    shard, learner = shards.make(5, 0, 8, ()), fit.Learner(tmp_path, 1)
    more.taken_up(learner, shard)
    made = export.write(learner.net.eval(), tmp_path, [shard], {"passes": 0})
    assert made["cv2.dnn less PyTorch"] < 1e-4
    finder = seek.load((tmp_path / "finder.onnx").read_bytes(), (tmp_path / "finder.json").read_text())
    x = np.random.default_rng(2).integers(0, 255, (96, 128, 3)).astype(np.uint8)
    ours, shipped = (seek.glance(x, one) for one in (finder, seek.mine()))
    assert [box for _, box in ours] == pytest.approx([box for _, box in shipped], abs=0.05)
    assert len(json.loads((tmp_path / "finder.json").read_text())["agree"]) == seek.WEIGHTS


def test_passes_go_on_where_they_were_stopped(tmp_path: Path) -> None:
    told = [shards.make(5, k, 8, ()) for k in range(2)]
    learner = fit.Learner(tmp_path, 1)
    more.train(learner, told, 1)
    assert learner.done == 2
    again = fit.Learner(tmp_path, 1)
    assert again.done == 2
    more.train(again, told, 1)
    for mine, theirs in zip(learner.net.state_dict().values(), again.net.state_dict().values(), strict=True):
        assert torch.equal(mine, theirs)


def test_parts_hold_every_die_once() -> None:
    shard = shards.make(6, 0, 11, ())
    parts = more.parts(shard, size=3)
    assert len(parts) == 3
    assert sum(len(part.frames) for part in parts) == 11
    assert sorted(outline for part in parts for outline in outlines(part)) == outlines(shard)
    for k, part in enumerate(parts):
        for frame, dice in zip(part.frames, part.dice(), strict=True):
            (index,) = (n for n, one in enumerate(shard.frames) if np.array_equal(one, frame))
            assert index % 3 == k
            assert len(dice) == len(shard.dice()[index])
