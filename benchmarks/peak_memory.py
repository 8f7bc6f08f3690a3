"""Peak device memory of a forward and gradient call of CudnnRNN, against what must be held anyway.

    python -m benchmarks.peak_memory

One lstm layer, float32. What must be held: the inputs and outputs of both calls, each once, with
`reserve_space` and the gradient of the parameters. The peak is that of the device's allocator, from
before the first input is put there; each row runs in a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import rnn_compiler as rc

SIZES = [
    (128, 1, 128, 128),
    (50, 1, 512, 512),
    (200, 8, 64, 64),
    (32, 16, 256, 256),
    (50, 64, 512, 512),
    (25, 32, 1024, 1024),
]
BOUND = 1.3


def measure(sizes: tuple[int, ...], keywords: dict[str, Any]) -> tuple[int, int]:
    """The peak, and what must be held, in bytes."""
    names = ("seq_length", "batch_size", "input_size", "num_units")
    dims = dict(zip(names, sizes, strict=True))
    module = rc.build(["CudnnRNN", "CudnnRNNBackprop"], **dims, **keywords)
    program = rc.runtime.load(rc.compile(module), "local-sync")
    statistics = program.device.hal.allocator.statistics
    before = statistics["device_bytes_peak"] + statistics["host_bytes_peak"]
    assert before == 0, "the peak is that of the process"
    rng = np.random.default_rng(0)
    forward, backward = module.functions

    def put(arguments: Any, given: dict[str, Any]) -> dict[str, Any]:
        return {
            argument.name: given[argument.name]
            if argument.name in given
            else program.to_device(rng.standard_normal(argument.shape).astype(argument.dtype))
            for argument in arguments
        }

    inputs = put(forward.arguments, {})
    outputs = program.cudnn_rnn(**inputs, to_host=False)._asdict()
    given = put(backward.arguments, {**inputs, **outputs})
    gradients = program.cudnn_rnn_backprop(**given, to_host=False)._asdict()
    held = {**given, **outputs, **gradients}
    statistics = program.device.hal.allocator.statistics
    peak = statistics["device_bytes_peak"] + statistics["host_bytes_peak"]
    return peak, sum(np.asarray(array).nbytes for array in held.values())


def main() -> None:
    """Prints a row per size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-layers", type=int, default=1)
    parser.add_argument("--direction", default="unidirectional")
    parser.add_argument("--rnn-mode", default="lstm")
    options = vars(parser.parse_args())
    table = Table("T, B, I, H", "held", "peak", f"ratio (bound {BOUND})", box=None)
    context = multiprocessing.get_context("spawn")
    for sizes in SIZES:
        with context.Pool(1) as pool:
            peak, held = pool.apply(measure, (sizes, options))
        table.add_row(
            ", ".join(map(str, sizes)),
            f"{held / 2**20:.2f} MB",
            f"{peak / 2**20:.2f} MB",
            f"{peak / held:.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
