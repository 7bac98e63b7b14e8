"""From the trained finder to the files that ship: ONNX, checked equal to PyTorch, and the JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dicevision import seek
from dicevision.seek import CLOSER_PX, Finder
from training import export
from training.finder.shards import Shard
from training.finder.targets import LEAST_SEEN, box_of, same

PROOF_PX = 32
"""Side of the pictures of the proof: small, for its numbers ship."""

EVEN = (1.0, 1.0, *[0.0] * (seek.WEIGHTS - 2))
"""Weights of `numbered.belief` before any are fitted: the odds multiplied."""


def write(net: nn.Module, folder: Path, held: Sequence[Shard], how: dict[str, Any]) -> dict[str, Any]:
    """Write finder.onnx and finder.json; return what the JSON tells of the net."""
    apart = export.write(net, folder / "finder.onnx", CLOSER_PX, any_size=True)
    told = {**how, "cv2.dnn less PyTorch": apart}
    about(folder, EVEN, told, proof(net))
    finder = seek.load((folder / "finder.onnx").read_bytes(), (folder / "finder.json").read_text())
    told |= {"held": score(finder, held)}
    about(folder, EVEN, told, proof(net))
    return told


def about(folder: Path, agree: Sequence[float], told: dict[str, Any], given: list[Any]) -> None:
    """Write finder.json."""
    held = {"agree": [round(weight, 4) for weight in agree], "about": told, "proof": given}
    (folder / "finder.json").write_text(json.dumps(held) + "\n")


def proof(net: nn.Module) -> list[Any]:
    """PyTorch's own outputs for 3 sin(0.01 k) as the k-th number of a (1, 3, PROOF_PX, PROOF_PX) array."""
    count = 3 * PROOF_PX * PROOF_PX
    x = torch.from_numpy((3 * np.sin(0.01 * np.arange(count))).reshape(1, 3, PROOF_PX, PROOF_PX).astype(np.float32))
    with torch.no_grad():
        given: list[Any] = net.eval()(x).numpy().astype(float).round(5).tolist()
    return given


def score(finder: Finder, held: Sequence[Shard]) -> dict[str, int]:
    """How many dice of held scenes are found at a glance and, with a likelihood of 0.5, on a closer look."""
    dice = glanced = near = false = 0
    for shard in held:
        for frame, lying in zip(shard.frames, shard.dice(), strict=True):
            boxes = [(box_of(outline), seen) for outline, seen in lying]
            places = [box for _, box in seek.glance(frame, finder)]
            found = seek.apart([one for one in seek.closer(frame, places, finder) if one.likely > 0.5])
            whole = [box for box, seen in boxes if seen >= LEAST_SEEN]
            dice += len(whole)
            glanced += sum(any(same(box, place) for place in places) for box in whole)
            near += sum(any(same(box, one.box) for one in found) for box in whole)
            false += sum(all(not same(box, one.box, 0.25) for box, _ in boxes) for one in found)
    return {"dice": dice, "found at a glance": glanced, "found on a closer look": near, "false": false}
