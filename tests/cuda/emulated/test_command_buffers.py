"""Both ways in which IREE hands work to CUDA: call by call on a stream, and as graphs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]

CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from cuda import emulator
library = emulator.load(emulator.build())
import iree.runtime as iree
iree.flags.parse_flags(*sys.argv[2:])
from cases import assert_close, sizes
from numeric.harness import draw, expected, module
import rnn_compiler as rc
for op in ("BlockLSTMV2", "BlockLSTMGradV2", "CudnnRNNV3"):
    variant = sizes(4, 2, 3, 5, use_peephole=True)
    program = rc.runtime.load(rc.compile(module(op, "float32", variant), "cuda"), "cuda")
    arguments = draw(op, "float32", variant)
    for _ in range(3):
        results = program(**arguments)._asdict()
        results.pop("reserve_space", None)
        wanted = expected(op, "float32", variant, arguments)
        assert_close(results, {name: wanted[name] for name in results}, "float32")
print("graphs", library.emulator_calls(b"cuGraphLaunch") > 0)
"""


@pytest.mark.parametrize("streams", [True, False])
def test_results_are_right(streams: bool) -> None:
    flag = f"--cuda_use_streams={'true' if streams else 'false'}"
    command = [sys.executable, "-c", CALL, str(TESTS), flag]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.strip() == f"graphs {not streams}"
