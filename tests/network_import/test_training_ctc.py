"""The CTC loss and its gradients are PyTorch's, in every language."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import only

pytest.importorskip("onnx")
pytest.importorskip("torch")

import onnx
import processes
import torch
from execution import each_language
from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from tests.network_import.graphs import model, saved

T, B, C, S = 9, 5, 5, 3

TARGET = np.array([[1, 2, 3], [1, 1, 2], [4, 0, 0], [2, 2, 2], [0, 0, 0]], np.int32)
"""The last but one does not fit into its three steps; the last has no labels."""

STEPS, LABELS = np.array([9, 6, 4, 3, 5], np.int32), np.array([3, 3, 1, 3, 0], np.int32)


def logits(shape: list[Any], weights: Any, *ends: Any, dtype: int = onnx.TensorProto.FLOAT) -> Any:
    """A model whose output is its input plus its weights."""
    nodes = [helper.make_node("Add", ["x", "w"], ["z"]), *ends]
    nodes[-1].output[0] = "y"
    return model(nodes, {"x": shape}, ["y"], {"w": weights}, dtypes=dict.fromkeys("xy", dtype))


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) * 2


def right(w: Any, x: Any, target: Any, steps: Any, labels: Any, blank: int = 0) -> tuple[Any, Any]:
    """PyTorch's loss of the sum, and the gradient of w."""
    given = torch.tensor(w, requires_grad=True)
    logs = (given + torch.tensor(x)).log_softmax(-1)
    longs = [torch.tensor(each).long() for each in (target, steps, labels)]
    loss: Any = torch.nn.functional.ctc_loss(
        logs, *longs, blank=blank, reduction="none", zero_infinity=True
    )
    loss = loss.mean()
    loss.backward()
    assert given.grad is not None
    return loss.item(), given.grad.numpy()


@pytest.mark.slow
@each_language
def test_the_loss_of_pytorch(execute: Any, tmp_path: Path) -> None:
    w = numbers(T, B, C)
    made = saved(logits([T, B, C], w), tmp_path / "m.onnx")
    module = rc.training_step(made, loss={"name": "ctc", "labels": S}, optimizer="sgd")
    x = numbers(T, B, C, seed=1)
    given = {"target": TARGET, "input_lengths": STEPS, "target_lengths": LABELS}
    out = execute(module, {"x": x, **given, "learning_rate": np.float32(1), **module.initial})
    loss, gradient = right(w, x, TARGET, STEPS, LABELS)
    np.testing.assert_allclose(out["loss"], loss, rtol=1e-5)
    np.testing.assert_allclose(w - out["w"], gradient, atol=1e-6)


EXTREMES = {
    "steps of zero": ([0, 0, 4, 3, 9], [0, 2, 1, 3, 0]),
    "no labels": ([9, 1, 4, 3, 5], [0, 0, 0, 0, 0]),
    "as many steps as needed": ([3, 4, 1, 5, 0], [3, 3, 1, 3, 0]),
    "one step too few": ([2, 3, 0, 4, 1], [3, 3, 1, 3, 1]),
}
"""Numbers of steps and labels for `TARGET`; two equal labels need a blank between them."""


@pytest.mark.parametrize("case", only(EXTREMES, "as many steps as needed"))
def test_extreme_lengths(case: str, tmp_path: Path) -> None:
    """Labels that do not fit give a loss and gradients of 0, as with PyTorch's zero_infinity."""
    w, x = numbers(T, B, C), numbers(T, B, C, seed=1)
    made = saved(logits([T, B, C], w), tmp_path / "m.onnx")
    module = rc.training_step(made, loss={"name": "ctc", "labels": S}, optimizer="sgd")
    steps, counts = (np.array(each, np.int32) for each in EXTREMES[case])
    given = {"target": TARGET, "input_lengths": steps, "target_lengths": counts}
    program = rc.runtime.load(rc.compile(module, "cpu:generic"))  # as the module above
    out = program.train(x=x, **given, learning_rate=np.float32(1), **module.initial)._asdict()
    loss, gradient = right(w, x, TARGET, steps, counts)
    np.testing.assert_allclose(out["loss"], loss, rtol=1e-5, atol=2e-6)
    np.testing.assert_allclose(w - out["w"], gradient, atol=2e-6)


BY_TENSORFLOW = """
import numpy as np
import tensorflow as tf
given = dict(np.load("given.npz"))
z = tf.Variable(given["z"])
with tf.GradientTape() as tape:
    lengths = given["counts"], given["steps"]
    rows = tf.nn.ctc_loss(given["target"], z, *lengths, blank_index=int(given["blank"]))
    loss = tf.reduce_mean(rows)
np.savez("made.npz", loss=loss, gradient=tape.gradient(loss, z))
"""


@pytest.mark.slow
@pytest.mark.parametrize("blank", [0, -1, 2])
def test_the_loss_of_tensorflow(blank: int, tmp_path: Path) -> None:
    """Of rows whose labels fit; others have a loss of about 707 and gradients there."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    w, x = numbers(T, B, C), numbers(T, B, C, seed=1)
    classes = [k for k in range(C) if k != blank % C]
    target = np.array(classes, np.int32)[TARGET % (C - 1)]
    steps, counts = np.array([9, 6, 4, 5, 5], np.int32), np.array([3, 3, 1, 3, 0], np.int32)
    given = {"z": w + x, "target": target, "steps": steps, "counts": counts, "blank": blank}
    np.savez(tmp_path / "given.npz", **given)
    processes.python(BY_TENSORFLOW, cwd=tmp_path)
    theirs = np.load(tmp_path / "made.npz")
    path = saved(logits([T, B, C], w), tmp_path / "m.onnx")
    loss = {"name": "ctc", "labels": S, "blank": blank}
    module = rc.training_step(path, loss=loss, optimizer="sgd")
    lengths = {"target": target, "input_lengths": steps, "target_lengths": counts}
    program = rc.runtime.load(rc.compile(module))
    out = program.train(x=x, **lengths, learning_rate=np.float32(1), **module.initial)._asdict()
    np.testing.assert_allclose(out["loss"], theirs["loss"], rtol=1e-5)
    np.testing.assert_allclose(w - out["w"], theirs["gradient"], atol=2e-6)


@pytest.mark.slow
@each_language
def test_other_layouts_and_open_sizes(execute: Any, tmp_path: Path) -> None:
    """Rows before steps, probabilities, the blank as the last class, and any batch and length."""
    w = numbers(C)
    softmax = helper.make_node("Softmax", ["z"], ["p"], axis=-1)
    made = saved(logits(["rows", "steps", C], w, softmax), tmp_path / "m.onnx")
    loss = {"name": "ctc", "labels": S, "time_major": False, "blank": -1}
    module = rc.training_step(made, loss=loss, optimizer="sgd")
    for rows, steps in ((5, 9), (1, 30), (3, 4)):
        rng = np.random.default_rng(rows)
        target = rng.integers(0, C - 1, (rows, S)).astype(np.int32)
        counts = rng.integers(1, S + 1, rows).astype(np.int32)
        lengths = rng.integers(steps // 2, steps + 1, rows).astype(np.int32)
        x = numbers(rows, steps, C, seed=steps)
        given = {"target": target, "input_lengths": lengths, "target_lengths": counts}
        out = execute(module, {"x": x, **given, "learning_rate": np.float32(1), **module.initial})
        turned = x.transpose(1, 0, 2)
        expected, gradient = right(w, turned, target, lengths, counts, C - 1)
        np.testing.assert_allclose(out["loss"], expected, rtol=1e-5)
        np.testing.assert_allclose(w - out["w"], gradient, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_long_sequences_in_float64(tmp_path: Path) -> None:
    """Logarithms of probabilities below the least number of float64."""
    steps, classes, labels = 400, 30, 40
    w = numbers(steps, 2, classes).astype(np.float64) * 4
    made = logits([steps, 2, classes], w, dtype=onnx.TensorProto.DOUBLE)
    loss = {"name": "ctc", "labels": labels}
    path = saved(made, tmp_path / "m.onnx")
    module = rc.training_step(path, loss=loss, optimizer="sgd")
    rng = np.random.default_rng(2)
    target = rng.integers(1, classes, (2, labels)).astype(np.int32)
    given = {
        "target": target,
        "input_lengths": np.array([steps, 333], np.int32),
        "target_lengths": np.array([labels, 17], np.int32),
    }
    x = np.zeros_like(w)
    program = rc.runtime.load(rc.compile(module))
    call = {"x": x, **given, "learning_rate": np.float64(1), **module.initial}
    out = program.train(**call)._asdict()
    expected, gradient = right(w, x, target, given["input_lengths"], given["target_lengths"])
    assert expected > 900
    np.testing.assert_allclose(out["loss"], expected, rtol=1e-12)
    np.testing.assert_allclose(w - out["w"], gradient, atol=1e-12)


@pytest.mark.slow
def test_as_many_labels_as_steps(tmp_path: Path) -> None:
    """The tables of its states are so large that they are packed when the module is loaded."""
    steps = 98
    made = saved(logits([steps, 2, C], numbers(C)), tmp_path / "m.onnx")
    module = rc.training_step(made, loss="ctc", optimizer="sgd")
    artifact = rc.compile(module)
    assert artifact.manifest.calls == {"train": "direct", "infer": "direct"}
    x, counts = numbers(steps, 2, C, seed=1), np.array([30, 3], np.int32)
    target = np.random.default_rng(0).integers(1, C, (2, steps)).astype(np.int32)
    lengths = np.array([steps, 40], np.int32)
    given = {"target": target, "input_lengths": lengths, "target_lengths": counts}
    session = rc.runtime.load(artifact).session()
    loss = session.train(x=x, **given, learning_rate=np.float32(1)).loss
    expected, gradient = right(numbers(C), x, target, lengths, counts)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    found = numbers(C) - session.state["w"]  # sums of 138 numbers exp(x), |x| up to 200
    np.testing.assert_allclose(found, gradient, rtol=0, atol=138 * 200 * np.finfo("f4").eps)
    functions = rc.compile_c(module, name="ctc").manifest["functions"]
    assert [each["states"] for each in functions if each["function"] == "train"] == [["w"]]


def test_what_ctc_needs(tmp_path: Path) -> None:
    """Three axes; known numbers of classes and labels; a blank among the classes."""
    path = saved(logits([T, C], numbers(C)), tmp_path / "m.onnx")
    with pytest.raises(InvalidArgumentError, match=r"'output': expected an output of steps, rows"):
        rc.training_step(path, loss="ctc")
    path = saved(logits(["T", B, C], numbers(C)), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match="'labels': N} how many labels a row has"):
        rc.training_step(path, loss="ctc")
    path = saved(logits([T, B, C], numbers(C)), tmp_path / "m.onnx")
    with pytest.raises(InvalidArgumentError, match="'loss': expected a blank among 5 classes"):
        rc.training_step(path, loss={"name": "ctc", "blank": 5})
    with pytest.raises(InvalidArgumentError, match=r"'labels' to be the most labels of .*, got 0"):
        rc.training_step(path, loss={"name": "ctc", "labels": 0})
