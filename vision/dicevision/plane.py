"""How the table lies: one plane that all top faces share, told from the ellipses of their pips.

In a camera with focal length f (pixels), a circle of a plane with unit normal n, seen at p = (place - middle) / f,
shows as the ellipse I + p p' - v v' with v = n_xy - p n_z, up to size. So each face that might be a top names two
planes, and every other face says how well it fits each. v is also the way the dice lean in the picture: a die's body
lies on the far side of its top face from v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dicevision.blobs import UNIT, determinants, half_axes2, inverses
from dicevision.find import Seen
from dicevision.image import Flags, Floats

FOCAL = (0.9, 1.8)
"""Focal lengths tried, in the picture's longer side: webcams and telephones (0.75 to 1.1), longer lenses and crops."""

FOCAL_EXACT = (0.9, 1.4, 2.2, 3.6)
"""The same, where faces are compared to a hundredth: longer lenses and crops change a slanted picture by more."""

MOST_NAMING = 6
MOST_HEARD = 12
"""How many of the surest faces name planes, and how many of them say which is best."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The table as seen. normal: (3,) towards the camera, z forward. focal: pixels. middle: (2,) pixels."""

    normal: Floats
    focal: float
    middle: Floats

    def lean(self, at: Floats) -> Floats:
        """(N, 2) v at places `at` (N, 2): the picture of a unit length that stands on the table, up to perspective."""
        return np.asarray(leans(self.normal[None], (at - self.middle)[None] / self.focal)[0])

    def shape(self, at: Floats) -> Floats:
        """(N, 2, 2) the ellipse of a circle that lies on the table at `at`, up to size."""
        p = (at - self.middle) / self.focal
        return circles(p, self.lean(at))

    def gaps(self, seen: Sequence[Seen]) -> Floats:
        """(N,) how far each face's ellipse is from that of a face lying flat there; see `gap`."""
        return gap(self.shape(np.array([s.face.centre for s in seen])), np.array([s.shape for s in seen]))

    def off(self, seen: Sequence[Seen]) -> Floats:
        """(N,) the same for the ellipses by `circle`, in their `exactness`: 1 is usual."""
        ideal = self.shape(np.array([s.face.centre for s in seen]))
        gaps = gap(ideal, np.array([circle(s) for s in seen]))
        return np.asarray(gaps / np.array([exactness(s) for s in seen]))


def leans(normal: Floats, p: Floats) -> Floats:
    """(P, N, 2) v in planes of `normal` (P, 3) at `p` (P, N, 2)."""
    return np.asarray(normal[:, None, :2] - p * normal[:, None, 2:])


def circles(p: Floats, v: Floats) -> Floats:
    """(..., 2, 2) the ellipses of circles at `p` (..., 2) in planes that lean by `v` (..., 2) there."""
    return np.asarray(UNIT + p[..., :, None] * p[..., None, :] - v[..., :, None] * v[..., None, :])


def gap(ideal: Floats, own: Floats) -> Floats:
    """(...,) how differently ellipses (..., 2, 2) are stretched; see `shape_gap`."""
    size = np.sqrt(np.maximum(determinants(own) * determinants(ideal), 1e-12))
    trace = own[..., 0, 0] * ideal[..., 1, 1] + own[..., 1, 1] * ideal[..., 0, 0]
    return np.asarray(np.arccosh(np.maximum((trace - 2 * own[..., 0, 1] * ideal[..., 0, 1]) / size / 2, 1.0)))


def slack(seen: Seen) -> float:
    """How exactly an ellipse of this size is known: faces of one photograph agree within 0.1, small ones within 0.3."""
    return 0.12 + 0.3 / seen.radius


SQUARES = (4, 5)
"""Values whose corner pips form a square: a six may be narrower than long."""


def circle(seen: Seen) -> Floats:
    """(2, 2) the ellipse of a circle on the face, up to size: by its corner pips where they form a square."""
    return np.asarray(seen.face.axes @ seen.face.axes.T) if seen.face.value in SQUARES else seen.shape


def exactness(seen: Seen) -> float:
    """How far off `circle` usually is: on renders 0.01 by squares, 0.15 / r by ellipses; real dice add some 0.03."""
    blurred = 2 - min(1.0, seen.solid * seen.belief)
    return blurred * (0.04 + 0.03 / seen.radius if seen.face.value in SQUARES else 0.05 + 0.2 / seen.radius)


def candidates(shape: Floats, p: Floats) -> Floats:
    """(2 N, 3) normals of the two planes in which faces with ellipses `shape` (N, 2, 2) at `p` (N, 2) would lie."""
    root = np.sqrt(1 + (p * p).sum(axis=1))[:, None, None]
    stretch = UNIT + p[:, :, None] * p[:, None, :] / (root + 1)  # the square root of 1 + p p'
    inner = inverses(stretch)
    low, high, short = half_axes2(inner @ shape @ inner)
    v = np.sqrt(np.maximum(0.0, 1 - low / high))[:, None] * (stretch @ short[:, :, None])[:, :, 0]
    return normals(np.concatenate([v, -v]), np.concatenate([p, p]))


def normals(v: Floats, p: Floats) -> Floats:
    """(N, 3) of the planes that lean by `v` (N, 2) at `p` (N, 2), facing the camera."""
    along, size = (v * p).sum(axis=1), 1 + (p * p).sum(axis=1)
    root = np.sqrt(np.maximum(0.0, along * along - size * ((v * v).sum(axis=1) - 1)))
    z = ((-along - root) / size)[:, None]
    normal = np.concatenate([v + p * z, z], axis=1)
    return np.asarray(normal / np.linalg.norm(normal, axis=1)[:, None])


@dataclass(frozen=True, slots=True)
class Heard:
    """What faces say of the table: place, ellipse, how exactly it is known, and how much each weighs.

    apart: (N, N, 2) from each to every other, in its half edges. near: (N, N) where that is on the same die.
    """

    centre: Floats
    apart: Floats
    near: Flags
    shape: Floats
    slack: Floats
    weight: Floats

    @classmethod
    def of(cls, seen: Sequence[Seen], *, exactly: bool) -> Heard:
        """Listen to faces: `exactly` by `circle` and `exactness`, or else by their pips and `slack`."""
        centre = np.array([s.face.centre for s in seen])
        apart = (centre - centre[:, None]) / np.array([s.half for s in seen])[:, None, None]
        near = (np.hypot(apart[:, :, 0], apart[:, :, 1]) < 1.9) & ~np.eye(len(seen), dtype=bool)
        return cls(
            centre,
            apart,
            near,
            np.array([circle(s) if exactly else s.shape for s in seen]),
            np.array([exactness(s) if exactly else slack(s) for s in seen]),
            np.array([weight_of(s) for s in seen]),
        )


def weight_of(seen: Seen) -> float:
    """How much a face's word weighs: a single pip's less, since it may be anything round."""
    return seen.solid * seen.belief * (0.6 if seen.face.value == 1 else 1.0)


def support(normal: Floats, focal: Floats, middle: Floats, heard: Heard) -> Floats:
    """(P,) how much the faces speak for planes of `normal` (P, 3) in cameras of `focal` (P,) pixels.

    Those speak that lie flat in it, with other faces only where sides can be.
    """
    p = (heard.centre - middle) / focal[:, None, None]
    lean = leans(normal, p)
    fits = np.exp(-0.5 * (gap(circles(p, lean), heard.shape) / heard.slack) ** 2)
    tilt = np.hypot(lean[..., 0], lean[..., 1])
    way = lean / (tilt[..., None] + 1e-6)
    across, down = (heard.apart[..., k] * way[:, :, k, None] for k in range(2))
    along = np.where(heard.near & (fits < 0.5)[:, None], across + down, 0.0)
    ahead = (along > 0.3).sum(axis=2) - (along < -0.3).sum(axis=2)
    steady = 1 - 0.25 * np.sign(ahead) * np.minimum(1.0, 2 * tilt)
    return np.asarray((heard.weight * fits * steady).sum(axis=1) * likely(normal))


def likely(normal: Floats) -> Floats:
    """(P,) cameras look down rather than across, and are held upright: of equals the steeper, leaning up, wins."""
    x, y, z = normal.T
    aslant = np.hypot(x, y)
    upright = np.where(aslant < 0.3, 1.0, 0.8 - 0.2 * y / np.maximum(aslant, 0.3))
    return np.asarray((0.6 - 0.4 * z) * upright)


def table(seen: Sequence[Seen], size: tuple[int, int], *, exactly: bool = False) -> Plane | None:
    """The plane that explains the faces best; None without any face. `size` is the picture's (width, height).

    exactly: told from `circle`, which shows a die that leans a little; else from pips alone, which bears blur better.
    """
    if not seen:
        return None
    middle = (np.array(size) - 1) / 2
    best = sorted(seen, key=lambda s: s.solid * s.belief, reverse=True)[:MOST_HEARD]
    heard = Heard.of(best, exactly=exactly)
    shape, centre = heard.shape[:MOST_NAMING], heard.centre[:MOST_NAMING]
    focals = max(size) * np.array(FOCAL_EXACT if exactly else FOCAL).repeat(len(shape))
    tiles = len(focals) // len(shape)
    named = candidates(np.tile(shape, (tiles, 1, 1)), np.tile(centre - middle, (tiles, 1)) / focals[:, None])
    plane = chosen(named, np.tile(focals, 2), middle, heard)
    for step in TURNS if exactly else ():
        turned = round_about(plane.normal, step)
        plane = chosen(turned, np.full(len(turned), plane.focal), middle, heard)
    return plane


TURNS = (0.06, 0.02)
"""Sines of the angles by which the best plane is turned in search of a better one."""


def chosen(normal: Floats, focal: Floats, middle: Floats, heard: Heard) -> Plane:
    """The plane that the faces speak for most, of normals (P, 3) with focal lengths (P,)."""
    best = int(support(normal, focal, middle, heard).argmax())
    return Plane(normal[best], float(focal[best]), middle)


AROUND = np.array([(x, y, 0) for y in (0, 1, -1, 2, -2) for x in (0, 1, -1, 2, -2)])
"""Steps to the directions round one, itself first."""


def round_about(normal: Floats, step: float) -> Floats:
    """(25, 3) normals up to 2 `step` from `normal`, itself first."""
    turned = normal + step * AROUND
    return np.asarray(turned / np.linalg.norm(turned, axis=1)[:, None])
