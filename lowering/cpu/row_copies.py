"""Copies rows one by one, in vectors, and fills arrays with zeros in place."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles, integer, segments
from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number, known
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, divisor

_LINE = 64
"""The bytes of a cache line."""


def copy_row(
    body: Body,
    vectors: VectorUnit,
    source: tuple[Array, Sequence[Index]],
    target: tuple[Array, Sequence[Index]],
    column: Index = 0,
    width: int | None = None,
) -> None:
    """Emits a copy of a row of an array to a row of another, from a column on."""
    width = width or known(source[0].shape[-1:])[0]
    lanes = vectors.columns(width, source[0].element)

    def vector(number: Number) -> None:
        value = body.read(source[0], [*source[1], number], lanes)
        body.write(value, target[0], [*target[1], number + column])

    body.loop(0, width, lanes, [target[0]], vector)


def stream_rows(body: Body, source: Array, target: Array, at: Sequence[Index]) -> None:
    """Emits a copy of rows of 32-bit numbers to a position, past the caches, in lines.

    `wait_for_streams` comes after the last one.
    """
    (rows, width), lanes = known(source.shape), _LINE // 4
    assert target.place is not None
    place = target.place.at(at)
    streamed = {"nontemporal": ir.BoolAttr.get(True), "alignment": integer(_LINE)}

    def row(number: Number) -> None:
        first, start = place.at([number, 0]).indices()
        for column in range(0, width, lanes):
            numbers = body.read(source, [number, column], lanes)
            to = [body.index(first), body.index(start + column)]
            body.op("vector.store", [numbers, place.memory.memref, *to], [], streamed)

    body.loop(0, rows, 1, [], row)


def wait_for_streams(body: Body) -> None:
    """Emits that stores past the caches end before other threads are told of them."""
    attributes = {
        "intrin": ir.StringAttr.get("llvm.x86.sse.sfence"),
        "operandSegmentSizes": segments(0, 0),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
    }
    body.op("llvm.call_intrinsic", [], [], attributes)


def zeros_in_place(body: Body, vectors: VectorUnit, array: Array) -> Array:
    """Emits zeros in place of an array.

    The op is marked as distributed, which has no effect on itself. If another op were the only one
    with that mark, IREE would repeat the loops that produce its operands, including their writes,
    in each of its tiles.
    """
    zero = body.constant(0, array.element)
    columns = divisor(known(array.shape)[-1], vectors.width(array.element))
    rank = len(array.shape)
    tiles = cpu_tiles([1] * (rank - 1) + [columns], [0] * rank)
    return linalg.pointwise(body, [], array, lambda _, __: zero, tiles)
