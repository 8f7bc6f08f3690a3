"""Features that some operating systems lack, so that everything else can be imported and run there.

Everything is tested on Linux. macOS has no memfd and cannot bind processes to processors; Windows
also lacks forks, users, process groups and most flags of open(2).
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import time
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "after_fork",
    "anew_after_fork",
    "c_function",
    "file_of_program",
    "limit_process",
    "open_flags",
    "own_user",
    "signals",
]


_Lock = TypeVar("_Lock")


def after_fork(callback: Callable[[], object]) -> None:
    """Calls a function in every forked child from now on; without forks, never.

    Example:
        >>> after_fork(lambda: print("this is a child"))
    """
    register = getattr(os, "register_at_fork", None)
    if register is not None:
        register(after_in_child=callback)


def anew_after_fork(lock: _Lock) -> _Lock:
    """The same lock, which is free in a forked child: threads that hold it do not exist there.

    Example:
        >>> import threading
        >>> lock = anew_after_fork(threading.Lock())
    """
    anew: Any = lock
    after_fork(anew._at_fork_reinit)
    return lock


def open_flags(*names: str) -> int:
    """The given flags of open(2) that exist here; files are read in binary mode.

    Example:
        >>> open_flags("O_CLOEXEC") == os.O_CLOEXEC
        True
        >>> open_flags("O_OF_NO_SYSTEM")
        0
    """
    flags = 0
    for name in (*names, "O_BINARY"):
        flags |= getattr(os, name, 0)
    return flags


def own_user() -> int | None:
    """The user that this process runs as; None where files have no owners.

    Example:
        >>> own_user() == os.geteuid()
        True
    """
    return os.geteuid() if hasattr(os, "geteuid") else None


def signals(*names: str) -> list[signal.Signals]:
    """The given signals that exist here.

    Example:
        >>> signals("SIGTERM", "SIGOFNOSYSTEM")
        [<Signals.SIGTERM: 15>]
    """
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def c_function(name: str) -> Any:
    """A loaded function of the C library; None if it cannot be found.

    Example:
        >>> c_function("abs")(-3)
        3
    """
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None


def file_of_program(name: str) -> str:
    """The name of a program's file.

    Example:
        >>> file_of_program("iree-compile")
        'iree-compile'
    """
    return f"{name}.exe" if os.name == "nt" else name


def limit_process(memory: int, seconds: float) -> None:
    """Ends this process, without a core dump, if it exceeds limits; Windows has none.

    Args:
        memory: The limit in bytes of the memory that it may write to.
        seconds: The limit of CPU time in seconds from now on.
    """
    try:
        import resource
    except ImportError:
        return
    seconds = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
