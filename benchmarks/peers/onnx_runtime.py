"""ONNX Runtime: a graph of one LSTM node, its weights constant, inputs and results bound in place.

Its threads spin while they wait, or not, whichever is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from benchmarks.inputs import Arrays, draw, lstm_weights
from benchmarks.peers import Variant
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_threads = 1


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    global _threads
    _threads = len(cpus)


def variants(case: Case) -> list[Variant]:
    """Inference; ONNX Runtime does not train."""
    spinning = [True] if _threads == 1 else [True, False]
    return [_variant(case, spin) for spin in spinning]


def _variant(case: Case, spin: bool) -> Variant:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = _threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spin)))
    arrays = draw(case)
    model = _model(case, arrays).SerializeToString()
    session: Any = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding: Any = session.io_binding()
    T, B, _, H = case.size
    results = {
        "Y": ort.OrtValue.ortvalue_from_shape_and_type([T, 1, B, H], np.float32, "cpu"),
        "Y_h": ort.OrtValue.ortvalue_from_shape_and_type([1, B, H], np.float32, "cpu"),
        "Y_c": ort.OrtValue.ortvalue_from_shape_and_type([1, B, H], np.float32, "cpu"),
    }
    for name, source in (("X", "input"), ("h0", "input_h"), ("c0", "input_c")):
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(arrays[source]))
    for name, value in results.items():
        binding.bind_ortvalue_output(name, value)

    def run() -> Any:
        session.run_with_iobinding(binding)
        return results

    def fetch(results: Any) -> Arrays:
        return {
            "output": results["Y"].numpy().reshape(T, B, H),
            "output_h": results["Y_h"].numpy(),
            "output_c": results["Y_c"].numpy(),
        }

    return Variant("spinning" if spin else "not spinning", run, fetch)


def _model(case: Case, arrays: Arrays) -> Any:
    """The graph; ONNX wants the gates in the order i, o, f, c."""
    T, B, I, H = case.size

    def reordered(part: Any) -> Any:
        i, f, n, o = np.split(part, 4)
        return np.concatenate([i, o, f, n])

    weights = {k: reordered(v) for k, v in lstm_weights(arrays, case.size).items()}
    constants = {
        "W": weights["W"][None],
        "R": weights["R"][None],
        "B": np.concatenate([weights["bW"], weights["bR"]])[None],
    }

    def tensor(name: str, *shape: int) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    node = helper.make_node(
        "LSTM", ["X", "W", "R", "B", "", "h0", "c0"], ["Y", "Y_h", "Y_c"], hidden_size=H
    )
    graph = helper.make_graph(
        [node],
        "lstm",
        [tensor("X", T, B, I), tensor("h0", 1, B, H), tensor("c0", 1, B, H)],
        [tensor("Y", T, 1, B, H), tensor("Y_h", 1, B, H), tensor("Y_c", 1, B, H)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model)
    return model
