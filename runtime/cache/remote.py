"""A remote cache that several machines share, at any URL that fsspec supports.

``RNN_COMPILER_CACHE_REMOTE`` is its URL: ``s3://bucket/rnn``, ``gs://...``, ``file:///mnt/team``.
It has the layout of a cache folder (`folder`), so a cache folder can be copied there:

    URL/v1/ab/ab12....entry             an entry, named by its key's digest

Entries missing locally are fetched from the remote; newly compiled ones are uploaded. Fetched
entries are verified by the same code as local ones and then stored in the local cache. Configuring
a remote means trusting everyone who can write to it; a remote folder on this machine must also be
trusted according to `folder`.

A failure of the remote never fails a compilation, or delays it by more than
``RNN_COMPILER_CACHE_REMOTE_TIMEOUT`` seconds. It is logged, and a remote that does not answer is
not used for `PAUSE` seconds; one that cannot be written to is only read. Python cannot interrupt a
hanging call, so each call runs in a separate daemon thread.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime.cache.folder import CacheFolder

__all__ = ["DEFAULT_TIMEOUT", "PAUSE", "RemoteCache", "connect", "paused", "reason_of"]

DEFAULT_TIMEOUT = 10.0
"""Time limit for an entry in seconds."""

_PART = 1 << 20
"""Bytes to read at a time if the size is unknown."""

PAUSE = 300.0
"""Seconds for which a failed remote is not used."""

_log = logging.getLogger(__name__)

paused: dict[tuple[str, str], float] = {}
"""When a remote may be read or written again, in terms of `time.monotonic`."""


@dataclass(frozen=True)
class RemoteCache:
    """A store of entries that several machines share.

    Attributes:
        url: Its URL.
        timeout: Time limit for an entry in seconds.
    """

    url: str
    timeout: float = DEFAULT_TIMEOUT

    @staticmethod
    def from_environment() -> RemoteCache | None:
        """The remote that the environment configures; None if there is none.

        Raises:
            InvalidArgumentError: ``RNN_COMPILER_CACHE_REMOTE_TIMEOUT`` is not a number of seconds.
        """
        url = os.environ.get("RNN_COMPILER_CACHE_REMOTE")
        name = "RNN_COMPILER_CACHE_REMOTE_TIMEOUT"
        given = os.environ.get(name) or str(DEFAULT_TIMEOUT)
        try:
            timeout = float(given)
        except ValueError:
            timeout = math.nan
        if not 0 < timeout < math.inf:
            raise InvalidArgumentError(
                "environment", name, "a positive number of seconds", repr(given)
            )
        return RemoteCache(url, timeout) if url else None

    @property
    def shown(self) -> str:
        """The URL for messages, without a password."""
        return _without_passwords(self.url)

    def read(self, digest: str, max_size: int) -> bytes | None:
        """The unverified bytes of an entry; None if it is not available.

        Args:
            digest: The digest of its key.
            max_size: Its maximum size in bytes.
        """
        return self._try("read", lambda: _read(self.url, digest, max_size))

    def write(self, digest: str, data: bytes) -> bool:
        """Uploads an entry; returns whether it is there now."""
        return self._try("written", lambda: _write(self.url, digest, data)) is not None

    def check(self) -> None:
        """Checks that the remote answers.

        Raises:
            Exception: It does not; any exception of its file system.
        """
        _, _, folder = _location(self.url, "0" * 64)
        if folder and not folder.root.is_dir():
            raise FileNotFoundError("the folder does not exist; the first entry creates it")
        with contextlib.suppress(FileNotFoundError):
            _in_time(lambda: _read(self.url, "0" * 64, 0), self.timeout)

    def _try(self, what: str, act: Callable[[], Any]) -> Any:
        """The result of an operation; None if it fails, which is logged, or is paused."""
        if time.monotonic() < paused.get((self.url, what), 0):
            return None
        try:
            return _in_time(act, self.timeout)
        except Exception as error:  # any exception of a file system
            if what == "read" and isinstance(error, FileNotFoundError):
                _log.debug("miss: %s has no such entry (%s)", self.shown, reason_of(error))
                return None
            if what == "read" and isinstance(error, PermissionError):
                # S3's answer for a missing object if the caller may not list the bucket.
                _log.info("miss: %s denies access to the entry (%s)", self.shown, reason_of(error))
                return None
            self._pause(what, error)
            if isinstance(error, TimeoutError):
                paused[self.url, "read"] = paused[self.url, "written"] = paused[self.url, what]
        return None

    def _pause(self, what: str, error: Exception) -> None:
        paused[self.url, what] = time.monotonic() + PAUSE
        _log.warning(
            "the remote cache %s cannot be %s (%s): only the local cache is used for the next %d s",
            *(self.shown, what, reason_of(error), PAUSE),
        )


def _in_time(act: Callable[[], Any], timeout: float) -> Any:
    """The result of a call within a time limit.

    Raises:
        TimeoutError: The call did not finish in time; it continues in the background.
    """
    done: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            done.append((act(), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=run, name="rnn-compiler-remote-cache", daemon=True)
    thread.start()
    thread.join(timeout)
    if not done:
        raise TimeoutError(f"no answer in {timeout:g} s")
    value, error = done[0]
    if error is not None:
        raise error
    return value


@functools.lru_cache(maxsize=8)
def connect(url: str, process: int) -> tuple[Any, str]:
    """The file system of a URL, and the path in it; one per process, because few survive a fork."""
    del process
    try:
        core: Any = importlib.import_module("fsspec.core")
    except ImportError as error:
        message = f"fsspec is not installed; {install_extra('remote')}"
        raise ModuleNotFoundError(message) from error
    return core.url_to_fs(url)


def _location(url: str, digest: str) -> tuple[Any, str, CacheFolder | None]:
    """The file system of a remote, the path of an entry in it, and its folder if it is local."""
    filesystem, root = connect(url, os.getpid())
    is_here = filesystem.protocol in ("file", ("file", "local"))
    folder = CacheFolder(Path(root)) if is_here else None
    return filesystem, f"{root.rstrip('/')}/v1/{digest[:2]}/{digest}.entry", folder


def _read(url: str, digest: str, max_size: int) -> bytes:
    filesystem, path, folder = _location(url, digest)
    if folder:
        return folder.read_entry(digest, max_size)
    size = filesystem.info(path)["size"]
    data = _read_stream(filesystem, path, max_size) if size is None else b""
    if max(size or 0, len(data)) > max_size:
        raise FileNotFoundError(f"{path} has more bytes than {max_size}, the limit for an entry")
    return data if size is None else filesystem.cat_file(path)


def _read_stream(filesystem: Any, path: str, max_size: int) -> bytes:
    """The bytes of a file of unknown size; slightly more than the limit if it is too large."""
    parts: list[bytes] = []
    with filesystem.open(path, "rb") as stream:
        left = max_size + 1
        while left > 0 and (part := stream.read(min(left, _PART))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def _write(url: str, digest: str, data: bytes) -> bool:
    filesystem, path, folder = _location(url, digest)
    if folder:
        folder.write_entry(digest, data)
        return True
    try:
        filesystem.pipe_file(path, data)
    except FileNotFoundError:  # for file systems with folders; buckets are not created
        if not filesystem.exists(connect(url, os.getpid())[1]):
            raise
        filesystem.makedirs(path.rpartition("/")[0], exist_ok=True)
        filesystem.pipe_file(path, data)
    return True


def reason_of(error: Exception) -> str:
    """The message of an error, in one line without passwords."""
    return f"{type(error).__name__}: {_without_passwords(str(error).partition(chr(10))[0])}"


def _without_passwords(text: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//...@", text)
