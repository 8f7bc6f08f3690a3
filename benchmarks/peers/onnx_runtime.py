"""ONNX Runtime: a graph of one LSTM, GRU or RNN node, for a CudnnRNN or one of ONNX's ops.

Its weights are constant, inputs and results bound in place. In int8, its own tool converts the
graph. Its threads spin while they wait, or not, whichever is faster. For a sequence in chunks, the
state is passed explicitly: as arrays to `run`, or in place, so that a call writes the next one's
inputs.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import quantize_dynamic

from benchmarks.inputs import Arrays, directions_of, draw
from benchmarks.networks import downloaded, inputs_of, network_of, outputs_of
from benchmarks.peers import Variant, chunked
from benchmarks.peers.onnx_graphs import checked, layer_graph
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_threads = 1

_INPUTS = {"X": "input", "lengths": "sequence_lengths", "h0": "input_h", "c0": "input_c"}
_RESULTS = {"Y": "output", "Y_h": "output_h", "Y_c": "output_c"}


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    global _threads
    _threads = len(cpus)


def variants(case: Case) -> list[Variant]:
    """Inference; ONNX Runtime does not train."""
    spinning = [True] if _threads == 1 else [True, False]
    if case.workload.family == "network":
        return [_network(case, spin) for spin in spinning]
    if case.workload.chunks:
        return [
            chunked(f"{words}, {_words(spin)}", case, begin(case, spin))
            for begin, words in ((_by_run, "arrays"), (_in_place, "in place"))
            for spin in spinning
        ]
    return [_variant(case, spin) for spin in spinning]


def _words(spin: bool) -> str:
    return "spinning" if spin else "not spinning"


def _session(model: Any, spin: bool) -> Any:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = _threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spin)))
    text = model.SerializeToString()
    return ort.InferenceSession(text, options, providers=["CPUExecutionProvider"])


def _network(case: Case, spin: bool) -> Variant:
    """A whole network, from numpy arrays to numpy arrays."""
    network = network_of(case)
    path = downloaded(network)
    session = _session(onnx.load(path), spin)
    arrays, names = inputs_of(network, path), outputs_of(path)
    return Variant(
        _words(spin),
        lambda: session.run(None, arrays),
        lambda results: dict(zip(names, results, strict=True)),
    )


def _by_run(case: Case, spin: bool) -> Callable[[], Callable[[Any], Any]]:
    """Arrays in and out, the state among them."""
    arrays = draw(case)
    session = _session(layer_graph(case, arrays), spin)
    states = [each.name for each in session.get_inputs()[1:]]

    def begin() -> Callable[[Any], Any]:
        state = {name: arrays[_INPUTS[name]] for name in states}

        def take(chunk: Any) -> Any:
            nonlocal state
            output, *after = session.run(None, {"X": chunk, **state})
            state = dict(zip(states, after, strict=True))
            return output[:, 0]

        return take

    return begin


def _in_place(case: Case, spin: bool) -> Callable[[], Callable[[Any], Any]]:
    """Two bindings take turns: the results of one are the initial state of the other."""
    arrays = draw(case)
    session = _session(layer_graph(case, arrays), spin)
    x, *names = [each.name for each in session.get_inputs()]
    y, *results = [each.name for each in session.get_outputs()]

    def value(shape: Sequence[int]) -> Any:
        return ort.OrtValue.ortvalue_from_shape_and_type(shape, np.float32, "cpu")

    chunks = value(session.get_inputs()[0].shape)
    output = value(session.get_outputs()[0].shape)
    both: list[Any] = [[value(arrays[_INPUTS[name]].shape) for name in names] for _ in range(2)]
    bindings: list[Any] = []
    for before, after in (both, both[::-1]):
        binding = session.io_binding()
        for name, given in zip((x, *names), (chunks, *before), strict=True):
            binding.bind_ortvalue_input(name, given)
        for name, result in zip((y, *results), (output, *after), strict=True):
            binding.bind_ortvalue_output(name, result)
        bindings.append(binding)

    def begin() -> Callable[[Any], Any]:
        turns = itertools.cycle(bindings)
        for name, state in zip(names, both[0], strict=True):
            state.update_inplace(arrays[_INPUTS[name]])

        def take(chunk: Any) -> Any:
            chunks.update_inplace(chunk)
            session.run_with_iobinding(next(turns))
            return output.numpy()[:, 0]

        return take

    return begin


def _variant(case: Case, spin: bool) -> Variant:
    arrays = draw(case)
    is_own = case.workload.family == "onnx"
    model = _op_model(case, arrays) if is_own else layer_graph(case, arrays)
    if case.dtype == "int8":
        model = _in_int8(model)
    session = _session(model, spin)
    binding: Any = session.io_binding()
    for each in model.graph.input:
        name = each.name if is_own else _INPUTS[each.name]
        value = ort.OrtValue.ortvalue_from_numpy(arrays[name])
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
        if is_own:
            return {name: value.numpy() for name, value in results.items()}
        found = {_RESULTS[name]: value.numpy() for name, value in results.items()}
        found["output"] = found["output"].transpose(0, 2, 1, 3).reshape(*case.size[:2], -1)
        return found

    return Variant(_words(spin), run, fetch)


def _in_int8(model: Any) -> Any:
    """The model with a DynamicQuantizeLSTM, with a scale for each column."""
    with tempfile.TemporaryDirectory(prefix="rnn-compiler-bench-") as folder:
        path = Path(folder) / "int8.onnx"
        quantize_dynamic(model, path, per_channel=True)
        return onnx.load(path)


_OPTIONAL = ("B", "sequence_lens", "initial_h", "initial_c", "P")
_LISTS = {"activations": str, "activation_alpha": float}
_WEIGHTS = ("W", "R", "B", "P")


def _op_model(case: Case, arrays: Arrays) -> Any:
    """The graph of one of ONNX's ops."""
    T, B, _, H = case.size
    D, op = directions_of(case), case.workload.ops[0].removeprefix("onnx.")
    known = case.workload.attributes
    taken = known["inputs"].split()
    names = ["X", "W", "R", *(name if name in taken else "" for name in _OPTIONAL)]
    names = names[: 1 + max(number for number, name in enumerate(names) if name)]
    shapes = {"Y": (T, D, B, H), "Y_h": (D, B, H)} | ({"Y_c": (D, B, H)} if op == "LSTM" else {})
    lists = {k: [*map(of, known[k].split())] for k, of in _LISTS.items() if k in known}
    node = helper.make_node(op, names, [*shapes], hidden_size=H, **lists)
    inputs = {n: arrays[n].shape for n in names if n and n not in _WEIGHTS}
    constants = [numpy_helper.from_array(arrays[n], n) for n in names if n in _WEIGHTS]
    inputs, results = (
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in each.items()]
        for each in (inputs, shapes)
    )
    return checked(helper.make_graph([node], "op", inputs, results, constants))
