"""StableHLO on whole arrays, outside of dispatches, for IREE to compile."""

from __future__ import annotations

from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
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
    type = ArrayType((times * known(array.shape[:1])[0], *array.shape[1:]), array.element)
    return body.array("stablehlo.concatenate", [array] * times, type, {"dimension": integer(0)})


def transposed(body: Body, matrix: Array) -> Array:
    """Emits a matrix's transpose."""
    type = ArrayType(matrix.shape[::-1], matrix.element)
    order = {"permutation": integers([1, 0])}
    return body.array("stablehlo.transpose", [matrix], type, order)


def with_flipped_bits(body: Body, array: Array, mask: int) -> Array:
    """Emits the integers of an array with some bits inverted."""
    if mask >> (bits(array.element) - 1):
        mask -= 1 << bits(array.element)
    return body.array("stablehlo.xor", [array, full(body, mask, array.type)], array.type)
