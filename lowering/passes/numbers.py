"""Computes the single numbers at the end of a step in one dispatch.

Requires: a module whose states are updated; the target is a CPU.
Matches: in a user's functions, the ops on single numbers that only its last calls and its results
depend on: the loss, the norm of the gradients, an optimizer's counters, powers and rates. They
become one `flow.dispatch.region`, IREE's way to say what a dispatch computes. By itself, it would
make a dispatch for each of them that depends on something else, and compile each.
Leaves: numbers that other ops read, with which IREE fuses them, and a single one.
Ensures: the same numbers.
"""

from __future__ import annotations

from collections.abc import Collection

from rnn_compiler.lowering.analysis.values import defining, element, shape
from rnn_compiler.lowering.mlir.bindings import block_of, callee_of, end_of, ir, is_private, ops_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_OPS = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("abs", "add", "and", "ceil", "clamp", "compare", "convert", "cosine", "divide"),
        *("exponential", "exponential_minus_one", "floor", "is_finite", "log", "log_plus_one"),
        *("logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "power"),
        *("round_nearest_even", "rsqrt", "select", "sign", "sine", "sqrt", "subtract", "tanh"),
        "xor",
    )
)
"""The ops on numbers that are taken."""

_CONSTANT = "stablehlo.constant"

_MOST = 24
"""The most numbers that the dispatch reads and makes; IREE's runtime takes 32 arrays."""

_REGION = "flow.dispatch.region"


def numbers_are_one_dispatch(context: PassContext) -> str | None:
    """No function has several numbers left that its dispatch could compute."""
    return first(str(numbers[0]) for numbers, _ in _found(context))


@pass_with(requires=(), ensures=(numbers_are_one_dispatch,))
def numbers(context: PassContext) -> None:
    """Gathers the numbers."""
    if not context.is_users or not isinstance(context.processor, VectorUnit):
        return
    for function in context.defined_functions():
        if not is_private(function):
            _inline(context.module, function)
    for ops, before in _found(context):
        _gather(ops, before)


def _inline(module: ir.Module, function: ir.Operation) -> None:
    """Inlines the private functions that compute numbers, such as JAX's `where`."""
    symbols = ir.SymbolTable(module.operation)
    for call in ops_of(block_of(function)):
        if call.name != "func.call" or not _are_numbers([*call.operands, *call.results]):
            continue
        called = symbols[callee_of(call)].operation
        if not called.regions[0].blocks:
            continue
        *ops, end = ops_of(block_of(called))
        if not all(map(_is_number, ops)):
            continue
        arguments = block_of(called).arguments
        values = dict[ir.Value, ir.Value](zip(arguments, call.operands, strict=True))
        with ir.InsertionPoint(call):
            for op in ops:
                values[op.results[0]] = _cloned(op, values)
        for result, value in zip(call.results, end.operands, strict=True):
            result.replace_all_uses_with(values[value])
        call.erase()


def _cloned(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> ir.Value:
    """A copy of an op here, with other operands."""
    copy = op.clone()
    for number, operand in enumerate(op.operands):
        copy.operands[number] = values.get(operand, operand)
    return copy.results[0]


def _found(context: PassContext) -> list[tuple[list[ir.Operation], ir.Operation]]:
    """The numbers of each function, in order, and the op before which they are computed."""
    if not context.is_users or not isinstance(context.processor, VectorUnit):
        return []
    functions = [op for op in context.defined_functions() if not is_private(op)]
    found = [_numbers_of(function) for function in functions]
    return [(ops, before) for ops, before in found if len(ops) > 1 and _is_small(ops)]


def _numbers_of(function: ir.Operation) -> tuple[list[ir.Operation], ir.Operation]:
    """The numbers of a function without constants, and the first op that may depend on them."""
    ops, end = ops_of(block_of(function)), end_of(function)
    last = {end}
    first_of_last = end
    for op in reversed(ops[:-1]):
        if op.name == "func.call" and _users(op) <= last:
            last.add(op)
            first_of_last = op
        elif not _is_number(op):
            break
    found: set[ir.Operation] = set()
    for op in reversed(ops):
        users = _users(op)
        if _is_number(op) and op.name != _CONSTANT and users and users <= last | found:
            found.add(op)
    after = ops[ops.index(first_of_last) :]  # constants there are copied into the dispatch
    late = last | {op for op in after if op.name != _CONSTANT} - found
    kept: list[ir.Operation] = []
    for op in ops:
        if op in found and _makers(op).isdisjoint(late):
            kept.append(op)
        elif op in found:
            late.add(op)
    return kept, first_of_last


def _users(op: ir.Operation) -> set[ir.Operation]:
    return {use.owner.operation for result in op.results for use in result.uses}


def _makers(op: ir.Operation) -> set[ir.Operation]:
    return {x.owner.operation for x in op.operands if not isinstance(x.owner, ir.Block)}


def _is_number(op: ir.Operation) -> bool:
    """Whether an op is a constant or one on single numbers."""
    return (op.name in _OPS or op.name == _CONSTANT) and _are_numbers([*op.operands, *op.results])


def _are_numbers(values: Collection[ir.Value]) -> bool:
    return all(
        isinstance(value.type, ir.RankedTensorType)
        and not shape(value)
        and element(value)[0] in "if"
        for value in values
    )


def _is_small(ops: Collection[ir.Operation]) -> bool:
    """Whether a dispatch may read and make that many arrays."""
    read = {x for op in ops for x in op.operands if not _is_constant(x)}
    made = {op.results[0] for op in ops}
    return len(read - made) + len([op for op in ops if not _users(op) <= {*ops}]) <= _MOST


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.name == _CONSTANT


def _gather(ops: list[ir.Operation], before: ir.Operation) -> None:
    """Moves ops to a region of their own."""
    inside = {*ops}
    returned = [op for op in ops if not _users(op) <= inside]
    sizes = ir.DenseI32ArrayAttr.get([0, 0])
    region = ir.Operation.create(
        _REGION,
        results=[op.results[0].type for op in returned],
        attributes={"operandSegmentSizes": sizes},
        regions=2,
        ip=ir.InsertionPoint(before),
        loc=before.location,
    )
    block = region.regions[0].blocks.append()
    values: dict[ir.Value, ir.Value] = {}
    with ir.InsertionPoint(block):
        for op in ops:
            for operand in op.operands:
                if _is_constant(operand) and operand not in values:
                    values[operand] = _cloned(defining(operand), {})
            values[op.results[0]] = _cloned(op, values)
        made = [values[op.results[0]] for op in returned]
        ir.Operation.create("flow.return", operands=made, loc=before.location)
    for op, result in zip(returned, region.results, strict=True):
        op.results[0].replace_all_uses_with(result)
    for op in reversed(ops):
        op.erase()
