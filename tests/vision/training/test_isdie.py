"""Fitting what tells a die from other things: on made-up features by hand, then a few drawn tables end to end."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.support.labelled import shown, written

torch = pytest.importorskip("torch", reason="training alone needs torch (`pip install -e .[train]`)")

from dicevision import numerals, seek  # noqa: E402
from dicevision.image import Floats  # noqa: E402
from training.finder import isdie  # noqa: E402

MODELS = Path(numerals.__file__).with_name("models")
GOLDEN = Path(__file__).parents[3] / "fixtures/nets/golden.json"


def made_up(count: int) -> tuple[Floats, isdie.Cases]:
    """Things of which the second feature and the finder's likelihood tell, each half of the time, what they are."""
    rng = np.random.default_rng(4)
    die = rng.random(count) < 0.5
    seen = rng.normal(0, 1, (count, 5)) + 3
    seen[:, 1] += np.where(die, 1.5, -1.5)
    likely = np.clip(np.where(die, 0.6, 0.4) + rng.normal(0, 0.1, count), 0.05, 0.95)
    return seen, isdie.Cases(np.zeros((count, 5, 2, 2), np.float32), likely, die)


def test_what_tells_a_die_is_learnt_and_what_does_not_is_left_out() -> None:
    seen, told = made_up(2000)
    own, by_finder, _ = isdie.weights(seen, told, ridge=10.0)
    assert own[1] > 5 * np.abs(np.delete(own, 1)).max()
    assert by_finder > 0.5
    odds = isdie.log_odds(seen, told.likely, isdie.weights(seen, told, ridge=10.0))
    assert (odds >= 0).mean() == pytest.approx(told.die.mean(), abs=0.02)
    count = isdie.counted(told, odds)
    assert count["dice by both"] > count["dice by finder alone"]
    assert count["false by both"] < count["false by finder alone"]


def test_the_stronger_the_ridge_the_less_the_features_count() -> None:
    seen, told = made_up(400)
    weak, strong = (np.abs(isdie.weights(seen, told, ridge)[0]).sum() for ridge in (10.0, 1000.0))
    assert strong < weak


def test_a_fit_changes_that_output_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = tmp_path / "models"
    shutil.copytree(MODELS, models)
    golden = tmp_path / "golden.json"
    shutil.copy(GOLDEN, golden)
    monkeypatch.setattr(isdie, "SIZE", (640, 480))
    monkeypatch.setattr("training.glyphs.load", lambda _: ())
    report = isdie.fitted(models, golden, tmp_path / "no fonts", 12)
    assert report["things"] > 0
    shipped, new = (
        numerals.load(
            (folder / "locate.onnx").read_bytes(),
            (folder / "numeral.onnx").read_bytes(),
            (folder / "numerals.json").read_text(),
        )
        for folder in (MODELS, models)
    )
    x = np.random.default_rng(1).normal(0, 1, (4, 5, 72, 72)).astype(np.float32)
    before, after = (numerals._forward(nets.locate, x) for nets in (shipped, new))
    np.testing.assert_allclose(after[:, :-1], before[:, :-1], atol=1e-4)
    assert np.abs(after[:, -1] - before[:, -1]).max() > 0.01
    assert replace(new.calibration, finder_weight=0) == replace(shipped.calibration, finder_weight=0)
    assert np.array(json.loads(golden.read_text())["locate"]).shape == (2, after.shape[1])


def test_what_the_finder_names_on_a_table_is_a_die_or_not() -> None:
    things = isdie.cases(range(6), (), seek.mine())
    assert things.given.shape == (len(things.die), 5, 72, 72)
    assert things.die.any()
    assert (things.likely >= isdie.LEAST).all()


def test_what_photographs_show_beside_their_die_teaches_too(tmp_path: Path) -> None:
    rows = [shown(tmp_path, f"{name}/{value}.png", "D8", value, 50 + value) for name in ("a", "b") for value in (3, 5)]
    data = written(tmp_path, rows)
    told = isdie.photographed(data, ["b"], seek.mine(), numerals.mine())
    assert told.die.sum() == 2
    assert told.given.shape[1:] == (5, 72, 72)
    assert (told.likely >= isdie.LEAST).all()
    both = isdie.photographed(data, [], seek.mine(), numerals.mine())
    assert (both.die.sum(), len(both.die)) == (4, 2 * len(told.die))
    with pytest.raises(SystemExit, match="expected sets to leave out among a, b; got c"):
        isdie.photographed(data, ["c"], seek.mine(), numerals.mine())


def test_two_kinds_of_cases_are_mixed_evenly() -> None:
    def of(count: int, die: bool) -> isdie.Cases:
        likely = np.full(count, 0.9 if die else 0.2)
        return isdie.Cases(np.zeros((count, 5, 2, 2), np.float32), likely, np.full(count, die))

    mixed = isdie.joined(of(80, True), of(20, False))
    assert len(mixed.die) == 100
    assert (mixed.die[:50].sum(), mixed.die[50:].sum()) == (40, 40)
    np.testing.assert_array_equal(mixed.likely > 0.5, mixed.die)
