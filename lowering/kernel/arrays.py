"""Whole arrays as their bits: zeros with a buffer of their own, rows put in place, other views."""

from __future__ import annotations

from rnn_compiler.lowering.kernel.attributes import segments
from rnn_compiler.lowering.kernel.body import Array, ArrayType, Body
from rnn_compiler.lowering.kernel.number import Index, bits

__all__ = ["own_zeros", "put_row", "seen_as"]


def own_zeros(body: Body, type: ArrayType) -> Array:
    """Emits an array of zeros with a buffer of its own.

    It is a splat of a zero that `util.optimization_barrier` makes unlike all others: IREE 3.13
    takes arrays that begin with equal values for one, and writes them all into one buffer, without
    a word.
    """
    of = f"i{bits(type.element)}"
    zero = body.number("util.optimization_barrier", [body.constant(0, of)], of)
    return seen_as(body, body.array("flow.tensor.splat", [zero], ArrayType(type.shape, of)), type)


def seen_as(body: Body, array: Array, type: ArrayType) -> Array:
    """Emits an array's bits as those of another type, if it is another."""
    if array.type == type:
        return array
    attributes = {"operandSegmentSizes": segments(1, 0, 0)}
    return body.array("flow.tensor.bitcast", [array], type, attributes)


def put_row(body: Body, array: Array, lead: Index, row: Array) -> None:
    """Emits an array with a row of its first axis replaced, all of it.

    The row is contiguous, so that what computes it writes it in its place.
    """
    zero = body.index(0)
    placed = body.array(
        "flow.tensor.reshape",
        [row],
        ArrayType((1, *row.shape), row.element),
        {"operandSegmentSizes": segments(1, 0, 0)},
    )
    rest = len(row.shape)
    array.value = body.array(
        "flow.tensor.update",
        [array, body.index(lead), *[zero] * rest, placed],
        array.type,
        {"operandSegmentSizes": segments(1, 0, 1 + rest, 1, 0)},
    ).value
