"""`dicetower bench vision`: a small run of its own, and one sentence where something it needs is not there."""

from __future__ import annotations

import csv
import importlib.util
import json
import sys
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from benchmarks import outlines, photographs, readers, report, vision
from benchmarks.peers import blob_dbscan, sift_reference
from benchmarks.photographs import Sample
from benchmarks.scoring import Label, Tally, judge
from numpy.typing import NDArray

from dicetower.cli import bench, run
from training.trays import Camera, DiePose, Sensor, Tray, render_tray

COUNTS = ["dice", "right", "unsure", "wrong", "missed", "invented_sure", "invented_unsure"]


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, list[str], str]:
    status = run(["bench", "vision", *map(str, args)])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets in the form of data/README.md: renders with boxes, and a die whose place and value are not told."""
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for k in range(2):
        dice = [DiePose(-40, 10 * k, 4, 20, pip_depth=0), DiePose(50, -20, 1, 50 + k, pip_depth=0)]
        frame, labels = render_tray(dice, tray=Tray("felt", wall_mm=0), camera=Camera(view_mm=220), seed=k)
        name = f"two/{k}.png"
        (folder / "photos/two").mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / "photos" / name), frame)
        rows += [[name, "D6", "pips", label.value, *(round(side) for side in label.top_box)] for label in labels]
    (folder / "photos/odd").mkdir()
    cv2.imwrite(str(folder / "photos/odd/a.png"), frame)
    rows.append(["odd/a.png", "D20", "numeral", "", "", "", "", ""])
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["file", "die", "style", "value", "x", "y", "w", "h"], *rows])
    return folder


def test_a_run_gives_a_json_line_a_set_and_reader(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    status, out, err = call(capsys, "--data", data, "--set", "two", "--json")
    lines = [json.loads(line) for line in out]
    assert (status, err) == (0, "")
    assert [(line["set"], line["reader"]) for line in lines] == [("two", "dicevision"), ("two", "blob-dbscan")]
    for line in lines:
        assert (line["pictures"], line["dice"]) == (2, 4)
        assert sum(line[key] for key in ("right", "unsure", "wrong", "missed")) == 4
        assert list(line["by_die"]["D6"])[: len(COUNTS)] == COUNTS
        assert len(line["misread"]) == 4 - line["right"] + line["invented_sure"] + line["invented_unsure"]
        assert line["ms_per_picture"] > 0
        assert line["pictures_per_core_second_at_640x480"] > 0
        assert 20 < line["peak_mb"] < 1000


def test_a_run_prints_a_table(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    status, out, _ = call(capsys, "--data", data, "--set", "odd", "--ours-only")
    assert status == 0
    assert out[0].split()[:4] == ["set", "reader", "die", "dice"]
    assert out[1].split()[:4] == ["odd", "dicevision", "all", "0"]
    assert any(line.startswith("right: sure, type and value as labelled") for line in out)


@pytest.mark.parametrize(
    ("args", "status", "sentence"),
    [
        (
            ["--set", "nosuch"],
            2,
            "There is no set nosuch; there are two, odd, renders-pips, renders-cocked, renders-mixed, renders-trays, "
            "renders-trays-wrong-plan.",
        ),
        (["--data", "/nonexistent"], 1, "No labels.csv in /nonexistent: give the folder of labelled photographs with"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    args: list[str], status: int, sentence: str, capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    came, out, err = call(capsys, *(["--data", data] if "--data" not in args else []), *args)
    assert (came, out) == (status, []), "and no heading over nothing"
    assert err.startswith(f"dicetower: {sentence}")
    assert err.count("\n") == 1


def test_outside_a_checkout_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    status, out, err = call(capsys)
    assert (status, out) == (1, [])
    assert err == "dicetower: Benchmarks are not in the installed package: run this from a checkout of the project.\n"


def test_without_the_extra_it_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    status, out, err = call(capsys, "--data", data)
    assert (status, out) == (1, [])
    checkout = Path(__file__).parents[2]
    assert f"{sys.executable} -m pip install -e '{checkout}[bench]', or add --ours-only" in err


def test_labels_that_are_no_table_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,die\na/b.jpg,D6\n")
    status, _, err = call(capsys, "--data", tmp_path, "--json")
    assert status == 1
    assert "is not a table of labels as data/README.md has it" in err


def test_a_photograph_that_labels_name_but_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(photographs.NoData, match=r"gone\.jpg cannot be opened, but labels\.csv names it"):
        photographs.photograph(tmp_path / "gone.jpg")


def test_an_empty_tray_and_an_unlabelled_value_are_in_the_sets(data: Path) -> None:
    (sample,) = photographs.photograph_sets(data)["odd"]
    assert sample.labels == (Label("D20", None, None),)


@pytest.mark.parametrize("count", [1, 3, 10, 40])
def test_a_spread_is_even_and_no_larger_than_asked(count: int) -> None:
    samples = [Sample(str(k), (), lambda: (_ for _ in ()).throw(AssertionError)) for k in range(25)]
    chosen = [int(sample.name) for sample in photographs.spread(samples, count)]
    assert len(chosen) == min(count, 25)
    assert len({b - a for a, b in pairwise(chosen)}) <= 1


def test_the_matcher_knows_a_face_by_its_other_photograph_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two photographs each of two faces, turned by the second; a third face was photographed once and is not known."""

    def shown(value: int, turn: float, seed: int) -> Sample:
        rng = np.random.default_rng(value)  # the face
        face = cv2.resize(rng.integers(0, 255, (14, 14), dtype=np.uint8), (120, 120), interpolation=cv2.INTER_CUBIC)
        about = cv2.getRotationMatrix2D((60, 60), turn, 1.0)
        about[:, 2] += 40
        frame = cv2.cvtColor(cv2.warpAffine(face, about, (200, 200)), cv2.COLOR_GRAY2BGR)
        noise = np.random.default_rng(seed).normal(0, 4, frame.shape)
        taken = np.clip(frame + noise, 0, 255).astype(np.uint8)
        return Sample(f"mine/{value}-{seed}.png", (Label("D6", value),), lambda: taken)

    def in_the_middle(frame: NDArray[np.uint8]) -> NDArray[np.float32]:
        assert frame.shape == (200, 200, 3)
        return np.array([[30, 30], [170, 30], [170, 170], [30, 170]], np.float32)

    monkeypatch.setitem(outlines.BY_SET, "mine", in_the_middle)
    samples = [shown(1, 0, 10), shown(2, 0, 20), shown(1, 35, 11), shown(2, 200, 21), shown(3, 0, 30)]
    peer = sift_reference.SiftReference(samples)
    told = [peer.read(sample.frame())[0] for sample in samples]
    assert [(one.value, one.sure) for one in told[:4]] == [(1, True), (2, True), (1, True), (2, True)]
    assert not told[4].sure
    assert readers.beside("mine")[-1].name == "sift-reference"
    assert readers.beside("wood-desk") == [readers.BLOB_DBSCAN]


def test_the_usual_recipe_reads_plain_dice_from_above() -> None:
    """Held to what the recipe can do, so that the comparison is with the recipe and not with a broken copy."""
    dice = [
        DiePose(-50, 20, 5, 20, pip_depth=0),
        DiePose(0, -30, 2, 50, pip_depth=0),
        DiePose(55, 10, 3, 80, pip_depth=0),
    ]
    webcam = Sensor(noise=0.1, jpeg=0)
    frame, labels = render_tray(dice, tray=Tray("felt", wall_mm=0), camera=Camera(view_mm=200), webcam=webcam)
    truth = [Label("D6", label.value, label.top_box) for label in labels]
    assert Tally.of(judge(truth, blob_dbscan.read(frame, blob_dbscan.Setting(640)))) == Tally(right=3)


def test_the_usual_recipe_sees_nothing_in_an_empty_picture() -> None:
    frame, _ = render_tray([], tray=Tray("card", wall_mm=0), webcam=Sensor(noise=0))
    assert blob_dbscan.read(frame, blob_dbscan.Setting(640)) == []


def test_shares_of_nothing_print_as_nothing() -> None:
    assert report.cells(Tally()) == ("0", "0", "0", "0 of 0", "0", "0 + 0")
    assert report.cells(Tally(right=9, wrong=1, unsure=2))[1:4] == ("9 75.0%", "2", "1 of 10 10.0%")


def test_the_bench_has_a_place_for_every_set() -> None:
    assert vision.DATA.name == "data"
    assert vision.DATA.parent.name == "shared"
