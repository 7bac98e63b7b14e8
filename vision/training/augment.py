"""What training does to a stored crop before the net sees it: turn, shift, stretch, recolour, blur, hide a patch."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from dicevision.crops import DISC_REACH, SIDE_PX
from training.shards import STORED_REACH, WHOLE_PX


def _uniform(count: int, low: float, high: float, rng: torch.Generator) -> Tensor:
    return torch.rand(count, generator=rng) * (high - low) + low


def _chance(count: int, share: float, rng: torch.Generator) -> Tensor:
    return torch.rand(count, generator=rng) < share


def faces(stored: Tensor, rng: torch.Generator, train: bool) -> Tensor:
    """(N, 3, 100, 100) stored faces -> (N, 3, 72, 72): any turn, a tenth of a disc off, a quarter too large or small.

    The slips are as large as the errors of the net that places the disc. Not in training: only the cut.
    """
    count = len(stored)
    base = DISC_REACH / STORED_REACH
    if not train:
        theta = torch.eye(2, 3).repeat(count, 1, 1) * base
    else:
        turn = _uniform(count, -math.pi, math.pi, rng)
        grow = torch.exp(_uniform(count, -0.22, 0.25, rng)) * base
        stretch, skew = _uniform(count, -0.12, 0.12, rng), _uniform(count, -0.12, 0.12, rng)
        turned = torch.stack([torch.cos(turn), -torch.sin(turn), torch.sin(turn), torch.cos(turn)], 1).view(-1, 2, 2)
        bent = torch.stack([1 + stretch, skew, skew, 1 - stretch], 1).view(-1, 2, 2)
        slip = torch.randn(count, 2, 1, generator=rng) * 0.065 * base
        theta = torch.cat([torch.bmm(bent, turned) * grow.view(-1, 1, 1), slip], dim=2)
    grid = functional.affine_grid(theta, [count, 3, SIDE_PX, SIDE_PX], align_corners=False)
    return functional.grid_sample(stored, grid, padding_mode="border", align_corners=False)


def wholes(stored: Tensor, geometry: Tensor, rng: torch.Generator, train: bool) -> tuple[Tensor, Tensor]:
    """(N, 3, 96, 96) stored whole dice -> (N, 3, 72, 72) as finders give them, with their geometry there.

    Off by 5 % of the die, a fifth too large or small, turned by up to ten degrees. Not in training: the true box.
    """
    count, base = len(stored), SIDE_PX / WHOLE_PX
    turn, grow, slip = torch.zeros(count), torch.ones(count), torch.zeros(count, 2)
    if train:
        turn = _uniform(count, -math.pi / 18, math.pi / 18, rng)
        grow = torch.exp(_uniform(count, -0.2, 0.2, rng))
        slip = torch.randn(count, 2, generator=rng) * 0.08
    spin = torch.stack([torch.cos(turn), -torch.sin(turn), torch.sin(turn), torch.cos(turn)], 1).view(-1, 2, 2)
    theta = torch.cat([spin * (grow * base).view(-1, 1, 1), slip[:, :, None] * base], dim=2)
    grid = functional.affine_grid(theta, [count, 3, SIDE_PX, SIDE_PX], align_corners=False)
    return functional.grid_sample(stored, grid, padding_mode="border", align_corners=False), moved(
        geometry, spin, grow, slip
    )


def moved(geometry: Tensor, spin: Tensor, grow: Tensor, slip: Tensor) -> Tensor:
    """Discs and tilts as a crop sees them whose point p lies at grow * spin @ p + slip of the old one."""
    back = spin.transpose(1, 2)
    centre = (back @ (geometry[:, :2] - slip)[:, :, None])[:, :, 0] / grow[:, None]
    root = back @ geometry[:, [2, 3, 3, 4]].view(-1, 2, 2) @ spin / grow.view(-1, 1, 1)
    upward = torch.tensor([1.0, -1.0])  # a tilt's y points up, a picture's down
    tilt = (back @ (geometry[:, 5:] * upward)[:, :, None])[:, :, 0] * upward
    return torch.cat([centre, root.flatten(1)[:, [0, 1, 3]], tilt], dim=1)


def recolour(x: Tensor, rng: torch.Generator) -> Tensor:
    """Channels shuffled, light and dark swapped, contrast bent, some noise, some blur; x is 0 to 255."""
    count = len(x)
    order = torch.stack([torch.randperm(3, generator=rng) for _ in range(count)])
    order = torch.where(_chance(count, 0.5, rng)[:, None], order, torch.arange(3)[None])
    x = torch.gather(x, 1, order[:, :, None, None].expand_as(x))
    x = torch.where(_chance(count, 0.25, rng)[:, None, None, None], 255 - x, x)
    grey = x.mean(1, keepdim=True)
    x = grey + (x - grey) * _uniform(count, 0, 1.4, rng)[:, None, None, None]
    power = torch.exp(_uniform(count, -0.35, 0.35, rng))[:, None, None, None]
    x = 255 * (x.clamp(0, 255) / 255) ** power
    noise = (
        torch.randn(x.shape, generator=rng)
        * (_uniform(count, 0, 9, rng) * _chance(count, 0.3, rng))[:, None, None, None]
    )
    soft = functional.avg_pool2d(functional.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    return torch.where(_chance(count, 0.2, rng)[:, None, None, None], soft, x) + noise


def hide(x: Tensor, rng: torch.Generator) -> Tensor:
    """A small bright or dark patch on one crop in six: a glint, a scratch."""
    count, side = len(x), x.shape[-1]
    at, size = _uniform(count * 2, 0, side, rng).view(-1, 2), _uniform(count * 2, 2, side * 0.13, rng).view(-1, 2)
    lines = torch.arange(side)
    across = (lines[None] - at[:, :1]).abs() < size[:, :1]
    down = (lines[None] - at[:, 1:]).abs() < size[:, 1:]
    where = (across[:, None, :] & down[:, :, None] & _chance(count, 0.16, rng)[:, None, None])[:, None]
    return torch.where(where, _uniform(count, 0, 255, rng)[:, None, None, None], x)


def level(x: Tensor) -> Tensor:
    """The same levelling as dicevision.crops.blob."""
    x = x - x.mean(dim=(2, 3), keepdim=True)
    spread = (x * x).mean(dim=(1, 2, 3), keepdim=True).sqrt()
    return x / spread.clamp(min=6.0)


def mirror(whole: Tensor, geometry: Tensor, away: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Half the whole dice mirrored left to right with discs and places: these do not depend on how a 2 is drawn."""
    flip = _chance(len(whole), 0.5, rng)
    sign = torch.tensor([-1.0, 1, 1, -1, 1, -1, 1])
    turned = torch.where(flip[:, None, None, None], whole.flip(3), whole)
    return (
        turned,
        torch.where(flip[:, None], geometry * sign, geometry),
        torch.where(flip[:, None], away * torch.tensor([-1.0, 1.0]), away),
    )


def misjudged(away: Tensor, rng: torch.Generator) -> Tensor:
    """How far off its axis a camera of another lens is thought to see a die; one in eight frames is cut: not known."""
    guessed = away * torch.exp(torch.randn(len(away), 1, generator=rng) * 0.2)
    return torch.where(_chance(len(away), 0.125, rng)[:, None], torch.zeros_like(away), guessed)
