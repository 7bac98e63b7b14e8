"""Which of the things that the finder sees count as dice in an enrolment picture, and when two pictures are one.

How a picture is judged as a whole: tests/service/test_api_enrol.py.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from dicevision import seek, shots
from dicevision.enrol import KEPT_PX, Face
from dicevision.image import Frame

SQUARE = np.array([[90, 90], [210, 90], [210, 210], [90, 210]], np.float32)


def seen(monkeypatch: pytest.MonkeyPatch, *likely: float) -> list[seek.Found]:
    """Let the finder tell of things of these likelihoods."""
    things = [seek.Found(one, (90.0, 90.0, 120.0, 120.0), SQUARE) for one in likely]
    monkeypatch.setattr(seek, "mine", lambda: None)
    monkeypatch.setattr(seek, "glance", lambda frame, finder: [(thing.likely, thing.box) for thing in things])
    monkeypatch.setattr(seek, "closer", lambda frame, boxes, finder: things)
    monkeypatch.setattr(seek, "apart", lambda things: things)
    return shots.found(np.zeros((300, 300, 3), np.uint8))


@pytest.mark.parametrize(
    ("likely", "counts"),
    [
        ((), []),
        ((0.3, 0.39), []),
        ((0.41, 0.49), [0.49]),
        ((0.3, 0.9, 0.45), [0.9]),
        ((0.51, 0.95, 0.49), [0.95, 0.51]),
    ],
)
def test_the_likeliest_thing_counts_where_none_is_surely_a_die(
    monkeypatch: pytest.MonkeyPatch, likely: tuple[float, ...], counts: list[float]
) -> None:
    assert [die.likely for die in seen(monkeypatch, *likely)] == counts


def test_one_die_is_wanted_and_no_insisting_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shots.only(seen(monkeypatch, 0.9)) is SQUARE
    for likely, why in (((), "none"), ((0.9, 0.8), "several")):
        with pytest.raises(shots.BadShot) as bad:
            shots.only(seen(monkeypatch, *likely))
        assert (bad.value.why, bad.value.firm) == (why, True)


def face(turn_deg: float, noise: int, moved_px: int = 0) -> Face:
    """A drawn face, turned, moved and under a camera's noise."""
    crop = np.full((KEPT_PX, KEPT_PX, 3), (150, 70, 30), np.uint8)
    cv2.putText(crop, "R", (58, 130), cv2.FONT_HERSHEY_DUPLEX, 3, (240, 240, 240), 9, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((KEPT_PX / 2, KEPT_PX / 2), turn_deg, 1.0)
    turn[0, 2] += moved_px
    turned: Frame = np.asarray(
        cv2.warpAffine(crop, turn, (KEPT_PX, KEPT_PX), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    grain = np.random.default_rng(noise).normal(0, 2.5, turned.shape[:2])[..., None]
    return Face("D6", 1, np.clip(turned + grain, 0, 255).astype(np.uint8))


def test_a_die_that_lies_still_gives_one_picture_and_a_turned_one_another() -> None:
    assert shots.same_picture(face(0, 1), face(0, 2))
    assert shots.same_picture(face(0, 1), face(0, 2, moved_px=6))
    assert not shots.same_picture(face(0, 1), face(15, 2))
    assert not shots.same_picture(face(0, 1), face(180, 2))


def test_a_face_of_one_flat_colour_is_never_the_same() -> None:
    flat = Face("D6", 1, np.full((KEPT_PX, KEPT_PX, 3), 90, np.uint8))
    assert not shots.same_picture(flat, flat)
