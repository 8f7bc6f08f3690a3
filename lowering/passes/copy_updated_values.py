"""Copies values that IREE would update in place although others read them.

Requires: a module with all bodies.
Matches: in users' modules and networks, operands of sorts, and arguments of public functions that
reach, unchanged, an op that IREE computes in place: a scatter, an update of a slice, a destination
of linalg. IREE sorts arrays that another op still reads, such as the indices that two sorts begin
with (`tests/traps/test_sorts.py`). It would also write into the caller's array, and direct calls
would return that array unchanged. IREE may update a copy that a separate dispatch made.
Ensures: each sort has its own arrays; no array of a caller is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rnn_compiler.lowering.codegen.attributes import segments
from rnn_compiler.lowering.marks import NETWORK
from rnn_compiler.lowering.mlir import (
    UNNAMED,
    block_of,
    ir,
    is_private,
    nested_ops,
    shape_of,
    symbol_of,
)
from rnn_compiler.lowering.rewriting.context import PassContext

__all__ = ["copy_updated_values"]

_VIEWS = (
    *("tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"),
    *("tensor.reshape", "stablehlo.reshape", "stablehlo.slice", "stablehlo.transpose"),
    *("stablehlo.broadcast_in_dim", "stablehlo.optimization_barrier", "stablehlo.convert"),
    *("stablehlo.bitcast_convert", "stablehlo.dynamic_reshape"),
)
"""Ops whose results may share memory with their operands."""

_SORTS = ("stablehlo.sort", "iree_linalg_ext.sort")


def copy_updated_values(context: PassContext) -> None:
    """Copies arguments at the start of functions, and operands of sorts before these."""
    functions = {symbol_of(op): op for op in context.defined_functions()}
    for function in functions.values():
        if not context.linked and NETWORK not in function.attributes:
            continue
        for sort in nested_ops(function, *_SORTS):
            _copy_operands(sort)
        if not is_private(function):
            for argument in block_of(function).arguments:
                if _may_be_updated(argument, functions):
                    _copy(argument)


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
    if op.name in ("func.call", "stablehlo.composite"):
        name = "callee" if op.name == "func.call" else "decomposition"
        callee = functions.get(ir.FlatSymbolRefAttr(op.attributes[name]).value)
        inside = [block_of(callee).arguments[number]] if callee is not None else []
        return [*inside, *op.results]
    if op.name == "stablehlo.return":
        parent = op.parent.operation
        if parent.name == "stablehlo.while" and number < len(parent.results):
            return [parent.regions[1].blocks[0].arguments[number], parent.results[number]]
        if parent.name in ("stablehlo.if", "stablehlo.case"):
            return [parent.results[number]]
    return []


def _copy_operands(sort: ir.Operation) -> None:
    """Replaces the operands of a sort by copies."""
    for number, value in enumerate(sort.operands):
        with ir.InsertionPoint(sort), sort.location:
            sort.operands[number] = _copied(value, barrier=True)


def _copy(argument: ir.BlockArgument) -> None:
    """Replaces the uses of an argument by its copy."""
    uses = [(use.owner.operation, use.operand_number) for use in argument.uses]
    with ir.InsertionPoint.at_block_begin(argument.owner), ir.Location.name("copy"):
        copy = _copied(argument)
    for op, number in uses:
        op.operands[number] = copy


def _copied(value: ir.Value, *, barrier: bool = False) -> ir.Value:
    """A copy, of any element type; a barrier keeps IREE from merging copies."""
    kind = ir.RankedTensorType(value.type)
    element = str(kind.element_type)
    if not element.startswith("ui"):
        return _dispatched(value, barrier)
    signless = ir.RankedTensorType.get(kind.shape, ir.Type.parse(element[1:]))
    return _cast(_dispatched(_cast(value, signless), barrier), kind)


def _cast(value: ir.Value, kind: ir.RankedTensorType) -> ir.Value:
    """The same bits as another type; linalg has no unsigned ones."""
    return ir.Operation.create("stablehlo.bitcast_convert", [kind], [value]).results[0]


def _dispatched(value: ir.Value, barrier: bool) -> ir.Value:
    """A copy made by a dispatch."""
    kind = ir.RankedTensorType(value.type)
    index = ir.IndexType.get()
    sizes: list[ir.Value] = []
    for axis, size in enumerate(shape_of(kind)):
        if size == UNNAMED:
            number = ir.Operation.create(
                "arith.constant", [index], attributes={"value": ir.IntegerAttr.get(index, axis)}
            )
            sizes += ir.Operation.create("tensor.dim", [index], [value, number.results[0]]).results
    if barrier:
        value = ir.Operation.create("util.optimization_barrier", [kind], [value]).results[0]
        if sizes:
            value = ir.Operation.create("flow.tensor.tie_shape", [kind], [value, *sizes]).results[0]
    region = ir.Operation.create(
        "flow.dispatch.region",
        [kind],
        sizes,
        {"operandSegmentSizes": segments(len(sizes), 0)},
        regions=2,
    )
    with ir.InsertionPoint(ir.Block.create_at_start(region.regions[0], [])):
        empty = ir.Operation.create("tensor.empty", [kind], sizes)
        copy = ir.Operation.create(
            "linalg.copy",
            [kind],
            [value, empty.results[0]],
            {"operandSegmentSizes": segments(1, 1)},
            regions=1,
        )
        inside = ir.Block.create_at_start(copy.regions[0], [kind.element_type] * 2)
        with ir.InsertionPoint(inside):
            ir.Operation.create("linalg.yield", [], [inside.arguments[0]])
        ir.Operation.create("flow.return", [], [copy.results[0]])
    return region.results[0]
