"""The end of a process: calls that are running then, and arrays that are alive.

Until Python 3.14, a daemon thread that wants to go on in Python while the interpreter shuts down is
unwound on the spot. If it was in IREE, whose frames must not be unwound, that aborts the process.
So the interpreter waits here for calls that are running, and daemon threads that want to start
another end. While they end, they free what they hold, torch's tensors too, in whose destructors
the same may happen: the interpreter waits for them a little.

Arrays may live longer than Python, in objects of another library such as torch's graph of
gradients. The memory of an array goes back to the pool of its device when the array is freed, so a
device is never closed (`keep_open`): the process ends with it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
from typing import Any

from iree.runtime import _binding  # pyright: ignore

__all__ = ["RUNNING", "keep_open"]

_BETWEEN_CALLS = 0.01
"""How long, in seconds, a thread may take from one call to the next, where it ends."""

_TO_END = 1.0
"""How long, in seconds, such a thread may take to end. It may catch `SystemExit` and go on."""


class _Running:
    """The threads that are in IREE. A ``with RUNNING:`` block, which may be nested, marks one.

    Entering it raises `SystemExit` in a daemon thread of an interpreter that exits.
    """

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}
        self._ending: list[threading.Thread] = []
        self._exiting = False
        atexit.register(self._wait)
        os.register_at_fork(after_in_child=self._depths.clear)  # of threads that are not there

    def __enter__(self) -> None:
        thread = threading.get_ident()
        depth = self._depths.get(thread, 0)
        self._depths[thread] = depth + 1
        # In this order: whoever does not see that the interpreter exits is seen by it.
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
    """Keeps an IREE device until the process ends, and whoever keeps arrays on it from blame.

    IREE's bindings print what is alive when Python has ended, as if it were forgotten.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(device))
    _binding.disable_leak_checker()  # pyright: ignore
