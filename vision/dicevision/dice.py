"""Which faces belong to one die, and which of them lies on top."""

from __future__ import annotations

import numpy as np

from dicevision.find import Seen, Spots, faces, ones, same_plane, soft
from dicevision.image import Frame


def group(seen: list[Seen]) -> list[list[Seen]]:
    """Group faces into dice, each with its top face first.

    The face seen least aslant is a top; what lies within a die's reach of it in another plane is its side.
    """
    groups: list[list[Seen]] = []
    for s in sorted(seen, key=lambda s: s.flatness, reverse=True):
        homes = [(reach(g[0], s), g) for g in groups if reach(g[0], s) < 1.8 and not same_plane(g[0], s)]
        if homes:
            min(homes, key=lambda h: h[0])[1].append(s)
        else:
            groups.append([s])
    return groups


def reach(a: Seen, b: Seen) -> float:
    """Distance of two faces' centres in half edges of the larger."""
    return float(np.linalg.norm(a.face.centre - b.face.centre)) / max(a.half, b.half)


def tops(groups: list[list[Seen]]) -> list[Seen]:
    """Each die's top face, doubted where it may be a side."""
    result = []
    usual = float(np.median([g[0].flatness for g in groups])) if len(groups) >= 3 else None
    for mine in groups:
        top = mine[0]
        if usual is not None:
            top = top.doubted(soft(usual - top.flatness, 0.12, 0.3), "it may be a side face: no other die lies so")
        elif top.flatness < 0.7:
            top = top.doubted(soft(-top.flatness, -0.65, -0.45), "it may be a side face")
        for other in mine[1:]:
            if other.flatness > 0.88 * top.flatness and other.face.centre[1] < top.face.centre[1]:
                top = top.doubted(0.3, "two faces are seen equally well")
        result.append(top)
    return result


def unexplained(top: Seen, seen: list[Seen], spots: Spots) -> Seen:
    """Doubt a face with pips like its own on it, or nearby, that no other face accounts for.

    Four, five and six hold every corner, so only what lies within them could make another value; one, two and three
    may be what is left of a larger pattern beside them.
    """
    q = (spots.blobs.xy - top.face.centre) @ np.linalg.inv(top.face.axes).T
    off, side = np.hypot(q[:, 0], q[:, 1]), np.abs(q).max(axis=1)
    like = np.asarray(spots.like[top.face.pips].any(axis=0))
    kin = np.asarray(spots.kin[top.face.pips].any(axis=0))
    full = top.face.value >= 4
    own = kin & (side < (1.6 if full else 2.0)) | like & (off < (0.0 if full else 3.3))
    far = like & (off < (0.0 if full else 8.0))
    for s in seen:
        if s is top or s.face.value >= 3 or not same_plane(s, top) or reach(s, top) > 1.6:
            own[s.face.pips] = False
        if s is top or s.face.value >= 3:
            far[s.face.pips] = False
    top = top.doubted(0.3, "more pips lie beside it") if own.any() else top
    return top.doubted(soft(int(far.sum()), 1, 4), "many spots like its pips lie about")


def find(frame: Frame, spots: Spots) -> list[Seen]:
    """The top faces in the picture."""
    if len(spots.blobs) == 0:
        return []
    known = faces(frame, spots)
    seen = known + ones(frame, spots, known)
    return [unexplained(top, seen, spots) for top in tops(group(seen))]
