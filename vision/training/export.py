"""From trained nets to the files that ship: ONNX, checked equal to PyTorch, and the calibration beside it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from dicevision.crops import SIDE_PX
from training.shards import CLASSES
from training.solids import SHAPES
from training.unrolled import rewrite

CLOSE = 1e-5
"""The most that an output of cv2.dnn may differ from PyTorch's."""

DICE_OF_SHAPE = [["D10", "D100"] if shape == "D10" else ["D4"] if "D4" in shape else [shape] for shape in SHAPES]


def write(net: nn.Module, path: Path, side_px: int = SIDE_PX, any_size: bool = False) -> float:
    """Write `net` as ONNX and return how far cv2.dnn's outputs are from PyTorch's; ValueError above CLOSE.

    any_size: the net takes pictures of other sides than `side_px` too.
    """
    apart, _ = written(net, path, side_px, any_size)
    if apart > CLOSE:
        raise ValueError(
            f"expected cv2.dnn to give the trained net's outputs within {CLOSE}; they are {apart:.2e} apart: {path}"
        )
    return apart


def written(net: nn.Module, path: Path, side_px: int, any_size: bool = False) -> tuple[float, float]:
    """Write `net` as ONNX, unrolled; how far cv2.dnn's outputs are from PyTorch's, and the largest of these."""
    net = net.eval().to(memory_format=torch.contiguous_format)
    x = torch.randn(3, taken(net), side_px, side_px, generator=torch.Generator().manual_seed(7))
    free = {0: "n", 2: "height", 3: "width"} if any_size else {0: "n"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the newer exporter needs two more packages
        torch.onnx.export(
            net,
            (x,),
            str(path),
            dynamo=False,
            input_names=["crops"],
            output_names=["out"],
            dynamic_axes={"crops": free, "out": free},
        )
    rewrite(path)
    with torch.no_grad():
        expected = net(x).numpy()
    return float(np.abs(run(path, x.numpy()) - expected).max()), float(np.abs(expected).max())


def taken(net: nn.Module) -> int:
    """How many planes a picture has that a net takes."""
    return next(int(layer.in_channels) for layer in net.modules() if isinstance(layer, nn.Conv2d))


def run(path: Path, x: Any) -> Any:
    """`x` through the ONNX file by cv2.dnn."""
    net = cv2.dnn.readNetFromONNX(str(path))
    net.setInput(x)
    return np.asarray(net.forward())


def proof(nets: dict[str, nn.Module]) -> str:
    """PyTorch's own outputs for two pictures that a formula gives: what cv2.dnn must reproduce wherever it runs.

    The input is 3 sin(0.01 k) for the k-th number of a (2, planes, 72, 72) array.
    """
    with torch.no_grad():
        given = {name: net.eval()(waves(taken(net))).numpy().round(6).tolist() for name, net in nets.items()}
    return json.dumps(given) + "\n"


def waves(planes: int) -> torch.Tensor:
    """The proof's input."""
    shape = (2, planes, SIDE_PX, SIDE_PX)
    return torch.from_numpy((3 * np.sin(0.01 * np.arange(np.prod(shape)))).reshape(shape).astype(np.float32))


def calibration(temperature: float, shape_weight: float, about: dict[str, Any]) -> str:
    """The JSON that numerals.load takes; `about` says how the nets came to be."""
    held = {
        "classes": [list(pair) for pair in CLASSES],
        "shapes": DICE_OF_SHAPE,
        "temperature": temperature,
        "shape_weight": shape_weight,
        "finder_weight": 1.0,
        "about": about,
    }
    return json.dumps(held, indent=None) + "\n"
