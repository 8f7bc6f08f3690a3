"""StableHLO on whole arrays, outside of dispatches, for IREE to compile."""

from __future__ import annotations

from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.number import bits, element_type, is_float
from rnn_compiler.lowering.mlir import ir

__all__ = ["converted", "padded", "repeat", "transposed", "with_flipped_bits"]


def converted(body: Body, array: Array, element: str) -> Array:
    """Emits an array's conversion to an element type, if the types differ."""
    if array.element == element:
        return array
    return body.array("stablehlo.convert", [array], ArrayType(array.shape, element))


def padded(body: Body, matrix: Array, columns: int) -> Array:
    """Emits a matrix padded with zero columns up to a width."""
    rows, before = known(matrix.shape)
    if before == columns:
        return matrix
    scalar = ir.RankedTensorType.get([], element_type(matrix.element))
    of = element_type(matrix.element)
    nothing = ir.FloatAttr.get(of, 0.0) if is_float(matrix.element) else ir.IntegerAttr.get(of, 0)
    zero = ir.DenseElementsAttr.get_splat(scalar, nothing)
    operands = [
        matrix,
        body.array("stablehlo.constant", [], ArrayType((), matrix.element), {"value": zero}),
    ]
    attributes = {
        "edge_padding_low": integers([0, 0]),
        "edge_padding_high": integers([0, columns - before]),
        "interior_padding": integers([0, 0]),
    }
    return body.array(
        "stablehlo.pad", operands, ArrayType((rows, columns), matrix.element), attributes
    )


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
    of = element_type(array.element)
    if mask >> (bits(array.element) - 1):
        mask -= 1 << bits(array.element)
    type = ArrayType(array.shape, array.element)
    value = ir.DenseElementsAttr.get_splat(type.mlir, ir.IntegerAttr.get(of, mask))
    other = body.array("stablehlo.constant", [], type, {"value": value})
    return body.array("stablehlo.xor", [array, other], type)
