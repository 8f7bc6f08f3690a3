"""What a call costs beyond IREE's own: LSTMBlockCell, batch 1, 128 units, float32, on local-sync.

    python -m benchmarks.call_overhead

Streaming calls one step at a time, so microseconds count. Each row is the median over rounds in
which the ways of calling take turns, so that a drift of the machine meets all of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import iree.runtime as iree
import numpy as np
from rich.console import Console
from rich.table import Table

import rnn_compiler as rc

SIZES = {"batch_size": 1, "input_size": 128, "num_units": 128}
ROUNDS, CALLS = 30, 300


def ways_of_calling() -> dict[str, Callable[[], object]]:
    """Each way as a function without arguments; the first is the bare call."""
    program = rc.runtime.load(rc.compile(rc.build("LSTMBlockCell", **SIZES)), "local-sync")
    function = program.lstm_block_cell
    generator = np.random.default_rng(0)
    arrays = {
        argument.name: generator.standard_normal(argument.shape).astype(np.float32)
        for argument in function.spec.arguments
    }
    on_device = {name: program.to_device(array) for name, array in arrays.items()}
    context, entry = function._context, function._function
    count = len(function.spec.results)

    def bare() -> object:
        inputs = iree.VmVariantList(len(on_device))
        for array in on_device.values():
            inputs.push_ref(array.ref)
        outputs = iree.VmVariantList(count)
        context.invoke(entry, inputs, outputs)
        return [outputs.get_as_object(k, iree.HalBufferView) for k in range(count)]

    raw_op = rc.raw_ops.LSTMBlockCell
    return {
        "bare IREE call, on the device": bare,
        "program, on the device": lambda: program(**on_device, to_host=False),
        "raw op, on the device": lambda: raw_op(**on_device, to_host=False),
        "program, numpy in and out": lambda: program(**arrays),
        "raw op, numpy in and out": lambda: raw_op(**arrays),
    }


def measure() -> dict[str, float]:
    """Median microseconds of each way of calling."""
    ways = ways_of_calling()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    with rc.target("cpu", device="local-sync"):
        for way in ways.values():
            way()
        for _ in range(ROUNDS):
            for name, way in ways.items():
                start = time.perf_counter()
                for _ in range(CALLS):
                    way()
                seconds[name].append((time.perf_counter() - start) / CALLS)
    return {name: statistics.median(values) * 1e6 for name, values in seconds.items()}


def main() -> None:
    """Prints the table."""
    medians = measure()
    bare = next(iter(medians.values()))
    table = Table("call", "us", "more than bare", box=None, title_justify="left")
    for name, value in medians.items():
        table.add_row(name, f"{value:.1f}", f"{value - bare:+.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
