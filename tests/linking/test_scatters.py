"""Scatters of any axes and windows do what StableHLO defines, and so do indices of any type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from tests.linking.modules import function

CELL = rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4).functions[0]

ROWS = """dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>"""
INTO = """scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"""
ALL = """scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
    index_vector_dim = 0>"""


def gather(name: str, rows: int, kind: str) -> str:
    """A function that takes three rows."""
    types = f"(tensor<{rows}x2xf32>, tensor<3x{kind}>) -> tensor<3x2xf32>"
    return f"""
  func.func @{name}(%e: tensor<{rows}x2xf32>, %i: tensor<3x{kind}>) -> tensor<3x2xf32> {{
    %0 = "stablehlo.gather"(%e, %i) <{{{ROWS}}}> : {types}
    return %0 : tensor<3x2xf32>
  }}"""


def scatter(
    name: str, rows: int, kind: str, indices: str = "", body: str = "%b", numbers: str = INTO
) -> str:
    """A function that sets rows, or what another body gives, at indices or constant ones."""
    given, sizes = ("0x", f"{rows}x2x") if indices == "all" else ("3x", "3x2x")
    types = f"(tensor<{rows}x2xf32>, tensor<{given}{kind}>, tensor<{sizes}f32>)"
    text = indices if indices.startswith("[") else ""
    constant = f"%k = stablehlo.constant dense<{text}> : tensor<3x{kind}>" if text else ""
    return f"""
  func.func @{name}(%e: tensor<{rows}x2xf32>, %i: tensor<{given}{kind}>, %u: tensor<{sizes}f32>)
      -> tensor<{rows}x2xf32> {{
    {constant}
    %0 = "stablehlo.scatter"(%e, {"%k" if text else "%i"}, %u) <{{{numbers}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return {body} : tensor<f32>
    }}) : {types} -> tensor<{rows}x2xf32>
    return %0 : tensor<{rows}x2xf32>
  }}"""


def slices(kind: str) -> str:
    """Functions that read and write a part of an array."""
    types = f"tensor<{kind}>, tensor<{kind}>"
    return f"""
  func.func @read_{kind}(%e: tensor<300x2xf32>, %i: tensor<{kind}>, %j: tensor<{kind}>)
      -> tensor<2x1xf32> {{
    %0 = stablehlo.dynamic_slice %e, %i, %j, sizes = [2, 1]
        : (tensor<300x2xf32>, {types}) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }}
  func.func @column_{kind}(%e: tensor<300x2xf32>, %j: tensor<{kind}>) -> tensor<300x1xf32> {{
    %i = stablehlo.constant dense<0> : tensor<{kind}>
    %0 = stablehlo.dynamic_slice %e, %i, %j, sizes = [300, 1]
        : (tensor<300x2xf32>, {types}) -> tensor<300x1xf32>
    return %0 : tensor<300x1xf32>
  }}
  func.func @write_{kind}(%e: tensor<300x2xf32>, %u: tensor<2x1xf32>, %i: tensor<{kind}>,
      %j: tensor<{kind}>) -> tensor<300x2xf32> {{
    %0 = stablehlo.dynamic_update_slice %e, %u, %i, %j
        : (tensor<300x2xf32>, tensor<2x1xf32>, {types}) -> tensor<300x2xf32>
    return %0 : tensor<300x2xf32>
  }}"""


SELECT = """
  func.func @select(%e: tensor<300x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.torch_index_select"(%e, %i) <{dim = 0 : i64, batch_dims = 0 : i64}>
        : (tensor<300x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }"""

SEEDS = (0, 1, 6, 12, 15, 16, 32, 37)
"""Random scatters that IREE takes as they are; it computes six of them wrongly."""

TYPES = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui64": np.uint64}


@pytest.fixture(scope="module")
def program() -> Any:
    """All functions of this file, in one module."""
    texts = [
        *(gather(f"take_{kind}", 300, kind) for kind in TYPES),
        *(scatter(f"put_{kind}_{rows}", rows, kind) for kind, rows in (("i8", 128), ("ui8", 256))),
        *map(slices, TYPES),
        scatter("put_constant", 5, "i32", "[4, 5, -1]"),
        scatter("add_constant", 5, "i32", "[4, 100000, -1]", "%s"),
        scatter("first_of_sum", 5, "i32", "[4, 0, 9]", "%a"),
        scatter("last_of_sum", 5, "i32", "[4, 9, 9]", "%b"),
        scatter("put_all", 5, "i32", "all", numbers=ALL),
        SELECT,
        function(CELL),
    ]
    artifact = rc.link("module {" + "".join(texts) + "}", "cpu:generic")
    return rc.runtime.load(artifact, device="local-sync")


def call(program: Any, name: str, **arrays: Any) -> Any:
    """The result of a function."""
    (found,) = getattr(program, name)(**arrays)
    return found


def numbers(rows: int) -> npt.NDArray[Any]:
    flat: Any = np.arange(2 * rows, dtype=np.float32)
    return flat.reshape(rows, 2)


def put(rows: int, indices: npt.NDArray[Any], updates: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows set at those indices that are valid."""
    e = numbers(rows)
    for index, row in zip(indices.tolist(), updates, strict=True):
        if 0 <= index < rows:
            e[index] = row
    return e


UPDATES = -1 - numbers(3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_types_of_indices(program: Any, kind: str) -> None:
    """Small types reach neither the end of a long axis nor beyond 127; others are huge."""
    limits = np.iinfo(TYPES[kind])
    indices = np.array([limits.max, limits.min, 100], TYPES[kind])
    e: Any = numbers(300)
    last = min(int(limits.max), 299)
    found = call(program, f"take_{kind}", e=e, i=indices)
    np.testing.assert_array_equal(found, e[[last, 0, 100]])
    for number in (limits.min, limits.max, limits.max // 2 + 1, 100):
        start, one = min(max(int(number), 0), 298), np.array(1, TYPES[kind])
        i = np.array(number, TYPES[kind])
        found = call(program, f"read_{kind}", e=e, i=i, j=one)
        np.testing.assert_array_equal(found, e[start : start + 2, 1:])
        column = min(max(int(number), 0), 1)
        found = call(program, f"column_{kind}", e=e, j=i)
        np.testing.assert_array_equal(found, e[:, [column]])
        wanted = e.copy()
        wanted[start : start + 2, 1] = -1
        u = np.full((2, 1), -1, np.float32)
        found = call(program, f"write_{kind}", e=e, u=u, i=i, j=one)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "rows"), [("i8", 128), ("ui8", 256)])
def test_as_many_rows_as_numbers(program: Any, kind: str, rows: int) -> None:
    """The row for what is dropped has a number that the type of the indices lacks."""
    limits = np.iinfo(TYPES[kind])
    indices = np.array([limits.max, limits.min, 3], TYPES[kind])
    e = numbers(rows)
    found = call(program, f"put_{kind}_{rows}", e=e, i=indices, u=UPDATES)
    np.testing.assert_array_equal(found, put(rows, indices, UPDATES))


@pytest.mark.slow
def test_constant_indices(program: Any) -> None:
    """Constants beyond the axis are dropped, too."""
    e, unused = numbers(5), np.zeros(3, np.int32)
    found = call(program, "put_constant", e=e, i=unused, u=UPDATES)
    np.testing.assert_array_equal(found, put(5, np.array([4, 5, -1]), UPDATES))
    found = call(program, "add_constant", e=e, i=unused, u=UPDATES)
    np.testing.assert_array_equal(found, put(5, np.array([4]), e[4:] + UPDATES[:1]))


@pytest.mark.slow
def test_bodies_that_are_no_sums(program: Any) -> None:
    """A body with a sum that it does not return is not one."""
    e, unused = numbers(5), np.zeros(3, np.int32)
    np.testing.assert_array_equal(call(program, "first_of_sum", e=e, i=unused, u=UPDATES), e)
    found = call(program, "last_of_sum", e=e, i=unused, u=UPDATES)
    np.testing.assert_array_equal(found, put(5, np.array([4]), UPDATES[:1]))


def test_indices_without_axes(program: Any) -> None:
    """Their update sets the whole array."""
    e, none = numbers(5), np.zeros(0, np.int32)
    np.testing.assert_array_equal(call(program, "put_all", e=e, i=none, u=e + 1), e + 1)


def test_select_along_an_axis(program: Any) -> None:
    """torch_index_select clamps."""
    e = numbers(300)
    found = call(program, "select", e=e, i=np.array([-5, 7, 10**9], np.int32))
    np.testing.assert_array_equal(found, e[[0, 7, 299]])


def test_open_sizes_are_refused() -> None:
    """They could not be clamped."""
    text = gather("take", 5, "i32").replace("3x", "?x").replace("func @", "func private @")
    with pytest.raises(InvalidArgumentError, match="known sizes"):
        rc.link("module {" + text + function(CELL) + "}", "cpu:generic")


def _draw(rng: Any) -> tuple[Callable[..., Any], list[Any]]:
    """A random scatter by JAX, and its arguments."""
    lax: Any = pytest.importorskip("jax.lax")
    sizes: list[int] = rng.integers(1, 6, rng.integers(1, 4)).tolist()
    axes: list[int] = rng.permutation(len(sizes)).tolist()
    several = int(rng.integers(0, 2)) if len(sizes) > 1 else 0
    batching, rest = axes[:several], axes[several:]
    indexed = rest[: rng.integers(1, len(rest) + 1)]
    parts = [size if rng.random() < 0.4 else int(rng.integers(1, size + 1)) for size in sizes]
    for axis in axes:
        if axis in batching or (axis in indexed and rng.random() < 0.4):
            parts[axis] = 1
    inserted = [a for a in rest if parts[a] == 1 and rng.random() < 0.7]
    kept = [a for a in range(len(sizes)) if a not in (*inserted, *batching)]
    others: list[int] = rng.integers(1, 4, rng.integers(0, 3)).tolist()
    batch = [*(sizes[axis] for axis in batching), *others]
    rank = len(batch) + len(kept)
    windows: list[int] = sorted(rng.choice(rank, len(kept), replace=False).tolist())
    window, along = iter(kept), iter(batch)
    shape = [parts[next(window)] if k in windows else next(along) for k in range(rank)]
    where = {"operand_batching_dims": batching, "scatter_indices_batching_dims": range(several)}
    dimensions = lax.ScatterDimensionNumbers(
        update_window_dims=tuple(windows),
        inserted_window_dims=tuple(sorted(inserted)),
        scatter_dims_to_operand_dims=tuple(indexed),
        **{name: tuple(value) for name, value in where.items()},
    )
    kind: Any = rng.choice([np.int8, np.uint8, np.int32])
    limits = [sizes[axis] - parts[axis] for axis in indexed]
    low = np.zeros(len(limits)) - (kind != np.uint8)
    indices = rng.integers(low, np.array(limits) + 2, (*batch, len(limits))).astype(kind)
    op = getattr(lax, rng.choice(["scatter", "scatter_add", "scatter_max", "scatter_mul"]))
    numbered: Any = [np.arange(1, math.prod(each) + 1, dtype="f") for each in (sizes, shape)]

    def function(operand: Any, indices: Any, update: Any) -> Any:
        return op(operand, indices, update, dimensions, mode="drop")

    return function, [numbered[0].reshape(sizes), indices, -numbered[1].reshape(shape)]


@pytest.mark.slow
def test_random_scatters() -> None:
    """Windows that are cut off, axes in any order, batches: what JAX computes."""
    jax: Any = pytest.importorskip("jax", minversion="0.10")
    export: Any = pytest.importorskip("jax.export")
    drawn = [_draw(np.random.default_rng(seed)) for seed in SEEDS]
    flat = [array for _, arrays in drawn for array in arrays]
    kinds = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in CELL.arguments]
    results = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in CELL.results]
    name = "rnn_compiler.GRUBlockCell"

    def scattered(*flat: Any) -> list[Any]:
        each = zip(drawn, range(0, len(flat), 3), strict=True)
        return [op(*flat[start : start + 3]) for (op, _), start in each]

    def model(flat: Any, cell: Any) -> Any:
        return scattered(*flat), jax.ffi.ffi_call(name, results)(*cell)

    checks = [export.DisabledSafetyCheck.custom_call(name)]
    text = export.export(jax.jit(model), disabled_checks=checks)(flat, kinds).mlir_module()
    artifact = rc.link(text, "cpu:generic")
    names = [each.name for each in artifact.manifest.functions[0].arguments]
    run = rc.runtime.load(artifact, device="local-sync")
    given: Any = [*flat, *(np.zeros(kind.shape, np.float32) for kind in kinds)]
    arguments: dict[str, Any] = dict(zip(names, given, strict=True))
    found = [*run(**arguments)]
    for number, wanted in enumerate[Any](jax.jit(scattered)(*flat)):
        np.testing.assert_array_equal(found[number], wanted, err_msg=str(number))
