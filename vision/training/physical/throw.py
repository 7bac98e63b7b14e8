"""Dice fall into a tray and come to rest: MuJoCo, from a seed.

MuJoCo is loaded when it is first used: `pip install -e .[physical]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from training.physical.die import Die, Pose
from training.solids import Array

STEP_S = 0.0005
"""Longer steps than 0.001 let sharp corners sink into the floor."""

FRICTION = "0.6 0.002 0.0002"
"""Sliding, spinning and rolling: with 0.6 some six dice in a hundred come to rest on the wall or on each other."""

DENSITY = 1.2e-3
"""Grams a cubic millimetre: acrylic and resin."""

WALL_MM = 400.0
"""The walls that dice meet are this high, whatever is drawn: nothing is thrown out of the tray."""

DAMPED, LIVELY = 0.6, 0.22
"""Damping ratio of a bounce: of a die that is thrown to lie, as on felt; and of one in a film, which bounces more."""

REST_MM_S, REST_RAD_S = 2.0, 0.12
"""Slower than this for REST_S a die is at rest."""
REST_S = 0.15
LONGEST_S = 6.0


class NotAtRest(Exception):
    """A die still moves after LONGEST_S: throw again with another seed."""


@dataclass(frozen=True, slots=True)
class Toss:
    """How one die leaves the hand. at_mm, speed_mm_s: (3,). turn: (4,) quaternion, w first. spin: (3,) rad/s.

    after_s: when it is let go.
    """

    at_mm: Array
    turn: Array
    speed_mm_s: Array
    spin: Array
    after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Nudge:
    """Die number `die` is set turning so, rad/s about the tray's axes, at a moment: knocked, it rocks on an edge."""

    at_s: float
    die: int
    spin: tuple[float, float, float]


def some_tosses(rng: np.random.Generator, count: int, inside_mm: tuple[float, float]) -> list[Toss]:
    """A handful from one side of a tray whose floor is `inside_mm` wide and deep."""
    way = rng.uniform(0, 2 * np.pi)
    towards = np.array([np.cos(way), np.sin(way)])
    half = np.array(inside_mm) / 2 - 14
    start = np.clip(-towards * half * rng.uniform(0.2, 0.9), -half, half)
    speed = rng.uniform(150, 900)
    return [_toss(rng, k, towards, start, half, speed) for k in range(count)]


def _toss(rng: np.random.Generator, k: int, towards: Array, start: Array, half: Array, speed: float) -> Toss:
    """The k-th of a handful, which leaves the hand as a pile."""
    at = np.clip(start + rng.normal(0, 18, 2), -half, half)
    turn = rng.normal(0, 1, 4)
    flat = towards * speed * rng.uniform(0.6, 1.2) + rng.normal(0, 60, 2)
    return Toss(
        np.array([*at, 40.0 + 26.0 * k]),
        turn / np.linalg.norm(turn),
        np.array([*flat, -rng.uniform(0, 300)]),
        rng.normal(0, 14, 3),
    )


def settle(dice: Sequence[Die], tosses: Sequence[Toss], inside_mm: tuple[float, float]) -> list[Pose]:
    """Where the dice come to rest. NotAtRest where one does not, or where one left the tray."""
    world = World(dice, tosses, inside_mm)
    for _ in world.steps():
        if world.rested:
            break
    poses = world.poses()
    half = np.array(inside_mm) / 2
    if not world.rested or any((np.abs(pose.middle_mm[:2]) > half).any() or pose.middle_mm[2] < 0 for pose in poses):
        raise NotAtRest
    return poses


def film(
    dice: Sequence[Die],
    tosses: Sequence[Toss],
    inside_mm: tuple[float, float],
    rate: float,
    seconds: float,
    wall_mm: float = WALL_MM,
    nudges: Sequence[Nudge] = (),
) -> list[list[Pose]]:
    """The dice's poses from 0 to `seconds`, both included; over a lower wall they may fly in from beside the tray."""
    world = World(dice, tosses, inside_mm, wall_mm, LIVELY)
    shots: list[list[Pose]] = []
    waiting = sorted(nudges, key=lambda nudge: nudge.at_s)
    for at_s in world.steps(seconds):
        while waiting and waiting[0].at_s <= at_s:
            world.nudge(waiting.pop(0))
        if at_s >= len(shots) / rate:
            shots.append(world.poses())
    return shots


class World:
    """Dice in the air over a tray. Lengths are mm, masses grams, so that forces are micronewtons."""

    def __init__(
        self,
        dice: Sequence[Die],
        tosses: Sequence[Toss],
        inside_mm: tuple[float, float],
        wall_mm: float = WALL_MM,
        damping: float = DAMPED,
    ) -> None:
        import mujoco

        self._engine: Any = mujoco
        self._model = mujoco.MjModel.from_xml_string(_tray_xml(dice, inside_mm, wall_mm, damping))
        self._data = mujoco.MjData(self._model)
        self._tosses, self._quiet_s = tosses, 0.0
        for k, toss in enumerate(tosses):
            self._data.qpos[7 * k : 7 * k + 7] = [*toss.at_mm, *toss.turn]
        self._held = [True] * len(tosses)

    @property
    def rested(self) -> bool:
        """Whether all have lain still for a while."""
        return self._quiet_s >= REST_S and not any(self._held)

    def steps(self, seconds: float = LONGEST_S) -> Iterator[float]:
        """Let time go by; yields the time after each step."""
        for k in range(round(seconds / STEP_S)):
            self._hold(k * STEP_S)
            self._engine.mj_step(self._model, self._data)
            speed = np.abs(self._data.qvel.reshape(-1, 6))
            still = speed[:, :3].max() < REST_MM_S and speed[:, 3:].max() < REST_RAD_S
            self._quiet_s = self._quiet_s + STEP_S if still else 0.0
            yield (k + 1) * STEP_S

    def _hold(self, at_s: float) -> None:
        """Keep the dice that are not let go yet where they are."""
        for k, toss in enumerate(self._tosses):
            if not self._held[k]:
                continue
            self._data.qpos[7 * k : 7 * k + 7] = [*toss.at_mm, *toss.turn]
            self._data.qvel[6 * k : 6 * k + 6] = [*toss.speed_mm_s, *toss.spin]
            self._held[k] = at_s < toss.after_s

    def nudge(self, nudge: Nudge) -> None:
        """Set a die turning; MuJoCo keeps a free body's spin in its own axes."""
        turn = self._data.xmat[nudge.die + 1].reshape(3, 3)
        self._data.qvel[6 * nudge.die + 3 : 6 * nudge.die + 6] = turn.T @ np.array(nudge.spin)

    def poses(self) -> list[Pose]:
        """How the dice lie now. A body's frame is that of the points it was made from, whatever MuJoCo recentres."""
        turns, middles = self._data.xmat[1:].reshape(-1, 3, 3), self._data.xpos[1:]
        return [Pose(turn.copy(), middle.copy()) for turn, middle in zip(turns, middles, strict=True)]


def _tray_xml(dice: Sequence[Die], inside_mm: tuple[float, float], wall_mm: float, damping: float) -> str:
    """The scene in MuJoCo's words."""
    x, y = (side / 2 for side in inside_mm)
    thick = 20.0
    walls = [
        (x + thick, 0, thick, y + 2 * thick),
        (-x - thick, 0, thick, y + 2 * thick),
        (0, y + thick, x, thick),
        (0, -y - thick, x, thick),
    ]
    boxes = "".join(
        f'<geom type="box" pos="{a:.3f} {b:.3f} {wall_mm / 2}" size="{c:.3f} {d:.3f} {wall_mm / 2}"/>'
        for a, b, c, d in walls
    )
    hulls = "".join(f'<mesh name="d{k}" vertex="{_points(die)}"/>' for k, die in enumerate(dice))
    bodies = "".join(
        f'<body><freejoint/><geom type="mesh" mesh="d{k}" density="{DENSITY}"/></body>' for k in range(len(dice))
    )
    return f"""<mujoco>
      <option timestep="{STEP_S}" gravity="0 0 -9810" cone="elliptic" impratio="5" integrator="implicitfast"/>
      <default><geom condim="6" friction="{FRICTION}" solref="0.004 {damping}" solimp="0.95 0.99 0.05"/></default>
      <asset>{hulls}</asset>
      <worldbody><geom type="plane" size="500 500 1"/>{boxes}{bodies}</worldbody>
    </mujoco>"""


def _points(die: Die) -> str:
    """The points of a die's hull, mm."""
    return " ".join(f"{value:.5f}" for value in np.unique(die.points_mm.round(5), axis=0).ravel())
