"""`lhs^T @ rhs`, summed over the valid rows, as one dispatch, for CPUs.

    sums[m, n] = sum over the valid rows k of lhs[k, m] * rhs[k, n]

Both sides are given as panels of columns (`panels`): a panel of lhs has as many as a register tile
has rows, a panel of rhs as many as it has columns:

    for partition of the panels of lhs, in parallel:
      for panel of rhs, for panel of lhs:
        for row k: sums[height, width] += lhs[panel, k, :]^T @ rhs[panel, k, :]       # in registers
        write the sums

The rows are added one after the other, by `vector.fma`; pairs of bfloat16 by an instruction, as in
`cpu.tiles.PairsProduct`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, bits, known
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.registers import (
    accumulate,
    accumulate_unrolled,
    bitcast,
    fma,
    interleave,
    lane,
    shuffled,
)
from rnn_compiler.lowering.cpu.matrix_unit import MatrixUnit
from rnn_compiler.lowering.cpu.products.rows_product import WORKGROUPS, Rows
from rnn_compiler.lowering.cpu.tiles import add_apart, add_halves, add_pairs
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat

# Panels of columns of the valid rows of some matrices, gathered by one dispatch, for CPUs.
#
#     panels[n, k, :] = matrix[row(k), n * width :][: width]          # [N / width, K, width]
#
# Each panel is contiguous. 16-bit numbers are widened on the way. If bfloat16 is multiplied as
# pairs (`PairsProduct`), two rows become one row of pairs, ``i32`` with the even row's number
# low, and an odd number of rows is padded with zeros. Where pairs are widened, the two rows of
# each pair are swapped: the odd number is added before the even one, as the instruction does.
#
# For a matrix unit, pairs come in blocks of 16, a tile's, and zeros fill the last one. A block of
# the left-hand side, 16 pairs of 16 columns, is transposed once it is complete:
#
#     left[m, block, column, pair], right[n, 16 * block + pair, column]

_ROWS = 8
"""Rows that are copied at a time."""

_BLOCK = 16
"""The pairs of a block, which are copied at a time too, and its columns on the left."""


@dataclass(frozen=True)
class Side:
    """A matrix to be gathered.

    Attributes:
        matrix: The matrix, ``[R, N]``.
        begins: The row at which the numbering of valid rows starts, as a step, an int64 scalar, and
            the number of rows of a step; None for the first row.
        transposed: Whether its blocks are transposed.
    """

    matrix: Array
    width: int
    begins: tuple[Array, Index] | None = None
    transposed: bool = False

    @property
    def columns(self) -> int:
        """Its number of columns."""
        return known(self.matrix.shape[1:])[0]


def gathered_panels(
    outside: FunctionBuilder,
    vectors: VectorUnit,
    sides: Sequence[Side],
    rows: Rows,
    capacity: Index,
    format: WeightFormat,
) -> list[Array]:
    """Emits the gathering of at most K = `capacity` valid rows.

    Panels are undefined after the last column and the last row.
    """
    executable = DispatchBuilder(outside, "gather", WORKGROUPS)
    rows, made = rows.inside(executable), list[Array]()
    for side in sides:
        count = -(-side.columns // side.width)
        if format.tiles:
            blocks = (capacity + (2 * _BLOCK - 1)) // (2 * _BLOCK)
            block = (blocks, _BLOCK, _BLOCK) if side.transposed else (blocks * _BLOCK, side.width)
            type = ArrayType((count, *block), format.panel_element)
        elif format.multiplies_groups:
            type = ArrayType((count, (capacity + 1) // 2, side.width), format.panel_element)
        else:
            type = ArrayType((count, capacity, side.width), format.result)
        kind = _BlockGathering if format.tiles else _Gathering
        made.append(kind(outside, executable, vectors, side, rows, type, format).emit())
    executable.dispatch()
    return made


class _Gathering:
    """Emits the gathering of a matrix."""

    def __init__(
        self,
        outside: FunctionBuilder,
        executable: DispatchBuilder,
        vectors: VectorUnit,
        side: Side,
        rows: Rows,
        type: ArrayType,
        format: WeightFormat,
    ) -> None:
        self.body, self.vectors, self.side, self.rows = executable.body, vectors, side, rows
        self.is_swapped = format.is_grouped and not format.multiplies_groups and not format.tiles
        self.base: Index = 0
        if side.begins is not None:
            steps = self.body.element(executable.read(outside.materialized(side.begins[0])))
            self.base = steps.to_index() * executable.size(side.begins[1])
        self.matrix = executable.read(outside.materialized(side.matrix))
        self.made, self.workgroup = executable.make(type), executable.workgroup()

    def emit(self) -> Array:
        """Emits the rows of the workgroup's partition."""
        body, begin, count = self.body, self.workgroup * _ROWS, self.rows.count(self.body)
        paired = self.made.element == "i32"
        whole = count // 2 if paired else count

        def some(row: Number) -> None:
            self._some(row, (row + _ROWS).at_most(whole))

        body.loop(begin, whole, WORKGROUPS * _ROWS, [self.made], some)
        if paired:  # no iteration or one, of the first workgroup
            end = (count + 1) // 2
            left = (whole + begin).at_most(end)
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


class _BlockGathering(_Gathering):
    """Emits the gathering of a matrix in blocks of pairs, each by one workgroup."""

    def emit(self) -> Array:
        """Emits the blocks of the workgroup's partition."""
        body, count = self.body, self.rows.count(self.body)
        blocks = (count + (2 * _BLOCK - 1)) // (2 * _BLOCK)

        def block(number: Number) -> None:
            first = number * _BLOCK
            ends = (count // 2, (count + 1) // 2)
            whole, pairs = ((end - first).at_least(0).at_most(_BLOCK) for end in ends)

            def panel(panel: Number, columns: int) -> None:
                for low, high, kind in ((0, whole, 2), (whole, pairs, 1), (pairs, _BLOCK, 0)):
                    body.loop(
                        *(low, high, 1, [self.made]),
                        lambda row, kind=kind: self._pairs(number, row, panel, columns, kind),
                    )
                if self.side.transposed:
                    self._transpose(panel, number)

            full, rest = divmod(self.side.columns, self.side.width)
            if full:
                body.loop(0, full, 1, [self.made], lambda n: panel(n, self.side.width))
            if rest:
                panel(body.index(full), rest)

        body.loop(self.workgroup, blocks, WORKGROUPS, [self.made], block)
        return self.made

    def _pairs(self, block: Number, row: Number, panel: Number, columns: int, count: int) -> None:
        """Emits the pairs of two rows, of one and zeros, or of zeros."""
        body, number = self.body, block * _BLOCK + row
        lanes = self.vectors.columns(columns, "f32")

        def vector(column: Number) -> None:
            if count:
                at = panel * self.side.width + column
                value = self._numbers(number, at, lanes, odd=count == 1)
            else:
                value = body.constant(0, self.made.element, lanes)
            rows = [block, row] if self.side.transposed else [number]
            body.write(value, self.made, [panel, *rows, column])

        body.loop(0, columns, lanes, [self.made], vector)

    def _transpose(self, panel: Number, block: Number) -> None:
        """Emits the transpose of a block, by exchanging the halves of pairs of vectors."""
        body, numbers = self.body, range(_BLOCK)
        vectors = [body.read(self.made, [panel, block, row, 0], _BLOCK) for row in numbers]
        half = _BLOCK // 2
        while half:
            for low in (n for n in numbers if not n & half):
                pair = vectors[low], vectors[low + half]
                lower = [n + _BLOCK - half if n & half else n for n in numbers]
                upper = [n + _BLOCK if n & half else n + half for n in numbers]
                vectors[low], vectors[low + half] = (
                    shuffled(*pair, lanes) for lanes in (lower, upper)
                )
            half //= 2
        for row, vector in enumerate(vectors):
            body.write(vector, self.made, [panel, block, row, 0])


_LEAST_BITS = 128
"""The width of the narrowest vectors: no processor multiplies narrower ones faster."""

_UNROLLED = 4
"""Rows, or pairs of rows, that an iteration of the innermost loop multiplies."""


@dataclass(frozen=True)
class Sum:
    """One of the sums.

    Attributes:
        height: The columns of the left-hand side, M.
        width: The columns of the right-hand side, N.
        offset: The position of the first of the ``[M, N]`` sums in a vector.
    """

    lhs: Array
    rhs: Array
    height: int
    width: int
    offset: Index


@dataclass(frozen=True)
class OuterSum:
    """The tiling of sums of outer products.

    Attributes:
        format: The format of the right-hand side, whose result is float32 or float64.
    """

    vectors: VectorUnit
    format: WeightFormat

    @property
    def element(self) -> str:
        """The type of the sums."""
        return self.format.result

    @property
    def paired(self) -> bool:
        """Whether rows are multiplied as pairs of bfloat16."""
        return self.format.multiplies_groups

    @property
    def add(self) -> Callable[[Number, Number, Number], Number]:
        """Emits the product of a number, or of a pair, added to a register of sums."""
        return partial(add_pairs, self.format) if self.paired else fma

    @property
    def high(self) -> int:
        """The columns of a left panel."""
        return _BLOCK if self.format.tiles else self.vectors.rows

    @property
    def wide(self) -> int:
        """The columns of a right panel."""
        return self.vectors.width(self.element)

    @property
    def lanes(self) -> int:
        """Numbers in a register."""
        return self.vectors.lanes(self.element)

    def vectors_of(self, width: int) -> list[tuple[int, int]]:
        """Where the vectors of some columns start, and their lanes: as few as hold the last ones.

        Two multiplications of half a register take the time of one of a register.
        """
        starts = range(0, width, self.lanes)
        least = max(2, _LEAST_BITS // bits(self.element))
        last = self.lanes
        while not self.paired and last // 2 >= max(width - starts[-1], least):
            last //= 2
        return [*((start, self.lanes) for start in starts[:-1]), (starts[-1], last)]

    def left(self, matrix: Array) -> Side:
        """A left-hand side."""
        return Side(matrix, self.high, transposed=bool(self.format.tiles))

    def right(self, matrix: Array, begins: tuple[Array, Index] | None = None) -> Side:
        """A right-hand side; its valid rows begin there, see `Side`."""
        return Side(matrix, self.wide, begins)

    def panels(
        self,
        outside: FunctionBuilder,
        sides: Sequence[Side],
        rows: Rows,
        capacity: Index,
    ) -> list[Array]:
        """Emits the panels of some matrices, of `high` or `wide` columns each."""
        return gathered_panels(outside, self.vectors, sides, rows, capacity, self.format)

    def emit(
        self,
        outside: FunctionBuilder,
        sums: Sequence[Sum],
        rows: Rows,
        total: Array | None = None,
        *,
        is_added: bool = False,
    ) -> Array:
        """Emits the sums, into (or added to) a vector; a new one holds nothing else, row by row."""
        executable = DispatchBuilder(outside, "sum", WORKGROUPS)
        sides = {each.value: each for one in sums for each in (one.lhs, one.rhs)}
        inside = {
            value: executable.read(outside.materialized(each)) for value, each in sides.items()
        }
        rows, unit = rows.inside(executable), MatrixUnit(executable)
        if total is None:
            size = sum(each.height * each.width for each in sums)
            whole = executable.make(ArrayType((size,), self.element))
        else:
            whole = executable.change(outside.materialized(total))
        for each in sums:
            lhs, rhs = inside[each.lhs.value], inside[each.rhs.value]
            here = Sum(lhs, rhs, each.height, each.width, executable.size(each.offset))
            _Tiles(self, executable, here, whole, rows, unit, is_added=is_added).emit()
        executable.dispatch()
        return whole


class _Tiles:
    """Emits the code of a workgroup."""

    def __init__(
        self,
        plan: OuterSum,
        executable: DispatchBuilder,
        summed: Sum,
        whole: Array,
        rows: Rows,
        unit: MatrixUnit,
        *,
        is_added: bool,
    ) -> None:
        self.plan, self.body, self.summed, self.unit = plan, executable.body, summed, unit
        self.whole, self.is_added, self.workgroup = whole, is_added, executable.workgroup()
        count = rows.count(self.body)
        if plan.format.tiles:
            self.count = (count + (2 * _BLOCK - 1)) // (2 * _BLOCK)
        else:
            self.count = (count + 1) // 2 if plan.paired else count

    def emit(self) -> None:
        """Emits the sums of the workgroup's partition."""
        plan, body = self.plan, self.body
        full, rest = divmod(self.summed.height, plan.high)
        panels = full + (rest > 0)
        low = self.workgroup * panels // WORKGROUPS
        high = (self.workgroup * panels + panels) // WORKGROUPS
        if self.is_added:  # without rows, there is nothing to read and write
            high = body.select(self.count < body.index(1), low, high)

        def across(panel: Number, width: int) -> None:
            def tile(number: Number, tall: int) -> None:
                self._tile(number, panel, tall, width)

            if full:
                end = high.at_most(full)
                body.loop(low, end, 1, [self.whole], lambda n: tile(n, plan.high))
            if rest:  # no iteration or one
                last = low.at_least(full)
                body.loop(last, high, 1, [self.whole], lambda n: tile(n, rest))

        panels, left_over = divmod(self.summed.width, plan.wide)
        if panels:
            body.loop(0, panels, 1, [self.whole], lambda n: across(n, plan.wide))
        if left_over:
            across(body.index(panels), left_over)

    def _tile(self, number: Number, panel: Number, height: int, width: int) -> None:
        """Emits the sums of a panel on the left and one on the right."""
        if self.plan.format.tiles:
            self._tile_of_blocks(number, panel, height, width)
            return
        plan, body, summed = self.plan, self.body, self.summed
        vectors = plan.vectors_of(width)
        sums = [
            body.constant(0, plan.element, lanes) for _ in range(height) for _, lanes in vectors
        ]

        def add(inside: Body, k: Number, sums: list[Number]) -> list[Number]:
            weights = [
                inside.read(summed.rhs, [panel, k, start], lanes) for start, lanes in vectors
            ]
            added = list[Number]()
            for row in range(height):
                one = inside.element(summed.lhs, [number, k, row])
                before = sums[row * len(vectors) :]
                added += [
                    plan.add(total, weight, inside.broadcast(one, weight.lanes))
                    for total, weight in zip(before, weights, strict=False)
                ]
            return added

        sums = accumulate_unrolled(body, self.count, _UNROLLED, sums, add)
        for number_of, total in enumerate(sums):
            row, vector = divmod(number_of, len(vectors))
            self._put(total, number * plan.high + row, panel, vectors[vector][0], width)

    def _tile_of_blocks(self, number: Number, panel: Number, height: int, width: int) -> None:
        """Emits the same by the matrix unit; the columns that are not there are undefined."""
        plan, body, summed, unit = self.plan, self.body, self.summed, self.unit
        blocks, pairs = (each.shape[1] for each in (summed.lhs, summed.rhs))
        left = body.extract(summed.lhs, [number, 0, 0, 0], (blocks, _BLOCK, _BLOCK))
        right = body.extract(summed.rhs, [panel, 0, 0], (pairs, plan.wide))
        made = unit.stack(0, _BLOCK, plan.wide, plan.element)
        body.when(
            unit.permitted,
            [],
            lambda: unit.multiply_blocks(body, plan.format, left, right, self.count, made),
            lambda: self._add_blocks(left, right, made),
        )

        def row(line: Number) -> None:
            for vector in range(-(-width // plan.lanes)):
                total = body.read(made, [line, vector * plan.lanes], plan.lanes)
                start = vector * plan.lanes
                self._put(total, number * plan.high + line, panel, start, width)

        body.loop(0, height, 1, [self.whole], row)

    def _add_blocks(self, left: Array, right: Array, made: Array) -> None:
        """Emits the same in registers."""
        plan, body, columns = self.plan, self.body, range(0, self.plan.wide, self.plan.lanes)
        high = plan.vectors.rows // 2

        def some(first: Number) -> None:
            rows = [first + row for row in range(high)]

            def add_block(inside: Body, block: Number, sums: list[Number]) -> list[Number]:
                start = block * _BLOCK

                def add(within: Body, pair: Number, sums: list[Number]) -> list[Number]:
                    at = pair + start
                    weights = [within.read(right, [at, column], plan.lanes) for column in columns]
                    lefts = [
                        within.broadcast(within.element(left, [block, row, pair]), plan.lanes)
                        for row in rows
                    ]
                    return add_halves(sums, lefts, weights)

                return add_apart(
                    sums, lambda apart: accumulate_unrolled(inside, _BLOCK, 2, apart, add)
                )

            zeros = [body.constant(0, plan.element, plan.lanes)] * (high * len(columns))
            sums = accumulate(body, self.count, 1, zeros, add_block)
            for position, total in zip(product(rows, columns), sums, strict=True):
                body.write(total, made, position)

        body.loop(0, _BLOCK, high, [], some)

    def _put(self, sums: Number, row: Number, panel: Number, start: int, width: int) -> None:
        """Emits the store of a vector of sums of a row, of which the panel has `width`."""
        plan = self.plan
        line = row * self.summed.width + panel * plan.wide + self.summed.offset
        self._write(sums, line + start, width - start)

    def _write(self, sums: Number, offset: Number, count: int) -> None:
        """Emits the stores of some sums, as many as there are columns."""
        body, whole = self.body, self.whole
        if count >= sums.lanes:
            if self.is_added:
                sums = body.read(whole, [offset], sums.lanes) + sums
            body.write(sums, whole, [offset])
            return
        for number in range(count):
            one = lane(sums, number)
            if self.is_added:
                one = body.element(whole, [offset + number]) + one
            body.put(one, whole, [offset + number])
