"""How much memory CudnnRNN and its gradient need together, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

MEASURE = """
import json
import sys

import numpy as np

import rnn_compiler as rc

ops, sizes = ["CudnnRNN", "CudnnRNNBackprop"], json.loads(sys.argv[1])
built = {**sizes, "seq_length": None} if sys.argv[2] == "open" else sizes
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
print(json.dumps(peak / sum(size.values())))
"""


@pytest.mark.parametrize(("length", "most"), [("known", 1.3), ("open", 1.6)])
@pytest.mark.parametrize(
    ("sizes", "attributes"),
    [
        ((24, 1, 256, 256), {}),
        ((48, 8, 64, 128), {"rnn_mode": "gru", "direction": "bidirectional"}),
        ((40, 16, 96, 96), {"num_layers": 2}),
    ],
)
def test_forward_and_gradient_need_little_more_than_they_are_given_and_return(
    sizes: tuple[int, ...], attributes: dict[str, object], length: str, most: float
) -> None:
    names = ("seq_length", "batch_size", "input_size", "num_units")
    given = {"num_layers": 1, **dict(zip(names, sizes, strict=True)), **attributes}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, json.dumps(given), length],
        env={**os.environ, "RNN_COMPILER_POOL_MAX_SIZE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    ratio = json.loads(done.stdout)
    assert 1 < ratio <= most
