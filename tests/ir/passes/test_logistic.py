"""Logistic functions before and after `logistic`, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ir.filecheck import check
from ir.rewriting import AVX512, rewritten
from quick import SWEEP
from traps.iree import Loaded

from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.compiler.iree_compile import compile_module
from rnn_compiler.lowering.mlir.bindings import nested_ops
from rnn_compiler.lowering.passes.logistic import RECIPROCALS, logistic
from rnn_compiler.lowering.rewriting.context import PassContext, Processor
from rnn_compiler.lowering.rewriting.edits import pointwise, replace
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.cpu_features import host_features

Array = npt.NDArray[Any]

DIVIDED, BY_STEPS = (
    VectorUnit(bits=512, registers=32, logistic=way) for way in ("divided", "by_steps")
)

ALL = """
func.func @all(%x: f32, %v: tensor<3xf32>, %d: tensor<3xf64>)
    -> (f32, tensor<3xf32>, tensor<3xf64>) {
  %one = arith.constant 1.0 : f32
  %negative = arith.negf %x : f32
  %exponential = math.exp %negative : f32
  %total = arith.addf %exponential, %one : f32
  %a = arith.divf %one, %total {rnn_compiler.logistic} : f32
  %b = stablehlo.logistic %v : tensor<3xf32>
  %c = stablehlo.logistic %d : tensor<3xf64>
  return %a, %b, %c : f32, tensor<3xf32>, tensor<3xf64>
}
"""

COUNT = 1 << 23
"""The float32 of a binade."""

needs_fma = pytest.mark.skipif("fma" not in host_features(), reason="no fma")


@pytest.mark.parametrize(("processor", "divisions"), [(DIVIDED, 2), (BY_STEPS, 0)])
def test_numbers_and_arrays(processor: VectorUnit, divisions: int) -> None:
    after, _ = rewritten(ALL, logistic, processor=processor)
    check(
        after,
        """
        CHECK: math.fma %{{.*}} : f32
        CHECK: linalg.generic
        CHECK: math.fma %{{.*}} : f32
        CHECK: stablehlo.logistic %arg2 : tensor<3xf64>
        """,
    )
    assert "math.exp" not in after
    assert "rnn_compiler" not in after
    assert after.count("arith.divf") == divisions


@pytest.mark.parametrize("processor", [AVX512, Gpu()])
def test_without_a_way_only_the_marks_go(processor: Processor) -> None:
    plain, _ = rewritten(ALL.replace(" {rnn_compiler.logistic}", ""), processor=processor)
    assert rewritten(ALL, logistic, processor=processor)[0] == plain


@pytest.mark.parametrize(
    ("target", "way"),
    [
        ("cpu:generic", ""),
        ("cpu:x86_64,x86-64-v3", "divided"),
        ("cpu:x86_64,x86-64-v4,avx512bf16", "divided"),
        ("cpu:x86_64,x86-64-v4,avx512bf16,amx-tile", "by_steps"),
        ("cpu:aarch64", ""),
        ("cpu:wasm32,relaxed-simd", ""),
    ],
)
def test_the_way_of_a_target(target: str, way: str) -> None:
    assert VectorUnit.of(resolve_target(target)).logistic == way


# Results.


def compiled(processor: VectorUnit, folder: Path) -> Loaded:
    """The function of as many numbers as a binade has, for this machine."""
    text = f"""
    func.func @main(%x: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
      %y = stablehlo.logistic %x : tensor<{COUNT}xf32>
      return %y : tensor<{COUNT}xf32>
    }}"""
    after, _ = rewritten(text, logistic, processor=processor)
    payload = compile_module(after, resolve_target("cpu"), reproducers=folder)
    return Loaded(payload)


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The function in both ways."""
    folder = tmp_path_factory.mktemp("logistic")
    return [compiled(each, folder) for each in (DIVIDED, BY_STEPS)]


def binades(least: int, most: int, step: int = 1) -> Iterator[Array]:
    """Every so many float32 from a power of two up to another, as many at a time as a binade has.

    Those of a sign, so the number of binades divides by the step.
    """
    for exponent in range(least, most, step):
        for sign in (0, 1 << 31):
            first = (exponent + 127 << 23) | sign
            numbers: Any = np.arange(first, first + step * COUNT, step, dtype=np.uint32)
            yield numbers.view(np.float32)


def both(functions: Any, x: Array) -> Array:
    """The results, which are the same bits in both ways."""
    one, other = (np.asarray(each(x)[0], np.float32) for each in functions)
    assert one.tobytes() == other.tobytes() or np.isnan(one).any()
    np.testing.assert_array_equal(one, other)
    return one


def worst(x: Array, y: Array) -> float:
    """The largest error in units in the last place of the exact results, which are normal."""
    exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    normal = exact >= np.finfo(np.float32).tiny
    unit = np.spacing(exact[normal].astype(np.float32)).astype(np.float64)
    return float((np.abs(y[normal] - exact[normal]) / unit).max(initial=0))


def is_sorted(x: Array, y: Array) -> bool:
    """Whether the results never decrease."""
    return bool((np.diff(y) * np.sign(x[0]) >= 0).all())


@pytest.mark.slow
@needs_fma
def test_reciprocals_of_a_binade(tmp_path: Path) -> None:
    """Of all 2**23 numbers: a step too few, or another guess, misses the last or some others."""
    text = f"""
    func.func @main(%x: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
      %y = stablehlo.sqrt %x : tensor<{COUNT}xf32>
      return %y : tensor<{COUNT}xf32>
    }}"""

    def reciprocal(_: Body, numbers: Sequence[Number]) -> Number:
        return RECIPROCALS["by_steps"](numbers[0])

    def emit(context: PassContext) -> None:
        (op,) = nested_ops(context.module.operation, "stablehlo.sqrt")
        replace(op, pointwise(Body.before(op), op, reciprocal))

    after, _ = rewritten(text, emit)
    main = Loaded(compile_module(after, resolve_target("cpu"), reproducers=tmp_path))
    x: Any = next(binades(0, 1))
    np.testing.assert_array_equal(main(x)[0], np.float32(0.25) / x)


@pytest.mark.slow
@needs_fma
def test_errors(functions: Any) -> None:
    """The error is largest between -32 and -16."""
    for x in binades(4, 5):
        y = both(functions, x)
        assert worst(x, y) < 2.5
        assert is_sorted(x, y)


@needs_fma
@pytest.mark.slow
def test_errors_of_all_numbers(functions: Any) -> None:
    """Or of every eighth: below 2**-26 the function rounds to 1/2; from 128 on it is 0 or 1."""
    for x in binades(-32, 8, 1 if SWEEP else 8):
        y = both(functions, x)
        assert worst(x, y) < 2.5
        assert is_sorted(x, y)
        assert (y[np.abs(x) > 88.8] == (x[0] > 0)).all()


@pytest.mark.slow
@needs_fma
def test_ends(functions: Any) -> None:
    x = np.zeros(COUNT, np.float32)
    ends = [np.inf, -np.inf, 3e38, -3e38, 89, -89, -0.0, 0.0, 1e-45, np.nan, 18, -88.4]
    x[: len(ends)] = ends
    wanted = [1, 0, 1, 0, 1, 0, 0.5, 0.5, 0.5, np.nan, 1, 0]
    np.testing.assert_array_equal(both(functions, x)[: len(ends)], np.array(wanted, np.float32))
