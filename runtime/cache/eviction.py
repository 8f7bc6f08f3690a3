"""Keeps the cache within its size by evicting the least recently used entries.

A use is recorded as the entry's modification time, at most hourly. There is no index that could be
lost, and a reader that has opened an evicted file can still read it. Times are only compared with
each other, never with an age limit, so a wrong clock cannot empty the cache. An entry from the
future counts as the oldest, so none is kept forever.

Only files with names that the cache creates are ever deleted, and only in its own folder.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.runtime.cache.folder import ENTRY_NAME, SHARD_NAME, TEMPORARY_NAME, CacheFolder

__all__ = [
    "StoredFile",
    "clear",
    "list_entries",
    "list_quarantined",
    "make_room",
    "mark_used",
    "prune",
]

_HOUR = 3600.0
_LOCK_NAME = re.compile(r"[0-9a-f]{64}\.lock")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoredFile:
    """An entry as a file.

    Attributes:
        path: Its path.
        size: Its size in bytes.
        used: When it was last used, in seconds since 1970.
    """

    path: Path
    size: int
    used: float

    @property
    def digest(self) -> str:
        """The digest of the key it is named after."""
        return self.path.name.partition(".")[0]


def mark_used(path: Path) -> None:
    """Records that an entry was used.

    Raises:
        OSError: The use cannot be recorded, or the entry is gone.
    """
    age = time.time() - path.lstat().st_mtime
    if not 0 <= age < _HOUR:
        os.utime(path, follow_symlinks=False)


def list_entries(folder: CacheFolder) -> list[StoredFile]:
    """The entries, most recently used first."""
    found = [file for shard in _shards(folder) for file in _files(shard, ENTRY_NAME)]
    return sorted(found, key=_last_use, reverse=True)


def list_quarantined(folder: CacheFolder) -> list[StoredFile]:
    """The damaged entries in quarantine."""
    return list(_files(folder.quarantine, ENTRY_NAME))


def prune(
    folder: CacheFolder, limit: int, keep: Path | None = None, slack: int = 0
) -> list[StoredFile]:
    """Deletes entries beyond a size, damaged ones first, and leftovers of interrupted writes.

    Args:
        folder: The cache.
        limit: The maximum size to keep in bytes.
        keep: An entry to keep in any case.
        slack: How much more to delete if anything must be deleted.

    Returns:
        The deleted entries; empty if the folder is not a cache of this package.
    """
    try:
        folder.check_own()
    except OSError as error:
        _log.debug("nothing is deleted in %s: %s", folder.root, error)
        return []
    _delete_leftovers(folder)
    files = list_entries(folder) + list_quarantined(folder)
    total = sum(file.size for file in files)
    deleted: list[StoredFile] = []
    limit -= slack if total > limit else 0
    while files and total > limit:
        file = files.pop()
        if file.path != keep and _delete(file.path):
            deleted.append(file)
            total -= file.size
    totals[folder] = (total, time.monotonic())
    return deleted


def clear(folder: CacheFolder) -> list[StoredFile]:
    """Deletes every entry; returns the deleted ones."""
    return prune(folder, -1)


totals: dict[CacheFolder, tuple[int, float]] = {}
"""The size of each cache at its last scan plus later additions of this process; and the time of the
scan."""


def make_room(folder: CacheFolder, limit: int, path: Path, size: int) -> None:
    """Keeps a cache within its size after an entry was added.

    The folder is scanned only if it may have grown too large, or if this process has not scanned it
    for an hour: with very many entries a scan takes longer than compiling.

    Args:
        folder: The cache.
        limit: Its maximum size in bytes.
        path: The added entry.
        size: Its size in bytes.
    """
    total, scanned = totals.get(folder, (limit, -_HOUR))
    if total + size <= limit and time.monotonic() - scanned < _HOUR:
        totals[folder] = (total + size, scanned)
        return
    evicted = prune(folder, limit, keep=path, slack=limit // 10)  # not again each time
    if evicted:
        _log.debug("evicted %d entries from %s", len(evicted), folder.root)


def _last_use(file: StoredFile) -> float:
    """When a file was last used, as far as is known."""
    return file.used if file.used < time.time() + _HOUR else 0.0


def _delete_leftovers(folder: CacheFolder) -> None:
    """Deletes temporary files, folders and locks that are too old to be in use."""
    now = time.time()
    leftovers = list(_files(folder.store, TEMPORARY_NAME)) + list(_files(folder.locks, _LOCK_NAME))
    for shard in _shards(folder):
        leftovers += _files(shard, TEMPORARY_NAME)
    for file in leftovers:
        if abs(now - file.used) > _HOUR:
            _delete(file.path)
    for unnamed in (
        *_folders(folder.root, TEMPORARY_NAME),
        *_folders(folder.store, TEMPORARY_NAME),
    ):
        with contextlib.suppress(OSError):  # it is not empty, or another process was faster
            if abs(now - unnamed.lstat().st_mtime) > _HOUR:
                unnamed.rmdir()


def _shards(folder: CacheFolder) -> Iterator[Path]:
    return _folders(folder.store, SHARD_NAME)


def _folders(parent: Path, name: re.Pattern[str]) -> Iterator[Path]:
    """The subfolders with matching names."""
    try:
        with os.scandir(parent) as entries:
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError as error:
        _log.debug("cannot list %s: %s", parent, error)
        return
    yield from (parent / each for each in names if name.fullmatch(each))


def _files(folder: Path, name: re.Pattern[str]) -> Iterator[StoredFile]:
    """The files in a folder with matching names, as far as it can be read."""
    try:
        with os.scandir(folder) as entries:
            found = [each for each in entries if name.fullmatch(each.name)]
    except FileNotFoundError:
        return
    except OSError as error:
        _log.debug("cannot list %s: %s", folder, error)
        return
    for each in found:
        try:
            if each.is_file(follow_symlinks=False):
                status = each.stat(follow_symlinks=False)
                yield StoredFile(Path(each.path), status.st_size, status.st_mtime)
        except OSError as error:
            _log.debug("cannot look at %s: %s", each.path, error)


def _delete(path: Path) -> bool:
    """Deletes a file; returns whether it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.debug("cannot delete %s: %s", path, error)
        return False
    return True
