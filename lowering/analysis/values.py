"""Facts about the values of a StableHLO module: their types, and the ops that define them."""

from __future__ import annotations

import math
import re

from rnn_compiler.lowering.codegen.body import Array, Body, is_float
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE
from rnn_compiler.lowering.mlir.bindings import ir, shape_of
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.schema.open_sizes import Size, is_static, static, static_size


def defining(value: ir.Value) -> ir.Operation:
    """The op that a value is the result of; Refused if it is an argument of a block."""
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
    widths: set[int] = set()
    seen: dict[ir.Value, None] = {value: None}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        op = None if isinstance(each.owner, ir.Block) else defining(each)
        if op is not None and op.name == "stablehlo.concatenate":
            widths |= {width(operand) for operand in op.operands}
        elif op is not None and op.name in ELEMENTWISE:
            new = [x for x in op.operands if rank(x) == 2 and x not in seen]
            seen |= dict.fromkeys(new)
            waiting += new
        else:
            widths.add(width(each))
    return math.gcd(*widths)


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


ZERO = "0.000000e+00 : f32"
"""What `filled_with` says of zeros in float32."""


def filled_with(value: ir.Value) -> str:
    """The constant that `linalg.fill` has filled an array with; empty for other arrays."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "linalg.fill":
        return ""
    number = value.owner.operation.operands[0]
    if isinstance(number.owner, ir.Block) or number.owner.name != "arith.constant":
        return ""
    return str(number.owner.attributes["value"])


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


# Ops that move elements without changing them, with known or open sizes.
#
# For open sizes, StableHLO has other ops, which take sizes or positions as operands:
#
# | known | open |
# |---|---|
# | `reshape`, `broadcast_in_dim` | `dynamic_reshape`, `dynamic_broadcast_in_dim` |
# | `slice` | `real_dynamic_slice` whose starts are constants |
# | `dynamic_slice` | `real_dynamic_slice` with a computed start |
#
# In this module, both ops of a pair have the first name.

_OPEN = {
    "dynamic_reshape": "reshape",
    "dynamic_broadcast_in_dim": "broadcast_in_dim",
    "real_dynamic_slice": "slice",
}


def kind(op: ir.Operation) -> str:
    """The name of an op without its dialect, the same for known and open sizes."""
    name = op.name.removeprefix("stablehlo.")
    if name == "real_dynamic_slice" and not all(map(is_constant, elements(op.operands[1]))):
        return "dynamic_slice"
    return _OPEN.get(name, name)


def sources(op: ir.Operation) -> list[ir.Value]:
    """The operands of an op without the sizes."""
    if op.name.removeprefix("stablehlo.") not in _OPEN:
        return list(op.operands)
    moved = [op.operands[0]]
    return [*moved, row_number(op)] if kind(op) == "dynamic_slice" else moved


def elements(vector: ir.Value) -> list[ir.Value]:
    """The scalars that make up a vector of sizes or positions."""
    op = defining(vector)
    match op.name:
        case "stablehlo.concatenate":
            return [each for operand in op.operands for each in elements(operand)]
        case "stablehlo.reshape":
            return [op.operands[0]]
        case _:
            raise Refused(f"{op.name} as a vector of sizes")


def constant_int(scalar: ir.Value) -> int:
    """The value of a constant scalar integer."""
    return ir.IntegerAttr(splat_of(scalar)).value


def starts(op: ir.Operation) -> list[int]:
    """The start of a `slice` along each axis."""
    if op.name == "stablehlo.slice":
        return ints(op, "start_indices")
    return [constant_int(each) for each in elements(op.operands[1])]


def row_number(op: ir.Operation) -> ir.Value:
    """The start of a `dynamic_slice` along the first axis, a scalar."""
    if op.name == "stablehlo.dynamic_slice":
        return op.operands[1]
    return elements(op.operands[1])[0]


def check_movement(op: ir.Operation) -> None:
    """Refuses an op unless it moves whole rows, or columns of all rows."""
    match kind(op):
        case "slice" if not _is_dense(op):
            raise Refused("a slice with gaps in a step")
        case "concatenate" if ir.IntegerAttr(op.attributes["dimension"]).value != 1:
            raise Refused("a concatenation of rows in a step")
        case "broadcast_in_dim":
            result = shape(op.results[0])
            kept = tuple(result[axis] for axis in ints(op, "broadcast_dimensions"))
            if shape(op.operands[0]) != kept:
                raise Refused("a unit axis that is repeated in a step")
        case "dynamic_slice" if shape(op.results[0])[1:] != shape(op.operands[0])[1:]:
            raise Refused("a part of a row in a step")
        case _:
            pass


def _is_dense(slice: ir.Operation) -> bool:
    if slice.name == "stablehlo.slice":
        return set(ints(slice, "strides")) == {1}
    return {constant_int(each) for each in elements(slice.operands[3])} == {1}


# Finds where the open sizes of a value come from, and makes arrays of a module's values.
#
# IREE knows the sizes of its own ops' results. For the result of a StableHLO op it inserts an op
# of the `shape` dialect, which it then rejects. So sizes are read from that op's operands
# instead.

_SAME = {"flow.tensor.tie_shape", "flow.tensor.clone"}
"""Ops whose result has the shape of their first operand."""


def array_of(body: Body, value: ir.Value) -> Array:
    """A value as an array, its open sizes read from their source."""
    sizes = [
        size if isinstance(size, int) else body.size(*source_of_size(value, axis))
        for axis, size in enumerate(shape(value))
    ]
    return Array(value, sizes, element(value))


def tied(value: ir.Value, before: ir.Operation) -> ir.Value:
    """A value with its open sizes attached, as an argument of a call."""
    if isinstance(value.owner, ir.Block) or is_static(*shape(value)):
        return value
    body = Body.before(before)
    sizes = array_of(body, value).type.computed
    return body.op("flow.tensor.tie_shape", [value, *sizes], [value.type]).results[0]


def tie_results(barrier: ir.Operation) -> None:
    """States that a barrier's results have the open sizes of its operands."""
    before, after = Body.before(barrier), Body.after(barrier)
    for value, result in zip(barrier.operands, barrier.results, strict=True):
        sizes = array_of(before, value).type.computed
        if sizes:
            tied = after.op("flow.tensor.tie_shape", [result, *sizes], [result.type])
            result.replace_all_uses_except(tied.results[0], tied)


def source_of_size(value: ir.Value, axis: int) -> tuple[ir.Value, int]:
    """Follows a size back to the earliest value, and its axis, that has the same size."""
    while not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name in ELEMENTWISE:
            same = shape(value)
            value = next(operand for operand in op.operands if shape(operand) == same)
        elif op.name in _SAME:
            value = op.operands[0]
        elif op.name == "stablehlo.optimization_barrier":
            pairs = zip(op.operands, op.results, strict=True)
            value = next(operand for operand, result in pairs if result == value)
        elif op.name == "stablehlo.transpose":
            value, axis = op.operands[0], ints(op, "permutation")[axis]
        elif op.name == "stablehlo.concatenate":
            if ir.IntegerAttr(op.attributes["dimension"]).value == axis:
                break
            value = op.operands[0]
        elif axis == 0 and (contracted_axes(op) or (0, 0))[0] == 1:
            value = op.operands[0]
        else:
            break
    return value, axis
