"""Rewrites the convolutions of sequences in a user's module as matrix products, for CPUs.

Requires: `crop_inputs`; the target is a CPU with memory.
Matches: `stablehlo.convolution` in float32 along one axis of known size, in one group. The numbers
in each window become a row of a matrix, which is multiplied by the filters. They are in the order
that filters and result have in memory, so that neither is transposed where that is possible. This
includes the gradients of convolutions, whose windows are as long as the sequence:

    windows[n o, c k] = input[n, c, o * stride + k * dilation]
    result[n o, f] = windows @ filters

IREE adds up each number of a result by itself, reading input and filters in strides, and computes
the gradient for the input with all zeros between its numbers.
Leaves: convolutions along several axes, and in groups; matrices of windows of more than `_LARGEST`.
Ensures: the same numbers up to rounding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import element, shape, static_shape
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.stablehlo import full, transposed
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.mlir.bindings import contraction, ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_LARGEST = 1 << 22
"""Numbers of a matrix of windows: 16 MiB."""

_NUMBERS = re.compile(r"\[(.*)\]x\[(.*)\]->\[(.*)\]")
"""The order of the axes of input, filters and result."""


def sequence_convolutions_are_products(context: PassContext) -> str | None:
    """No convolution is left that `sequence_convolutions` takes."""
    return first(str(each.op) for each in _convolutions(context))


@pass_with(requires=(), ensures=(sequence_convolutions_are_products,))
def sequence_convolutions(context: PassContext) -> None:
    """Rewrites the convolutions."""
    for each in _convolutions(context):
        replace(each.op, each.product())


def _convolutions(context: PassContext) -> list[_AlongOneAxis]:
    is_users, processor = context.request.is_users, context.processor
    if not is_users or not isinstance(processor, VectorUnit) or not processor.has_memory:
        return []
    ops = nested_ops(context.module.operation, "stablehlo.convolution")
    return [found for op in ops if (found := _AlongOneAxis.of(op)) is not None]


class _AlongOneAxis(NamedTuple):
    """A convolution along one axis.

    Attributes:
        given, window, made: The axes of input, filters and result in their order: "b", "f", "i" and
            "o" as in StableHLO, and "0", along which windows move.
    """

    op: ir.Operation
    given: Sequence[str]
    window: Sequence[str]
    made: Sequence[str]

    @staticmethod
    def of(op: ir.Operation) -> _AlongOneAxis | None:
        """Reads an op as a convolution; None if it is not rewritten."""
        values = (*op.operands, *op.results)
        if any(element(each) != "f32" or not is_static(*shape(each)) for each in values):
            return None
        groups = [ir.IntegerAttr(op.attributes[f"{of}_group_count"]).value for of in _GROUPED]
        numbers = _NUMBERS.search(str(op.attributes["dimension_numbers"]))
        assert numbers is not None  # the bindings have no class for it
        axes = [[axis.strip() for axis in each.split(",")] for each in numbers.groups()]
        name = "window_reversal"
        is_reversed = name in op.attributes and "true" in str(op.attributes[name])
        if groups != [1, 1] or len(axes[0]) != 3 or is_reversed:
            return None
        found = _AlongOneAxis(op, *axes)
        inner = math.prod(static_shape(op.operands[1])) // found.filters
        rows = math.prod(static_shape(op.results[0])) // found.filters
        return found if 0 < rows * inner <= _LARGEST and inner > 1 else None

    @property
    def filters(self) -> int:
        """How many filters there are."""
        return static_shape(self.op.operands[1])[self.window.index("o")]

    def product(self) -> ir.Value:
        """Emits the product."""
        body, result = Body.before(self.op), static_shape(self.op.results[0])
        rows = [axis for axis in self.made if axis != "f"]
        inner = [axis for axis in self.window if axis != "o"]
        windows = self._windows(body, rows, inner)
        filters, axis = self._filters(body)
        count = math.prod(windows.shape[:2]), math.prod(windows.shape[2:])
        flat = reshape(body, windows, count)
        type = ArrayType((count[0], self.filters), "f32")
        product = body.array("stablehlo.dot_general", [flat, filters], type, contraction((1, axis)))
        order = [*rows, "f"]
        sizes = tuple(result[self.made.index(each)] for each in order)
        apart = reshape(body, product, sizes)
        return transposed(body, apart, [order.index(each) for each in self.made]).value

    def _windows(self, body: Body, rows: Sequence[str], inner: Sequence[str]) -> Array:
        """Emits the numbers of all windows, ``[rows.., inner..]``."""
        (stride,) = _ones(self.op, "window_strides")
        (dilation,) = _ones(self.op, "rhs_dilation")
        given = self._padded(body)
        window, result = static_shape(self.op.operands[1]), static_shape(self.op.results[0])
        sizes = [result[self.made.index(axis)] for axis in rows]
        sizes += [window[self.window.index(axis)] for axis in inner]
        dims = [ir.AffineExpr.get_dim(k) for k in range(len(sizes))]
        outer, within = dict(zip(rows, dims, strict=False)), dict(zip(inner, dims[2:], strict=True))
        at = {"b": outer["b"], "f": within["i"], "0": outer["0"] * stride + within["0"] * dilation}
        inputs = [(given, [at[axis] for axis in self.given])]
        target = body.empty(ArrayType(tuple(sizes), "f32"))
        return linalg.pointwise(body, inputs, target, lambda _, numbers: numbers[0])

    def _padded(self, body: Body) -> Array:
        """Emits the input with zeros before, behind and between its numbers."""
        value = self.op.operands[0]
        array, sizes = Array(value, static_shape(value), "f32"), [*static_shape(value)]
        low, high = _padding(self.op)
        (dilation,) = _ones(self.op, "lhs_dilation")
        if (low, high, dilation) == (0, 0, 1):
            return array
        axis = self.given.index("0")
        sizes[axis] = low + (sizes[axis] - 1) * dilation + 1 + high
        paddings = {"edge_padding_low": low, "edge_padding_high": high}
        paddings["interior_padding"] = dilation - 1
        attributes = {
            name: integers([number if k == axis else 0 for k in range(3)])
            for name, number in paddings.items()
        }
        operands = [array, full(body, 0, ArrayType((), "f32"))]
        return body.array("stablehlo.pad", operands, ArrayType(tuple(sizes), "f32"), attributes)

    def _filters(self, body: Body) -> tuple[Array, int]:
        """Emits the filters as a matrix, and its axis to sum over."""
        value = self.op.operands[1]
        array, place = Array(value, static_shape(value), "f32"), self.window.index("o")
        if place == 1:
            array, place = transposed(body, array, [0, 2, 1]), 2
        inner = math.prod(array.shape) // self.filters
        sizes = (self.filters, inner) if place == 0 else (inner, self.filters)
        return reshape(body, array, sizes), int(place == 0)


_GROUPED = ("batch", "feature")


def _ones(op: ir.Operation, name: str) -> list[int]:
    """An attribute with a number for each axis of windows; 1 where it is missing."""
    return [*ir.DenseI64ArrayAttr(op.attributes[name])] if name in op.attributes else [1]


def _padding(op: ir.Operation) -> tuple[int, int]:
    """The zeros before and behind the input; negative numbers cut."""
    if "padding" not in op.attributes:
        return 0, 0
    low, high = ir.DenseIntElementsAttr(op.attributes["padding"])
    return low, high
