"""The default device of functions: one thread or several, depending on the work of a call.

Threads cost tens of microseconds per call, and some more per step, which does not pay off for
little work.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.resources import processors
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["WORK_FOR_THREADS", "default_device", "is_for_threads", "work"]

WORK_FOR_THREADS = 16_000_000
"""The least `work` for which threads are tried.

Measured where they begin to pay off, in float32 on two cores of an AMD Zen 4, from arrays on the
device; microseconds per call, the least:

====================================  =====  ==========  ==========
CudnnRNN's inference, (T, B, I = H)    work  local-sync  local-task
====================================  =====  ==========  ==========
(8, 1, 64)                              1 M          12          17
(128, 1, 64)                            9 M         130         129
(32, 8, 64)                            18 M         185         123
(128, 4, 64)                           35 M         357         302
(128, 1, 128)                          36 M         470         298
(200, 8, 64)                          106 M        1080         636
(1, 1, 512)                            38 M          94          63
(1, 1, 768)                            85 M         256         134
(10, 1, 512)                           76 M         626         333
====================================  =====  ==========  ==========

A call tries which is faster (`direct.threads.Trial`), so this is only a bound below which threads
are not started.
"""

_READING = 8
"""The number of rows of a product that takes as long as reading its weights from memory once."""


_TYPICAL = {"seq_length": 32, "batch_size": 8}
"""The assumed values of open sizes."""

_OTHERWISE = 8
"""The assumed value of open sizes with other names, which networks may have."""


def work(spec: FunctionSpec) -> int:
    """The estimated cost of a call, from its types alone, in operations of its matrix products.

    For each row of each step, there are two operations per element of the weights and of their
    gradients. Reading the weights counts too, because it dominates single steps with few rows.
    LSTMBlockCellGrad takes weights but does not multiply by them, so its cost is overestimated.
    """
    spec = spec.bound({name: _TYPICAL.get(name, _OTHERWISE) for name in spec.open_dims})
    dims = spec.static_dims
    if "batch_size" in dims:
        rows = dims.get("seq_length", 1) * dims["batch_size"]
        tensors = (*spec.arguments, *spec.frozen, *spec.results)
    else:
        rows, kept = _rows(spec), {*spec.states, *spec.weights}
        tensors = (*[each for each in spec.arguments if each.name in kept], *spec.frozen)
    weights = sum([math.prod(tensor.static_shape) for tensor in tensors if not tensor.batched])
    return 2 * (rows + _READING) * weights


def _rows(spec: FunctionSpec) -> int:
    """The rows of a function of a network: those of its largest argument that is no state."""
    shapes = [
        each.static_shape[: None if each.dtype.startswith(("i", "u")) else -1]
        for each in spec.arguments
        if each.name not in spec.states and each.name not in spec.weights
    ]
    return max(map(math.prod, shapes), default=0)


def is_for_threads(spec: FunctionSpec) -> bool:
    """Whether threads may speed up a call of a function at known sizes."""
    return work(spec) >= WORK_FOR_THREADS


def default_device(
    functions: Iterable[FunctionSpec], kind: str = "local", arguments: Iterable[object] = ()
) -> str:
    """The device that functions run on by default.

    ``RNN_COMPILER_DEVICE``; else the device of an argument; else, for CPUs, local-task if one of
    the functions has enough work for threads and there are processors for them, else local-sync.

    Args:
        functions: The functions, which all run on the same device.
        kind: The kind of device that they were compiled for.
        arguments: The arguments of the call, if known.

    Example:
        >>> default_device([], "cuda")
        'cuda'
    """
    named = os.environ.get("RNN_COMPILER_DEVICE")
    if named:
        return named
    for argument in arguments:
        if isinstance(argument, DeviceArray):
            device = argument.device
            if device.kind == kind and device.usable:
                return device.uri
    if kind != "local":
        return kind
    large = any(work(spec) >= WORK_FOR_THREADS for spec in functions)
    return "local-task" if large and processors() > 1 and _has_threads() else "local-sync"


def _has_threads() -> bool:
    """Whether local-task works here; it does not in a fork of a process that uses it."""
    try:
        get_device("local-task")
    except DeviceError:
        return False
    return True
