"""Normalizations of groups, and of axes whose sizes are open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import helper

from tests.network_import.graphs import by_runtime, model, weight

C, GROUPS, EPSILON = 4, 2, 1e-3


def normalized(x: Any, groups: int, scale: Any, bias: Any) -> Any:
    """By ONNX' text, with the scale and the bias of each channel."""
    rows = x.reshape(len(x), groups, -1).astype(np.float64)
    rows = rows - rows.mean(-1, keepdims=True)
    rows /= np.sqrt((rows**2).mean(-1, keepdims=True) + EPSILON)
    column = (-1, *[1] * (x.ndim - 2))
    return rows.reshape(x.shape) * scale.reshape(column) + bias.reshape(column)


SHAPES = [
    (["N", C, "height", "width"], [(2, C, 3, 6), (1, C, 1, 2)]),
    (["N", C, 5], [(2, C, 5), (1, C, 5)]),
    ([2, C, 3, 6], [(2, C, 3, 6)] * 2),
]
"""Shapes, and the sizes of two calls."""


@pytest.mark.slow
@each_language
@pytest.mark.parametrize(
    ("operator", "opset", "groups"),
    [
        ("InstanceNormalization", 17, C),
        ("GroupNormalization", 21, GROUPS),
        ("GroupNormalization", 18, GROUPS),
    ],
)
def test_numbers(operator: str, opset: int, groups: int, agree: Any) -> None:
    """Also behind another node or as the first one, and in front of one."""
    count = GROUPS if opset == 18 else C
    weights = {"s": weight(count), "b": weight(count)}
    given = {"num_groups": groups} if operator.startswith("Group") else {}
    how = {"epsilon": EPSILON, **given}
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node(operator, ["z", "s", "b"], ["y"], name="norm", **how),
        helper.make_node("Neg", ["y"], ["m"]),
        helper.make_node(operator, ["x", "s", "b"], ["of_x"], name="first", **how),
    ]
    every = [np.repeat(each, C // count) for each in weights.values()]

    def judged(_: Any, given: dict[str, Any]) -> list[Any]:
        y, of_x = (normalized(x, groups, *every) for x in (-given["x"], given["x"]))
        return [y, -y, of_x]

    cases = [
        (
            model(nodes, {"x": shape}, ["y", "m", "of_x"], weights, opset=opset),
            [{"x": weight(*size)} for size in sizes],
        )
        for shape, sizes in SHAPES
    ]
    agree(cases, judge=judged, rtol=1e-4)


@pytest.mark.slow
@each_language
def test_root_mean_squares(agree: Any) -> None:
    """As ONNX Runtime computes them."""
    cases: list[Any] = []
    for rows in ("N", 2):
        for columns, axis in (("T" if rows == "N" else 5, None), (5, 1)):
            given = {} if axis is None else {"axis": axis}
            nodes = [
                helper.make_node("Neg", ["x"], ["z"]),
                helper.make_node("RMSNormalization", ["z", "s"], ["n"], name="norm", **given),
                helper.make_node("Neg", ["n"], ["y"]),
            ]
            weights = {"s": weight(4) if axis is None else weight(5, 4)}
            made = model(nodes, {"x": [rows, columns, 4]}, ["y"], weights, opset=23)
            sizes = (2, 1) if rows == "N" else (2, 2)
            cases.append((made, [{"x": weight(size, 5, 4)} for size in sizes]))
    agree(cases, judge=by_runtime)


@pytest.mark.slow
@each_language
def test_means_and_variances(agree: Any) -> None:
    """Also of numbers whose mean is large beside their differences."""
    cases: list[Any] = []
    for shape, axes in (
        (["N", C, "height", 3], None),
        ([2, C, 5, 3], None),
        (["N", C, "height", "width"], [1, -1]),
    ):
        given = {} if axes is None else {"axes": axes}
        node = helper.make_node("MeanVarianceNormalization", ["x"], ["y"], name="norm", **given)
        x = weight(2, C, 5, 3)
        far = weight(2, C, 5, 3, scale=1) + np.float32(100)
        cases.append((model([node], {"x": shape}, ["y"], {}), [{"x": x}, {"x": far}]))

    def judged(made: Any, given: dict[str, Any]) -> list[Any]:
        attributes = made.graph.node[0].attribute
        axes = [*attributes[0].ints] if attributes else [0, 2, 3]
        return [_centred(given["x"], axes)]

    agree(cases, judge=judged, rtol=1e-4, atol=1e-4)


def _centred(x: Any, axes: list[int]) -> Any:
    x = x.astype(np.float64)
    return (x - x.mean(tuple(axes), keepdims=True)) / x.std(tuple(axes), keepdims=True)
