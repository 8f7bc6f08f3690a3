"""The processors and the memory that this process may use: affinity, and the limits of cgroups."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["limits", "processors", "throttled", "usable_memory"]


# The limits of this process's cgroups, from their files of version 2.
#
# https://docs.kernel.org/admin-guide/cgroup-v2.html

CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


def limits(file: str) -> Iterator[list[int]]:
    """The numbers in a file of this process's group and its parent groups.

    Groups without such a file or without a limit (``max``) are skipped.

    Args:
        file: Its name, ``"cpu.max"``.

    Example:
        >>> list(limits("no.such.file"))
        []
    """
    try:
        lines = OWN_GROUPS.read_text().splitlines()
        (own,) = [line[3:] for line in lines if line.startswith("0::")]
    except (OSError, ValueError):
        return
    folder = CGROUPS / own.strip("/")
    for group in (folder, *folder.parents):
        if not group.is_relative_to(CGROUPS):
            return
        try:
            yield [*map(int, (group / file).read_text().split())]
        except (OSError, ValueError):
            continue


# The number of processors that this process may use: its affinity and its cgroup's quota.
#
# Containers usually get a share of the time of all processors rather than a few processors
# (Kubernetes' `limits.cpu`, Docker's `--cpus`). A pool with one thread per processor of the
# machine would spend that time waiting.


def processors() -> int:
    """The number of processors, at least one.

    Example:
        >>> processors() >= 1
        True
    """
    return max(1, math.ceil(min(_bound(), _quota())))


def throttled() -> bool:
    """Whether the cgroup's quota is lower: a thread that spins then takes time from the others.

    Example:
        >>> throttled() in (False, True)
        True
    """
    return _quota() < _bound()


def _bound() -> int:
    """The number of processors that this process is bound to."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _quota() -> float:
    """The number of processors that the cgroups' quota amounts to."""
    return min((quota / period for quota, period in limits("cpu.max")), default=math.inf)


# The memory that this process may use: the machine's, or its cgroup's limit.


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
