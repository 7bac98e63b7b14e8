"""The whole of training, on a handful of renders, from one command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training alone needs torch (`pip install -e .[train]`)")

from dicevision import numerals  # noqa: E402
from training import fit, glyphs, reader, shards  # noqa: E402

TINY = {
    "shard": 12, "held_shards": 1, "held_shard": 10, "numeral": "1x1 2x1", "locate": "1x1", "calibrated_on": 3,
    "processes": 1,
}  # fmt: skip


def strokes(folder: Path) -> tuple[Path, Path]:
    """Pen strokes in place of the font packages, which the machine at hand may lack."""
    for name, seed in (("fonts-train.npz", 1), ("fonts-held.npz", 2)):
        glyphs.save([glyphs.stroke_font(np.random.default_rng(seed))], folder / name)
    return folder / "fonts-train.npz", folder / "fonts-held.npz"


def test_one_command_leaves_what_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "prepare_fonts", strokes)
    asked = [text for name, value in TINY.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    assert reader.main(["--out", str(tmp_path), *asked]) == 0
    models = tmp_path / "models"
    onnx = [(models / f"{name}.onnx").read_bytes() for name in ("locate", "numeral")]
    nets = numerals.load(onnx[0], onnx[1], (models / "numerals.json").read_text())
    assert len(nets.calibration.classes) == 70
    golden = json.loads((models / "golden.json").read_text())
    assert np.array(golden["numeral"]).shape == (2, 73)
    about = json.loads((models / "numerals.json").read_text())["about"]
    assert about["recipe"]["numeral"] == "1x1 2x1"
    assert len((tmp_path / "cycle2" / "numeral.log.jsonl").read_text().splitlines()) == 1
    assert max(about["cv2.dnn less PyTorch"].values()) < 1e-5


def test_it_goes_on_from_the_nets_that_ship(tmp_path: Path) -> None:
    drawn = shards.make_all(tmp_path / "drawn", 3, 1, 30, None, 1)
    kept = torch.load(reader.begun("numeral", drawn[0], tmp_path), weights_only=True)
    net = fit.begin(fit.TASKS["numeral"], 1, tmp_path / "cycle0/numeral.checkpoint.pt").net
    assert kept["net"].keys() == net.state_dict().keys()
    crops = np.random.default_rng(0).normal(size=(2, 3, 72, 72)).astype(np.float32)
    with torch.no_grad():
        theirs = net.eval()(torch.from_numpy(crops)).numpy()
    shipped = numerals.shipped().numeral
    shipped.setInput(crops)
    np.testing.assert_allclose(theirs, shipped.forward(), atol=1e-3)


def test_a_net_that_there_is_not_is_not_gone_on_from(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="expected nets of numeral, locate to go on from; got 'finder'"):
        reader.begun("finder", tmp_path / "none.npz", tmp_path)


@pytest.mark.parametrize("text", ["", "10", "10x", "0x3", "10x3x2", "ax2"])
def test_cycles_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="expected cycles such as"):
        reader.cycles(text)


def test_photographs_teach_but_for_the_sets_left_out(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two")):
        shards.save(shards.make(9, number, 2, ()), tmp_path / f"{name}.npz")
    assert reader.photographed(reader.Recipe()) == []
    (kept,) = reader.photographed(reader.Recipe(photographs=str(tmp_path), without="two"))
    np.testing.assert_array_equal(kept.whole, shards.make(9, 0, 2, ()).whole)
    with pytest.raises(SystemExit, match=r"expected sets of photographs in .* among them; one, two"):
        reader.photographed(reader.Recipe(photographs=str(tmp_path), without="three"))
    with pytest.raises(SystemExit, match="none"):
        reader.photographed(reader.Recipe(photographs=str(tmp_path / "empty")))
