"""PyTorch: `torch.nn.LSTM`, `GRU` and `RNN`, with and without oneDNN, whichever is faster.

In int8 they are dynamically quantized. torch.compile does not change them, so eager mode
is their best. Sequences with lengths are packed beforehand, and results stay packed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from benchmarks.inputs import Arrays, cell_of, directions_of, draw, layer_weights, pack_params
from benchmarks.peers import Variant, chunked, steps_torch, trained_networks
from benchmarks.rows import Case

__all__ = ["fetch", "inference", "layer_of", "start", "tensors_of", "training", "variants"]

_LAYERS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN}
_PARTS = {"W": "weight_ih", "R": "weight_hh", "bW": "bias_ih", "bR": "bias_hh"}


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    torch.set_num_threads(len(cpus))
    torch.set_num_interop_threads(1)


def variants(case: Case) -> list[Variant]:
    """Inference, forward and backward, or a training step."""
    if case.workload.chunks:
        return _streams(case)
    if case.workload.family == "step":
        return steps_torch.variants(case)
    if case.workload.family == "fine-tuning":
        return trained_networks.peer(case)
    tensors = tensors_of(case)
    layer = layer_of(case).to(getattr(torch, case.arrays_dtype))
    if case.dtype == "int8":
        layer = _in_int8(layer)
    run = training(layer, tensors) if case.workload.passes > 1 else inference(layer, tensors)
    arrays_of = functools.partial(fetch, case, tensors["input"])
    return [
        Variant("oneDNN", run, arrays_of),
        Variant("without oneDNN", _without_onednn(run), arrays_of),
    ]


def _in_int8(layer: Any) -> Any:
    """The layer with weights in int8; torch replaces parts of a model, not the model itself."""
    model = torch.nn.Sequential(layer)
    kinds = {type(layer)}
    return torch.ao.quantization.quantize_dynamic(model, kinds, dtype=torch.qint8)[0]


def tensors_of(case: Case) -> dict[str, Any]:
    """The arrays of a case as tensors of its dtype, in torch's memory; with lengths, packed."""
    arrays = draw(case)
    lengths = arrays.pop("sequence_lengths", None)
    kind = getattr(torch, case.arrays_dtype)
    tensors: dict[str, Any] = {
        k: torch.from_numpy(v).to(kind, copy=True) for k, v in arrays.items()
    }
    if lengths is not None:
        for name in ("input", "output_backprop"):
            tensors[name] = pack_padded_sequence(
                tensors[name], torch.from_numpy(lengths), enforce_sorted=False
            )
    return tensors


def _streams(case: Case) -> list[Variant]:
    """The layer on chunks, with its state passed from one call to the next."""
    layer, drawn = layer_of(case).eval(), draw(case)

    def begin() -> Callable[[Any], Any]:
        state: Any = tuple(torch.from_numpy(drawn[f"input_{name}"]) for name in _states(layer))
        state = state if len(state) == 2 else state[0]

        @torch.inference_mode()
        def take(chunk: Any) -> Any:
            nonlocal state
            output, state = layer(torch.from_numpy(chunk), state)
            return output.numpy()

        return take

    return [
        chunked("oneDNN", case, begin),
        chunked("without oneDNN", case, lambda: _without_onednn(begin())),
    ]


def layer_of(case: Case, layers: Mapping[str, Any] = _LAYERS) -> Any:
    """A layer with the weights of a case, torch's own or of another class."""
    layer = layers[cell_of(case)](case.size.I, case.size.H, bidirectional=directions_of(case) == 2)
    directions = layer_weights(draw(case)["params"], case)
    layer.load_state_dict(
        {
            f"{_PARTS[name]}_l0{suffix}": torch.from_numpy(part.copy())
            for suffix, weights in zip(("", "_reverse"), directions, strict=False)
            for name, part in weights.items()
        }
    )
    return layer


def inference(layer: Any, tensors: dict[str, Any]) -> Callable[[], Any]:
    """The forward pass; returns the output and the states."""
    layer.eval()
    names = _states(layer)
    state = tuple(tensors[f"input_{name}"] for name in names)

    @torch.inference_mode()
    def run() -> Any:
        return _forward(layer, tensors["input"], state)

    return run


def training(layer: Any, tensors: dict[str, Any]) -> Callable[[], Any]:
    """The forward pass and all gradients: of the input, the states, and the parameters."""
    names = _states(layer)
    x = tensors["input"]
    state = tuple(tensors[f"input_{name}"].requires_grad_() for name in names)
    inputs = [_data(x).requires_grad_(), *state]
    parameters = list(layer.parameters())
    cotangents = [_data(tensors["output_backprop"])]
    cotangents += [tensors[f"output_{name}_backprop"] for name in names]

    def run() -> Any:
        results = _forward(layer, x, state)
        return *results, *torch.autograd.grad(results, [*inputs, *parameters], cotangents)

    return run


def _states(layer: Any) -> str:
    return "hc" if layer.mode == "LSTM" else "h"


def _forward(layer: Any, x: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Output and states; only the valid rows, if x is packed."""
    if len(state) == 2:
        output, states = layer(x, state)
        return _data(output), *states
    output, h = layer(x, state[0])
    return _data(output), h


def _data(sequence: Any) -> Any:
    return sequence.data if isinstance(sequence, PackedSequence) else sequence


def _without_onednn(run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(run)
    def slow(*arguments: Any) -> Any:
        before = torch._C._get_mkldnn_enabled()
        torch._C._set_mkldnn_enabled(False)
        try:
            return run(*arguments)
        finally:
            torch._C._set_mkldnn_enabled(before)

    return slow


def fetch(case: Case, x: Any, results: Any) -> Arrays:
    """Results as numpy arrays by TensorFlow's names."""
    states = "hc" if cell_of(case) == "lstm" else "h"
    values = list(results)

    def padded(data: Any) -> Any:
        if not isinstance(x, PackedSequence):
            return data
        return pad_packed_sequence(x._replace(data=data), total_length=case.size.T)[0]

    def taken(count: int) -> list[Any]:
        return [values.pop(0).detach().float() for _ in range(count)]

    def sequence_and_states(name: str) -> Arrays:
        sequence, *rest = taken(1 + len(states))
        names = [name.format(""), *(name.format(f"_{state}") for state in states)]
        return {k: v.numpy() for k, v in zip(names, [padded(sequence), *rest], strict=True)}

    arrays = sequence_and_states("output{}")
    if values:
        arrays |= sequence_and_states("input{}_backprop")
        parts = [part.numpy() for part in taken(len(values))]
        weights = [
            dict(zip(_PARTS, parts[k : k + 4], strict=True)) for k in range(0, len(parts), 4)
        ]
        arrays["params_backprop"] = pack_params(weights)
    return arrays
