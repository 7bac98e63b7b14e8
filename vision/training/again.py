"""A shipped net's weights, taken from its ONNX file back into PyTorch, so that training goes on from them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from training.unrolled import rolled


def weights(path: Path) -> list[tuple[Tensor, Tensor]]:
    """(weight, bias) of every convolution and matrix of an ONNX file, first to last."""
    graph = onnx.load(path).graph
    held = {one.name: torch.from_numpy(np.array(numpy_helper.to_array(one))) for one in graph.initializer}
    nodes = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    return [(held[node.input[1]], held[node.input[2]]) for node in nodes]


def shaped(weight: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A convolution's weight as PyTorch has it, of `shape`, where the file has it unrolled."""
    return torch.from_numpy(np.ascontiguousarray(rolled(weight.numpy(), shape)))


def restore(net: nn.Module, path: Path, batches: Sequence[Tensor]) -> None:
    """Give `net` the function that the file has. ValueError where they are of different make.

    Export folds each normalisation into the convolution before it. It is unfolded here by the mean and spread that its
    inputs have over `batches` (crops as training gives them): then it does the same in training as in use.
    """
    layers = called(net, batches[0])
    told, norms = weights(path), []
    weighty = [one for one in layers if not isinstance(one, nn.BatchNorm2d)]
    shapes = [tuple(one.weight.shape) for one in weighty]
    given = [(shaped(weight, shape), bias) for (weight, bias), shape in zip(told, shapes, strict=False)]
    if len(told) != len(shapes) or [tuple(weight.shape) for weight, _ in given] != shapes:
        raise ValueError(f"expected a net with the layers of {path}; it has others: train it anew")
    for layer, (weight, bias) in zip(weighty, given, strict=True):
        layer.weight.data.copy_(weight)
        after = layers[layers.index(layer) + 1 :][:1]
        if layer.bias is not None:
            layer.bias.data.copy_(bias)
        elif after and isinstance(after[0], nn.BatchNorm2d):
            norms.append(after[0])
            _add(after[0], bias)
    _unfold(net, norms, batches)


def called(net: nn.Module, crops: Tensor) -> list[nn.Module]:
    """Its convolutions, matrices and normalisations in the order in which they are called, as an ONNX file has them."""
    order: list[nn.Module] = []
    kinds = (nn.Conv2d, nn.Linear, nn.BatchNorm2d)
    hooks = [
        one.register_forward_hook(lambda layer, *_: order.append(layer))
        for one in net.modules()
        if isinstance(one, kinds)
    ]
    with torch.no_grad():
        net.eval()(crops)
    for hook in hooks:
        hook.remove()
    return order


def _add(norm: nn.BatchNorm2d, bias: Tensor) -> None:
    """Make it add `bias` and change nothing else."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.zero_()
    norm.running_var.fill_(1 - norm.eps)
    norm.weight.data.fill_(1)
    norm.bias.data.copy_(bias)


def _unfold(net: nn.Module, norms: list[nn.BatchNorm2d], batches: Sequence[Tensor]) -> None:
    """Let each normalise by what it is given, and undo that by its own gain and offset."""
    seen: dict[nn.Module, list[Tensor]] = {norm: [] for norm in norms}

    def note(norm: nn.Module, given: tuple[Tensor, ...], _: Tensor) -> None:
        seen[norm].append(torch.stack([given[0].mean((0, 2, 3)), (given[0] ** 2).mean((0, 2, 3))]))

    hooks = [norm.register_forward_hook(note) for norm in norms]
    net.eval()
    with torch.no_grad():
        for batch in batches:
            net(batch)
        for norm, hook in zip(norms, hooks, strict=True):
            hook.remove()
            mean, square = torch.stack(seen[norm]).mean(0)
            spread = (square - mean**2).clamp(min=1e-6)
            assert norm.running_mean is not None
            assert norm.running_var is not None
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
            norm.weight.data.copy_((spread + norm.eps).sqrt())
            norm.bias.data.add_(mean)
