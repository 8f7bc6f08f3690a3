"""Keeps single numbers that a graph computes in arrays of rank 0.

IREE's importer reads the scales and zero points of DynamicQuantizeLinear as numbers. A host program
would have to wait for the array and read it, which those of C and of JavaScript do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.values import defining, element
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Number
from rnn_compiler.lowering.codegen.linalg import pointwise
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of

_WIDENED = ("arith.extui", "arith.extsi")


def keep_in_arrays(function: ir.Operation) -> None:
    """Reads numbers where they are used in computations of arrays, not before these."""
    for op in nested_ops(function, "linalg.generic"):
        for inner in ops_of(block_of(op)):
            _read_inside(inner)
    for op in nested_ops(function, "iree_linalg_ext.dequantize_affine"):
        for k, operand in enumerate(op.operands):
            chain = _chain(operand)
            if chain:
                op.operands[k] = _as_array(chain)


def _chain(number: ir.Value) -> list[ir.Operation]:
    """The ops that read a number from an array of rank 0 and widen it; empty if others make it."""
    ops: list[ir.Operation] = []
    while not isinstance(number.owner, ir.Block):
        op = defining(number)
        ops.insert(0, op)
        if op.name == "tensor.extract":
            return ops if len(op.operands) == 1 else []
        if op.name not in _WIDENED:
            return []
        number = op.operands[0]
    return []


def _read_inside(inner: ir.Operation) -> None:
    """Reads the operands of an op of a body that are numbers from outside in that body."""
    for k, operand in enumerate(inner.operands):
        chain = _chain(operand)
        if not chain or chain[-1].block == inner.block:
            continue
        value = chain[0].operands[0]
        for op in chain:
            copy = op.clone(ir.InsertionPoint(inner))
            copy.operands[0] = value
            value = copy.results[0]
        inner.operands[k] = value


def _as_array(chain: list[ir.Operation]) -> ir.Value:
    """The array of a number that is read and widened."""
    read, *widened = chain
    array = read.operands[0]
    for op in widened:
        with op.location:
            array = _widened(op, array)
    return array


def _widened(op: ir.Operation, array: ir.Value) -> ir.Value:
    """What an op does to a number, done to its array."""
    body, kind = Body.before(op), element(op.results[0])

    def widen(inside: Body, numbers: Sequence[Number]) -> Number:
        return inside.number(op.name, numbers, kind)

    given = [(Array(array, (), element(array)), range(0))]
    return pointwise(body, given, body.empty(ArrayType((), kind)), widen).value
