"""Assembles arrays from their parts without a copy, where memory is scarce.

Requires: a portable module; the target is a CPU.
Matches: if memory is scarce, `stablehlo.concatenate` of the outputs of different time loops along
their columns, such as those of a layer's directions; and of other values that are contiguous in a
function's result, such as final states. Replaces each by insertions into one array, each directly
after its part. `fuse_time_loops` then makes a loop write its output there itself. If the array is a
result of the function, it is marked, and becomes the caller's memory (`host.external_results`).
Leaves: open sizes, and outputs of a single step, for which loops need another array.
Ensures: the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rnn_compiler.lowering.analysis.time_loop import is_time_loop
from rnn_compiler.lowering.analysis.values import array_of, defining, rank, shape
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.cpu.fused_loop.plan import MIN_STEPS
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.lowering.mlir.marks import COLUMNS, RESULT
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static, static


def parts_are_in_place(context: PassContext) -> str | None:
    """Where memory is scarce, no concatenation copies parts that could be written in place."""
    return first(str(op) for op, *_ in _avoidable_copies(context))


@pass_with(requires=(), ensures=(parts_are_in_place,))
def assemble_in_place(context: PassContext) -> None:
    """Rewrites the concatenations of a module's functions."""
    for op, axis, attributes in _avoidable_copies(context):
        _assemble(op, axis, attributes)


def _avoidable_copies(
    context: PassContext,
) -> Iterator[tuple[ir.Operation, int, Mapping[str, ir.Attribute]]]:
    """The concatenations to replace: their axes, and the attributes of the insertions."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    for op in [] if vectors.has_memory else context.ops():
        if op.name == "stablehlo.concatenate" and _is_known(op):
            axis = ir.IntegerAttr(op.attributes["dimension"]).value
            if _joins_outputs(op, axis):
                yield op, axis, {COLUMNS: ir.UnitAttr.get()}
            elif _is_contiguous_result(op, axis):
                yield op, axis, {}


def _is_known(op: ir.Operation) -> bool:
    """Whether a concatenation has known sizes, and its parts are results of ops."""
    is_made = all(not isinstance(each.owner, ir.Block) for each in op.operands)
    return is_made and is_static(*shape(op.results[0]))


def _joins_outputs(op: ir.Operation, axis: int) -> bool:
    """Whether a concatenation consists of columns of outputs that nothing else reads."""
    loops = [defining(each) for each in op.operands]
    return (
        axis == 2
        and len({*loops}) == len(loops)
        and all(map(is_time_loop, loops))
        and all(len([*each.uses]) == 1 for each in op.operands)
        and static(shape(op.results[0]))[0] >= MIN_STEPS
    )


def _is_contiguous_result(op: ir.Operation, axis: int) -> bool:
    """Whether a concatenation is a result of its function in which each part is contiguous."""
    return _result_number(op) is not None and math.prod(static(shape(op.results[0]))[:axis]) == 1


def _result_number(op: ir.Operation) -> int | None:
    """The number of the result that an op is, if it is nothing else; else None."""
    uses = [*op.results[0].uses]
    is_result = len(uses) == 1 and uses[0].owner.name == "func.return"
    return uses[0].operand_number if is_result else None


def _assemble(op: ir.Operation, axis: int, attributes: Mapping[str, ir.Attribute]) -> None:
    """Replaces a concatenation by insertions with some attributes."""
    joined, number, ops = op.results[0], _result_number(op), ops_of(op.block)
    starts, start = list[list[int]](), 0
    for part in op.operands:
        starts.append([start if each == axis else 0 for each in range(rank(joined))])
        start += static(shape(part))[axis]
    pairs = zip(op.operands, starts, strict=True)
    parts = sorted(pairs, key=lambda pair: ops.index(defining(pair[0])))
    index = ir.IndexType.get()
    mark = {} if number is None else {RESULT: ir.IntegerAttr.get(index, number)}
    before = Body.before(defining(parts[0][0]))
    array = array_of(before, before.op("flow.tensor.empty", [], [joined.type], mark).results[0])
    for part, start in parts:
        body = Body.after(defining(part))
        body.insert(array_of(body, part), array, start)
        for name, value in attributes.items():
            defining(array.value).attributes[name] = value
    joined.replace_all_uses_with(array.value)
    op.erase()
