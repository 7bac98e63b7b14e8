"""Reads the numeral on a die: places the disc of its top face, straightens it, and says which die and value it may be.

Two small nets run by cv2.dnn. `locate` looks at the whole die and gives its shape, the disc that holds the top numeral,
how far the camera is tilted and whether it is a die at all; `numeral` looks at the straightened disc in several turns
and gives every value of every die a probability. How both were trained, and how often they are right:
docs/model-card.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.crops import DISC_REACH, SIDE_PX, Affine, blob, disc_affine, sample, whole_affine, with_place
from dicevision.image import Frame, Points
from dicevision.threads import one_a_thread

NEEDS_MARK = frozenset({"D10", "D12", "D20"})
"""Dice with both a 6 and a 9; on a D6 or D8 there is no 9, and a D100's 60 turned round is no 90."""

TWIN = {6: 9, 9: 6}

MIRRORED = np.array([-1.0, 1, 1, -1, 1, -1, 1, 1])
"""What `locate` says of a die's mirror picture, after the shapes, made that of the die: x's turned round."""

LARGER = 1.12
"""Disc radii of every other look: on a die in too small a box the disc is too small as well, and cuts its numeral."""

FIRST_LOOKS = ((0.0, 1.0), (100.0, LARGER))
MORE_LOOKS = ((45.0, 1.0), (145.0, LARGER), (190.0, 1.0), (235.0, LARGER), (280.0, 1.0), (325.0, LARGER))
"""(degrees, disc radii). Two looks suffice where they agree; a doubtful die is looked at from six more sides."""

ENOUGH = 0.97
"""Mean probability after the first looks above which the others are left out."""

HOPELESS = 0.2
"""Mean probability after the first looks below which the others are left out too: all six certain would make 0.8 of it,
and no die is sure at that."""

MARK_SEEN_AT = 0.5
"""Probability that the mark under a 6 or 9 is there from which it counts as seen."""

LIFT = {"D6": 0.909, "D8": 1.048, "D12": 1.407, "D20": 1.939}
"""How far the top face lies above the die's middle, in radii of its disc, for solids whose numeral stands in the face's
middle. From the solids: the same distance for face and middle over 1.10, 1.35, 1.15, 1.35 times the face's inradius."""

APART = 0.45
"""Disc radii: two places for the top face that are farther apart than this may hold two numerals."""

RIVAL_AT = 0.3
"""Probability of another numeral at the other place from which that may be the top. Of 1,234 lone dice, drawn in fonts
kept back, that read 0.9 or more and pass this, 18 were read by another face: D20s most, which look alike from above and
from 40 degrees."""

LEAST_PRIOR = 0.2
"""A prior is never a mask: a die that nobody owes keeps this share of its probability; five to one in the picture
outweighs any plan."""

Probabilities = NDArray[np.float64]


class BadModel(ValueError):
    """A model file is not one that this reader can use; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What goes with the nets' weights.

    classes: (die, value) by output, after which come "no numeral here", the mark and pips. shapes: the locate net's,
    with the dice each can be. temperature: divides the numeral net's logits. shape_weight: how much the whole die's
    shape counts beside the numeral's class. finder_weight: how much the finder's log odds of a die count beside those
    that `locate` gives.
    """

    classes: tuple[tuple[str, int], ...]
    shapes: tuple[tuple[str, ...], ...]
    temperature: float
    shape_weight: float
    finder_weight: float = 1.0


@dataclass(frozen=True, slots=True)
class NumeralNets:
    """Both nets and their calibration. A cv2.dnn net is no two threads' at once: load one pair a thread."""

    locate: Any
    numeral: Any
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the top face is.

    shapes: probability of each shape; disc: (2, 3), the unit disc -> frame pixels; tilt: the world's up as seen in the
    picture (x right, y up; sine of the angle), (0, 0) from straight above. die: log odds that it is one, by `locate`.
    """

    shapes: Probabilities
    disc: Affine
    tilt: tuple[float, float]
    die: float = 0.0


@dataclass(frozen=True, slots=True)
class NumeralReading:
    """What a die's numeral may be.

    dice: (die, probability), best first. values: (value, probability) for the best die (or the one given), best first.
    joint: ((die, value), probability), best first, those above 0.001. nothing: the probability that no numeral is there
    (pips, a maker's sign, a disc that missed the face).
    mark_seen: the probability that the numeral has the mark that tells 6 from 9. torn: it is a 6 or a 9 and no mark
    tells which. disc: where the numeral was read, (2, 3). looks: how many turns of it were looked at. agreed: the share
    of them to which, each alone, the best pair was the likeliest. pips: the probability that it has pips, no numeral.
    """

    dice: tuple[tuple[str, float], ...]
    values: tuple[tuple[int, float], ...]
    joint: tuple[tuple[tuple[str, int], float], ...]
    nothing: float
    mark_seen: float
    torn: bool
    disc: Affine
    tilt: tuple[float, float]
    looks: int
    agreed: float = 1.0
    pips: float = 0.0

    @property
    def best(self) -> tuple[str, int, float]:
        """Die, value and the probability that both are right."""
        die, value = self.dice[0][0], self.values[0][0]
        return die, value, dict(self.joint).get((die, value), 0.0)


def doubts(reading: NumeralReading, sure_at: float) -> tuple[str, ...]:
    """Why a reading is not sure, in plain words; empty where its best pair reaches `sure_at` and is not torn."""
    die, value, probability = reading.best
    if reading.torn:
        return (f"a 6 or a 9 on a {die}, and no mark under it can be seen",)
    if probability >= sure_at:
        return ()
    if reading.nothing > max(probability, 0.5):
        return ("no numeral can be seen on top",)
    other_die, share = next(((d, p) for d, p in reading.dice[1:]), (die, 0.0))
    if share > 1 - sure_at:
        return (f"it may be a {die} or a {other_die}",)
    return (f"the numeral may be {value} or {reading.values[1][0]}",)


def load(locate_onnx: bytes, numeral_onnx: bytes, calibration_json: str) -> NumeralNets:
    """Nets from their files' contents. Raises BadModel where they do not fit this reader."""
    calibration = _calibration(calibration_json)
    try:
        locate = cv2.dnn.readNetFromONNX(np.frombuffer(locate_onnx, np.uint8))
        numeral = cv2.dnn.readNetFromONNX(np.frombuffer(numeral_onnx, np.uint8))
    except cv2.error as error:
        raise BadModel(f"expected two ONNX models; OpenCV says: {error}") from error
    nets = NumeralNets(locate, numeral, calibration)
    wanted = (len(calibration.shapes) + 8, len(calibration.classes) + 3)
    empty = np.zeros((1, 3, SIDE_PX, SIDE_PX), np.float32)
    found = (_forward(locate, with_place(empty, np.zeros((1, 2)))).shape[1], _forward(numeral, empty).shape[1])
    if found != wanted:
        raise BadModel(f"expected nets with {wanted[0]} and {wanted[1]} outputs; got {found[0]} and {found[1]}")
    return nets


def _calibration(text: str) -> Calibration:
    try:
        held = json.loads(text)
        classes = tuple((str(die), int(value)) for die, value in held["classes"])
        shapes = tuple(tuple(str(die) for die in dice) for dice in held["shapes"])
        numbers = (float(held[key]) for key in ("temperature", "shape_weight", "finder_weight"))
        return Calibration(classes, shapes, *numbers)
    except (KeyError, TypeError, ValueError) as error:
        raise BadModel(
            f"expected the nets' calibration (classes, shapes, temperature, shape_weight, "
            f"finder_weight) as JSON; {error}"
        ) from error


def in_folder(folder: Path) -> NumeralNets:
    """The nets in a folder that holds locate.onnx, numeral.onnx and numerals.json. Raises BadModel, OSError."""
    locate, numeral = ((folder / f"{name}.onnx").read_bytes() for name in ("locate", "numeral"))
    return load(locate, numeral, (folder / "numerals.json").read_text())


@cache
def shipped_files() -> tuple[bytes, bytes, str]:
    """The contents of the model files in this package."""
    folder = files("dicevision") / "models"
    return (
        (folder / "locate.onnx").read_bytes(),
        (folder / "numeral.onnx").read_bytes(),
        (folder / "numerals.json").read_text(),
    )


def shipped() -> NumeralNets:
    """A fresh pair of the nets in this package, for one thread."""
    return load(*shipped_files())


mine = one_a_thread(shipped)
"""This thread's own pair, loaded once."""


def _forward(net: Any, x: NDArray[np.float32]) -> NDArray[np.float64]:
    net.setInput(x)
    return np.asarray(net.forward(), np.float64)


def softmax(logits: NDArray[np.float64]) -> Probabilities:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)  # type: ignore[no-any-return]


def box_of(outline: Points) -> tuple[float, float, float, float]:
    """x, y, width, height of an outline (N, 2)."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0] - low[0] + 1), float(high[1] - low[1] + 1)


def place(frame: Frame, outline: Points, nets: NumeralNets, away: tuple[float, float] = (0.0, 0.0)) -> Placed:
    """Find the top face's disc of the die inside `outline` ((N, 2) frame pixels, round the whole die).

    The mean of what `locate` says of the die and of its mirror picture: of 1,200 drawn dice an earlier net took 15 in a
    thousand so for another shape, and 27 in one look. away: the tilt that the die's place off the camera's axis adds (x
    right, y up, sine of the angle).
    """
    to_frame = whole_affine(box_of(outline))
    crop = sample(frame, to_frame)
    both = np.stack([crop, crop[:, ::-1]])
    count = len(nets.calibration.shapes)
    told = _forward(nets.locate, with_place(blob(both), np.array([away, (-away[0], away[1])])))
    told[1, count:] *= MIRRORED
    shapes, out = softmax(told[:, :count]).mean(axis=0), told.mean(axis=0)
    x, y, xx, xy, yy = out[count : count + 5]
    half, step = (SIDE_PX - 1) / 2, to_frame[0, 0]
    centre = to_frame[:, 2] + step * (half + np.array([x, y]) * SIDE_PX / 2)
    root = np.array([[xx, xy], [xy, yy]]) * step * SIDE_PX / 2
    *tilt, die = (float(one) for one in out[count + 5 :])
    return Placed(shapes, np.column_stack([_sane(root, step), centre]), (tilt[0], tilt[1]), die)


def is_die(placed: Placed, likely: float, nets: NumeralNets) -> float:
    """The probability that it is a die: what the finder says, 0 to 1, and what `locate` says of it, together."""
    told = min(max(likely, 1e-4), 1 - 1e-4)
    return float(1 / (1 + np.exp(-placed.die - nets.calibration.finder_weight * np.log(told / (1 - told)))))


def _sane(root: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """The disc's root with both half axes between a twelfth and the whole of the crop, whatever the net said."""
    sizes, axes = np.linalg.eigh(root)
    sizes = np.clip(sizes, step * SIDE_PX / 12, step * SIDE_PX)
    return axes @ np.diag(sizes) @ axes.T  # type: ignore[no-any-return]


def common_tilt(placed: Sequence[Placed]) -> tuple[float, float]:
    """The tilt that one camera sees all its dice with: the median over a tray's dice, or over one camera's frames.

    A D20 looks much the same from above and from in front; many dice together tell which it is.
    """
    x, y = np.median([one.tilt for one in placed], axis=0)
    return float(x), float(y)


def at_tilt(placed: Placed, outline: Points, tilt: tuple[float, float], nets: NumeralNets) -> Placed:
    """Where the top face is if the camera's tilt is known: above the outline's middle by the solid's own height.

    Keeps the disc as placed for a D4 or D10: their numerals stand off their face's foot.
    """
    die = nets.calibration.shapes[int(placed.shapes.argmax())][0]
    if die not in LIFT:
        return placed
    x, y, width, height = box_of(outline)
    radius = float(np.linalg.eigvalsh(placed.disc[:, :2])[-1])
    up = np.array([tilt[0], -tilt[1]])
    middle = np.array([x + width / 2 - 0.5, y + height / 2 - 0.5]) + radius * LIFT[die] * up
    flat = 1 - np.sqrt(max(0.0, 1 - float(up @ up)))
    root = radius * (np.eye(2) - flat * np.outer(up, up) / max(float(up @ up), 1e-12))
    return replace(placed, disc=np.column_stack([root, middle]), tilt=tilt)


def look(
    frame: Frame, disc: Affine, ways: Sequence[tuple[float, float]], nets: NumeralNets
) -> tuple[Probabilities, Probabilities]:
    """The numeral in several ways: probabilities (K, C + 1) of each class and of no numeral; (K, 2) of mark and pips.

    ways: (degrees that it is turned by, disc radii that are seen).
    """
    crops = np.stack([sample(frame, disc_affine(disc, np.radians(turn), DISC_REACH * size)) for turn, size in ways])
    out = _forward(nets.numeral, blob(crops))
    return softmax(out[:, :-2] / nets.calibration.temperature), 1 / (1 + np.exp(-out[:, -2:]))


def shape_prior(shapes: Probabilities, calibration: Calibration) -> Probabilities:
    """For each class how probable its die is by the whole's shape, beside the most probable, to the shape's weight."""
    by_die = _sums((die, p) for dice, p in zip(calibration.shapes, shapes, strict=True) for die in dice)
    most = max(by_die.values())
    shares = [max(by_die.get(die, 0.0) / most, 1e-6) for die, _ in calibration.classes]
    return np.array(shares) ** calibration.shape_weight


def plan_prior(plan: Mapping[str, float] | None, calibration: Calibration) -> Probabilities:
    """For each class the weight that the expected dice give it: at least LEAST_PRIOR, so that none is ruled out."""
    if not plan:
        return np.ones(len(calibration.classes))
    most = max(plan.values())
    return np.array([max(plan.get(die, 0.0) / most, LEAST_PRIOR) for die, _ in calibration.classes])


def untold(joint: Probabilities, mark_seen: float, calibration: Calibration) -> Probabilities:
    """6 and 9 of a die that has both, where no mark is seen, made equally probable: turned round they are the same."""
    if mark_seen >= MARK_SEEN_AT:
        return joint
    index = {pair: i for i, pair in enumerate(calibration.classes)}
    evened = joint.copy()
    for die in NEEDS_MARK:
        pair = [index[die, 6], index[die, 9]]
        evened[pair] = joint[pair].mean()
    return evened


def _ranked(pairs: Mapping[Any, float]) -> tuple[tuple[Any, float], ...]:
    return tuple(sorted(pairs.items(), key=lambda item: -item[1]))


def _sums(shares: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The shares of each name added up."""
    dice: dict[str, float] = {}
    for name, share in shares:
        dice[name] = dice.get(name, 0.0) + float(share)
    return dice


def _values(joint: Probabilities, die: str, calibration: Calibration) -> dict[int, float]:
    mine = {value: float(p) for (d, value), p in zip(calibration.classes, joint, strict=True) if d == die}
    total = max(sum(mine.values()), 1e-12)
    return {value: p / total for value, p in mine.items()}


def combine(
    looks: Probabilities,
    signs: Probabilities,
    placed: Placed,
    calibration: Calibration,
    die: str | None = None,
    plan: Mapping[str, float] | None = None,
) -> NumeralReading:
    """One reading from all looks, each with its two `signs`, the mark and pips.

    die: the type, where it is known. plan: weights of the dice that are owed.
    """
    mark_seen, pips = (float(p) for p in signs.mean(axis=0))
    weights = shape_prior(placed.shapes, calibration) * plan_prior(plan, calibration)
    if die is not None:
        weights = np.array([float(d == die) for d, _ in calibration.classes])
    seen = looks.mean(axis=0)
    joint, nothing = seen[:-1] * weights, float(seen[-1])
    total = max(float(joint.sum()) + nothing, 1e-12)
    joint = untold(joint / total, mark_seen, calibration)
    dice = _ranked(_sums((die, p) for (die, _), p in zip(calibration.classes, joint, strict=True)))
    values = _ranked(_values(joint, dice[0][0], calibration))
    torn = dice[0][0] in NEEDS_MARK and values[0][0] in TWIN and mark_seen < MARK_SEEN_AT
    pairs = _ranked({pair: float(p) for pair, p in zip(calibration.classes, joint, strict=True) if p > 0.001})
    best = calibration.classes.index((dice[0][0], values[0][0]))
    agreed = float(((looks[:, :-1] * weights).argmax(axis=1) == best).mean())
    return NumeralReading(
        dice, values, pairs, nothing / total, mark_seen, torn, placed.disc, placed.tilt, len(looks), agreed, pips
    )


def read_numeral(
    frame: Frame,
    outline: Points,
    nets: NumeralNets,
    die: str | None = None,
    plan: Mapping[str, float] | None = None,
    tilt: tuple[float, float] | None = None,
    placed: Placed | None = None,
    overhead: tuple[float, float] = (0.0, 0.0),
    thorough: bool = True,
) -> NumeralReading:
    """Read the numeral on top of the die inside `outline` ((N, 2) frame pixels, round the whole die).

    die: its type where that is known for certain. plan: weights of the expected types, a prior that rules none out.
    tilt: the camera's, by `common_tilt`; without it a face that may be the top for an `overhead` camera counts too, and
    where another numeral stands there the reading is unsure. overhead: the tilt with which one shows a die that lies
    off its axis. placed: what `place` said of the die, where it was asked already. thorough: look again where in doubt;
    False where the die is a question whatever is read.
    >>> read_numeral(frame, outline, shipped()).best  # doctest: +SKIP
    ('D20', 17, 0.993)
    """
    placed = placed or place(frame, outline, nets, overhead)
    if tilt is not None:
        return _at(frame, at_tilt(placed, outline, tilt, nets), nets, die, plan, thorough)
    reading = _at(frame, placed, nets, die, plan, thorough)
    rival = at_tilt(placed, outline, overhead, nets)
    if _apart(placed, rival) <= APART:
        return reading
    looks, signs = look(frame, rival.disc, FIRST_LOOKS, nets)
    return between(reading, combine(looks, signs, rival, nets.calibration, die, plan))


def _at(
    frame: Frame,
    placed: Placed,
    nets: NumeralNets,
    die: str | None,
    plan: Mapping[str, float] | None,
    thorough: bool,
) -> NumeralReading:
    """What is read at one place: in two looks, and in six more where these leave a doubt that they may clear."""
    looks, signs = look(frame, placed.disc, FIRST_LOOKS, nets)
    reading = combine(looks, signs, placed, nets.calibration, die, plan)
    clear = reading.best[2] >= ENOUGH and float(looks.max(axis=1).min()) > 0.9
    if clear or not thorough or reading.best[2] < HOPELESS:
        return reading
    more, more_signs = look(frame, placed.disc, MORE_LOOKS, nets)
    return combine(
        np.concatenate([looks, more]), np.concatenate([signs, more_signs]), placed, nets.calibration, die, plan
    )


def between(one: NumeralReading, other: NumeralReading) -> NumeralReading:
    """The reading of a die whose top may be at either of two places: `one`, unless another numeral stands at the other.

    Where no numeral is at the other place, an edge is, and no top.
    """
    if other.best[:2] == one.best[:2] or other.best[2] < RIVAL_AT:
        return one
    joint = {pair: p / 2 for pair, p in one.joint}
    for pair, p in other.joint:
        joint[pair] = joint.get(pair, 0.0) + p / 2
    dice = _ranked(_sums((die, p) for (die, _), p in joint.items()))
    mine = {value: p / max(dice[0][1], 1e-12) for (die, value), p in joint.items() if die == dice[0][0]}
    return replace(one, dice=dice, values=_ranked(mine), joint=_ranked(joint), agreed=one.agreed / 2)


def _apart(one: Placed, other: Placed) -> float:
    """How far two discs' middles are from one another, in radii."""
    radius = float(np.linalg.eigvalsh(one.disc[:, :2])[-1])
    return float(np.linalg.norm(one.disc[:, 2] - other.disc[:, 2])) / radius
