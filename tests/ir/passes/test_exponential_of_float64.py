"""Modules before and after `exponential_of_float64`, and its results."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, rewritten
from traps.iree import called, trap

from rnn_compiler.lowering.passes.iree_faults.exponential_of_float64 import exponential_of_float64
from rnn_compiler.lowering.rewriting.context import Processor
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

WITHOUT = VectorUnit(bits=128, registers=16, float64_exponential=False)

ALL = """
func.func @all(%x: vector<2xf64>, %y: f64, %z: tensor<3xf64>, %n: tensor<3xf32>)
    -> (vector<2xf64>, f64, tensor<3xf64>, tensor<3xf64>, tensor<3xf32>) {
  %a = math.exp %x : vector<2xf64>
  %b = math.exp %y : f64
  %c = stablehlo.exponential %z : tensor<3xf64>
  %d = stablehlo.logistic %z : tensor<3xf64>
  %e = stablehlo.exponential %n : tensor<3xf32>
  return %a, %b, %c, %d, %e : vector<2xf64>, f64, tensor<3xf64>, tensor<3xf64>, tensor<3xf32>
}
"""


def test_vectors_scalars_and_tensors() -> None:
    after, _ = rewritten(ALL, exponential_of_float64, processor=WITHOUT)
    check(
        after,
        """
        CHECK: [[A:%[0-9]+]] = arith.mulf %{{.*}}, %{{.*}} : vector<2xf64>
        CHECK: [[B:%[0-9]+]] = arith.mulf %{{.*}}, %{{.*}} : f64
        CHECK: [[C:%[0-9]+]] = linalg.generic
        CHECK: [[D:%[0-9]+]] = linalg.generic
        CHECK: stablehlo.exponential %arg3 : tensor<3xf32>
        """,
    )
    assert "math.exp" not in after
    assert "logistic" not in after


@pytest.mark.parametrize("processor", [AVX2, Gpu()])
def test_what_is_left(processor: Processor) -> None:
    assert rewritten(ALL, exponential_of_float64, processor=processor) == rewritten(
        ALL, processor=processor
    )


@pytest.mark.parametrize(
    ("target", "has"),
    [("cpu:x86_64", True), ("cpu:riscv64", True), ("cpu:armv7", False), ("cpu:wasm32", False)],
)
def test_which_processors_have_one(target: str, has: bool) -> None:
    assert VectorUnit.of(resolve_target(target)).float64_exponential == has


@pytest.mark.slow
def test_every_exponent_and_the_ends() -> None:
    random = np.random.default_rng(0)
    ends = [-np.inf, -746, -745.2, -745, -708.4, -1e-300, -0.0, 0, 1e-17, 1, 709.78, 709.79, 711]
    x = np.array([*ends, np.inf, np.nan, *random.uniform(-745, 710, 4000), *random.normal(size=99)])
    text = f"""
    func.func @main(%x: tensor<{x.size}xf64>) -> tensor<{x.size}xf64> {{
      %y = stablehlo.exponential %x : tensor<{x.size}xf64>
      return %y : tensor<{x.size}xf64>
    }}"""
    after, _ = rewritten(text, exponential_of_float64, processor=WITHOUT)
    (y,) = called(after, x, flags=["--iree-input-demote-f64-to-f32=false"])
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(x)
    normal = np.isfinite(expected) & (expected >= np.finfo(np.float64).tiny)
    np.testing.assert_array_max_ulp(y[normal], expected[normal], 2)
    special = ~np.isfinite(expected)
    np.testing.assert_array_equal(y[special], expected[special])
    tiny = ~normal & ~special  # IREE's runtime takes subnormals for 0
    assert tiny.sum() > 50
    assert ((y[tiny] >= 0) & (y[tiny] <= expected[tiny] * (1 + 1e-15))).all()
    assert math.isclose(y[9], math.e, rel_tol=1e-15)


@trap("lowering/passes/iree_faults/exponential_of_float64.py")
def test_exp_of_32_bit_processors_is_defined(tmp_path: Path) -> None:
    """IREE links a function `exp` that returns `poison`, which becomes a bare return."""
    from traps.iree import compiled

    text = """
    func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
      %y = stablehlo.exponential %x : tensor<4xf64>
      return %y : tensor<4xf64>
    }"""
    flags = (
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-triple=riscv32-unknown-none-elf",
        "--iree-llvmcpu-target-cpu=generic",
        "--iree-llvmcpu-target-cpu-features=+m,+a,+f,+d,+c",
        "--iree-llvmcpu-target-abi=ilp32d",
    )
    kept = f"--iree-hal-dump-executable-intermediates-to={tmp_path}"
    compiled(text, "--iree-input-demote-f64-to-f32=false", kept, target=flags)
    (linked,) = tmp_path.glob("*.linked.ll")
    assert "@exp(" in linked.read_text()
    assert "ret double poison" not in linked.read_text()
