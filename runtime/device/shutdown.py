"""The end of a process: running calls and live arrays.

Until Python 3.14, a daemon thread that returns to Python while the interpreter shuts down is
unwound immediately. If it was inside IREE, whose frames must not be unwound, this aborts the
process. So the interpreter waits here for running calls, and daemon threads that try to start
another call end. While ending, they free their objects, including torch's tensors, whose
destructors have the same problem, so the interpreter waits for them briefly.

Arrays may outlive Python, in objects of another library such as torch's autograd graph. The memory
of an array returns to the pool of its device when the array is freed, so devices are never closed
(`keep_open`), and the process ends with them open.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
from typing import Any

from iree.runtime import _binding  # pyright: ignore

from rnn_compiler.base.systems import after_fork

__all__ = ["RUNNING", "keep_open"]

_BETWEEN_CALLS = 0.01
"""Seconds to wait for a thread to start its next call, where it ends."""

_TO_END = 1.0
"""Seconds to wait for such a thread to end. It may catch `SystemExit` and continue."""


class _Running:
    """The threads inside IREE. A ``with RUNNING:`` block, which may be nested, registers one.

    Entering it raises `SystemExit` in a daemon thread if the interpreter is exiting.
    """

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}
        self._ending: list[threading.Thread] = []
        self._exiting = False
        atexit.register(self._wait)
        after_fork(self._depths.clear)  # they do not exist in the child

    def __enter__(self) -> None:
        thread = threading.get_ident()
        depth = self._depths.get(thread, 0)
        self._depths[thread] = depth + 1
        # In this order, the interpreter sees every thread that does not see the exit.
        if self._exiting and not depth and thread != threading.main_thread().ident:
            self._ending.append(threading.current_thread())
            del self._depths[thread]
            raise SystemExit

    def __exit__(self, *_: object) -> None:
        thread = threading.get_ident()
        depth = self._depths.get(thread, 0)
        if depth > 1:
            self._depths[thread] = depth - 1
        else:
            self._depths.pop(thread, None)

    def _wait(self) -> None:
        self._exiting = True
        while set(self._depths) - {threading.get_ident()}:
            time.sleep(0.001)
        if threading.active_count() > 1:
            time.sleep(_BETWEEN_CALLS)
        stop = time.monotonic() + _TO_END
        while any(each.is_alive() for each in self._ending) and time.monotonic() < stop:
            time.sleep(0.001)


RUNNING = _Running()


def keep_open(device: Any) -> None:
    """Keeps an IREE device open until the process ends, without leak reports.

    IREE's bindings report everything that is alive when Python has ended as a leak.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(device))
    _binding.disable_leak_checker()  # pyright: ignore
