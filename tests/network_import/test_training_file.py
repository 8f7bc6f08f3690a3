"""Trained weights go back into the file that they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from tests.network_import.graphs import expected, model, saved, weight


def network() -> Any:
    """Two layers; the second one's bias is stored once with the first one's, as both are zeros."""
    nodes = [
        helper.make_node("Identity", ["fc.0.bias"], ["fc.1.bias"]),
        helper.make_node("Gemm", ["x", "fc.0.weight", "fc.0.bias"], ["h"]),
        helper.make_node("Tanh", ["h"], ["a"]),
        helper.make_node("Gemm", ["a", "fc.1.weight", "fc.1.bias"], ["y"]),
    ]
    weights = {"fc.0.weight": weight(3, 4), "fc.1.weight": weight(4, 4)}
    zeros = {"fc.0.bias": np.zeros(4, np.float32)}
    return model(nodes, {"x": [5, 3]}, ["y"], {**weights, **zeros})


def test_the_file_gives_what_the_session_infers(tmp_path: Path) -> None:
    import onnx

    path = saved(network(), tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error")
    session = rc.runtime.load(rc.compile(module)).session()
    x, target = weight(5, 3), weight(5, 4)
    for _ in range(5):
        session.train(x=x, target=target, learning_rate=np.float32(0.1))
    made = rc.save_trained(path, session.state, tmp_path / "trained.onnx")
    (found,) = expected(onnx.load(made), {"x": x})
    np.testing.assert_allclose(found, session.infer(x=x).y, rtol=1e-5, atol=1e-6)
    biases = [session.state[f"fc_{k}_bias"] for k in (0, 1)]
    assert not np.array_equal(*biases)
    assert rc.training_step(made, loss="mean_squared_error").initial["fc_0_weight"].shape == (3, 4)


def test_other_states(tmp_path: Path) -> None:
    path = saved(network(), tmp_path / "m.onnx")
    before = path.read_bytes()
    for states, message in (
        ({"w": np.zeros(3)}, "an initializer that becomes 'w', of shape .3., got none"),
        ({"fc_0_bias": np.zeros(3)}, r"becomes 'fc_0_bias', of shape .3., got one of .4."),
        ([1], "expected a mapping of names to arrays"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            rc.save_trained(path, states, path)  # type: ignore[arg-type]
    assert path.read_bytes() == before
    path.write_bytes(b"\xff" * 100)
    with pytest.raises(ArtifactError, match="it is no ONNX model"):
        rc.save_trained(path, {}, path)
