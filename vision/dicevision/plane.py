"""How the table lies: one plane that all top faces share, told from the ellipses of their pips.

In a camera with focal length f (pixels), a circle of a plane with unit normal n, seen at p = (place - middle) / f,
shows as the ellipse I + p p' - v v' with v = n_xy - p n_z, up to size. So each face that might be a top names two
planes, and every other face says how well it fits each. v is also the way the dice lean in the picture: a die's body
lies on the far side of its top face from v.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dicevision.find import Seen
from dicevision.image import Floats

FOCAL = (0.9, 1.8)
"""Focal lengths tried, in the picture's longer side: webcams and telephones (0.75 to 1.1), longer lenses and crops."""

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
        return np.asarray(self.normal[:2] - (at - self.middle) / self.focal * self.normal[2])

    def shape(self, at: Floats) -> Floats:
        """(N, 2, 2) the ellipse of a circle that lies on the table at `at`, up to size."""
        p = (at - self.middle) / self.focal
        v = self.lean(at)
        return np.asarray(np.eye(2) + p[:, :, None] * p[:, None, :] - v[:, :, None] * v[:, None, :])

    def gaps(self, seen: Sequence[Seen]) -> Floats:
        """(N,) how far each face's ellipse is from that of a face lying flat there; see `shape_gap`."""
        ideal = self.shape(np.array([s.face.centre for s in seen]))
        own = np.array([s.shape for s in seen])
        size = np.sqrt(np.maximum(determinants(own) * determinants(ideal), 1e-12))
        trace = own[:, 0, 0] * ideal[:, 1, 1] + own[:, 1, 1] * ideal[:, 0, 0] - 2 * own[:, 0, 1] * ideal[:, 0, 1]
        return np.asarray(np.arccosh(np.maximum(trace / size / 2, 1.0)))


def determinants(shape: Floats) -> Floats:
    """(N,) determinants of (N, 2, 2)."""
    return np.asarray(shape[:, 0, 0] * shape[:, 1, 1] - shape[:, 0, 1] * shape[:, 1, 0])


def slack(seen: Seen) -> float:
    """How exactly an ellipse of this size is known: faces of one photograph agree within 0.1, small ones within 0.3."""
    r = math.sqrt(math.sqrt(max(float(np.linalg.det(seen.shape)), 1e-6)))
    return 0.12 + 0.3 / r


def candidates(seen: Seen, middle: Floats, focal: float) -> list[Plane]:
    """The two planes in which the face of `seen` would lie flat."""
    p = (seen.face.centre - middle) / focal
    values, vectors = np.linalg.eigh(np.eye(2) + np.outer(p, p))
    stretch = vectors @ np.diag(np.sqrt(values)) @ vectors.T
    inner = np.linalg.inv(stretch)
    lengths, ways = np.linalg.eigh(inner @ seen.shape @ inner)
    tilt = math.sqrt(max(0.0, 1 - float(lengths[0] / lengths[1])))
    return [plane_of(stretch @ (sign * tilt * ways[:, 0]), p, middle, focal) for sign in (1, -1)]


def plane_of(v: Floats, p: Floats, middle: Floats, focal: float) -> Plane:
    """The plane with lean `v` at `p`, facing the camera."""
    along, size = float(v @ p), 1 + float(p @ p)
    root = math.sqrt(max(0.0, along * along - size * (float(v @ v) - 1)))
    z = (-along - root) / size
    normal = np.array([*(v + p * z), z])
    return Plane(normal / np.linalg.norm(normal), focal, middle)


def support(plane: Plane, seen: Sequence[Seen]) -> float:
    """How much the faces speak for `plane`: those that lie flat in it, with other faces only where sides can be."""
    fits = np.exp(-0.5 * (plane.gaps(seen) / np.array([slack(s) for s in seen])) ** 2)
    centres = np.array([s.face.centre for s in seen])
    lean = plane.lean(centres)
    way = lean / (np.linalg.norm(lean, axis=1)[:, None] + 1e-6)
    half = np.array([s.half for s in seen])
    off = (centres[None] - centres[:, None]) / half[:, None, None]
    near = (np.hypot(off[:, :, 0], off[:, :, 1]) < 1.9) & (fits < 0.5)[None]
    near &= ~np.eye(len(seen), dtype=bool)
    along = np.einsum("ijk,ik->ij", off, way)
    ahead = (near & (along > 0.3)).sum(axis=1) - (near & (along < -0.3)).sum(axis=1)
    steady = 1 - 0.25 * np.clip(ahead, -1, 1) * np.minimum(1.0, 2 * np.linalg.norm(lean, axis=1))
    weight = np.array([s.solid * s.belief * (0.6 if s.face.value == 1 else 1.0) for s in seen])
    return float((weight * fits * steady).sum()) * likely(plane)


def likely(plane: Plane) -> float:
    """Cameras look down rather than across, and are held upright: of equals the steeper plane, leaning up, wins."""
    x, y, z = (float(c) for c in plane.normal)
    aslant = math.hypot(x, y)
    upright = 1.0 if aslant < 0.3 else 0.8 + 0.2 * (-y / aslant)
    return (0.6 + 0.4 * -z) * upright


def table(seen: Sequence[Seen], size: tuple[int, int]) -> Plane | None:
    """The plane that explains the faces best; None without any face. `size` is the picture's (width, height)."""
    middle = (np.array(size) - 1) / 2
    best = sorted(seen, key=lambda s: s.solid * s.belief, reverse=True)[:MOST_HEARD]
    tried = [c for s in best[:MOST_NAMING] for f in FOCAL for c in candidates(s, middle, f * max(size))]
    return max(tried, key=lambda c: support(c, best), default=None)
