"""Packed matrices and products against numpy, also on sizes that no tile divides.

Numbers of bfloat16, which are multiplied as pairs, are passed as 16-bit integers.

All cases of a kind are functions of one module, so that they are compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bfloat16_reference
import ml_dtypes
import numpy as np
import pytest
from numeric.emitted import Emit, compiled
from quick import first

from rnn_compiler.lowering.codegen.body import Array, ArrayType, known
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.stablehlo import converted
from rnn_compiler.lowering.codegen.whole_arrays import expand, seen_as
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.products.outer_sum import OuterSum, Sum
from rnn_compiler.lowering.cpu.products.rows_product import Blocking, FirstRows, rows_product
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import (
    VectorUnit,
    WeightFormat,
    plain,
    weight_formats,
)

VECTORS = VectorUnit.of(resolve_target("cpu"))
TYPES = {"f32": np.float32, "f64": np.float64}


# Rows and columns, the axis of the columns, how many make a panel, gates, whether side by side.
PACKINGS = [
    ((9, 70), 1, 32, 1, True),
    ((33, 4 * 70), 1, 32, 4, False),
    ((33, 4 * 70), 1, 32, 4, True),
    ((64, 48), 0, 16, 1, True),
    ((4 * 64, 32), 0, 32, 4, False),
    ((3 * 64, 32), 0, 32, 3, True),
    ((4 * 109, 67), 0, 32, 4, False),
    ((3 * 97, 41), 0, 40, 3, True),
    ((2 * 63, 17), 0, 31, 2, False),
    ((70, 5), 0, 32, 1, True),
    ((29, 130), 0, 29, 1, True),
    ((33, 2), 0, 24, 1, True),
    ((9, 61), 0, 5, 1, True),
    ((6, 6), 0, 4, 1, True),
    ((2 * 25, 61), 0, 5, 2, False),
    ((4 * 5, 61), 0, 3, 4, True),
]


def some(rows: Sequence[Any], element: str) -> Sequence[Any]:
    """Every case in float32; every other one in other types, whose vectors have other widths."""
    return rows if element == "f32" else rows[::2]


def in_panels(columns: Any, panel: int, *, interleaved: bool) -> Any:
    """Columns ``[K, G, N]`` as panels, those of all gates in one if `interleaved`."""
    inner, gates, units = columns.shape
    panels = columns.reshape(inner, gates, units // panel, panel)
    if interleaved or gates == 1:
        return panels.transpose(2, 0, 1, 3).reshape(-1, inner, gates * panel)
    return panels.transpose(1, 2, 0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("vectors", [VECTORS, VectorUnit(128, 16)], ids=["own", "narrow"])
@pytest.mark.parametrize("element", TYPES)
def test_panels(element: str, vectors: VectorUnit, tmp_path: Path) -> None:
    """Panels have the right content, and zeros after the last column."""
    packings = some(PACKINGS, element)

    def packing(axis: int, panel: int, gates: int, interleaved: bool) -> Emit:
        return lambda f, given: pack(
            f, vectors, plain(element), given[0], axis, panel, gates, interleaved=interleaved
        )

    functions = [([ArrayType(shape, element)], packing(*how)) for shape, *how in packings]
    module = compiled(functions, tmp_path)
    for number, (shape, axis, panel, gates, interleaved) in enumerate(packings):
        matrix = np.random.default_rng(number).standard_normal(shape).astype(TYPES[element])
        columns = matrix.T if axis == 0 else matrix
        inner, unit = len(columns), columns.shape[1] // gates
        count = -(-unit // panel)
        expected = np.zeros((inner, gates, count * panel), matrix.dtype)
        expected[:, :, :unit] = columns.reshape(inner, gates, unit)
        expected = in_panels(expected, panel, interleaved=interleaved)
        found = np.asarray(module[f"f{number}"](matrix))
        np.testing.assert_array_equal(found, expected, err_msg=str(packings[number]))


# M, K, N, the axis of each operand that is summed over; whether it is added to a part of a vector.
# Few and many rows, rests of tiles, blocks and panels; right-hand sides that are packed, read where
# they lie, and streamed.
FEW_PRODUCTS = [
    (50, 24, 640, (1, 1), False),  # columns shared by ten, which have several panels each
    (25, 130, 490, (1, 0), False),  # columns shared unevenly, the last of them less than a panel
    (257, 64, 64, (1, 0), False),  # three blocks of rows, each in two parts
    (70, 40, 29, (1, 1), False),  # a panel of whole vectors, with columns of zeros
    (257, 30, 40, (0, 0), True),
]
PRODUCTS = [
    *FEW_PRODUCTS,
    (19, 1050, 4096, (1, 0), False),  # a matrix that several stream
    (77, 100, 300, (1, 0), False),
    (13, 1030, 2100, (1, 0), False),
    (94, 84, 280, (0, 0), False),
    (1031, 5, 33, (0, 0), False),
    (70, 40, 29, (1, 0), False),
    (509, 9, 33, (0, 0), True),
    (64, 40, 64, (1, 0), False),
    (21, 30, 320, (1, 0), False),
    (3, 70, 257, (1, 0), False),
    (13, 33, 33, (1, 0), False),
    (131, 700, 780, (1, 0), False),
    (300, 31, 34, (1, 1), False),
    (9, 257, 1028, (1, 1), False),
    (517, 16, 3, (1, 1), False),
    (257, 30, 65, (0, 0), False),
    (3, 50, 20, (0, 0), False),
    (94, 84, 288, (0, 0), False),
    (1031, 17, 480, (1, 1), False),
    (128, 24, 64, (0, 0), True),
    (771, 20, 257, (0, 0), True),
    (5, 40, 129, (0, 0), True),
    (1031, 3, 11, (0, 0), True),
    (130, 520, 520, (0, 0), True),
]


def product(
    function: FunctionBuilder,
    vectors: VectorUnit,
    format: WeightFormat,
    axes: tuple[int, int],
    given: Sequence[Array],
    offset: int = 0,
) -> Array:
    """Emits a product of two matrices, or one that is added to a part of a vector."""
    lhs, rhs, *total = given
    if axes[0]:
        lhs = converted(function, lhs, format.lhs)
        plan = Blocking(vectors, format, lhs.shape[0], rhs.type, axes[1])
        return rows_product(function, plan, lhs, rhs, axes[1])
    (number, height), width = lhs.shape, rhs.shape[1]
    plan, rows = OuterSum(vectors, format), FirstRows(number)
    sides = [plan.left(lhs), plan.right(rhs)]
    one, other = plan.panels(function, sides, rows, number)
    sums = [Sum(one, other, *known((height, width)), function.index(offset) if total else 0)]
    if total:
        return plan.emit(function, sums, rows, total[0], is_added=True)
    return expand(function, plan.emit(function, sums, rows), [[0, 1]], (height, width))


def test_the_last_columns_have_a_vector_that_is_not_wider_than_needed() -> None:
    vectors = VectorUnit(512, 32)
    plan = OuterSum(vectors, plain("f32"))
    expected = {32: [16, 16], 20: [16, 4], 25: [16, 16], 24: [16, 8], 16: [16], 5: [8], 1: [4]}
    found = {width: [lanes for _, lanes in plan.vectors_of(width)] for width in expected}
    assert found == expected
    assert [lanes for _, lanes in OuterSum(vectors, plain("f64")).vectors_of(9)] == [8, 2]
    assert OuterSum(VectorUnit(128, 32), plain("f32")).vectors_of(5) == [(0, 4), (4, 4)]
    pairs = weight_formats("x86_64", ["avx512f", "avx512bf16", "avx512vl"], 512)
    paired = next(each for each in pairs if each.weight == "bf16")
    assert OuterSum(vectors, paired).vectors_of(4) == [(0, 16)]


@pytest.mark.parametrize(
    ("element", "products"),
    first(
        [
            ("f32", FEW_PRODUCTS),
            ("f32", PRODUCTS[len(FEW_PRODUCTS) :]),
            ("f64", some(PRODUCTS, "f64")),
        ]
    ),
    ids=["few", "f32", "f64"],
)
def test_large_products(element: str, products: Sequence[Any], tmp_path: Path) -> None:
    """Every sum is computed, and added once; the elements before and after stay unchanged."""
    before, after = 7, 40

    def emit(axes: tuple[int, int]) -> Emit:
        how = VECTORS, plain(element), axes
        return lambda function, given: product(function, *how, given, before)

    functions = [
        (
            [
                ArrayType((M, K) if axes[0] else (K, M), element),
                ArrayType((N, K) if axes[1] else (K, N), element),
                *([ArrayType((before + M * N + after,), element)] if added else []),
            ],
            emit(axes),
        )
        for M, K, N, axes, added in products
    ]
    module = compiled(functions, tmp_path)
    for number, (M, K, N, axes, added) in enumerate(products):
        draw = np.random.default_rng(number).standard_normal
        lhs, rhs = (draw(shape).astype(TYPES[element]) for shape in ((M, K), (K, N)))
        arguments = [lhs if axes[0] else lhs.T.copy(), rhs.T.copy() if axes[1] else rhs]
        expected = lhs.astype(np.float64) @ rhs
        if added:
            total = draw(before + M * N + after).astype(TYPES[element])
            arguments.append(total)
            expected = total + np.pad(expected.ravel(), (before, after))
        np.testing.assert_allclose(
            np.asarray(module[f"f{number}"](*arguments)),
            expected,
            rtol=0,
            atol=(1e-5 if element == "f32" else 1e-13) * K,
            err_msg=str(products[number]),
        )


# K, N, the axis of the matrix that is summed over, whether the matrix stays the same from call to
# call: one panel, several, a rest of them; parts; packed, and as it lies.
ROWS = [
    (K, N, axis, stays)
    for K, N in ((128, 512), (37, 300), (64, 128), (33, 129), (5, 3), (129, 260), (512, 2048))
    for axis, stays in ((0, True), (1, True), (1, False))
]
FEW_ROWS = [(128, 512, 1, False), (129, 260, 0, True), (129, 260, 1, True), (37, 100, 0, True)]
"""Of several parts, but for the last, whose vectors overlap."""


@pytest.mark.parametrize(
    ("element", "rows"),
    first(
        [
            ("f32", FEW_ROWS),
            *((element, some(ROWS, element)) for element in (*TYPES, "f16", "bf16")),
        ]
    ),
    ids=["few", *TYPES, "f16", "bf16"],
)
def test_row_products(element: str, rows: Sequence[Any], tmp_path: Path) -> None:
    """One row and a matrix in either layout; 16-bit matrices with the row types that suit them."""
    lhs = {"f16": "f32"}.get(element, element)
    stored = ["i16" if each == "bf16" else each for each in (lhs, element)]

    def emit(axis: int, stays: bool) -> Emit:
        def made(function: FunctionBuilder, given: list[Array]) -> Array:
            if element == "bf16":
                given = [numbers(function, each) for each in given]
            plan = Blocking(VECTORS, format, given[0].shape[0], given[1].type, axis, stays=stays)
            return rows_product(function, plan, given[0], given[1], axis)

        return made

    result = element if element in TYPES else "f32"
    format = VECTORS.format(lhs, element, result, inner=5, rows=1)
    if (format.lhs, format.weight) != (lhs, element):
        pytest.skip("this processor does not multiply the type as it is")
    functions = [
        (
            [ArrayType((1, K), stored[0]), ArrayType((N, K) if axis else (K, N), stored[1])],
            emit(axis, stays),
        )
        for K, N, axis, stays in rows
    ]
    module = compiled(functions, tmp_path)
    kinds = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, **TYPES}
    for number, (K, N, axis, _) in enumerate(rows):
        draw = np.random.default_rng(number).standard_normal
        row, matrix = draw((1, K)).astype(kinds[lhs]), draw((K, N)).astype(kinds[element])
        expected = row.astype(np.float64) @ matrix.astype(np.float64)
        arguments = [row, matrix.T.copy() if axis else matrix]
        if element == "bf16":
            arguments = [each.view(np.int16) for each in arguments]
        result = np.asarray(module[f"f{number}"](*arguments))
        bound = (1e-13 if element == "f64" else 1e-5) * K
        np.testing.assert_allclose(result, expected, rtol=0, atol=bound, err_msg=str(rows[number]))


# bfloat16, in pairs.

NARROW = VectorUnit(256, 16, formats=weight_formats("x86_64", ("f16c", "fma"), 256))


def pairs(vectors: VectorUnit) -> WeightFormat:
    """The format of a product of bfloat16 numbers."""
    return vectors.format("bf16", "bf16", "f32", inner=3, rows=2)


WAYS = (
    {(unit.bits, pairs(unit)): unit for unit in (VECTORS, NARROW)}
    if pairs(VECTORS).is_grouped
    else {}
)
"""Vector units that this machine can emulate and that multiply pairs: two ways if possible."""


def sixteen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Numbers as bfloat16, as integers."""
    return array.astype(ml_dtypes.bfloat16).view(np.int16)


def numbers(function: FunctionBuilder, array: Array) -> Array:
    """Integers as the numbers of bfloat16 that they are."""
    return seen_as(function, array, ArrayType(array.shape, "bf16"))


@pytest.mark.slow
def test_pairs(tmp_path: Path) -> None:
    """A panel has the pairs that adjoin along the summed axis, and a zero after an odd last one."""

    def packing(axis: int, panel: int, gates: int, interleaved: bool) -> Emit:
        return lambda f, given: pack(
            f,
            VECTORS,
            pairs(NARROW),
            numbers(f, given[0]),
            axis,
            panel,
            gates,
            interleaved=interleaved,
        )

    packings = [each for each in PACKINGS if each[0] != (33, 2)]  # two numbers make no products
    functions = [([ArrayType(shape, "i16")], packing(*how)) for shape, *how in packings]
    module = compiled(functions, tmp_path)
    for number, (shape, axis, panel, gates, interleaved) in enumerate(packings):
        matrix = sixteen(np.random.default_rng(number).standard_normal(shape))
        columns = matrix.T if axis == 0 else matrix
        inner, unit = -(-len(columns) // 2), columns.shape[1] // gates
        count = -(-unit // panel)
        expected = np.zeros((inner, 2, gates, count * panel), np.int16)
        expected.reshape(2 * inner, gates, -1)[: len(columns), :, :unit] = columns.reshape(
            len(columns), gates, unit
        )
        expected = np.moveaxis(expected, 1, -1).copy().view(np.int32)[..., 0]
        expected = in_panels(expected, panel, interleaved=interleaved)
        found = np.asarray(module[f"f{number}"](matrix))
        np.testing.assert_array_equal(found, expected, err_msg=str(packings[number]))


PAIRED = PRODUCTS[::2]
"""Each of them is compiled two ways. Among them are all axes, even and odd sums, and additions."""

FEW_PAIRED = [(13, 1031, 2100, (1, 0), False), (509, 9, 33, (0, 0), True)]


@pytest.mark.slow
@pytest.mark.skipif(not WAYS, reason="this processor has no fma: bfloat16 is multiplied in float32")
@pytest.mark.parametrize("products", first([FEW_PAIRED, PAIRED]), ids=["few", "all"])
def test_paired_products(products: Sequence[Any], tmp_path: Path) -> None:
    """Sums are right to the last bit, in the order of the format."""
    before, after = 7, 40

    def emit(vectors: VectorUnit, axes: tuple[int, int]) -> Emit:
        def made(function: FunctionBuilder, given: list[Array]) -> Array:
            sides = [numbers(function, each) for each in given[:2]]
            return product(function, vectors, pairs(vectors), axes, [*sides, *given[2:]], before)

        return made

    functions = [
        (
            [
                ArrayType((M, K) if axes[0] else (K, M), "i16"),
                ArrayType((N, K) if axes[1] else (K, N), "i16"),
                *([ArrayType((before + M * N + after,), "f32")] if added else []),
            ],
            emit(vectors, axes),
        )
        for M, K, N, axes, added in products
        for vectors in WAYS.values()
    ]
    module = compiled(functions, tmp_path)
    for number, (M, K, N, axes, added) in enumerate(products):
        draw = np.random.default_rng(number).standard_normal
        lhs, rhs = (draw(shape).astype(ml_dtypes.bfloat16) for shape in ((M, K), (K, N)))
        lhs[M // 2, 0] = np.nan  # beside the last number of the row before, which may be odd
        arguments = [lhs if axes[0] else lhs.T.copy(), rhs.T.copy() if axes[1] else rhs]
        arguments = [each.view(np.int16) for each in arguments]
        total = draw(before + M * N + after).astype(np.float32)
        if added:
            arguments.append(total)
        for way, (_, format) in enumerate(WAYS):
            expected = bfloat16_reference.product(lhs, rhs, format.summed)
            if added:
                expected = total + np.pad(expected.ravel(), (before, after))
            result = np.asarray(module[f"f{len(WAYS) * number + way}"](*arguments))
            np.testing.assert_array_equal(result, expected, err_msg=str(products[number]))
