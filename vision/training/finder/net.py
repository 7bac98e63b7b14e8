"""The finder's network, in PyTorch: a small encoder to a sixteenth, and back up to a quarter of the picture's side."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dicevision.seek import OUTPUTS
from training.nets import Separable, convolve


class Finder(nn.Module):
    """(N, 3, H, W), H and W multiples of 16 -> (N, OUTPUTS, H / 4, W / 4)."""

    def __init__(self) -> None:
        super().__init__()
        self.quarter = nn.Sequential(convolve(3, 16, 2), Separable(16, 32, 2))
        self.eighth = nn.Sequential(Separable(32, 64, 2), Separable(64, 64), Separable(64, 64))
        self.sixteenth = nn.Sequential(Separable(64, 128, 2), *(Wide(128, 1 + k % 2) for k in range(5)))
        self.up_eighth = nn.Sequential(nn.Conv2d(128, 64, 1), nn.Upsample(scale_factor=2, mode="nearest"))
        self.at_eighth = nn.Sequential(Separable(64, 64), nn.Conv2d(64, 32, 1))
        self.up_quarter = nn.Upsample(scale_factor=2, mode="nearest")
        self.side = nn.Conv2d(32, 32, 1)
        self.head = nn.Sequential(Separable(32, 32), nn.Conv2d(32, OUTPUTS, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Logits of centre and of die, then the logs of the ways to the box's sides."""
        quarter = self.quarter(x)
        eighth = self.eighth(quarter)
        eighth = torch.relu(eighth + self.up_eighth(self.sixteenth(eighth)))
        return self.head(torch.relu(self.side(quarter) + self.up_quarter(self.at_eighth(eighth))))


class Wide(nn.Module):
    """Depthwise 3x3 with gaps of `apart` - 1, then pointwise, with the input added."""

    def __init__(self, width: int, apart: int) -> None:
        super().__init__()
        deep = nn.Conv2d(width, width, 3, 1, apart, dilation=apart, groups=width, bias=False)
        self.deep = nn.Sequential(deep, nn.BatchNorm2d(width))
        self.mix = nn.Sequential(nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """(N, width, H, W) -> the same."""
        return torch.relu(x + self.mix(self.deep(x)))
