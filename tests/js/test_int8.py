"""Weights in int8 in WebAssembly: the defined bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from js.calling import Loaded, needs_node
from numeric.int8_products import calls, relu_layers

import rnn_compiler as rc

pytestmark = [needs_node, pytest.mark.slow]

SHAPES = [(9, 70, 60), (1, 40, 70)]


def test_products_have_the_bits_that_are_defined(tmp_path: Path) -> None:
    frozen, weights = relu_layers(SHAPES)
    loaded = Loaded(rc.compile_js(frozen, name="m"), tmp_path)
    size = sum(each.nbytes for each in weights.values())
    assert (tmp_path / "m.wasm").stat().st_size < size // 3 + 60_000  # code and all
    for name, given, expected in calls(SHAPES, weights):
        found = loaded.call(name, given)["output"]
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)
