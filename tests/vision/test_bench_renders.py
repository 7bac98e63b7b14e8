"""The benchmark's rendered trays: which are read, and with which plan."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from benchmarks import renders, vision
from benchmarks.photographs import NoData

TYPES = ("D4", "D6", "D8", "D10", "D12", "D20", "D100")


def die(name: str, value: int | None = 1) -> dict[str, Any]:
    return {"die": name, "value": value, "cocked": False, "top_box": [10.0, 20.0, 30.0, 40.0]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(renders, "TRAYS_AT", tmp_path)
    return tmp_path


def put(folder: Path, *numbers: int, dice: tuple[str, ...] = ("D4", "D6", "D20")) -> None:
    for number in numbers:
        file = f"tray-{number:04d}.png"
        told = {"seed": [2026, number], "file": file, "dice": [die(name) for name in dice]}
        (folder / f"tray-{number:04d}.json").write_text(json.dumps(told))
        cv2.imwrite(str(folder / file), np.full((48, 64, 3), 90, np.uint8))


def names(name: str) -> list[str]:
    return [sample.name for sample in renders.render_set(name)]


def test_every_fifth_scene_is_read_with_a_wrong_plan(folder: Path) -> None:
    put(folder, *range(11))
    wrong = [f"renders-trays/tray-{number:04d}.png" for number in (4, 9)]
    assert names(renders.WRONG_PLAN) == wrong
    assert set(names(renders.TRAYS)) == {f"renders-trays/tray-{k:04d}.png" for k in range(11)} - set(wrong)
    assert all(sample.plan == () for sample in renders.render_set(renders.TRAYS))
    for sample in renders.render_set(renders.WRONG_PLAN):
        assert len(sample.plan) == 3
        assert len(set(sample.plan)) == 1
        assert sample.plan[0] in ("D8", "D10", "D12", "D100")


def test_a_plan_where_every_type_lies_there_names_the_rarest(folder: Path) -> None:
    put(folder, *range(5), dice=(*TYPES, *(name for name in TYPES if name != "D12")))
    assert set(renders.render_set(renders.WRONG_PLAN)[0].plan) == {"D12"}


def test_a_set_ends_before_the_first_scene_that_is_not_rendered(folder: Path) -> None:
    put(folder, 0, 1, 3)
    assert len(names(renders.TRAYS)) == 2
    with pytest.raises(NoData, match="Only 2 trays are rendered"):
        renders.render_set(renders.WRONG_PLAN)


def test_a_run_of_all_sets_renders_no_trays(folder: Path) -> None:
    assert renders.TRAYS not in renders.at_hand()
    put(folder, 0)
    assert renders.TRAYS in renders.at_hand()


def test_without_engines_a_sentence_says_what_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoData, match=r"No trays are rendered in .*pip install -e '.*\[physical\]'"):
        renders.render_set(renders.TRAYS)


def test_the_plan_reaches_the_reader(folder: Path) -> None:
    put(folder, *range(5))
    heard: list[Any] = []

    def read(frame: Any, plan: Any = None) -> list[Any]:
        heard.append(plan)
        return []

    for name in (renders.TRAYS, renders.WRONG_PLAN):
        vision.read_all(read, renders.render_set(name))
    assert heard[:4] == [None] * 4
    assert len(heard[4]) == 3
