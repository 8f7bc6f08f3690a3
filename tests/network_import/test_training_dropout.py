"""Dropout in a training step: off, or by a seed, with the same masks in every language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from cudnn_reference import dropout_mask
from execution import each_language
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from tests.network_import.graphs import model, saved

SEED = 2**32 - 5
SHAPE = (3, 5)
P, Q = np.float32(0.25), np.float32(0.6)


def network(shape: Any = SHAPE, **constants: Any) -> Any:
    """y = dropout(dropout(x * w)), with probabilities of 1 / 4 and 0.6."""
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["z"]),
        helper.make_node("Dropout", ["z", "p"], ["d"], name="first"),
        helper.make_node("Dropout", ["d", "q", "is_training"], ["y"], name="second"),
    ]
    weights = {"w": np.ones(5, np.float32), "p": P, "q": Q, "is_training": np.array(True)}
    return model(nodes, {"x": shape}, ["y"], {**weights, **constants})


def mask(number: int, step: int, rate: Any, shape: Any = SHAPE) -> Any:
    """The multipliers of a node at a step."""
    return dropout_mask(SEED, number, step, float(rate), shape).astype(np.float32)


@each_language
def test_masks_of_steps_and_nodes(execute: Any, tmp_path: Path) -> None:
    """Each has its own; gradients have the mask of their step; inference drops nothing."""
    path = saved(network(), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", optimizer="sgd", dropout=SEED)
    states = dict(module.initial)
    assert [*states] == ["w", "step"]
    x, target = np.random.default_rng(1).standard_normal((2, *SHAPE)).astype(np.float32)
    for step in range(3):
        both = mask(0, step, P) * mask(1, step, Q)
        y = x * states["w"] * both
        made = execute(module, {"x": x, "target": target, "learning_rate": np.float32(1), **states})
        np.testing.assert_allclose(made["y"], y, rtol=1e-6)
        right = states["w"] - (2 * (y - target) / y.size * both * x).sum(0)
        np.testing.assert_allclose(made["w"], right, rtol=1e-5)
        assert made["step"] == step + 1
        states = {name: made[name] for name in states}


@pytest.mark.slow
def test_inference_and_open_sizes(tmp_path: Path) -> None:
    """At any size the elements in their order have the same multipliers."""
    path = saved(network(["n", 5]), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", dropout=SEED)
    session = rc.runtime.load(rc.compile(module)).session()
    for step, count in enumerate((3, 400, 1)):
        ones = np.ones((count, 5), np.float32)
        rate = np.float32(0)
        made = session.train(x=ones, target=ones, learning_rate=rate).y
        both = [mask(k, step, rate, (count, 5)) for k, rate in enumerate((P, Q))]
        np.testing.assert_allclose(made, both[0] * both[1], rtol=1e-6)
        np.testing.assert_array_equal(session.infer(x=ones).y, ones)
        if count == 400:
            assert abs(made.mean() - 1) < 0.1
            assert abs(np.mean(made != 0) - (1 - P) * (1 - Q)) < 0.05


@pytest.mark.slow
def test_dropout_is_off_without_a_seed(tmp_path: Path) -> None:
    """Also if the file is one for training."""
    path = saved(network(), tmp_path / "m.onnx")
    session = rc.runtime.load(rc.compile(rc.training_step(path, loss="mean_squared_error")))
    ones = np.ones(SHAPE, np.float32)
    made = session.session().train(x=ones, target=ones, learning_rate=np.float32(0))
    np.testing.assert_array_equal(made.y, ones)
    assert made.loss == 0


@pytest.mark.slow
def test_nodes_that_drop_nothing_or_all(tmp_path: Path) -> None:
    """Probabilities of 0 and 1; and one in an attribute, as before version 12."""
    path = saved(network(p=np.float32(0)), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", optimizer="sgd", dropout=SEED)
    session = rc.runtime.load(rc.compile(module)).session()
    ones = np.ones(SHAPE, np.float32)
    given = {"x": ones, "target": ones, "learning_rate": np.float32(0)}
    np.testing.assert_allclose(session.train(**given).y, mask(0, 0, Q), rtol=1e-6)
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["z"]),
        helper.make_node("Dropout", ["z"], ["d"], ratio=0.25),
        helper.make_node("Dropout", ["d"], ["y"], ratio=1.0),
    ]
    made = model(nodes, {"x": SHAPE}, ["y"], {"w": np.ones(5, np.float32)}, opset=11)
    module = rc.training_step(
        saved(made, tmp_path / "old.onnx"), loss="mean_squared_error", optimizer="sgd", dropout=1
    )
    session = rc.runtime.load(rc.compile(module)).session()
    np.testing.assert_array_equal(session.train(**given).y, 0 * ones)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "1"])
def test_seeds(seed: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="'dropout': expected a seed, an integer from 0"):
        rc.training_step(tmp_path / "m.onnx", loss="mean_squared_error", dropout=seed)


def test_what_is_refused(tmp_path: Path) -> None:
    """A probability that is computed, and a mask that is read."""
    made = network()
    made.graph.node[1].input[1] = "computed"
    made.graph.node.insert(0, helper.make_node("ReduceMax", ["x"], ["computed"], keepdims=0))
    path = saved(made, tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'first' \(Dropout\): expected a constant prob"):
        rc.training_step(path, loss="mean_squared_error", dropout=1)
    made = network()
    made.graph.node[1].output.append("mask")
    made.graph.output.append(helper.make_tensor_value_info("mask", 9, SHAPE))
    path = saved(made, tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'first' \(Dropout\): its second result, the mask"):
        rc.training_step(path, loss="mean_squared_error", output="y")
