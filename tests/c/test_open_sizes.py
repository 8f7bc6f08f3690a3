"""Open sizes in C: one function for any length or batch, to the bit the numbers of the runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Loaded
from numeric.harness import module
from numeric.test_open_sizes import arguments_of

import rnn_compiler as rc

LENGTHS = (1, 2, 7, 100, 1030)
BATCHES = (1, 2, 3, 33)

BLOCK = {"batch_size": 3, "input_size": 40, "num_units": 48, "use_peephole": False}
ODD = {"batch_size": 2, "input_size": 7, "num_units": 23, "num_layers": 2}
CELL = {"input_size": 7, "num_units": 23}

CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("BlockLSTMV2", "float32", BLOCK, "seq_length"),
    ("BlockLSTMGradV2", "float32", BLOCK, "seq_length"),
    ("CudnnRNNV3", "bfloat16", {**ODD, "direction": "bidirectional"}, "seq_length"),
    ("CudnnRNNBackpropV3", "float32", ODD, "seq_length"),
    ("GRUBlockCell", "float32", CELL, "batch_size"),
    ("LSTMBlockCellGrad", "float16", {**CELL, "use_peephole": True}, "batch_size"),
]


@pytest.mark.parametrize(
    ("op", "dtype", "variant", "dim"), CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_one_function_for_all_sizes(
    op: str, dtype: str, variant: dict[str, Any], dim: str, tmp_path: Path
) -> None:
    made = module(op, dtype, {**variant, dim: None})
    (spec,) = made.functions
    loaded = Loaded(rc.compile_c(made, name="any"), tmp_path)
    program = rc.runtime.load(rc.compile(made), device="local-sync")
    for size in LENGTHS if dim == "seq_length" else BATCHES:
        at = {**variant, dim: size}
        given: Arrays = arguments_of(op, dtype, at, at.get("seq_length", 0))
        expected = program(**given)._asdict()
        for name, value in loaded.call(spec.function, given).items():
            assert value.tobytes() == np.asarray(expected[name]).tobytes(), (size, name)
