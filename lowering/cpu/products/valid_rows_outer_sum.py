"""The sum of outer products over the valid rows of a padded sequence, added to a vector.

    total[offset + m*N + n] += sum over the valid rows k of lhs[k, m] * rhs[k, n]

Both sides are first gathered into panels of columns: the valid rows, in order, in blocks of 512;
zeros follow the last, up to a multiple of 64. So the sums are those that `blocked_product` makes of
all rows, in its order, but for the padding, which adds 0 there.

    for share of the panels of lhs, in parallel:
      for panel of rhs, for panel of lhs:
        sums = 0
        for block of rows, for few of the last block at a time:
          sums += lhs[block, panel]^T @ rhs[block, panel]         # linalg.matmul, transposed
        total[..] += sums
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.cpu.products.blocked_product import WORKGROUPS
from rnn_compiler.lowering.cpu.products.valid_rows import ValidRows
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.cpu.tiles.zeros_and_copies import zeros_in_place
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["gathered_blocks", "valid_rows_outer_sum", "widths"]

_ROWS_AT_ONCE, _FEW = 512, 64
"""How many rows are multiplied at once; how many of the last ones, which are fewer. Each time, the
sums go from registers to the stack and back: with 128 rows that is half the time."""

_ROWS = 8
"""How many rows are copied at a time."""


def valid_rows_outer_sum(
    outside: Function,
    vectors: VectorUnit,
    sides: tuple[Array, Array],
    sizes: tuple[int, int],
    valid: ValidRows,
    total: Array,
    offset: Number,
) -> Array:
    """Emits the sum.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        sides: `lhs` and `rhs`, gathered in panels of their `widths`.
        sizes: M and N.
        valid: The valid rows.
        total: The vector that it is added to, of that element type.
        offset: Where in it the first sum goes, an index.

    Returns:
        The vector with its new part.
    """
    (left, right), (rows, columns), of = sides, sizes, total.element
    high, wide = widths(vectors, of)
    panels = known(left.shape)[1]
    workgroups = min(WORKGROUPS, panels)
    executable = Executable(outside, "sum", workgroups)
    body, workgroup = executable.body, executable.workgroup()
    left, right = (executable.read(outside.held(each)) for each in (left, right))
    valid = valid.inside(executable)
    whole = executable.change(outside.held(total))
    start = executable.given(offset)
    count = valid.count(body)
    blocks, last = count // _ROWS_AT_ONCE, count % _ROWS_AT_ONCE

    def tile(number: Number, panel: Number, width: int) -> None:
        sums = zeros_in_place(body, vectors, body.empty(ArrayType((high, wide), of)))

        def add(block: Number, first: Index, count: int) -> None:
            one = body.extract(left, [block, number, first, 0], (count, high))
            other = body.extract(right, [block, panel, first, 0], (count, wide))
            made = tile_matmul(body, vectors, one, other, sums, lhs_transposed=True)
            sums.value = made.value

        body.loop(0, blocks, 1, [sums], lambda block: add(block, 0, _ROWS_AT_ONCE))
        body.loop(0, last, _FEW, [sums], lambda row: add(blocks, row, _FEW))
        first, lanes = number * high, vectors.columns(width, of)

        def line(row: Number) -> None:
            place = start + (first + row) * columns + panel * wide

            def vector(column: Number) -> None:
                new = body.read(sums, [row, column], lanes)
                old = body.read(whole, [place + column], lanes)
                body.write(old + new, whole, [place + column])

            body.loop(0, width, lanes, [whole], vector)

        body.loop(0, body.smaller(body.index(rows) - first, high), 1, [whole], line)

    def tiles(panel: Number, width: int) -> None:
        low = workgroup * panels
        high = low + panels
        body.loop(
            low // workgroups, high // workgroups, 1, [whole], lambda n: tile(n, panel, width)
        )

    full, rest = divmod(columns, wide)
    if full:
        body.loop(0, full, 1, [whole], lambda panel: tiles(panel, wide))
    if rest:
        tiles(body.index(full), rest)
    executable.dispatch()
    return whole


def widths(vectors: VectorUnit, element: str) -> tuple[int, int]:
    """How many columns a panel of each side has."""
    return 2 * vectors.rows, vectors.width(element)


def gathered_blocks(
    outside: Function, vectors: VectorUnit, matrix: Array, valid: ValidRows, width: int
) -> Array:
    """Emits the gathering of the valid rows into panels of columns.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        matrix: ``[K, N]``.
        valid: Its valid rows.
        width: How many columns a panel has.

    Returns:
        ``[K / _ROWS_AT_ONCE, N / width, _ROWS_AT_ONCE, width]``; anything after the last column.
    """
    rows, columns = known(matrix.shape)
    blocks, panels = -(-rows // _ROWS_AT_ONCE), -(-columns // width)
    workgroups = min(WORKGROUPS, blocks)
    executable = Executable(outside, "gather", workgroups)
    body = executable.body
    matrix, valid = executable.read(outside.held(matrix)), valid.inside(executable)
    made = executable.make(ArrayType((blocks, panels, _ROWS_AT_ONCE, width), matrix.element))
    full, rest = divmod(columns, width)

    def some(block: Number, first: Number, end: Number) -> None:
        """Emits the copying of some rows, panel by panel: fewer pages are written at a time."""

        def panel(panel: Number, count: int) -> None:
            lanes = vectors.columns(count, matrix.element)

            def row(number: Number) -> None:
                source = valid.row(body, block * _ROWS_AT_ONCE + number)

                def vector(column: Number) -> None:
                    value = body.read(matrix, [source, panel * width + column], lanes)
                    body.write(value, made, [block, panel, number, column])

                body.loop(0, count, lanes, [made], vector)

            body.loop(first, body.smaller(first + _ROWS, end), 1, [made], row)

        if full:
            body.loop(0, full, 1, [made], lambda n: panel(n, width))
        if rest:
            panel(body.index(full), rest)

    def zeros(block: Number, number: Number) -> None:
        def panel(panel: Number) -> None:
            starts = [block, panel, number, 0]
            part = body.extract(made, starts, (width,))
            body.insert(zeros_in_place(body, vectors, part), made, starts)

        body.loop(0, panels, 1, [made], panel)

    def block(number: Number) -> None:
        end = body.smaller(count - number * _ROWS_AT_ONCE, _ROWS_AT_ONCE)
        body.loop(0, end, _ROWS, [made], lambda first: some(number, first, end))
        few = (end + (_FEW - 1)) // _FEW * _FEW
        body.loop(end, few, 1, [made], lambda n: zeros(number, n))

    count = valid.count(body)
    used = (count + (_ROWS_AT_ONCE - 1)) // _ROWS_AT_ONCE
    body.loop(executable.workgroup(), used, workgroups, [made], block)
    executable.dispatch()
    return made
