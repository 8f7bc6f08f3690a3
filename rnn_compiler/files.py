"""Files that appear whole or not at all.

What is written goes into a temporary file beside its place, which then takes that place: whoever
reads sees the old file or the new one, and a full disk leaves the old one.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator
from pathlib import Path

__all__ = ["write_atomically", "write_files"]


def write_atomically(path: Path, data: bytes | memoryview, mode: int | None = None) -> None:
    """Writes a file so that it appears whole or not at all, also after a power loss.

    Args:
        path: The file; a link is replaced, not followed.
        data: Its bytes.
        mode: Its permissions; default: as the umask says.

    Raises:
        OSError: It cannot be written, and is the file that is named; nothing is left behind.
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


def write_files(*files: tuple[Path, bytes | memoryview]) -> None:
    """Writes files that belong together: all of them appear, each whole, or none does.

    All are written before the first takes its place, in the order given: so the last is the one to
    wait for. Between two of these a power loss can still separate them. A link is followed, and a
    device or a pipe, such as ``/dev/stdout``, is written to.

    Raises:
        OSError: One cannot be written, and is the file that is named; nothing is left behind.
    """
    places = [Path(os.path.realpath(path)) for path, _ in files]
    temporaries = [_temporary(place) for place in places]
    made: list[Path] = []
    try:
        for (path, data), temporary in zip(files, temporaries, strict=True):
            with _naming(path):
                if path.exists() and not path.is_file() and not path.is_dir():
                    path.write_bytes(data)
                else:
                    _write(temporary, data)
        for (path, _), place, temporary in zip(files, places, temporaries, strict=True):
            if temporary.exists():
                is_new = not place.exists()
                with _naming(path):
                    temporary.replace(place)
                made += [place] if is_new else []
    except BaseException:
        for each in (*temporaries, *made):
            with contextlib.suppress(OSError):
                each.unlink()
        raise
    for folder in {place.parent for place in places}:
        _sync_folder(folder)


def _temporary(path: Path) -> Path:
    """A name for a file that is being written."""
    return path.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.tmp")


def _write(path: Path, data: bytes | memoryview, mode: int | None = None) -> None:
    """Writes a new file, down to the disk."""
    with path.open("xb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _naming(path: Path) -> Generator[None]:
    """Errors name the file that is meant, not its temporary one."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        raise OSError(number, error.strerror or str(error), str(path)) from error


def _sync_folder(folder: Path) -> None:
    """Makes a rename in a folder outlast a power loss, where the file system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
