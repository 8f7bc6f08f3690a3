"""Detects other work on the processors.

A median tolerates a few disturbed rounds, not every other one, and threads that meet at barriers
suffer disproportionately if one of their processors is taken away. So each round records how many
processors were busy with other work, and rounds with too many are discarded. This does not bias the
result, because the other work does not depend on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["Elsewhere", "is_quiet", "wait_until_quiet"]

_TICKS = os.sysconf("SC_CLK_TCK")
_SHORTEST = 0.1
"""The shortest time, in seconds, that the system's counters can resolve."""

_TOLERATED = 0.1
"""The fraction of the measured processors that other work may use."""


class Elsewhere:
    """The number of processors busy with other work since this object was created.

    Args:
        own: Processes that do not count as other work; this one never does.
    """

    def __init__(self, own: Iterable[int]) -> None:
        self._own = [os.getpid(), *own]
        self._start = time.perf_counter()
        self._before = self.used_by_others()

    def processors(self) -> float:
        """The average number; 0 if the time is too short to tell."""
        elapsed = time.perf_counter() - self._start
        if elapsed < _SHORTEST:
            return 0.0
        return max(0.0, (self.used_by_others() - self._before) / elapsed)

    def used_by_others(self) -> float:
        """Seconds of other work so far, including those that a hypervisor took away."""
        fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        user, nice, system, _, _, irq, softirq, steal = (int(field) for field in fields[:8])
        busy = user + nice + system + irq + softirq + steal
        return (busy - sum(seconds_of(process) for process in self._own)) / _TICKS


def seconds_of(process: int) -> int:
    """The ticks that a process has worked; 0 if it no longer exists."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def is_quiet(elsewhere: float, threads: int) -> bool:
    """Whether other work leaves the given number of threads undisturbed; it may use the rest."""
    spare = (os.cpu_count() or 1) - threads
    return elsewhere <= spare + _TOLERATED


def wait_until_quiet(own: Iterable[int], threads: int, patience: float) -> float:
    """Waits until the processors are idle, up to a time limit.

    Returns:
        The seconds it waited.
    """
    own = list(own)
    start = time.perf_counter()
    while time.perf_counter() - start < patience:
        watch = Elsewhere(own)
        time.sleep(1.5 * _SHORTEST)
        if is_quiet(watch.processors(), threads):
            break
    return time.perf_counter() - start
