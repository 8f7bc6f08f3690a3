"""Where a compilation is, and what it came to, for whoever watches: the command line does.

Where nobody watches, a compilation that takes long is logged, once.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Generator
from contextvars import ContextVar

__all__ = [
    "HIT",
    "LONG",
    "NEW",
    "REMOTE_HIT",
    "logged_if_long",
    "noting_origins",
    "report",
    "report_origin",
    "watching",
]

LONG = 2.0
"""Seconds after which people wonder."""

_log = logging.getLogger(__name__)

HIT, REMOTE_HIT, NEW = "hit", "remote hit", "compiled"
"""Where an artifact comes from: the cache here, the remote cache, or the compiler."""

_origins: ContextVar[list[str] | None] = ContextVar("origins", default=None)
_watcher: ContextVar[Callable[[str], None] | None] = ContextVar("watcher", default=None)


def report(stage: str) -> None:
    """Says which stage begins, ``"lowering for cpu"``."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(stage)


@contextlib.contextmanager
def watching(watcher: Callable[[str], None]) -> Generator[None]:
    """Has a function told each stage that begins inside a ``with`` block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def report_origin(origin: str) -> None:
    """Says where an artifact that was asked for comes from."""
    origins = _origins.get()
    if origins is not None:
        origins.append(origin)


@contextlib.contextmanager
def noting_origins() -> Generator[list[str]]:
    """Notes where the artifacts that are asked for inside a ``with`` block come from, in order.

    Example:
        >>> with noting_origins() as origins:
        ...     report_origin(HIT)
        >>> origins
        ['hit']
    """
    origins: list[str] = []
    token = _origins.set(origins)
    try:
        yield origins
    finally:
        _origins.reset(token)


@contextlib.contextmanager
def logged_if_long(what: str) -> Generator[None]:
    """Logs what runs inside a ``with`` block as soon as it takes long, unless somebody watches."""
    if _watcher.get() is not None:
        yield
        return
    timer = threading.Timer(LONG, _log.warning, ["%s takes more than %g s", what, LONG])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
