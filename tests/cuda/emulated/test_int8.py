"""Weights in int8 on a GPU: the defined bits."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.int8_products import calls, relu_layers

import rnn_compiler as rc

SHAPES = [(3, 38, 12)]


@pytest.mark.usefixtures("emulated")
def test_products_have_the_bits_that_are_defined() -> None:
    frozen, weights = relu_layers(SHAPES)
    artifact = rc.compile(frozen, target="cuda")
    program = rc.runtime.load(artifact, "cuda")
    for name, given, expected in calls(SHAPES, weights):
        found = np.asarray(program.functions[name](**given))
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)
