"""Ops of MLIR's `linalg` dialect on arrays: products, zeros, generics and pointwise functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.lowering.codegen.attributes import maps, parallel, segments
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Number,
    element_type,
    spare_block,
)
from rnn_compiler.lowering.codegen.elementwise import cast
from rnn_compiler.lowering.mlir.bindings import ir


def generic(
    body: Body,
    inputs: Sequence[tuple[Array, Sequence[int | ir.AffineExpr]]],
    outputs: Sequence[Array],
    block: ir.Block,
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> list[Array]:
    """Emits a `linalg.generic` over all points of its outputs, which have one shape.

    Each input comes with its axes among those of the outputs, or with the position in it, as
    expressions of those axes. The block gets an argument for each input and each output.
    """
    rank = len(outputs[0].shape)
    op = body.op(
        "linalg.generic",
        [*(array for array, _ in inputs), *outputs],
        [array.value.type for array in outputs],
        {
            "indexing_maps": maps(
                rank, [*(axes for _, axes in inputs), *[range(rank)] * len(outputs)]
            ),
            "iterator_types": parallel(rank),
            "operandSegmentSizes": segments(len(inputs), len(outputs)),
            **(attributes or {}),
        },
        regions=1,
    )
    block.append_to(op.regions[0])
    return [
        Array(value, array.shape, array.element)
        for value, array in zip(op.results, outputs, strict=True)
    ]


def pointwise(
    body: Body,
    inputs: Sequence[tuple[Array, Sequence[int | ir.AffineExpr]]],
    target: Array,
    emit: Callable[[Body, Sequence[Number]], Number],
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> Array:
    """Emits a function of one number of each input, at every point of an array."""
    arrays = [array for array, _ in inputs]
    block = spare_block([element_type(array.element) for array in (*arrays, target)])
    inside = Body(block, body.location)
    numbers = [
        Number(inside, value, array.element)
        for value, array in zip(block.arguments, arrays, strict=False)
    ]
    inside.op("linalg.yield", [emit(inside, numbers)])
    (made,) = generic(body, inputs, [target], block, attributes)
    return made


def zeros(
    body: Body, type: ArrayType, attributes: Mapping[str, ir.Attribute] | None = None
) -> Array:
    """Emits an array of zeros, by an op with some attributes."""
    zero = body.constant(0, type.element)
    empty = body.empty(type)
    attributes = {"operandSegmentSizes": segments(1, 1), **(attributes or {})}
    op = body.op("linalg.fill", [zero, empty], [type.mlir], attributes, 1)
    block = op.regions[0].blocks.append(*[element_type(type.element)] * 2)
    Body(block, body.location).op("linalg.yield", [block.arguments[0]])
    return Array(op.results[0], type.shape, type.element)


def matmul(
    body: Body,
    lhs: Array,
    rhs: Array,
    start: Array,
    attributes: Mapping[str, ir.Attribute],
    axes: tuple[int, int] = (1, 0),
) -> Array:
    """Emits a product ``[M, K] @ [K, N]``, or ``[K] @ [K, N]``, added to an array.

    `axes` are the contracted axes: ``[K, M]`` and ``[N, K]`` are taken too.
    """
    name, attributes = "linalg.vecmat", {"operandSegmentSizes": segments(2, 1), **attributes}
    if len(lhs.shape) == 2:
        left, right = ((2, 0), (0, 2))[axes[0]], ((2, 1), (1, 2))[axes[1]]
        name, indexing = "linalg.matmul", maps(3, [left, right, (0, 1)])
        attributes = {"indexing_maps": indexing, **attributes}
    op = body.op(name, [lhs, rhs, start], [start.value.type], attributes, regions=1)
    arrays = (lhs, rhs, start)
    block = op.regions[0].blocks.append(*(element_type(array.element) for array in arrays))
    inside = Body(block, body.location)
    x, y, total = (
        Number(inside, value, array.element)
        for value, array in zip(block.arguments, arrays, strict=True)
    )
    product = cast(inside, x, total.element) * cast(inside, y, total.element)
    inside.op("linalg.yield", [total + product])
    return Array(op.results[0], start.shape, start.element)
