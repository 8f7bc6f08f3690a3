"""Copies values that IREE would update in place although others read them.

Requires: a module with all bodies.
Matches: in users' modules and networks, operands of sorts, slices of open sizes to which a scatter
adds (IREE puts those on the stack), and arguments of public functions that
reach, unchanged, an op that IREE computes in place: a scatter, an update of a slice, a destination
of linalg. IREE sorts arrays that another op still reads, such as the indices that two sorts begin
with (`tests/traps/test_sorts.py`). It would also write into the caller's array, and direct calls
would return that array unchanged. IREE may update a copy that a separate dispatch made.
Ensures: each sort has its own arrays; no array of a caller is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rnn_compiler.lowering.analysis.values import defining, element, shape
from rnn_compiler.lowering.codegen.attributes import segments
from rnn_compiler.lowering.codegen.body import Body, element_type, spare_block
from rnn_compiler.lowering.mlir.bindings import (
    UNNAMED,
    block_of,
    ir,
    is_private,
    nested_ops,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import KEPT
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, frozen_weights_are_parameters
from rnn_compiler.lowering.rewriting.edits import called_by

_VIEWS = (
    *("tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"),
    *("tensor.reshape", "stablehlo.reshape", "stablehlo.slice", "stablehlo.transpose"),
    *("stablehlo.broadcast_in_dim", "stablehlo.optimization_barrier", "stablehlo.convert"),
    *("stablehlo.bitcast_convert", "stablehlo.dynamic_reshape"),
)
"""Ops whose results may share memory with their operands."""

_SORTS = ("stablehlo.sort", "iree_linalg_ext.sort")

_SCATTERS = {"stablehlo.scatter": 0, "iree_linalg_ext.scatter": 2}
"""The operand to which each adds."""

_SLICES = ("tensor.extract_slice", "stablehlo.slice", "stablehlo.dynamic_slice")


def updated_values_are_copies(context: PassContext) -> str | None:
    """Each operand of a sort is a copy of its own; no argument of a caller's is updated.

    Our ops are left aside, as later passes rewrite them.
    """
    ours = {spec.function for spec in context.request.linked}
    defined = {symbol_of(op): op for op in context.defined_functions()}
    functions = {symbol: op for symbol, op in defined.items() if symbol not in ours}
    for function in _given(context):
        for sort in nested_ops(function, *_SORTS):
            if not all(map(_is_own_copy, sort.operands)):
                return f"{sort.name} in {symbol_of(function)}"
        for argument in _arguments_of_callers(context, function):
            if _may_be_updated(argument, functions):
                return f"an argument of {symbol_of(function)}"
    return None


@pass_with(requires=(frozen_weights_are_parameters,), ensures=(updated_values_are_copies,))
def copy_updated_values(context: PassContext) -> None:
    """Copies arguments at the start of functions, and operands of sorts before these."""
    functions = {symbol_of(op): op for op in context.defined_functions()}
    for function in _given(context):
        for sort in nested_ops(function, *_SORTS):
            _copy_operands(sort)
            _keep_results(sort)
        for scatter in nested_ops(function, *_SCATTERS):
            _copy_slice(scatter)
        for argument in _arguments_of_callers(context, function):
            if _may_be_updated(argument, functions):
                _copy(argument)


def _given(context: PassContext) -> list[ir.Operation]:
    """The functions of a user's module, or of a network."""
    return context.defined_functions() if context.request.is_users else []


def _arguments_of_callers(
    context: PassContext, function: ir.Operation
) -> Iterable[ir.BlockArgument]:
    """The arguments of a function that are the arrays of a caller.

    A state that the function updates is its own, but it must not be written over while something
    else reads it, perhaps behind a barrier: only one that has a single use is left out.
    """
    symbol = symbol_of(function)
    states = {
        k for spec in context.request.functions if spec.function == symbol for k in spec.continued
    }
    if is_private(function):
        return []
    pairs = enumerate(block_of(function).arguments)
    return [
        argument for number, argument in pairs if number not in states or len([*argument.uses]) > 1
    ]


def _may_be_updated(value: ir.Value, functions: Mapping[str, ir.Operation]) -> bool:
    """Whether an op may write its result over a value, or over one that shares its memory."""
    seen: list[ir.Value] = []
    ahead = [value]
    while ahead:
        value = ahead.pop()
        if value in seen:
            continue
        seen.append(value)
        for use in value.uses:
            op: ir.Operation = use.owner.operation
            if _is_updated(op, use.operand_number):
                return True
            ahead += _passed_on(op, use.operand_number, functions)
    return False


def _is_updated(op: ir.Operation, number: int) -> bool:
    """Whether an op may write over an operand."""
    if op.name in ("tensor.insert_slice", "stablehlo.dynamic_update_slice"):
        return number == (op.name == "tensor.insert_slice")
    sizes = "operandSegmentSizes"
    if op.name.startswith("linalg.") and sizes in op.attributes:
        return number >= next(iter(ir.DenseI32ArrayAttr(op.attributes[sizes])))
    return op.name == "stablehlo.scatter" or op.name.partition(".")[0] in ("iree_linalg_ext", "scf")


def _passed_on(
    op: ir.Operation, number: int, functions: Mapping[str, ir.Operation]
) -> Iterable[ir.Value]:
    """The values that may be an operand of an op, unchanged."""
    if op.name in _VIEWS:
        return op.results
    if op.name == "stablehlo.while":
        bodies = (region.blocks[0] for region in op.regions)
        return [op.results[number], *(body.arguments[number] for body in bodies)]
    symbol = called_by(op)
    if symbol:
        callee = functions.get(symbol)
        inside = [block_of(callee).arguments[number]] if callee is not None else []
        return [*inside, *op.results]
    if op.name == "stablehlo.return":
        parent = op.parent.operation
        if parent.name == "stablehlo.while" and number < len(parent.results):
            return [parent.regions[1].blocks[0].arguments[number], parent.results[number]]
        if parent.name in ("stablehlo.if", "stablehlo.case"):
            return [parent.results[number]]
    return []


def _is_own_copy(value: ir.Value) -> bool:
    """Whether a dispatch makes a value that nothing else reads."""
    if isinstance(value, ir.BlockArgument) or len([*value.uses]) > 1:
        return False
    op = defining(value)
    return op.name == "flow.dispatch.region" or (
        op.name == "stablehlo.bitcast_convert" and _is_own_copy(op.operands[0])
    )


def _copy_operands(sort: ir.Operation) -> None:
    """Replaces the operands of a sort by copies."""
    for number, value in enumerate(sort.operands):
        sort.operands[number] = _copied(Body.before(sort), value, barrier=True)


def _copy_slice(scatter: ir.Operation) -> None:
    """Copies the slice of an array of open sizes to which a scatter adds.

    IREE would read it in the scatter's dispatch, and put it on the stack.
    """
    number = _SCATTERS[scatter.name]
    value = scatter.operands[number]
    is_computed = not isinstance(value.owner, ir.Block)
    if is_computed and defining(value).name in _SLICES and UNNAMED in shape(value):
        scatter.operands[number] = _copied(Body.before(scatter), value, barrier=True)


def _keep_results(sort: ir.Operation) -> None:
    """Keeps the results of a sort that nothing reads: IREE puts them on the stack.

    It refuses to do so with open sizes.
    """
    for result in sort.results:
        if UNNAMED in shape(result) and not any(True for _ in result.uses):
            barrier = Body.after(sort).op("util.optimization_barrier", [result], [result.type])
            barrier.attributes[KEPT] = ir.UnitAttr.get()


def _copy(argument: ir.BlockArgument) -> None:
    """Replaces the uses of an argument by its copy."""
    uses = [(use.owner.operation, use.operand_number) for use in argument.uses]
    body = Body.before(ops_of(argument.owner)[0])
    with body.located(ir.Location.name("copy")):
        copy = _copied(body, argument)
    for op, number in uses:
        op.operands[number] = copy


def _copied(body: Body, value: ir.Value, *, barrier: bool = False) -> ir.Value:
    """A copy, of any element type; a barrier keeps IREE from merging copies."""
    kind = ir.RankedTensorType(value.type)
    if not element(value).startswith("ui"):
        return _dispatched(body, value, barrier)
    signless = ir.RankedTensorType.get(kind.shape, element_type(element(value)[1:]))
    return _cast(body, _dispatched(body, _cast(body, value, signless), barrier), kind)


def _cast(body: Body, value: ir.Value, kind: ir.Type) -> ir.Value:
    """The same bits as another type; linalg has no unsigned ones."""
    return body.op("stablehlo.bitcast_convert", [value], [kind]).results[0]


def _dispatched(body: Body, value: ir.Value, barrier: bool) -> ir.Value:
    """A copy made by a dispatch."""
    kind = value.type
    sizes = [body.size(value, axis) for axis, size in enumerate(shape(value)) if size == UNNAMED]
    if barrier:
        value = body.op("util.optimization_barrier", [value], [kind]).results[0]
        if sizes:
            value = body.op("flow.tensor.tie_shape", [value, *sizes], [kind]).results[0]
    region = spare_block()
    inside = Body(region, body.location)
    operands = [value, inside.op("tensor.empty", sizes, [kind]).results[0]]
    counts = {"operandSegmentSizes": segments(1, 1)}
    copy = inside.op("linalg.copy", operands, [kind], counts, regions=1)
    block = copy.regions[0].blocks.append(*[element_type(element(value))] * 2)
    Body(block, body.location).op("linalg.yield", [block.arguments[0]])
    inside.op("flow.return", [*copy.results])
    counts = {"operandSegmentSizes": segments(len(sizes), 0)}
    op = body.op("flow.dispatch.region", sizes, [kind], counts, regions=2)
    region.append_to(op.regions[0])
    return op.results[0]
