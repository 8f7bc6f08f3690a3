"""JavaScript in Node.js gives the results of TensorFlow's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from c.covering import covering, traits_of_direction
from c.test_goldens import (
    ALL,
    BATCH,
    FIRST,
    GOLDENS,
    OTHERS,
    PACKED,
    SINGLE_STEP,
    stands_for_itself,
)
from goldens.golden import Golden
from js.calling import Loaded, needs_node
from numeric.harness import module, renamed
from processors.test_aarch64 import cases

import rnn_compiler as rc

pytestmark = needs_node

EACH_OP = [*filter(stands_for_itself, FIRST), SINGLE_STEP, PACKED]
"""One golden file per op, without ops represented by others: names of ops are only printed data."""

REST = GOLDENS if ALL else covering(OTHERS, traits_of_direction, EACH_OP)
"""All directions, one and two layers, every mode, unless ``TEST_ALL_GOLDENS`` is set.

Their loops are those of C, whose goldens run on other processors; only the host program is another,
and these find the same faults of it as all do: of copies, fills, constants, and counts.
"""


def check(goldens: Sequence[Golden], folder: Path, *, dtype: str = "", target: str = "") -> None:
    """Compares the results of functions, one per golden file, with the files' results."""
    parts = [module(golden.op, dtype or golden.dtype, golden.variant) for golden in goldens]
    made = rc.compile_js(renamed(*parts), target or "cpu:wasm32", name="goldens")
    flags = ["--experimental-wasm-relaxed-simd"] if "relaxed" in target else []
    rows = [(f"case_{number}", golden.inputs, {}) for number, golden in enumerate(goldens)]
    for golden, results in zip(goldens, Loaded(made, folder, *flags).calls(rows), strict=True):
        golden.assert_matches(results)


@pytest.mark.slow
def test_each_op(tmp_path: Path) -> None:
    check(EACH_OP, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "count"), [("float16", -1), ("bfloat16", 4), ("float64", 2)])
def test_each_dtype(dtype: str, count: int, tmp_path: Path) -> None:
    """The golden files of layers are in float64 already."""
    check(cases(dtype)[:count], tmp_path, dtype=dtype)


@pytest.mark.slow
def test_relaxed_simd(tmp_path: Path) -> None:
    """It makes other instructions of loops: one op with each kind of loop shows them."""
    check(cases("float32"), tmp_path, dtype="float32", target="cpu:wasm32,relaxed-simd")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, len(REST), BATCH))
def test_every_golden(start: int, tmp_path: Path) -> None:
    check(REST[start : start + BATCH], tmp_path)


@pytest.mark.slow
def test_a_gradient_in_float16(tmp_path: Path) -> None:
    """Choices between its numbers, which LLVM would widen by a function that is invalid there."""
    check(cases("float16")[-1:], tmp_path, dtype="float16")
