"""`bench`: times ops on this machine. For comparisons with other frameworks see `benchmarks/`."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rnn_compiler.cli.options import (
    UsageError,
    add_device_option,
    add_json_option,
    add_module_options,
    module_of,
)
from rnn_compiler.cli.terminal import print_json, print_table, showing_stages, status
from rnn_compiler.compilation import compile
from rnn_compiler.random_arguments import random_arguments
from rnn_compiler.runtime import Program, load
from rnn_compiler.schema.open_sizes import Size


@dataclass(frozen=True)
class Timing:
    """The duration of a function's calls, in seconds.

    Attributes:
        calls: The number of timed calls.
        median: The median.
        minimum: The fastest.
        low: The lower quartile.
        high: The upper quartile.
    """

    calls: int
    median: float
    minimum: float
    low: float
    high: float


def add_bench(verbs: Any) -> None:
    """Adds the verb `bench`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "bench",
        help="time ops on this machine",
        description="Compiles ops and times their calls, with arguments and results on the device. "
        "If an op takes results of an earlier OP, they are passed on: with BlockLSTMV2 "
        "BlockLSTMGradV2, both are timed on the same sequence.",
    )
    add_module_options(parser)
    help_text = "as in compile (default: RNN_COMPILER_TARGET, else cpu)"
    parser.add_argument("--target", metavar="TARGET", help=help_text)
    add_device_option(parser)
    parser.add_argument(
        "--seconds",
        type=float,
        default=1.0,
        help="how long each op is timed, with at least three calls (default: %(default)g)",
    )
    add_json_option(parser)
    parser.set_defaults(verb=_bench)


def _bench(options: argparse.Namespace) -> int:
    if not 0 < options.seconds < 1e6:
        raise UsageError(f"--seconds {options.seconds:g}: expected a positive number of seconds")
    target: str | None = options.target
    module = module_of(options)
    for name in [name for spec in module.functions for name in spec.open_dims]:
        raise UsageError(f"--dim {name}=?: timing needs a size: --dim {name}=N")
    with showing_stages():
        artifact = compile(module, target)
    program = load(artifact, options.device)
    from rnn_compiler.cli.flops import matmul_flops  # needs the MLIR bindings

    flops = matmul_flops(module.text, module.functions)
    with status("timing"):
        timings = time_functions(program, options.seconds)
    rates = {
        name: {"calls_per_second": 1 / t.median, "gflops": flops[name] / t.median / 1e9}
        for name, t in timings.items()
    }
    if options.json:
        rows = [{"function": n, **asdict(t), **rates[n]} for n, t in timings.items()]
        print_json({"device": program.device.uri, "functions": rows})
        return 0
    constants = ", ".join(f"{k}={v}" for k, v in module.functions[0].dims.items())
    title = f"{module.functions[0].dtype}, {constants}, on {program.device.uri}"
    columns = ("function", "median", "min", "middle half", "calls", "calls/s", "GFLOP/s")
    table = [
        (
            name,
            duration(t.median),
            duration(t.minimum),
            f"{duration(t.low)} - {duration(t.high)}",
            f"{t.calls:,}",
            f"{rates[name]['calls_per_second']:,.0f}",
            f"{rates[name]['gflops']:.1f}" if flops[name] else "-",
        )
        for name, t in timings.items()
    ]
    print_table(columns, table, title=title, right=columns[1:])
    return 0


def time_functions(program: Program, seconds: float) -> dict[str, Timing]:
    """Times each function of a program, on the results of earlier ones."""
    known: dict[tuple[str, str, tuple[Size, ...]], Any] = {}
    timings: dict[str, Timing] = {}
    for name, function in program.functions.items():
        arguments = {
            argument.name: known.get((argument.name, argument.dtype, argument.shape))
            for argument in function.spec.arguments
        }
        for key, value in random_arguments(function.spec).items():
            if arguments[key] is None:
                arguments[key] = program.to_device(value)
        results = function(**arguments, to_host=False)
        timings[name] = time_calls(lambda f=function, a=arguments: f(**a, to_host=False), seconds)
        for key, array in (arguments | results._asdict()).items():
            known[key, array.dtype_name, array.shape] = array
    return timings


def time_calls(call: Callable[[], object], seconds: float) -> Timing:
    """Times at least three calls one by one for a duration, after warming up for a tenth of it."""
    warm = time.perf_counter() + seconds / 10
    call()
    while time.perf_counter() < warm:
        call()
    durations: list[float] = []
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while len(durations) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            call()
            durations.append(time.perf_counter() - start)
    finally:
        gc.enable()
    low, median, high = (float(q) for q in np.quantile(durations, (0.25, 0.5, 0.75)))
    return Timing(len(durations), median, min(durations), low, high)


def duration(seconds: float) -> str:
    """A duration with three digits and a unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
