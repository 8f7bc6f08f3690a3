"""Where functions run if nobody says so: by the work of a call, in this thread or in several.

Threads cost a call some tens of microseconds, and each step of it some more, which small work does
not earn back.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.processors import processors
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["WORK_FOR_THREADS", "default_device", "work"]

WORK_FOR_THREADS = 32_000_000
"""The least `work` for which threads are taken.

Where they begin to pay, in float32 on two cores of an AMD Zen 4, in microseconds of calls that
follow one another:

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

Other ops and dtypes cross from 17 M on; gradients with steps of few elements only beyond 70 M.
"""

_READING = 8
"""Rows of a product that take as long as reading its weights from memory once."""


_TYPICAL = {"seq_length": 32, "batch_size": 8}
"""What open sizes are taken for."""


def work(spec: FunctionSpec) -> int:
    """About how long a call takes by its types alone, in operations of its matrix products.

    They take two for each element of the weights, and of their gradients, for each row of each
    step. Reading the weights counts too, as it is what single steps of few rows take. So
    LSTMBlockCellGrad, whose weights are an argument but in no product, passes for more than it is.
    """
    spec = spec.bound(_TYPICAL)
    dims = spec.static_dims
    rows = dims.get("seq_length", 1) * dims.get("batch_size", 0)
    tensors = (*spec.arguments, *spec.frozen, *spec.results)
    weights = sum([math.prod(tensor.static_shape) for tensor in tensors if not tensor.batched])
    return 2 * (rows + _READING) * weights


def default_device(
    functions: Iterable[FunctionSpec], kind: str = "local", arguments: Iterable[object] = ()
) -> str:
    """The device that functions run on unless one is named.

    ``RNN_COMPILER_DEVICE``; else where an argument is already; else, of CPUs, local-task if one of
    the functions has work for its threads and there are processors for them, else local-sync.

    Args:
        functions: What runs, all on the same device.
        kind: The kind of device that they were compiled for.
        arguments: What they are called with, if that is known.

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
