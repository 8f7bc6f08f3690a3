"""Panels of columns of the valid rows of some matrices, gathered by one dispatch, for CPUs.

    panels[n, k, :] = matrix[row(k), n * width :][: width]          # [N / width, K, width]

Each panel is contiguous. 16-bit numbers are widened on the way. If bfloat16 is multiplied as pairs
(`bfloat16_pairs`), two rows become one row of pairs, ``i32`` with the even row's number low, and an
odd number of rows is padded with zeros. Where pairs are widened, the two rows of each pair are
swapped: the odd number is added before the even one, as the instruction does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.codegen.arithmetic import cast
from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.registers import bitcast, interleave
from rnn_compiler.lowering.cpu.products.blocking import WORKGROUPS
from rnn_compiler.lowering.cpu.products.rows import Rows
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.lowering.targets.weight_formats import WeightFormat

__all__ = ["Side", "gathered_panels"]

_ROWS = 8
"""Rows that are copied at a time."""


@dataclass(frozen=True)
class Side:
    """A matrix to be gathered.

    Attributes:
        matrix: The matrix, ``[R, N]``.
        width: The columns of a panel.
        begins: The row at which the numbering of valid rows starts, as a step, an int64 scalar, and
            the number of rows of a step; None for the first row.
    """

    matrix: Array
    width: int
    begins: tuple[Array, Index] | None = None

    @property
    def columns(self) -> int:
        """Its number of columns."""
        return known(self.matrix.shape[1:])[0]


def gathered_panels(
    outside: Function,
    vectors: VectorUnit,
    sides: Sequence[Side],
    rows: Rows,
    capacity: Index,
    format: WeightFormat,
) -> list[Array]:
    """Emits the gathering.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        sides: The matrices.
        rows: The valid rows.
        capacity: The maximum number of valid rows, K.
        format: The format of the right-hand side.

    Returns:
        The panels of each; undefined after the last column and the last row.
    """
    executable = Executable(outside, "gather", WORKGROUPS)
    rows, made = rows.inside(executable), list[Array]()
    for side in sides:
        count = -(-side.columns // side.width)
        if format.multiplies_groups:
            type = ArrayType((count, (capacity + 1) // 2, side.width), format.panel_element)
        else:
            type = ArrayType((count, capacity, side.width), format.result)
        made.append(_Gathering(outside, executable, vectors, side, rows, type, format).emit())
    executable.dispatch()
    return made


class _Gathering:
    """Emits the gathering of a matrix."""

    def __init__(
        self,
        outside: Function,
        executable: Executable,
        vectors: VectorUnit,
        side: Side,
        rows: Rows,
        type: ArrayType,
        format: WeightFormat,
    ) -> None:
        self.body, self.vectors, self.side, self.rows = executable.body, vectors, side, rows
        self.is_swapped = format.is_grouped and not format.multiplies_groups
        self.base: Index = 0
        if side.begins is not None:
            steps = self.body.element(executable.read(outside.materialized(side.begins[0])))
            self.base = steps.to_index() * executable.size(side.begins[1])
        self.matrix = executable.read(outside.materialized(side.matrix))
        self.made, self.first = executable.make(type), executable.workgroup() * _ROWS

    def emit(self) -> Array:
        """Emits the rows of the workgroup's partition."""
        body, count = self.body, self.rows.count(self.body)
        paired = self.made.element == "i32"
        whole = count // 2 if paired else count

        def some(row: Number) -> None:
            self._some(row, (row + _ROWS).at_most(whole))

        body.loop(self.first, whole, WORKGROUPS * _ROWS, [self.made], some)
        if paired:  # no iteration or one, of the first workgroup
            end = (count + 1) // 2
            left = (whole + self.first).at_most(end)
            body.loop(left, end, 1, [self.made], lambda n: self._some(n, n + 1, odd=True))
        return self.made

    def _some(self, first: Number, end: Number, *, odd: bool = False) -> None:
        """Emits the copies of some rows, panel by panel, to write fewer pages at a time."""
        body, width = self.body, self.side.width
        full, rest = divmod(self.side.columns, width)

        def panel(panel: Number, columns: int) -> None:
            lanes = self.vectors.columns(columns, "f64" if self.made.element == "f64" else "f32")

            def row(row: Number) -> None:
                def vector(column: Number) -> None:
                    value = self._numbers(row, panel * width + column, lanes, odd=odd)
                    body.write(value, self.made, [panel, row, column])

                body.loop(0, columns, lanes, [self.made], vector)

            body.loop(first, end, 1, [self.made], row)

        if full:
            body.loop(0, full, 1, [self.made], lambda n: panel(n, width))
        if rest:
            panel(body.index(full), rest)

    def _numbers(self, row: Number, column: Number, lanes: int, *, odd: bool) -> Number:
        """Emits some numbers of a row, or pairs of two rows; the odd row may be missing.

        Pairs are interleaved as integers: LLVM cannot interleave bfloat16 numbers.
        """
        body = self.body
        if self.is_swapped:
            other = row + 1 - row % 2 * 2
            row = body.select(other < self.rows.count(body), other, row)
        if self.made.element != "i32":
            return cast(body, self._read(row, column, lanes), self.made.element)
        even = self._read(row * 2, column, lanes)
        other = body.constant(0, "bf16", lanes)
        if not odd:
            other = self._read(row * 2 + 1, column, lanes)
        return bitcast(interleave(bitcast(even, "i16"), bitcast(other, "i16")), "i32")

    def _read(self, number: Number, column: Number, lanes: int) -> Number:
        """Emits the loads of some numbers of a valid row."""
        row = self.rows.row(self.body, number) + self.base
        return self.body.read(self.matrix, [row, column], lanes)
