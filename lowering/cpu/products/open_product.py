"""The product of a matrix with an open number of rows and one of known sizes, as one dispatch.

    for share of the rows, in parallel:
      for some of these rows, as many as fit a cache:
        for panel of columns:
          for tile of rows:
            result[tile, panel] = lhs[tile] @ rhs[panel]          # linalg.matmul, sums in registers

The rows are shared among `WORKGROUPS`, `MIN_WORKGROUP_ROWS` or more to each. The last tile of all
overlaps the one before and makes the same numbers again; where there are fewer rows than a tile
has, they are multiplied one by one. Each row's sums are those of `blocked_product`, in its order.
"""

from __future__ import annotations

from collections.abc import Callable

from rnn_compiler.lowering.codegen.arrays import collapse
from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Number, bits
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.blocked_product import SMALL, WORKGROUPS, panel_of
from rnn_compiler.lowering.cpu.products.valid_rows import Destination, FirstRows
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import MIN_COLUMNS, PAIRED
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["MIN_WORKGROUP_ROWS", "open_product"]

MIN_WORKGROUP_ROWS = 64
"""Rows that a workgroup has at least."""

_ROWS_AT_ONCE = 512
"""Rows that a workgroup goes over at once."""


def open_product(
    outside: Function,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    axis: int,
    valid: FirstRows | None = None,
    destination: Destination | None = None,
) -> Array:
    """Emits the product, summed in float32 or float64.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lhs: ``[M, K]``, M computed and at least 1.
        rhs: ``[K, N]``, or ``[N, K]`` if `axis` is 1; the element types are those that the vector
            unit reads (`VectorUnit.operands`).
        axis: The axis of `rhs` that is summed over.
        valid: Which rows are multiplied; None for all.
        destination: Where the product goes; None if it is all there is.

    Returns:
        ``[M, N]``, or what the product is a part of.
    """
    paired, (inner, columns) = rhs.element in PAIRED, known(rhs.shape)[:: -1 if axis else 1]
    panel = min(vectors.width(rhs.element), columns)
    if paired and columns < MIN_COLUMNS:
        panel = MIN_COLUMNS
    large = inner * columns * bits(rhs.element) // 8 > SMALL
    if axis == 1 or large or panel > columns:
        rhs = pack(outside, vectors, rhs, 1 - axis, panel)
        if columns <= panel:
            rhs = collapse(outside, rhs, [[0, 1], [2]])
    executable = Executable(outside, "product", WORKGROUPS)
    body = executable.body
    rows = (valid or FirstRows(lhs.shape[0])).inside(executable).count(body)
    made = ArrayType((lhs.shape[0], columns), "f32" if paired else rhs.element)
    lhs, rhs = (executable.read(outside.held(each)) for each in (lhs, rhs))
    height, base = vectors.rows, body.index(0)
    if destination is None:
        whole = executable.make(made)
    else:
        whole, base = destination.inside(outside, executable)

    def tile(row: Number, column: Number, width: int, *sizes: int) -> None:
        """Emits a tile, of some rows or of one."""
        weight = panel_of(body, rhs, column, panel)
        product = tile_matmul(body, vectors, body.extract(lhs, [row, 0], (*sizes, inner)), weight)
        if width < panel:
            product = body.extract(product, [0] * len(product.shape), (*sizes, width))
        body.insert(product, whole, [base + row if destination else row, column])

    def panels(each: Callable[[Number, int], None]) -> None:
        """Emits all columns."""
        full, left = divmod(columns, panel)
        if full:
            end = full * panel
            body.loop(0, end, panel, [whole], lambda column: each(column, panel))
        if left and (len(rhs.shape) == 3 or not full):
            each(body.index(full * panel), left)
        elif left:  # it overlaps the one before
            each(body.index(columns - panel), panel)

    def some_rows(first: Number, end: Number) -> None:
        """Emits some rows."""
        tiles, last = (end - first + (height - 1)) // height, rows - height

        def columns(column: Number, width: int) -> None:
            def each(number: Number) -> None:
                tile(body.smaller(first + number * height, last), column, width, height)

            body.loop(0, tiles, 1, [whole], each)

        panels(columns)

    share = body.larger((rows + (WORKGROUPS - 1)) // WORKGROUPS, MIN_WORKGROUP_ROWS)
    low = body.smaller(executable.workgroup() * share, rows)
    high = body.smaller(low + share, rows)
    is_few = rows < body.index(height)
    body.loop(
        body.select(is_few, high, low),
        high,
        _ROWS_AT_ONCE,
        [whole],
        lambda row: some_rows(row, body.smaller(row + _ROWS_AT_ONCE, high)),
    )

    def one(row: Number) -> None:
        panels(lambda column, width: tile(row, column, width))

    body.loop(low, body.select(is_few, high, low), 1, [whole], one)
    executable.dispatch()
    return whole
