"""Normalizations of groups, and of axes whose sizes are open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import helper
from quick import first

from tests.network_import.graphs import model, saved, weight

C, GROUPS, EPSILON = 4, 2, 1e-3
OPEN = ["N", C, "height", "width"]


def normalized(x: Any, groups: int, scale: Any, bias: Any) -> Any:
    """By ONNX' text, with the scale and the bias of each channel."""
    rows = x.reshape(len(x), groups, -1).astype(np.float64)
    rows = rows - rows.mean(-1, keepdims=True)
    rows /= np.sqrt((rows**2).mean(-1, keepdims=True) + EPSILON)
    column = (-1, *[1] * (x.ndim - 2))
    return rows.reshape(x.shape) * scale.reshape(column) + bias.reshape(column)


@each_language
@pytest.mark.parametrize("shape", first([OPEN, ["N", C, 5], [2, C, 3, 6]]))
@pytest.mark.parametrize(
    ("operator", "opset", "groups"),
    [
        ("InstanceNormalization", 17, C),
        ("GroupNormalization", 21, GROUPS),
        pytest.param("GroupNormalization", 18, GROUPS, marks=pytest.mark.slow),
    ],
)
def test_numbers(
    operator: str, opset: int, groups: int, shape: list[Any], execute: Execute, tmp_path: Path
) -> None:
    """Also behind another node, and in front of one."""
    count = GROUPS if opset == 18 else C
    scale, bias = weight(count), weight(count)
    given = {"num_groups": groups} if operator.startswith("Group") else {}
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node(operator, ["z", "s", "b"], ["y"], name="norm", epsilon=EPSILON, **given),
        helper.make_node("Neg", ["y"], ["m"]),
    ]
    made = model(nodes, {"x": shape}, ["y", "m"], {"s": scale, "b": bias}, opset=opset)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    sizes = [(2, C, 5), (1, C, 5)] if len(shape) == 3 else [(2, C, 3, 6), (1, C, 1, 2)]
    if opset == 18 and shape == OPEN and execute.way != "direct":
        with pytest.raises(UnsupportedError, match="a part of a buffer that is beyond its end"):
            execute(module, {"x": weight(*sizes[0])})  # its size is not known to be enough
        return
    every = [np.repeat(each, C // count) for each in (scale, bias)]
    for size in sizes if "N" in shape else sizes[:1]:
        x = weight(*size)
        y = normalized(-x, groups, *every)
        for got, wanted in zip(execute(module, {"x": x}).values(), (y, -y), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


@each_language
@pytest.mark.parametrize(
    ("shape", "axis"),
    first([(["N", "T", 4], None), (["N", 5, 4], 1), ([2, 5, 4], None), ([2, 5, 4], 1)]),
)
def test_root_mean_squares(
    shape: list[Any], axis: int | None, execute: Execute, tmp_path: Path
) -> None:
    """As ONNX Runtime computes them."""
    runtime = pytest.importorskip("onnxruntime")
    scale = weight(4) if axis is None else weight(5, 4)
    given = {} if axis is None else {"axis": axis}
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node("RMSNormalization", ["z", "s"], ["n"], name="norm", **given),
        helper.make_node("Neg", ["n"], ["y"]),
    ]
    made = model(nodes, {"x": shape}, ["y"], {"s": scale}, opset=23)
    path = saved(made, tmp_path / "m.onnx")
    module, session = rc.import_network(path), runtime.InferenceSession(path)
    for rows in (2, 1) if "N" in shape else (2,):
        x = weight(rows, 5, 4)
        (wanted,) = session.run(None, {"x": x})
        np.testing.assert_allclose(execute(module, {"x": x})["y"], wanted, rtol=1e-5, atol=1e-6)
