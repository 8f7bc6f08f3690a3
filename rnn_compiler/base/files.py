"""Files that are written completely or not at all, and reading of regular files only.

Data is written to a temporary file next to the target, which then replaces it: readers see either
the old or the new file, and a full disk leaves the old one intact.

A path to read from may be anything, such as a pipe without a writer or the endless ``/dev/zero``,
so only regular files are read. A repository that was cloned without Git LFS has small texts in
place of its large files; they are refused whatever kind of file is expected.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rnn_compiler.base.systems import open_flags

__all__ = [
    "ARCHIVE_MARK",
    "PAGE_MARK",
    "SOURCE_MARK",
    "check_replaceable",
    "made_folder",
    "open_regular",
    "read_regular",
    "write_atomically",
    "write_files",
]

PAGE_MARK = "<!-- Made by rnn-compiler, which replaces this file when it writes here again. -->"
"""A line of every README that is written."""

SOURCE_MARK = "Made by rnn-compiler "
"""The start of a line of every source file that is written."""

ARCHIVE_MARK = b"Made by rnn-compiler"
"""The comment of an .npz file, its last bytes."""

_MARKS = {
    "golden.npz": b"/results/",  # in the names of its arrays
    ".json": b'"schema"',
    ".md": PAGE_MARK.encode(),
    ".npz": ARCHIVE_MARK,
    **dict.fromkeys((".c", ".h", ".mjs", ".ts"), SOURCE_MARK.encode()),
}
"""What a file of this package contains, by the end of its name; the first that fits applies."""

_BEGINNINGS = {".irpa": b"IRPA", ".o": b"\x7fELF", ".wasm": b"\0asm"}
"""What files begin with that have no place for a mark: another file of the kind may be replaced."""

_DESCRIPTOR = re.compile(r"/(dev|proc/(self|\d+|thread-self))/fd/\d+")
"""Paths of files that a process has open."""

_MOST_LINKS = 10

_POINTER = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER = 1024  # by Git LFS' specification


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a regular file for reading; never blocks on anything else.

    Raises:
        OSError: It cannot be opened, is something else, or is Git LFS' pointer to the file.
        ValueError: No file can have the name.
    """
    stream = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    reason = _unreadable(stream)
    if not reason:
        return stream
    stream.close()
    raise OSError(errno.EINVAL, reason, str(path))


def _unreadable(stream: BinaryIO) -> str:
    """Why an open file is not one to read; empty if it is."""
    found = os.fstat(stream.fileno())
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_size <= _LONGEST_POINTER:
        start = stream.read(len(_POINTER))
        stream.seek(0)
        if start == _POINTER:
            return "a Git LFS pointer, not the file itself: run git lfs pull in its repository"
    return ""


def read_regular(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """The bytes of a regular file.

    Args:
        path: The file.
        most: The maximum size in bytes; default: no limit.

    Raises:
        OSError: It cannot be read, is larger, or is something else.
        ValueError: No file can have the name.
    """
    with open_regular(path) as stream:
        if most is not None and os.fstat(stream.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
        try:
            return stream.read()
        except MemoryError:
            raise OSError(errno.ENOMEM, "larger than the free memory", str(path)) from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | open_flags("O_NONBLOCK"))


def check_replaceable(*paths: Path) -> None:
    """Checks that files whose names the user did not choose replace only files of this package.

    Empty files, and files of kinds that are not known, may be replaced.

    Raises:
        FileExistsError: A file is there that this package did not write; the error names it.
    """
    for path in paths:
        if not path.is_file() or not path.stat().st_size:
            continue
        mark = next((mark for end, mark in _MARKS.items() if path.name.endswith(end)), b"")
        beginning = _BEGINNINGS.get(path.suffix, b"")
        with path.open("rb") as file:
            known = file.read(len(beginning)) == beginning
            known = known and (not mark or mark in file.read())
        if not known:
            text = "rnn-compiler did not write this file: move it, or choose another folder"
            raise FileExistsError(errno.EEXIST, text, str(path))


def write_atomically(path: Path, data: bytes | memoryview, mode: int | None = None) -> None:
    """Writes a file completely or not at all, also after a power loss.

    Args:
        path: The file; a link is replaced, not followed.
        data: Its bytes.
        mode: Its permissions; default: according to the umask.

    Raises:
        OSError: It cannot be written; the error names it, and nothing is left behind.
    """
    temporary = _temporary(path)
    try:
        with _naming(path):
            _write(temporary, data, mode)
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def made_folder(folder: Path) -> Generator[None]:
    """Creates a folder to write to; folders it created are removed again on failure if empty.

    Raises:
        OSError: It cannot be created.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for each in missing:
            with contextlib.suppress(OSError):
                each.rmdir()
        raise


def write_files(*files: tuple[Path, bytes | memoryview]) -> None:
    """Writes files that belong together: either all of them appear, each complete, or none does.

    All are written before the first is renamed into place, in the given order, so that the presence
    of the last implies that of the others. A power loss between two renames can still separate
    them. Replaced files keep their permissions, and are restored if a later rename fails. Links are
    followed, and a device, a pipe or an open file, such as ``/dev/stdout``, is written to directly.

    Raises:
        OSError: A file cannot be written; the error names it, and nothing is left behind.
    """
    replaced = [(path, data) for path, data in files if not _is_stream(path)]
    targets = [Path(os.path.realpath(path)) for path, _ in replaced]
    temporaries = [_temporary(target) for target in targets]
    older: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for (path, data), target, temporary in zip(replaced, targets, temporaries, strict=True):
            with _naming(path):
                if target.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
                _write(temporary, data, mode)
        for (path, _), target, temporary in zip(replaced, targets, temporaries, strict=True):
            with _naming(path):
                if target.exists():
                    older[target] = _backup(target)
                temporary.replace(target)
            made += [] if target in older else [target]
        for path, data in files:
            if _is_stream(path):
                with _naming(path), path.open("ab") as stream:
                    stream.write(data)
    except BaseException:
        for target, backup in older.items():
            with contextlib.suppress(OSError):
                backup.replace(target)
                backup.unlink(missing_ok=True)  # replacing a file by itself does nothing
        for each in (*temporaries, *made):
            with contextlib.suppress(OSError):
                each.unlink()
        raise
    for backup in older.values():
        backup.unlink(missing_ok=True)
    for folder in {target.parent for target in targets}:
        _sync_folder(folder)


def _is_stream(path: Path) -> bool:
    """Whether to write to a path directly: a device, a pipe, or a file that is already open."""
    link = path.absolute()
    for _ in range(_MOST_LINKS):
        if _DESCRIPTOR.match(str(link)):
            return True
        if not link.is_symlink():
            break
        link = Path(os.path.normpath(link.parent / link.readlink()))
    return path.exists() and not path.is_file() and not path.is_dir()


def _backup(path: Path) -> Path:
    """A second name for a file, which preserves it when it is replaced."""
    backup = _temporary(path)
    try:
        backup.hardlink_to(path)
    except OSError:  # a file system without links
        shutil.copy2(path, backup)
    return backup


def _temporary(path: Path) -> Path:
    """A name for a file that is being written."""
    return path.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.tmp")


def _write(path: Path, data: bytes | memoryview, mode: int | None = None) -> None:
    """Writes a new file and syncs it to disk."""
    with path.open("xb") as file:
        if mode is not None:
            os.chmod(file.fileno() if os.chmod in os.supports_fd else path, mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _naming(path: Path) -> Generator[None]:
    """Makes errors name the target file, not its temporary one."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        raise OSError(number, error.strerror or str(error), str(path)) from error


def _sync_folder(folder: Path) -> None:
    """Makes a rename in a folder survive a power loss, if the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
