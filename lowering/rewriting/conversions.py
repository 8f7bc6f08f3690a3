"""Replaces ops on single numbers: the conversions between two element types, and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.rewriting.edits import pointwise_op, replace
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["as_number", "conversions", "rewrite_conversions", "rewrite_numbers"]


def rewrite_conversions(
    module: ir.Module, op: str, of: str, to: str, emit: Callable[[Body, Number], Number]
) -> None:
    """Rewrites the conversions from an element type to another.

    Args:
        module: The module.
        op: The op that converts scalars and vectors; a `stablehlo.convert` of an array becomes a
            `linalg.generic` around one first.
        of: The element type to convert from.
        to: The element type to convert to.
        emit: Emits the replacement of an op.
    """
    for convert in _conversions(module, "stablehlo.convert", of, to):
        replace(convert, pointwise_op(Body.before(convert), convert))
    rewrite_numbers(_conversions(module, op, of, to), emit)


def rewrite_numbers(ops: Iterable[ir.Operation], emit: Callable[[Body, Number], Number]) -> None:
    """Replaces ops on a scalar or a vector.

    Args:
        ops: The ops.
        emit: Emits the replacement of an op, given its operand.
    """
    for op in ops:
        body = Body.before(op)
        replace(op, emit(body, as_number(body, op.operands[0])).value)


def as_number(body: Body, value: ir.Value) -> Number:
    """A scalar or a vector as a number."""
    kind = value.type
    lanes = kind.shape[0] if isinstance(kind, ir.VectorType) else 0
    return Number(body, value, element(value), lanes)


def conversions(module: ir.Module, op: str, of: str, to: str) -> list[ir.Operation]:
    """The conversions that `rewrite_conversions` rewrites, of arrays and of numbers."""
    return [
        convert
        for name in ("stablehlo.convert", op)
        for convert in _conversions(module, name, of, to)
    ]


def _conversions(module: ir.Module, name: str, of: str, to: str) -> list[ir.Operation]:
    """The ops of a name that convert from an element type to another.

    Those of StableHLO whose sizes are open are a user's, and not among them.
    """
    return [
        op
        for op in nested_ops(module.operation, name)
        if (element(op.operands[0]), element(op.results[0])) == (of, to)
        and (name != "stablehlo.convert" or is_static(*shape(op.results[0])))
    ]
