"""Reading files that nobody has vouched for: regular files only, and never more than they hold."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError

__all__ = ["LARGEST_MESSAGE", "array_of", "damaged", "read_bytes", "within"]

LARGEST_MESSAGE = 2**31 - 1
"""Bytes that a protobuf message may have."""


def damaged(path: Path, reason: str) -> ArtifactError:
    """The error of a file that is not what it should be."""
    return ArtifactError(f"{path}: damaged: {reason}")


def read_bytes(path: Path, offset: int = 0, size: int | None = None) -> bytes:
    """The bytes of a regular file, or some of them.

    Args:
        path: The file.
        offset: Where they begin.
        size: How many; default: all.

    Raises:
        ArtifactError: It is no regular file, too large, or ends before.
        OSError: It cannot be read.
    """
    with open(path, "rb", opener=_without_waiting) as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ArtifactError(f"{path}: not a regular file")
        size = found.st_size - offset if size is None else size
        if min(offset, size) < 0 or offset + size > found.st_size:
            raise damaged(path, f"it has {found.st_size} bytes, and {offset + size} are needed")
        if not offset and size > LARGEST_MESSAGE:
            raise ArtifactError(f"{path}: {size} bytes, where a message has less than 2**31")
        stream.seek(offset)
        return stream.read(size)


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file; a pipe that nobody writes to as well."""
    return os.open(path, flags | os.O_NONBLOCK)


def within(folder: Path, name: str, path: Path) -> Path:
    """The file of a name that a model gives, which must be in a folder.

    Args:
        folder: The folder, which is the model file's.
        name: The name.
        path: The model file, for messages.

    Raises:
        ArtifactError: It is elsewhere, also by a link.
    """
    if name and "\0" not in name and not os.path.isabs(name) and ".." not in Path(name).parts:
        found = Path(os.path.realpath(folder / name))
        homes = (folder, Path(os.path.realpath(path)).parent)
        if any(found.is_relative_to(os.path.realpath(home)) for home in homes):
            return found
    raise ArtifactError(f"{path}: it names the file {name!r}, which is not in its folder")


def array_of(data: bytes, dtype: np.dtype[Any], shape: Sequence[int], path: Path, name: str) -> Any:
    """The array whose elements some bytes are, in little-endian order.

    Raises:
        ArtifactError: There are too few or too many of them, or a size is negative.
    """
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(data):
        raise damaged(path, f"{name} has {len(data)} bytes, which are no {dtype} {list(shape)}")
    little: Any = dtype
    array: Any = np.frombuffer(data, little.newbyteorder("<"))
    return array.astype(dtype, copy=False).reshape(shape)
