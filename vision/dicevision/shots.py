"""A picture that shows one face of a player's die: taken as one of its pictures, or why not, in plain words.

    outline = only(found(frame))
    face = taken(frame, outline, Shown("D6", 6, "skull"), known)

What a person cannot insist on is that there is one die and that it is whole; everything else is a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2

from dicevision import enrol, numbered, numerals, quality, seek
from dicevision.enrol import DieSet, Face
from dicevision.image import Frame, Points
from dicevision.read import DieReading, around
from dicevision.seek import Found

LONE_AT = 0.4
"""Likelihood of being a die from which the likeliest thing counts as one where none is likelier, since a person says
that a die is there; else `numbered.DIE_AT`, as for reading."""

UNTURNED = 0.96
"""Correlation of two pictures of a face above which the die has not moved between them. Our renders under a webcam's
noise (tests/support/runes.py, three signs) leave 0.97 and more where it lies still, 0.90 and less where it is turned by
15 degrees."""

OTHER = 0.5
"""Probability from which another face, that fits better than this one's own pictures, is worth a question."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person says of the picture: the die's type, the value on top, and what a symbol is called."""

    die: str
    value: int
    label: str = ""


class BadShot(ValueError):
    """The picture will not do. `why` is a word for programs, the message a sentence for the player.

    firm: that no insisting helps. like: the enrolled face that it looks like, where that is the trouble.
    """

    def __init__(self, why: str, says: str, *, firm: bool = False, like: Face | None = None) -> None:
        super().__init__(says)
        self.why, self.firm, self.like = why, firm, like


def found(frame: Frame) -> list[Found]:
    """The dice in a picture, of whatever kind."""
    finder = seek.mine()
    boxes = [box for _, box in seek.glance(frame, finder)]
    seen = sorted(seek.apart(seek.closer(frame, boxes, finder)), key=lambda die: -die.likely)
    return [die for die in seen if die.likely >= numbered.DIE_AT] or [die for die in seen[:1] if die.likely >= LONE_AT]


def only(dice: Sequence[Found]) -> Points:
    """The outline, (N, 2) pixels, of the one die there is; BadShot where there is none, or another."""
    if not dice:
        raise BadShot("none", "No die is seen: lay it flat on plain ground, and not at the picture's edge.", firm=True)
    if len(dice) > 1:
        raise BadShot("several", f"{len(dice)} dice are seen: show this one alone.", firm=True)
    return dice[0].outline


def taken(frame: Frame, outline: Points, shown: Shown, known: DieSet, *, insist: bool = False) -> Face:
    """The face as it is to be kept. BadShot where it will not do, or, without `insist`, where it is doubtful."""
    if enrol.is_cut_off(frame, outline):
        raise BadShot("cut", "The die is cut off by the picture's edge: show all of it.", firm=True)
    face = enrol.enrolled(
        frame, numerals.place(frame, outline, numerals.mine()).disc, shown.die, shown.value, shown.label
    )
    if not insist:
        _check_seen(frame, outline)
        _check_face(face, known)
    return face


def unread(outline: Points) -> DieReading:
    """A die of which nothing is told but where it lies, for those who ask only that."""
    return DieReading(None, None, "unsure", False, 0.0, around(outline), outline, "#000000", (), ())


def _check_seen(frame: Frame, outline: Points) -> None:
    """BadShot where the picture is too dark, too bright, too small or too blurred to compare with."""
    for fault in quality.faults(frame, ()):
        raise BadShot(fault.what, fault.says)
    die = unread(outline)
    wide = max(die.box[2:])
    if wide < quality.LEAST_DIE_PX:
        raise BadShot(
            "far", f"The die is {wide} pixels wide and wants {quality.LEAST_DIE_PX} or more: bring the camera nearer."
        )
    if quality.sharpness(frame, die) < quality.BLURRED:
        raise BadShot("blurred", "The die is blurred: hold still, or focus the camera.")


def _check_face(face: Face, known: DieSet) -> None:
    """BadShot where the picture looks like another face of the die, or just like one that was taken already."""
    others = replace(known, faces=tuple(one for one in known.faces if one.die == face.die))
    if not others.faces:
        return
    name = face.label or known.label(face.die, face.value)
    if any(one.value == face.value and same_picture(one, face) for one in others.faces):
        raise BadShot("same", f"This is the picture of the {name} once more: turn the die a little.")
    told = enrol.compare(face.crop, [enrol.KEPT_DISC], others)
    best = told.matches[0]
    shown_before = face.value in others.values(face.die)
    doubtful = told.best[2] >= OTHER if shown_before else best.score >= enrol.ALIKE
    if best.face.value != face.value and doubtful:
        like = known.label(face.die, best.face.value)
        raise BadShot(
            "like", f"It looks like the {like} that was shown before: is it really the {name}?", like=best.face
        )


def same_picture(one: Face, other: Face) -> bool:
    """Whether two pictures of a face show the die lying in the same way."""
    edge = enrol.KEPT_PX // 5  # what lies round the face may differ, and its own picture may have shifted a little
    whole, core = (
        cv2.resize(cv2.cvtColor(face.crop, cv2.COLOR_BGR2GRAY), None, fx=0.5, fy=0.5) for face in (one, other)
    )
    inner = core[edge // 2 : -edge // 2, edge // 2 : -edge // 2]
    if min(float(whole.std()), float(inner.std())) < 1.0:
        return False
    return float(cv2.matchTemplate(whole, inner, cv2.TM_CCOEFF_NORMED).max()) >= UNTURNED
