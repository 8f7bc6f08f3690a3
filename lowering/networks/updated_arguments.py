"""Copies the arguments of a network that one of its ops updates.

IREE 3.13 updates an imported array in place: a scatter into an argument, or a sort of one, changes
the caller's array. What a dispatch of its own has copied is IREE's.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.attributes import segments
from rnn_compiler.lowering.mlir import UNNAMED, block_of, ir, shape_of

__all__ = ["copy_updated_arguments"]

_VIEWS = (
    *("tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"),
    "tensor.reshape",
)
"""Ops whose results share memory with their operands."""


def copy_updated_arguments(function: ir.Operation) -> None:
    """Copies them where the function begins."""
    block = block_of(function)
    for argument in block.arguments:
        if _may_be_updated(argument):
            with ir.InsertionPoint.at_block_begin(block), ir.Location.name("copy"):
                _copy(argument)


def _may_be_updated(value: ir.Value) -> bool:
    """Whether an op may write its result over a value."""
    for use in value.uses:
        op: ir.Operation = use.owner.operation
        dialect = op.name.partition(".")[0]
        if op.name in _VIEWS and any(map(_may_be_updated, op.results)):
            return True
        if dialect in ("iree_linalg_ext", "scf") or _is_destination(op, use.operand_number):
            return True
    return False


def _is_destination(op: ir.Operation, number: int) -> bool:
    """Whether an operand is what an op on tensors updates."""
    if op.name == "tensor.insert_slice":
        return number == 1
    sizes = "operandSegmentSizes"
    is_linalg = op.name.startswith("linalg.") and sizes in op.attributes
    return is_linalg and number >= next(iter(ir.DenseI32ArrayAttr(op.attributes[sizes])))


def _copy(argument: ir.Value) -> None:
    """Replaces the uses of an argument by its copy, which a dispatch makes."""
    kind = ir.RankedTensorType(argument.type)
    uses = [(use.owner.operation, use.operand_number) for use in argument.uses]
    index = ir.IndexType.get()
    sizes: list[ir.Value] = []
    for axis, size in enumerate(shape_of(kind)):
        if size == UNNAMED:
            number = ir.Operation.create(
                "arith.constant", [index], attributes={"value": ir.IntegerAttr.get(index, axis)}
            )
            sizes.append(
                ir.Operation.create("tensor.dim", [index], [argument, number.results[0]]).results[0]
            )
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
            [argument, empty.results[0]],
            {"operandSegmentSizes": segments(1, 1)},
            regions=1,
        )
        element = kind.element_type
        inside = ir.Block.create_at_start(copy.regions[0], [element] * 2)
        with ir.InsertionPoint(inside):
            ir.Operation.create("linalg.yield", [], [inside.arguments[0]])
        ir.Operation.create("flow.return", [], [copy.results[0]])
    for op, number in uses:
        op.operands[number] = region.results[0]
