"""Small ONNX models made of nodes, and their results by onnx's reference implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.compose
import onnx.reference
import pytest
from onnx import helper, numpy_helper

import rnn_compiler as rc
from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.folding import fold

RNG = np.random.default_rng(0)

TARGET = "cpu:generic"


def weight(*shape: int, scale: float = 0.4) -> Any:
    return (RNG.standard_normal(shape) * scale).astype(np.float32)


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, Sequence[int | str | None]],
    outputs: Sequence[str],
    weights: Mapping[str, Any],
    *,
    dtypes: Mapping[str, int] | None = None,
    opset: int = 17,
) -> Any:
    """A model whose outputs have no shapes."""
    kinds = dtypes or {}
    made = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info(name, kinds.get(name, onnx.TensorProto.FLOAT), shape)
            for name, shape in inputs.items()
        ],
        [
            helper.make_tensor_value_info(name, kinds.get(name, onnx.TensorProto.FLOAT), None)
            for name in outputs
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def joined(models: Sequence[Any]) -> Any:
    """One model of several, so that they are compiled together: number k has the prefix ``mk_``.

    Axes with the same name have the same size in all.
    """
    parts = [onnx.compose.add_prefix(each, f"m{k}_") for k, each in enumerate(models)]
    for part in parts[1:]:
        for field in ("node", "input", "output", "initializer"):
            getattr(parts[0].graph, field).extend(getattr(part.graph, field))
    return parts[0]


def saved(model: Any, path: Path) -> Path:
    onnx.save(model, path)
    return path


def expected(model: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """The results of the reference implementation, which supports only the forward direction."""
    return onnx.reference.ReferenceEvaluator(model).run(None, dict(inputs))


def loaded(module: rc.Module) -> Any:
    return rc.runtime.load(rc.compile(module, TARGET), device="local-sync")


def close(got: Any, wanted: Any) -> None:
    assert np.shape(got) == wanted.shape
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-5, atol=1e-6)


def by_runtime(model: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """The results of ONNX Runtime."""
    runtime = pytest.importorskip("onnxruntime")
    return runtime.InferenceSession(model.SerializeToString()).run(None, dict(inputs))


def folded(model: Any, path: Path) -> Graph:
    """The graph of a model after all known values are folded, and some operators rewritten."""
    graph = Graph.read(saved(model, path))
    fold(graph)
    return graph


T, B, I, H = 6, 2, 3, 5  # noqa: E741


def lstm_weights(prefix: str = "", gates: int = 4, size: int = I, D: int = 1) -> dict[str, Any]:
    return {
        f"{prefix}W": weight(D, gates * H, size),
        f"{prefix}R": weight(D, gates * H, H),
        f"{prefix}B": weight(D, 2 * gates * H),
    }


def tagger() -> Any:
    """Convolution, LSTM, product, softmax, with the batch and the sequence open."""
    weights = {"K": weight(8, I, 3), "k": weight(8), **lstm_weights(size=8), "P": weight(H, 4)}
    nodes = [
        helper.make_node("Conv", ["x", "K", "k"], ["c"], name="conv", pads=[1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="relu"),
        helper.make_node("Transpose", ["r"], ["t"], name="transpose", perm=[2, 0, 1]),
        helper.make_node("LSTM", ["t", "W", "R", "B"], ["Y"], name="lstm", hidden_size=H),
        helper.make_node("Shape", ["Y"], ["s"], name="shape"),
        helper.make_node("Gather", ["s", "places"], ["g"], name="gather"),
        helper.make_node("Concat", ["g", "units"], ["sizes"], name="concat", axis=0),
        helper.make_node("Reshape", ["Y", "sizes"], ["y"], name="reshape"),
        helper.make_node("MatMul", ["y", "P"], ["m"], name="product"),
        helper.make_node("Softmax", ["m"], ["tags"], name="softmax", axis=-1),
    ]
    weights |= {"places": np.array([0, 2]), "units": np.array([H])}
    return model(nodes, {"x": ["batch", I, "sequence"]}, ["tags"], weights)
