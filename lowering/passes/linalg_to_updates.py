"""Rewrites the arithmetic behind a network's next states as StableHLO, which `update_states` takes.

Requires: a portable module; the target is a CPU.
Matches: in functions that update states, the `linalg.generic` of one operation of arithmetic on
arrays of a state's shape and on numbers, from the next value of the state on back to what other ops
compute: optimizers, as the importer of networks writes them.
Leaves: all other ops; they are read by the update.
Ensures: the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from rnn_compiler.lowering.analysis.linalg_arithmetic import Arithmetic, arithmetic
from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.mlir.bindings import end_of, ir, symbol_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit


def updates_are_stablehlo(context: PassContext) -> str | None:
    """No next value of a state is computed by an op of linalg that has an equal in StableHLO."""
    return first(str(found.op) for found in _roots(context))


@pass_with(requires=(), ensures=(updates_are_stablehlo,))
def linalg_to_updates(context: PassContext) -> None:
    """Rewrites the updates of a module's functions."""
    found: set[ir.Operation] = set()
    waiting = [*_roots(context)]
    while waiting:
        each = waiting.pop()
        if each.op not in found:
            found.add(each.op)
            waiting += filter(None, map(arithmetic, each.operands))
    for op in [op for op in context.ops() if op in found]:
        _rewrite(arithmetic(op.results[0]))


def _roots(context: PassContext) -> Iterator[Arithmetic]:
    """The ops that compute next values of states."""
    if not isinstance(context.processor, VectorUnit):
        return
    functions = {symbol_of(op): op for op in context.defined_functions()}
    for spec in context.request.functions:
        for number in spec.continued.values():
            found = arithmetic(end_of(functions[spec.function]).operands[number])
            if found is not None:
                yield found


def _rewrite(found: Arithmetic | None) -> None:
    """Replaces an op."""
    assert found is not None
    body, kind = Body.before(found.op), found.op.results[0].type
    operands = [_repeated(body, value, found.op.results[0]) for value in found.operands]
    replace(found.op, body.op(f"stablehlo.{found.name}", operands, [kind]).results[0])


def _repeated(body: Body, value: ir.Value, like: ir.Value) -> ir.Value:
    """A number as an array of another's shape; arrays unchanged."""
    kind = ir.RankedTensorType(like.type)
    if not isinstance(value.owner, ir.Block) and value.owner.name == "arith.constant":
        constant = ir.DenseElementsAttr(value.owner.attributes["value"])
        if constant.is_splat:
            splat = ir.DenseElementsAttr.get_splat(kind, constant.get_splat_value())
            return body.op("stablehlo.constant", [], [kind], {"value": splat}).results[0]
    if shape(value) == shape(like):
        return value
    attributes = {"broadcast_dimensions": integers([])}
    return body.op("stablehlo.broadcast_in_dim", [value], [kind], attributes).results[0]
