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
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["WORK_FOR_THREADS", "default_device", "is_for_threads", "work"]

WORK_FOR_THREADS = 32_000_000
"""The least `work` for which threads are used.

Measured where they begin to pay off, in float32 on two cores of an AMD Zen 4; microseconds per
call in a series of calls:

====================================  ====  ==========  ==========
CudnnRNN's inference, (T, B, I = H)   work  local-sync  local-task
====================================  ====  ==========  ==========
(8, 1, 64)                             1 M          28          62
(128, 1, 64)                           9 M         142         157
(32, 8, 64)                           18 M         207         191
(128, 4, 64)                          35 M         395         400
(128, 1, 128)                         36 M         558         405
(32, 8, 128)                          70 M         801         542
(128, 4, 128)                        137 M        1535         974
LSTMBlockCell, (B, I = H)
(1, 256)                               9 M         118         147
(16, 256)                             25 M         195         198
(1, 512)                              38 M         426         326
(64, 256)                             76 M         785         521
====================================  ====  ==========  ==========

For other ops and dtypes threads pay off from 17 M on; for gradients with few elements per step only
beyond 70 M.
"""

_CHUNK = 16
"""The most steps of a chunk of a stream, for a batch of one row."""

_CHUNK_FOR_THREADS = 4 * WORK_FOR_THREADS
"""The least `work` for which a chunk runs on threads.

Starting them takes time, and most of the rest is reading weights, which one thread does
nearly as fast. More than two processors would help the largest of these, so the limit is below
them. An LSTM's chunks on two cores of an AMD Zen 5, microseconds:

==================  =====  ============  ==========
steps, I = H        work   direct calls  local-task
==================  =====  ============  ==========
1, 512               38 M            97         134
1, 640               59 M           141         203
10, 512              76 M           636         623
1, 768               85 M           295         352
10, 640             118 M           885         963
==================  =====  ============  ==========
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
    rows = dims.get("seq_length", 1) * dims.get("batch_size", 0)
    tensors = (*spec.arguments, *spec.frozen, *spec.results)
    weights = sum([math.prod(tensor.static_shape) for tensor in tensors if not tensor.batched])
    return 2 * (rows + _READING) * weights


def is_for_threads(spec: FunctionSpec) -> bool:
    """Whether threads speed up a call of a function at known sizes."""
    dims = spec.static_dims
    rows, steps = (dims.get(name, 1) for name in ("batch_size", "seq_length"))
    is_chunk = rows == 1 and steps <= _CHUNK
    return work(spec) >= (_CHUNK_FOR_THREADS if is_chunk else WORK_FOR_THREADS)


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
