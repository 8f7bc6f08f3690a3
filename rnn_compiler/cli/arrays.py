"""Reads files that numpy has written: .npy, an array, and .npz, several by name."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rnn_compiler.base.files import open_regular
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["open_npz", "read_npy", "unused_note"]


def read_npy(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array of a .npy file.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no such file, or is damaged, or its elements are Python objects.
        EOFError: It ends early.
    """
    with open_regular(path) as stream:
        _check(stream, b"\x93NUMPY", ".npy")
        return np.load(stream, allow_pickle=False)


@contextmanager
def open_npz(path: str | os.PathLike[str]) -> Generator[Mapping[str, npt.NDArray[Any]]]:
    """The arrays of a .npz file by name, each read when it is looked up.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no such file, or an array is damaged or has Python objects as elements.
        BadZipFile: It is damaged.
    """
    with open_regular(path) as stream:
        _check(stream, b"PK", ".npz")
        yield np.load(stream, allow_pickle=False)


def _check(stream: BinaryIO, first: bytes, kind: str) -> None:
    """Checks the first bytes of a file, and returns to its beginning."""
    if stream.read(len(first)) != first:
        raise ValueError(f"not a {kind} file")
    stream.seek(0)


def unused_note(path: str | os.PathLike[str] | None, spec: FunctionSpec) -> str:
    """A note on the arrays of an .npz file that no argument of a function has the name of."""
    if path is None:
        return ""
    with open_npz(path) as arrays:
        names = {*arrays} - {each.name for each in spec.arguments}
    return f"; not used of {path}: {', '.join(sorted(names))}" if names else ""
