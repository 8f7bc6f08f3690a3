"""LLVM transposes tiles of some heights wrongly for AVX2: numbers are read beside their places.

The dispatch transposes 6 columns of two panels of 4, the second of which has only 2 rows left. The
IR that LLVM has optimized is right, its machine code is not: the broadcast of half a register reads
columns 2 and 3 instead of 3 and 4.
"""

from __future__ import annotations

import numpy as np
import pytest
from traps.iree import CPU, Loaded, compiled, trap

from rnn_compiler.schema.cpu_features import host_features


def _tiles(result: str, initial: str, low: str, high: str, rows: int) -> str:
    """A loop over tiles of some rows."""
    config = f"distribution = [0, 0], vector_common_parallel = [6, {rows}]"
    return f"""
      %{result} = scf.for %j = %{low} to %{high} step %c{rows}
          iter_args(%o = %{initial}) -> (tensor<1x6x4xf32>) {{
        %row = arith.addi %first, %j : index
        %s = tensor.extract_slice %x[%row, 0] [{rows}, 6] [1, 1]
          : tensor<6x6xf32> to tensor<{rows}x6xf32>
        %to = tensor.extract_slice %o[0, 0, %j] [1, 6, {rows}] [1, 1, 1]
          : tensor<1x6x4xf32> to tensor<6x{rows}xf32>
        %t = linalg.generic {{
          indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i, k)>],
          iterator_types = ["parallel", "parallel"]
        }} ins(%s : tensor<{rows}x6xf32>) outs(%to : tensor<6x{rows}xf32>) attrs = {{
          lowering_config = #iree_cpu.lowering_config<{config}, vector_reduction = [0, 0]>
        }} {{
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        }} -> tensor<6x{rows}xf32>
        %w = tensor.insert_slice %t into %o[0, 0, %j] [1, 6, {rows}] [1, 1, 1]
          : tensor<6x{rows}xf32> into tensor<1x6x4xf32>
        scf.yield %w : tensor<1x6x4xf32>
      }}"""


MODULE = f"""
func.func @main(%x: tensor<6x6xf32>) -> tensor<2x6x4xf32> {{
  %y = flow.dispatch @e::@f(%x) : (tensor<6x6xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}}
stream.executable private @e {{
  stream.executable.export public @f workgroups() -> (index, index, index) {{
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    stream.return %c2, %c1, %c1 : index, index, index
  }}
  builtin.module {{
    func.func @f(%from: !stream.binding, %into: !stream.binding) attributes {{
      translation_info =
        #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
    }} {{
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c6 = arith.constant 6 : index
      %source = stream.binding.subspan %from[%c0]
        : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<6x6xf32>>
      %x = iree_tensor_ext.dispatch.tensor.load %source,
        offsets = [0, 0], sizes = [6, 6], strides = [1, 1]
        : !iree_tensor_ext.dispatch.tensor<readonly:tensor<6x6xf32>> -> tensor<6x6xf32>
      %target = stream.binding.subspan %into[%c0]
        : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x6x4xf32>>
      %y = iree_tensor_ext.dispatch.tensor.load %target,
        offsets = [0, 0, 0], sizes = [2, 6, 4], strides = [1, 1, 1]
        : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x6x4xf32>> -> tensor<2x6x4xf32>
      %panel = stream.dispatch.workgroup.id[0] : index
      %first = arith.muli %panel, %c4 : index
      %left = arith.subi %c6, %first : index
      %end = arith.minsi %left, %c4 : index
      %rest = arith.remui %end, %c4 : index
      %full = arith.subi %end, %rest : index
      %part = tensor.extract_slice %y[%panel, 0, 0] [1, 6, 4] [1, 1, 1]
        : tensor<2x6x4xf32> to tensor<1x6x4xf32>{_tiles("a", "part", "c0", "full", 4)}{
    _tiles("b", "a", "full", "end", 2)
}
      %whole = tensor.insert_slice %b into %y[%panel, 0, 0] [1, 6, 4] [1, 1, 1]
        : tensor<1x6x4xf32> into tensor<2x6x4xf32>
      iree_tensor_ext.dispatch.tensor.store %whole, %target,
        offsets = [0, 0, 0], sizes = [2, 6, 4], strides = [1, 1, 1]
        : tensor<2x6x4xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x6x4xf32>>
      return
    }}
  }}
}}"""

AVX2 = (*CPU[:2], "--iree-llvmcpu-target-cpu=x86-64-v3")


@pytest.mark.skipif("avx2" not in host_features(), reason="this machine has no AVX2")
@trap("heights that are powers of two in lowering/cpu/packing.py")
def test_a_tile_of_six_rows_is_transposed() -> None:
    x = np.arange(36, dtype=np.float32).reshape(6, 6)
    (found,) = Loaded(compiled(MODULE, target=AVX2))(x)
    np.testing.assert_array_equal(found[0], x[:4].T)
