"""Products of single numbers: one input, one unit, gradients of one row and one step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import TOLERANCES
from numeric.harness import arguments_of, expected, module
from quick import first, marked_slow

import rnn_compiler as rc

ONE_OF_EACH = {"seq_length": 1, "batch_size": 1, "input_size": 1, "num_units": 4}
SINGLE = [
    ("BlockLSTMGradV2", {**ONE_OF_EACH, "use_peephole": False}, "float16"),
    marked_slow(("CudnnRNNV3", {**ONE_OF_EACH, "seq_length": 3, "batch_size": 2}, "float32")),
    marked_slow(("BlockLSTMV2", {**ONE_OF_EACH, "seq_length": 3, "num_units": 1}, "float32")),
    marked_slow(("CudnnRNNBackpropV3", ONE_OF_EACH, "bfloat16")),
    marked_slow(
        ("CudnnRNNBackpropV3", {**ONE_OF_EACH, "seq_length": 3, "num_units": 1}, "float32")
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", first(["fused", "portable", "pinned"]))
@pytest.mark.parametrize(("op", "variant", "dtype"), SINGLE)
def test_products_of_single_numbers(
    op: str, variant: dict[str, Any], dtype: str, strategy: str
) -> None:
    """IREE makes outer products of them, which it does not compile in every type."""
    arguments = arguments_of(op, dtype, variant, variant["seq_length"])
    made = rc.compile(module(op, dtype, variant), "cpu", strategy=strategy)
    found = rc.runtime.load(made)(**arguments)._asdict()
    for name, value in expected(op, dtype, variant, arguments).items():
        if name in ("reserve_space", "host_reserved"):
            continue
        scale = max(1, np.abs(value).max(initial=0))
        error = np.abs(np.asarray(found[name]).astype("float64").reshape(value.shape) - value)
        assert error.max(initial=0) <= TOLERANCES[dtype] * scale, name
