"""Reshapes to sizes that a call computes, one of which follows from the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from execution import Execute, ways
from onnx import helper
from quick import only

from tests.network_import.graphs import close, model, saved, weight

node = helper.make_node
_ROWS, _AXES = [node("Reshape", ["x", "flat"], ["rows"])], ["batch", "time", 3]
_DENSE = [*_ROWS, node("MatMul", ["rows", "w"], ["d"])]
W = weight(3, 4)


def size(axis: int, of: str = "x") -> list[Any]:
    """The size of an axis, as exporters compute it."""
    names = [f"{of}.{axis}.{k}" for k in range(2)]
    return [
        node("Shape", [of], [names[0]]),
        node("Gather", [names[0], f"{axis}"], [names[1]]),
        node("Unsqueeze", [names[1], "first"], [f"{of}{axis}"]),
    ]


def to(source: str, parts: Sequence[str], name: str = "y", **options: Any) -> list[Any]:
    return [
        node("Concat", parts, [f"{name}.shape"], axis=0),
        node("Reshape", [source, f"{name}.shape"], [name], name="back", **options),
    ]


FORMS: dict[str, tuple[list[Any], tuple[int, ...]]] = {
    "a dense layer of each step": ([*_DENSE, *size(0), *to("d", ["x0", "-1", "four"])], (0, 1, 4)),
    "steps of each row": ([*_DENSE, *size(1), *to("d", ["-1", "x1", "four"])], (0, 1, 4)),
    "pairs of each row": ([*_DENSE, *size(0), *to("d", ["x0", "-1", "two"])], (0, -1, 2)),
    "the same size": (
        [*size(1), *to("x", ["zero", "x1", "-1"], "z"), node("Relu", ["z"], ["y"])],
        (0, 1, 3),
    ),
    "twice": (
        [
            *_DENSE,
            *size(0),
            *to("d", ["x0", "-1", "four"], "z"),
            *size(1, "z"),
            *to("z", ["-1", "z1", "two"]),
        ],
        (-1, 1, 2),
    ),
}
"""Nodes from x and W to y, and the shape of y: axes of x, a size of its own, or -1."""


@pytest.mark.parametrize("form", only(FORMS, "a dense layer of each step"))
@ways("direct", "iree", "c", "js", quick=("direct",))
def test_a_size_that_follows(form: str, execute: Execute, tmp_path: Path) -> None:
    nodes, axes = FORMS[form]
    constants = {"flat": [-1, 3], "-1": [-1], "first": [0], "zero": [0], "two": [2], "four": [4]}
    given = {name: np.array(numbers) for name, numbers in (constants | {"0": 0, "1": 1}).items()}
    network = model(nodes, {"x": _AXES}, ["y"], given | {"w": W})
    module = rc.import_network(saved(network, tmp_path / "m.onnx"))
    for batch, time in ((2, 6), (3, 1), (1, 7)):
        x = weight(batch, time, 3)
        made = np.maximum(x, 0) if form == "the same size" else x @ W
        shape = [x.shape[k] if k in (0, 1) else k for k in axes]
        (found,) = execute(module, {"x": x}).values()
        close(found, made.reshape(shape))
