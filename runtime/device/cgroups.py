"""The limits of this process's cgroups, from their files of version 2.

https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["limits"]

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
