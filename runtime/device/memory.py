"""The memory that this process may use: the machine's, or its cgroup's limit."""

from __future__ import annotations

import os

from rnn_compiler.runtime.device.cgroups import limits

__all__ = ["usable_memory"]


def usable_memory() -> int:
    """The usable memory in bytes; 0 if the system does not report it.

    Example:
        >>> usable_memory() >= 0
        True
    """
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows, or a system without these names
        return 0
    return min([max(physical, 0), *(size for (size,) in limits("memory.max"))])
