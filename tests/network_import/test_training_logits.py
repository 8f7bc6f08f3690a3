"""Losses find the logits of a network that ends in probabilities, whatever moves them behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import onnx
import torch
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
from tests.network_import.gradients import Trained
from tests.network_import.graphs import model, saved, weight

F: Any = torch.nn.functional
DOUBLE = onnx.TensorProto.DOUBLE
SHAPE = (2, 1, 3, 4)


def numbers(*values: int) -> Any:
    return np.array(values, np.int64)


def network(nodes: list[Any], kind: int = DOUBLE, **weights: Any) -> Any:
    """A model whose value z is its weight."""
    first = helper.make_node("Mul", ["x", "w"], ["z"], name="first")
    w = np.random.default_rng(0).standard_normal(SHAPE)
    given = {"w": w.astype(helper.tensor_dtype_to_np_dtype(kind)), **weights}
    kinds = dict.fromkeys(("x", "y"), kind)
    return model([first, *nodes], {"x": SHAPE}, ["y"], given, dtypes=kinds)


def node(operator: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    return helper.make_node(operator, inputs, [output], name=f"the {operator}", **attributes)


SIGMOID = helper.make_node("Sigmoid", ["z"], ["p"], name="last")

MOVED: Mapping[str, tuple[list[Any], Mapping[str, Any], Any]] = {
    "squeezed": ([node("Squeeze", ["p", "one"], "y")], {"one": numbers(1)}, lambda z: z[:, 0]),
    "mean of one": (
        [node("ReduceMean", ["p"], "y", axes=[1], keepdims=0)],
        {},
        lambda z: z[:, 0],
    ),
    "maximum of one, then sliced": (
        [
            node("ReduceMax", ["p"], "q", axes=[1]),
            node("Slice", ["q", "from", "to", "axes"], "y"),
        ],
        {"from": numbers(1), "to": numbers(3), "axes": numbers(2)},
        lambda z: z[:, :, 1:3],
    ),
    "reshaped": (
        [
            node("Reshape", ["p", "sizes"], "q"),
            node("Transpose", ["q"], "r", perm=[1, 0]),
            node("Unsqueeze", ["r", "one"], "y"),
        ],
        {"sizes": numbers(6, -1), "one": numbers(1)},
        lambda z: z.reshape(6, 4).T[:, None],
    ),
    "flattened": ([node("Flatten", ["p"], "y", axis=3)], {}, lambda z: z.reshape(6, 4)),
    "one step": (
        [node("Gather", ["p", "step"], "y", axis=2)],
        {"step": np.array(-1, np.int64)},
        lambda z: z[:, :, -1],
    ),
    "twice": (
        [
            node("Gather", ["p", "step"], "q", axis=3),
            node("Concat", ["q", "p"], "y", axis=3),
        ],
        {"step": numbers(0, 0)},
        lambda z: torch.cat([z[..., [0, 0]], z], 3),
    ),
    "of two functions": (
        [
            node("Neg", ["z"], "n"),
            helper.make_node("Sigmoid", ["n"], ["q"], name="other"),
            node("Concat", ["q", "p"], "y", axis=0),
        ],
        {},
        lambda z: torch.cat([-z, z]),
    ),
}


def agrees(made: Any, folder: Path, loss: Any, right: Any, target: Any) -> None:
    """The loss, and the weight after a step, are those of a function in PyTorch."""
    trained = Trained(made, folder, loss=loss, optimizer="sgd")
    w = torch.tensor(trained.states["w"].copy(), requires_grad=True)
    wanted = right(w)
    wanted.backward()
    got = trained(x=np.ones(SHAPE), target=target, learning_rate=np.float64(1))
    np.testing.assert_allclose(got, wanted.item(), rtol=1e-12)
    np.testing.assert_allclose(trained.states["w"], (w - w.grad).detach().numpy(), rtol=1e-12)


@pytest.mark.parametrize("name", MOVED)
def test_a_sigmoid_behind_which_elements_move(name: str, tmp_path: Path) -> None:
    """Far from 0, where the loss of probabilities would be infinite, the gradient is exact too."""
    nodes, weights, move = MOVED[name]
    made = network([SIGMOID, *nodes], **weights)
    made.graph.initializer[0].CopyFrom(
        onnx.numpy_helper.from_array(
            np.linspace(-80, 80, 24).reshape(SHAPE), made.graph.initializer[0].name
        )
    )
    shape = move(torch.zeros(SHAPE)).shape
    target = np.random.default_rng(1).random(tuple(shape))

    def right(w: Any) -> Any:
        return F.binary_cross_entropy_with_logits(move(w), torch.tensor(target))

    agrees(made, tmp_path, "binary_cross_entropy", right, target)


@pytest.mark.parametrize(
    ("nodes", "weights", "axis", "move"),
    [
        ([node("Squeeze", ["p", "one"], "y")], {"one": numbers(1)}, -1, lambda z: z[:, 0]),
        (
            [node("Transpose", ["p"], "q", perm=[3, 0, 1, 2]), node("Flatten", ["q"], "y")],
            {},
            0,
            lambda z: z.reshape(6, 4),
        ),
        (
            [
                node("Gather", ["p", "step"], "q", axis=2),
                node("Concat", ["q", "q"], "y", axis=0),
            ],
            {"step": np.array(1, np.int64)},
            2,
            lambda z: torch.cat([z[:, :, 1]] * 2),
        ),
    ],
)
def test_a_softmax_behind_which_elements_move(
    nodes: list[Any], weights: Mapping[str, Any], axis: int, move: Any, tmp_path: Path
) -> None:
    softmax = helper.make_node("Softmax", ["z"], ["p"], name="last", axis=-1)
    moved = move(torch.zeros(SHAPE))
    target = np.random.default_rng(1).integers(0, 4, tuple(moved.shape[:-1])).astype(np.int32)

    def right(w: Any) -> Any:
        classes = torch.tensor(target).long().flatten()
        return F.cross_entropy(move(w).reshape(-1, 4), classes)

    loss = {"name": "cross_entropy", "axis": axis}
    agrees(network([softmax, *nodes], **weights), tmp_path, loss, right, target)


@pytest.mark.parametrize(
    ("nodes", "weights", "operator"),
    [
        ([node("ReduceMean", ["p"], "y", axes=[2])], {}, "ReduceMean"),
        (
            [node("ReduceMax", ["p"], "q", axes=[2]), node("Squeeze", ["q", "axes"], "y")],
            {"axes": numbers(1, 2)},
            "ReduceMax",
        ),
        (
            [node("Clip", ["p", "low"], "y")],
            {"low": np.float32(0.1)},
            "Clip",
        ),
        ([node("Concat", ["z", "p"], "y", axis=0)], {}, "Concat"),
        ([node("Max", ["p", "p"], "y")], {}, "Max"),
    ],
)
def test_probabilities_that_are_joined(
    nodes: list[Any], weights: Mapping[str, Any], operator: str, tmp_path: Path
) -> None:
    made = network([SIGMOID, *nodes], onnx.TensorProto.FLOAT, **weights)
    said = re.escape(
        f"node 'the {operator}' ({operator}): the loss is one of the values before node 'last' "
        "(Sigmoid), whose results this node joins or limits; choose another loss or output"
    )
    with pytest.raises(UnsupportedError, match=f"^training_step: {said}"):
        rc.training_step(saved(made, tmp_path / "m.onnx"), loss="binary_cross_entropy")


def test_a_softmax_whose_classes_are_reshaped(tmp_path: Path) -> None:
    softmax = helper.make_node("Softmax", ["z"], ["p"], name="last", axis=-1)
    made = network(
        [softmax, node("Reshape", ["p", "sizes"], "y")],
        onnx.TensorProto.FLOAT,
        sizes=numbers(4, 6),
    )
    said = re.escape("node 'last' (Softmax): the loss is one of the values before it, but it is")
    with pytest.raises(UnsupportedError, match=f"^training_step: {said}"):
        rc.training_step(saved(made, tmp_path / "m.onnx"), loss="cross_entropy")


def test_a_gate_is_no_output(tmp_path: Path) -> None:
    """A sigmoid that is multiplied is part of the network, and what follows are logits."""
    target = np.random.default_rng(1).random(SHAPE)

    def right(w: Any) -> Any:
        logits = torch.sigmoid(w) * w
        return F.binary_cross_entropy_with_logits(logits, torch.tensor(target))

    made = network([SIGMOID, node("Mul", ["p", "z"], "y")])
    agrees(made, tmp_path, "binary_cross_entropy", right, target)


@pytest.mark.slow
def test_inputs_that_are_fixed(tmp_path: Path) -> None:
    """A branch that depends on an input is chosen at import, as by `import_network`."""
    branch = {
        name: helper.make_graph(
            [helper.make_node(operator, ["h"], ["made"], name=name)],
            name,
            [],
            [helper.make_tensor_value_info("made", onnx.TensorProto.FLOAT, [3, 2])],
        )
        for name, operator in (("then", "Sigmoid"), ("else", "Tanh"))
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="fc"),
        helper.make_node("Equal", ["rate", "sixteen"], ["is"], name="equal"),
        helper.make_node(
            "If", ["is"], ["y"], "if", then_branch=branch["then"], else_branch=branch["else"]
        ),
    ]
    made = model(
        nodes,
        {"x": [3, 4], "rate": []},
        ["y"],
        {"w": weight(4, 2), "sixteen": np.int64(16000)},
        dtypes={"rate": onnx.TensorProto.INT64},
    )
    path = saved(made, tmp_path / "m.onnx")
    module = rc.training_step(path, loss="binary_cross_entropy", values={"rate": 16000})
    session = rc.runtime.load(rc.compile(module)).session()
    assert "rate" not in {each.name for each in session.train.spec.arguments}
    x, target = np.ones((3, 4), np.float32), np.zeros((3, 2), np.float32)
    p = session.infer(x=x).y
    loss = session.train(x=x, target=target, learning_rate=np.float32(0.1)).loss
    np.testing.assert_allclose(loss, -np.log1p(-p.astype(np.float64)).mean(), rtol=1e-5)
