"""Modules before and after `round_to_float16`, and all its results."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, rewritten
from linking.modules import function

import rnn_compiler as rc
from rnn_compiler.lowering.passes.iree_faults.round_to_float16 import round_to_float16
from rnn_compiler.lowering.rewriting.context import Processor
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

WITHOUT = VectorUnit(bits=128, registers=16, rounds_to_float16=False)

ROUNDED = """
func.func @round(%x: vector<4xf32>, %y: f32, %z: tensor<2xf32>)
    -> (vector<4xf16>, f16, tensor<2xf16>) {
  %a = arith.truncf %x : vector<4xf32> to vector<4xf16>
  %b = arith.truncf %y : f32 to f16
  %c = stablehlo.convert %z : (tensor<2xf32>) -> tensor<2xf16>
  return %a, %b, %c : vector<4xf16>, f16, tensor<2xf16>
}
"""

OTHERS = """
func.func @others(%x: vector<4xf32>, %y: tensor<2xf16>) -> (vector<4xbf16>, tensor<2xf32>) {
  %a = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  %b = stablehlo.convert %y : (tensor<2xf16>) -> tensor<2xf32>
  return %a, %b : vector<4xbf16>, tensor<2xf32>
}
"""


def test_vectors_scalars_and_tensors() -> None:
    after, _ = rewritten(ROUNDED, round_to_float16, processor=WITHOUT)
    check(
        after,
        """
        CHECK: arith.bitcast %arg0 : vector<4xf32> to vector<4xi32>
        CHECK: [[A:%[0-9]+]] = arith.bitcast %{{.*}} : vector<4xi16> to vector<4xf16>
        CHECK: arith.bitcast %arg1 : f32 to i32
        CHECK: [[B:%[0-9]+]] = arith.bitcast %{{.*}} : i16 to f16
        CHECK: [[C:%[0-9]+]] = linalg.generic
        CHECK: arith.bitcast %{{.*}} : f32 to i32
        CHECK: return [[A]], [[B]], [[C]]
        """,
    )
    assert "truncf" not in after
    assert "stablehlo.convert" not in after


@pytest.mark.parametrize(
    ("text", "processor"), [(OTHERS, WITHOUT), (ROUNDED, AVX2), (ROUNDED, Gpu())]
)
def test_what_is_left(text: str, processor: Processor) -> None:
    """Other types; processors that have an instruction."""
    assert rewritten(text, round_to_float16, processor=processor) == rewritten(
        text, processor=processor
    )


@pytest.mark.parametrize(
    ("target", "has"),
    [
        ("cpu:x86_64", False),
        ("cpu:x86_64,avx", False),
        ("cpu:x86_64,f16c", True),
        ("cpu:aarch64", True),
        ("cpu:riscv64", False),
        ("cpu:riscv64,zfh", True),
    ],
)
def test_which_processors_have_an_instruction(target: str, has: bool) -> None:
    assert VectorUnit.of(resolve_target(target)).rounds_to_float16 == has


@pytest.mark.slow
def test_every_float16_and_what_lies_between() -> None:
    """Each finite one, the middle to the next, and their neighbours in float32, of both signs."""
    cell = rc.build("GRUBlockCell", batch_size=1, input_size=1, num_units=1).functions[0]
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float32)
    halves[-1] = 65536  # the next after the largest
    exact = np.concatenate([halves, (halves[1:] + halves[:-1]) / 2])
    ways = [exact, np.nextafter(exact, np.float32(0)), np.nextafter(exact, np.float32(np.inf))]
    others = np.array([np.inf, np.nan, 1e-30, 1e-7, 1e30, 1e-40], np.float32)
    x = np.concatenate([*ways, others])
    x = np.concatenate([x, -x])
    text = f"""
    module {{
      {function(cell, name="cell")}
      func.func public @rounded(%x: tensor<{x.size}xf32> loc("x")) -> tensor<{x.size}xf16> {{
        %y = stablehlo.convert %x : (tensor<{x.size}xf32>) -> tensor<{x.size}xf16>
        return %y : tensor<{x.size}xf16>
      }}
    }}"""
    program = rc.runtime.load(rc.link(text, "cpu:generic"))
    (found,) = program.functions["rounded"](x=x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numbers that are too large
        expected = x.astype(np.float16)
    number = ~np.isnan(x)
    np.testing.assert_array_equal(found[number].view("u2"), expected[number].view("u2"))
    assert np.isnan(found[~number]).all()
