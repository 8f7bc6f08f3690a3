"""A file system of which one call fails, whichever function of Python makes it.

Python announces calls that name a file as audit events, and a hook may raise an exception in their
place. Calls that are not announced, on open files and of `os.stat`, are announced here.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ANNOUNCED = ("fsync", "fstat", "stat", "lstat")


class FailingFiles:
    """Counts the calls that concern a folder, and has one of them fail.

    Attributes:
        calls: The names of the calls so far.
    """

    def __init__(self, folder: Path, number: int, error: BaseException) -> None:
        self.calls: list[str] = []
        self._folder, self._number, self._error = str(folder), number, error

    def happens(self, event: str, args: tuple[Any, ...]) -> None:
        """Raises the error in place of the call whose turn it is."""
        if event != "open" and not event.startswith(("os.", "fcntl.")):
            return
        if not any(isinstance(each, str | Path) for each in args) or self._folder in str(args):
            self.calls.append(event)
            if len(self.calls) == self._number + 1:
                raise self._error


_active: list[FailingFiles] = []


@functools.cache
def _hook() -> None:
    """Adds the hook, which cannot be removed, once."""
    sys.addaudithook(lambda event, args: _active[-1].happens(event, args) if _active else None)


def _announced(name: str) -> Any:
    original = getattr(os, name)

    @functools.wraps(original)
    def call(*args: Any, **keywords: Any) -> Any:
        if _active:
            _active[-1].happens(f"os.{name}", args)
        return original(*args, **keywords)

    return call


@contextlib.contextmanager
def failing(folder: Path, number: int, error: BaseException) -> Generator[FailingFiles]:
    """In the block, the call of a number that concerns a folder fails with an error."""
    _hook()
    found = FailingFiles(folder, number, error)
    with pytest.MonkeyPatch.context() as patch:
        for name in ANNOUNCED:
            patch.setattr(os, name, _announced(name))
        _active.append(found)
        try:
            yield found
        finally:
            _active.remove(found)
