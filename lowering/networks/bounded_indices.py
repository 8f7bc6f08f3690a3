"""Clamps the positions that a graph computes from elements of arrays into their arrays.

IREE's importer asserts some of them, which compiled code does not check, and others not at all.
At this stage, negative positions already count from the start.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number
from rnn_compiler.lowering.codegen.linalg import pointwise
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, shape_of


def clamp_positions(function: ir.Operation) -> None:
    """Clamps the positions of elements that are read one by one, and of scattered updates."""
    for op in nested_ops(function, "tensor.extract", "iree_linalg_ext.scatter"):
        with op.location:
            if op.name == "tensor.extract":
                _clamp_element(op)
            else:
                _clamp_updates(op)


def _clamp_element(op: ir.Operation) -> None:
    """Clamps those coordinates of an element that depend on elements of arrays."""
    array, *coordinates = op.operands
    parent = op.parent.operation
    outside = Body.before(parent if parent.name == "linalg.generic" else op)
    inside = Body.before(op)
    for axis, coordinate in enumerate(coordinates):
        if _is_number(coordinate):
            last = _size(outside, array, axis) - 1
            number = _before_cast(inside, coordinate)
            op.operands[1 + axis] = number.at_least(0).at_most(last).to_index().value


def _before_cast(body: Body, coordinate: ir.Value) -> Number:
    """A coordinate as the integer of 64 bits that it was: an index may have 32."""
    if not isinstance(coordinate.owner, ir.Block):
        op = coordinate.owner.operation
        if op.name == "arith.index_cast" and element(op.operands[0]) == "i64":
            return Number(body, op.operands[0], "i64")
    return Number(body, coordinate, "index")


def _clamp_updates(op: ir.Operation) -> None:
    """Clamps the positions of a scatter's updates: the last axis of its second operand."""
    _, positions, target = op.operands
    body = Body.before(op)
    kind = element(positions)
    lasts = [
        body.integer(_size(body, target, axis) - 1, kind)
        for axis in ir.DenseI64ArrayAttr(op.attributes["dimension_map"])
    ]
    sizes = tuple(_size(body, positions, axis) for axis in range(len(shape_of(positions.type))))
    type = ArrayType(sizes, kind)
    axes = range(len(sizes))

    def clamped(inside: Body, numbers: Sequence[Number]) -> Number:
        attributes = {"dim": integer(len(sizes) - 1)}
        column = inside.number("linalg.index", [], "index", attributes=attributes)
        last = lasts[0]
        for k, other in enumerate(lasts[1:], 1):
            last = inside.select(inside.compare("eq", column, k), other, last)
        return numbers[0].at_least(0).at_most(last)

    given = [(Array(positions, sizes, kind), axes)]
    op.operands[1] = pointwise(body, given, body.empty(type), clamped).value


def _size(body: Body, array: ir.Value, axis: int) -> Index:
    """The size of an axis."""
    size = shape_of(array.type)[axis]
    return size if isinstance(size, int) else body.size(array, axis)


def _is_number(coordinate: ir.Value) -> bool:
    """Whether a coordinate depends on elements, not only on sizes and loop counters."""
    waiting, seen = [coordinate], set[ir.Value]()
    while waiting:
        value = waiting.pop()
        if isinstance(value.owner, ir.Block):
            loop = value.owner.owner
            if loop.name != "scf.for" or value != value.owner.arguments[0]:
                return True
        elif value not in seen:
            seen.add(value)
            op = value.owner.operation
            if op.name == "tensor.extract" or len(op.regions):
                return True
            waiting += [] if op.name == "tensor.dim" else op.operands
    return False
