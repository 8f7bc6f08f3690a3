"""Whole arrays on the host: zeros with a buffer of their own, rows replaced in place, views."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rnn_compiler.lowering.codegen.attributes import integers, reassociation, segments
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, bits, known, product
from rnn_compiler.lowering.mlir.bindings import ir


def own_zeros(body: Body, type: ArrayType, zero: ir.Value | None = None) -> Array:
    """Emits an array of zeros with a buffer of its own.

    It is a splat of a zero that `util.optimization_barrier` hides. Otherwise IREE merges arrays
    with equal initial values, and silently writes them all into one buffer
    (`tests/traps/test_equal_arrays.py`). The zero is an integer of as many bits: the host has no
    16-bit floats.
    """
    of = ArrayType(type.shape, f"i{bits(type.element)}")
    if zero is None:
        constant = body.constant(0, of.element)
        zero = body.number("util.optimization_barrier", [constant], of.element).value
    return seen_as(body, body.array("flow.tensor.splat", [zero, *of.computed], of), type)


def seen_as(body: Body, array: Array, type: ArrayType) -> Array:
    """Emits an array's bits as another type, if the types differ."""
    if array.type == type:
        return array
    sizes = type.computed
    attributes = {"operandSegmentSizes": segments(1, len(sizes), len(sizes))}
    return body.array("flow.tensor.bitcast", [array, *sizes, *sizes], type, attributes)


def put_row(body: Body, array: Array, lead: Index, row: Array) -> None:
    """Emits an array with one row of its first axis replaced.

    The row is contiguous, so it is computed in place.
    """
    zero = body.index(0)
    computed = body.array(
        "flow.tensor.reshape",
        [row],
        ArrayType((1, *row.shape), row.element),
        {"operandSegmentSizes": segments(1, 0, 0)},
    )
    rest = len(row.shape)
    array.value = body.array(
        "flow.tensor.update",
        [array, body.index(lead), *[zero] * rest, computed],
        array.type,
        {"operandSegmentSizes": segments(1, 0, 1 + rest, 1, 0)},
    ).value


def collapse(body: Body, array: Array, groups: Sequence[Sequence[int]]) -> Array:
    """Emits an array with some neighbouring axes as one."""
    if array.type.computed:
        grouped = [[array.shape[axis] for axis in group] for group in groups]
        return reshape(body, array, [product(sizes) for sizes in grouped])
    sizes = [math.prod(known(array.shape[axis] for axis in group)) for group in groups]
    attributes = {"reassociation": reassociation(groups)}
    type = ArrayType(tuple(sizes), array.element)
    return body.array("tensor.collapse_shape", [array], type, attributes)


def expand(
    body: Body, array: Array, groups: Sequence[Sequence[int]], shape: Sequence[Index]
) -> Array:
    """Emits an array with some axes as several."""
    if array.type.computed:
        return reshape(body, array, shape)
    sizes = known(shape)
    attributes: dict[str, ir.Attribute] = {
        "reassociation": reassociation(groups),
        "static_output_shape": integers(sizes),
    }
    return body.array("tensor.expand_shape", [array], ArrayType(sizes, array.element), attributes)


def reshape(body: Body, array: Array, shape: Sequence[Index]) -> Array:
    """Emits an array's elements in another shape, outside of a dispatch."""
    type = ArrayType(tuple(shape), array.element)
    before, after = array.type.computed, type.computed
    attributes = {"operandSegmentSizes": segments(1, len(before), len(after))}
    return body.array("flow.tensor.reshape", [array, *before, *after], type, attributes)
