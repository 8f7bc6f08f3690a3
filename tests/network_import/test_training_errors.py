"""What a training step refuses, by name, and what it leaves alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, RnnCompilerError, UnsupportedError
from rnn_compiler.network_import.training import LOSSES, OPTIMIZERS
from tests.network_import.gradients import Trained
from tests.network_import.graphs import model, saved, weight


def linear(*ends: Any, outputs: tuple[str, ...] = ("y",), **weights: Any) -> Any:
    """A linear layer and nodes behind it."""
    nodes = [helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["z"], name="fc"), *ends]
    given = {"fc.weight": weight(4, 6), "fc.bias": weight(6), **weights}
    return model(nodes, {"x": [3, 4]}, outputs, given)


def refused(
    kind: type[RnnCompilerError], message: str, made: Any, folder: Path, **given: Any
) -> None:
    with pytest.raises(kind, match=f"^training_step: {message}"):
        rc.training_step(saved(made, folder / "m.onnx"), **{"loss": "mean_squared_error", **given})


Y = helper.make_node("Identity", ["z"], ["y"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "hinge"}, "'loss': expected one of 'cross_entropy', .*, got 'hinge'"),
        ({"loss": "cross_entrop"}, r"'loss': .*; did you mean cross_entropy\?"),
        ({"loss": "mse"}, r"'loss': .*got 'mse'; did you mean mean_squared_error\?"),
        ({"loss": "MAE"}, r"'loss': .*; did you mean mean_absolute_error\?"),
        ({"loss": "bce"}, r"'loss': .*; did you mean binary_cross_entropy\?"),
        ({"loss": {"name": "nll"}}, r"'loss': .*; did you mean cross_entropy\?"),
        ({"loss": "BinaryCrossentropy"}, r"'loss': .*; did you mean binary_cross_entropy\?"),
        ({"optimizer": "mse"}, "'optimizer': .*, got 'mse'$"),
        ({"loss": None}, "'loss': .*, got None"),
        ({"loss": {"mask": True}}, "'loss': .*'name' and options"),
        ({"loss": {"name": "cross_entropy", "axes": 1}}, r"'loss': expected options of .* axis\?"),
        ({"loss": {"name": "cross_entropy", "mask": 1}}, "'loss': expected 'mask' to be True or"),
        ({"loss": {"name": "cross_entropy", "axis": 0.5}}, "'loss': expected 'axis' to be an axis"),
        (
            {"loss": {"name": "cross_entropy", "axis": 2}},
            "'loss': expected an axis of the output's 2",
        ),
        (
            {"loss": {"name": "cross_entropy", "class_weights": [1, -1]}},
            "'loss': expected 'class_weights' to be numbers from 0",
        ),
        (
            {"loss": {"name": "cross_entropy", "class_weights": [1, 1]}},
            "'loss': expected one of each of the 6 classes, got 2 class_weights",
        ),
        ({"optimizer": "lion"}, "'optimizer': expected one of 'sgd', 'adam', .*, got 'lion'"),
        ({"optimizer": ["sgd"]}, "'optimizer': expected one of"),
        ({"optimizer": {"name": "sgd", "beta1": 0.9}}, "'optimizer': expected options of 'sgd'"),
        (
            {"optimizer": {"name": "adam", "beta1": 1}},
            "'optimizer': expected 'beta1' to be a number",
        ),
        (
            {"optimizer": {"name": "adam", "epsilon": 0}},
            "'optimizer': expected 'epsilon' to be a pos",
        ),
        ({"optimizer": {"name": "adam", "beta1": "0.9"}}, "'optimizer': expected 'beta1'"),
        ({"optimizer": {"name": "adam", "beta1": float("nan")}}, "'optimizer': expected 'beta1'"),
        (
            {"optimizer": {"name": "adam", "clip_norm": -1}},
            "'optimizer': expected 'clip_norm' to be",
        ),
        ({"optimizer": {"name": "sgd", "nesterov": True}}, "'optimizer': expected a momentum"),
        ({"train": "fc.*"}, "'train': expected a list of patterns"),
        ({"train": []}, "'train': expected a list of patterns"),
        ({"train": [1]}, "'train': expected a list of patterns"),
        (
            {"train": ["fc.*", "lstm.*"]},
            r"'train': expected patterns of the initializers of floats \(fc.weight, fc.bias\), got "
            "'lstm",
        ),
        ({"output": "out"}, "'output': expected one of the outputs y, got 'out'"),
        ({"output": 0}, "'output': expected the name of an output"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    refused(InvalidArgumentError, message, linear(Y), tmp_path, **given)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^training_step: 'path': expected .*onnx"):
        rc.training_step(tmp_path / "missing.onnx", loss="cross_entropy")


def test_several_outputs(tmp_path: Path) -> None:
    """The loss is of one of them; the others are results too."""
    made = linear(Y, helper.make_node("Tanh", ["z"], ["t"]), outputs=("y", "t"))
    message = "'output': expected one of the outputs y, t, got none, of several"
    refused(InvalidArgumentError, message, made, tmp_path)
    trained = Trained(made, tmp_path, loss="mean_squared_error", output="t")
    given = {"x": weight(3, 4), "target": weight(3, 6), "learning_rate": np.float32(0.01)}
    assert trained(**given) > 0


def test_an_output_of_integers(tmp_path: Path) -> None:
    made = linear(helper.make_node("ArgMax", ["z"], ["y"], axis=-1))
    made.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    message = "'output': expected an output of floats, got 'y', of others"
    refused(InvalidArgumentError, message, made, tmp_path)


def test_operators_without_a_rule(tmp_path: Path) -> None:
    """Between a trained weight and the loss they are refused, before the first one they are not."""
    squares = np.array([2, 3, 3])
    nodes = [
        helper.make_node("Reshape", ["z", "squares"], ["s"]),
        helper.make_node("Det", ["s"], ["y"], name="determinant"),
    ]
    behind = linear(*nodes, squares=squares)
    message = re.escape("node 'determinant' (Det): no rule for its gradient is known, and it lies")
    refused(UnsupportedError, message, behind, tmp_path)
    nodes = [
        helper.make_node("Reshape", ["x", "squares"], ["s"]),
        helper.make_node("Det", ["s"], ["d"], name="determinant"),
        helper.make_node("MatMul", ["d", "w"], ["y"], name="fc"),
    ]
    before = model(nodes, {"x": [3, 4]}, ["y"], {"squares": np.array([3, 2, 2]), "w": weight(3, 5)})
    trained = Trained(before, tmp_path, loss="mean_squared_error")
    assert [*trained.states] == ["w", "step", "w_m", "w_v"]


def test_results_of_unknown_sizes_and_types(tmp_path: Path) -> None:
    """The node that makes them so is named."""
    nodes = [
        helper.make_node("NonZero", ["z"], ["places"], name="places"),
        helper.make_node("Cast", ["places"], ["floats"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Neg", ["floats"], ["y"]),
    ]
    message = re.escape("node 'places' (NonZero): the size of axis 1 of 'y' is not known at import")
    refused(UnsupportedError, message, linear(*nodes), tmp_path)
    made = linear(helper.make_node("Softmax", ["z"], ["y"], name="ends", axis=9))
    message = re.escape(
        "node 'ends' (Softmax): the type of 'y' is not known at import; correct the"
    )
    refused(UnsupportedError, message, made, tmp_path, loss="cross_entropy")


@pytest.mark.parametrize("operator", ["Asinh", "Acosh", "Atanh"])
def test_functions_whose_formulas_have_no_exact_gradient(operator: str, tmp_path: Path) -> None:
    made = linear(helper.make_node(operator, ["z"], ["y"], name="inverse"))
    message = re.escape(f"node 'inverse' ({operator}): no rule for its gradient is known")
    refused(UnsupportedError, message, made, tmp_path)


def test_integers_end_the_chain(tmp_path: Path) -> None:
    """No gradient goes through a comparison; a weight that only it reads is not trained."""
    nodes = [
        helper.make_node("Less", ["x", "bound"], ["c"]),
        helper.make_node("Where", ["c", "low", "high"], ["y"]),
    ]
    weights = {name: weight(4) for name in ("bound", "low", "high")}
    made = model(nodes, {"x": [3, 4]}, ["y"], weights)
    trained = Trained(made, tmp_path, loss="mean_squared_error", optimizer="sgd")
    assert [*trained.states] == ["low", "high"]
    message = "'train': expected weights on which the loss depends, got bound"
    refused(InvalidArgumentError, message, made, tmp_path, train=["bound"])


def test_what_is_no_weight(tmp_path: Path) -> None:
    """Bounds, exponents and statistics of normalizations are floats, but not trained."""
    nodes = [
        helper.make_node("BatchNormalization", ["z", "bn.w", "bn.b", "bn.mean", "bn.var"], ["n"]),
        helper.make_node("Clip", ["n", "low"], ["y"]),
    ]
    numbers = {f"bn.{name}": np.abs(weight(6)) for name in ("w", "b", "mean", "var")}
    made = linear(*nodes, low=np.float32(-1), unused=weight(3), **numbers)
    trained = Trained(made, tmp_path, loss="mean_squared_error", optimizer="sgd")
    assert [*trained.states] == ["fc.weight", "fc.bias", "bn.w", "bn.b"]
    names = r"\(fc.weight, fc.bias, low, unused, bn.w, bn.b\)"
    message = f"'train': expected patterns .*{names}, got 'bn.mean'"
    refused(InvalidArgumentError, message, made, tmp_path, train=["bn.mean"])


def test_constants_are_trained_if_they_are_named(tmp_path: Path) -> None:
    kept = {"value": onnx.numpy_helper.from_array(weight(6))}
    nodes = [
        helper.make_node("Constant", [], ["/fc/shift"], **kept),
        helper.make_node("Add", ["z", "/fc/shift"], ["y"]),
    ]
    made = linear(*nodes)
    assert "/fc/shift" not in Trained(made, tmp_path, loss="mean_squared_error").states
    trained = Trained(made, tmp_path, loss="mean_squared_error", train=["/fc/*"], optimizer="sgd")
    assert [*trained.states] == ["/fc/shift"]
    message = r"'train': .*, got '/fc/shifts'; did you mean /fc/shift\?"
    refused(InvalidArgumentError, message, made, tmp_path, train=["/fc/shifts"])


def test_weights_in_int8(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "scale"], ["w"], name="weights"),
        helper.make_node("MatMul", ["x", "w"], ["y"], name="fc"),
    ]
    weights = {"q": np.ones((4, 6), np.int8), "scale": np.float32(0.1)}
    made = model(nodes, {"x": [3, 4]}, ["y"], weights)
    message = re.escape("node 'weights' (DequantizeLinear): the file has weights or values in int8")
    refused(UnsupportedError, message, made, tmp_path)


def test_a_network_without_weights(tmp_path: Path) -> None:
    made = model([helper.make_node("Tanh", ["x"], ["y"])], {"x": [3, 4]}, ["y"], {})
    refused(InvalidArgumentError, "'path': expected a network with weights", made, tmp_path)


def test_a_softmax_of_another_axis(tmp_path: Path) -> None:
    made = linear(helper.make_node("Softmax", ["z"], ["y"], name="ends", axis=0))
    message = re.escape("node 'ends' (Softmax): the loss is one of the values before it")
    refused(UnsupportedError, message, made, tmp_path, loss="cross_entropy")


@pytest.mark.slow
def test_classes_are_checked_in_calls(tmp_path: Path) -> None:
    path = saved(linear(Y), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="cross_entropy", optimizer="sgd")
    given = {"x": weight(3, 4), "learning_rate": np.float32(0.1)}
    session = rc.runtime.load(rc.compile(module)).session()
    with pytest.raises(InvalidArgumentError, match=r"target.*0\.\.5"):
        session.train(**given, target=np.array([0, 6, 1], np.int32))
    assert session.train(**given, target=np.array([0, 5, 1], np.int32)).loss > 0


def test_every_number_has_a_default() -> None:
    """Which its own check accepts."""
    for options in (*LOSSES.values(), *OPTIMIZERS.values()):
        for option in options.values():
            assert option.read(option.default) == option.default
