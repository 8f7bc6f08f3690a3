"""The conversions of a module between two element types, and their replacement."""

from __future__ import annotations

from collections.abc import Callable

from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.rewriting.edits import pointwise_cast, replace
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["rewrite_conversions"]


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
    for convert in _conversions(module, "stablehlo.convert", (of, to)):
        if is_static(*shape(convert.results[0])):  # else it is a user's
            replace(convert, pointwise_cast(Body.before(convert), convert.operands[0], to))
    for each in _conversions(module, op, (of, to)):
        kind = each.operands[0].type
        lanes = ir.VectorType(kind).shape[0] if isinstance(kind, ir.VectorType) else 0
        body = Body.before(each)
        replace(each, emit(body, Number(body, each.operands[0], of, lanes)).value)


def _conversions(module: ir.Module, name: str, types: tuple[str, str]) -> list[ir.Operation]:
    """The ops of a name that convert from the first element type to the second."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name and _elements(op) == types:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _elements(op: ir.Operation) -> tuple[str, ...]:
    """The element types of an op's operand and result: scalars, vectors or tensors."""
    kinds = (op.operands[0].type, op.results[0].type)
    shaped = (ir.RankedTensorType, ir.VectorType)
    return tuple(str(kind.element_type if isinstance(kind, shaped) else kind) for kind in kinds)
