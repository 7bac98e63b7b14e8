"""Rest and motion: a camera's noise, exposure, lamps and flicker are no motion; a die that moves a little is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dicevision import settle
from dicevision.settle import STILL_S, Motion, Now, Settle, changed, difference, small

WIDE, HIGH = 320, 240


def ground(seed: int = 0) -> NDArray[np.float64]:
    """A tray's grain with a bright and a dark square on it."""
    grain = np.random.default_rng(seed).normal(0, 6, (HIGH, WIDE, 1))
    picture = np.clip(110 + grain + np.zeros((HIGH, WIDE, 3)), 0, 255)
    picture[60:95, 60:95] = 215
    picture[140:175, 200:235] = 40
    return picture


def run(pictures: list[NDArray[np.float64]], noise: float = 3.0, rate: float = 30.0, seed: int = 1) -> list[Now]:
    rng, machine = np.random.default_rng(seed), Settle()
    seen = []
    for k, picture in enumerate(pictures):
        frame = np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)
        seen.append(machine.see(small(frame), k / rate))
    return seen


def moves(seen: list[Now], after: int = 3) -> int:
    return sum(now.motion is Motion.MOTION for now in seen[after:])


@settings(max_examples=6)
@given(st.floats(0, 5), st.integers(0, 99))
def test_noise_alone_is_rest(noise: float, seed: int) -> None:
    seen = run([ground()] * 25, noise=noise, seed=seed)
    assert moves(seen) == 0
    assert seen[-1].settled


@settings(max_examples=6)
@given(st.floats(0.8, 1.15), st.sampled_from([8, 15]))
def test_exposure_that_drifts_or_leaps_is_no_lasting_motion(to: float, frames: int) -> None:
    base = ground()
    seen = run([base * (1 + (to - 1) * k / frames) for k in range(frames)] + [base * to] * 20)
    assert moves(seen) <= 6
    assert seen[-1].settled


def test_a_lamp_from_one_side_and_a_cloud_are_taken_out() -> None:
    base = ground()
    side = np.linspace(0.8, 1.2, WIDE)[None, :, None]
    lit, before = small((base * side).clip(0, 255).astype(np.uint8)), small(base.astype(np.uint8))
    assert np.abs(lit - before).max() > 0.15
    noise = np.full(before.shape[:2], 0.005, np.float32)
    assert not changed(difference(lit, before), noise).any()


def test_mains_flicker_on_a_rolling_shutter_is_rest() -> None:
    rows = np.arange(HIGH)[:, None, None]
    bands = [ground() * (1 + 0.06 * np.sin(rows / 25 + k)) for k in range(30)]
    assert moves(run(bands, noise=2)) == 0


@pytest.mark.parametrize("step", [2, 5, 20])
def test_a_die_that_moves_is_motion_even_slowly(step: int) -> None:
    pictures = []
    for k in range(12):
        picture = ground()
        x = 100 + k * step
        picture[120:150, x : x + 30] = 220
        pictures.append(picture)
    seen = run([ground()] * 15 + pictures + [pictures[-1]] * 15)
    assert not any(now.settled for now in seen[18:26])
    assert moves(seen[15:27], after=0) >= (4 if step == 2 else 8)
    assert seen[-1].settled


@pytest.mark.parametrize("rate", [5.0, 15.0, 30.0, 60.0])
def test_rest_takes_its_time_at_every_rate(rate: float) -> None:
    seen = run([ground()] * 60, rate=rate)
    first = next(k for k, now in enumerate(seen) if now.settled)
    assert first / rate >= STILL_S - 1e-9
    assert first + 1 >= settle.STILL_FRAMES
    assert first / rate <= STILL_S + 3 / rate + 1e-9


def test_a_restart_begins_anew() -> None:
    machine, picture = Settle(), small(ground().astype(np.uint8))
    for k in range(20):
        now = machine.see(picture, k / 30)
    assert now.settled
    machine.restart()
    now = machine.see(picture, 20 / 30 + 3)
    assert not now.settled
    assert now.still_s == 0


def test_another_size_begins_anew() -> None:
    machine = Settle()
    machine.see(small(np.zeros((240, 320, 3), np.uint8)), 0)
    assert machine.see(small(np.zeros((320, 320, 3), np.uint8)), 0.03).still_s == 0


def test_the_noise_it_learns_is_the_cameras_own() -> None:
    quiet, loud = run([ground()] * 60, noise=1)[-1].noise, run([ground()] * 60, noise=8)[-1].noise
    assert 4 < loud / quiet < 12


def test_outside_the_tray_nothing_counts() -> None:
    machine, inside = Settle(), np.zeros((120, 160), np.bool_)
    inside[:, :80] = True
    rng = np.random.default_rng(0)
    for k in range(20):
        frame = ground().astype(np.uint8)
        frame[:, 170:] = rng.integers(0, 255, (HIGH, 150, 3))
        now = machine.see(small(frame), k / 30, inside)
    assert now.settled
