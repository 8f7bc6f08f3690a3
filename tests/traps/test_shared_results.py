"""Several results of a call may be one buffer."""

from __future__ import annotations

import numpy as np
from traps.iree import Loaded, compiled, trap


@trap("`shares_memory` in runtime/device/device_array.py")
def test_each_result_has_memory_of_its_own() -> None:
    text = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}"""
    first, second = Loaded(compiled(text)).main(np.ones(4, np.float32))
    views = [np.asarray(each._buffer_view.map()) for each in (first, second)]
    assert not np.shares_memory(*views)
