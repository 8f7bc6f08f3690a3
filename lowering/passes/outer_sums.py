"""Gives sums of outer products of rows, where sizes are open, dispatches that keep to registers.

Requires: a module whose time loops have been rewritten and whose open sizes have been; the target
is a CPU.
Matches: in public functions, the composites `outer_sum` (`builder.outer_sum`) and
`add_open_outer_sums` (`builder.open_blocks`), and the `stablehlo.dot_general` of two matrices that
sums over an open size. Puts calls of private functions in their place: one lists the rows that
count, if rows of the batch have lengths, one gathers them (`cpu.products.gathered_panels`), and one
is the `cpu.products.outer_sum` of what was gathered.
Leaves: what is no product of two matrices, or one of a single column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.values import contracted_axes, element, shape
from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.attributes import DYNAMIC
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.cpu.products.gathered_panels import Side
from rnn_compiler.lowering.cpu.products.outer_sum import OuterSum, Sum
from rnn_compiler.lowering.cpu.products.valid_rows import FirstRows, ValidRows
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.context import PassContext
from rnn_compiler.lowering.passes.edits import (
    Calls,
    composite_name,
    opaque,
    replace,
    tied,
    unfolded,
)
from rnn_compiler.lowering.passes.valid_row_lists import ValidRowLists
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["outer_sums"]


def outer_sums(context: PassContext) -> None:
    """Rewrites the sums of a module's public functions."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    rewriting = _Rewriting(Calls(context.module), vectors)
    for op in context.ops():
        name = composite_name(op)
        if name == "outer_sum":
            count, right, *left = op.operands
            rewriting.sum(op, left, right, count)
        elif name == "add_open_outer_sums":
            rewriting.add(op)
        elif contracted_axes(op) == (0, 0) and shape(op.operands[0])[0] == DYNAMIC:
            one, other = op.operands
            if 1 not in (shape(one)[1], shape(other)[1]):
                rewriting.sum(op, [one], other, None)


@dataclass
class _Rewriting:
    """The rewriting of a module.

    Attributes:
        calls: The calls that it puts into the module.
        vectors: The vector unit.
        lists: The valid rows.
    """

    calls: Calls
    vectors: VectorUnit
    lists: ValidRowLists = field(init=False)

    def __post_init__(self) -> None:
        self.lists = ValidRowLists(self.calls, self.vectors)

    def sum(
        self,
        op: ir.Operation,
        left: Sequence[ir.Value],
        right: ir.Value,
        count: ir.Value | None,
    ) -> None:
        """Puts calls in the place of a sum that is all there is.

        Args:
            op: The op.
            left: Matrices, or sequences ``[T, B, M]``, side by side.
            right: The other matrix or sequence.
            count: How many steps count; None for all.
        """
        plan = self._plan(op, left[0], right)
        valid = [] if count is None else [count]
        matrices = [tied(each, op) for each in (*left, right)]
        of = [plan.high] * len(left) + [plan.wide]

        def gather(made: Function, *given: Array) -> list[Array]:
            arrays, valid = given[: len(of)], given[len(of) :]
            sides = [Side(_flat(made, each), width) for each, width in zip(arrays, of, strict=True)]
            rows = _rows(made, arrays[-1], valid)
            return plan.panels(made, sides, rows, sides[-1].matrix.shape[0])

        panels = self.calls.before(op, "gathered", [*matrices, *valid], gather, (plan, *of))
        widths = [shape(each)[-1] for each in matrices]

        def add(made: Function, like: Array, *given: Array) -> list[Array]:
            *lefts, right = given[: len(of)]
            sums, first = list[Sum](), 0
            for each, height in zip(lefts, widths, strict=False):
                sums.append(Sum(each, right, height, widths[-1], first * widths[-1]))
                first += height
            total = plan.emit(made, sums, _rows(made, like, given[len(of) :]))
            return [expand(made, total, [[0, 1]], (first, widths[-1]))]

        operands = [matrices[-1], *panels, *valid]
        (result,) = self.calls.before(op, "outer_sum", operands, add, (plan, *widths))
        replace(op, result)

    def add(self, op: ir.Operation) -> None:
        """Puts calls in the place of what a block of time adds to parts of a vector."""
        known = ir.DictAttr(op.attributes["composite_attributes"])
        number = ir.IntegerAttr(known["products"]).value
        offsets = [ir.IntegerAttr(known[f"offset{k}"]).value for k in range(number)]
        is_added = not ir.BoolAttr(known["is_first"]).value
        total, start, count, *rest = op.operands
        lefts, rights, lengths = rest[:number], rest[number : 2 * number], rest[2 * number :]
        plan = self._plan(op, lefts[0], rights[0])
        blocks = {value: tied(value, op) for value in lefts}
        sequences = {value: tied(value, op) for value in rights}
        block = blocks[lefts[0]]
        valid = self.lists.before(op, lengths[0], start, block) if lengths else [count]

        def gather(made: Function, start: Array, *given: Array) -> list[Array]:
            arrays = given[: len(blocks) + len(sequences)]
            batch = arrays[0].shape[1]
            sides = [
                Side(_flat(made, each), plan.high)
                if k < len(blocks)
                else Side(_flat(made, each), plan.wide, (start, batch))
                for k, each in enumerate(arrays)
            ]
            rows = _rows(made, arrays[0], given[len(arrays) :])
            return plan.panels(made, sides, rows, sides[0].matrix.shape[0])

        matrices = [*blocks.values(), *sequences.values()]
        operands = [start, *matrices, *valid]
        panels = self.calls.before(op, "gathered", operands, gather, (plan, len(blocks)))
        places = [
            ([*blocks].index(left), len(blocks) + [*sequences].index(right))
            for left, right in zip(lefts, rights, strict=True)
        ]
        sizes = [(shape(one)[2], shape(other)[2]) for one, other in zip(lefts, rights, strict=True)]
        opaques = [
            opaque(ir.IntegerAttr.get(ir.IndexType.get(), offset), op.block) for offset in offsets
        ]

        def add(made: Function, like: Array, total: Array, *given: Array) -> list[Array]:
            numbers = [Number(made, value, "index") for value in made.arguments[-number:]]
            sums = [
                Sum(given[left], given[right], *size, offset)
                for (left, right), size, offset in zip(places, sizes, numbers, strict=True)
            ]
            rows = _rows(made, like, given[len(panels) :])
            return [plan.emit(made, sums, rows, total, is_added=is_added)]

        operands = [block, unfolded(total, op), *panels, *valid, *opaques]
        key = (plan, is_added, *places, *sizes)
        (result,) = self.calls.before(op, "add_outer_sums", operands, add, key)
        replace(op, result)

    def _plan(self, op: ir.Operation, left: ir.Value, right: ir.Value) -> OuterSum:
        return OuterSum.of(self.vectors, *map(element, (left, right, op.results[0])))


def _flat(body: Function, array: Array) -> Array:
    """All rows of all steps of a sequence; a matrix as it is."""
    return collapse(body, array, [[0, 1], [2]]) if len(array.shape) == 3 else array


def _rows(body: Function, like: Array, valid: Sequence[Array]) -> FirstRows | ValidRows:
    """The valid rows of such a sequence or matrix, from what says so."""
    if len(valid) == 2:
        return ValidRows(*valid)
    number = _flat(body, like).shape[0]
    return FirstRows(number, *valid, batch=like.shape[1] if valid else 1)
