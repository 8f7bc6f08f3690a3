"""Modules before and after `round_to_bfloat16`, and integers that it converts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, rewritten
from linking.modules import function
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.passes.iree_faults.round_to_bfloat16 import round_to_bfloat16
from rnn_compiler.lowering.rewriting.context import Processor
from rnn_compiler.lowering.targets.gpu import Gpu

CONVERTED = """
func.func @convert(%x: vector<4xi32>, %y: i1, %z: tensor<?xi64>)
    -> (vector<4xbf16>, bf16, tensor<?xbf16>) {
  %a = arith.sitofp %x : vector<4xi32> to vector<4xbf16>
  %b = arith.uitofp %y : i1 to bf16
  %c = stablehlo.convert %z : (tensor<?xi64>) -> tensor<?xbf16>
  return %a, %b, %c : vector<4xbf16>, bf16, tensor<?xbf16>
}
"""

OTHERS = """
func.func @others(%x: vector<4xf32>, %y: tensor<2xi32>) -> (vector<4xbf16>, tensor<2xf32>) {
  %a = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  %b = stablehlo.convert %y : (tensor<2xi32>) -> tensor<2xf32>
  return %a, %b : vector<4xbf16>, tensor<2xf32>
}
"""


def test_vectors_scalars_and_tensors() -> None:
    after, _ = rewritten(CONVERTED, round_to_bfloat16, processor=AVX2)
    check(
        after,
        """
        CHECK: arith.sitofp %arg0 : vector<4xi32> to vector<4xf32>
        CHECK: [[A:%[0-9]+]] = arith.bitcast %{{.*}} : vector<4xi16> to vector<4xbf16>
        CHECK: arith.uitofp %arg1 : i1 to f32
        CHECK: [[B:%[0-9]+]] = arith.bitcast %{{.*}} : i16 to bf16
        CHECK: [[W:%[0-9]+]] = stablehlo.convert %arg2 : (tensor<?xi64>) -> tensor<?xf32>
        CHECK: [[R:%[0-9]+]] = stablehlo.reduce_precision [[W]], format = e8m7
        CHECK: [[C:%[0-9]+]] = stablehlo.convert [[R]]
        CHECK: return [[A]], [[B]], [[C]]
        """,
    )


@pytest.mark.parametrize(("text", "processor"), [(OTHERS, AVX2), (CONVERTED, Gpu())])
def test_what_is_left(text: str, processor: Processor) -> None:
    """Other types; other processors."""
    assert rewritten(text, round_to_bfloat16, processor=processor) == rewritten(
        text, processor=processor
    )


@pytest.mark.slow
@pytest.mark.parametrize("target", first(["cpu:generic", "cpu"]))
@pytest.mark.parametrize("dtype", first(["i32", "i64", "i8", "ui8", "ui32"]))
def test_a_users_integers(dtype: str, target: str) -> None:
    """As numpy rounds them, to float32 first."""
    cell = rc.build("GRUBlockCell", batch_size=1, input_size=1, num_units=1).functions[0]
    kind: Any = np.dtype(dtype.replace("u", "").replace("i", "uint" if "u" in dtype else "int"))
    limits = np.iinfo(kind)
    powers = 2 ** np.arange(limits.bits - 2, dtype=object)
    near = [each + k for each in powers for k in (-1, 0, 1, 3)] + [257, 258, 259, 65793]
    given = [sign * each for each in near for sign in (1, -1)] + [limits.min, limits.max]
    x = np.array([each for each in given if limits.min <= each <= limits.max], kind)
    text = f"""
    module {{
      {function(cell, name="cell")}
      func.func public @converted(%x: tensor<{x.size}x{dtype}> loc("x")) -> tensor<{x.size}xbf16> {{
        %y = stablehlo.convert %x : (tensor<{x.size}x{dtype}>) -> tensor<{x.size}xbf16>
        return %y : tensor<{x.size}xbf16>
      }}
    }}"""
    program = rc.runtime.load(rc.link(text, target))
    (found,) = program.functions["converted"](x=x)
    expected = x.astype(np.float32).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))
