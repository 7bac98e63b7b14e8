"""Training on a few dozen renders: it learns, resumes, exports and calibrates. What it reaches: docs/model-card.md."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training alone needs torch (`pip install -e .[train]`)")

from dicevision import numerals  # noqa: E402
from dicevision.crops import blob, disc_affine, sample, whole_affine, with_place  # noqa: E402
from training import again, augment, calibrate, export, fit, shards  # noqa: E402
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
        np.zeros((2, 100, 100, 3), np.uint8), np.array([[row, 0, 1, 0], [row, 1, 0, 0]]),
        np.zeros((2, 2), np.float32),
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
    away = torch.tensor([[0.3, 0.2]] * 40)
    turned, places, off = augment.mirror(whole, geometry, away, torch.Generator().manual_seed(0))
    flipped = places[:, 0] < 0
    assert 5 < int(flipped.sum()) < 35
    torch.testing.assert_close(turned[flipped], whole[flipped].flip(3))
    torch.testing.assert_close(places[flipped][0], torch.tensor([-0.2, 0.1, 0.5, -0.1, 0.6, -0.3, 0.4]))
    torch.testing.assert_close(off[flipped], torch.tensor([[-0.3, 0.2]] * int(flipped.sum())))
    torch.testing.assert_close(off[~flipped], away[~flipped])


def test_where_a_die_lies_is_misjudged_or_not_known_but_never_on_the_other_side() -> None:
    guessed = augment.misjudged(torch.tensor([[0.3, -0.1]] * 400), torch.Generator().manual_seed(1))
    unknown = (guessed == 0).all(1)
    assert 0.06 < float(unknown.float().mean()) < 0.2
    torch.testing.assert_close(guessed[~unknown][:, 0], -3 * guessed[~unknown][:, 1])
    assert float(guessed[~unknown][:, 0].median()) == pytest.approx(0.3, abs=0.03)


def test_the_whole_dies_net_is_told_its_place_as_the_reader_tells_it(drawn: list[Path]) -> None:
    shard = shards.load(drawn[0])
    x, _ = fit.locate_batch(shard, np.arange(6), torch.Generator(), False)
    theirs = with_place(np.zeros((6, 3, 72, 72), np.float32), shard.away[:6])
    torch.testing.assert_close(x[:, 3:], torch.from_numpy(theirs[:, 3:].copy()))
    assert np.abs(shard.away).max() > 0.1


def pictures_of_places(count: int) -> np.ndarray:
    """Stored whole dice whose first two channels are each pixel's own place in half sides of the stored picture."""
    steps = (np.arange(shards.WHOLE_PX) + 0.5) / shards.WHOLE_PX * 2 - 1
    x, y = np.meshgrid(steps, steps)
    return np.stack([x, y, 0 * x]).astype(np.float32)[None].repeat(count, axis=0)


def test_dice_cut_as_finders_give_them_keep_their_discs_and_tilts() -> None:
    """What a new crop shows at its disc's rim is the old disc's rim, and its up points where the old one's did."""
    old = torch.tensor([[0.1, -0.15, 0.4, 0.08, 0.3, 0.3, 0.4]] * 30)
    cut, new = augment.wholes(torch.from_numpy(pictures_of_places(30)), old, torch.Generator().manual_seed(3), True)
    root = np.array([[0.4, 0.08], [0.08, 0.3]])
    for k in range(30):
        x, y, xx, xy, yy, east, north = new[k].numpy()
        for turn in (0.0, 1.0, 2.5):
            rim = np.array([x, y]) + np.array([[xx, xy], [xy, yy]]) @ (np.cos(turn), np.sin(turn))
            assert np.linalg.norm(np.linalg.solve(root, shown(cut[k].numpy(), rim) - (0.1, -0.15))) == pytest.approx(
                1, abs=0.02
            )
        up = np.subtract(*(shown(cut[k].numpy(), np.array([x + d * east, y - d * north])) for d in (0.2, 0.0)))
        np.testing.assert_allclose(up / np.linalg.norm(up), (0.6, -0.8), atol=0.03)
        assert np.hypot(east, north) == pytest.approx(0.5, abs=1e-5)


def shown(picture: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The place, in half sides of the net's own crop of the true box, that `picture` shows at `point`."""
    column, row = (np.clip(point, -1, 1) + 1) * 36 - 0.5
    return np.array([bilinear(picture[c], column, row) for c in (0, 1)]) * shards.WHOLE_PX / 72


def bilinear(picture: np.ndarray, column: float, row: float) -> float:
    left, top = int(column), int(row)
    a, b = column - left, row - top
    part = picture[top : top + 2, left : left + 2]
    return float(np.array([1 - b, b]) @ part @ np.array([1 - a, a]))


def test_a_whole_die_measured_is_cut_as_the_reader_cuts_it() -> None:
    one = render(np.random.default_rng(8))
    stored = torch.from_numpy(shards.whole_of(one)[0].transpose(2, 0, 1)[None].copy()).float()
    cut, _ = augment.wholes(stored, torch.zeros(1, 7), torch.Generator(), False)
    theirs = sample(one.picture, whole_affine(one.box)).transpose(2, 0, 1)
    assert np.abs(cut[0].numpy() - theirs).mean() < 2


@pytest.mark.parametrize("name", ["numeral", "locate"])
def test_a_shipped_net_is_taken_up_as_it_is(name: str, tmp_path: Path) -> None:
    """Unfolded, it gives the same in use and nearly the same in training."""
    torch.manual_seed(4)
    task = fit.TASKS[name]
    shipped = task.net()
    crops = torch.randn(96, export.taken(shipped), 72, 72)
    for one in shipped.modules():
        if isinstance(one, torch.nn.BatchNorm2d):
            one.running_mean.normal_(0, 0.2)
            one.running_var.uniform_(0.5, 2)
            torch.nn.init.normal_(one.bias, 0, 0.2)
    export.write(shipped, tmp_path / "net.onnx")
    net = task.net()
    again.restore(net, tmp_path / "net.onnx", [crops])
    with torch.no_grad():
        expected = shipped.eval()(crops)
        torch.testing.assert_close(net.eval()(crops), expected, atol=2e-4, rtol=1e-3)
        taught = net.train()(crops)
    assert float((taught - expected).abs().median()) < 0.3 * float(expected.std())


def test_a_net_of_another_make_is_not_taken_up() -> None:
    shipped = Path(numerals.__file__).with_name("models") / "numeral.onnx"
    with pytest.raises(ValueError, match="train it anew"):
        again.restore(fit.TASKS["locate"].net(), shipped, [torch.zeros(1, 5, 72, 72)])


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
        seen.append(calibrate.Seen(placed, logits, np.ones((2, 2)), classes[k if rng.random() < 0.5 else other]))
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


@pytest.mark.parametrize(
    ("flags", "halved"),
    [
        ("flags : fpu avx2 avx512f avx512_vnni", False),
        ("flags : avx512f avx512_bf16", True),
        ("flags\t: amx_bf16", True),
    ],
)
def test_bfloat16_is_for_processors_that_multiply_in_it(flags: str, halved: bool, tmp_path: Path) -> None:
    about = tmp_path / "cpuinfo"
    about.write_text(f"processor : 0\nmodel name : any avx512_bf16 in name\n{flags}\n")
    assert fit.halved(about) == halved


def test_float32_where_the_system_does_not_tell_of_its_processor(tmp_path: Path) -> None:
    assert not fit.halved(tmp_path / "none")
