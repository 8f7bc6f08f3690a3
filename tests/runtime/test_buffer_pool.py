"""The pool of freed buffers serves current calls, whatever ran before; in a separate process."""

from __future__ import annotations

import json

import processes
import pytest

pytestmark = pytest.mark.slow

PROGRAMS = """
import json
import sys

import numpy as np

import rnn_compiler as rc

def allocated(program):
    statistics = program.device.hal.allocator.statistics
    return statistics["host_bytes_allocated"] + statistics["device_bytes_allocated"]

sizes = {"seq_length": 32, "batch_size": None, "input_size": 8, "num_units": 128}
artifact = rc.compile(rc.build("BlockLSTMV2", **sizes, use_peephole=False))

def program_of(batch_size):
    program = rc.runtime.load(artifact, sys.argv[1])
    (function,) = program.functions.values()
    given = {}
    for spec in function.spec.arguments:
        shape = [size if isinstance(size, int) else batch_size for size in spec.shape]
        given[spec.name] = program.to_device(np.full(shape, spec.maximum or 0, spec.dtype))
    return program, lambda: program(**given, to_host=False)

def calls(programs, count):
    before = allocated(programs[0][0])
    for _ in range(count):
        for _, call in programs:
            call()
    return allocated(programs[0][0]) - before

programs = [program_of(batch_size) for batch_size in range(16, 24)]
filled = [calls([each], 3) for each in programs]
print(json.dumps([filled, calls(programs[-2:], 6), calls(programs[-2:], 6)]))
"""


def test_old_buffers_make_way() -> None:
    """Eight programs fill the pool; then two of them alternate, and end up served by the pool.

    What one frees is newer than what has lain there from the start, so it would go first.
    """
    done = processes.python(PROGRAMS, "local-sync", variables={"RNN_COMPILER_POOL_MAX_SIZE": "24M"})
    filled, refilled, last = json.loads(done.stdout)
    assert all(count > 4 << 20 for count in filled)
    assert sum(filled) > 32 << 20
    assert refilled > 4 << 20
    assert last == 0
