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

The output of the step before (h_before) is the layer's output, one row on, but the initial state at
the first step. Time is cut into blocks (`_blocks`), so that only one block's gate gradients are
there at a time; what each adds to dW, dR and dWp is added in the place where it belongs.

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
from rnn_compiler.lowering.add_product import add_product
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

SMALLEST_BLOCK = 1 << 16
"""Bytes of gates' gradients from which on a block of time is worth its own loop and products."""


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
            lengths = b.clamp(0, args["sequence_lengths"], T)
            b.step("n = max(lengths)")  # as int32: IREE 3.13 fails on int64 for GPUs
            steps = Steps(T, lengths.max(0).to("int64"), lengths.to("int64"))
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
    b.step("params_backprop = 0")
    params = b.full(0, (layout.size,), net.compute)
    biases: list[tuple[int, Value]] = []
    states: dict[str, list[tuple[int, Value]]] = {name: [] for name in initial}
    dy = net.swap(args["output_backprop"])
    for layer in reversed(range(L)):
        if layer == 0:
            x = net.steps.where_valid(b, net.swap(args["input"]))
        else:
            x = outputs[layer - 1]
            x = net.times_mask(x, masks[layer - 1]) if masks else x
        pseudo_layers = net.layer(layer)
        first = [net.state(initial, index) for index, _ in pseudo_layers]
        gradient = _LayerGradient(net, pseudo_layers, dy, x, outputs[layer], first)
        last = [net.state(upstream, index, "d") for index, _ in pseudo_layers]
        params, own, dx, last = gradient.emit(params, last)
        biases += own
        for (index, _), state in zip(pseudo_layers, last, strict=True):
            for name in initial:
                part = state["d" + name].to(net.storage)
                states[name].append((index * math.prod(part.shape), part))
        dy = dx.to(net.storage)
        if layer and masks:
            dy = net.times_mask(dy, masks[layer - 1])
    b.step("params_backprop = all matrices, then all biases")
    for offset, value in biases:
        params = params.with_part(offset, value)
    results = {
        "input": net.steps.where_valid(b, dy),
        "params": params.to(net.storage),
        "input_c": b.constant(0, net.storage),
    }
    for name, value in initial.items():
        b.step(f"input_{name}_backprop = of all pseudo-layers")
        flat = b.assemble(states[name], math.prod(value.shape))
        results[f"input_{name}"] = flat.reshape(*value.shape)
    return [net.swap(results[result.name.removesuffix("_backprop")]) for result in spec.results]


@dataclass(frozen=True)
class _LayerGradient:
    """The gradient of one layer, a block of time after the other, its directions side by side.

    Attributes:
        net: The network.
        pseudo_layers: The layer's, with their numbers.
        dy: Gradient of the layer's output, ``[T, B, D*h]``.
        x: The layer's input, ``[T, B, in]``.
        y: The layer's output, ``[T, B, D*h]``.
        initial: The state before the first step, by name, of each direction.
    """

    net: _Network
    pseudo_layers: Sequence[tuple[int, PseudoLayer]]
    dy: Value
    x: Value
    y: Value
    initial: Sequence[Values]

    def emit(
        self, params: Value, states: Sequence[Values]
    ) -> tuple[Value, list[tuple[int, Value]], Value, Sequence[Values]]:
        """Emits all of it.

        Args:
            params: The gradient of all parameters so far; 0 where this layer's are.
            states: The gradient of the state after the last step, of each direction.

        Returns:
            The gradient of all parameters but the biases; this layer's of those, with their places;
            that of the layer's input, ``[T, B, in]``; that of the state before the first step, of
            each direction.
        """
        net, b = self.net, self.net.b
        T, B, width = self.x.shape
        blocks = _blocks(net)
        kept: dict[tuple[str, int], Value] = {}
        for each in self._directions:
            b.step("dx = 0")
            kept["dx", each.direction] = b.full(0, (T * B * width,), net.compute)
        for number in range(len(blocks)):
            own = [blocks[number if each.direction else -1 - number] for each in self._directions]
            loops = list(map(self._loop, self._directions, own, states))
            states = [
                {name: loop[name] for name in state}
                for loop, state in zip(loops, states, strict=True)
            ]
            for each, block, loop in zip(self._directions, own, loops, strict=True):
                start, direction = block.start * B * width, each.direction
                share = self._input_gradient(each, loop["dx_gates"]).flat()
                b.step("dx = of all blocks")
                whole = len(blocks) == 1
                dx = share if whole else kept["dx", direction].with_part(start, share)
                kept["dx", direction] = dx
                params = self._matrices(params, each, block, loop)
                for key, gates in (("dbW", "dx_gates"), ("dbR", "dr_gates")):
                    b.step(f"{key} += sum({gates})")
                    rows = loop.get(gates, loop["dx_gates"]).to(net.compute)
                    new = rows.reshape(len(block) * B, rows.shape[2]).sum(0)
                    before = kept.get((key, direction))
                    kept[key, direction] = new if before is None else before + new
            if len(blocks) > 1:
                b.step("only now what follows")
                made = [(params, each.recurrent.offset) for each in self._directions]
                made += [
                    (kept["dx", each.direction], block.start * B * width)
                    for each, block in zip(self._directions, own, strict=True)
                    if width
                ]
                done = [value.slice(0, place, place + 1) for value, place in made]
                later = b.after(done, [*kept.values(), *(v for s in states for v in s.values())])
                kept = dict(zip(kept, later, strict=False))
                left = iter(later[len(kept) :])
                states = [{name: next(left) for name in state} for state in states]
        biases: list[tuple[int, Value]] = []
        for each in self._directions:
            biases.append((each.input_bias.offset, kept["dbW", each.direction]))
            biases.append((each.recurrent_bias.offset, kept["dbR", each.direction]))
        b.step("dx = sum over directions")
        dx, *others = (kept["dx", each.direction] for each in self._directions)
        for other in others:
            dx += other
        return params, biases, dx.reshape(T, B, width), states

    @property
    def _directions(self) -> list[PseudoLayer]:
        return [each for _, each in self.pseudo_layers]

    def _saved(self, each: PseudoLayer) -> Value | None:
        """The activations that the forward pass saved."""
        number = next(number for number, other in self.pseudo_layers if other is each)
        block = self.net.reserve.activations[number]
        return self.net.part("reserve_space", block) if block.size else None

    def _loop(self, each: PseudoLayer, block: range, state: Values) -> dict[str, Value]:
        """The backward loop of a direction over a block of time."""
        return self.net.recurrence(each).backward(
            self.dy,
            self.y,
            each.direction * self.net.layout.hidden_size,
            self._saved(each),
            self.initial[each.direction],
            state,
            block,
        )

    def _input_gradient(self, each: PseudoLayer, dx_gates: Value) -> Value:
        """The share of a direction and block in the input's gradient, ``[n, B, in]``."""
        net, b = self.net, self.net.b
        T, B, rows = dx_gates.shape
        if net.skips(each):
            b.step("dx = sum over gates")
            gates = len(net.layout.gates)
            return dx_gates.to(net.compute).reshape(T, B, gates, rows // gates).sum(2)
        W = net.part("params", each.input)
        b.step("dx = dx_gates @ W")
        flat = dx_gates.reshape(T * B, rows)
        return flat.dot(W, (1, 0), net.compute).reshape(T, B, W.shape[1])

    def _matrices(self, params: Value, each: PseudoLayer, block: range, loop: Values) -> Value:
        """The gradient of all parameters with a block's share of that of the matrices added."""
        net, b, saved = self.net, self.net.b, self._saved(each)
        dx_gates = loop["dx_gates"]
        parts: list[tuple[Block, Value, Value]] = []
        if not net.skips(each):
            x = self.x.slice(0, block.start, block.stop)
            parts.append((each.input, dx_gates, x))
        dr_gates = loop.get("dr_gates", dx_gates)
        parts.append((each.recurrent, dr_gates, self._output_before(each, block)))
        if each.projection is not None and saved is not None:
            b.step("m = o * tanh(c)")
            rows = saved.slice(0, block.start, block.stop)
            m = lstm_recurrence.output(b, rows.to(net.compute)).to(net.storage)
            m = net.steps.where_valid(b, m, block)
            parts.append((each.projection, loop["dh_rows"], m))
        for place, lhs, rhs in parts:
            b.step("params_backprop += dW = dx_gates^T @ x, dR = dr_gates^T @ h_before, dWp")
            params = add_product(b, params, place.offset, lhs, rhs)
        return params

    def _output_before(self, each: PseudoLayer, block: range) -> Value:
        """The output before each step of a block, ``[n, B, h]``: the initial state, or a row of y.

        Row t is row t-1 of the output, or row t+1 of the backward direction's, which is 0 past each
        sequence's end: there its first step is.
        """
        net, b, h = self.net, self.net.b, self.net.layout.hidden_size
        T, direction = self.y.shape[0], each.direction
        y = self.y.slice(2, direction * h, (direction + 1) * h)
        first = self.initial[direction]["h"]
        first = first.reshape(1, *first.shape)
        b.step("h_before = y[t-1], the initial state at the first step")
        if direction == 0:
            if block.start:
                return y.slice(0, block.start - 1, block.stop - 1)
            return b.concatenate([first, y.slice(0, 0, block.stop - 1)], 0)
        if block.stop < T:
            before = y.slice(0, block.start + 1, block.stop + 1)
        else:
            before = b.concatenate([y.slice(0, block.start + 1, T), first], 0)
        if net.steps.lengths is None:
            return before
        t = b.iota((len(block), *before.shape[1:2]), 0) + block.start
        is_first = t.compare("EQ", net.steps.lengths - 1).broadcast_in_dim(before.shape, (0, 1))
        return b.select(is_first, first.broadcast_to(before.shape), before)


def _blocks(net: _Network) -> list[range]:
    """The blocks of time of the backward pass.

    The gates' gradients of a block are all that is kept of them at a time. They are the largest
    temporary by far: undivided, they alone would be almost half of what the op is given and
    returns. Four blocks or so, twice as many if a step has two sets of them; of equal length, if
    that can be, so that one loop serves all; a single one if there is little to save.
    """
    T = net.spec.dims["seq_length"]
    kinds = 2 if net.cell.splits_recurrent else 1
    itemsize = DTYPES[net.storage].numpy.itemsize
    matrix = net.layout.pseudo_layers[0].recurrent
    size = T * net.spec.dims["batch_size"] * matrix.shape[0] * kinds * itemsize
    count = max(1, min(4 * kinds, size // SMALLEST_BLOCK, T))
    if count > 1:
        near = sorted(range(count // 2 + 1, 2 * count), key=lambda n: abs(n - count))
        count = next((n for n in near if T % n == 0), count)
    length = -(-T // count)
    return [range(t, min(t + length, T)) for t in range(0, T, length)] or [range(0)]
