"""The product of a single row and a matrix as one dispatch, for CPUs.

    for part of the columns, in parallel:
      for panel of columns:
        result[panel] = lhs @ rhs[panel]           # sums in registers, as many as hide the latency

Nothing is read twice, so that it takes as long as reading the matrix does: what counts is that this
happens in order. A matrix that comes as ``[N, K]`` is packed into panels first, ``[N/P, K, P]``,
once for many calls if it is a weight (`passes.hoist_weights`); one that comes as ``[K, N]`` is
read where it lies. Arrays have no unit axis in the dispatch: IREE 3.13 folds those, and not along
with loops.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index
from rnn_compiler.lowering.codegen.shares import first_only, share
from rnn_compiler.lowering.codegen.stablehlo import transposed
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.tiles.bfloat16_pairs import MIN_COLUMNS, PAIRED
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["row_product"]


def row_product(outside: Function, vectors: VectorUnit, lhs: Array, rhs: Array, axis: int) -> Array:
    """Emits the product of a row and a matrix, summed in float32 or float64.

    Args:
        outside: The function that gets the dispatch.
        vectors: The vector unit.
        lhs: ``[1, K]``.
        rhs: ``[K, N]`` or ``[N, K]``; its element type and that of `lhs` are those that the vector
            unit reads (`VectorUnit.operands`).
        axis: The axis of `rhs` that is summed over.

    Returns:
        ``[1, N]``.
    """
    paired, columns = rhs.element in PAIRED, known(rhs.shape)[1 - axis]
    sums = "f32" if paired else lhs.element
    panel = min(4 * vectors.width(sums), max(columns, MIN_COLUMNS if paired else 0))
    full, rest = divmod(columns, panel)
    weights = known(rhs.shape)[axis] * columns
    parts = vectors.cut(1, max(full, 1), weights)[0]
    if axis == 1 and panel == columns and not paired:
        rhs = transposed(outside, rhs)
    elif axis == 1 or panel > columns:
        rhs = pack(outside, vectors, rhs, 1 - axis, panel)
        if full + bool(rest) == 1:
            rhs = collapse(outside, rhs, [[0, 1], [2]])
    executable = Executable(outside, "row_product", parts)
    row = collapse(outside, lhs, [[0, 1]])
    row, rhs = (executable.read(outside.held(each)) for each in (row, rhs))
    body, part = executable.body, executable.workgroup()
    made = executable.make(ArrayType((columns,), sums))
    inner = known(rhs.shape)[-2]

    def multiply(number: Index, first: Index, width: int) -> None:
        """Emits a panel of the result, the columns from `first` on."""
        if len(rhs.shape) == 3:
            weight = body.extract(rhs, [number, 0, 0], (inner, panel))
        else:
            weight = body.extract(rhs, [0, first], (inner, panel))
        product = tile_matmul(body, vectors, row, weight)
        if width < panel:
            product = body.extract(product, [0], (width,))
        body.insert(product, made, [first])

    def whole(number: Index) -> None:
        multiply(number, number * panel, panel)

    def last() -> None:
        if len(rhs.shape) == 2 and full:  # it overlaps the one before
            multiply(full, columns - panel, panel)
        else:
            multiply(full, full * panel, rest)

    if full:
        share(body, full, parts, part if parts > 1 else 0, [made], whole)
    if rest:
        first_only(body, part, parts, [made], last)
    executable.dispatch()
    return expand(outside, made, [[0, 1]], (1, columns))
