"""Training on a few dozen renders: it learns, resumes, exports and calibrates. What it reaches: docs/model-card.md."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training alone needs torch (`pip install -e .[train]`)")

from dicevision import numerals  # noqa: E402
from dicevision.crops import blob, disc_affine, sample  # noqa: E402
from training import augment, calibrate, export, fit, shards  # noqa: E402
from training.singles import render  # noqa: E402


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return shards.make_all(tmp_path_factory.mktemp("shards"), 3, 2, 20, None, 1)


@pytest.mark.parametrize("name", ["numeral", "locate"])
def test_a_resumed_run_ends_where_an_unbroken_one_does(name: str, drawn: list[Path], tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    unbroken = fit.fit(fit.TASKS[name], drawn, drawn, whole, 2, 5)
    fit.fit(fit.TASKS[name], drawn, drawn, broken, 2, 5, until=1)
    torch.manual_seed(99)
    resumed = fit.fit(fit.TASKS[name], drawn, drawn, broken, 2, 5)
    assert [json.loads(line)["epoch"] for line in (broken / f"{name}.log.jsonl").read_text().splitlines()] == [1, 2]
    for a, b in zip(unbroken.state_dict().values(), resumed.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b)


def test_a_second_cycle_starts_from_the_first_ones_weights(drawn: list[Path], tmp_path: Path) -> None:
    task = fit.TASKS["locate"]
    first = fit.fit(task, drawn, drawn, tmp_path, 1, 5)
    second = fit.begin(task, 6, tmp_path / "locate.checkpoint.pt")
    for a, b in zip(first.state_dict().values(), second.net.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b)
    assert second.height < fit.begin(task, 6).height


@pytest.mark.parametrize("name", ["numeral", "locate"])
def test_an_exported_net_gives_the_same_outputs(name: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    assert export.write(fit.TASKS[name].net(), tmp_path / "net.onnx") <= 1e-5


@pytest.mark.parametrize("name", ["numeral", "locate"])
def test_a_net_can_learn_a_few_renders_by_heart(name: str, drawn: list[Path]) -> None:
    task, shard = fit.TASKS[name], shards.load(drawn[0])
    run = fit.begin(task, 2)
    x, target = task.batch(shard, np.arange(20), torch.Generator().manual_seed(0), False)
    losses = [fit.step(task, run, x, target, 3e-3) for _ in range(30)]
    assert losses[-1] < losses[0] / 3


def test_an_unmarked_six_is_taught_as_half_a_nine() -> None:
    row = shards.CLASSES.index(("D20", 6))
    shard = shards.Shard(
        np.zeros((2, 72, 72, 3), np.uint8), np.zeros(2, np.int64), np.zeros((2, 7), np.float32),
        np.zeros((2, 100, 100, 3), np.uint8), np.array([[row, 0, 1], [row, 1, 0]]),
    )  # fmt: skip
    _, target = fit.numeral_batch(shard, np.arange(2), torch.Generator(), False)
    nine = shards.CLASSES.index(("D20", 9))
    assert target["soft"][0, [row, nine]].tolist() == [0.5, 0.5]
    assert target["soft"][1, [row, nine]].tolist() == [1.0, 0.0]


def test_levelling_is_the_readers_own() -> None:
    crops = np.random.default_rng(0).integers(0, 255, (3, 72, 72, 3)).astype(np.uint8)
    ours = augment.level(torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()).float()).numpy()
    np.testing.assert_allclose(ours, blob(crops), atol=1e-5)


def test_a_stored_face_is_cut_as_the_reader_cuts_it() -> None:
    one = render(np.random.default_rng(8), die="D12")
    stored, _ = shards.face_of(one, one.top)
    tensor = torch.from_numpy(stored.transpose(2, 0, 1).copy())[None].float()
    cut = augment.faces(tensor, torch.Generator(), False)[0].numpy().transpose(1, 2, 0)
    direct = sample(one.picture, disc_affine(one.top.disc)).astype(float)
    assert np.abs(cut - direct).mean() < 4


def test_mirrored_dice_keep_their_discs() -> None:
    geometry = torch.tensor([[0.2, 0.1, 0.5, 0.1, 0.6, 0.3, 0.4]] * 40)
    whole = torch.arange(40 * 3 * 72 * 72).reshape(40, 3, 72, 72).float()
    turned, places = augment.mirror(whole, geometry, torch.Generator().manual_seed(0))
    flipped = places[:, 0] < 0
    assert 5 < int(flipped.sum()) < 35
    torch.testing.assert_close(turned[flipped], whole[flipped].flip(3))
    torch.testing.assert_close(places[flipped][0], torch.tensor([-0.2, 0.1, 0.5, -0.1, 0.6, -0.3, 0.4]))


def test_calibration_lowers_the_surprise() -> None:
    """Nets that are right half the time and always certain must be made to doubt."""
    rng = np.random.default_rng(0)
    classes = shards.CLASSES
    calibration = numerals.Calibration(classes, tuple(tuple(d) for d in export.DICE_OF_SHAPE), 1.0, 0.0)
    placed = numerals.Placed(np.full(7, 1 / 7), np.eye(2, 3), (0.0, 0.0))
    seen = []
    for _ in range(60):
        logits = np.full((2, len(classes) + 1), -9.0)
        k, other = rng.choice(len(classes), 2, replace=False)
        logits[:, k] = 0
        seen.append(calibrate.Seen(placed, logits, np.ones(2), classes[k if rng.random() < 0.5 else other]))
    fitted = calibrate.fit(seen, calibration)
    assert fitted.temperature > 2
    assert calibrate.surprise(seen, fitted) < calibrate.surprise(seen, calibration)


def test_the_pace_climbs_then_falls_to_nothing() -> None:
    rates = [fit.pace(done) for done in np.linspace(0, 1, 101)]
    assert rates[0] == pytest.approx(0.04 * fit.PEAK)
    assert max(rates) == rates[15] == pytest.approx(fit.PEAK, rel=1e-3)
    assert all(a < b for a, b in pairwise(rates[:16]))
    assert all(a > b for a, b in pairwise(rates[15:]))
    assert rates[-1] < 1e-6
