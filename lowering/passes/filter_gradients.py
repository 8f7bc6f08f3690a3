"""Rewrites the gradients of convolutions' filters as dispatches without transposes, for CPUs.

Requires: a portable module; the target is a CPU.
Matches: in the function of a network, a convolution in float32 of known sizes whose input, filters
and result have batch and channels exchanged by `linalg.transpose`, with as many multiplications as
`products` takes. So are the gradients of filters (`network_import.graph.gradients.windows`):

    dw[f, c, i, j] = sum over n, o of x[n, c, o * stride + (i, j) * dilation] * dy[n, f, o]

Ensures: the same numbers up to rounding.
Leaves: convolutions whose windows cannot be copied in vectors, are wide, or take much memory
(`linalg_to_products`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rnn_compiler.lowering.analysis.products import is_large
from rnn_compiler.lowering.analysis.values import (
    ZERO,
    element,
    filled_with,
    ints,
    shape,
    static_shape,
)
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.cpu.products.filter_gradient import FilterGradient
from rnn_compiler.lowering.cpu.products.windows import unpadded
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_CONVOLUTIONS = ("linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nchw_fchw")


def filter_gradients_are_dispatches(context: PassContext) -> str | None:
    """No gradient is left that `filter_gradients` takes."""
    return first(str(each.op) for each in _found(context))


@pass_with(requires=(), ensures=(filter_gradients_are_dispatches,))
def filter_gradients(context: PassContext) -> None:
    """Rewrites the gradients."""
    calls = PrivateCalls(context.module)
    for each in _found(context):
        _rewrite(calls, each)


class _GradientOfFilters(NamedTuple):
    """A convolution that computes the gradient of filters.

    Attributes:
        result: The transpose of its result.
        images: The unpadded images ``[N, C, ..]``.
        gradients: The gradients of the results of the images' convolution, ``[N, F, ..]``.
    """

    op: ir.Operation
    result: ir.Operation
    images: ir.Value
    gradients: ir.Value
    sizes: FilterGradient


def _found(context: PassContext) -> list[_GradientOfFilters]:
    """The gradients to rewrite."""
    assert isinstance(context.processor, VectorUnit)
    found = (_gradient(op, context.processor) for op in context.ops())
    return [each for each in found if each is not None]


def _gradient(op: ir.Operation, vectors: VectorUnit) -> _GradientOfFilters | None:
    """Reads an op as a gradient; None if it is not rewritten."""
    if op.name not in _CONVOLUTIONS or filled_with(op.operands[2]) != ZERO:
        return None
    values = (*op.operands, *op.results)
    if any(element(each) != "f32" or not is_static(*shape(each)) for each in values):
        return None
    turned, padding = unpadded(op.operands[0])
    images, gradients = _exchanged(turned), _exchanged(op.operands[1])
    readers = [use.owner.operation for use in op.results[0].uses]
    if images is None or gradients is None or len(readers) != 1 or not _is_exchange(readers[0]):
        return None
    (batch, channels, *_), (_, filters, *positions) = map(static_shape, (images, gradients))
    window = static_shape(op.results[0])[2:]
    if not is_large(batch * math.prod(positions), filters, channels * math.prod(window)):
        return None
    strides, dilations = (
        [*ir.DenseIntElementsAttr(op.attributes[name])] for name in ("dilations", "strides")
    )
    no_rows = [1] * (2 - len(positions))
    pairs = [
        (a, b) for a, b in ([*no_rows, *each] for each in (positions, window, strides, dilations))
    ]
    sizes = FilterGradient(vectors, batch, channels, filters, *pairs, padding=padding)
    return (
        _GradientOfFilters(op, readers[0], images, gradients, sizes) if sizes.is_supported else None
    )


def _is_exchange(op: ir.Operation) -> bool:
    """Whether an op exchanges the first two axes."""
    if op.name != "linalg.transpose":
        return False
    order = [*ints(op, "permutation")]
    return order == [1, 0, *range(2, len(order))]


def _exchanged(value: ir.Value) -> ir.Value | None:
    """The array whose first two axes are exchanged; None if there is none."""
    if isinstance(value.owner, ir.Block) or not _is_exchange(value.owner.operation):
        return None
    return value.owner.operation.operands[0]


def _rewrite(calls: PrivateCalls, found: _GradientOfFilters) -> None:
    """Replaces an op, and the transpose of its result, by a call of its dispatch."""
    body, sizes = Body.before(found.op), found.sizes
    images, gradients = (
        Array(each, static_shape(each), "f32") for each in (found.images, found.gradients)
    )
    (rows, columns) = (1, *images.shape[2:])[-2:]
    planes = reshape(body, images, (sizes.batch * sizes.channels, rows, columns))
    flat = (sizes.batch * sizes.filters, math.prod(sizes.positions))
    operands = [planes.value, reshape(body, gradients, flat).value]

    def made(function: FunctionBuilder, images: Array, gradients: Array) -> list[Array]:
        return [sizes.emit(function, images, gradients)]

    (value,) = calls.before(found.op, "filter_gradient", operands, made, sizes)
    result = Array(value, (sizes.filters, sizes.channels * math.prod(sizes.window)), "f32")
    body = Body.before(found.result)
    whole = reshape(body, result, static_shape(found.result.results[0]))
    replace(found.result, whole.value)
    found.op.erase()
