"""Branches of an `If` whose condition only calls know: both are computed, and one is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from execution import each_language
from onnx import TensorProto, helper, numpy_helper
from quick import first

from tests.network_import.graphs import (
    H,
    I,
    T,
    by_runtime,
    folded,
    lstm_weights,
    model,
    saved,
    weight,
)


def branch(nodes: Sequence[Any], weights: Mapping[str, Any] | None = None) -> Any:
    """A branch that gives `o`."""
    out = helper.make_tensor_value_info("o", TensorProto.FLOAT, None)
    own = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    return helper.make_graph(nodes, "branch", [], [out], own)


def choice(then: Any, otherwise: Any, shape: Sequence[Any], weights: Any = None) -> Any:
    """A model whose input `b` chooses a branch."""
    node = helper.make_node(
        "If", ["b"], ["y"], name="choose", then_branch=then, else_branch=otherwise
    )
    shapes = {"b": [], "x": shape}
    return model([node], shapes, ["y"], weights or {}, dtypes={"b": TensorProto.BOOL})


def calls(*shapes: Sequence[int]) -> list[dict[str, Any]]:
    return [{"b": np.array(b), "x": weight(*shape)} for b in (True, False) for shape in shapes]


EXP = [helper.make_node("Exp", ["x"], ["o"])]

BRANCHES: Mapping[str, tuple[Sequence[Any], Mapping[str, Any]]] = {
    "sizes": (
        [
            helper.make_node("Shape", ["x"], ["s"]),
            helper.make_node("ConstantOfShape", ["s"], ["o"]),
        ],
        {},
    ),
    "constants": (
        [
            helper.make_node("MatMul", ["x", "w"], ["p"]),
            helper.make_node("Clip", ["p", "low"], ["o"]),
        ],
        {"w": weight(3, 3), "low": np.float32(-0.1)},
    ),
    "one row": ([helper.make_node("Softsign", ["x"], ["o"])], {}),
}


@each_language
@pytest.mark.parametrize("shape", first([["batch", 3], [2, 3]]))
def test_both_are_computed(shape: Sequence[Any], agree: Any) -> None:
    models = [choice(branch(*each), branch(EXP), shape) for each in BRANCHES.values()]
    agree([(made, calls((2, 3))) for made in models], judge=by_runtime)


@pytest.mark.slow
@each_language
def test_layers_in_branches(agrees: Any) -> None:
    """Of names that both branches use; they are the two directions of one layer."""
    names = ["x", "W", "R", "B"]
    both = (
        branch([helper.make_node("LSTM", names, ["o"], hidden_size=H, direction=each)])
        for each in ("forward", "reverse")
    )
    made = choice(*both, [T, "batch", I], lstm_weights())
    module = agrees(made, *calls((T, 2, I), (T, 1, I)), judge=by_runtime)
    (op,) = module.linked
    assert (op.op, op.attributes["direction"]) == ("onnx.LSTM", "bidirectional")


@pytest.mark.slow
@each_language
def test_a_computed_condition_and_branches_inside_branches(agrees: Any) -> None:
    inner = helper.make_node(
        "If", ["c"], ["o"], name="inner", then_branch=branch(EXP),
        else_branch=branch([helper.make_node("Neg", ["x"], ["o"])]),
    )  # fmt: skip
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["c"]),
    ]
    made = choice(branch([inner]), branch([helper.make_node("Abs", ["x"], ["o"])]), ["batch", 3])
    made.graph.node.insert(0, nodes[1])
    made.graph.node.insert(0, nodes[0])
    made.graph.initializer.append(numpy_helper.from_array(np.float32(0), "zero"))
    given = [
        {"b": np.array(b), "x": s * np.ones((2, 3), "f")} for b in (True, False) for s in (1, -1)
    ]
    agrees(made, *given, judge=by_runtime)


@pytest.mark.parametrize("shape", first([["batch", 3], [2, 3]]))
def test_results_of_other_shapes_are_refused(shape: Sequence[Any], tmp_path: Path) -> None:
    wide = branch([helper.make_node("MatMul", ["x", "w"], ["o"])], {"w": weight(3, 5)})
    message = (
        r"node 'choose' \(If\): expected branches that give results of the same shape, got sizes 5 "
        "and 3 along axis 1 of 'y'; .*so that its condition is known"
    )
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(choice(wide, branch(EXP), shape), tmp_path / "m.onnx"))


def test_known_branches_that_use_the_same_names(tmp_path: Path) -> None:
    """Each has its own values."""
    nodes = [
        helper.make_node(
            "If", ["yes"], [name], name=f"of {name}",
            then_branch=branch(
                [helper.make_node("Add", ["x", "k"], ["s"]), helper.make_node("Exp", ["s"], ["o"])],
                {"k": np.float32(k)},
            ),
            else_branch=branch(EXP),
        )
        for k, name in enumerate("yz")
    ]  # fmt: skip
    made = model(nodes, {"x": [2]}, ["y", "z"], {"yes": np.array(True)})
    graph, x = folded(made, tmp_path / "m.onnx"), weight(2)
    for got, k in zip(by_runtime(graph.model, {"x": x}), (0, 1), strict=True):
        np.testing.assert_allclose(got, np.exp(x + k), 1e-6)
