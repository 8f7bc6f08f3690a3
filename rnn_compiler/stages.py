"""Where a compilation is, for whoever watches: the command line does, on a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar

__all__ = ["report", "watching"]

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
