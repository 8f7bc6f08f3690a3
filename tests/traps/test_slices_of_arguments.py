"""A contiguous slice of an imported buffer is copied at every call."""

from __future__ import annotations

import pytest
from traps.iree import phase, trap

_SLICE = """
func.func @main(%p: tensor<64x64xf32>, %q: tensor<16x16xf32>) -> tensor<16x16xf32> {
  READ
  %s = stablehlo.slice %read [16:20, 0:64] : (tensor<64x64xf32>) -> tensor<4x64xf32>
  %m = stablehlo.reshape %s : (tensor<4x64xf32>) -> tensor<16x16xf32>
  %r = stablehlo.dot_general %m, %q, contracting_dims = [1] x [0]
    : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}"""
_BARRIER = "%read = util.optimization_barrier %p : tensor<64x64xf32>"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            _SLICE.replace("READ\n", "\n").replace("%read", "%p"),
            marks=trap("lowering/passes/iree_faults/read_arguments_in_place.py"),
            id="argument",
        ),
        pytest.param(_SLICE.replace("READ", _BARRIER), id="barrier"),
    ],
)
def test_a_slice_is_read_where_it_lies(text: str) -> None:
    assert "stream.cmd.copy" not in phase("stream", text)
