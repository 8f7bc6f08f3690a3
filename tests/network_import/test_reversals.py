"""ReverseSequence, with lengths of each kind and beside other readers of its input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import Execute, ways
from onnx import TensorProto, helper

import rnn_compiler as rc
from tests.network_import.graphs import expected, folded, model, saved, weight

T, B = 5, 3
LENGTHS = np.array([T, 1, 3])


def reversed_rows(x: Any, lengths: Any, *, time: int = 0) -> Any:
    """An array of two axes or more whose rows are turned round up to their lengths."""
    y = np.moveaxis(x, time, 0).copy()
    for row, length in enumerate(lengths):
        y[:length, row] = y[:length, row][::-1]
    return np.moveaxis(y, 0, time)


def network(shape: list[Any], time: int, lengths: Any = None, *, more: bool = False) -> Any:
    """A reversal of the first two axes, with lengths as an input if none are given."""
    axes = {"time_axis": time, "batch_axis": 1 - time}
    nodes = [
        helper.make_node("Neg", ["x"], ["e"], name="negate"),
        helper.make_node("ReverseSequence", ["e", "n"], ["y"], name="turn", **axes),
        helper.make_node("MatMul", ["e", "P"], ["z"], name="other"),
    ]
    shapes = {"x": shape}
    weights = {"P": np.eye(4, dtype=np.float32)}
    if lengths is None:
        shapes["n"] = [shape[1 - time]]
    else:
        weights["n"] = lengths
    outputs = ["y", "z"] if more else ["y"]
    nodes = nodes if more else nodes[:2]
    return model(nodes, shapes, outputs, weights, dtypes={"n": TensorProto.INT64})


@pytest.mark.parametrize("shape", [(5, 3), (5, 3, 4), (5, 3, 2, 2)])
@pytest.mark.parametrize("time", [0, 1])
def test_they_become_gathers(shape: tuple[int, ...], time: int, tmp_path: Path) -> None:
    """Lengths beyond the last step mean all steps, rather than a read behind the array."""
    x = weight(*shape)
    lengths = np.resize(LENGTHS, shape[1 - time])
    graph = folded(network([*shape], time), tmp_path / "m.onnx")
    assert "ReverseSequence" not in graph.operators()
    for given in (lengths, lengths + 9):
        (got,) = expected(graph.model, {"x": x, "n": given})
        np.testing.assert_array_equal(got, reversed_rows(-x, given, time=time))


def test_rows_with_all_steps_are_sliced(tmp_path: Path) -> None:
    """As Keras' layers with `go_backwards` are exported."""
    x = weight(T, B, 4)
    graph = folded(network([T, B, 4], 0, np.full(B, T)), tmp_path / "m.onnx")
    assert graph.operators() == ["Neg", "Slice"]
    np.testing.assert_array_equal(expected(graph.model, {"x": x})[0], -x[::-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "time", "lengths"),
    [
        ([T, B, 4], 0, None),
        ([B, T, 4], 1, LENGTHS),
        ([B, T, 4], 1, np.full(B, T)),
        (["T", "B", 4], 0, None),
        (["B", "T", 4], 1, None),
    ],
)
def test_compiled(shape: list[Any], time: int, lengths: Any, tmp_path: Path) -> None:
    """With all steps of rows in the first axis, numbers were wrong."""
    path = saved(network(shape, time, lengths), tmp_path / "m.onnx")
    program = rc.runtime.load(rc.compile(rc.import_network(path), "cpu:generic"), "local-sync")
    x = weight(*((B, T, 4) if time else (T, B, 4)))
    given = {"x": x} if lengths is not None else {"x": x, "n": LENGTHS}
    wanted = reversed_rows(-x, LENGTHS if lengths is None else lengths, time=time)
    np.testing.assert_array_equal(program(**given).y, wanted)


def test_open_rows_with_all_steps(tmp_path: Path) -> None:
    """The lengths are an array as long as the batch; what replaces the node is replaced again."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], name="shape"),
        helper.make_node("Gather", ["s", "one"], ["steps"], name="steps"),
        helper.make_node("Gather", ["s", "zero"], ["rows"], name="rows"),
        helper.make_node("Expand", ["steps", "rows"], ["n"], name="lengths"),
        helper.make_node("Neg", ["x"], ["e"], name="negate"),
        helper.make_node(
            "ReverseSequence", ["e", "n"], ["y"], name="turn", time_axis=1, batch_axis=0
        ),
    ]
    weights = {"one": np.array(1), "zero": np.array([0])}
    path = saved(model(nodes, {"x": ["B", "T", 4]}, ["y"], weights), tmp_path / "m.onnx")
    program = rc.runtime.load(rc.compile(rc.import_network(path), "cpu:generic"), "local-sync")
    x = weight(B, T, 4)
    np.testing.assert_array_equal(program(x=x).y, -x[:, ::-1])


@pytest.mark.slow
@ways("c", "js")
def test_in_c_and_javascript(execute: Execute, tmp_path: Path) -> None:
    """Beside another reader of the input; a loop over rows was refused."""
    module = rc.import_network(saved(network([T, B, 4], 0, more=True), tmp_path / "m.onnx"))
    x = weight(T, B, 4)
    found = execute(module, {"x": x, "n": LENGTHS})
    np.testing.assert_array_equal(found["y"], reversed_rows(-x, LENGTHS))
    np.testing.assert_allclose(found["z"], -x, rtol=1e-6)
