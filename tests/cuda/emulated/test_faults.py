"""Faults of the CUDA modules that the emulator has detected."""

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
op, units, strategy = sys.argv[2], int(sys.argv[3]), sys.argv[4]
module = rc.build(op, dtype="float64", seq_length=3, batch_size=2, input_size=2, num_units=units,
                  num_layers=2, rnn_mode="lstm", time_major=False)
program = rc.runtime.load(rc.compile(module, "cuda", strategy=strategy), "cuda")
(spec,) = program.manifest.functions
arguments = {a.name: np.full(a.shape, 2, a.dtype) for a in spec.arguments}
arguments["sequence_lengths"] *= 0
arguments |= {a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments if "seed" in a.name}
results = program(**{a.name: arguments[a.name] for a in spec.arguments if a.maximum != 0})
print(np.unique(results[1]), float(np.abs(results[0]).max()))
"""


@pytest.mark.parametrize(
    ("op", "units", "strategy"),
    [
        *((op, 1, "pinned") for op in ("CudnnRNNV3", "CudnnRNNBackpropV3")),
        *((op, 4, "portable") for op in ("CudnnRNNV3", "CudnnRNNBackpropV3")),
        ("CudnnRNNBackpropV3", 4, "pinned"),
    ],
)
def test_no_steps_at_all(op: str, units: int, strategy: str) -> None:
    """Every length 0, two layers: the state is the initial state, and so with its gradient.

    IREE frees a buffer twice where a plain loop does not run. In a process of its own, for a device
    is lost then. Loops of one unit stay plain.
    """
    command = [sys.executable, "-c", NO_LENGTHS, str(TESTS), op, str(units), strategy]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (result.returncode, result.stdout) == (0, "[2.] 0.0\n"), result.stderr


@pytest.mark.parametrize("op", ["LSTMBlockCell", "GRUBlockCell"])
def test_nan_of_one_row_is_nothing_to_another(op: str) -> None:
    variant = sizes(1, 2, 3, 4, use_peephole=True)
    # IREE pads a product of two rows of seven with the next row's first number, times 0.
    arguments = draw(op, "float32", variant)
    wanted = program(op, "float32", variant)(**arguments)
    arguments["x"][1] = np.nan
    results = program(op, "float32", variant)(**arguments)
    for got, values in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(got[0], values[0])
