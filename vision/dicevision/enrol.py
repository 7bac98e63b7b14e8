"""A player's own dice, read by comparison with their own faces: any font, any symbol, no network asked what it says.

A face is enrolled as a picture of its disc, straightened (`numerals.place`). To read a die its disc is compared with
every face of the set, in all turns at once by a Fourier transform over the angle, at some 300 shifts and sizes; the
likeliest places are refined to a tenth of a pixel by OpenCV's ECC, and the correlation there is the face's score.
What is compared is the ink: strokes narrower than half the disc, dark or light, each over its own surroundings, so
that neither the body's colour nor the light's counts. How often it is right: docs/enrol.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision import numerals
from dicevision.crops import Affine, disc_affine, sample
from dicevision.image import Frame, Points

KEPT_PX = 192
"""Side of an enrolled crop: twice what is compared, so that a person sees what was enrolled."""

VIEW_PX = 96
REACH = 1.8
"""The view that is compared: VIEW_PX a side, REACH disc radii from its middle to its edge; a radius is 27 pixels."""

STROKE = 0.4
"""Disc radii. What is wider, as a face's bright and dark halves, is no ink. On renders 0.3 to 0.5 are about as good."""

EVEN = 0.5
"""Disc radii over which the ink's strength is evened, so that a highlight does not outweigh the numeral."""

FACE_PX = 48
FACE_REACH = 1.15
INNER = 0.8
"""The face as refined: FACE_PX a side, FACE_REACH radii from middle to edge; what lies within INNER radii is compared.
Beyond that the face's own edges, alike on every face, would count more than the numeral."""

TURNS = 72
RINGS = np.linspace(0.1, 0.85, 9)
SIZES = (0.8, 0.9, 1.0, 1.12, 1.25)
SHIFTS = np.linspace(-0.6, 0.6, 9)
"""The first search: TURNS angles on RINGS (disc radii), at every shift (disc radii, within a circle) and size."""

TRIED, TURNS_OF_ONE, BEHIND = 20, 2, 0.3
"""How many places are refined at most, and how many of one face: of 215 renders 162 were right, with 6 places 154. What
lies BEHIND the best place's score by more is not refined."""

FAR = 0.15
"""What a place one radius off the disc loses: the disc is mostly right, and a side face lies about that far off."""

FARTHEST, FLATTEST, LEAST_SIZE, MOST_SIZE = 0.75, 1.7, 0.55, 1.7
"""A refined place is none that moved farther (disc radii), is flatter, smaller or larger than the disc by so much."""

LEAST_SEEN = 0.6
"""Share of the compared disc that must lie within the frame."""

KEPT_DISC: Affine = np.column_stack([np.eye(2) * KEPT_PX / 2 / REACH, np.full(2, (KEPT_PX - 1) / 2)])
"""The disc within an enrolled crop, (2, 3)."""

_VIEW_STEP, _FACE_STEP = 2 * REACH / VIEW_PX, 2 * FACE_REACH / FACE_PX
_VIEW_MID, _FACE_MID = (VIEW_PX - 1) / 2, (FACE_PX - 1) / 2

Ink = NDArray[np.float32]
"""(height, width): strokes, light ones positive, dark ones negative."""


@dataclass(frozen=True, slots=True)
class Face:
    """One enrolled picture. crop: (KEPT_PX, KEPT_PX, 3), the disc straightened, REACH radii from middle to edge.

    label: what a symbol is called, "skull"; empty for a numeral. value: what the face counts as. picture: the name that
    it is kept under (`diesets`); empty until it is.
    """

    die: str
    value: int
    crop: Frame
    label: str = ""
    picture: str = ""


@dataclass(frozen=True)
class DieSet:
    """Dice that are read by their own faces. A face may be enrolled several times: each picture is compared."""

    name: str
    faces: tuple[Face, ...]

    @property
    def dice(self) -> tuple[str, ...]:
        """The types in it, in the order enrolled."""
        return tuple(dict.fromkeys(face.die for face in self.faces))

    def values(self, die: str) -> tuple[int, ...]:
        """The values of a die that are enrolled, ascending."""
        return tuple(sorted({face.value for face in self.faces if face.die == die}))

    def label(self, die: str, value: int) -> str:
        """What a face is called: its label, or its value."""
        return next((f.label for f in self.faces if (f.die, f.value) == (die, value) and f.label), str(value))

    def joined(self, faces: Iterable[Face]) -> DieSet:
        """The set with more pictures."""
        return replace(self, faces=(*self.faces, *faces))

    @cached_property
    def prints(self) -> tuple[_Print, ...]:
        """The faces as they are compared; made once."""
        return tuple(_Print.of(face) for face in self.faces)


@dataclass(frozen=True, slots=True)
class _Print:
    """A face as compared. turns: (rings, frequencies), the polar ink's transform; ink: (FACE_PX, FACE_PX)."""

    turns: NDArray[np.complexfloating[Any, Any]]
    ink: Ink

    @classmethod
    def of(cls, face: Face) -> _Print:
        small = cv2.resize(face.crop, (VIEW_PX, VIEW_PX), interpolation=cv2.INTER_AREA)
        whole = ink(np.asarray(small, np.uint8))
        return cls(np.fft.rfft(_polar(whole, _AT_HOME)[0], axis=1), _warped(whole, _start(0, 0, 1, 0)))


@dataclass(frozen=True, slots=True)
class Match:
    """One face found on a die. score: correlation of the ink, less what its place is off; at most 1.

    to_view: (2, 3), face pixels -> view pixels; None where it was not worth refining.
    """

    face: Face
    score: float
    to_view: Affine | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a die is by its set. candidates: ((die, value), probability), best first; nothing: that it is none of them.

    matches: the best of each (die, value), best first.
    """

    candidates: tuple[tuple[tuple[str, int], float], ...]
    nothing: float
    matches: tuple[Match, ...]

    @property
    def best(self) -> tuple[str, int, float]:
        """Die, value and the probability that both are right."""
        (die, value), probability = self.candidates[0]
        return die, value, probability


def enrolled(frame: Frame, disc: Affine, die: str, value: int, label: str = "") -> Face:
    """A face from a photograph that shows it: `disc` is where it lies, (2, 3), as `numerals.place` gives it."""
    return Face(die, value, sample(frame, disc_affine(disc, 0.0, REACH, KEPT_PX), KEPT_PX), label)


def is_cut_off(frame: Frame, outline: Points) -> bool:
    """Whether a die reaches the frame's edge, so that its face may not be seen whole."""
    height, width = frame.shape[:2]
    low, high = outline.min(axis=0), outline.max(axis=0)
    return bool(low.min() < 2 or high[0] > width - 3 or high[1] > height - 3)


def discs(frame: Frame, outline: Points, nets: numerals.NumeralNets) -> tuple[Affine, ...]:
    """Where a die's top face may lie, (2, 3) each, the likeliest first.

    As placed; where it would lie if the camera stood straight above, should that be elsewhere; and for a die that the
    frame cuts off, nearer its edges.
    """
    placed = numerals.place(frame, outline, nets)
    above = numerals.at_tilt(placed, outline, (0.0, 0.0), nets)
    off = float(np.linalg.norm(placed.disc[:, 2] - above.disc[:, 2]))
    rival = [above.disc] if off > numerals.APART * _radius(placed.disc) else []
    return (placed.disc, *rival, *_towards_edges(frame, outline, placed.disc))


def _radius(disc: Affine) -> float:
    """A disc's longer half axis, pixels."""
    return float(np.linalg.eigvalsh(disc[:, :2])[-1])


def _towards_edges(frame: Frame, outline: Points, disc: Affine) -> list[Affine]:
    """The disc moved by half a radius towards the edge that cuts the die off: less of the die is seen than there is."""
    if not is_cut_off(frame, outline):
        return []
    height, width = frame.shape[:2]
    (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
    way = np.array([float(right > width - 3) - float(left < 2), float(bottom > height - 3) - float(top < 2)])
    moved = disc.copy()
    moved[:, 2] += 0.6 * _radius(disc) * way
    return [moved]


def ink(view: Frame) -> Ink:
    """The strokes of a view (VIEW_PX, VIEW_PX, 3): its top-hat less its black-hat, evened by its own local strength."""
    grey = cv2.GaussianBlur(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 0.8)
    side = 2 * round(STROKE / _VIEW_STEP / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    strokes = cv2.morphologyEx(grey, cv2.MORPH_TOPHAT, disc) - cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, disc)
    power = cv2.GaussianBlur(strokes * strokes, (0, 0), EVEN / _VIEW_STEP)
    return np.asarray(
        strokes / np.sqrt(power + max(float(np.median(power)), 9.0)), np.float32
    )  # 9: three levels of noise


def _hypotheses() -> NDArray[np.float64]:
    """(H, 3): shift x, y in disc radii, and size, of the first search."""
    near = [(x, y) for x in SHIFTS for y in SHIFTS if np.hypot(x, y) <= SHIFTS[-1] + 1e-9]
    return np.array([(x, y, size) for size in SIZES for x, y in near])


_PLACES = _hypotheses()
_ANGLES = np.arange(TURNS) * 2 * np.pi / TURNS
_RING_POINTS = RINGS[:, None, None] * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_RING_WEIGHTS = np.sqrt(RINGS / (RINGS.sum() * TURNS))[:, None].astype(np.float32)
_INNER_MASK = (np.hypot(*(np.mgrid[:FACE_PX, :FACE_PX] - _FACE_MID)) * _FACE_STEP <= INNER).astype(np.uint8)


def _rounds(places: NDArray[np.float64]) -> NDArray[np.float32]:
    """(H, rings * TURNS, 2): the view's pixels on the rings round each place."""
    at = (places[:, 2, None, None, None] * _RING_POINTS + places[:, None, None, :2]) / _VIEW_STEP + _VIEW_MID
    return np.asarray(at.reshape(len(places), -1, 2), np.float32)


_AT_PLACES = _rounds(_PLACES)
_AT_HOME = _rounds(np.array([[0.0, 0.0, 1.0]]))


def _polar(whole: Ink, at: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, rings, TURNS): the ink round each place, of mean 0 and length 1, its rings weighted by their girth."""
    seen = cv2.remap(whole, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rows = np.asarray(seen, np.float32).reshape(len(at), len(RINGS), TURNS)
    rows = (rows - (rows * _RING_WEIGHTS**2).sum(axis=(1, 2), keepdims=True)) * _RING_WEIGHTS
    return rows / np.maximum(np.linalg.norm(rows, axis=(1, 2), keepdims=True), 1e-9)  # type: ignore[no-any-return]


def _start(x: float, y: float, size: float, angle: float) -> Affine:
    """(2, 3): face pixels -> view pixels, for a shift in disc radii, a size and an angle in radians."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * size * _FACE_STEP / _VIEW_STEP
    middle = np.array([x, y]) / _VIEW_STEP + _VIEW_MID
    return np.column_stack([turn, middle - turn @ (_FACE_MID, _FACE_MID)])


def _warped(whole: NDArray[Any], to_view: Affine, how: int = cv2.INTER_LINEAR) -> NDArray[Any]:
    return np.asarray(cv2.warpAffine(whole, to_view, (FACE_PX, FACE_PX), flags=how | cv2.WARP_INVERSE_MAP))


def _view(frame: Frame, disc: Affine) -> tuple[Ink, NDArray[np.uint8]]:
    """The ink round a disc, and where it lies within the frame (255): beyond the edge there is nothing to compare."""
    to_frame = disc_affine(disc, 0.0, REACH, VIEW_PX)
    y, x = np.mgrid[:VIEW_PX, :VIEW_PX]
    at = np.stack([x, y, np.ones_like(x)], axis=-1) @ to_frame.T
    margin = 3 * np.abs(to_frame[:, :2]).sum(axis=1)
    within = ((at >= margin) & (at <= np.array(frame.shape[1::-1]) - 1 - margin)).all(axis=-1)
    return ink(sample(frame, to_frame, VIEW_PX)), (within * 255).astype(np.uint8)


def _coarse(whole: Ink, prints: Sequence[_Print]) -> list[tuple[float, int, Affine]]:
    """The likeliest places: (correlation less distance, face, face pixels -> view pixels), best first."""
    seen = np.fft.rfft(_polar(whole, _AT_PLACES), axis=2)
    turned = np.einsum("hkf,pkf->hpf", seen, np.stack([one.turns for one in prints]).conj(), optimize=True)
    scores = np.fft.irfft(turned, TURNS, axis=2) - FAR * (_PLACES[:, :2] ** 2).sum(axis=1)[:, None, None]
    found = []
    for index in range(len(prints)):
        by_angle = scores[:, index].max(axis=0)
        for _ in range(TURNS_OF_ONE):
            angle = int(by_angle.argmax())
            x, y, size = _PLACES[int(scores[:, index, angle].argmax())]
            found.append((float(by_angle[angle]), index, _start(x, y, size, _ANGLES[angle])))
            by_angle[(angle + np.arange(-6, 7)) % TURNS] = -1
    return sorted(found, key=lambda one: -one[0])


def _refined(whole: Ink, within: NDArray[np.uint8], face: _Print, start: Affine) -> tuple[float, Affine] | None:
    """The correlation where the face fits best near `start`, and that place; None where it fits nowhere plausible."""
    stop = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 25, 1e-3)
    try:
        _, fitted = cv2.findTransformECCWithMask(
            face.ink, whole, _INNER_MASK, within, start.astype(np.float32), cv2.MOTION_AFFINE, stop, 3
        )
    except cv2.error:  # it did not converge
        return None
    place = np.asarray(fitted, np.float64)
    sizes = np.linalg.svd(place[:, :2], compute_uv=False) * _VIEW_STEP / _FACE_STEP
    off = float(np.linalg.norm(place @ (_FACE_MID, _FACE_MID, 1) - _VIEW_MID)) * _VIEW_STEP
    if off > FARTHEST or sizes[0] > MOST_SIZE or sizes[1] < LEAST_SIZE or sizes[0] > FLATTEST * sizes[1]:
        return None
    compared = (_INNER_MASK > 0) & (_warped(within, place, cv2.INTER_NEAREST) > 0)
    if compared.sum() < LEAST_SEEN * _INNER_MASK.sum():
        return None
    return _correlation(_warped(whole, place)[compared], face.ink[compared]) - FAR * off * off, place


def _correlation(a: NDArray[Any], b: NDArray[Any]) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9))


UNREFINED = 0.5
"""The most that a place counts which refining did not bear out."""


def matches(frame: Frame, disc: Affine, known: DieSet) -> tuple[Match, ...]:
    """The best match of each (die, value) of the set, best first, with the disc of a die's top face as placed."""
    whole, within = _view(frame, disc)
    found = _coarse(whole, known.prints)
    least = found[0][0] - BEHIND
    best: dict[tuple[str, int], Match] = {}
    for rank, (score, index, start) in enumerate(found):
        face = known.faces[index]
        fit = _refined(whole, within, known.prints[index], start) if rank < TRIED and score > least else None
        _keep(best, Match(face, *fit) if fit else Match(face, min(score, UNREFINED), None))
    return _ranked(best)


def _keep(best: dict[tuple[str, int], Match], match: Match) -> None:
    """Keep a match if it is its value's best so far."""
    key = match.face.die, match.face.value
    if key not in best or match.score > best[key].score:
        best[key] = match


def _ranked(best: dict[tuple[str, int], Match]) -> tuple[Match, ...]:
    return tuple(sorted(best.values(), key=lambda match: -match.score))


SPREAD = 0.05
FOREIGN = 0.75
"""Scores to probabilities: exp(score / SPREAD) for each value, exp(FOREIGN / SPREAD) for a die that is none of them.
Chosen on renders alone; docs/enrol.md has the figures."""

SURE_AT = 0.95
"""Probability from which a value is given without asking; its curve is in docs/enrol.md."""

ALIKE = 0.85
"""Score of one enrolled face on another's picture from which the two are called alike."""


def compare(frame: Frame, discs: Sequence[Affine], known: DieSet) -> Comparison:
    """What the die is whose top face lies at one of `discs` ((2, 3) each, the likeliest first), by comparison.

    Where two discs show two faces of the set, both count, and neither is sure.
    """
    best: dict[tuple[str, int], Match] = {}
    for match in (match for disc in discs for match in matches(frame, disc, known)):
        _keep(best, match)
    ranked = _ranked(best)
    scores = np.array([*(match.score for match in ranked), FOREIGN]) / SPREAD
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    pairs = [((match.face.die, match.face.value), float(p)) for match, p in zip(ranked, shares[:-1], strict=True)]
    return Comparison(tuple(pairs), float(shares[-1]), ranked)


WIDER = 1.25
"""How much larger an outline is tried where no face fits: a finder's may be drawn too tight round a large die."""


def look(frame: Frame, outline: Points, known: DieSet, nets: numerals.NumeralNets) -> Comparison:
    """What the die inside `outline` ((N, 2) pixels) is, by comparison; the outline is widened where no face fits."""
    told = compare(frame, discs(frame, outline, nets), known)
    if told.nothing < told.best[2]:
        return told
    middle = outline.mean(axis=0)
    wider = np.asarray(middle + WIDER * (outline - middle), np.float32)
    again = compare(frame, discs(frame, wider, nets), known)
    return min(told, again, key=lambda one: one.nothing)


def doubts(told: Comparison, known: DieSet, sure_at: float = SURE_AT) -> tuple[str, ...]:
    """Why a die is not sure, in plain words; empty where it is."""
    die, value, probability = told.best
    if probability >= sure_at:
        return ()
    if told.nothing > probability:
        return (f"it looks like no face of {known.name}",)
    others = [known.label(*pair) for pair, share in told.candidates[1:2] if share > 1 - sure_at]
    return (f"it may be {' or '.join([known.label(die, value), *others])} of {known.name}, and is not seen clearly",)


def alike(known: DieSet) -> tuple[tuple[Face, Face], ...]:
    """Faces of one die, of two values, that comparison can hardly tell apart: 6 and 9 unmarked, or one shown twice."""
    found = []
    for face in known.faces:
        others = replace(known, faces=tuple(f for f in known.faces if f.die == face.die and f.value > face.value))
        if others.faces:
            best = matches(face.crop, KEPT_DISC, others)[0]
            if best.score >= ALIKE:
                found.append((face, best.face))
    return tuple(found)
