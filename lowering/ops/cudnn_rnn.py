"""CudnnRNN, V2, V3 and their gradients: stacked recurrent layers in one or two directions.

Layouts inside are time-major; `cudnn_signatures` has the ops' own, `cudnn_layout` that of the
parameters, `cudnn_reserve` that of `reserve_space`. Pseudo-layer ``pl = D*layer + direction``.

Forward, for each layer; x is the input, or the output of the layer below times its dropout mask:

    zx = x @ W^T, all steps in one product; with skip_input x itself for every gate
    y, h, c = the cell's recurrence over zx + biases, each direction on its own
    output = [forward | backward] along the last axis

Backward, from the top layer down, with dy the gradient of the layer's output; what the forward
saved is read, nothing is computed again but tanh(c):

    dx_gates, dr_gates, dh, dc = the recurrence's derivative, which keeps only the gate gradients
    dW = dx_gates^T @ x      dR = dr_gates^T @ h_before      dWp = dh^T @ m      dbW, dbR = sums
    dx = the sum over directions of dx_gates @ W, times the dropout mask of the layer below

The output of the step before (h_before) is the layer's output, one row on, so dR is a product of
two slices; the first step's share, from the initial state, is added to it.

Padding is left out by select, so NaN may be in padded rows of input and output_backprop.

Sources: tensorflow/core/kernels/cudnn_rnn_ops.cc; cuDNN's developer guide (cudnnRNNMode_t,
cudnnSetRNNDescriptor_v8) for the cells' equations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.cudnn_layout import Block, Layout, PseudoLayer
from rnn_compiler.dtypes import DTYPES
from rnn_compiler.lowering.ops import lstm_recurrence
from rnn_compiler.lowering.ops.cudnn_reserve import CELLS, ReserveLayout
from rnn_compiler.lowering.ops.cudnn_signatures import reserve_of
from rnn_compiler.lowering.ops.dropout import dropout_mask
from rnn_compiler.lowering.ops.recurrence import Cell, Recurrence, Steps
from rnn_compiler.lowering.time_loop import Values

if TYPE_CHECKING:
    from rnn_compiler.lowering.hlo import Builder, Value
    from rnn_compiler.manifest import FunctionSpec

__all__ = ["backward", "forward"]


@dataclass(frozen=True)
class _Network:
    """What forward and backward share: sizes, layouts, and the parts of the arguments."""

    b: Builder
    spec: FunctionSpec
    args: Values
    reserve: ReserveLayout
    steps: Steps

    @staticmethod
    def of(b: Builder, spec: FunctionSpec, args: Values) -> _Network:
        T = spec.dims["seq_length"]
        if "sequence_lengths" not in args:
            b.step("n = T")
            steps = Steps(T, b.constant(T, "int64"), None)
        else:
            b.step("lengths = min(max(sequence_lengths, 0), T)")
            lengths = b.clamp(0, args["sequence_lengths"].to("int64"), T)
            b.step("n = max(lengths)")
            steps = Steps(T, lengths.max(0), lengths)
        reserve = reserve_of(spec.op, {**spec.attributes, **spec.dims})
        return _Network(b, spec, args, reserve, steps)

    @property
    def storage(self) -> str:
        return self.spec.dtype

    @property
    def compute(self) -> str:
        return DTYPES[self.spec.dtype].compute

    @property
    def layout(self) -> Layout:
        return self.reserve.layout

    @property
    def cell(self) -> Cell:
        return CELLS[self.layout.rnn_mode]

    def layer(self, layer: int) -> Sequence[tuple[int, PseudoLayer]]:
        """The pseudo-layers of a layer, with their numbers."""
        D = self.layout.num_directions
        return list(enumerate(self.layout.pseudo_layers))[layer * D : (layer + 1) * D]

    def swap(self, value: Value) -> Value:
        """Between the caller's order of the first two axes and time-major."""
        if self.spec.attributes.get("time_major", True) or len(value.shape) < 3:
            return value
        self.b.step("time_major = first two axes swapped")
        return value.transpose(1, 0, 2)

    def part(self, buffer: str, block: Block) -> Value:
        """A block of `params` or `reserve_space`."""
        self.b.step(f"{buffer} = {list(block.shape)} at {block.offset}")
        return self.args[buffer].slice(0, block.offset, block.stop).reshape(*block.shape)

    def states(self, suffix: str) -> dict[str, Value]:
        """All initial states, or gradients of all final ones, by the name of the state."""
        names = ("h", "c") if self.cell.has_cell_state else ("h",)
        side = "output" if suffix else "input"
        return {name: self.swap(self.args[f"{side}_{name}{suffix}"]) for name in names}

    def state(self, states: Values, index: int, prefix: str = "") -> dict[str, Value]:
        """Those of one pseudo-layer."""
        rows: dict[str, Value] = {}
        for name, value in states.items():
            self.b.step(f"{prefix}{name} = of pseudo-layer {index}")
            rows[prefix + name] = value.slice(0, index, index + 1).reshape(*value.shape[1:])
        return rows

    def recurrence(self, pseudo_layer: PseudoLayer) -> Recurrence:
        projection = pseudo_layer.projection
        return Recurrence(
            self.b,
            self.cell,
            self.storage,
            self.steps,
            reverse=pseudo_layer.direction == 1,
            recurrent=self.part("params", pseudo_layer.recurrent),
            projection=None if projection is None else self.part("params", projection),
        )

    def times_mask(self, value: Value, mask: Value) -> Value:
        """What dropout lets through, of a layer's output or of its gradient."""
        self.b.step("x = y * mask")
        return (value.to(self.compute) * mask.to(self.compute)).to(self.storage)

    def skips(self, pseudo_layer: PseudoLayer) -> bool:
        return pseudo_layer.layer == 0 and self.layout.skips_input


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a forward op."""
    net = _Network.of(b, spec, args)
    reserve, storage = net.reserve, net.storage
    training = bool(spec.attributes["is_training"])
    masks: Sequence[Value] = []
    kept: list[tuple[int, Value]] = []
    if training and reserve.has_mask:
        mask = dropout_mask(b, args, reserve.dropout, reserve.mask.shape, storage)
        kept.append((reserve.mask.offset, mask))
        b.step("mask = of each boundary between layers")
        masks = [each.reshape(*each.shape[1:]) for each in mask.split(0, mask.shape[0])]
    initial = net.states("")
    final: dict[str, list[Value]] = {"h": [], "c": []}
    x = net.swap(args["input"])
    for layer in range(net.layout.num_layers):
        outputs: list[Value] = []
        for index, each in net.layer(layer):
            zx, biases = _input_projection(net, each, x)
            state = net.state(initial, index)
            results = net.recurrence(each).forward(zx, biases, state, training=training)
            outputs.append(results["y"])
            if "activations" in results:
                kept.append((reserve.activations[index].offset, results["activations"]))
            for name in state:
                b.step(f"output_{name} = of pseudo-layer {index}")
                final[name].append(results[name].reshape(1, *results[name].shape))
        b.step("output = [forward, backward]")
        x = b.concatenate(outputs, 2)
        if layer < net.layout.num_layers - 1:
            kept.append((reserve.outputs[layer].offset, x))
            x = net.times_mask(x, masks[layer]) if masks else x
    b.step("output_h = of all pseudo-layers")
    results = {"output": x, "output_h": b.concatenate(final["h"], 0)}
    b.step("output_c = of all pseudo-layers")
    zero = b.constant(0, storage)
    results["output_c"] = b.concatenate(final["c"], 0) if final["c"] else zero
    results = {name: net.swap(value) for name, value in results.items()}
    b.step("reserve_space = mask, layer outputs, activations")
    results["reserve_space"] = b.assemble(kept, reserve.size) if training else zero
    if "host_reserved" in [result.name for result in spec.results]:
        b.step("host_reserved = 0")
        results["host_reserved"] = b.full(0, spec.results[-1].shape, "int8")
    return [results[result.name] for result in spec.results]


def _input_projection(net: _Network, pseudo_layer: PseudoLayer, x: Value) -> tuple[Value, Values]:
    """The gates' input side for all steps, and the biases: ``b``, and what else the cell adds."""
    b = net.b
    T, B, width = x.shape
    bW = net.part("params", pseudo_layer.input_bias).to(net.compute)
    bR = net.part("params", pseudo_layer.recurrent_bias).to(net.compute)
    bias, biases = net.cell.biases(b, bW, bR)
    biases = {"b": bias, **biases}
    if net.skips(pseudo_layer):
        b.step("zx = [x, ..]")
        return b.concatenate([x.to(net.compute)] * len(net.layout.gates), 2), biases
    W = net.part("params", pseudo_layer.input)
    b.step("zx = x @ W^T")
    zx = x.reshape(T * B, width).dot(W, (1, 1), net.compute)
    return zx.reshape(T, B, W.shape[0]), biases


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a gradient op."""
    net = _Network.of(b, spec, args)
    layout, reserve = net.layout, net.reserve
    L = layout.num_layers
    initial, upstream = net.states(""), net.states("_backprop")
    upstream = {name: value.to(net.compute) for name, value in upstream.items()}
    outputs = [net.part("reserve_space", block) for block in reserve.outputs]
    outputs.append(net.steps.where_valid(b, net.swap(args["output"])))
    masks: Sequence[Value] = []
    if reserve.has_mask:
        mask = reserve.mask
        size = mask.size // (L - 1)
        blocks = [Block(k * size, mask.shape[1:]) for k in range(L - 1)]
        masks = [net.part("reserve_space", block) for block in blocks]
    params: list[tuple[int, Value]] = []
    states: dict[str, list[tuple[int, Value]]] = {name: [] for name in initial}
    dy = net.swap(args["output_backprop"])
    for layer in reversed(range(L)):
        if layer == 0:
            x = net.steps.where_valid(b, net.swap(args["input"]))
        else:
            x = outputs[layer - 1]
            x = net.times_mask(x, masks[layer - 1]) if masks else x
        dx: Value | None = None
        for index, each in net.layer(layer):
            block = reserve.activations[index]
            saved = net.part("reserve_space", block) if block.size else None
            recurrence = net.recurrence(each)
            first = net.state(initial, index)
            loop = recurrence.backward(
                dy,
                outputs[layer],
                each.direction * layout.hidden_size,
                saved,
                first,
                net.state(upstream, index, "d"),
            )
            for name, value in first.items():
                part = loop["d" + name].to(net.storage)
                states[name].append((index * math.prod(value.shape), part))
            params += _parameter_gradients(net, each, loop, x, outputs[layer], saved, first["h"])
            share = _input_gradient(net, each, loop["dx_gates"])
            b.step("dx = sum over directions")
            dx = share if dx is None else dx + share
        assert dx is not None
        dy = dx.to(net.storage)
        if layer and masks:
            dy = net.times_mask(dy, masks[layer - 1])
    b.step("params_backprop = all matrices, then all biases")
    gradients = {
        "input": net.steps.where_valid(b, dy),
        "params": b.assemble(params, layout.size),
        "input_c": b.constant(0, net.storage),
    }
    for name, value in initial.items():
        b.step(f"input_{name}_backprop = of all pseudo-layers")
        flat = b.assemble(states[name], math.prod(value.shape))
        gradients[f"input_{name}"] = flat.reshape(*value.shape)
    return [net.swap(gradients[result.name.removesuffix("_backprop")]) for result in spec.results]


def _input_gradient(net: _Network, pseudo_layer: PseudoLayer, dx_gates: Value) -> Value:
    """This direction's share of the gradient of the layer's input, ``[T, B, in]``."""
    b = net.b
    T, B, rows = dx_gates.shape
    if net.skips(pseudo_layer):
        b.step("dx = sum over gates")
        gates = len(net.layout.gates)
        return dx_gates.to(net.compute).reshape(T, B, gates, rows // gates).sum(2)
    W = net.part("params", pseudo_layer.input)
    b.step("dx = dx_gates @ W")
    flat = dx_gates.reshape(T * B, rows)
    return flat.dot(W, (1, 0), net.compute).reshape(T, B, W.shape[1])


def _parameter_gradients(
    net: _Network,
    pseudo_layer: PseudoLayer,
    loop: Values,
    x: Value,
    y: Value,
    activations: Value | None,
    first: Value,
) -> list[tuple[int, Value]]:
    """The gradients of a pseudo-layer's matrices and biases, with their places in the buffer."""
    b, compute = net.b, net.compute
    dx_gates = loop["dx_gates"]
    dr_gates = loop.get("dr_gates", dx_gates)
    T, B, rows = dx_gates.shape
    parts: list[tuple[Block, Value]] = []
    if not net.skips(pseudo_layer):
        b.step("dW = dx_gates^T @ x")
        parts.append((pseudo_layer.input, _product(dx_gates, x, compute)))
    b.step("dR = dr_gates^T @ h_before")
    dR = _recurrent_gradient(net, pseudo_layer, dr_gates, y, first)
    parts.append((pseudo_layer.recurrent, dR))
    if pseudo_layer.projection is not None and activations is not None:
        m = lstm_recurrence.output(b, activations.to(compute))
        m = net.steps.where_valid(b, m.to(net.storage))
        b.step("dWp = dh^T @ m")
        parts.append((pseudo_layer.projection, _product(loop["dh_rows"], m, compute)))
    b.step("dbW = sum(dx_gates)")
    dbW = dx_gates.to(compute).reshape(T * B, rows).sum(0)
    b.step("dbR = sum(dr_gates)")
    dbR = dbW if dr_gates is dx_gates else dr_gates.to(compute).reshape(T * B, rows).sum(0)
    parts += [(pseudo_layer.input_bias, dbW), (pseudo_layer.recurrent_bias, dbR)]
    return [(block.offset, value.to(net.storage)) for block, value in parts]


def _recurrent_gradient(
    net: _Network, pseudo_layer: PseudoLayer, dr_gates: Value, y: Value, first: Value
) -> Value:
    """``dr_gates^T @ h_before``, where h_before is the initial state at each row's first step.

    Row t of dr_gates meets row t-1 of the output, or row t+1 of the backward direction's, which is
    0 past the end: there the backward direction's first step is.
    """
    b, compute = net.b, net.compute
    T = dr_gates.shape[0]
    h = net.layout.hidden_size
    y = y.slice(2, pseudo_layer.direction * h, (pseudo_layer.direction + 1) * h)
    if pseudo_layer.direction == 0:
        at_first = dr_gates.slice(0, 0, 1)
        later, before = dr_gates.slice(0, 1, T), y.slice(0, 0, T - 1)
    else:
        at_first = dr_gates.slice(0, T - 1, T)
        later, before = dr_gates.slice(0, 0, T - 1), y.slice(0, 1, T)
        if net.steps.lengths is not None:
            is_first = b.iota(dr_gates.shape[:2], 0).compare("EQ", net.steps.lengths - 1)
            mask = is_first.broadcast_in_dim(dr_gates.shape, (0, 1))
            rows = b.select(mask, dr_gates, b.full(0, dr_gates.shape, dr_gates.dtype))
            at_first = rows.to(compute).sum(0).to(net.storage).reshape(1, *rows.shape[1:])
    share = _product(at_first, first.reshape(1, *first.shape), compute)
    return share if T == 1 else _product(later, before, compute) + share


def _product(lhs: Value, rhs: Value, dtype: str) -> Value:
    """``lhs^T @ rhs`` over all steps and rows, of ``[T, B, M]`` and ``[T, B, N]``."""
    T, B, M = lhs.shape
    return lhs.reshape(T * B, M).dot(rhs.reshape(T * B, rhs.shape[2]), (0, 0), dtype)
