"""What is wrong with a picture, on renders made wrong on purpose: each fault is told, and a good picture has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.support.clips import Frame, scene

from dicevision.quality import BLURRED, faults, sharpness
from dicevision.read import DieReading, read
from training.trays import DiePose

IMAGES = Path(__file__).parents[2] / "docs/images"
FIVE = DiePose(-30, 10, value=5, yaw_deg=20)
THREE = DiePose(25, -15, value=3, yaw_deg=50, body="#a31621", pips="#f5f1e8")
GOOD = scene(FIVE, THREE)
GREEN = DiePose(-30, 10, value=5, yaw_deg=20, body="#2f6b45", pips="#f5f1e8")


def dice() -> tuple[DieReading, ...]:
    return read(GOOD).dice


def lamp(picture: Frame) -> Frame:
    made = picture.copy()
    cv2.circle(made, (250, 60), 55, (255, 255, 255), -1)
    return np.asarray(cv2.GaussianBlur(made, (0, 0), 4), np.uint8)


WRONG: dict[str, Callable[[Frame], Frame]] = {
    "dark": lambda picture: (picture * 0.2).astype(np.uint8),
    "blown out": lamp,
    "blurred": lambda picture: np.asarray(cv2.GaussianBlur(picture, (0, 0), 3.0), np.uint8),
}


def test_a_good_picture_has_no_fault() -> None:
    assert faults(GOOD, dice()) == ()


@pytest.mark.parametrize("what", WRONG)
def test_each_fault_is_told(what: str) -> None:
    assert what in [fault.what for fault in faults(WRONG[what](GOOD), dice())]


@pytest.mark.parametrize("name", ["good", "dark", "blown-out", "blurred", "far", "same-colour"])
def test_the_pictures_in_the_camera_page_have_the_faults_they_are_named_for(name: str) -> None:
    picture = np.asarray(cv2.imread(str(IMAGES / f"camera-{name}.jpg")), np.uint8)
    size, body = (17, "#20232a") if name == "far" else (40, "#20232a")
    at = {"far": (122, 98)}.get(name, (64, 64))
    boxes = replace(dice()[0], box=(*at, size, size), colour=body if name == "same-colour" else "#e9e4d6")
    told = [fault.what for fault in faults(picture, [boxes])]
    assert told == ([] if name == "good" else [name.replace("-", " ").replace("same colour", "alike")])


def test_dice_that_are_too_small_are_told_with_their_size() -> None:
    half = np.asarray(cv2.resize(GOOD, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    smaller = [scaled(die, 0.5) for die in dice()]
    said = [fault.says for fault in faults(half, smaller) if fault.what == "far"]
    assert len(said) == 1
    assert "pixels wide and want 35 or more" in said[0]


def scaled(die: DieReading, by: float) -> DieReading:
    x, y, wide, high = (round(side * by) for side in die.box)
    return replace(die, box=(x, y, wide, high))


def test_a_die_of_the_trays_own_colour_is_told() -> None:
    picture = scene(GREEN)
    grey = cv2.mean(picture[100:120, 200:220])[:3]
    own = "#{:02x}{:02x}{:02x}".format(*(round(part) for part in reversed(grey)))
    die = replace(dice()[0], colour=own)
    assert [fault.what for fault in faults(picture, [die]) if fault.what == "alike"] == ["alike"]


@pytest.mark.parametrize("blur", [0.0, 0.8])
def test_a_lens_in_focus_is_sharp_enough(blur: float) -> None:
    picture = GOOD if not blur else np.asarray(cv2.GaussianBlur(GOOD, (0, 0), blur), np.uint8)
    assert min(sharpness(picture, die) for die in dice()) > BLURRED
