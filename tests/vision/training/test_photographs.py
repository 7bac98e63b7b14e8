"""Photographs as examples: our own drawn dice, saved as a set of photographs with its table of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.cloth import on_cloth
from tests.support.labelled import shown, written

from dicevision import crops, numerals
from training import photographs, shards
from training.photographs import Photograph


def test_only_photographs_of_one_labelled_numeral_die_teach(tmp_path: Path) -> None:
    rows = [
        ("a/1.png", "D6", "numeral", "3"), ("a/2.png", "D6", "pips", "3"), ("a/3.png", "D8", "numeral", ""),
        ("b/1.png", "D6", "numeral", "1"), ("b/1.png", "D6", "numeral", "2"), ("b/2.png", "D20", "numeral", "20"),
    ]  # fmt: skip
    sets = photographs.listed(written(tmp_path, rows))
    told = {name: [(one.path.name, one.die, one.value) for one in dice] for name, dice in sets.items()}
    assert told == {"a": [("1.png", "D6", 3)], "b": [("2.png", "D20", 20)]}


@pytest.mark.parametrize(
    ("path", "camera"),
    [
        ("tower-tray/d6_a_01.jpg", "tower-tray"), ("leather-tray/d6_1_01.jpg", None),
        ("turntable-d20/d20_top_006.jpg", "turntable-d20 top"), ("turntable-all/d20_top_006.jpg", None),
        ("turntable-d20/d20_color006.jpg", "turntable-d20 color"),
    ],
)  # fmt: skip
def test_one_cameras_photographs_are_known(path: str, camera: str | None) -> None:
    assert Photograph(Path("photos") / path, "D20", 1).camera == camera


def test_a_die_read_as_it_is_labelled_teaches_where_it_lies(tmp_path: Path) -> None:
    rows = [shown(tmp_path, f"own/{value}.png", "D8", value, 50 + value) for value in (3, 5)]
    rows.append((shown(tmp_path, "own/wrong.png", "D8", 3, 53)[0], "D8", "numeral", "8"))
    out = tmp_path / "out"
    assert photographs.main(["--data", str(written(tmp_path, rows)), "--out", str(out)]) == 0
    shard = shards.load(out / "own.npz")
    assert [shards.CLASSES[k] for k in shard.labels[: len(shard.whole), 0]] == [("D8", 3), ("D8", 5)]
    for k, value in enumerate((3, 5)):
        _, lying = on_cloth("D8", value, 50 + value)
        box = numerals.box_of(lying.outline)
        middle = shard.geometry[k, :2] * crops.SIDE_PX / 2 * crops.WHOLE_REACH * max(box[2:]) / crops.SIDE_PX
        np.testing.assert_allclose(middle, (0, 0), atol=0.1 * max(box[2:]))  # seen from above: in the die's middle
    assert set(shard.labels[len(shard.whole) :, 0]) <= {shards.NONE}


def test_a_photograph_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a photograph that labels.csv names; .*gone.png cannot be opened"):
        photographs.opened(Photograph(tmp_path / "gone.png", "D6", 1))
