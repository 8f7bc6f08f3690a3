"""Faults of the CUDA modules that the emulator showed and that are there still, each in a process.

A process, for after a fault its device is lost. A row goes when its fault does.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import sizes
from numeric.harness import draw, program

TESTS = Path(__file__).parents[2]

NO_LENGTHS = """
import sys
sys.path.insert(0, sys.argv[1])
from cuda import emulator
emulator.load(emulator.build())
import numpy as np
import rnn_compiler as rc
program = rc.runtime.load(rc.compile(rc.build(
    "CudnnRNNV3", dtype="float64", seq_length=3, batch_size=2, input_size=2, num_units=1,
    num_layers=2, rnn_mode="lstm", time_major=False), "cuda"), "cuda")
(spec,) = program.manifest.functions
arguments = {a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments if a.default is None}
arguments["input_h"] += 2.0
print(program(**arguments).output_h.ravel())
"""


@pytest.mark.xfail(strict=True, reason="IREE frees a buffer twice where neither loop runs")
def test_no_steps_at_all() -> None:
    """Every length 0, two layers: the state is the initial state."""
    command = [sys.executable, "-c", NO_LENGTHS, str(TESTS)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "2. 2. 2. 2." in result.stdout


@pytest.mark.xfail(strict=True, reason="the product pads with the next row's first number, times 0")
@pytest.mark.parametrize("op", ["LSTMBlockCell", "GRUBlockCell"])
def test_nan_of_one_row_is_nothing_to_another(op: str) -> None:
    variant = sizes(1, 2, 3, 4, use_peephole=True)
    arguments = draw(op, "float32", variant)
    wanted = program(op, "float32", variant)(**arguments)
    arguments["x"][1] = np.nan
    results = program(op, "float32", variant)(**arguments)
    for got, values in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(got[0], values[0])
