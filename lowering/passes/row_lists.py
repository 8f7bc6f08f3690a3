"""Lists of the valid rows of padded sequences, each made once for all products that read it.

A list is a call of a private function, which is `cpu.products.rows`: the numbers of the rows,
and how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.codegen.attributes import DYNAMIC
from rnn_compiler.lowering.codegen.body import Array
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.cpu.products.rows import listed_rows
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.edits import Calls
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["RowLists"]


@dataclass
class RowLists:
    """The lists of a module, for a pass.

    Attributes:
        calls: The calls of the pass.
        vectors: The vector unit.
        listed: The lists, by the lengths, the first step and how many there are.
    """

    calls: Calls
    vectors: VectorUnit
    listed: dict[object, list[ir.Value]] = field(default_factory=dict[object, list[ir.Value]])

    def before(
        self, op: ir.Operation, lengths: ir.Value, start: ir.Value, steps: int | ir.Value
    ) -> list[ir.Value]:
        """The list for an op, made before it if it is new.

        Args:
            op: The op.
            lengths: How many steps each row of the batch has, int64 ``[B]``.
            start: The time of the first step, an int64 or an array of one.
            steps: How many there are, or a sequence that has as many.
        """
        count = steps if isinstance(steps, int) else shape(steps)[0]
        like = [steps] if count == DYNAMIC and isinstance(steps, ir.Value) else []
        key = (lengths, start, count)
        if key not in self.listed:

            def body(made: Function, lengths: Array, *more: Array) -> list[Array]:
                is_array = len(more) > len(like)
                first = more[0] if is_array else Number(made, made.arguments[1], "i64")
                valid = listed_rows(
                    made, self.vectors, lengths, first, more[-1].shape[0] if like else count
                )
                return [valid.rows, valid.how_many]

            name = "valid_rows_open" if like else f"valid_rows_{count}"
            operands = [lengths, start, *like]
            self.listed[key] = self.calls.before(op, name, operands, body)
        return self.listed[key]
