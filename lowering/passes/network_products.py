"""Turns the convolutions and products of a network into matrix products of StableHLO, for CPUs.

Requires: a portable module; the target is a CPU.
Matches: in the function of a network, `linalg.conv_1d_ncw_fcw` and `linalg.conv_2d_nchw_fchw` in
float32 of known sizes, with as many multiplications as `products` takes. The windows of the input
become rows of a matrix, which is multiplied with the filters:

    windows[n o, c k] = input[n, c, o * stride + k * dilation]
    result[n, f, o]   = start[n, f, o] + (windows @ filters^T)[n o, f]

and `linalg.matmul`, which is also a product added to an array.

`products` makes them as fast as other products, and packs the filters once; in IREE 3.13 a
convolution of batch 1 is several times slower.
Leaves: all other convolutions; those whose windows would take more memory than `_LARGEST`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import element, shape, static_shape
from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.attributes import maps, parallel, segments
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, spare_block
from rnn_compiler.lowering.codegen.linalg import generic
from rnn_compiler.lowering.codegen.number import Number, element_type
from rnn_compiler.lowering.mlir import contraction, ir
from rnn_compiler.lowering.passes.products import is_large
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.lowering.rewriting.edits import replace
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["network_products"]

_AXES = {"linalg.conv_1d_ncw_fcw": 1, "linalg.conv_2d_nchw_fchw": 2}
"""The convolutions that are rewritten, with the number of axes that windows move along."""

_LARGEST = 1 << 24
"""Numbers of a matrix of windows: 64 MiB."""


def network_products(context: PassContext) -> None:
    """Rewrites the convolutions and products of networks."""
    for op in context.ops():
        found = _Convolution.of(op)
        if found is not None:
            replace(op, found.emit().value)
        elif _is_product(op):
            replace(op, _product(op).value)


def _is_product(op: ir.Operation) -> bool:
    """Whether an op is a large product of two matrices that are not transposed."""
    if op.name != "linalg.matmul" or not _are_float32(op):
        return False
    plain = maps(3, [(0, 2), (2, 1), (0, 1)])
    if "indexing_maps" in op.attributes and op.attributes["indexing_maps"] != plain:
        return False
    (rows, inner), (_, columns) = (static_shape(value) for value in [*op.operands][:2])
    return is_large(rows, inner, columns)


def _product(op: ir.Operation) -> Array:
    """Emits a product that is added to an array."""
    body = Body.before(op)
    lhs, rhs, start = (Array(value, static_shape(value), "f32") for value in op.operands)
    made = body.array("stablehlo.dot_general", [lhs, rhs], start.type, contraction((1, 0)))
    return _added(body, made, range(2), start)


def _are_float32(op: ir.Operation) -> bool:
    """Whether all operands and results of an op are in float32 and of known sizes."""
    values = (*op.operands, *op.results)
    return all(element(value) == "f32" and is_static(*shape(value)) for value in values)


def _added(body: Body, array: Array, order: Sequence[int], start: Array) -> Array:
    """Emits the sum of an array, which has the axes of another in some order, and that other."""
    block = spare_block([element_type("f32")] * 3)
    inside = Body(block, body.location)
    one, two = (Number(inside, value, "f32") for value in block.arguments[:2])
    inside.op("linalg.yield", [one + two])
    target = body.empty(start.type)
    inputs = [(array, order), (start, range(len(order)))]
    return generic(body, inputs, [target], block)[0]


class _Convolution(NamedTuple):
    """A convolution, by ``N, C, F``, the sizes of results and windows, and how windows move."""

    op: ir.Operation
    batch: int
    channels: int
    filters: int
    places: tuple[int, ...]
    window: tuple[int, ...]
    strides: list[int]
    dilations: list[int]

    @staticmethod
    def of(op: ir.Operation) -> _Convolution | None:
        """Reads an op as a convolution; None if it is not rewritten."""
        if op.name not in _AXES:
            return None
        filters, result = op.operands[1], op.results[0]
        if not _are_float32(op):
            return None
        count, channels, *window = static_shape(filters)
        batch, _, *places = static_shape(result)
        strides, dilations = (
            [*ir.DenseIntElementsAttr(op.attributes[name])] for name in ("strides", "dilations")
        )
        rows, inner = batch * math.prod(places), channels * math.prod(window)
        if not is_large(rows, inner, count) or rows * inner > _LARGEST:
            return None
        sizes = batch, channels, count, tuple(places), tuple(window)
        return _Convolution(op, *sizes, strides, dilations)

    def emit(self) -> Array:
        """Emits the product."""
        body = Body.before(self.op)
        given, filters, start = (
            Array(value, static_shape(value), "f32") for value in self.op.operands
        )
        rows = self.batch * math.prod(self.places)
        leading, inner = 1 + len(self.places), 1 + len(self.window)
        lhs = collapse(body, self._windows(body, given), _joined(leading, inner))
        rhs = collapse(body, filters, _joined(1, inner))
        product = body.array(
            "stablehlo.dot_general", [lhs, rhs], ArrayType((rows, self.filters), "f32"),
            contraction((1, 1)),
        )  # fmt: skip
        shape = (self.batch, *self.places, self.filters)
        apart = expand(body, product, _joined(leading, 1), shape)
        return _added(body, apart, [0, *range(2, 2 + len(self.places)), 1], start)

    def _windows(self, body: Body, given: Array) -> Array:
        """The windows, ``[N, o.., C, k..]``."""
        moved = len(self.places)
        sizes = (self.batch, *self.places, self.channels, *self.window)
        rank = len(sizes)
        dims = [ir.AffineExpr.get_dim(axis) for axis in range(rank)]
        at = [
            dims[1 + k] * self.strides[k] + dims[2 + moved + k] * self.dilations[k]
            for k in range(moved)
        ]
        source = ir.AffineMap.get(rank, 0, [dims[0], dims[1 + moved], *at])
        block = spare_block([element_type("f32")] * 2)
        inside = Body(block, body.location)
        inside.op("linalg.yield", [Number(inside, block.arguments[0], "f32")])
        target = body.empty(ArrayType(sizes, "f32"))
        indexing = map(ir.AffineMapAttr.get, (source, ir.AffineMap.get_identity(rank)))
        op = body.op(
            "linalg.generic",
            [given, target],
            [target.value.type],
            {
                "indexing_maps": ir.ArrayAttr.get([*indexing]),
                "iterator_types": parallel(rank),
                "operandSegmentSizes": segments(1, 1),
            },
            regions=1,
        )
        block.append_to(op.regions[0])
        return Array(op.results[0], sizes, "f32")


def _joined(first: int, second: int) -> Sequence[Sequence[int]]:
    """Axes as two: so many, and those that follow."""
    return [[*range(first)], [*range(first, first + second)]]
