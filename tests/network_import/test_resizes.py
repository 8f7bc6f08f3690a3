"""Forms of Resize that IREE's importer does not take, as ONNX Runtime computes them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import helper
from quick import first

from tests.network_import.graphs import by_runtime, model, weight

CENTRES = ("align_corners", "pytorch_half_pixel", "half_pixel", "asymmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def resizes(shape: Sequence[Any], *rows: tuple[str, Sequence[float], dict[str, Any]]) -> Any:
    """A node for each row: what it is given, ``sizes`` or ``scales``, with attributes."""
    nodes: list[Any] = []
    weights: dict[str, Any] = {}
    for k, (what, numbers, attributes) in enumerate(rows):
        weights[f"k{k}"] = np.array(numbers, np.float32 if what == "scales" else np.int64)
        inputs = ["x", "", *([] if what == "scales" else [""]), f"k{k}"]
        nodes.append(helper.make_node("Resize", inputs, [f"y{k}"], f"n{k}", **attributes))
    return model(nodes, {"x": shape}, [f"y{k}" for k in range(len(rows))], weights, opset=19)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("batch", ["batch", 2])
def test_the_nearest(batch: int | str, agrees: Any) -> None:
    """Of more and of fewer elements."""
    rows = [
        (what, numbers, {"coordinate_transformation_mode": centres, "nearest_mode": nearest})
        for centres, nearest in itertools.product(CENTRES[:2], NEAREST)
        for what, numbers in (("sizes", (8, 7)), ("scales", (1.5, 0.6)), ("sizes", (1, 3)))
    ]
    rows = [(what, numbers, {**how, "axes": [2, 3]}) for what, numbers, how in rows]
    made = resizes([batch, 3, 4, 5], *rows[:: 1 if batch == 2 else 5])
    agrees(made, {"x": weight(2, 3, 4, 5)}, judge=by_runtime)


@pytest.mark.slow
@each_language
def test_the_nearest_along_the_first_axes(agrees: Any) -> None:
    every = [{"coordinate_transformation_mode": centres} for centres in CENTRES]
    rows = [row for how in every for row in (("sizes", [5, 2, 8], how), ("scales", [2, 1, 1], how))]
    agrees(resizes([2, 3, 4], *rows), {"x": weight(2, 3, 4)}, judge=by_runtime)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("shape", [["batch", 3, 4, 5], [2, 3, 4, 5]])
def test_sizes_of_some_axes(shape: Sequence[Any], agrees: Any) -> None:
    made = resizes(
        shape,
        ("sizes", [7, 8], {"axes": [3, 2], "mode": "linear"}),
        ("scales", [2.0], {"axes": [-1], "mode": "cubic"}),
        ("scales", [2.0], {"axes": [2], "mode": "nearest"}),
    )
    agrees(made, {"x": weight(2, 3, 4, 5)}, judge=by_runtime, atol=1e-4)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("batch", ["batch", 2])
def test_rows_of_one_axis(batch: int | str, agrees: Any) -> None:
    made = resizes(
        [batch, 3, 5],
        ("scales", [1, 1, 2.0], {"mode": "linear"}),
        (
            "sizes",
            [2],
            {"axes": [2], "mode": "linear", "coordinate_transformation_mode": "align_corners"},
        ),
    )
    agrees(made, {"x": weight(2, 3, 5)}, judge=by_runtime)


@each_language
@pytest.mark.parametrize("mode", first(["linear", "cubic"]))
def test_open_axes(mode: str, agrees: Any) -> None:
    """To a multiple, to a constant size and to that of another input."""
    weights = {"scales": np.array([1, 1, 3, 2], np.float32), "sizes": np.array([1, 2, 8, 9])}
    ends = {"multiple": ["", "scales"], "known": ["", "", "sizes"], "other": ["", "", "shape"]}
    nodes = [helper.make_node("Shape", ["z"], ["shape"])]
    nodes += [
        helper.make_node("Resize", ["x", *end], [name], mode=mode) for name, end in ends.items()
    ]
    inputs = {"x": [1, 2, "height", "width"], "z": [1, 2, "other height", "other width"]}
    made = model(nodes, inputs, [*ends], weights)
    sizes = ((4, 5, 7, 6), (1, 3, 2, 2))
    calls = ({"x": weight(1, 2, a, b), "z": weight(1, 2, c, d)} for a, b, c, d in sizes)
    agrees(made, *calls, judge=by_runtime, atol=1e-4)
