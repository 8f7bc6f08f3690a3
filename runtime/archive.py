"""Archives of frozen weights: arrays by name in IREE's own format, ``.irpa``.

A module reads them when it is loaded, through IREE's module ``io_parameters``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import iree.runtime as iree
import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.schema.manifest import SCOPE
from rnn_compiler.schema.schedule import ALIGNMENT

__all__ = ["archive_of", "names_in", "parameters_module", "parameters_of"]


def archive_of(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The archive of some arrays; equal ones give equal bytes.

    Raises:
        OSError: There is no space for a temporary file.

    Example:
        >>> archive_of({"f.w": np.zeros(3, np.float32)})[:4]
        b'IRPA'
    """
    index: Any = iree.ParameterIndex()
    for name, array in arrays.items():
        index.add_buffer(name, np.frombuffer(array.tobytes(), np.uint8))
    with tempfile.TemporaryDirectory(prefix="rnn-compiler-") as folder:
        path = Path(folder) / "archive.irpa"
        index.create_archive_file(str(path))
        return path.read_bytes()


def names_in(archive: bytes) -> set[str]:
    """The names of the arrays of an archive.

    Raises:
        ArtifactError: It is not an archive.

    Example:
        >>> names_in(archive_of({"f.w": np.zeros(3, np.float32)}))
        {'f.w'}
    """
    return {name for name, _ in _entries(archive)}


def parameters_of(archive: bytes, names: Collection[str]) -> dict[str, bytes]:
    """The bytes of some arrays of an archive.

    Raises:
        ArtifactError: It is not an archive, or an array is missing.

    Example:
        >>> parameters_of(archive_of({"f.w": np.full(3, 97, np.int8)}), ["f.w"])
        {'f.w': b'aaa'}
    """
    entries = dict(_entries(archive))
    missing = [name for name in names if name not in entries]
    if missing:
        raise ArtifactError(f"the archive of weights lacks {', '.join(missing)}")
    return {name: bytes(entries[name].file_view) for name in names}


def _entries(archive: bytes) -> list[tuple[str, Any]]:
    """The arrays of an archive by name."""
    index: Any = iree.ParameterIndex()
    try:
        memory = np.frombuffer(bytearray(archive), np.uint8)
        index.load_from_file_handle(iree.FileHandle.wrap_memory(memory), "irpa")
        return [*index.items()]
    except (RuntimeError, ValueError) as error:
        raise ArtifactError(f"IREE rejects the archive of weights: {error}") from error


def parameters_module(instance: Any, archive: bytes) -> Any:
    """The module that provides an archive's arrays to other modules.

    Raises:
        ArtifactError: It is not an archive.
    """
    memory = np.empty(len(archive) + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    memory = memory[start : start + len(archive)]
    memory[:] = np.frombuffer(archive, np.uint8)
    index: Any = iree.ParameterIndex()
    try:
        with RUNNING:
            index.load_from_file_handle(iree.FileHandle.wrap_memory(memory), "irpa")
            provider = index.create_provider(scope=SCOPE)
            return iree.create_io_parameters_module(instance, provider)
    except (RuntimeError, ValueError) as error:
        raise ArtifactError(f"IREE rejects the archive of weights: {error}") from error
