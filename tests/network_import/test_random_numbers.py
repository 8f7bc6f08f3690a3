"""Dropout in inference, in each form in which files have it; other random numbers are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import each_language

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import model, saved, weight

_NODE: Any = helper.make_node

_VALUES = {"r": np.float32(0.3), "off": np.array(False), "on": np.array(True)}

_BOOL = {"m": TensorProto.BOOL, "t": TensorProto.BOOL}


def _dropout(*inputs: str, outputs: tuple[str, ...] = ("y",), opset: int = 17, **given: Any) -> Any:
    sizes: dict[str, Any] = {name: [] for name in inputs if name == "t"}
    nodes = [_NODE("Dropout", ["x", *inputs], outputs, name="mine", **given)]
    constants = {name: _VALUES[name] for name in inputs if name in _VALUES}
    results = [name for name in outputs if name]
    return model(nodes, {"x": ["rows", 4], **sizes}, results, constants, dtypes=_BOOL, opset=opset)


@pytest.mark.slow
@each_language
def test_dropout_in_inference(agree: Any) -> None:
    """Some forms could not be imported: a `training_mode` without a ratio, and only the mask."""
    cases = [
        _dropout(),
        _dropout("", "off"),
        _dropout("r", "off", outputs=("y", "m")),
        _dropout("r", outputs=("", "m")),
    ]
    agree([(each, [{"x": weight(3, 4)}, {"x": weight(1, 4)}]) for each in cases])


def test_a_training_mode_that_is_given(tmp_path: Path) -> None:
    path = saved(_dropout("r", "t"), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'mine' \(Dropout\).*input 't'.*values={'t': Fa"):
        rc.import_network(path)
    (function,) = rc.import_network(path, values={"t": False}).functions
    assert [each.name for each in function.arguments] == ["x"]


def _random(operator: str, *inputs: str, **given: Any) -> Any:
    nodes = [_NODE(operator, inputs, ["n"], name="mine", **given), _NODE("Add", ["x", "n"], ["y"])]
    return model(nodes, {"x": ["rows", 4]}, ["y"], {})


def _in_a_scan() -> Any:
    """A Dropout of each row, in the body of a Scan."""
    row = helper.make_tensor_value_info("row", TensorProto.FLOAT, [4])
    made = helper.make_tensor_value_info("made", TensorProto.FLOAT, [4])
    nodes = [_NODE("Dropout", ["row", "r", "on"], ["made"], name="mine")]
    body = helper.make_graph(nodes, "body", [row], [made])
    scan = _NODE("Scan", ["x"], ["y"], name="scan", body=body, num_scan_inputs=1)
    return model([scan], {"x": ["rows", 4]}, ["y"], {name: _VALUES[name] for name in ("r", "on")})


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (_dropout("r", "on"), r"'mine' \(Dropout\).*training_mode that is false.*got true; .*eval"),
        (_dropout("", "on", outputs=("y", "m")), r"'mine' \(Dropout\).*got true"),
        (_in_a_scan(), r"mine.*\(Dropout\).*got true"),
        (_random("RandomNormalLike", "x"), r"'mine' \(RandomNormalLike\).*draw no random numbers"),
        (_random("RandomUniform", shape=[4]), r"'mine' \(RandomUniform\).*as an input"),
        (_random("Bernoulli", "x"), r"'mine' \(Bernoulli\).*draw no random numbers"),
    ],
)
def test_random_numbers_are_refused(made: Any, message: str, tmp_path: Path) -> None:
    """They were imported, and compiling failed without the node's name."""
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(made, tmp_path / "m.onnx"))
