"""A loop that is refused after much of it was emitted leaves the process unchanged."""

from __future__ import annotations

import processes
import pytest
from quick import first

SCRIPT = """
import sys
import rnn_compiler as rc
from rnn_compiler.lowering.analysis import walk
from rnn_compiler.lowering.mlir.refused import Refused

elementwise = walk.elementwise

def planted(body, op, operands):
    if op.name == "stablehlo.add":
        raise Refused("planted")
    return elementwise(body, op, operands)

walk.elementwise = planted
steps = {"static": 5, "open": None}[sys.argv[1]]
built = rc.build("BlockLSTMV2", seq_length=steps, batch_size=3, input_size=40, num_units=48)
try:
    print(*rc.compile(built, "cpu").manifest.plain_loops.values())
except rc.errors.UnsupportedError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("length", first(["open", "static"]))
def test_the_process_goes_on(length: str) -> None:
    """In a separate process, because freeing in the wrong order may show only at its end."""
    done = processes.python(SCRIPT, length)
    assert "planted" in done.stdout
