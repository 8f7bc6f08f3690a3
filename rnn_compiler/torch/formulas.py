"""CudnnRNN in torch's own operations, for second derivatives.

Gradient ops have no gradients of their own, so second derivatives are those of the formula: every
step is a few torch operations, which torch can differentiate any number of times. This is correct
but slow.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from rnn_compiler.lowering.ops import GRADIENTS
from rnn_compiler.schema.cudnn_layout import RNN_MODES, Layout, ReserveLayout
from rnn_compiler.torch.attributes import Attributes
from rnn_compiler.weights.torch import blocks_of_parameters

_INPUTS = ("input", "input_h", "input_c", "params")
_RESULTS = ("output", "output_h", "output_c")

HAS_FORMULA = frozenset(
    op for each in GRADIENTS.values() if each.arguments == _INPUTS for op in each.ops
)
"""The gradient ops whose forward op has a formula here: CudnnRNN's, found by its inputs."""


def second_derivatives(
    tensors: Mapping[str, Any],
    attributes: Attributes,
    outputs: Sequence[str],
    arriving: Sequence[Any],
) -> dict[str, Any]:
    """The gradients of the results of a gradient op of CudnnRNN.

    Gradients of activations, such as `output`, are included in those of the tensors they are
    computed from.
    """
    values = dict(attributes)
    has_cell_state = RNN_MODES[values["rnn_mode"]].has_cell_state
    names = [name for name in _INPUTS if has_cell_state or name != "input_c"]
    results = [name for name in _RESULTS if has_cell_state or name != "output_c"]
    cotangents = [f"{name}_backprop" for name in results]
    fixed = {name: each for name, each in tensors.items() if name not in (*names, *cotangents)}
    wanted = [names.index(name.removesuffix("_backprop")) for name in outputs]

    def gradients(*given: Any) -> tuple[Any, ...]:
        inputs, passed = given[: len(names)], given[len(names) :]

        def forward(*inputs: Any) -> tuple[Any, ...]:
            return _cudnn_rnn({**fixed, **dict(zip(names, inputs, strict=True))}, values)

        pull: Any = torch.func.vjp(forward, *inputs)[1]
        found = pull(passed)
        return tuple(found[k] for k in wanted)

    pull: Any = torch.func.vjp(gradients, *(tensors[name] for name in (*names, *cotangents)))[1]
    zeros = [tensors[names[k]] for k in wanted]
    given = [
        torch.zeros_like(like) if each is None else each
        for each, like in zip(arriving, zeros, strict=True)
    ]
    return dict(zip((*names, *cotangents), pull(tuple(given)), strict=True))


def _cudnn_rnn(tensors: Mapping[str, Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Output and final states of a stack of layers; arguments have TensorFlow's names."""
    mode: str = attributes["rnn_mode"]
    has_cell_state = RNN_MODES[mode].has_cell_state
    time_major = attributes.get("time_major", True)

    def turned(tensor: Any) -> Any:
        return tensor if time_major else tensor.transpose(0, 1)

    x, h = turned(tensors["input"]), turned(tensors["input_h"])
    c = turned(tensors["input_c"]) if has_cell_state else h
    (T, B, size), H = x.shape, c.shape[-1]
    D = 2 if attributes["direction"] == "bidirectional" else 1
    layout = Layout(
        rnn_mode=mode,
        num_layers=h.shape[0] // D,
        num_units=H,
        input_size=size,
        direction=attributes["direction"],
        input_mode=attributes["input_mode"],
        num_proj=attributes.get("num_proj", 0) if has_cell_state else 0,
    )
    weights = {
        name: block.of(tensors["params"]) for name, block in blocks_of_parameters(layout).items()
    }
    lengths = tensors.get("sequence_lengths")
    steps = torch.arange(T, device=x.device)
    valid = None if lengths is None else (steps[:, None] < lengths)[..., None]
    mask = None
    if attributes["dropout"] and layout.num_layers > 1:
        reserve = ReserveLayout(layout, T, B, attributes["dropout"])
        mask = reserve.mask.of(tensors["reserve_space"])
    last_h: list[Any] = []
    last_c: list[Any] = []
    for layer in range(layout.num_layers):
        if layer and mask is not None:
            x = x * mask[layer - 1]
        sides: list[Any] = []
        for direction in range(D):
            k, suffix = layer * D + direction, f"_l{layer}" + "_reverse" * direction
            own = {stem: weights.get(stem + suffix) for stem in _STEMS}
            skip = x if layout.skips_input and layer == 0 else None
            output, h_n, c_n = _direction(mode, x, h[k], c[k], own, valid, skip, direction)
            sides.append(output)
            last_h.append(h_n)
            last_c.append(c_n)
        x = torch.cat(sides, -1)
    states = (last_h, last_c) if has_cell_state else (last_h,)
    return (turned(x), *(turned(torch.stack(each)) for each in states))


_STEMS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")


def _direction(
    mode: str, x: Any, h: Any, c: Any, own: Mapping[str, Any], valid: Any, skip: Any, reverse: int
) -> tuple[Any, Any, Any]:
    """One direction of a layer: the output at every step and the final states."""
    gates = len(RNN_MODES[mode].gates)
    zx = skip.repeat(1, 1, gates) if skip is not None else x @ own["weight_ih"].T
    zx = zx + own["bias_ih"]
    outputs: list[Any] = [None] * len(x)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        zh = h @ own["weight_hh"].T + own["bias_hh"]
        next_h, next_c = _CELLS[mode](zx[t], zh, h, c)
        if own["weight_hr"] is not None:
            next_h = next_h @ own["weight_hr"].T
        if valid is None:
            h, c, outputs[t] = next_h, next_c, next_h
            continue
        h, c = torch.where(valid[t], next_h, h), torch.where(valid[t], next_c, c)
        outputs[t] = torch.where(valid[t], next_h, torch.zeros_like(next_h))
    return torch.stack(outputs), h, c


def _lstm(zx: Any, zh: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = (zx + zh).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru(zx: Any, zh: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (xr, xz, xn), (hr, hz, hn) = zx.chunk(3, -1), zh.chunk(3, -1)
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
    return (1 - z) * n + z * h, c


def _tanh(zx: Any, zh: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return torch.tanh(zx + zh), c


def _relu(zx: Any, zh: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return torch.relu(zx + zh), c


_CELLS: Mapping[str, Callable[..., tuple[Any, Any]]] = {
    "lstm": _lstm,
    "gru": _gru,
    "rnn_tanh": _tanh,
    "rnn_relu": _relu,
}
