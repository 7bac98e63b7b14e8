"""The judge of faces: what it is shown, what it answers, and which files it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from dicevision import judge
from dicevision.crops import blob
from dicevision.judge import CLASSES, REACH, SIDE_PX, BadJudge, crop, crops
from training.trays import Camera, DiePose, Tray, geometry, render_tray


@pytest.fixture(scope="module")
def net() -> judge.Judge:
    return judge.shipped()


def test_the_crop_is_upright_with_the_face_in_its_middle() -> None:
    frame = np.zeros((200, 300, 3), np.uint8)
    cv2.rectangle(frame, (150 - 20, 90 - 20), (150 + 20, 90 + 20), (0, 0, 255), -1)
    frame[:60] = (255, 0, 0)
    seen = crop(frame, np.array([150.0, 90.0]), 20.0)
    red = np.argwhere(seen[:, :, 2] > 128)
    middle = (SIDE_PX - 1) / 2
    assert red.mean(axis=0) == pytest.approx([middle, middle], abs=0.6)
    assert np.ptp(red, axis=0) + 1 == pytest.approx(SIDE_PX / REACH, abs=2)
    assert seen[0, SIDE_PX // 2].tolist() == [255, 0, 0]


@pytest.mark.parametrize("half", [3.0, 10.0, 30.0, 90.0])
def test_a_crop_has_one_size_whatever_the_face_has(half: float) -> None:
    frame = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
    assert crop(frame, np.array([5.0, 235.0]), half).shape == (SIDE_PX, SIDE_PX, 3)


def test_no_candidates_give_no_likelihoods(net: judge.Judge) -> None:
    none = np.zeros((0, 2))
    frame = np.zeros((64, 64, 3), np.uint8)
    assert judge.judge(frame, none, np.zeros(0), net).shape == (0, len(CLASSES))
    assert crops(frame, none, np.zeros(0)).shape == (0, SIDE_PX, SIDE_PX, 3)


def test_likelihoods_are_shares_of_one_and_do_not_depend_on_the_company(net: judge.Judge) -> None:
    frame = np.random.default_rng(2).integers(0, 255, (240, 320, 3), np.uint8)
    centres, halves = np.array([[100.0, 100.0], [200.0, 50.0], [0.0, 0.0]]), np.array([12.0, 30.0, 8.0])
    together = judge.judge(frame, centres, halves, net)
    alone = np.concatenate([judge.judge(frame, centres[k : k + 1], halves[k : k + 1], net) for k in range(3)])
    assert together.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert together == pytest.approx(alone, abs=1e-4)


def test_opencv_gives_what_the_net_gave_where_it_was_trained(net: judge.Judge) -> None:
    proof = json.loads(judge.shipped_files()[1])["proof"]
    x = (3 * np.sin(0.01 * np.arange(2 * 3 * SIDE_PX * SIDE_PX))).reshape(2, 3, SIDE_PX, SIDE_PX).astype(np.float32)
    net.net.setInput(x)
    assert net.net.forward() == pytest.approx(np.array(proof), abs=1e-4)


def trays_die(value: int) -> tuple[NDArray[np.uint8], NDArray[np.float32], float]:
    """A plain die seen from 35 degrees, and its top's middle and half its longer side."""
    camera = Camera(320, 240, view_mm=110, tilt_deg=35)
    frame, (label,) = render_tray([DiePose(0, 0, value, yaw_deg=20)], tray=Tray(wall_mm=0), camera=camera, seed=value)
    axes = np.stack([label.top_face[1] - label.top_face[0], label.top_face[3] - label.top_face[0]], 1) / 2
    return frame, label.top_face.mean(axis=0), float(np.linalg.norm(axes, 2))


@pytest.mark.parametrize("value", range(1, 7))
def test_a_plain_die_is_known_by_its_top(net: judge.Judge, value: int) -> None:
    frame, middle, half = trays_die(value)
    likely = judge.judge(frame, middle[None], np.array([half]), net)[0]
    assert likely[: judge.SIDE].sum() > 0.8
    if value < 6:  # a six's pips run together in so small a crop: geometry counts them
        assert CLASSES[int(likely.argmax())] == str(value)


def test_bare_felt_is_no_face(net: judge.Judge) -> None:
    frame, middle, half = trays_die(3)
    likely = judge.judge(frame, middle[None] + 5 * half, np.array([half]), net)[0]
    assert CLASSES[int(likely.argmax())] == "none"


GOOD = {"classes": list(CLASSES), "temperature": 1.0, "agree": [1, 1, 0, 0]}


@pytest.mark.parametrize(
    ("onnx", "about"),
    [
        (b"no model", json.dumps(GOOD)),
        (None, "{"),
        (None, json.dumps({**GOOD, "classes": ["1", "2"]})),
        (None, json.dumps({"classes": list(CLASSES), "temperature": 1.0})),
        (None, json.dumps({**GOOD, "agree": [1, 2]})),
    ],
)
def test_files_that_do_not_fit_are_refused(onnx: bytes | None, about: Any) -> None:
    with pytest.raises(BadJudge, match="expected"):
        judge.load(onnx or judge.shipped_files()[0], about)


def row(**shares: float) -> NDArray[np.float64]:
    return np.array([[shares.get(f"v{name}", shares.get(name, 0.0)) for name in CLASSES]])


@pytest.mark.parametrize(
    ("likely", "belief", "least", "most"),
    [
        (row(v4=1), 0.95, 0.95, 1),
        (row(v4=0.2, side=0.8), 0.5, 0, 0.6),
        (row(v4=0.02, side=0.98), 0.95, 0, 0.4),
        (row(v4=0.02, none=0.98), 0.05, 0, 0.3),
    ],
)
def test_both_must_agree(
    net: judge.Judge, likely: NDArray[np.float64], belief: float, least: float, most: float
) -> None:
    assert least <= float(judge.agreed(likely, np.array([4]), np.array([belief]), net)[0]) <= most


def test_agreement_is_logistic() -> None:
    """By hand: a top 4 to 1 at weight 0.5 gives 2; a value 1 to 1 nothing; belief 1 to 3 at weight 1: 2/3, so 0.4."""
    flat = judge.Judge(None, 1.0, (0.5, 2.0, 1.0, 0.0))
    likely = row(v3=0.4, v5=0.4, side=0.2)
    assert float(judge.agreed(likely, np.array([3]), np.array([0.25]), flat)[0]) == pytest.approx(0.4)


def test_each_thread_has_its_own_net() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(judge.mine).result() is not judge.mine()
    assert judge.mine() is judge.mine()


def test_blob_takes_the_light_away() -> None:
    dim = np.random.default_rng(3).integers(40, 80, (1, SIDE_PX, SIDE_PX, 3), np.uint8)
    assert blob(dim) == pytest.approx(blob(dim * 2 + 10), abs=0.02)


def test_faces_of_trays_are_where_the_axes_say() -> None:
    """The training's truth and the renderer's own label agree on the top face's place."""
    from training.faces.truth import truths

    pose = DiePose(10, 5, 4, yaw_deg=33)
    camera = Camera(320, 240, view_mm=110, tilt_deg=50)
    view, die = geometry.look(camera), geometry.place(pose)
    faces = truths(view, die, np.ones((240, 320), np.uint8), 1)
    top = next(face for face in faces if face.label == 3)
    assert top.centre == pytest.approx(geometry.top_face(view, die).mean(axis=0), abs=0.5)
    assert sum(face.label == judge.SIDE for face in faces) == 2
