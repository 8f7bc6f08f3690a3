"""ONNX's LSTM, GRU and RNN: a layer in one or two directions, and its gradient.

`signatures` describes layouts and inputs, `cells` interprets the attributes, `ops.cells` has the
formulas of a step. For each direction, with the input X and its initial states h, c:

    zx = X @ W^T, all steps in one product
    Y, Y_h, Y_c = the cell's `Direction` over zx + biases

Backward, the gradient of a layer (`ops.layers.gradient`), from Y and the saved values:

    dx_gates, initial_h_grad, initial_c_grad, P_grad = the derivative of the recurrence
    X_grad = dx_gates @ W    W_grad = dx_gates^T @ X    R_grad = dr_gates^T @ previous H
    B_grad = sums of dx_gates and dr_gates

With one of cuDNN's cells this is a layer of CudnnRNN with its gates in another order, and gives the
same bits. Padding may hold NaN.

Source: the ONNX specification of the operators (https://onnx.ai/onnx/operators). docs/onnx_ops.md
describes how ambiguities are resolved, and what ONNX Runtime does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.products import Products
from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.layers.gradient import DirectionGradient, add_blocks, input_gradient
from rnn_compiler.lowering.ops.onnx.layer import PEEPHOLES, OnnxLayer
from rnn_compiler.schema.open_sizes import static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a forward op."""
    layer = OnnxLayer.of(b, spec, args)
    training = bool(spec.attributes["is_training"])
    x = layer.time_major(args["X"])
    made: dict[str, list[Value]] = {}
    saved: list[tuple[int, Value]] = []
    for index, (cell, direction) in enumerate(zip(layer.cells, layer.pseudo_layers, strict=True)):
        W = layer.input_weights(direction)
        b.formula("zx = X @ W^T")
        zx = Products(b, lengths=layer.steps.lengths).rows(x, W, 1, layer.spec.compute)
        bias, biases = cell.biases(b, *layer.biases(index))
        results = layer.direction(direction).forward(
            zx, {"b": bias, **biases}, layer.state(index), training=training
        )
        b.formula(f"Y = of direction {index}")
        T, B, H = results["y"].shape
        made.setdefault("Y", []).append(results["y"].reshape(T, 1, B, H))
        for name in ("h", "c") if cell.has_cell_state else ("h",):
            b.formula(f"Y_{name} = of direction {index}")
            made.setdefault(f"Y_{name}", []).append(results[name].reshape(1, B, H))
        if "activations" in results:
            saved.append((index, results["activations"]))
    values: dict[str, Value] = {}
    for name in ("Y", "Y_h", "Y_c"):
        if name in made:
            b.formula(f"{name} = of all directions")
            values[name] = layer.as_laid_out(b.concatenate(made[name], int(name == "Y")))
    if training:
        b.formula("reserve_space = of all directions")
        shape = spec.results[-1].shape
        size = math.prod(shape[1:])
        parts = [(index * size, value) for index, value in saved]
        values["reserve_space"] = b.assemble(parts, math.prod(shape)).reshape(*shape)
    return [values[result.name] for result in spec.results]


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a gradient op."""
    layer = OnnxLayer.of(b, spec, args)
    x = layer.steps.where_valid(b, layer.time_major(args["X"]))
    Y, Y_grad = (layer.time_major(args[name]) for name in ("Y", "Y_grad"))
    directions: list[DirectionGradient] = []
    for index, pseudo_layer in enumerate(layer.pseudo_layers):
        cell = layer.cells[index]
        y = layer.steps.where_valid(b, layer.part_of(Y, "Y", index, 1))
        if layer.num_directions > 1 and not spec.open_dims:  # one copy, not one for each block
            (y,) = b.after([], [y])
        dy = layer.part_of(Y_grad, "Y_grad", index, 1)
        saved = layer.part("reserve_space", index) if cell.saved else None
        each = DirectionGradient(layer, pseudo_layer, dy, x, y, 0, saved, layer.state(index))
        upstream: dict[str, Value] = {}
        for name in ("h", "c") if cell.has_cell_state else ("h",):
            whole = layer.time_major(args[f"Y_{name}_grad"])
            upstream[f"d{name}"] = layer.part_of(whole, f"d{name}", index).to(layer.spec.compute)
        each.start(upstream)
        directions.append(each)
    b.formula("parameters_grad = 0")
    size = layer.pseudo_layers[-1].recurrent_bias.stop
    parameters = add_blocks(directions, b.full(0, (size,), layer.spec.compute))
    b.formula("parameters_grad = W_grad, R_grad, B_grad")
    for each in directions:
        for offset, value in each.pending:
            parameters = parameters.with_part(offset, value.flat())
    results: dict[str, Value] = {}
    offset = 0
    for name in ("W", "R", "B"):
        b.formula(f"{name}_grad = of all directions")
        rows = layer.gate_rows
        shape = args[name].shape if name in args else (layer.num_directions, 2 * rows)
        sizes = [static_size(each) for each in shape]
        part = parameters.slice(0, offset, offset + math.prod(sizes))
        results[f"{name}_grad"] = part.reshape(*sizes)
        offset += math.prod(sizes)
    dx = input_gradient(directions).to(layer.spec.dtype)
    results["X_grad"] = layer.as_laid_out(layer.steps.where_valid(b, dx))
    for name in ("h", "c"):
        b.formula(f"initial_{name}_grad = of all directions")
        parts = [each.initial_state(name) for each in directions if f"d{name}" in each.sums]
        if parts:
            stacked = b.concatenate([part.reshape(1, *part.shape) for part in parts], 0)
            results[f"initial_{name}_grad"] = layer.as_laid_out(stacked.to(layer.spec.dtype))
    if "P" in args:
        b.formula("P_grad = sums over rows")
        rows = [
            b.concatenate([each.sums[f"d_{name}"].sum(0) for name in PEEPHOLES], 0)
            for each in directions
        ]
        results["P_grad"] = b.concatenate([row.reshape(1, *row.shape) for row in rows], 0)
    return [results[result.name].to(result.dtype) for result in spec.results]
