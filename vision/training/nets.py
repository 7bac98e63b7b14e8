"""The two networks, in PyTorch: `Locate` looks at the whole die, `Numeral` at the straightened top face.

Strided and residual convolutions, depthwise where the picture is large; batch normalisation folds away on export.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.shards import CLASSES
from training.solids import SHAPES

LOCATE_OUT = len(SHAPES) + 5 + 2
"""Shape logits, the disc's geometry (see shards.Shard), the tilt. Beside them: the log odds of a die (finder.isdie)."""

NUMERAL_OUT = len(CLASSES) + 3
"""Class logits, and those of "no numeral here", "it has a mark under it" and "it is pips"."""


def convolve(into: int, out: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    """Convolution, normalisation, ReLU."""
    conv = nn.Conv2d(into, out, size, stride, size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class Separable(nn.Module):
    """Depthwise 3x3 then pointwise, with the input added where the size allows it."""

    def __init__(self, into: int, out: int, stride: int = 1) -> None:
        super().__init__()
        self.deep = nn.Sequential(nn.Conv2d(into, into, 3, stride, 1, groups=into, bias=False), nn.BatchNorm2d(into))
        self.mix = nn.Sequential(nn.Conv2d(into, out, 1, bias=False), nn.BatchNorm2d(out))
        self.same = into == out and stride == 1

    def forward(self, x: Tensor) -> Tensor:
        """(N, into, H, W) -> (N, out, H / stride, W / stride)."""
        y = self.mix(self.deep(x))
        return torch.relu(x + y if self.same else y)


class Residual(nn.Module):
    """Two 3x3 convolutions with the input added."""

    def __init__(self, width: int, narrow: int) -> None:
        super().__init__()
        last = nn.Sequential(nn.Conv2d(narrow, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))
        self.body = nn.Sequential(convolve(width, narrow), last)

    def forward(self, x: Tensor) -> Tensor:
        """(N, width, H, W) -> the same."""
        return torch.relu(x + self.body(x))


class Beside(nn.Module):
    """What two nets make of the same, side by side."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x: Tensor) -> Tensor:
        """(N, ...) -> (N, outputs of the first, then of the second)."""
        return torch.cat([self.first(x), self.second(x)], 1)


def locate() -> nn.Sequential:
    """The whole die's net: 72 -> 36 -> 18 -> 9 -> 5; the last map is kept flat, for it tells places.

    It is given three colours and, in two more planes, how far off the camera's axis the die lies (`crops.with_place`).

    Its very last output, "it is a die", knows nothing yet: it is fitted by finder.isdie when the others are trained.
    """
    told = nn.Sequential(nn.Linear(24 * 25, 96), nn.ReLU(inplace=True), nn.Linear(96, LOCATE_OUT))
    die = nn.Linear(24 * 25, 1)
    nn.init.zeros_(die.weight)
    nn.init.zeros_(die.bias)
    return nn.Sequential(
        convolve(5, 24, 2, 5), Separable(24, 40, 2), Separable(40, 40),
        convolve(40, 80, 2), Separable(80, 80), Residual(80, 64),
        convolve(80, 112, 2), Separable(112, 112), nn.Conv2d(112, 24, 1), nn.ReLU(), nn.Flatten(),
        Beside(told, die),
    )  # fmt: skip


def numeral() -> nn.Sequential:
    """The top face's net: 72 -> 36 -> 18 -> 9 -> 5, averaged over the last map."""
    return nn.Sequential(
        convolve(3, 24, 2, 5), Separable(24, 48, 2), Separable(48, 48),
        convolve(48, 96, 2), Residual(96, 64), Separable(96, 96),
        convolve(96, 160, 2), Separable(160, 160), Separable(160, 224), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Dropout(0.1), nn.Linear(224, NUMERAL_OUT),
    )  # fmt: skip
