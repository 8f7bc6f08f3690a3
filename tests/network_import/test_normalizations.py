"""Normalizations of groups, and of axes whose sizes are open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import helper
from quick import first

from tests.network_import.graphs import by_runtime, model, saved, weight

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
    """Also behind another node or as the first one, and in front of one."""
    count = GROUPS if opset == 18 else C
    scale, bias = weight(count), weight(count)
    given = {"num_groups": groups} if operator.startswith("Group") else {}
    how = {"epsilon": EPSILON, **given}
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node(operator, ["z", "s", "b"], ["y"], name="norm", **how),
        helper.make_node("Neg", ["y"], ["m"]),
        helper.make_node(operator, ["x", "s", "b"], ["of_x"], name="first", **how),
    ]
    made = model(nodes, {"x": shape}, ["y", "m", "of_x"], {"s": scale, "b": bias}, opset=opset)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    sizes = [(2, C, 5), (1, C, 5)] if len(shape) == 3 else [(2, C, 3, 6), (1, C, 1, 2)]
    every = [np.repeat(each, C // count) for each in (scale, bias)]
    for size in sizes if "N" in shape else sizes[:1]:
        x = weight(*size)
        y = normalized(-x, groups, *every)
        wanted_of = (y, -y, normalized(x, groups, *every))
        for got, wanted in zip(execute(module, {"x": x}).values(), wanted_of, strict=True):
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


@each_language
@pytest.mark.parametrize(
    ("shape", "axes"), first([(["N", C, "height", 3], None), ([2, C, 5, 3], None), (OPEN, [1, -1])])
)
def test_means_and_variances(shape: list[Any], axes: list[int] | None, agrees: Any) -> None:
    """Also of numbers whose mean is large beside their differences."""
    given = {} if axes is None else {"axes": axes}
    node = helper.make_node("MeanVarianceNormalization", ["x"], ["y"], name="norm", **given)
    made = model([node], {"x": shape}, ["y"], {})
    agrees(made, {"x": weight(2, C, 5, 3)}, judge=by_runtime)
    x = weight(2, C, 5, 3, scale=1) + np.float32(100)
    agrees(made, {"x": x}, judge=lambda *_: [_centred(x, axes or [0, 2, 3])], rtol=1e-4, atol=1e-4)


def _centred(x: Any, axes: list[int]) -> Any:
    x = x.astype(np.float64)
    return (x - x.mean(tuple(axes), keepdims=True)) / x.std(tuple(axes), keepdims=True)
