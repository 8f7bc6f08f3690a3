"""The folder of the artifact cache: where things are, and whether they can be trusted.

    FOLDER/v1/CACHEDIR.TAG              marks the cache as this package's; backups skip it
    FOLDER/v1/ab/ab12....entry          an entry, named by its key's digest
    FOLDER/v1/ab/.PID-RANDOM.tmp        one that is being written
    FOLDER/v1/locks/ab12....lock        held while an entry is made
    FOLDER/v1/quarantine/ab12....entry  one that was found damaged
    FOLDER/reproducers                  failed compilations

Code comes out of this folder, so it has to be one that nobody else can put code into: its own
folders are real ones, belong to this user or to root, and are not writable by everyone; so for its
files, and no link is followed. Another version of the layout is another `v` beside it.

A tag that is lost or damaged is written again, unless something else lies beside it: then nothing
is written or deleted here.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.files import write_atomically

__all__ = ["ENTRY_NAME", "SHARD_NAME", "TEMPORARY_NAME", "CacheFolder", "read_file"]

ENTRY_NAME = re.compile(r"[0-9a-f]{64}\.entry")
SHARD_NAME = re.compile(r"[0-9a-f]{2}")
TEMPORARY_NAME = re.compile(r"\.\d+-[0-9a-f]{12}\.tmp")
_OWN_NAME = re.compile(
    rf"{SHARD_NAME.pattern}|{TEMPORARY_NAME.pattern}|locks|quarantine|CACHEDIR\.TAG"
)

_TAG = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# Compiled modules of rnn-compiler; `rnn-compiler cache clear` empties it.\n"
)


@dataclass(frozen=True)
class CacheFolder:
    """Paths in a cache folder, which may not exist yet.

    Attributes:
        root: The folder that the user named.
    """

    root: Path

    @property
    def store(self) -> Path:
        """Where this version keeps everything."""
        return self.root / "v1"

    def entry(self, digest: str) -> Path:
        """The file of an entry."""
        return self.store / digest[:2] / f"{digest}.entry"

    @property
    def locks(self) -> Path:
        """The folder of lock files."""
        return self.store / "locks"

    @property
    def quarantine(self) -> Path:
        """The folder of damaged entries."""
        return self.store / "quarantine"

    @property
    def _tag(self) -> Path:
        return self.store / "CACHEDIR.TAG"

    def read_entry(self, digest: str) -> bytes:
        """The bytes of an entry.

        Raises:
            FileNotFoundError: There is none.
            OSError: It cannot be read, or is not to be trusted.
        """
        path = self.entry(digest)
        for folder in (self.root, self.store, path.parent):
            _check_folder(folder)
        return read_file(path)

    def write_entry(self, digest: str, data: bytes) -> None:
        """Publishes an entry, whole or not at all.

        Raises:
            OSError: It cannot be written, or the folder is not to be trusted.
        """
        path = self.entry(digest)
        self.make(path.parent)
        write_atomically(path, data)

    def make(self, folder: Path) -> None:
        """Makes one of the folders in the store, and the store, only for this user.

        Raises:
            OSError: It cannot be made, is not to be trusted, or the store is something else's.
        """
        self.root.parent.mkdir(parents=True, exist_ok=True)
        for each in (self.root, self.store):
            each.mkdir(0o700, exist_ok=True)
            _check_folder(each)
        self.check_own()
        if not self._is_tagged():
            write_atomically(self._tag, _TAG)
        folder.mkdir(0o700, exist_ok=True)
        _check_folder(folder)

    def check_own(self) -> None:
        """Checks that this is a cache of this package, in which things may be written and deleted.

        Raises:
            FileNotFoundError: There is none yet.
            OSError: It is not to be trusted, or the store is something else's.
        """
        for each in (self.root, self.store):
            _check_folder(each)
        if self._is_tagged():
            return
        others = [name for name in os.listdir(self.store) if not _OWN_NAME.fullmatch(name)]
        if others:
            reason = f"{self.store} holds something else, {min(others)!r}, and no tag of the cache"
            raise PermissionError(errno.EPERM, reason)

    def _is_tagged(self) -> bool:
        try:
            return read_file(self._tag) == _TAG
        except OSError:
            return False

    def is_trusted(self) -> bool:
        """Whether nobody else can put files here; a folder that does not exist is trusted."""
        try:
            _check_folder(self.root)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def read_file(path: Path) -> bytes:
    """The bytes of a regular file of this user or root; what is something else is not even opened.

    Raises:
        OSError: It cannot be read, or is none.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        _check_owner(status, path)
        return file.read()


def _check_folder(path: Path) -> None:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link; name the folder it leads to", str(path))
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    _check_owner(status, path)
    if status.st_mode & stat.S_IWOTH:
        raise PermissionError(errno.EPERM, "every user can write to it", str(path))


def _check_owner(status: os.stat_result, path: Path) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(errno.EPERM, f"it belongs to user {status.st_uid}", str(path))
