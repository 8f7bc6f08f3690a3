"""Sums that one operator reads as rows and as columns, as distances of pairs and masks do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

import rnn_compiler as rc
from tests.network_import.graphs import close, loaded, model, saved

_X = np.random.default_rng(0).standard_normal((2, 8, 5)).astype(np.float32)
_K = np.random.default_rng(1).standard_normal((1, 8, 1)).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "column"),
    [
        (helper.make_node("ReduceMax", ["x"], ["s"], axes=[1], keepdims=1), _X.max(1)),
        (helper.make_node("Conv", ["x", "k"], ["s"]), np.einsum("bct,c->bt", _X, _K[0, :, 0])),
    ],
    ids=["maxima", "convolution"],
)
def test_differences_of_pairs(node: Any, column: Any, tmp_path: Path) -> None:
    nodes = [
        node,
        helper.make_node("Transpose", ["s"], ["t"], perm=[0, 2, 1]),
        helper.make_node("Sub", ["t", "s"], ["y"]),
    ]
    made = model(nodes, {"x": list(_X.shape)}, ["y"], {"k": _K})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    close(loaded(module)(x=_X).y, column[:, :, None] - column[:, None])
