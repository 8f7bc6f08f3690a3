"""Arrays between pages that no code may touch: compiled code that leaves an array ends the process.

Sanitizers do not see what objects of compiled code do, which are not built with them.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

_NOTHING = 0
"""No permission to read or write, for mprotect."""

_FILLED = 0xA5

_LIBC = ctypes.CDLL(None, use_errno=True)


class Guard:
    """Places arrays right behind or right before such a page, as far as alignment allows.

    Use it in a process of its own. The bytes that alignment leaves between an array and the page
    are compared in `check`.
    """

    def __init__(self, *, at_end: bool, alignment: int = 64) -> None:
        self._at_end = at_end
        self._alignment = alignment
        self._placed: list[tuple[npt.NDArray[np.uint8], int, int]] = []

    def __call__(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A copy of an array in such a place."""
        page = mmap.PAGESIZE
        pages = -(-max(array.nbytes, 1) // page)
        size = (pages + 2) * page
        memory = np.frombuffer(mmap.mmap(-1, size), np.uint8)
        room = memory[page : page + pages * page]
        room[...] = _FILLED
        start = (len(room) - array.nbytes) // self._alignment * self._alignment
        start = start if self._at_end else 0
        copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        copy[...] = array
        for address in (memory.ctypes.data, memory.ctypes.data + size - page):
            if _LIBC.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(page), _NOTHING):
                raise OSError(ctypes.get_errno(), "mprotect")
        self._placed.append((room, start, array.nbytes))
        return copy

    def check(self) -> None:
        """Checks the bytes before and behind all arrays, and forgets these."""
        for room, start, size in self._placed:
            assert (room[:start] == _FILLED).all(), "bytes before an array were written"
            assert (room[start + size :] == _FILLED).all(), "bytes behind an array were written"
        self._placed.clear()
