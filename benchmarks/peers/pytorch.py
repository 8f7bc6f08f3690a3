"""PyTorch: `torch.nn.LSTM`, with and without oneDNN, whichever is faster.

torch.compile leaves nn.LSTM as it is, so eager mode is its best.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from benchmarks.inputs import Arrays, draw, lstm_weights, pack_params
from benchmarks.peers import Variant
from benchmarks.rows import Case

__all__ = ["inference", "layer_of", "start", "training", "variants"]


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    torch.set_num_threads(len(cpus))
    torch.set_num_interop_threads(1)


def variants(case: Case) -> list[Variant]:
    """Inference, or forward and backward."""
    arrays = draw(case)
    layer = layer_of(case)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    run = training(layer, tensors) if case.workload.passes > 1 else inference(layer, tensors)
    return [
        Variant("oneDNN", run, _fetch),
        Variant("without oneDNN", _without_onednn(run), _fetch),
    ]


def layer_of(case: Case) -> torch.nn.LSTM:
    """A layer with the weights of a case."""
    layer = torch.nn.LSTM(case.size.I, case.size.H)
    weights = lstm_weights(draw(case), case.size)
    names = {"W": "weight_ih_l0", "R": "weight_hh_l0", "bW": "bias_ih_l0", "bR": "bias_hh_l0"}
    layer.load_state_dict({names[k]: torch.from_numpy(v.copy()) for k, v in weights.items()})
    return layer


def inference(layer: torch.nn.LSTM, tensors: dict[str, Any]) -> Callable[[], Any]:
    """The forward pass."""
    layer.eval()
    x, state = tensors["input"], (tensors["input_h"], tensors["input_c"])

    @torch.inference_mode()
    def run() -> Any:
        output, (h, c) = layer(x, state)
        return output, h, c

    return run


def training(layer: torch.nn.LSTM, tensors: dict[str, Any]) -> Callable[[], Any]:
    """The forward pass and all gradients."""
    inputs = [tensors[name].requires_grad_() for name in ("input", "input_h", "input_c")]
    parameters = [layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0]
    cotangents = [tensors[f"{name}_backprop"] for name in ("output", "output_h", "output_c")]

    def run() -> Any:
        output, (h, c) = layer(inputs[0], (inputs[1], inputs[2]))
        results = (output, h, c)
        return *results, *torch.autograd.grad(results, [*inputs, *parameters], cotangents)

    return run


def _without_onednn(run: Callable[[], Any]) -> Callable[[], Any]:
    @functools.wraps(run)
    def slow() -> Any:
        before = torch._C._get_mkldnn_enabled()
        torch._C._set_mkldnn_enabled(False)
        try:
            return run()
        finally:
            torch._C._set_mkldnn_enabled(before)

    return slow


def _fetch(results: Any) -> Arrays:
    arrays = [value.detach().numpy() for value in results]
    names = ["output", "output_h", "output_c"]
    if len(arrays) > 3:
        names += ["input_backprop", "input_h_backprop", "input_c_backprop", "params_backprop"]
        arrays = [*arrays[:6], pack_params(*arrays[6:])]
    return dict(zip(names, arrays, strict=True))
