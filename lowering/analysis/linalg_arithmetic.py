"""Reads the arithmetic of `linalg.generic`, as the importer of networks writes it."""

from __future__ import annotations

from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import rank, shape, static_shape
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["Arithmetic", "arithmetic", "summed"]

_OPS = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.subf": "subtract",
    "arith.mulf": "multiply",
    "arith.divf": "divide",
    "arith.negf": "negate",
    "math.sqrt": "sqrt",
}
"""Operations, by their names there and in StableHLO."""


class Arithmetic(NamedTuple):
    """An op of arithmetic on arrays: its operation in StableHLO, and its operands."""

    op: ir.Operation
    name: str
    operands: list[ir.Value]


def arithmetic(value: ir.Value) -> Arithmetic | None:
    """The op that computes a value, if it is one of arithmetic."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "linalg.generic":
        return None
    op = value.owner.operation
    block = op.regions[0].blocks[0]
    inner, *rest = ops_of(block)
    if inner.name not in _OPS or len(rest) != 1 or [*rest[0].operands] != [*inner.results]:
        return None
    numbers: list[ir.Value] = [*block.arguments]
    given = [*op.operands][:-1]
    places = [numbers.index(each) for each in inner.operands if each in numbers[:-1]]
    if len(op.results) != 1 or len(places) != len(inner.operands) or not is_static(*shape(value)):
        return None
    axes = _maps(op)
    if not all(_is_whole(x, axes[k], value) for k, x in enumerate([*given, value])):
        return None
    return Arithmetic(op, _OPS[inner.name], [given[place] for place in places])


def summed(op: ir.Operation) -> ir.Value | None:
    """The array of known sizes all of whose numbers an op adds to a number; None for other ops."""
    if op.name != "linalg.generic" or len(op.operands) != 2 or shape(op.operands[1]):
        return None
    value, block = op.operands[0], op.regions[0].blocks[0]
    inner, *rest = ops_of(block)
    if inner.name != "arith.addf" or {*inner.operands} != {*block.arguments} or len(rest) != 1:
        return None
    if [*rest[0].operands] != [*inner.results] or not rank(value) or not is_static(*shape(value)):
        return None
    return value if _is_whole(value, _maps(op)[0], value) else None


def _maps(op: ir.Operation) -> list[ir.AffineMap]:
    """The axes of each operand."""
    return [ir.AffineMapAttr(each).value for each in ir.ArrayAttr(op.attributes["indexing_maps"])]


def _is_whole(value: ir.Value, axes: ir.AffineMap, like: ir.Value) -> bool:
    """Whether an op reads an array element by element, as it writes its result, or a number."""
    if not rank(value):
        return True
    names, sizes = map(str, axes.results), static_shape(like)
    same = (
        name == f"d{axis}" or (name == "0" and size == 1)
        for axis, (name, size) in enumerate(zip(names, sizes, strict=False))
    )
    return shape(value) == shape(like) and all(same)
