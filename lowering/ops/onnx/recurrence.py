"""ONNX's LSTM, GRU and RNN: a layer in one or two directions, and its gradient.

`signatures` has layouts and inputs, `cells` what the attributes ask for, `ops.cells` the formulas
of a step. For each direction, X the input and h, c its initial states:

    zx = X @ W^T, all steps in one product
    Y, Y_h, Y_c = the cell's `Direction` over zx + biases

With a cell of cuDNN's this is a layer of CudnnRNN in another order of gates, with the same bits.
Padding may hold NaN.

Source: the ONNX specification of the operators (https://onnx.ai/onnx/operators). Where it leaves
something open, docs/onnx_ops.md says what is done and what ONNX Runtime does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.products import Products
from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.onnx.layer import OnnxLayer

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value
    from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["forward"]


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a forward op."""
    layer = OnnxLayer.of(b, spec, args)
    training = bool(spec.attributes["is_training"])
    x = layer.time_major(args["X"])
    made: dict[str, list[Value]] = {}
    saved: list[tuple[int, Value]] = []
    for place, cell in enumerate(layer.cells):
        W = layer.part("W", place)
        b.formula("zx = X @ W^T")
        zx = Products(b, lengths=layer.steps.lengths).rows(x, W, 1, layer.compute)
        bias, biases = cell.biases(b, *layer.biases(place))
        results = layer.direction(place).forward(
            zx, {"b": bias, **biases}, layer.state(place), training=training
        )
        b.formula(f"Y = of direction {place}")
        T, B, H = results["y"].shape
        made.setdefault("Y", []).append(results["y"].reshape(T, 1, B, H))
        for name in ("h", "c") if cell.has_cell_state else ("h",):
            b.formula(f"Y_{name} = of direction {place}")
            made.setdefault(f"Y_{name}", []).append(results[name].reshape(1, B, H))
        if "activations" in results:
            saved.append((place, results["activations"]))
    values: dict[str, Value] = {}
    for name in ("Y", "Y_h", "Y_c"):
        if name in made:
            b.formula(f"{name} = of all directions")
            values[name] = layer.as_laid_out(b.concatenate(made[name], int(name == "Y")))
    if training:
        b.formula("reserve_space = of all directions")
        shape = spec.results[-1].shape
        size = math.prod(shape[1:])
        parts = [(place * size, value) for place, value in saved]
        values["reserve_space"] = b.assemble(parts, math.prod(shape)).reshape(*shape)
    return [values[result.name] for result in spec.results]
