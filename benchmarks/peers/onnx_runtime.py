"""ONNX Runtime: a graph of one LSTM, GRU or RNN node.

Its weights are constant, inputs and results bound in place. Its threads spin while they wait, or
not, whichever is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from benchmarks.inputs import Arrays, cell_of, directions_of, draw, layer_weights
from benchmarks.peers import Variant, reordered
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_threads = 1

_NODES = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN"}
_ORDERS = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,)}
"""ONNX wants i, o, f, c of i, f, c, o; and z, r, h of r, z, h."""

_INPUTS = {"X": "input", "lengths": "sequence_lengths", "h0": "input_h", "c0": "input_c"}
_RESULTS = {"Y": "output", "Y_h": "output_h", "Y_c": "output_c"}


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
    model = _model(case, arrays)
    session: Any = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding: Any = session.io_binding()
    for each in model.graph.input:
        value = ort.OrtValue.ortvalue_from_numpy(arrays[_INPUTS[each.name]])
        binding.bind_ortvalue_input(each.name, value)
    results: dict[str, Any] = {}
    for each in model.graph.output:
        shape = [dimension.dim_value for dimension in each.type.tensor_type.shape.dim]
        results[each.name] = ort.OrtValue.ortvalue_from_shape_and_type(shape, np.float32, "cpu")
        binding.bind_ortvalue_output(each.name, results[each.name])

    def run() -> Any:
        session.run_with_iobinding(binding)
        return results

    def fetch(results: Any) -> Arrays:
        found = {_RESULTS[name]: value.numpy() for name, value in results.items()}
        found["output"] = found["output"].transpose(0, 2, 1, 3).reshape(*case.size[:2], -1)
        return found

    return Variant("spinning" if spin else "not spinning", run, fetch)


def _model(case: Case, arrays: Arrays) -> Any:
    """The graph."""
    T, B, I, H = case.size
    D, cell = directions_of(case), cell_of(case)
    weights = reordered(layer_weights(arrays["params"], case), _ORDERS[cell])
    constants = {
        "W": weights["W"],
        "R": weights["R"],
        "B": np.concatenate([weights["bW"], weights["bR"]], axis=1),
    }

    def tensor(name: str, *shape: int, kind: int = TensorProto.FLOAT) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    state = tensor("h0", D, B, H), tensor("c0", D, B, H)
    results = tensor("Y", T, D, B, H), tensor("Y_h", D, B, H), tensor("Y_c", D, B, H)
    count = 2 if cell == "lstm" else 1
    inputs = [tensor("X", T, B, I), *state[:count]]
    lengths = "lengths" if case.workload.lengths else ""
    if lengths:
        inputs.append(tensor(lengths, B, kind=TensorProto.INT32))
    more = {"linear_before_reset": 1} if cell == "gru" else {}
    node = helper.make_node(
        _NODES[cell],
        ["X", "W", "R", "B", lengths, "h0", "c0"][: 5 + count],
        ["Y", "Y_h", "Y_c"][: 1 + count],
        hidden_size=H,
        direction="bidirectional" if D == 2 else "forward",
        **more,
    )
    graph = helper.make_graph(
        [node],
        "layer",
        inputs,
        results[: 1 + count],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model)
    return model
