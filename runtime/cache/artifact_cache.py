"""The artifact cache: compiled modules on disk, one self-checking file each.

Readers get either a complete entry for their key, or none: an entry is written to a temporary file,
synced and renamed (`folder`), contains its key and digests (`entries`), and is never modified. Any
failure here is a miss: the caller compiles, and the reason is logged; at level `debug`, so are the
parts of the key and how the nearest entry differs. Damaged entries are moved to quarantine.

Environment variables configure it: ``RNN_COMPILER_CACHE_DIR`` is its folder,
``RNN_COMPILER_CACHE_MAX_SIZE`` its size (``1G`` by default), ``RNN_COMPILER_CACHE`` its mode:
``rw`` (default), ``ro`` (hits only), ``off``, or ``verify`` (recompile on a hit and compare),
``RNN_COMPILER_CACHE_TRUST`` whose entries are trusted (`folder`), and ``RNN_COMPILER_CACHE_REMOTE``
a shared remote cache (`remote`).
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.base.byte_counts import parse_bytes
from rnn_compiler.errors import ArtifactError, CacheWarning, InvalidArgumentError
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.runtime.cache import eviction
from rnn_compiler.runtime.cache.entries import CacheKey, decode, encode
from rnn_compiler.runtime.cache.folder import (
    CacheFolder,
    UntrustedError,
    read_file,
    trusts_writers,
)
from rnn_compiler.runtime.cache.remote import RemoteCache

__all__ = ["DEFAULT_MAX_SIZE", "MODES", "ArtifactCache", "CacheKey"]

MODES = ("rw", "ro", "off", "verify")

DEFAULT_MAX_SIZE = 1 << 30
"""The default size in bytes: about ten thousand modules."""

LARGEST_FETCHED = 1 << 28
"""The maximum size of a remote entry in bytes: enough for thousands of modules without weights."""

_NOWHERE = Path(os.devnull)
"""Stands for an unusable folder: nothing can be created in it."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ArtifactCache:
    """A folder of cached artifacts.

    Attributes:
        folder: The path of the folder.
        mode: One of `MODES`.
        max_size: The maximum total size of its entries in bytes.
        remote: The remote cache that missing entries are fetched from and new ones are uploaded to;
            None if there is none.
    """

    folder: Path
    mode: str = "rw"
    max_size: int = DEFAULT_MAX_SIZE
    remote: RemoteCache | None = None

    @staticmethod
    def from_environment() -> ArtifactCache:
        """The cache that the environment configures.

        Raises:
            InvalidArgumentError: ``RNN_COMPILER_CACHE`` is not a mode,
                ``RNN_COMPILER_CACHE_MAX_SIZE`` is not a size, ``RNN_COMPILER_CACHE_TRUST`` is
                neither owner nor writers, or ``RNN_COMPILER_CACHE_REMOTE_TIMEOUT`` is not a number
                of seconds.
        """
        trusts_writers()
        mode = os.environ.get("RNN_COMPILER_CACHE") or "rw"
        if mode not in MODES:
            raise InvalidArgumentError(
                "environment", "RNN_COMPILER_CACHE", f"one of {', '.join(MODES)}", repr(mode)
            )
        size = os.environ.get("RNN_COMPILER_CACHE_MAX_SIZE")
        max_size = (
            parse_bytes(size, "cache", "RNN_COMPILER_CACHE_MAX_SIZE") if size else DEFAULT_MAX_SIZE
        )
        remote = RemoteCache.from_environment()
        return ArtifactCache(_folder_from_environment(), mode, max_size, remote)

    @property
    def files(self) -> CacheFolder:
        """The folder's layout."""
        return CacheFolder(self.folder)

    @property
    def reproducers(self) -> Path:
        """The folder for reproducers of failed compilations."""
        return (self.folder if self.files.is_trusted() else _NOWHERE) / "reproducers"

    def path(self, key: CacheKey) -> Path:
        """The file of an entry."""
        return self.files.entry(key.digest)

    def lock_path(self, key: CacheKey) -> Path | None:
        """The file to lock while an entry is compiled; None if locks are not possible."""
        if self.mode in ("off", "ro"):
            return None
        try:
            self.files.make(self.files.locks)
        except OSError as error:
            _log.debug("no lock in %s: %s", self.folder, error)
            return None
        return self.files.locks / f"{key.digest}.lock"

    def get(self, key: CacheKey) -> Artifact | None:
        """The verified artifact of a key; None if there is none."""
        if self.mode == "off":
            return None
        path = self.path(key)
        try:
            data = self.files.read_entry(key.digest)
        except FileNotFoundError:
            if _log.isEnabledFor(logging.DEBUG):
                _log.debug("miss: no entry %s\n%s", path, self._explain(key))
            return None
        except (OSError, MemoryError) as error:
            _log.info("miss: cache entry %s cannot be read: %s", path, error)
            if self.mode == "ro":  # otherwise `put` warns
                _warn_once(
                    f"cannot read the cache {self.folder} ({_reason(error)}): modules are "
                    f"compiled; {self._remedy(error)}"
                )
            return None
        try:
            _, artifact = decode(data, key.digest)
        except ArtifactError as error:
            _log.warning("miss: cache entry %s is unusable: %s", path, error)
            self.set_aside(path)
            return None
        _log.debug("hit: %s", path)
        if self.mode != "ro":
            with contextlib.suppress(OSError):  # evicted since, or on a read-only disk
                eviction.mark_used(path)
        return artifact

    def put(self, key: CacheKey, artifact: Artifact) -> None:
        """Stores an artifact; a failure is a `CacheWarning`, issued only once for each reason."""
        if self.mode in ("off", "ro"):
            return
        data = encode(key, artifact)
        if len(data) > self.max_size:
            _log.warning("not cached: %d bytes, the cache has %d", len(data), self.max_size)
            return
        try:
            self.files.write_entry(key.digest, data)
        except OSError as error:
            _warn_once(
                f"cannot use the cache {self.folder} ({_reason(error)}): compiled modules are "
                f"not kept; {self._remedy(error)}"
            )
            return
        eviction.make_room(self.files, self.max_size, self.path(key), len(data))

    def fetch(self, key: CacheKey) -> Artifact | None:
        """The verified artifact of a key from the remote; it is also stored in this cache."""
        if self.remote is None or self.mode == "off":
            return None
        data = self.remote.read(key.digest, min(self.max_size, LARGEST_FETCHED))
        if data is None:
            return None
        try:
            _, artifact = decode(data, key.digest)
        except ArtifactError as error:
            where = self.remote.shown
            _log.warning("miss: entry %s of %s is unusable: %s", key.digest, where, error)
            return None
        _log.debug("hit: %s of %s", key.digest, self.remote.shown)
        self.put(key, artifact)
        return artifact

    def publish(self, key: CacheKey, artifact: Artifact) -> None:
        """Uploads an artifact to the remote, if there is one; failures are logged."""
        if self.remote is not None and self.mode not in ("off", "ro"):
            self.remote.write(key.digest, encode(key, artifact))

    def set_aside(self, path: Path) -> None:
        """Moves a damaged entry to quarantine, where it can be inspected until it is evicted."""
        if self.mode in ("off", "ro"):
            return
        try:
            self.files.make(self.files.quarantine)
            path.replace(self.files.quarantine / path.name)
        except OSError as error:
            _log.info("%s could not be moved to quarantine: %s", path, error)

    def _remedy(self, error: Exception) -> str:
        """What the user can do about a warning."""
        if isinstance(error, UntrustedError):
            first = error.remedy
        elif self.mode != "ro" and self.files.is_readable():
            first = "set RNN_COMPILER_CACHE=ro to use only the existing entries"
        else:
            first = "set RNN_COMPILER_CACHE=off to disable the cache"
        return f"{first}, or RNN_COMPILER_CACHE_DIR to another folder"

    def _explain(self, key: CacheKey) -> str:
        """The parts of a key, and how the most similar entry differs."""
        lines = [f"  {name}: {value!r}" for name, value in key.entries.items()]
        nearest: tuple[int, str, CacheKey] | None = None
        for file in itertools.islice(eviction.list_entries(self.files), 100):
            with contextlib.suppress(OSError, ArtifactError):
                other, _ = decode(read_file(file.path), file.digest)
                differences = len(_differences(key, other))
                if nearest is None or differences < nearest[0]:
                    nearest = differences, file.path.name, other
        if nearest is not None:
            _, name, other = nearest
            lines.append(f"  nearest entry {name} differs in")
            lines += [
                f"    {name}: there {other.entries.get(name)!r}"
                for name in _differences(key, other)
            ]
        return "\n".join(lines)


def _folder_from_environment() -> Path:
    """The configured folder, else the user's cache folder, which needs a home folder."""
    named = os.environ.get("RNN_COMPILER_CACHE_DIR")
    try:
        if named:
            return Path(os.path.expanduser(named)).absolute()
        import platformdirs  # not installed on machines that only run artifacts

        folder = Path(platformdirs.user_cache_dir("rnn-compiler"))
    except (RuntimeError, OSError) as error:  # no home folder, or a deleted working directory
        _log.info("no cache folder: %s", error)
        return _NOWHERE / "rnn-compiler"
    return folder if folder.is_absolute() else _NOWHERE / "rnn-compiler"


def _differences(one: CacheKey, other: CacheKey) -> list[str]:
    names = {**one.entries, **other.entries}
    # JSON has turned tuples into lists.
    return [name for name in names if _digest_of(one, name) != _digest_of(other, name)]


def _digest_of(key: CacheKey, name: str) -> str:
    return CacheKey({name: key.entries.get(name)}).digest


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    _log.info(message)
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, CacheWarning, stacklevel=3)
