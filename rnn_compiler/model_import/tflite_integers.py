"""Imports TensorFlow Lite's LSTM with all values in integers, as IntegerLSTM.

x and h are int8 with a scale and a zero point, c is int16, whose scale is a power of two, and
biases are int32. The interpreter multiplies scales in float32 before it makes integers of them.
The scale of o * tanh(c) is that of the fifth intermediate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.lowering.ops.integer_lstm import GATES
from rnn_compiler.model_import.layer import STREAMED, Layer
from rnn_compiler.model_import.reading import damaged
from rnn_compiler.model_import.tflite_layers import RefusedLayerError
from rnn_compiler.model_import.tflite_reader import Operator, Tensor, TfliteFile

_CELL = 4
"""The number of the intermediate that has the scale of o * tanh(c)."""

_FLOATS = (
    "which are not imported in integers: convert the model without a representative dataset, and "
    "quantize its weights here (--quantize int8)"
)


def integer_lstm(
    file: TfliteFile,
    op: Operator,
    slots: Mapping[str, Tensor],
    options: Mapping[str, Any],
    dims: Mapping[str, int | None],
    notes: Sequence[str],
) -> Layer:
    """The layer of one op, whose other features are checked."""
    f32: Any = np.float32
    i32: Any = np.int32
    _check_form(slots)
    if len(op.intermediates) <= _CELL:
        raise damaged(file.path, "an LSTM in integers has no intermediates")
    graph = next(each for each in file.graphs if op in each.ops)
    hidden = file.tensor(graph, op.intermediates[_CELL])
    x, h = slots["x"], slots["h"]
    scales = {name: _scale(file, name, tensor) for name, tensor in slots.items() if name[0] != "b"}
    output = _scale(file, "o * tanh(c)", hidden)
    bits = 15 + math.frexp(scales["c"])[1] - 1
    if math.frexp(scales["c"])[0] != 0.5 or not 0 <= bits <= 9:
        raise RefusedLayerError(f"a cell with the scale {scales['c']:g}, no power of two", _FLOATS)
    if _zero(hidden) != _zero(h):
        raise RefusedLayerError("an output and a state with several zero points", _FLOATS)
    arrays: dict[str, Any] = {name: file.array(slots[name]) for name in _shapes(file, slots)}

    def columns(kind: str) -> Any:
        return np.concatenate([arrays[f"{kind}_{gate}"].T for gate in GATES], -1)

    w, r, bias = columns("w"), columns("r"), columns("b")
    clip = float(f32(options["cell_clip"]) / f32(scales["c"]))

    def effective(kind: str, of: float) -> str:
        """The scales of the gates' sums, as products of float32."""
        factor = f32(2**12)
        return " ".join(str(f32(scales[f"{kind}_{gate}"]) * f32(of) * factor) for gate in GATES)

    return Layer(
        "lstm",
        "IntegerLSTM",
        {
            "input_scales": effective("w", scales["x"]),
            "state_scales": effective("r", scales["h"]),
            "output_scale": float(f32(2.0**-30 / output)),
            "zero_point": _zero(h),
            "cell_bits": bits,
            "cell_clip": int(min(max(clip, 0), 32767)),
        },
        {**dims, "input_size": len(w), "num_units": len(r)},
        "int8",
        {
            **{"w": w, "r": r},
            "b_x": bias - i32(_zero(x)) * w.sum(0, dtype=i32),
            "b_h": -i32(_zero(h)) * r.sum(0, dtype=i32),
        },
        (
            *notes,
            f"x is int8: the real number is (x - ({_zero(x)})) * {scales['x']:.9g}",
            f"h is int8: the real number is (h - ({_zero(h)})) * {scales['h']:.9g}",
            "h_prev is h less its zero point, so 0 before the first step",
            "in TensorFlow Lite, h_last and c_last of a call are h_prev and c_prev of the next "
            f"one{STREAMED}",
        ),
    )


def _check_form(slots: Mapping[str, Tensor]) -> None:
    """Raises a refusal for features of the integer kernel that the op does not have."""
    if "p_f" in slots or "projection" in slots or "w_i" not in slots:
        raise RefusedLayerError("peepholes, a projection or no input gate, in integers", _FLOATS)
    for name, dtype in (("h", "int8"), ("c", "int16")):
        if slots[name].dtype != dtype:
            reason = f"{slots[name].dtype} as the type of its state {name}, in integers"
            raise RefusedLayerError(reason, _FLOATS)


def _shapes(file: TfliteFile, slots: Mapping[str, Tensor]) -> list[str]:
    """The names of the weights, whose shapes and types are checked."""
    units = slots["r_o"].shape[0] if slots["r_o"].shape else 0
    features = slots["w_o"].shape[-1] if slots["w_o"].shape else 0
    shapes = {
        **{f"w_{gate}": ("int8", (units, features)) for gate in GATES},
        **{f"r_{gate}": ("int8", (units, units)) for gate in GATES},
        **{f"b_{gate}": ("int32", (units,)) for gate in GATES},
    }
    for name, (dtype, shape) in shapes.items():
        tensor = slots.get(name)
        if tensor is None or not tensor.size or tensor.is_variable or tensor.is_sparse:
            raise damaged(file.path, f"an LSTM in integers has no {name}")
        if (tensor.dtype, tensor.shape) != (dtype, shape) or 0 in shape or any(tensor.zero):
            got = f"{tensor.dtype} {list(tensor.shape)}"
            raise damaged(file.path, f"{name} of an LSTM is {got}, not {dtype} {list(shape)}")
    return [*shapes]


def _scale(file: TfliteFile, name: str, tensor: Tensor) -> float:
    """The one scale of a tensor."""
    if len(tensor.scale) != 1 or not 0 < tensor.scale[0] < math.inf:
        raise damaged(file.path, f"{name} of an LSTM in integers has no single scale above 0")
    return float(tensor.scale[0])


def _zero(tensor: Tensor) -> int:
    """The zero point of a tensor."""
    return tensor.zero[0] if tensor.zero else 0
