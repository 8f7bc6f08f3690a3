"""The gradient of one layer of CudnnRNN or of ONNX's ops, one block of time after the other.

For each direction, with dy the gradient of the layer's output y and x its input:

    dx_gates, dr_gates, dh, dc = the derivative of the recurrence; only gate gradients are stored
    dW += dx_gates^T @ x     dR += dr_gates^T @ h_before     dWp += dh^T @ m     dbW, dbR += sums
    dx = dx_gates @ W

The previous output (h_before) is the layer's output shifted by one row, with the initial state at
the first step. Only one block's gradients of the gates are in memory at a time: their products are
added to dW, dR and dWp in place, and the next block waits for that.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.products import Factors, Products, plain_outer_sum
from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.valid_steps import TimeBlock
from rnn_compiler.lowering.ops.layers.blocks_of_time import blocks_of_time, from_the_end
from rnn_compiler.lowering.ops.layers.layers import RecurrentOp
from rnn_compiler.schema.cudnn_layout import PseudoLayer
from rnn_compiler.schema.open_sizes import Size, static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Value


def add_blocks(directions: Sequence[DirectionGradient], params: Value) -> Value:
    """Emits the gradient of a layer, its directions side by side.

    The result is the gradient of all parameters, 0 at the layer's before, with the layer's
    matrices; the directions have the rest.
    """
    net = directions[0].net
    blocks = blocks_of_time(net)
    orders = [from_the_end(net, blocks) if each.forward else blocks for each in directions]
    count = len(blocks)
    for number in range(count):
        for each, order in zip(directions, orders, strict=True):
            each.run(order[number])
        for each in directions:
            params = each.multiply(params, whole=count == 1)
        if count > 1:
            net.b.formula("next block = after these products")
            done = [mark for each in directions for mark in each.marks(params)]
            sums_by_key = [(each.sums, key) for each in directions for key in each.sums]
            later = net.b.after(done, [sums[key] for sums, key in sums_by_key])
            for (sums, key), value in zip(sums_by_key, later, strict=True):
                sums[key] = value
    return params


def input_gradient(directions: Sequence[DirectionGradient]) -> Value:
    """Emits the gradient of the layer's input, in the compute type."""
    net, x = directions[0].net, directions[0].x
    net.b.formula("dx = sum over directions")
    total: Value = functools.reduce(operator.add, (each.sums["dx"] for each in directions))
    return total.reshape(*x.shape)


@dataclass
class DirectionGradient:
    """The gradient of one direction of a layer, which grows block by block.

    Attributes:
        column: The direction's first column in both.
        saved: The values that the forward pass saved, ``[T, B, kH]``; None if there are none.
        initial: The state before the first step, by name.
        sums: ``dx``, flat unless sizes are open, ``dbW`` and ``dbR``; ``dh`` and the other states
            that `start` began with, before the last block.
        parts: The gradients of the matrices, with their offsets, if there is a single block.
        states: The names of the states that one block passes to the next.
    """

    net: RecurrentOp
    pseudo_layer: PseudoLayer
    dy: Value
    x: Value
    y: Value
    column: int
    saved: Value | None
    initial: Values
    sums: dict[str, Value] = field(default_factory=lambda: {})
    parts: list[tuple[int, Value]] = field(default_factory=lambda: [])
    states: Sequence[str] = ()
    block: TimeBlock = field(default_factory=lambda: TimeBlock(0, 0))
    loop: Values = field(default_factory=lambda: {})

    @property
    def forward(self) -> bool:
        """Whether it is the forward direction, whose gradient runs backward."""
        return self.pseudo_layer.direction == 0

    @property
    def pending(self) -> list[tuple[int, Value]]:
        """The gradients of parameters that are not in the buffer yet, with their offsets.

        These are the biases and, if there is a single block, the matrices too, because nothing has
        to be added to them.
        """
        biases = {"dbW": self.pseudo_layer.input_bias, "dbR": self.pseudo_layer.recurrent_bias}
        return [*self.parts, *((block.offset, self.sums[key]) for key, block in biases.items())]

    def start(self, state: Values) -> None:
        """Begins with the gradient of the state after the last step.

        The other states of the loops begin with 0: the gradients of vectors, for each row of the
        batch, and the part of the gradient that does not pass through R (`Cell.is_direct_apart`).
        """
        T, B, width = self.x.shape
        b, direction = self.net.b, self.net.direction(self.pseudo_layer)
        b.formula("dp = 0")
        zero = b.full(0, state["dh"].shape, self.net.spec.compute)
        state = {**state, **dict.fromkeys(direction.more_states, zero)}
        self.sums, self.states = {**state}, [*state]
        if not self.net.spec.open_dims:
            self.net.b.formula("dx = 0")
            self.sums = {"dx": self.net.b.full(0, (T * B * width,), self.net.spec.compute), **state}

    def run(self, block: TimeBlock) -> None:
        """Emits the loop over a block of time."""
        self.block = block
        self.loop = self.net.direction(self.pseudo_layer).backward(
            self.dy,
            self.y,
            self.column,
            self.saved,
            self.initial,
            {key: self.sums[key] for key in self.states},
            block,
        )
        self.sums |= {key: self.loop[key] for key in self.states}

    def initial_state(self, name: str) -> Value:
        """The gradient of an initial state, after the last block."""
        through, direct = self.sums[f"d{name}"], self.sums.get(f"d{name}_direct")
        return through if direct is None else through + direct

    def multiply(self, params: Value, *, whole: bool) -> Value:
        """Emits the products and sums of the block that was run."""
        net, b = self.net, self.net.b
        is_open = bool(net.spec.open_dims)
        params = self._add_open(params) if is_open else self._add(params, whole=whole)
        for key, gates in (("dbW", self.loop["dx_gates"]), ("dbR", self._recurrent_gates)):
            b.formula(f"{key} += sum over steps and rows")
            n, B, width = gates.shape
            new = gates.to(net.spec.compute).reshape(n * B, width).sum(0)
            self.sums[key] = self.sums[key] + new if key in self.sums else new
        return params

    def _add(self, params: Value, *, whole: bool) -> Value:
        """Emits the products of the block."""
        net, b = self.net, self.net.b
        share = self._input_gradient().flat()
        b.formula("dx = of all blocks")
        self.sums["dx"] = share if whole else self.sums["dx"].with_part(self._written, share)
        factors = self._factors()
        b.formula("params_backprop += dW = dx_gates^T @ x, dR = dr_gates^T @ h_before, dWp")
        if not whole:
            return self._products.add_outer_sums(params, factors)
        for each in factors:
            self.parts.append((each.offset, plain_outer_sum(each.lhs, each.rhs, net.spec.compute)))
        return params

    def _add_open(self, params: Value) -> Value:
        """Emits the products of a block of open length."""
        net, b, block = self.net, self.net.b, self.block
        b.formula("count = the number of valid steps of the block")
        count = net.steps.of(b, block)
        start = b.constant(block.start, "int64")
        products = Products(b, start, count, net.steps.lengths)
        before = self.sums.get("dx")
        if net.skips(self.pseudo_layer):
            dx = products.put(before, self._input_gradient(), self.x)
        else:
            W = net.input_weights(self.pseudo_layer)
            b.formula("dx = dx_gates @ W")
            gates = self.loop["dx_gates"]
            dx = products.put_rows(before, self.x, gates, W, net.spec.compute)
        self.sums["dx"] = dx
        factors = self._factors()
        b.formula("params_backprop += dW = dx_gates^T @ x, dR = dr_gates^T @ h_before, dWp")
        return products.add_outer_sums(params, factors, is_first=before is None)

    def marks(self, params: Value) -> list[Value]:
        """Emits an element of each product of the block; reading it waits for the product."""
        elements: list[tuple[Value, Size]] = [(params, self.pseudo_layer.recurrent.offset)]
        if self.x.shape[2]:
            elements.append((self.sums["dx"], 0 if self.net.spec.open_dims else self._written))
        return [value.slice(0, start, start + 1) for value, start in elements]

    @property
    def _written(self) -> Size:
        """The offset of the block in dx."""
        _, B, width = self.x.shape
        return self.block.start * B * width

    @property
    def _read(self) -> TimeBlock:
        """The steps of the sequences that products read: all of them if sizes are open."""
        return TimeBlock(0, self.x.shape[0]) if self.net.spec.open_dims else self.block

    @property
    def _recurrent_gates(self) -> Value:
        return self.loop.get("dr_gates", self.loop["dx_gates"])

    def _input_gradient(self) -> Value:
        """The block's part of the gradient of the layer's input, ``[n, B, in]``."""
        net, b, dx_gates = self.net, self.net.b, self.loop["dx_gates"]
        n, B, _ = dx_gates.shape
        if net.skips(self.pseudo_layer):
            b.formula("dx = sum over gates")
            units = static_size(self.x.shape[2])
            gates = net.gate_rows // units
            return dx_gates.to(net.spec.compute).reshape(n, B, gates, units).sum(2)
        W = net.input_weights(self.pseudo_layer)
        b.formula("dx = dx_gates @ W")
        return self._products.rows(dx_gates, W, 0, net.spec.compute)

    @property
    def _products(self) -> Products:
        """The products of a block of known sizes."""
        return Products(self.net.b, static_size(self.block.start), lengths=self.net.steps.lengths)

    def _factors(self) -> list[Factors]:
        """The factors of the block's part of each matrix's gradient, with the matrix's offset."""
        net, b, each, block = self.net, self.net.b, self.pseudo_layer, self._read
        factors: list[Factors] = []
        if not net.skips(each):
            x = self.x.slice(0, block.start, block.stop)
            factors.append(Factors(each.input.offset, self.loop["dx_gates"], x))
        before = self.output_before()
        saved = None if self.saved is None else self.saved.slice(0, block.start, block.stop)
        _, h = each.recurrent.shape
        for row, gates, rows in net.cell_of(each).factors(b, self._recurrent_gates, before, saved):
            factors.append(Factors(each.recurrent.offset + row * h, gates, rows))
        if each.projection is not None and saved is not None:
            m = net.cell_of(each).outputs(b, saved.to(net.spec.compute)).to(net.spec.dtype)
            m = net.steps.where_valid(b, m, block)
            factors.append(Factors(each.projection.offset, self.loop["dh_rows"], m))
        return factors

    def output_before(self) -> Value:
        """The previous output of each step, ``[n, B, h]``: the initial one, or a row of y.

        Row t is row t-1 of the output. In the reverse direction it is row t+1, which is 0 past the
        end of each sequence, where the first step gets the initial output.
        """
        net, b, block = self.net, self.net.b, self._read
        T, (_, h) = self.y.shape[0], self.initial["h"].shape
        y = self.y.slice(2, self.column, self.column + h)
        first = self.initial["h"].reshape(1, *self.initial["h"].shape)
        b.formula("h_before = y[t-1], the initial state at the first step")
        if self.forward:
            if block.start:
                return y.slice(0, block.start - 1, block.stop - 1)
            return b.concatenate([first, y.slice(0, 0, block.stop - 1)], 0)
        if block.stop != T:
            before = y.slice(0, block.start + 1, block.stop + 1)
        else:
            before = b.concatenate([y.slice(0, block.start + 1, T), first], 0)
        if net.steps.lengths is None:
            return before
        t = b.iota((block.length, *before.shape[1:2]), 0) + block.start
        is_first = t.compare("EQ", net.steps.lengths - 1).broadcast_in_dim(before.shape, (0, 1))
        return b.select(is_first, first.broadcast_to(before.shape), before)
