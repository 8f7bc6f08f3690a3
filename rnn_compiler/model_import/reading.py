"""Reads untrusted files: regular files only, and never more than they contain."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.base.files import open_regular
from rnn_compiler.errors import ArtifactError

LARGEST_MESSAGE = 2**31 - 1
"""The maximum size of a protobuf message in bytes."""


MOST_AXES = 32
"""The maximum rank of numpy 1 arrays; no weight has more than 3 axes."""

_SPARE_BYTES = 1 << 26
_MOST_PARTS = 10_000
"""The most parts, separated by holes, that a small file may have."""
_LONGEST_TEXT = 300
_SIZES_SHOWN = 6


def damaged(path: Path, reason: str) -> ArtifactError:
    """The error for a damaged file."""
    return ArtifactError(f"{path}: damaged: {clipped(reason)}")


def exceeded(path: Path, reason: str) -> ArtifactError:
    """The error for a possibly valid file that needs more than its size justifies."""
    return ArtifactError(f"{path}: not read to its end: {clipped(reason)}")


def clipped(text: str) -> str:
    """A text from a file, without its middle if it is long."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} ... {text[-half:]}"


def shown(shape: Sequence[int]) -> str:
    """A shape from a file, shortened if it has many sizes."""
    rest = f", ... {len(shape)} sizes" if len(shape) > _SIZES_SHOWN else ""
    return f"[{', '.join(map(str, shape[:_SIZES_SHOWN]))}{rest}]"


class Budget:
    """Limits the total size of a model's arrays, so that small files cannot create large ones."""

    def __init__(self, path: Path, stored: int) -> None:
        """Sets the bound."""
        self._path = path
        self._most = self._left = _SPARE_BYTES + 16 * stored

    def add(self, stored: int) -> None:
        """Raises the bound for another file of the model, of that many bytes."""
        self._most += 16 * stored
        self._left += 16 * stored

    def take(self, count: int) -> None:
        """Counts bytes."""
        self._left -= count
        if self._left < 0:
            raise exceeded(
                self._path, f"its weights would take more than {self._most >> 20} MiB in all"
            )


class Once:
    """Caches arrays computed from others, within a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._made: dict[Any, tuple[Sequence[Any], Any]] = {}

    def __call__(self, key: Any, arrays: Sequence[Any], make: Callable[[], Any]) -> Any:
        """The result of `make` for some arrays; `key` is what else it depends on."""
        key = (key, *map(id, arrays))
        if key not in self._made:
            self._budget.take(sum(array.nbytes for array in arrays if array is not None))
            self._made[key] = arrays, make()  # keeps the arrays, so that their ids stay theirs
        return self._made[key][1]


def is_zeros(array: Any) -> bool:
    """Whether all elements are 0."""
    return not np.any(_once(array))


def the_one_number(array: Any) -> int | None:
    """The integer that all elements equal; None if they differ or are not integers."""
    once = _once(array)
    if array.dtype.kind not in "iu" or not once.size or np.any(once != once.flat[0]):
        return None
    return int(once.flat[0])


def _once(array: Any) -> Any:
    """The elements of an array; those that a view repeats appear once."""
    return array[tuple(slice(None) if stride else slice(1) for stride in array.strides)]


def read_bytes(path: Path, offset: int = 0, size: int | None = None) -> bytes:
    """The bytes of a regular file, or some of them."""
    with open_regular(path) as stream:
        found = os.fstat(stream.fileno())
        size = found.st_size - offset if size is None else size
        if min(offset, size) < 0 or offset + size > found.st_size:
            raise damaged(path, f"it has {found.st_size} bytes, and {offset + size} are needed")
        stored = _stored(stream.fileno(), found.st_size)
        if size > _SPARE_BYTES + 16 * stored:
            raise exceeded(
                path, f"{size} bytes of it, most of which are holes: {stored} are stored"
            )
        if not offset and size > LARGEST_MESSAGE:
            raise ArtifactError(f"{path}: {size} bytes, where a message has less than 2**31")
        stream.seek(offset)
        return stream.read(size)


def stored_bytes(path: Path) -> int:
    """The size of a file without holes; 0 if it cannot be opened."""
    try:
        with open_regular(path) as stream:
            return _stored(stream.fileno(), os.fstat(stream.fileno()).st_size)
    except OSError:
        return 0


def _stored(file: int, size: int) -> int:
    """The number of stored bytes of an open file; the rest are holes, which read as zeros."""
    if not hasattr(os, "SEEK_DATA"):
        return size
    at = stored = 0
    for _ in range(_MOST_PARTS):
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError:  # only a hole follows
            return stored
        at = os.lseek(file, start, os.SEEK_HOLE)
        stored += at - start
        if at >= size:
            return stored
    return size


def within(folder: Path, name: str, path: Path) -> Path:
    """The file that a model refers to, which must be in the model's folder."""
    if name and "\0" not in name and not os.path.isabs(name) and ".." not in Path(name).parts:
        found = Path(os.path.realpath(folder / name))
        homes = (folder, Path(os.path.realpath(path)).parent)
        if any(found.is_relative_to(os.path.realpath(home)) for home in homes):
            return found
    raise ArtifactError(f"{path}: it names the file {name!r}, which is not in its folder")


def array_of(data: bytes, dtype: np.dtype[Any], shape: Sequence[int], path: Path, name: str) -> Any:
    """The array of some bytes, in little-endian order."""
    claimed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or len(shape) > MOST_AXES or claimed != len(data):
        raise damaged(path, f"{name} has {len(data)} bytes, not those of {dtype} {shown(shape)}")
    little: Any = dtype
    array: Any = np.frombuffer(data, little.newbyteorder("<"))
    return array.astype(dtype, copy=False).reshape(shape)


# Runs the reader of an untrusted file as a separate process, because it may crash or hang.


class ReaderOutcome(NamedTuple):
    """The outcome of a process.

    Attributes:
        output: Its standard output.
        code: Its exit code, negative for a signal; None if it was stopped.
        failure: How it failed, "ended with signal 11"; empty if it succeeded.
    """

    output: bytes
    code: int | None
    failure: str


def run_reader(program: Path, *arguments: str, seconds: int, data: bytes = b"") -> ReaderOutcome:
    """Runs a Python program on one thread."""
    try:
        done = subprocess.run(
            [sys.executable, str(program), *arguments],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ReaderOutcome(b"", None, f"does not end in {seconds} s")
    code = done.returncode
    ended = f"ended with {f'signal {-code}' if code < 0 else f'code {code}'}"
    return ReaderOutcome(done.stdout, code, ended if code else "")
