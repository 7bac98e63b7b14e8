"""The one public call: the form of what it gives, whatever lies on the tray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.runes import face

from dicevision import numbered, seek
from dicevision.params import Params
from dicevision.read import DieReading, others, read


def two(drawing: Any, a_die: Any, **how: float) -> Any:
    tray = drawing(320, 160).die(a_die(4)).die(a_die(6, at=(220, 80), edge=40, body=(30, 30, 190), ink=(240, 240, 240)))
    return tray.frame(**how)


def test_a_reading_has_the_frames_size_and_its_dice_from_left_to_right(drawing: Any, a_die: Any) -> None:
    reading = read(two(drawing, a_die))
    assert reading.size == (320, 160)
    middles = [d.box[0] + d.box[2] / 2 for d in reading.dice]
    assert middles == sorted(middles)
    assert middles == pytest.approx([80, 220], abs=3)


def test_box_outline_and_colour_are_the_dies(drawing: Any, a_die: Any) -> None:
    white, red = read(two(drawing, a_die)).dice
    assert white.outline.mean(axis=0) == pytest.approx((80, 80), abs=1)
    x, y, w, h = white.box
    assert (white.outline >= (x - 1, y - 1)).all()
    assert (white.outline <= (x + w + 1, y + h + 1)).all()
    for die, bgr in ((white, (235, 240, 240)), (red, (30, 30, 190))):
        assert [int(die.colour[i : i + 2], 16) for i in (5, 3, 1)] == pytest.approx(bgr, abs=14)


def test_a_value_is_given_only_where_it_is_sure(drawing: Any, a_die: Any) -> None:
    def holds_together(die: DieReading) -> bool:
        shares = [share for _, share in die.candidates]
        ranked = shares == sorted(shares, reverse=True) and all(0 <= s <= 1 for s in (*shares, die.confidence))
        given = die.value is not None and not die.reasons if die.status == "sure" else die.value is None
        return ranked and given and bool(die.candidates)

    for blur, noise in ((0.4, 0), (1.5, 6), (2.5, 12)):
        assert all(holds_together(d) for d in read(two(drawing, a_die, blur=blur, noise=noise)).dice)


def test_an_unreachable_threshold_makes_every_die_a_question(drawing: Any, a_die: Any) -> None:
    dice = read(two(drawing, a_die), Params(sure_at=1.01, numeral_sure_at=1.01, seconded_at=1.01)).dice
    assert len(dice) == 2
    assert {d.status for d in dice} == {"unsure"}


def test_each_stage_is_shown(drawing: Any, a_die: Any) -> None:
    frame = two(drawing, a_die)
    stages: dict[str, Any] = {}
    read(frame, trace=stages.__setitem__)
    assert list(stages) == ["spots", "faces", "dice"]
    assert all(picture.shape == frame.shape for picture in stages.values())
    assert all(np.any(stages[name] != frame) for name in ("spots", "faces"))
    assert np.array_equal(stages["dice"], frame)  # pips explain both


def test_tracing_changes_nothing(drawing: Any, a_die: Any) -> None:
    frame = two(drawing, a_die)
    with_trace = read(frame, trace=lambda _stage, picture: picture.fill(0))
    assert [d.candidates for d in with_trace.dice] == [d.candidates for d in read(frame).dice]


def test_a_frame_too_large_to_work_on_is_read_smaller_and_told_in_its_own_pixels(drawing: Any, a_die: Any) -> None:
    frame = two(drawing, a_die)
    whole, smaller = read(frame), read(frame, Params(most_px=frame.shape[0] * frame.shape[1] * 2 // 3))
    assert smaller.size == whole.size == (320, 160)
    assert len(smaller.dice) == len(whole.dice) == 2
    for one, other in zip(smaller.dice, whole.dice, strict=True):
        assert one.outline.mean(axis=0) == pytest.approx(other.outline.mean(axis=0), abs=1)
        assert one.box == pytest.approx(other.box, abs=3)
        assert one.candidates[0][0] == other.candidates[0][0]


def test_what_the_frame_cuts_and_is_hardly_a_die_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def thing(likely: float, x: float, y: float) -> seek.Found:
        corners = np.array([[0, 0], [40, 0], [40, 40], [0, 40]], np.float32)
        return seek.Found(likely, (x, y, 40.0, 40.0), corners + np.array([x, y], np.float32))

    things = [thing(0.6, 0, 10), thing(0.45, 0, 100), thing(0.45, 120, 100), thing(0.3, 150, 199)]
    handed: list[seek.Found] = []

    def tell(frame: Any, found: list[seek.Found], *_: Any) -> list[numbered.Told]:
        handed.extend(found)
        return []

    monkeypatch.setattr(seek, "closer", lambda frame, boxes, finder: things)
    monkeypatch.setattr(numbered, "tell", tell)
    frame = np.zeros((240, 320, 3), np.uint8)
    assert others(frame, [one.box for one in things], [], Params(), None, None) == []
    assert handed == [things[0], things[2]]
    assert numbered.TOLD_FROM[0][0] >= numbered.TRUSTED_AT  # so none of those left out would be told


@pytest.mark.parametrize("grain", range(6))
def test_a_die_of_odd_signs_is_asked_about_where_it_lies(grain: int) -> None:
    """A sign's dot and the tray's grain once made a face larger than the frame, and the die was told of as that."""
    clean = face(1, 110, (250, 190))
    noise = np.random.default_rng(grain).normal(0, 1.0, clean.shape)
    (die,) = read(np.clip(clean + noise, 0, 255).astype(np.uint8)).dice
    x, y, width, height = die.box
    assert die.status == "unsure"
    assert max(abs(x + width / 2 - 250), abs(y + height / 2 - 190)) < 8
    assert max(width, height) < 110
