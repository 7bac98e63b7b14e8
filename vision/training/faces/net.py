"""The judge's network, in PyTorch, and what training does to a crop before the net sees it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from dicevision.judge import CLASSES
from training import augment
from training.nets import Residual, Separable, convolve


def judge() -> nn.Sequential:
    """48 -> 24 -> 12 -> 6; the last map is kept flat, for the middle is judged and what lies beside it tells."""
    return nn.Sequential(
        convolve(3, 16, 2, 5), Separable(16, 32), Separable(32, 32),
        convolve(32, 48, 2), Separable(48, 48), Separable(48, 48),
        convolve(48, 80, 2), Residual(80, 40), nn.Conv2d(80, 20, 1), nn.ReLU(inplace=True),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(20 * 36, 64), nn.ReLU(inplace=True), nn.Linear(64, len(CLASSES)),
    )  # fmt: skip


def seen(x: Tensor, rng: torch.Generator) -> Tensor:
    """Half of them mirrored left to right (up stays up), recoloured, a patch hidden, shaded, levelled."""
    count = len(x)
    x = torch.where((torch.rand(count, generator=rng) < 0.5)[:, None, None, None], x.flip(3), x)
    return augment.level(augment.hide(augment.recolour(softened(x, rng), rng), rng))


def softened(x: Tensor, rng: torch.Generator) -> Tensor:
    """One in five seen as from half as many pixels."""
    small = functional.interpolate(functional.avg_pool2d(x, 2), scale_factor=2.0, mode="bilinear", align_corners=False)
    return torch.where((torch.rand(len(x), generator=rng) < 0.2)[:, None, None, None], small, x)
