"""Reshapes to sizes that a call computes, one of which follows from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import ways
from onnx import helper

from tests.network_import.graphs import model, weight

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


FORMS: dict[str, list[Any]] = {
    "a dense layer of each step": [*_DENSE, *size(0), *to("d", ["x0", "-1", "four"])],
    "steps of each row": [*_DENSE, *size(1), *to("d", ["-1", "x1", "four"])],
    "pairs of each row": [*_DENSE, *size(0), *to("d", ["x0", "-1", "two"])],
    "the same size": [*size(1), *to("x", ["zero", "x1", "-1"], "z"), node("Relu", ["z"], ["y"])],
    "twice": [
        *_DENSE,
        *size(0),
        *to("d", ["x0", "-1", "four"], "z"),
        *size(1, "z"),
        *to("z", ["-1", "z1", "two"]),
    ],
}
"""Nodes from x and W to y."""


def network(form: str) -> tuple[Any, list[dict[str, Any]]]:
    """A model, and calls at several sizes."""
    constants = {"flat": [-1, 3], "-1": [-1], "first": [0], "zero": [0], "two": [2], "four": [4]}
    given = {name: np.array(numbers) for name, numbers in (constants | {"0": 0, "1": 1}).items()}
    made = model(FORMS[form], {"x": _AXES}, ["y"], given | {"w": W})
    return made, [{"x": weight(*sizes, 3)} for sizes in ((2, 6), (3, 1), (1, 7))]


@ways("direct")
def test_a_size_that_follows(agree: Any) -> None:
    agree([network("a dense layer of each step")])


@pytest.mark.slow
@ways("direct", "iree", "c", "js")
def test_sizes_that_follow(agree: Any) -> None:
    agree([network(form) for form in FORMS])
