"""Outlines of numerals."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from training import glyphs


@pytest.mark.parametrize("seed", range(30))
def test_pen_drawn_numerals_are_whole_and_told_apart(seed: int) -> None:
    font = glyphs.stroke_font(np.random.default_rng(seed))
    masks = [glyphs.mask_of(font, digit) for digit in glyphs.DIGITS]
    for mask in masks:
        pieces, _ = cv2.connectedComponents((mask > 127).astype(np.uint8))
        assert pieces == 2, "the background and one piece of ink"
    assert min(np.abs(a.astype(int) - b).mean() for i, a in enumerate(masks) for b in masks[:i]) > 2


@pytest.mark.parametrize(("digit", "holes"), [("0", 1), ("1", 0), ("2", 0), ("7", 0), ("8", 2)])
def test_holes_stay_open(digit: str, holes: int) -> None:
    for seed in range(10):
        mask = glyphs.mask_of(glyphs.stroke_font(np.random.default_rng(seed)), digit, 128)
        _, tree = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        assert sum(1 for row in tree[0] if row[3] >= 0) == holes


def test_layout_is_centred_and_one_high() -> None:
    font = glyphs.stroke_font(np.random.default_rng(1))
    for text in ("0", "14", "20"):
        points = np.concatenate(glyphs.layout(font, text))
        np.testing.assert_allclose(points.min(axis=0) + points.max(axis=0), 0, atol=1e-9)
        assert np.ptp(points[:, 1]) == pytest.approx(1)
    wide = np.ptp(np.concatenate(glyphs.layout(font, "20"))[:, 0])
    assert wide > 1.5 * np.ptp(np.concatenate(glyphs.layout(font, "0"))[:, 0])


def test_fonts_come_back_from_disk_as_they_went(tmp_path: Path) -> None:
    fonts = [glyphs.stroke_font(np.random.default_rng(seed)) for seed in range(3)]
    glyphs.save(fonts, tmp_path / "fonts.npz")
    for before, after in zip(fonts, glyphs.load(tmp_path / "fonts.npz"), strict=True):
        assert after.name == before.name
        assert after.advances == pytest.approx(before.advances)
        for digit in glyphs.DIGITS:
            assert len(after.outlines[digit]) == len(before.outlines[digit])
            np.testing.assert_array_equal(glyphs.mask_of(after, digit), glyphs.mask_of(before, digit))


def test_boxed_or_hairline_numerals_are_not_plain() -> None:
    plain = glyphs.stroke_font(np.random.default_rng(2))
    square = np.array([[-0.2, -0.2], [1.2, -0.2], [1.2, 1.2], [-0.2, 1.2]])
    boxed = {digit: (square, *contours) for digit, contours in plain.outlines.items()}
    same = dict.fromkeys(glyphs.DIGITS, plain.outlines["8"])
    assert glyphs.is_plain(plain)
    assert not glyphs.is_plain(glyphs.Font("boxed", boxed, plain.advances))
    assert not glyphs.is_plain(glyphs.Font("all alike", same, plain.advances))


def test_a_font_file_gives_its_numerals() -> None:
    pytest.importorskip("fontTools", reason="fontTools belongs to training (`pip install -e .[train]`)")
    found = sorted(Path("/usr/share/fonts").rglob("DejaVuSans.ttf"))
    if not found:
        pytest.skip("the package fonts-dejavu-core is not installed")
    font = glyphs.from_file(found[0])
    assert font is not None
    assert [len(font.outlines[digit]) for digit in "0148"] == [2, 1, 2, 3]
