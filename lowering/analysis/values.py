"""Facts about the values of a StableHLO module: their types, and the ops that define them."""

from __future__ import annotations

import math
import re

from rnn_compiler.lowering.codegen.body import ELEMENTWISE, is_float
from rnn_compiler.lowering.mlir.bindings import ir, shape_of
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.schema.open_sizes import Size, static, static_size

__all__ = [
    "broadcast_source",
    "contracted_axes",
    "defining",
    "element",
    "gate_width",
    "ints",
    "is_constant",
    "is_splat",
    "operand_at",
    "rank",
    "shape",
    "splat_of",
    "static_shape",
    "summed_axes",
    "width",
]


def defining(value: ir.Value) -> ir.Operation:
    """The op that a value is the result of.

    Raises:
        Refused: It is an argument of a block.
    """
    if isinstance(value.owner, ir.Block):
        raise Refused("a whole array as a value of a step")
    return value.owner.operation


def operand_at(concatenate: ir.Operation, column: int) -> tuple[ir.Value, int]:
    """The operand of a concatenation that a column comes from, and the column's number in it."""
    for operand in concatenate.operands:
        if column < width(operand):
            return operand, column
        column -= width(operand)
    raise Refused("a part that crosses a concatenation")


def gate_width(value: ir.Value) -> int:
    """The width of the gates that lie side by side in a value; it may be a single gate."""
    if not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name == "stablehlo.concatenate":
            return math.gcd(*(width(operand) for operand in op.operands))
        if op.name in ELEMENTWISE:
            return math.gcd(*(gate_width(x) for x in op.operands if rank(x) == 2))
    return width(value)


def is_constant(value: ir.Value) -> bool:
    """Whether a value is a constant."""
    return not isinstance(value.owner, ir.Block) and defining(value).name == "stablehlo.constant"


def broadcast_source(value: ir.Value) -> ir.Value:
    """The value that a broadcast of open sizes repeats; other values unchanged."""
    while not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name != "stablehlo.dynamic_broadcast_in_dim":
            break
        value = op.operands[0]
    return value


def is_splat(value: ir.Value, number: int) -> bool:
    """Whether a value is a constant whose elements are all a given number."""
    value = broadcast_source(value)
    if not is_constant(value):
        return False
    text = f"{number}.0" if is_float(element(value)) else number
    return defining(value).attributes["value"] == ir.Attribute.parse(
        f"dense<{text}> : {value.type}"
    )


def splat_of(constant: ir.Value) -> ir.Attribute:
    """The number that all elements of a constant are."""
    return ir.DenseElementsAttr(defining(constant).attributes["value"]).get_splat_value()


def element(value: ir.Value) -> str:
    """The element type of an array or a vector; the type of a scalar."""
    kind = value.type
    shaped = isinstance(kind, (ir.RankedTensorType, ir.VectorType))
    return str(kind.element_type if shaped else kind)


def shape(value: ir.Value) -> tuple[Size, ...]:
    """A value's shape; open sizes have no name."""
    return shape_of(value.type)


def static_shape(value: ir.Value) -> tuple[int, ...]:
    """A value's shape, which has no open size."""
    return static(shape(value))


def rank(value: ir.Value) -> int:
    """A value's rank."""
    return ir.RankedTensorType(value.type).rank


def width(value: ir.Value) -> int:
    """The size of a value's last axis, which is known."""
    return static_size(shape(value)[-1])


def ints(op: ir.Operation, name: str) -> list[int]:
    """An attribute that is a list of integers."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def contracted_axes(op: ir.Operation) -> tuple[int, int] | None:
    """The axis of each operand that an op sums over; None for other ops than matrix products."""
    if op.name != "stablehlo.dot_general":
        return None
    lhs, rhs = summed_axes(op)
    ranks = [rank(value) for value in (*op.operands, *op.results)]
    return (lhs[0], rhs[0]) if len(lhs) == 1 and ranks == [2, 2, 2] else None


def summed_axes(op: ir.Operation) -> tuple[list[int], list[int]]:
    """The axes of each operand that a `dot_general` sums over, of arrays of any rank."""
    numbers = str(op.attributes["dot_dimension_numbers"])  # the bindings have no class for it
    found = re.findall(r"contracting_dimensions = \[(.+?)\]", numbers) or ["", ""]
    lhs, rhs = ([int(axis) for axis in re.findall(r"\d+", each)] for each in found)
    return lhs, rhs
