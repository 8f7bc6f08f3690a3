"""The limits of the machine: how fast it multiplies and reads at best, measured on the spot.

Two kernels of IREE are called by as many threads as there are processors, each with its own
numbers:

- *products*: twelve vectors of sums in registers are multiplied and added to without end, in
  float32 by fused multiply-add, in bfloat16 by ``vdpbf16ps`` and in int8 by ``vpdpbusd`` where the
  processor has them. With a matrix unit, AMX, it is six tiles, by ``tdpbf16ps`` and ``tdpbssd``. No
  memory is read, so no implementation of a matrix product can be faster.
- *reads*: the vectors of an array are added up again and again. It is as large as the weights
  of a step, so it comes from the same cache or memory as those weights.

A rate is the best of some short spells, over the lifetime of this process: the machine is at its
best when nothing disturbs it.
"""

from __future__ import annotations

import functools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import iree.runtime as iree
import numpy as np

from benchmarks import kernels
from benchmarks.results import describe_machine
from benchmarks.rows import Case
from benchmarks.work import Limit, work_of
from rnn_compiler.lowering.compiler.iree_compile import compile_module
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.runtime.device.huge_pages import use_huge_pages
from rnn_compiler.schema import cpu_features

__all__ = ["cache_of", "limit", "start"]

_cpus: list[int] = [0]

SPELLS = 5
_SPELL_SECONDS = 0.02
_CALL_SECONDS = 0.002
"""The approximate duration of a call: long compared with Python's overhead, short with a spell."""


def start(cpus: Sequence[int]) -> None:
    """Uses the given processors."""
    _cpus[:] = cpus


def limit(case: Case) -> Limit:
    """The shortest time for the work of a case: for its products, or for reading its weights."""
    work = work_of(case)
    share = -(-work.step_bytes // len(_cpus))
    flops = best_rate(products_kernel, case.dtype)
    bandwidth = best_rate(reads_kernel, share)
    products = Limit(work.operations / flops, "products", flops)
    source = cache_of(share, work.step_bytes, describe_machine()["caches"])
    weights = Limit(work.total_bytes / bandwidth, f"weights from {source}", bandwidth)
    return max(products, weights, key=lambda each: each.seconds)


def cache_of(share: int, total: int, caches: dict[str, str]) -> str:
    """The cache that holds an array that is read again and again; the third level is shared.

    Example:
        >>> caches = {"L1": "48K", "L2": "1024K", "L3": "32768K"}
        >>> cache_of(2**15, 2**16, caches), cache_of(2**21, 2**22, caches)
        ('L1', 'L3')
        >>> cache_of(2**25, 2**26, caches)
        'memory'
    """
    for level, text in sorted(caches.items()):
        size = int(text.rstrip("KM")) * (2**20 if text.endswith("M") else 2**10)
        if (share if level in ("L1", "L2") else total) <= size:
            return level
    return "memory"


Kernel = tuple[Callable[[int], Any], float]
"""A function that runs a kernel a number of times; and the operations or bytes of one time."""

best_rates: dict[tuple[str, object], float] = {}


def best_rate(kernel: Callable[[Any], Kernel], argument: Any) -> float:
    """The highest rate so far of a kernel with this argument, after measuring it once more."""
    rate = measure_rate(lambda: kernel(argument))
    key = kernel.__name__, argument
    best_rates[key] = max(rate, best_rates.get(key, 0.0))
    return best_rates[key]


def measure_rate(prepare: Callable[[], Kernel]) -> float:
    """The rate of all processors together, each with its own thread."""
    rates = np.zeros((len(_cpus), SPELLS))
    barrier = threading.Barrier(len(_cpus))
    errors: list[Exception] = []

    def work(index: int) -> None:
        try:
            os.sched_setaffinity(0, [_cpus[index]])
            run, amount = prepare()
            times = _calibrated(run)
            for spell in range(SPELLS):
                barrier.wait()
                begin, calls = time.perf_counter(), 0
                while (elapsed := time.perf_counter() - begin) < _SPELL_SECONDS:
                    run(times)
                    calls += 1
                rates[index, spell] = amount * times * calls / elapsed
        except Exception as error:
            errors.append(error)
            barrier.abort()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(_cpus))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return float(rates.sum(axis=0).max())


def _calibrated(run: Callable[[int], Any]) -> int:
    """The number of repetitions that take about as long as a call should."""
    times = 1
    while True:
        begin = time.perf_counter()
        run(times)
        seconds = time.perf_counter() - begin
        if seconds >= _CALL_SECONDS / 2:
            return max(1, round(times * _CALL_SECONDS / seconds))
        times *= 2 if seconds > _CALL_SECONDS / 20 else 10


def products_kernel(dtype: str) -> Kernel:
    """Multiplies and adds in registers."""
    lanes = vector_lanes()
    if dtype in tiled_dtypes():
        group = 2 if dtype == "bfloat16" else 4
        array = np.zeros((kernels.SUMS + 1, 16), np.float32)
        operations = kernels.TILE_SUMS * 16 * 16 * 16 * 2 * group
        return prepared_kernel(f"tiles_{dtype}", array), operations
    group, name = _instruction(dtype)
    array = np.full((kernels.SUMS + 1, lanes), 0.5, np.float32)
    return prepared_kernel(name, array), kernels.SUMS * lanes * 2 * group


def _instruction(dtype: str) -> tuple[int, str]:
    """The number of products that a lane of the best instruction makes, and its kernel."""
    if dtype == "int8":
        group = int8_group()
        return group, "quads" if group == 4 else "products"
    paired = dtype == "bfloat16" and kernels.PAIRS in resolve_target("cpu").features
    return (2, "pairs") if paired else (1, "products")


def reads_kernel(size: int) -> Kernel:
    """Adds up an array of approximately the given number of bytes."""
    row = kernels.row_bytes(vector_lanes())
    array = np.zeros((-(-size // row), row // 4), np.float32)
    return prepared_kernel("reads", array), array.nbytes


def prepared_kernel(name: str, array: Any) -> Callable[[int], Any]:
    """A kernel with its array on a separate device, so that threads share nothing."""
    device = iree.get_driver("local-sync").create_default_device()
    instance = iree.VmInstance()
    module = iree.VmModule.copy_buffer(instance, _payload())
    context = iree.VmContext(instance, [iree.create_hal_module(instance, device), module])
    function = module.lookup_function(name)
    view = device.allocator.allocate_buffer_copy(
        memory_type=iree.MemoryType.DEVICE_LOCAL,
        allowed_usage=iree.BufferUsage.DEFAULT,
        device=device,
        buffer=array,
        element_type=iree.HalElementType.FLOAT_32,
    )
    memory = view.map().asarray(list(array.shape), np.dtype(np.float32))
    use_huge_pages(memory.ctypes.data, memory.nbytes)  # like weights

    def run(times: int) -> Any:
        inputs, outputs = iree.VmVariantList(2), iree.VmVariantList(1)
        inputs.push_ref(view)
        inputs.push_int(times)
        context.invoke(function, inputs, outputs)
        return outputs

    return run


@functools.cache
def tiled_dtypes() -> list[str]:
    """The dtypes that this processor's matrix unit multiplies, if the system permits it."""
    features = resolve_target("cpu").features
    found = [dtype for dtype, (feature, _) in kernels.TILES.items() if feature in features]
    return found if found and cpu_features.grants_tiles() else []


def vector_lanes() -> int:
    return VectorUnit.of(resolve_target("cpu")).lanes("f32")


def int8_group() -> int:
    """The number of int8 numbers that a lane of a register multiplies at once."""
    vectors = VectorUnit.of(resolve_target("cpu"))
    return vectors.format("f32", "i8", "f32", inner=4, rows=1).group


@functools.cache
def _payload() -> bytes:
    target, lanes = resolve_target("cpu"), vector_lanes()
    parts = [kernels.products("products", lanes, kernels.fused(lanes))]
    parts.append(kernels.reads("reads", lanes))
    if kernels.PAIRS in target.features:
        parts.append(kernels.products("pairs", 16, kernels.pairs()))
    if int8_group() == 4:
        parts.append(kernels.products("quads", lanes, kernels.quads(lanes)))
    parts += [kernels.tiles(f"tiles_{each}", kernels.TILES[each][1]) for each in tiled_dtypes()]
    with tempfile.TemporaryDirectory(prefix="rnn-compiler-") as folder:
        return compile_module("\n".join(parts), target, reproducers=Path(folder))
