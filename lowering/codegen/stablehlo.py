"""StableHLO on whole arrays, outside of dispatches, for IREE to compile."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    bits,
    element_type,
    is_float,
    known,
)
from rnn_compiler.lowering.mlir.bindings import ir


def converted(body: Body, array: Array, element: str) -> Array:
    """Emits an array's conversion to an element type, if the types differ."""
    if array.element == element:
        return array
    return body.array("stablehlo.convert", [array], ArrayType(array.shape, element))


def full(body: Body, number: int, type: ArrayType) -> Array:
    """Emits a constant array of equal numbers."""
    of = element_type(type.element)
    attribute = (ir.FloatAttr if is_float(type.element) else ir.IntegerAttr).get(of, number)
    value = ir.DenseElementsAttr.get_splat(type.mlir, attribute)
    return body.array("stablehlo.constant", [], type, {"value": value})


def padded(body: Body, array: Array, axis: int, size: int) -> Array:
    """Emits an array padded with zeros at the end of an axis, up to a size."""
    sizes = [*known(array.shape)]
    if sizes[axis] == size:
        return array
    missing, none = [0] * len(sizes), [0] * len(sizes)
    missing[axis], sizes[axis] = size - sizes[axis], size
    attributes = {
        "edge_padding_low": integers(none),
        "edge_padding_high": integers(missing),
        "interior_padding": integers(none),
    }
    operands = [array, full(body, 0, ArrayType((), array.element))]
    return body.array("stablehlo.pad", operands, ArrayType(tuple(sizes), array.element), attributes)


def repeat(body: Body, array: Array, times: int) -> Array:
    """Emits an array with the rows of another repeated several times."""
    return concatenated(body, [array] * times, 0)


def concatenated(body: Body, arrays: Sequence[Array], axis: int) -> Array:
    """Emits arrays side by side along an axis, along which alone their sizes may differ."""
    if len(arrays) == 1:
        return arrays[0]
    sizes = [*arrays[0].shape]
    sizes[axis] = sum(known([each.shape[axis] for each in arrays]))
    type = ArrayType(tuple(sizes), arrays[0].element)
    return body.array("stablehlo.concatenate", arrays, type, {"dimension": integer(axis)})


def transposed(body: Body, array: Array, order: Sequence[int] = (1, 0)) -> Array:
    """Emits an array with its axes in an order; a matrix's transpose by default."""
    if [*order] == sorted(order):
        return array
    type = ArrayType(tuple(array.shape[axis] for axis in order), array.element)
    return body.array("stablehlo.transpose", [array], type, {"permutation": integers(order)})


def sliced(
    body: Body,
    array: Array,
    starts: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int] = (),
) -> Array:
    """Emits a part of an array, of some sizes."""
    strides = strides or [1] * len(starts)
    axes = zip(starts, sizes, strides, strict=True)
    bounds = {
        "start_indices": integers(starts),
        "limit_indices": integers(
            [at + max(0, (size - 1) * stride + 1) for at, size, stride in axes]
        ),
        "strides": integers(strides),
    }
    return body.array("stablehlo.slice", [array], ArrayType(tuple(sizes), array.element), bounds)


def reshaped(body: Body, array: Array, shape: Sequence[Index]) -> Array:
    """Emits an array in another shape."""
    if (*shape,) == array.shape:
        return array
    return body.array("stablehlo.reshape", [array], ArrayType((*shape,), array.element))


def with_flipped_bits(body: Body, array: Array, mask: int) -> Array:
    """Emits the integers of an array with some bits inverted."""
    if mask >> (bits(array.element) - 1):
        mask -= 1 << bits(array.element)
    return body.array("stablehlo.xor", [array, full(body, mask, array.type)], array.type)
