"""Scans that compute no layer: short ones are written out, others stay loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from execution import each_language, ways
from onnx import TensorProto, helper, numpy_helper
from quick import first, only

from tests.network_import.graphs import H, I, by_runtime, folded, lstm_weights, model, saved, weight

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
WEIGHTS = {"w": weight(I, I, scale=0.2)}
BODY = [
    helper.make_node("MatMul", ["s", "w"], ["p"]),
    helper.make_node("Add", ["p", "v"], ["q"]),
    helper.make_node("Selu", ["q"], ["t"]),
    helper.make_node("Identity", ["t"], ["o"]),
]


def scan(
    nodes: Sequence[Any],
    steps: int | str,
    rows: Sequence[int | str],
    weights: Mapping[str, Any],
    outputs: Sequence[str] = ("last", "y"),
    **attributes: Any,
) -> Any:
    """A model with a state `s`, and rows `v` of its input."""

    def named(names: str) -> list[Any]:
        return [helper.make_tensor_value_info(n, TensorProto.FLOAT, rows) for n in names]

    own = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    how = {"num_scan_inputs": 1, **attributes}
    how["body"] = helper.make_graph(nodes, "body", named("sv"), named("to"), own)
    node = helper.make_node("Scan", ["first", "x"], ["last", "y"], name="mine", **how)
    axis = attributes.get("scan_input_axes", [0])[0]
    shape = [*rows]
    shape.insert(axis, steps)
    return model([node], {"first": rows, "x": shape}, outputs, {})


def inputs(steps: int, *rows: int, axis: int = 0) -> dict[str, Any]:
    return {"first": weight(*rows), "x": np.moveaxis(weight(steps, *rows), 0, axis).copy()}


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("batch", ["batch", 2])
def test_cells_that_no_layer_has(batch: int | str, agrees: Any) -> None:
    made = scan(BODY, 4, [batch, I], WEIGHTS)
    agrees(
        made,
        *(inputs(4, rows, I) for rows in ((2, 1) if batch == "batch" else (2,))),
        judge=by_runtime,
    )


@pytest.mark.slow
@ways("direct")
@pytest.mark.parametrize(
    "orders",
    [
        {"scan_input_directions": [1], "scan_output_axes": [1]},
        {"scan_output_directions": [1], "scan_input_axes": [1]},
        {"scan_input_axes": [2], "scan_output_axes": [-1], "scan_input_directions": [1]},
    ],
)
def test_orders(orders: Mapping[str, Any], agrees: Any) -> None:
    made = scan(BODY, 4, [2, I], WEIGHTS, **orders)
    axis = orders.get("scan_input_axes", [0])[0]
    agrees(made, inputs(4, 2, I, axis=axis), judge=by_runtime)


@ways("direct", "c", "js", quick=("direct",))
def test_layers_in_a_scan(agrees: Any) -> None:
    nodes = [
        helper.make_node(
            "LSTM", ["v", "W", "R", "B", "", "s"], ["Y", "t"], hidden_size=H, direction="reverse"
        ),
        helper.make_node("Identity", ["t"], ["o"]),
    ]
    made = scan(nodes, 2, [1, "batch", H], lstm_weights(size=H))
    module = agrees(made, inputs(2, 1, 3, H), inputs(2, 1, 1, H), judge=by_runtime)
    assert [each.op for each in module.linked] == ["onnx.LSTM"]


@pytest.mark.slow
@ways("direct")
@pytest.mark.parametrize("batch", [2, "batch"])
def test_long_loops_stay(batch: int | str, agrees: Any, tmp_path: Path) -> None:
    made = scan(BODY, 400, [batch, I], WEIGHTS)
    if isinstance(batch, int):
        assert "Scan" in folded(made, tmp_path / "folded.onnx").operators()
    agrees(made, inputs(400, 2, I), judge=by_runtime)


@each_language
@pytest.mark.parametrize("batch", first([2, "batch"]))
def test_open_steps(batch: int | str, agrees: Any) -> None:
    """One step, few and many; rows are filled in place."""
    made = scan(BODY, "steps", [batch, I], WEIGHTS)
    lengths = (1, 2, 7, 50)
    calls = [inputs(steps, 2, I) for steps in lengths]
    calls += [inputs(steps, 5, I) for steps in lengths if batch == "batch"]
    agrees(made, *calls, judge=by_runtime)


@pytest.mark.slow
@ways("direct", "c", "js")
def test_states_that_change_places(agrees: Any) -> None:
    """A state becomes another one, and one that is a number counts."""
    names = {"a": F32, "b": F32, "n": I64, "v": F32}
    sizes = {"a": ["batch", I], "b": ["batch", I], "n": [], "v": ["batch", I]}
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("MatMul", ["a", "w"], ["p"]),
        helper.make_node("Add", ["p", "v"], ["next b"]),
        helper.make_node("Identity", ["b"], ["next a"]),
        helper.make_node("Add", ["n", "one"], ["next n"]),
        helper.make_node("Softmax", ["next b"], ["row"]),
        helper.make_node("Identity", ["n"], ["number"]),
    ]
    ends = {"next a": "a", "next b": "b", "next n": "n", "row": "v", "number": "n"}
    own = {**WEIGHTS, "one": np.array(1)}
    body = helper.make_graph(
        nodes,
        "body",
        [value(n, kind, sizes[n]) for n, kind in names.items()],
        [value(n, names[like], sizes[like]) for n, like in ends.items()],
        [numpy_helper.from_array(array, name) for name, array in own.items()],
    )
    outputs = ["last a", "last b", "last n", "y", "k"]
    node = helper.make_node(
        "Scan", ["a0", "b0", "count", "x"], outputs, body=body, num_scan_inputs=1
    )
    shapes = {"a0": ["batch", I], "b0": ["batch", I], "count": [], "x": ["steps", "batch", I]}
    made = model([node], shapes, outputs, {}, dtypes={"count": I64, "last n": I64, "k": I64})
    agrees(
        made,
        *(
            {"a0": weight(2, I), "b0": weight(2, I), "count": np.array(5), "x": weight(steps, 2, I)}
            for steps in (1, 2, 9)
        ),
        judge=by_runtime,
    )


@ways("direct")
@pytest.mark.parametrize("batch", only([2, "batch"], "batch"))
def test_nodes_in_loops_are_rewritten(batch: int | str, agrees: Any) -> None:
    """Integers are negated exactly; NaN passes; a value of the graph around the loop is read."""
    nodes = [
        helper.make_node("Cast", ["v"], ["i"], to=TensorProto.INT32),
        helper.make_node("Add", ["i", "large"], ["j"]),
        helper.make_node("Neg", ["j"], ["k"]),
        helper.make_node("Add", ["k", "large"], ["m"]),
        helper.make_node("Cast", ["m"], ["r"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["s", "w"], ["p"]),
        helper.make_node("Add", ["r", "p"], ["q"]),
        helper.make_node("Clip", ["q", "low", "high"], ["t"]),
        helper.make_node("Identity", ["t"], ["o"]),
    ]
    bounds = {"low": np.float32(-20), "high": np.float32(20)}
    made = scan(nodes, 200, [batch, I], {"large": np.array(16777217, np.int32), **bounds})
    made.graph.initializer.append(numpy_helper.from_array(weight(I, I, scale=0.2), "w"))
    given = inputs(200, 2, I)
    given["x"] *= 10
    agrees(made, given, judge=by_runtime)
    agrees(made, given | {"first": np.full((2, I), np.nan, np.float32)}, judge=by_runtime)


@pytest.mark.parametrize("batch", first([2, "batch"]))
def test_nodes_in_loops_are_checked(batch: int | str, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Cast", ["v"], ["i"], to=TensorProto.INT32),
        helper.make_node("Div", ["large", "i"], ["k"], name="inside"),
        helper.make_node("Cast", ["k"], ["r"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["s", "r"], ["t"]),
        helper.make_node("Identity", ["t"], ["o"]),
    ]
    made = scan(nodes, 400, [batch, I], {"large": np.array(7, np.int32)}, ("last",))
    with pytest.raises(UnsupportedError, match=r"'mine/inside' \(Div\): expected integers divided"):
        rc.import_network(saved(made, tmp_path / "m.onnx"))
