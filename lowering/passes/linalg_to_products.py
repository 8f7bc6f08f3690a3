"""Rewrites a network's convolutions and products as matrix products of StableHLO, for CPUs.

Requires: a portable module; the target is a CPU.
Matches: in the function of a network, `linalg.conv_1d_ncw_fcw` and `linalg.conv_2d_nchw_fchw` in
float32 of known sizes, with as many multiplications as `products` takes. The windows of the input
become the columns of a matrix, or its rows if there are fewer than `_MANY` of an element of the
batch, and are multiplied by the filters:

    windows[c k, n o] = input[n, c, o * stride + k * dilation]
    result[n, f, o]   = start[n, f, o] + (filters @ windows)[f, n o]

`linalg.matmul` becomes a product that is added to an array. Its matrix is packed once, if it is a
frozen weight. Transposes of its operands, and of itself, become a choice of the axes that it sums
over: the gradient of a weight is a product of two arrays of rows, and has the weight's own order.

As columns, the windows have the input's order and the product the result's, so both are copied row
by row, and a window of a single number is no copy at all. As rows they leave the filters on the
right-hand side, which is packed once. `products` makes them as fast as other products.

A matrix of all windows of an image would be written to memory and read again. Where
`cpu.products.convolution` can, a dispatch copies some of them at a time instead. It also writes the
zeros around an image, and computes the elementwise `linalg.generic` that follow.

In IREE a convolution of batch 1 is several times slower.
Leaves: all other convolutions; those whose windows would take more memory than `_LARGEST`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace as replace_fields
from typing import NamedTuple

from rnn_compiler.lowering.analysis.products import is_large, is_packed_once
from rnn_compiler.lowering.analysis.values import (
    ZERO,
    element,
    filled_with,
    ints,
    rank,
    shape,
    static_shape,
)
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import maps
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand
from rnn_compiler.lowering.cpu.products.convolution import ImageConvolution
from rnn_compiler.lowering.cpu.products.epilogue import FILTER, epilogue_of
from rnn_compiler.lowering.cpu.products.windows import unpadded
from rnn_compiler.lowering.mlir.bindings import contraction, ir
from rnn_compiler.lowering.mlir.marks import PACKED
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_AXES = {"linalg.conv_1d_ncw_fcw": 1, "linalg.conv_2d_nchw_fchw": 2}
"""The convolutions that are rewritten, with the number of axes that windows move along."""

_LARGEST = 1 << 24
"""Numbers of a matrix of windows: 64 MiB."""

_MISSING = 0, 1
"""The axes to sum over of the only form of products that `products` does not have."""

_MANY = 64
"""The fewest windows of an element of the batch for which they are columns of a matrix."""


def linalg_products_are_small(context: PassContext) -> str | None:
    """No convolution or product of linalg is left that is as large as those `products` takes."""
    vectors = _vectors(context)
    found = (op for op in context.ops() if _Windows.of(op, vectors) or _is_product(op))
    return first(map(str, found))


@pass_with(requires=(), ensures=(linalg_products_are_small,))
def linalg_to_products(context: PassContext) -> None:
    """Rewrites the convolutions and products of networks."""
    calls, vectors, ops = PrivateCalls(context.module), _vectors(context), context.ops()
    products = [op for op in ops if _is_product(op)]
    convolutions = [found for op in ops if (found := _Windows.of(op, vectors)) is not None]
    for op in products:
        _rewrite_product(op)
    for found in convolutions:
        found.rewrite(calls)


def _vectors(context: PassContext) -> VectorUnit:
    assert isinstance(context.processor, VectorUnit)
    return context.processor


def _is_product(op: ir.Operation) -> bool:
    """Whether an op is a large product of two untransposed matrices."""
    if op.name != "linalg.matmul" or not _are_float32(op):
        return False
    plain = maps(3, [(0, 2), (2, 1), (0, 1)])
    if "indexing_maps" in op.attributes and op.attributes["indexing_maps"] != plain:
        return False
    (rows, inner), (_, columns) = (static_shape(value) for value in [*op.operands][:2])
    return is_large(rows, inner, columns)


class _Operand(NamedTuple):
    """An operand of a product: an array, and the axis of it that is summed over."""

    value: ir.Value
    axis: int

    @staticmethod
    def of(value: ir.Value, axis: int) -> _Operand:
        """An operand, without the transpose that makes it."""
        if not isinstance(value.owner, ir.Block) and _is_transpose(value.owner.operation):
            return _Operand(value.owner.operation.operands[0], 1 - axis)
        return _Operand(value, axis)


def _is_transpose(op: ir.Operation) -> bool:
    return op.name == "linalg.transpose" and ints(op, "permutation") == [1, 0]


def _rewrite_product(op: ir.Operation) -> None:
    """Replaces a product that is added to an array, or the only transpose of one."""
    lhs, rhs, start = op.operands
    is_packed, is_zero = is_packed_once(rhs, static_shape(lhs)[0]), filled_with(start) == ZERO
    left, right, last = _Operand.of(lhs, 1), _Operand.of(rhs, 0), op
    readers = [use.owner.operation for use in op.results[0].uses]
    is_turned = is_zero and len(readers) == 1 and _is_transpose(readers[0])
    if is_turned and (right.axis, left.axis) != _MISSING:
        last, left, right = readers[0], right, left
    elif (left.axis, right.axis) == _MISSING:
        left = _Operand(lhs, 1)
    body = Body.before(last)
    sides = [Array(side.value, static_shape(side.value), "f32") for side in (left, right)]
    attributes = dict(contraction((left.axis, right.axis)))
    if is_packed and right.value == rhs:
        attributes[PACKED] = ir.UnitAttr.get()
    type = ArrayType(static_shape(last.results[0]), "f32")
    made = body.array("stablehlo.dot_general", sides, type, attributes)
    if not is_zero:
        made = _added(body, made, range(2), Array(start, type.shape, "f32"))
    replace(last, made.value)
    if last is not op:
        op.erase()


def _are_float32(op: ir.Operation) -> bool:
    """Whether all operands and results of an op are float32 and of known sizes."""
    values = (*op.operands, *op.results)
    return all(element(value) == "f32" and is_static(*shape(value)) for value in values)


def _added(body: Body, array: Array, order: Sequence[int], start: Array) -> Array:
    """Emits the sum of an array, which has the axes of another in some order, and that other."""
    inputs = [(array, order), (start, range(len(order)))]
    target = body.empty(start.type)
    return linalg.pointwise(body, inputs, target, lambda _, numbers: numbers[0] + numbers[1])


class _Windows(NamedTuple):
    """A convolution, by ``N, C, F``, the sizes of results and windows, and how windows move.

    `images` plans copying windows in blocks; None to copy all at once.
    """

    op: ir.Operation
    batch: int
    channels: int
    filters: int
    positions: tuple[int, ...]
    window: tuple[int, ...]
    strides: list[int]
    dilations: list[int]
    images: ImageConvolution | None = None

    @staticmethod
    def of(op: ir.Operation, vectors: VectorUnit) -> _Windows | None:
        """Reads an op as a convolution; None if it is not rewritten."""
        if op.name not in _AXES:
            return None
        filters, result = op.operands[1], op.results[0]
        if not _are_float32(op):
            return None
        count, channels, *window = static_shape(filters)
        batch, _, *positions = static_shape(result)
        strides, dilations = (
            [*ir.DenseIntElementsAttr(op.attributes[name])] for name in ("strides", "dilations")
        )
        rows, inner = batch * math.prod(positions), channels * math.prod(window)
        if not is_large(rows, inner, count):
            return None
        sizes = batch, channels, count, tuple(positions), tuple(window)
        found = _Windows(op, *sizes, strides, dilations)
        images = found._of_images(vectors)
        if images is None and rows * inner > _LARGEST:
            return None
        return found._replace(images=images)

    def rewrite(self, calls: PrivateCalls) -> None:
        """Replaces the op, and in blocks also those of its epilogue."""
        if self.images is not None:
            self._in_blocks(calls, self.images)
            return
        body = Body.before(self.op)
        given, filters, start = (
            Array(value, static_shape(value), "f32") for value in self.op.operands
        )
        filters = collapse(body, filters, _joined(1, 1 + len(self.window)))
        emit = self._as_columns if math.prod(self.positions) >= _MANY else self._as_rows
        replace(self.op, emit(body, given, filters, start).value)

    def _of_images(self, vectors: VectorUnit) -> ImageConvolution | None:
        """The convolution, if it is better done some windows at a time; None if not."""
        if math.prod(self.positions) < _MANY or (self.no_rows and self.batch == 1):
            return None
        of_axes = self.positions, self.window, self.strides, self.dilations
        pairs = ((a, b) for a, b in ([*self.no_rows, *each] for each in of_axes))
        made = ImageConvolution(vectors, self.batch, self.channels, self.filters, *pairs)
        return made if made.is_supported else None

    def _in_blocks(self, calls: PrivateCalls, convolution: ImageConvolution) -> None:
        """Emits the product with its padding and its epilogue, some windows at a time."""
        found = epilogue_of(self.op)
        body, last = Body.before(found.replaced[-1]), found.replaced[-1]
        source, padding = self.op.operands[0], (0, 0)
        if not convolution.is_in_place:  # such an array is read as it is, its padding too
            source, padding = unpadded(source)
        convolution = replace_fields(convolution, padding=padding, epilogue=found.epilogue)

        def array(value: ir.Value, *groups: Sequence[int]) -> Array:
            return collapse(body, Array(value, static_shape(value), "f32"), groups)

        moved = range(2, 2 + len(self.positions))
        lines = [moved] if convolution.is_in_place else [[axis] for axis in moved]
        images = array(source, [0, 1], *lines)
        if self.no_rows and not convolution.is_in_place:
            planes, columns = static_shape(images.value)
            images = expand(body, images, [[0], [1, 2]], (planes, 1, columns))
        filters = array(self.op.operands[1], [0], [1, *moved])
        inputs = [
            array(value, [*range(rank(value))]) if axes == FILTER else array(value, [0, 1], moved)
            for value, (_, axes) in zip(found.inputs, found.epilogue.inputs, strict=True)
        ]

        def made(
            function: FunctionBuilder, images: Array, filters: Array, *inputs: Array
        ) -> list[Array]:
            return [convolution.emit(function, images, filters, inputs)]

        operands = [each.value for each in (images, filters, *inputs)]
        (value,) = calls.before(last, "convolution", operands, made, convolution)
        shape = (self.batch, self.filters, *self.positions)
        result = expand(body, Array(value, static_shape(value), "f32"), [[0, 1], moved], shape)
        last.results[0].replace_all_uses_with(result.value)
        for op in reversed(found.replaced):
            op.erase()

    def _as_columns(self, body: Body, given: Array, filters: Array, start: Array) -> Array:
        """Emits the product of the filters with the windows as columns."""
        spatial, window = len(self.positions), 1 + len(self.window)
        columns = self.batch * math.prod(self.positions)
        if self._is_input:
            windows = collapse(body, given, _joined(2, spatial))
        else:
            windows = self._windows(body, given, is_columns=True)
            windows = collapse(body, windows, _joined(window, 1 + spatial))
        product = body.array(
            "stablehlo.dot_general", [filters, windows],
            ArrayType((self.filters, columns), "f32"), contraction((1, 0)),
        )  # fmt: skip
        shape = (self.filters, self.batch, *self.positions)
        apart = expand(body, product, _joined(1, 1 + spatial), shape)
        return _added(body, apart, [1, 0, *range(2, 2 + spatial)], start)

    def _as_rows(self, body: Body, given: Array, filters: Array, start: Array) -> Array:
        """Emits the product of the windows, as rows, with the filters."""
        leading = 1 + len(self.positions)
        windows = self._windows(body, given, is_columns=False)
        windows = collapse(body, windows, _joined(leading, 1 + len(self.window)))
        rows = self.batch * math.prod(self.positions)
        product = body.array(
            "stablehlo.dot_general", [windows, filters],
            ArrayType((rows, self.filters), "f32"), contraction((1, 1)),
        )  # fmt: skip
        shape = (self.batch, *self.positions, self.filters)
        apart = expand(body, product, _joined(leading, 1), shape)
        return _added(body, apart, [0, *range(2, 1 + leading), 1], start)

    @property
    def no_rows(self) -> tuple[int, ...]:
        """The axis of rows that a sequence does not have."""
        return (1,) * (2 - len(self.positions))

    @property
    def _is_input(self) -> bool:
        """Whether the windows, as columns, are the input."""
        one = [1] * len(self.window)
        return self.batch == 1 and [*self.window] == one and self.strides == one

    def _windows(self, body: Body, given: Array, *, is_columns: bool) -> Array:
        """The windows, ``[C, k.., N, o..]`` as columns and ``[N, o.., C, k..]`` as rows."""
        moved = len(self.positions)
        positions, window = (self.batch, *self.positions), (self.channels, *self.window)
        sizes = (*window, *positions) if is_columns else (*positions, *window)
        dims = [ir.AffineExpr.get_dim(axis) for axis in range(len(sizes))]
        k, o = (dims[: 1 + moved], dims[1 + moved :])[:: 1 if is_columns else -1]
        moves = zip(o[1:], k[1:], self.strides, self.dilations, strict=True)
        at = [position * stride + inside * dilation for position, inside, stride, dilation in moves]
        inputs = [(given, [o[0], k[0], *at])]
        target = body.empty(ArrayType(sizes, "f32"))
        return linalg.pointwise(body, inputs, target, lambda _, numbers: numbers[0])


def _joined(first: int, second: int) -> Sequence[Sequence[int]]:
    """The groups that merge the first axes, as many as `first`, and the others."""
    return [[*range(first)], [*range(first, first + second)]]
