"""The folder of the artifact cache: its layout, and whether its content can be trusted.

    FOLDER/v1/CACHEDIR.TAG              marks the cache as this package's; backups skip it
    FOLDER/v1/ab/ab12....entry          an entry, named by its key's digest
    FOLDER/v1/ab/.PID-RANDOM.tmp        an entry that is being written
    FOLDER/v1/locks/ab12....lock        held while an entry is made
    FOLDER/v1/quarantine/ab12....entry  a damaged entry
    FOLDER/reproducers                  failed compilations

Entries contain code, so only trusted users may be able to write them: folders must not be links,
must belong to this user or to root, and must not be writable by everyone; the same holds for files,
and links are not followed. With ``RNN_COMPILER_CACHE_TRUST=writers`` ownership does not matter: the
user trusts everyone who can write to the folder. Another version of the layout would get another
`v` folder next to this one.

The permissions of FOLDER apply to everything created in it, regardless of the umask. If it does not
exist yet, it is created for this user only.

A lost or damaged tag is written again unless there are other files next to it; then nothing is
written or deleted here.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.base.files import write_atomically
from rnn_compiler.base.systems import open_flags, own_user
from rnn_compiler.errors import InvalidArgumentError

__all__ = [
    "ENTRY_NAME",
    "SHARD_NAME",
    "TEMPORARY_NAME",
    "CacheFolder",
    "UntrustedError",
    "read_file",
    "trusts_writers",
]

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
_FOLDER_MODE, _FILE_MODE = 0o2775, 0o664
"""The permissions that files and folders inherit from the folder they are in."""


class UntrustedError(OSError):
    """A folder or file to which someone else may have written code.

    Attributes:
        remedy: What the user can do about it, for the end of a sentence.
    """

    def __init__(self, number: int, reason: str, path: Path, remedy: str) -> None:
        super().__init__(number, reason, str(path))
        self.remedy = remedy


@dataclass(frozen=True)
class CacheFolder:
    """Paths in a cache folder, which may not exist yet.

    Attributes:
        root: The configured folder.
    """

    root: Path

    @property
    def store(self) -> Path:
        """The folder of this version of the layout."""
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

    def read_entry(self, digest: str, most: int | None = None) -> bytes:
        """The bytes of an entry.

        Args:
            digest: The digest of its key.
            most: Its maximum size in bytes; default: no limit.

        Raises:
            FileNotFoundError: It does not exist, or is larger.
            OSError: It cannot be read, or is not trusted.
        """
        path = self.entry(digest)
        for folder in (self.root, self.store, path.parent):
            _check_folder(folder)
        return read_file(path, most)

    def write_entry(self, digest: str, data: bytes) -> None:
        """Stores an entry atomically.

        Raises:
            OSError: It cannot be written, or the folder is not trusted.
        """
        path = self.entry(digest)
        self.make(path.parent)
        _write(path, data)

    def make(self, folder: Path) -> None:
        """Creates one of the store's folders, and the store.

        Raises:
            OSError: It cannot be created or is not trusted, or the store is not a cache.
        """
        self.root.parent.mkdir(parents=True, exist_ok=True)
        self.root.mkdir(0o700, exist_ok=True)
        _check_folder(self.root)
        _make_folder(self.store)
        self.check_own()
        if not self._is_tagged():
            _write(self._tag, _TAG)
        _make_folder(folder)

    def check_own(self) -> None:
        """Checks that this is a cache of this package, so that files may be written and deleted.

        Raises:
            FileNotFoundError: It does not exist yet.
            OSError: It is not trusted, or the store is not a cache.
        """
        for each in (self.root, self.store):
            _check_folder(each)
        if self._is_tagged():
            return
        others = [name for name in os.listdir(self.store) if not _OWN_NAME.fullmatch(name)]
        if others:
            reason = f"{self.store} has other files, such as {min(others)!r}, and no cache tag"
            raise PermissionError(errno.EPERM, reason)

    def _is_tagged(self) -> bool:
        try:
            return read_file(self._tag) == _TAG
        except OSError:
            return False

    def is_readable(self) -> bool:
        """Whether entries may be read here, if there are any."""
        try:
            self.check_own()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return os.access(self.store, os.R_OK | os.X_OK)

    def is_trusted(self) -> bool:
        """Whether only trusted users can write files here; a missing folder is trusted."""
        try:
            _check_folder(self.root)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def trusts_writers() -> bool:
    """Whether the user trusts everyone who can write to the cache, not only root.

    Raises:
        InvalidArgumentError: ``RNN_COMPILER_CACHE_TRUST`` is neither owner nor writers.
    """
    named = os.environ.get("RNN_COMPILER_CACHE_TRUST") or "owner"
    if named not in ("owner", "writers"):
        raise InvalidArgumentError(
            "environment", "RNN_COMPILER_CACHE_TRUST", "owner or writers", repr(named)
        )
    return named == "writers"


def read_file(path: Path, most: int | None = None) -> bytes:
    """The bytes of a trusted regular file; other files are not opened.

    Raises:
        OSError: It cannot be read, or is not a regular file.
    """
    flags = os.O_RDONLY | open_flags("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        _check_trust(status, path)
        if most is not None and status.st_size > most:
            reason = f"{status.st_size} bytes, entries have at most {most}"
            raise FileNotFoundError(errno.EFBIG, reason, str(path))
        return file.read()


def _write(path: Path, data: bytes) -> None:
    """Writes a file with the permissions of its folder.

    The group gets write permission only if it is trusted, because it could modify the file in
    place.
    """
    mode = _FILE_MODE if trusts_writers() else _FILE_MODE & ~stat.S_IWGRP
    write_atomically(path, data, path.parent.stat().st_mode & mode)


def _make_folder(path: Path) -> None:
    """Creates a folder with the permissions of its parent, from the start."""
    if not os.path.lexists(path):
        temporary = path.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.tmp")
        temporary.mkdir(0o700)
        try:
            temporary.chmod(path.parent.stat().st_mode & _FOLDER_MODE)
            temporary.rename(path)
        except BaseException as error:
            with contextlib.suppress(FileNotFoundError):  # interrupted after it was renamed
                temporary.rmdir()
            if not isinstance(error, OSError) or not path.is_dir():
                raise  # otherwise, another process has created it meanwhile
    _check_folder(path)


def _check_folder(path: Path) -> None:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        reason = "a symbolic link; name the folder it points to"
        raise UntrustedError(errno.ELOOP, reason, path, f"make {path} a folder")
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    _check_trust(status, path)


def _check_trust(status: os.stat_result, path: Path) -> None:
    """Checks that only trusted users can have written to it."""
    user = own_user()
    if user is None:  # modes do not describe permissions here
        return
    if status.st_mode & stat.S_IWOTH:
        remedy = f"revoke that permission (chmod o-w {path})"
        raise UntrustedError(errno.EPERM, "every user can write to it", path, remedy)
    if trusts_writers():
        return
    remedy = "set RNN_COMPILER_CACHE_TRUST=writers if you trust all who can write to it"
    if status.st_uid not in (0, user):
        reason = f"it belongs to user {status.st_uid}"
        raise UntrustedError(errno.EPERM, reason, path, remedy)
    if stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IWGRP:
        raise UntrustedError(errno.EPERM, "its group can write to it", path, remedy)
