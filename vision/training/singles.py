"""Pictures of one die at a time, drawn fast: true solids, marked, lit and photographed, with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from training import marking, scene, surface
from training.glyphs import Font, stroke_font
from training.solids import DISC, Array, Face, Solid, cross, resting, solid, turn

DICE = ("D4", "D6", "D8", "D10", "D100", "D12", "D20")
_SHARES = (0.12, 0.15, 0.09, 0.15, 0.08, 0.16, 0.25)
"""How many renders of each die: more of those with more values."""

SPAN_PX = (34, 175)
"""Width of a die in its picture: 35 to 400 pixels are meant to be read, and above 175 the crops hold no more detail."""


OUTWARD = 0.9
"""Sine by which a die's top leans outward for each picture's width that it lies off the middle, under a webcam."""

LEAST_SEEN = 0.6
"""Cosine of the angle to the camera up to which a side face's numeral is worth learning from: 53 degrees."""


@dataclass(frozen=True, slots=True)
class Side:
    """One numeral as seen. disc: (2, 3), maps the unit disc onto the numeral's, (u, v) -> pixels.

    marked: it carries the mark that tells 6 from 9. numeral: it is one, or pips that can be counted; no maker's sign.
    pips: it has pips.
    """

    disc: Array
    value: int
    marked: bool
    numeral: bool = True
    pips: bool = False


@dataclass(frozen=True, slots=True)
class Single:
    """One picture and what is true of it.

    picture: (N, N, 3) uint8 BGR, a little larger than the die. box: x, y, width, height of the die, pixels.
    outline: (N, 2) pixels. top: the numeral that counts; others: the side faces' numerals that can be read.
    tilt: (2,), the world's up as seen (x right, y up), 0 from straight above; away: the part of it that comes of the
    die's place off the camera's axis.
    """

    picture: NDArray[np.uint8]
    die: str
    shape: str
    box: tuple[float, float, float, float]
    outline: NDArray[np.float32]
    top: Side
    others: tuple[Side, ...]
    tilt: tuple[float, float]
    away: tuple[float, float] = (0.0, 0.0)

    @property
    def value(self) -> int:
        """What the die shows."""
        return self.top.value


@dataclass(frozen=True, slots=True)
class Thrown:
    """A die as it lies.

    values: by numbered face (tetrahedron: by corner). top: the one that is up. rotation: die -> camera. tilt: as it is
    seen; away: the part of it that comes of its place off the camera's axis.
    """

    die: str
    body: Solid
    values: tuple[int, ...]
    top: int
    numerals: tuple[tuple[Face, marking.Printed], ...]
    rotation: Array
    tilt: tuple[float, float]
    away: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class View:
    """Where from: rotation die -> camera (z towards it), pixels a unit, centre, strength of perspective."""

    rotation: Array
    scale: float
    middle: tuple[float, float]
    strength: float

    def project(self, points: Array) -> Array:
        """(N, 3) in the die's space -> (N, 2) pixels, y down."""
        seen = points @ self.rotation.T
        near = 1 / (1 - self.strength * seen[:, 2:])
        return seen[:, :2] * near * (self.scale, -self.scale) + self.middle

    def faces_camera(self, face: Face) -> bool:
        """Whether the face's front is seen."""
        eye = np.array([0.0, 0.0, 1 / max(self.strength, 1e-3)])
        return bool((self.rotation @ face.normal) @ (eye - self.rotation @ face.centre) > 0)


class Projects(Protocol):
    """Whatever says where points of a die's space are seen: a `View`, or a camera over a tray."""

    def project(self, points: Array) -> Array:
        """(N, 3) in the die's space -> (N, 2) pixels, y down."""


def some_tilt(rng: np.random.Generator) -> tuple[float, float]:
    """The world's up as seen: an overhead camera with the die off its axis, or one tilted to the picture's top."""
    if rng.random() < 0.45:
        angle, size = rng.uniform(0, 2 * np.pi), np.sin(np.radians(min(abs(rng.normal(0, 11)), 30)))
        return float(size * np.cos(angle)), float(size * np.sin(angle))
    size, roll = np.sin(np.radians(rng.uniform(4, 45))), np.radians(rng.normal(0, 7))
    return float(size * np.sin(roll)), float(size * np.cos(roll))


def some_place(rng: np.random.Generator) -> tuple[float, float]:
    """How far off the picture's middle a die lies, in the picture's widths, y down: anywhere, or as if alone in it."""
    x, y = rng.uniform(-0.5, 0.5, 2) * (1, 0.75) if rng.random() < 0.6 else rng.normal(0, 0.08, 2)
    return float(x), float(y)


def seen_from(tilt: tuple[float, float], off: tuple[float, float]) -> tuple[float, float]:
    """The tilt of a die that lies `off` the picture's middle (shares of its width, y down): its top leans outward."""
    x, y = tilt[0] + OUTWARD * off[0], tilt[1] - OUTWARD * off[1]
    size = float(np.hypot(x, y))
    shrink = min(1.0, 0.8 / max(size, 1e-9))
    return x * shrink, y * shrink


def lean(tilt: tuple[float, float]) -> Array:
    """The rotation that tips straight up (towards the camera) until it is seen as `tilt` (x right, y up)."""
    size = float(np.hypot(*tilt))
    if size < 1e-9:
        return np.eye(3)
    return turn(np.array([-tilt[1], tilt[0], 0.0]) / size, float(np.arcsin(size)))


def _poly(points: Array) -> NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)


def _fill(canvas: surface.Picture, contours: Sequence[Array], value: float) -> None:
    cv2.fillPoly(canvas, [_poly(c) for c in contours], value, cv2.LINE_AA, 4)


def _light(rng: np.random.Generator) -> Array:
    angle, height = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 1.0)
    flat = np.sqrt(1 - height * height)
    return np.array([flat * np.cos(angle), flat * np.sin(angle), height])


def _mask8(size: int, contours: Sequence[Array]) -> surface.Picture:
    """Anti-aliased fill of contours (even-odd), 0 to 1."""
    canvas = np.zeros((size, size), np.uint8)
    cv2.fillPoly(canvas, [_poly(c) for c in contours], 255, cv2.LINE_AA, 4)
    return canvas.astype(np.float32) / 255


def _hull(view: View, body: Solid, size: int, rounding_px: float) -> tuple[surface.Picture, surface.Picture]:
    """The die's silhouette as a mask with rounded corners, and its outline."""
    points = view.project(np.concatenate([f.corners for f in body.faces]))
    outline = np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float32)
    mask = _mask8(size, [outline.astype(np.float64)])
    if rounding_px > 1:
        soft = cv2.GaussianBlur(mask, (0, 0), rounding_px)
        mask = np.minimum(mask, np.clip((soft - 0.5) * rounding_px * 2 + 0.5, 0, 1))
    return mask, outline


def _shading(
    rng: np.random.Generator, view: View, body: Solid, size: int, light: Array, bevel: float
) -> surface.Picture:
    """Light on each pixel of the die: flat faces, rounded edges between them, sometimes bright or dark edges."""
    ambient, strength = rng.uniform(0.45, 0.9), rng.uniform(0.2, 0.7)
    edge = ambient + strength * rng.uniform(0.3, 1.3)
    canvas = np.full((size, size), edge * 255 / 2, np.uint8)
    for face in body.faces:
        if view.faces_camera(face):
            shade = ambient + strength * max(0.0, float((view.rotation @ face.normal) @ light))
            shrunk = face.centre + (face.corners - face.centre) * (1 - bevel)
            cv2.fillPoly(canvas, [_poly(view.project(shrunk))], float(np.clip(shade, 0, 2) * 127), cv2.LINE_AA, 4)
    soft = max(0.4, view.scale * bevel * 0.25)
    return cv2.GaussianBlur(canvas, (0, 0), soft).astype(np.float32) / 127


def _gloss(rng: np.random.Generator, view: View, body: Solid, size: int, gloss: float, light: Array) -> surface.Picture:
    """What the lamp and the window add: sheen on faces that mirror it, small glints, a bright patch."""
    canvas = np.zeros((size, size), np.uint8)
    half = light + np.array([0.0, 0.0, 1.0])
    half /= np.linalg.norm(half)
    for face in body.faces:
        if view.faces_camera(face):
            shine = max(0.0, float((view.rotation @ face.normal) @ half)) ** rng.uniform(8, 60)
            cv2.fillPoly(
                canvas, [_poly(view.project(face.corners))], float(255 * min(1, shine * gloss * 0.6)), cv2.LINE_AA, 4
            )
    for _ in range(int(rng.integers(0, 4))):
        at = np.array(view.middle) + rng.normal(0, 0.4, 2) * view.scale
        axes = np.exp(rng.uniform(np.log(0.03), np.log(0.3), 2)) * view.scale
        shine = float(255 * gloss * rng.uniform(0.2, 1.0) * (1 if axes.max() < 0.12 * view.scale else 0.5))
        cv2.ellipse(
            canvas, (tuple(at.tolist()), tuple((axes * 2).tolist()), float(rng.uniform(0, 180))), shine, -1, cv2.LINE_AA
        )
    return cv2.GaussianBlur(canvas, (0, 0), max(0.5, view.scale * rng.uniform(0.005, 0.06))).astype(np.float32) / 255


def _ink_masks(
    view: View, size: int, numerals: Sequence[tuple[Face, marking.Printed]]
) -> tuple[surface.Picture, surface.Picture]:
    """The ink on the faces seen, and that on the far faces (seen through a clear die)."""
    front, back = np.zeros((size, size), np.uint8), np.zeros((size, size), np.uint8)
    for face, one in numerals:
        canvas = front if view.faces_camera(face) else back
        cv2.fillPoly(canvas, [_poly(view.project(c)) for c in one.contours], 255, cv2.LINE_AA, 4)
    return front.astype(np.float32) / 255, back.astype(np.float32) / 255


def _body(
    rng: np.random.Generator,
    stuff: surface.Material,
    view: View,
    solid_: Solid,
    numerals: Sequence[tuple[Face, marking.Printed]],
    floor: surface.Picture,
) -> surface.Picture:
    """The die's own picture, everywhere in the frame; the silhouette cuts it out."""
    size, light = floor.shape[0], _light(rng)
    colour = surface.albedo(rng, stuff, size)
    ink, behind = _ink_masks(view, size, numerals)
    if stuff.clear:
        far = cv2.GaussianBlur(behind, (0, 0), max(0.6, view.scale * 0.02))[..., None]
        colour += (np.array(stuff.ink, np.float32) - colour) * far * np.float32(0.5 * stuff.clear)
        colour += (cv2.blur(floor, (9, 9)) - colour) * np.float32(stuff.clear * rng.uniform(0.2, 0.7))
    shade = _shading(rng, view, solid_, size, light, float(rng.uniform(0.02, 0.16)))
    if stuff.clear:
        shade = shade + surface.noise(rng, size, 4) * np.float32(0.15 * stuff.clear)
    ink = surface.worn(rng, ink, stuff.ink_cover)
    rim = surface.relief(ink, (float(light[0]), -float(light[1])), view.scale * 0.03) * np.float32(stuff.engrave)
    colour += (np.array(stuff.ink, np.float32) - colour) * ink[..., None]
    colour = colour * (shade + rim)[..., None]
    return colour + _gloss(rng, view, solid_, size, stuff.gloss, light)[..., None]


def _disc_at(view: Projects, centre: Array, normal: Array, along: Array, radius: float) -> Array:
    """A disc in space as seen: its centre and the symmetric (2, 2) root that maps the unit disc onto its ellipse."""
    east = along - normal * (along @ normal)
    east /= np.linalg.norm(east)
    north = cross(normal, east)
    ends = view.project(np.stack([centre, centre + radius * east, centre + radius * north]))
    spread = (ends[1:] - ends[0]).T
    return np.column_stack([_root(spread @ spread.T), ends[0]])


def disc_of(view: Projects, name: str, face: Face) -> Array:
    """The disc that holds a face's numeral."""
    return _disc_at(view, face.centre, face.normal, face.ups[0], DISC[name] * face.inradius)


def disc_of_apex(view: Projects, base: Face) -> Array:
    """The disc that holds what tells a tetrahedron's value: level, round its axis, a tenth above its middle."""
    up = -base.normal
    return _disc_at(view, up * 0.1, up, base.ups[0], DISC["D4"] * base.inradius * 2)


def _root(square: Array) -> Array:
    """The symmetric square root of a positive (2, 2) matrix."""
    s = np.sqrt(max(float(np.linalg.det(square)), 1e-12))
    return (square + s * np.eye(2)) / np.sqrt(float(np.trace(square)) + 2 * s)  # type: ignore[no-any-return]


def _intruder(rng: np.random.Generator, picture: surface.Picture, span: float) -> None:
    """Now and then something else of the table: another die's edge, a wall, a cable, near the frame's border."""
    size = picture.shape[0]
    angle = rng.uniform(0, 2 * np.pi)
    at = size / 2 + np.array([np.cos(angle), np.sin(angle)]) * span * rng.uniform(0.85, 1.1)
    corners = at + rng.uniform(-0.4, 0.4, (6, 2)) * span * rng.uniform(0.3, 1)
    hull = cv2.convexHull(corners.astype(np.float32))[:, 0]
    cv2.fillConvexPoly(picture, _poly(hull.astype(np.float64)), surface._colour(rng), cv2.LINE_AA, 4)


def _font(rng: np.random.Generator, fonts: Sequence[Font]) -> Font:
    return stroke_font(rng) if not fonts or rng.random() < 0.25 else fonts[int(rng.integers(len(fonts)))]


def throw(
    rng: np.random.Generator,
    fonts: Sequence[Font],
    die: str | None = None,
    value: int | None = None,
    tilt: tuple[float, float] | None = None,
) -> Thrown:
    """Choose a die, mark it, let it lie; `die`, `value` and the `tilt` it is seen with are drawn where not given."""
    die = die or str(rng.choice(DICE, p=_SHARES))
    shape = "D10" if die == "D100" else "crystal D4" if die == "D4" and rng.random() < 0.45 else die
    body = solid(shape, rng)
    values = rng.permutation(marking.VALUES[die]).tolist()
    top = int(rng.integers(len(values)))
    if value is not None:
        other = values.index(value)
        values[top], values[other] = values[other], values[top]
    plan = marking.draw(rng, _font(rng, fonts), die, shape)
    numerals = tuple(marking.printed(plan, body, values, rng))
    off = (0.0, 0.0) if tilt else some_place(rng)
    tilt = tilt or seen_from(some_tilt(rng), off)
    away = (OUTWARD * off[0], -OUTWARD * off[1])
    return Thrown(die, body, tuple(values), top, numerals, lying(rng, body, top, tilt), tilt, away)


def lying(rng: np.random.Generator, body: Solid, top: int, tilt: tuple[float, float]) -> Array:
    """The rotation die -> camera of a die with face (tetrahedron: corner) `top` up, turned anywhere, seen at `tilt`."""
    up = -body.faces[top].normal if body.name == "D4" else body.numbered[top].normal
    return np.asarray(lean(tilt) @ turn(np.array([0.0, 0, 1]), rng.uniform(0, 2 * np.pi)) @ resting(up))


def render(
    rng: np.random.Generator, fonts: Sequence[Font] = (), die: str | None = None, value: int | None = None
) -> Single:
    """One die, drawn. The same `rng` state and fonts give the same picture; without fonts numerals are pen strokes."""
    thrown = throw(rng, fonts, die, value)
    span = float(np.exp(rng.uniform(*np.log(SPAN_PX))))
    fine = 2 if span < 80 else 1
    view = view_of(rng, thrown, span * fine, int(span * 1.6) * fine)
    picture, outline = _paint(rng, thrown, view, span * fine, int(span * 1.6) * fine)
    if fine > 1:
        picture = cv2.resize(picture, None, fx=1 / fine, fy=1 / fine, interpolation=cv2.INTER_AREA)
    return labelled(scene.shoot(rng, picture, span), thrown, view, outline, fine)


def view_of(rng: np.random.Generator, thrown: Thrown, span_px: float, size: int) -> View:
    """From where a die is seen `span_px` wide, near the middle of a square of `size` pixels."""
    corners = np.concatenate([face.corners for face in thrown.body.faces]) @ thrown.rotation.T
    spread = float(np.ptp(corners[:, :2], axis=0).max())
    middle = size / 2 + rng.uniform(-0.06, 0.06, 2) * span_px
    strength = float(rng.uniform(0.0, 0.2))
    return View(thrown.rotation, span_px / spread, (float(middle[0]), float(middle[1])), strength)


def _paint(
    rng: np.random.Generator, thrown: Thrown, view: View, span_px: float, size: int
) -> tuple[surface.Picture, NDArray[np.float32]]:
    """The die on its tray, as light, and its outline."""
    floor = scene.background(rng, size)
    mask, outline = silhouette(rng, thrown, view, size)
    picture = floor * scene.shadow(rng, mask, span_px)[..., None]
    if rng.random() < 0.12:
        _intruder(rng, picture, span_px)
    lay(rng, picture, floor, thrown, view, mask, surface.draw(rng))
    return picture, outline


def silhouette(
    rng: np.random.Generator, thrown: Thrown, view: View, size: int
) -> tuple[surface.Picture, NDArray[np.float32]]:
    """Where the die is in a square of `size` pixels, its corners more or less rounded, and its outline."""
    return _hull(view, thrown.body, size, view.scale * float(rng.choice([0.0, rng.uniform(0, 0.1)])))


def lay(
    rng: np.random.Generator,
    picture: surface.Picture,
    floor: surface.Picture,
    thrown: Thrown,
    view: View,
    mask: surface.Picture,
    stuff: surface.Material,
) -> None:
    """Draw a die into a square `picture`; `floor` is what lies under it, for a clear die to show."""
    die = _body(rng, stuff, view, thrown.body, thrown.numerals, floor)
    picture += (die - picture) * mask[..., None]


def _coarser(points: Array, fine: int) -> Array:
    """Places in a picture shrunk `fine` times: pixel centres lie half a pixel in."""
    return np.asarray((points + 0.5) / fine - 0.5)


def labelled(picture: NDArray[np.uint8], thrown: Thrown, view: View, outline: NDArray[np.float32], fine: int) -> Single:
    """A picture with its labels; `fine` times as large were the view and the outline."""
    outline = _coarser(outline.astype(np.float64), fine).astype(np.float32)
    low, high = outline.min(axis=0), outline.max(axis=0)
    box = (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
    top, others = _sides(thrown, view)
    sides = [replace(side, disc=_shrunk(side.disc, fine)) for side in (top, *others)]
    return Single(
        picture, thrown.die, thrown.body.name, box, outline, sides[0], tuple(sides[1:]), thrown.tilt, thrown.away
    )


def _shrunk(disc: Array, fine: int) -> Array:
    return np.column_stack([disc[:, :2] / fine, _coarser(disc[:, 2], fine)])


def _sides(thrown: Thrown, view: View) -> tuple[Side, list[Side]]:
    """The top, and the other numerals seen well enough to read."""
    body, values = thrown.body, thrown.values
    if body.name == "D4":
        return Side(disc_of_apex(view, body.faces[thrown.top]), values[thrown.top], False), []
    on = {id(face): one for face, one in thrown.numerals}
    seen = [k for k, face in enumerate(body.numbered) if (view.rotation @ face.normal)[2] > LEAST_SEEN]
    sides = [
        Side(disc_of(view, body.name, face), values[k], on[id(face)].marked, on[id(face)].numeral, on[id(face)].pips)
        for k in (thrown.top, *(k for k in seen if k != thrown.top))
        for face in [body.numbered[k]]
    ]
    return sides[0], sides[1:]
