"""Reports the stage and the outcome of compilations to observers such as the command line.

Without an observer, a long compilation is logged once.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
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
"""Seconds after which a compilation is logged."""

_log = logging.getLogger(__name__)

HIT, REMOTE_HIT, NEW = "hit", "remote hit", "compiled"
"""The origin of an artifact: the local cache, the remote cache, or the compiler."""

_origins: ContextVar[list[str] | None] = ContextVar("origins", default=None)
_watcher: ContextVar[Callable[[str], None] | None] = ContextVar("watcher", default=None)


def report(stage: str) -> None:
    """Reports which stage begins, ``"lowering for cpu"``."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(stage)


@contextlib.contextmanager
def watching(watcher: Callable[[str], None]) -> Generator[None]:
    """Calls a function for each stage that begins inside a ``with`` block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def report_origin(origin: str) -> None:
    """Reports the origin of a requested artifact."""
    origins = _origins.get()
    if origins is not None:
        origins.append(origin)


@contextlib.contextmanager
def noting_origins() -> Generator[list[str]]:
    """Collects the origins of the artifacts requested inside a ``with`` block, in order.

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
    """Logs a ``with`` block as soon as it takes long, and when it is done, without an observer."""
    if _watcher.get() is not None:
        yield
        return
    timer = threading.Timer(LONG, _log.warning, ["%s takes more than %g s", what, LONG])
    timer.daemon = True
    start = time.monotonic()
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    seconds = time.monotonic() - start
    if seconds > LONG:
        _log.warning("%s: done in %.1f s", what, seconds)
