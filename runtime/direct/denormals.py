"""Compiled code treats denormal numbers as zero, as it does under IREE.

IREE sets the processor to this mode around its work (``iree_fpu_state_push``). Here, libm's
functions for a thread's floating-point environment do: two calls before compiled code and one
after.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import struct
from typing import Any

from rnn_compiler.runtime.direct.executable import NoDirectCallsError
from rnn_compiler.runtime.direct.stepping import function_address

__all__ = ["WORDS", "environment_functions", "flushing"]

WORDS = 8
"""The most 64-bit words that an environment has."""

_FLUSHING = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
"""Offset and bits of the mode in an environment (``fenv_t``): MXCSR's DAZ and FTZ, FPCR's FZ."""


@functools.cache
def environment_functions() -> tuple[int, int]:
    """The addresses of ``fegetenv`` and ``fesetenv``.

    Raises:
        NoDirectCallsError: They do not exist here, or the processor is unknown.
    """
    if platform.machine() not in _FLUSHING:
        raise NoDirectCallsError(f"no known way to flush denormals on {platform.machine()}")
    for name in (None, "libm.so.6"):
        try:
            library = ctypes.CDLL(name)
            get, set_ = (function_address(library[each]) for each in ("fegetenv", "fesetenv"))
        except (OSError, AttributeError):
            continue
        if _works(get, set_):
            return get, set_
    raise NoDirectCallsError("libm's floating-point environment is unknown")


def flushing(environment: bytes) -> bytes:
    """A copy of an environment in which denormals are zero."""
    offset, bits = _FLUSHING[platform.machine()]
    changed = bytearray(environment)
    (word,) = struct.unpack_from("<I", changed, offset)
    struct.pack_into("<I", changed, offset, word | bits)
    return bytes(changed)


def current(get: int) -> bytes:
    """The environment of this thread."""
    memory = ctypes.create_string_buffer(8 * WORDS)
    _CALL(get)(memory)
    return memory.raw


def _works(get: int, set_: int) -> bool:
    """Whether the assumed bits are right: once set, they are read back."""
    before = current(get)
    wanted = flushing(before)
    _CALL(set_)(ctypes.create_string_buffer(wanted, 8 * WORDS))
    after = current(get)
    _CALL(set_)(ctypes.create_string_buffer(before, 8 * WORDS))
    return after == wanted and before != wanted


_CALL: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
