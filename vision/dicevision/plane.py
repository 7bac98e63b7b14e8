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

from dicevision.blobs import determinants
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
        return np.asarray(leans(self.normal[None], (at - self.middle)[None] / self.focal)[0])

    def shape(self, at: Floats) -> Floats:
        """(N, 2, 2) the ellipse of a circle that lies on the table at `at`, up to size."""
        p = (at - self.middle) / self.focal
        return circles(p, self.lean(at))

    def gaps(self, seen: Sequence[Seen]) -> Floats:
        """(N,) how far each face's ellipse is from that of a face lying flat there; see `gap`."""
        return gap(self.shape(np.array([s.face.centre for s in seen])), np.array([s.shape for s in seen]))


def leans(normal: Floats, p: Floats) -> Floats:
    """(P, N, 2) v in planes of `normal` (P, 3) at `p` (P, N, 2)."""
    return np.asarray(normal[:, None, :2] - p * normal[:, None, 2:])


def circles(p: Floats, v: Floats) -> Floats:
    """(..., 2, 2) the ellipses of circles at `p` (..., 2) in planes that lean by `v` (..., 2) there."""
    return np.asarray(np.eye(2) + p[..., :, None] * p[..., None, :] - v[..., :, None] * v[..., None, :])


def gap(ideal: Floats, own: Floats) -> Floats:
    """(...,) how differently ellipses (..., 2, 2) are stretched; see `shape_gap`."""
    size = np.sqrt(np.maximum(determinants(own) * determinants(ideal), 1e-12))
    trace = own[..., 0, 0] * ideal[..., 1, 1] + own[..., 1, 1] * ideal[..., 0, 0]
    return np.asarray(np.arccosh(np.maximum((trace - 2 * own[..., 0, 1] * ideal[..., 0, 1]) / size / 2, 1.0)))


def slack(seen: Seen) -> float:
    """How exactly an ellipse of this size is known: faces of one photograph agree within 0.1, small ones within 0.3."""
    r = math.sqrt(math.sqrt(max(float(np.linalg.det(seen.shape)), 1e-6)))
    return 0.12 + 0.3 / r


def candidates(seen: Sequence[Seen], p: Floats) -> Floats:
    """(2 N, 3) normals of the two planes in which each face would lie flat, seen at `p` (N, 2)."""
    values, vectors = np.linalg.eigh(np.eye(2) + p[:, :, None] * p[:, None, :])
    stretch = (vectors * np.sqrt(values)[:, None]) @ vectors.transpose(0, 2, 1)
    inner = np.linalg.inv(stretch)
    lengths, ways = np.linalg.eigh(inner @ np.array([s.shape for s in seen]) @ inner)
    tilt = np.sqrt(np.maximum(0.0, 1 - lengths[:, 0] / lengths[:, 1]))
    v = tilt[:, None] * (stretch @ ways[:, :, :1])[:, :, 0]
    return normals(np.concatenate([v, -v]), np.concatenate([p, p]))


def normals(v: Floats, p: Floats) -> Floats:
    """(N, 3) of the planes that lean by `v` (N, 2) at `p` (N, 2), facing the camera."""
    along, size = (v * p).sum(axis=1), 1 + (p * p).sum(axis=1)
    root = np.sqrt(np.maximum(0.0, along * along - size * ((v * v).sum(axis=1) - 1)))
    z = ((-along - root) / size)[:, None]
    normal = np.concatenate([v + p * z, z], axis=1)
    return np.asarray(normal / np.linalg.norm(normal, axis=1)[:, None])


def support(normal: Floats, focal: float, middle: Floats, seen: Sequence[Seen]) -> Floats:
    """(P,) how much the faces speak for planes of `normal` (P, 3).

    Those speak that lie flat in it, with other faces only where sides can be.
    """
    centre, half = np.array([s.face.centre for s in seen]), np.array([s.half for s in seen])
    p = np.broadcast_to((centre - middle) / focal, (len(normal), len(seen), 2))
    lean = leans(normal, p)
    off = gap(circles(p, lean), np.array([s.shape for s in seen])) / np.array([slack(s) for s in seen])
    fits = np.exp(-0.5 * off**2)
    tilt = np.hypot(lean[..., 0], lean[..., 1])
    way = lean / (tilt[..., None] + 1e-6)
    apart = (centre[None] - centre[:, None]) / half[:, None, None]
    near = (np.hypot(apart[:, :, 0], apart[:, :, 1]) < 1.9) & ~np.eye(len(seen), dtype=bool)
    along = np.where(near & (fits < 0.5)[:, None], np.einsum("ijk,pik->pij", apart, way), 0.0)
    ahead = (along > 0.3).sum(axis=2) - (along < -0.3).sum(axis=2)
    steady = 1 - 0.25 * np.clip(ahead, -1, 1) * np.minimum(1.0, 2 * tilt)
    weight = np.array([s.solid * s.belief * (0.6 if s.face.value == 1 else 1.0) for s in seen])
    return np.asarray((weight * fits * steady).sum(axis=1) * likely(normal))


def likely(normal: Floats) -> Floats:
    """(P,) cameras look down rather than across, and are held upright: of equals the steeper, leaning up, wins."""
    x, y, z = normal.T
    aslant = np.hypot(x, y)
    upright = np.where(aslant < 0.3, 1.0, 0.8 - 0.2 * y / np.maximum(aslant, 0.3))
    return np.asarray((0.6 - 0.4 * z) * upright)


def table(seen: Sequence[Seen], size: tuple[int, int]) -> Plane | None:
    """The plane that explains the faces best; None without any face. `size` is the picture's (width, height)."""
    if not seen:
        return None
    middle = (np.array(size) - 1) / 2
    heard = sorted(seen, key=lambda s: s.solid * s.belief, reverse=True)[:MOST_HEARD]
    naming = heard[:MOST_NAMING]
    centre = np.array([s.face.centre for s in naming])
    tried = [(candidates(naming, (centre - middle) / f), f) for f in (share * max(size) for share in FOCAL)]
    borne = [support(normal, f, middle, heard) for normal, f in tried]
    normal, focal = tried[best := int(np.argmax([b.max() for b in borne]))]
    return Plane(normal[int(borne[best].argmax())], focal, middle)
