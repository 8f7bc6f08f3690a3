"""OpenVINO: a graph of one LSTMSequence, GRUSequence or RNNSequence with constant weights.

In int8 it is a graph of products (`openvino_int8`), whose rows are quantized whole or in groups.

Its sequences are batch-major. They are given like that, or time-major with the transpositions in
the graph, which the CPU plugin may remove, whichever is faster. By default it computes float32
graphs in bfloat16 where the processor can, so the precision is always set; the configuration names
the one that the plugin reports for the layer. For a sequence in chunks, the state is either a state
of the graph, or passed explicitly: two requests take turns, and one writes what the other reads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino import passes

from benchmarks.inputs import Arrays, cell_of, directions_of, draw, layer_weights
from benchmarks.networks import downloaded, inputs_of, network_of, outputs_of
from benchmarks.peers import Variant, chunked, reordered
from benchmarks.peers.openvino_int8 import layer_in_int8
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_threads = 1
_core: Any = None

_ORDERS = {"lstm": (1, 0, 2, 3), "gru": (1, 0, 2), "rnn_tanh": (0,)}
"""The positions of OpenVINO's gates f, i, c, o in i, f, c, o; and of z, r, h in r, z, h."""

_PRECISIONS = {"float32": "f32", "bfloat16": "bf16", "int8": "f32"}
"""The precision of everything except weights."""

_GROUP = 32
"""The number of numbers in a row that share a scale in int8, by default."""


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    global _core, _threads
    _threads = len(cpus)
    _core = ov.Core()


def variants(case: Case) -> list[Variant]:
    """Inference; OpenVINO does not train."""
    if case.workload.chunks:
        return [_by_hand(case), _stateful(case)]
    if case.workload.family == "network":
        return [_network(case)]
    if case.dtype == "int8":
        return [_in_int8(case, group) for group in (_GROUP, max(case.size.I, case.size.H))]
    return [_variant(case, time_major) for time_major in (False, True)]


def _compiled(model: Any, dtype: str, **more: object) -> Any:
    settings: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": _PRECISIONS[dtype],
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": _threads,
        "ENABLE_CPU_PINNING": False,  # the process is pinned already
        **more,
    }
    return _core.compile_model(model, "CPU", settings)


def _network(case: Case) -> Variant:
    """A whole network at fixed sizes, from numpy arrays to numpy arrays."""
    network = network_of(case).for_openvino
    path = downloaded(network)
    arrays, names = inputs_of(network, path), outputs_of(path)
    model = _core.read_model(path)
    model.reshape({name: list(array.shape) for name, array in arrays.items()})
    request: Any = _compiled(model, case.dtype).create_infer_request()

    def fetch(results: Any) -> Arrays:
        return {name: results[name] for name in names}

    return Variant("", lambda: request.infer(arrays), fetch)


def _by_hand(case: Case) -> Variant:
    """Two requests, each with the other's results as its states."""
    arrays = draw(case)
    compiled = _compiled(_model(case, arrays, time_major=False), case.dtype)
    requests: Any = [compiled.create_infer_request() for _ in range(2)]
    x, *first = [ov.Tensor(np.float32, port.shape) for port in compiled.inputs]
    second = [ov.Tensor(np.float32, tensor.shape) for tensor in first]
    for request, before, after in zip(requests, (first, second), (second, first), strict=True):
        for port, tensor in zip(compiled.inputs, (x, *before), strict=True):
            request.set_tensor(port, tensor)
        for port, tensor in zip(compiled.outputs[1:], after, strict=True):
            request.set_tensor(port, tensor)
    names = [port.any_name for port in compiled.inputs[1:]]
    outputs = [request.get_tensor(compiled.outputs[0]).data for request in requests]

    def begin() -> Callable[[Any], Any]:
        turns = itertools.cycle(zip(requests, outputs, strict=True))
        for name, tensor in zip(names, first, strict=True):
            tensor.data[...] = arrays[name].swapaxes(0, 1)

        def take(chunk: Any) -> Any:
            request, output = next(turns)
            x.data[...] = chunk.swapaxes(0, 1)
            request.infer()
            return output[:, 0].swapaxes(0, 1)

        return take

    return chunked(f"by hand, {_precision(compiled)}", case, begin)


def _stateful(case: Case) -> Variant:
    """A request whose state is a variable of the graph."""
    arrays = draw(case)
    model = _model(case, arrays, time_major=False)
    states = {name: name.replace("input", "output") for name in ("input_h", "input_c")}
    known = {port.any_name for port in model.inputs}
    pairs = {a: b for a, b in states.items() if a in known}
    manager: Any = passes.Manager()
    manager.register_pass(passes.MakeStateful(pairs))
    manager.run_passes(model)
    compiled = _compiled(model, case.dtype)
    request: Any = compiled.create_infer_request()
    (port,) = compiled.inputs
    x = ov.Tensor(np.float32, port.shape)
    request.set_tensor(port, x)
    output = request.get_tensor(compiled.outputs[0]).data

    def begin() -> Callable[[Any], Any]:
        request.reset_state()
        for state in request.query_state():
            (name,) = [name for name in pairs if name in state.name]
            state.state = ov.Tensor(np.ascontiguousarray(arrays[name].swapaxes(0, 1)))

        def take(chunk: Any) -> Any:
            x.data[...] = chunk.swapaxes(0, 1)
            request.infer()
            return output[:, 0].swapaxes(0, 1)

        return take

    return chunked(f"stateful, {_precision(compiled)}", case, begin)


def _variant(case: Case, time_major: bool) -> Variant:
    arrays = draw(case)
    compiled = _compiled(_model(case, arrays, time_major), case.dtype)
    request: Any = compiled.create_infer_request()
    for port in compiled.inputs:
        array = arrays[port.any_name]
        if port.any_name != "sequence_lengths" and not (time_major and port.any_name == "input"):
            array = array.swapaxes(0, 1)
        request.set_tensor(port, ov.Tensor(np.ascontiguousarray(array)))

    def run() -> Any:
        request.infer(share_inputs=True, share_outputs=True)  # without copies
        return request

    def fetch(request: Any) -> Arrays:
        found = {port.any_name: request.get_tensor(port).data.copy() for port in compiled.outputs}
        axes = (0, 1, 2, 3) if time_major else (2, 0, 1, 3)  # the positions of T, B, D, H
        output = found.pop("output").transpose(axes)
        states = {name: array.swapaxes(0, 1) for name, array in found.items()}
        return {"output": output.reshape(*case.size[:2], -1), **states}

    order = "time-major" if time_major else "batch-major"
    return Variant(f"{order}, {_precision(compiled)}", run, fetch)


def _in_int8(case: Case, group: int) -> Variant:
    arrays = draw(case)
    compiled = _compiled(layer_in_int8(case), case.dtype, DYNAMIC_QUANTIZATION_GROUP_SIZE=group)
    request: Any = compiled.create_infer_request()
    for port in compiled.inputs:
        request.set_tensor(port, ov.Tensor(arrays[port.any_name]))

    def run() -> Any:
        request.infer(share_inputs=True, share_outputs=True)  # without copies
        return request

    def fetch(request: Any) -> Arrays:
        return {port.any_name: request.get_tensor(port).data.copy() for port in compiled.outputs}

    return Variant(f"groups of {group}, {_precision(compiled, 'FullyConn')}", run, fetch)


def _model(case: Case, arrays: Arrays, time_major: bool) -> Any:
    """The graph."""
    T, B, I, H = case.size
    D, cell = directions_of(case), cell_of(case)
    parts = reordered(layer_weights(arrays["params"], case), _ORDERS[cell])
    bias = parts["bW"] + parts["bR"]
    if cell == "gru":  # both biases of the new value, because a gate multiplies the second
        new = [parts[name][:, 2 * H :] for name in ("bW", "bR")]
        bias = np.concatenate([bias[:, : 2 * H], *new], 1)
    weights = [ops.constant(np.ascontiguousarray(part)) for part in (parts["W"], parts["R"], bias)]
    direction = "bidirectional" if D == 2 else "forward"

    def parameter(name: str, shape: list[int], kind: Any = np.float32) -> Any:
        found = ops.parameter(shape, kind, name)
        found.output(0).get_tensor().set_names({name})
        return found

    x = parameter("input", [T, B, I] if time_major else [B, T, I])
    state = [parameter(f"input_{k}", [B, D, H]) for k in ("hc" if cell == "lstm" else "h")]
    inputs = [x, *state]
    if case.workload.lengths:
        lengths = parameter("sequence_lengths", [B], np.int32)
        inputs.append(lengths)
    else:
        lengths = ops.constant(np.full(B, T, np.int32))
    source = ops.transpose(x, ops.constant(np.array([1, 0, 2]))) if time_major else x
    if cell == "lstm":
        layer: Any = ops.lstm_sequence(source, *state, lengths, *weights, H, direction)
    elif cell == "gru":
        layer = ops.gru_sequence(
            source, *state, lengths, *weights, H, direction, linear_before_reset=True
        )
    else:
        layer = ops.rnn_sequence(source, *state, lengths, *weights, H, direction)
    sequence = layer.output(0)
    if time_major:
        sequence = ops.transpose(sequence, ops.constant(np.array([2, 0, 1, 3]))).output(0)
    named = {"output": sequence}
    named |= {f"output_{k}": layer.output(1 + index) for index, k in enumerate("hc"[: len(state)])}
    results: list[Any] = []
    for name, value in named.items():
        results.append(ops.result(value))
        results[-1].output(0).get_tensor().set_names({name})
    return ov.Model(results, inputs, "layer")


def _precision(compiled: Any, layer: str = "Seq") -> str:
    """The precision in which the layer is computed, as reported by the plugin."""
    for node in compiled.get_runtime_model().get_ops():
        info = node.get_rt_info()
        if layer in str(info["layerType"].astype(str) if "layerType" in info else ""):
            return str(info["runtimePrecision"].astype(str))
    return "decomposed"
