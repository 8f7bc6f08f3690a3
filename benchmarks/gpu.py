"""Compares this project with cuDNN, through torch.nn.LSTM, on an NVIDIA GPU.

    python -m benchmarks.gpu                        # every size, float32 and float16; minutes
    python -m benchmarks.gpu --target cuda:h100 --size 32,16,256,256
    python -m benchmarks.gpu --goldens              # first: is what it computes right?
    python -m benchmarks.gpu --counts               # the commands of a call; needs no GPU

It needs a GPU with its driver, and torch with CUDA for the comparison, but no network. Inputs and
results stay on the GPU. Our calls return when the GPU is done, so many calls are timed by the
clock; torch's are timed between two events on its stream. TF32, which cuDNN would use for float32,
is off unless ``--tf32`` is given.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import rnn_compiler as rc
from benchmarks import gpu_counts
from benchmarks.inputs import draw
from benchmarks.peers.ours import module_of, variant_of
from benchmarks.rows import SIZES, WORKLOADS, Case, Size
from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.devices import get_device

__all__ = ["main"]

DTYPES = ("float32", "float16")

TESTS = Path(__file__).parents[1] / "tests" / "cuda"


class Ours(NamedTuple):
    """Our times, in seconds.

    Attributes:
        call: A call.
        first: Loading and the first call, in which the driver translates the PTX.
        results: The results of the first call.
    """

    call: float
    first: float
    results: dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code: 1 without a GPU, or if a golden case fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--target", default="cuda", help="cuda:sm_89, cuda:a100, ... (default: %(default)s)")
    add("--device", default="cuda", help="cuda, cuda://1 (default: %(default)s)")
    add("--size", type=Size.parse, action="append", metavar="T,B,I,H", help="instead of the usual")
    add("--seconds", type=float, default=1.0, help="about what a row takes (default: %(default)g)")
    add("--tf32", action="store_true", help="let cuDNN use TF32 for float32")
    add("--goldens", action="store_true", help="only run the golden cases, in float32 and float16")
    add("--counts", action="store_true", help="only count what calls issue, in compiled modules")
    options = parser.parse_args(arguments)
    if options.counts:
        console = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
        for size in options.size or [None]:
            console.print(gpu_counts.table(options.target, size))
        return 0
    try:
        get_device(options.device)
    except DeviceError as error:
        print(str(error).replace("\n", " "), file=sys.stderr)
        return 1
    if options.goldens:
        import pytest

        return int(pytest.main([str(TESTS), "--device", options.device, "-n", "1"]) != 0)
    _compare(options, Console(width=None if sys.stdout.isatty() else 150, highlight=False))
    return 0


def _compare(options: argparse.Namespace, console: Console) -> None:
    """Times every row, and prints it."""
    table = Table(box=None, pad_edge=False)
    for column in (
        "workload",
        "T x B x I x H",
        "dtype",
        "ours",
        "cuDNN",
        "ratio",
        "first",
        "error",
    ):
        table.add_column(column, justify="left" if column in ("workload", "dtype") else "right")
    for workload in ("inference", "training"):
        for size in options.size or SIZES:
            for dtype in DTYPES:
                case = Case(WORKLOADS[workload], size, dtype)
                ours = _ours(case, options)
                theirs, outputs = time_cudnn(case, options)
                ratio = error = "-"
                if outputs is not None:
                    ratio = f"{ours.call / theirs:.2f}"
                    error = f"{_difference(ours.results['output'], outputs):.1e}"
                texts = (_time(ours.call), _time(theirs), ratio, _time(ours.first), error)
                table.add_row(workload, str(size), dtype, *texts)
    console.print(table)
    console.print(
        "ratio: ours / cuDNN, below 1 is faster; error: of output, relative to its largest"
    )


def _ours(case: Case, options: argparse.Namespace) -> Ours:
    artifact = rc.compile(module_of(case), options.target)
    start = time.perf_counter()
    variant = variant_of(case, rc.runtime.load(artifact, options.device))
    results = variant.fetch(variant.call())
    first = time.perf_counter() - start

    def calls(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            variant.call()
        return time.perf_counter() - start

    return Ours(_median(calls, options.seconds), first, results)


def time_cudnn(case: Case, options: argparse.Namespace) -> tuple[float, Any]:
    """Seconds of a call, and its output; NaN and None without torch and its CUDA."""
    try:
        import torch

        from benchmarks.peers import pytorch
    except ImportError:
        return float("nan"), None
    if not torch.cuda.is_available():
        return float("nan"), None
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = options.tf32
    device = options.device.replace("://", ":")
    kind = getattr(torch, case.dtype)
    layer = pytorch.layer_of(case).to(device, kind)
    tensors = {name: torch.from_numpy(a).to(device, kind) for name, a in draw(case).items()}
    make = pytorch.training if case.workload.passes > 1 else pytorch.inference
    run = make(layer, tensors)
    output = run()[0].detach().float().cpu().numpy()

    def calls(count: int) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(count):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000

    return _median(calls, options.seconds), output


def _median(calls: Callable[[int], float], seconds: float) -> float:
    """Seconds of a call: the median of ten batches of calls, after two to warm up."""
    once = max(calls(2) / 2, 1e-6)
    count = max(1, int(seconds / 10 / once))
    calls(count)
    return statistics.median(calls(count) / count for _ in range(10))


def _difference(ours: Any, theirs: Any) -> float:
    ours = np.asarray(ours, np.float32)
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def _time(seconds: float) -> str:
    return "-" if seconds != seconds else f"{seconds * 1000:.3f} ms"


if __name__ == "__main__":
    sys.exit(main())
