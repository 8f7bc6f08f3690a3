"""The memory that CudnnRNN and its gradient need together, in separate processes."""

from __future__ import annotations

import json

import processes
import pytest
from quick import every

pytestmark = pytest.mark.slow

MEASURE = '''
import json
import os
import sys

import numpy as np

import rnn_compiler as rc


def ratio(sizes, length):
    """The memory that is needed at most, relative to that of all arguments and results."""
    ops = ["CudnnRNN", "CudnnRNNBackprop"]
    built = {**sizes, "seq_length": None} if length == "open" else sizes
    program = rc.runtime.load(rc.compile(rc.build(ops, dtype="float32", **built)), "local-sync")
    arrays, size = {}, {}
    for function in program.functions.values():
        spec = function.spec.bound({"seq_length": sizes["seq_length"]})
        for argument in spec.arguments:
            if argument.name not in arrays:
                arrays[argument.name] = program.to_device(np.zeros(argument.shape, argument.dtype))
        given = {argument.name: arrays[argument.name] for argument in spec.arguments}
        arrays |= function(**given, to_host=False)._asdict()
        for tensor in (*spec.arguments, *spec.results):
            size[tensor.name] = int(np.prod(tensor.shape)) * np.dtype(tensor.dtype).itemsize
    statistics = program.device.hal.allocator.statistics
    peak = statistics["host_bytes_peak"] + statistics["device_bytes_peak"]
    return peak / sum(size.values())


for case in json.loads(sys.argv[1]):
    if os.fork() == 0:  # the peak is that of all devices a process has opened
        print(ratio(*case), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
'''

SIZES = [
    {"seq_length": 24, "batch_size": 1, "input_size": 256, "num_units": 256},
    {
        **{"seq_length": 48, "batch_size": 8, "input_size": 64, "num_units": 128},
        **{"rnn_mode": "gru", "direction": "bidirectional"},
    },
    {"seq_length": 40, "batch_size": 16, "input_size": 96, "num_units": 96, "num_layers": 2},
]
MOST = {"known": 1.3, "open": 1.6}


def test_forward_and_gradient_need_little_more_than_they_are_given_and_return() -> None:
    pairs = [(number, length) for number in range(len(SIZES)) for length in MOST]
    some = every(pairs, (0, "known"), (1, "open"), (2, "known"))
    cases = [({"num_layers": 1, **SIZES[number]}, length) for number, length in some]
    done = processes.python(
        MEASURE, json.dumps(cases), variables={"RNN_COMPILER_POOL_MAX_SIZE": "0"}
    )
    for (sizes, length), ratio in zip(cases, done.stdout.split(), strict=True):
        assert 1 < float(ratio) <= MOST[length], sizes
