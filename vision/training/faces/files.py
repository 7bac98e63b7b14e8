"""From the trained judge to the files that ship: ONNX, checked equal to PyTorch, and the JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dicevision.judge import CLASSES, SIDE_PX
from training.export import CLOSE, written


def write(net: nn.Module, path: Path) -> float:
    """Write `net` as ONNX and return how far cv2.dnn's outputs are from PyTorch's; ValueError above CLOSE."""
    apart, largest = written(net, path, SIDE_PX)
    if apart > CLOSE * max(1.0, largest):
        raise ValueError(
            f"expected cv2.dnn to give the trained net's outputs within {CLOSE}; they are {apart:.2e} apart"
        )
    return apart


def proof(net: nn.Module) -> list[list[float]]:
    """PyTorch's own outputs for 3 sin(0.01 k) as the k-th number of a (2, 3, SIDE_PX, SIDE_PX) array."""
    count = 2 * 3 * SIDE_PX * SIDE_PX
    x = torch.from_numpy((3 * np.sin(0.01 * np.arange(count))).reshape(2, 3, SIDE_PX, SIDE_PX).astype(np.float32))
    with torch.no_grad():
        given: list[list[float]] = net.eval()(x).numpy().astype(float).round(6).tolist()
    return given


def about(net: nn.Module, temperature: float, agree: Sequence[float], how: dict[str, Any]) -> str:
    """The JSON that judge.load takes; `how` says how the net came to be."""
    held: dict[str, Any] = {
        "classes": list(CLASSES),
        "temperature": round(temperature, 4),
        "agree": [round(w, 4) for w in agree],
    }
    held |= {"about": how, "proof": proof(net)}
    return json.dumps(held, indent=1) + "\n"
