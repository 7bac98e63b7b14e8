"""Unrolled convolutions: the same outputs, the weights got back, and what gains nothing left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="training alone needs onnx (`pip install -e .[train]`)")

from training.unrolled import main, rewrite, rolled, unrolled  # noqa: E402

H = onnx.helper


def net(path: Path, *layers: tuple[int, int, int, int], side: int | str = 24, group: int = 1, hole: int = 1) -> Path:
    """An ONNX file of convolutions (inputs, outputs, kernel, stride), with random weights, on maps of `side`."""
    rng = np.random.default_rng(4)
    nodes, held = [], []
    for k, (into, out, size, stride) in enumerate(layers):
        weight = rng.standard_normal((out, into // group, size, size)).astype(np.float32) / size
        held += [onnx.numpy_helper.from_array(weight, f"w{k}")]
        held += [onnx.numpy_helper.from_array(rng.standard_normal(out).astype(np.float32), f"b{k}")]
        nodes += [
            H.make_node(
                "Conv", [f"x{k}", f"w{k}", f"b{k}"], [f"y{k}"], kernel_shape=[size] * 2, strides=[stride] * 2,
                pads=[hole * (size // 2)] * 4, dilations=[hole] * 2, group=group,
            )
        ]  # fmt: skip
        nodes += [H.make_node("Relu", [f"y{k}"], [f"x{k + 1}"])]
    given = H.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, ["n", layers[0][0], side, side])
    told = H.make_tensor_value_info(f"x{len(layers)}", onnx.TensorProto.FLOAT, ["n", layers[-1][1], None, None])
    graph = H.make_graph(nodes, "net", [given], [told], held)
    onnx.save(H.make_model(graph, opset_imports=[H.make_opsetid("", 20)], ir_version=10), path)
    return path


def outputs(path: Path, x: Any) -> Any:
    cv2.setNumThreads(1)  # other tests fork
    ran = cv2.dnn.readNetFromONNX(str(path))
    ran.setInput(x)
    return np.array(ran.forward())


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "layers", [[(3, 8, 5, 2)], [(5, 16, 3, 2)], [(4, 8, 3, 2), (8, 12, 3, 2), (12, 12, 3, 1)], [(3, 8, 2, 2)]]
)
def test_an_unrolled_net_gives_the_same_outputs(layers: list[tuple[int, ...]], count: int, tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx", *layers)  # type: ignore[arg-type]
    x = np.random.default_rng(count).standard_normal((count, layers[0][0], 24, 24)).astype(np.float32)
    before = outputs(path, x)
    assert rewrite(path) == len(layers)
    assert all(
        node.attribute and H.get_attribute_value(node.attribute[0]) == [1, 1]
        for node in onnx.load(path).graph.node
        if node.op_type == "Conv"
    )
    assert outputs(path, x) == pytest.approx(before, abs=1e-5)


def test_a_second_time_nothing_is_left_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = net(tmp_path / "net.onnx", (3, 8, 5, 2), (8, 8, 3, 2))
    assert main([str(path)]) == 0
    once = path.read_bytes()
    assert main([str(path)]) == 0
    assert path.read_bytes() == once
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "2 convolutions unrolled",
        "0 convolutions unrolled",
    ]


@pytest.mark.parametrize(
    ("layer", "how"),
    [
        ((8, 8, 3, 1), {}),  # neither strided nor small
        ((8, 8, 1, 2), {}),
        ((8, 8, 3, 2), {"group": 8}),
        ((8, 8, 3, 2), {"hole": 2}),
        ((8, 8, 3, 2), {"side": "side"}),  # a net for pictures of any size
    ],
)
def test_what_gains_nothing_stays_as_it_was(layer: tuple[int, int, int, int], how: Any, tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx", layer, **how)
    before = path.read_bytes()
    assert rewrite(path) == 0
    assert path.read_bytes() == before


def test_a_weight_is_rolled_up_again() -> None:
    weight = np.random.default_rng(2).standard_normal((6, 4, 3, 5)).astype(np.float32)
    held: list[Any] = []
    node = H.make_node(
        "Conv",
        ["x", "w", "b"],
        ["y"],
        kernel_shape=[3, 5],
        strides=[2, 2],
        pads=[1, 2, 1, 2],
        dilations=[1, 1],
        group=1,
    )
    *_, conv = unrolled(node, onnx.numpy_helper.from_array(weight, "w"), 9, held)
    flat = next(onnx.numpy_helper.to_array(one) for one in held if one.name == conv.input[1])
    assert flat.shape == (6, 60, 1, 1)
    assert np.array_equal(rolled(flat, weight.shape), weight)
    assert np.array_equal(rolled(weight, weight.shape), weight)
    assert rolled(weight, (6, 4, 3, 3)).shape == weight.shape
