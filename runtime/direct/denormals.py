"""Numbers too small for a float's usual form are taken for zero in compiled code, as IREE does.

IREE sets the processor to that around its work (``iree_fpu_state_push``). Here libm's functions for
a thread's floating-point environment do, as two calls before compiled code runs and one after.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import struct
from typing import Any

from rnn_compiler.runtime.direct.executable import NoDirectCallsError

__all__ = ["WORDS", "environment_functions", "flushing"]

WORDS = 8
"""How many words of 64 bits an environment has at most."""

_FLUSHING = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
"""Where in an environment (``fenv_t``) which bits say so: MXCSR's DAZ and FTZ, FPCR's FZ."""


@functools.cache
def environment_functions() -> tuple[int, int]:
    """The addresses of ``fegetenv`` and ``fesetenv``.

    Raises:
        NoDirectCallsError: There are none here, or the processor is not known.
    """
    if platform.machine() not in _FLUSHING:
        raise NoDirectCallsError(f"how {platform.machine()} flushes small numbers is not known")
    for name in (None, "libm.so.6"):
        try:
            library = ctypes.CDLL(name)
            get, set_ = (_address(library[each]) for each in ("fegetenv", "fesetenv"))
        except (OSError, AttributeError):
            continue
        if _works(get, set_):
            return get, set_
    raise NoDirectCallsError("libm has no floating-point environment that is known")


def flushing(environment: bytes) -> bytes:
    """An environment in which small numbers are zero, and nothing else is different."""
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
    """Whether the bits are where they are thought to be: set, they are read back."""
    before = current(get)
    wanted = flushing(before)
    _CALL(set_)(ctypes.create_string_buffer(wanted, 8 * WORDS))
    after = current(get)
    _CALL(set_)(ctypes.create_string_buffer(before, 8 * WORDS))
    return after == wanted and before != wanted


_CALL: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
