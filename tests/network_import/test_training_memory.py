"""What a step of training needs of memory in C, beside inference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

import rnn_compiler as rc
from tests.network_import.graphs import model, saved, weight

LENGTH, INPUTS, CHANNELS, UNITS, TAGS = 50, 8, 32, 64, 10


@pytest.mark.slow
def test_a_step_takes_three_times_the_memory_of_inference(tmp_path: Path) -> None:
    """The tagger of the page on networks, with Adam: weights, moments, and scratch memory."""
    weights = {
        "K": weight(CHANNELS, INPUTS, 3),
        "k": weight(CHANNELS),
        "W": weight(1, 4 * UNITS, CHANNELS),
        "R": weight(1, 4 * UNITS, UNITS),
        "B": weight(1, 8 * UNITS),
        "P": weight(UNITS, TAGS),
    }
    nodes = [
        helper.make_node("Conv", ["x", "K", "k"], ["c"], name="conv", pads=[1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="relu"),
        helper.make_node("Transpose", ["r"], ["t"], name="transpose", perm=[2, 0, 1]),
        helper.make_node("LSTM", ["t", "W", "R", "B"], ["Y"], name="lstm", hidden_size=UNITS),
        helper.make_node("Squeeze", ["Y", "direction"], ["y"], name="squeeze"),
        helper.make_node("MatMul", ["y", "P"], ["m"], name="product"),
        helper.make_node("Softmax", ["m"], ["tags"], name="softmax", axis=-1),
    ]
    made = model(
        nodes, {"x": [1, INPUTS, LENGTH]}, ["tags"], {**weights, "direction": np.array([1])}
    )
    module = rc.training_step(saved(made, tmp_path / "m.onnx"), loss="cross_entropy")
    code = rc.compile_c(module, "cpu:x86-64-v3", name="tagger")
    functions = {each["function"]: each for each in code.manifest["functions"]}
    train, infer = (functions[name]["scratch_size"] for name in ("train", "infer"))
    kept = sum(each.nbytes for each in weights.values())
    states = code.manifest["state"]["size"]
    assert 3 * kept < states < 3.1 * kept
    assert train <= 3 * infer
    assert states + train <= 3 * (kept + infer)
