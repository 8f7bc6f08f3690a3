"""Ops that move elements without changing them, with known or open sizes.

For open sizes, StableHLO has other ops, which take sizes or positions as operands:

| known | open |
|---|---|
| `reshape`, `broadcast_in_dim` | `dynamic_reshape`, `dynamic_broadcast_in_dim` |
| `slice` | `real_dynamic_slice` whose starts are constants |
| `dynamic_slice` | `real_dynamic_slice` with a computed start |

In this module, both ops of a pair have the first name.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import defining, ints, is_constant, shape, splat_of
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused

__all__ = ["check_movement", "constant_int", "elements", "kind", "row_number", "sources", "starts"]

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
    """Checks that an op moves whole rows, or columns of all rows.

    Raises:
        Refused: It does something else.
    """
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
