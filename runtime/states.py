"""States that a program keeps between calls: their values, checked, and files of them.

Files are safetensors, or blocks, as the states of C and JavaScript are stored.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.base.files import open_regular, write_files
from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import (
    ArtifactError,
    InvalidArgumentError,
    UnsupportedError,
    describe,
    did_you_mean,
)
from rnn_compiler.runtime.arguments import as_array, check_argument
from rnn_compiler.runtime.direct.memory import typed
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import is_static
from rnn_compiler.schema.pytrees import leaves
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, states_of
from rnn_compiler.schema.state_blocks import HEADER, hashed, layout_of

__all__ = ["States", "checked_states", "read_states", "write_block", "write_states"]

States = Mapping[str, npt.NDArray[Any]]
"""Values of states by name."""

_TYPES = {
    {"bool": "BOOL", "bfloat16": "BF16"}.get(name, f"{name[0].upper()}{each.bits}"): each.numpy
    for name, each in DTYPES.items()
}
"""The types by their names in files: F32, I64, U8."""

_HEADER = "<QQ"
"""The header of a block: the hash of names and types, and that of the values."""

_DIGEST = "rnn_compiler.sha256"
"""The key of the digest in the metadata of a file."""


def checked_states(
    caller: str, functions: Sequence[FunctionSpec], trees: Mapping[str, Any]
) -> dict[str, npt.NDArray[Any]]:
    """Copies of values for states.

    Leaves of trees that a function returns and never reads are left out: JAX has no argument for
    them.

    Args:
        caller: The function that was called, for errors.
        functions: The functions.
        trees: Arrays by the names of states, or trees of arrays by the names of arguments in JAX.

    Raises:
        InvalidArgumentError: There is no such state, a value has another shape or dtype, or there
            are two for a state.
        UnsupportedError: A state has an open size.
    """
    known = states_of(functions)
    if not isinstance(trees, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        expected = "arrays, or trees of arrays, by name"
        raise InvalidArgumentError(caller, "states", expected, describe(trees))
    returned = {each.name for spec in functions for each in spec.results}
    found: dict[str, npt.NDArray[Any]] = {}
    paths: dict[str, str] = {}
    for name, path, value in leaves(trees, known):
        if name not in known and name in returned and path != name:
            continue
        if (other := paths.setdefault(name, path)) != path:
            got, remedy = f"{other} and {path}", "leave one out, or rename it in the step"
            raise InvalidArgumentError(caller, name, "one value", got, remedy)
        if name not in known:
            expected = f"one of the states {', '.join(known)}" if known else "a module with states"
            got, remedy = repr(name), did_you_mean(name, known)
            raise InvalidArgumentError(caller, "states", expected, got, remedy)
        spec = known[name]
        if not is_static(*spec.shape):
            raise UnsupportedError(f"{caller}: the state {name} has an open size, {spec}")
        array: Any = as_array(caller, name, value, spec.dtype)
        check_argument(caller, spec, array)
        found[name] = np.array(array, DTYPES[spec.dtype].numpy, order="C", copy=True)
    return found


# Files of states: blocks; and safetensors, with a digest of names, types and values, which the
# format lacks.


def write_states(path: str | os.PathLike[str], states: States) -> Path:
    """Writes states to a file: either all of it appears, or the file stays as it was.

    Raises:
        InvalidArgumentError: It is not the name of a file.
        OSError: It cannot be written.
        UnsupportedError: The package safetensors is not installed.
    """
    metadata = {_DIGEST: _digest(states)}
    path = file_path("save", path)
    save, _ = _safetensors()
    write_files((path, save(dict(states), metadata)))
    return path


def write_block(path: str | os.PathLike[str], states: States, specs: Iterable[TensorSpec]) -> Path:
    """Writes states to a file as a block; errors are those of `write_states`."""
    path, specs = file_path("save_block", path), [*specs]
    data = b"".join(np.ascontiguousarray(states[each.name]).tobytes() for each in specs)
    layout = layout_of(specs)
    header = struct.pack(_HEADER, layout, hashed(layout, data))
    write_files((path, header + data))
    return path


def read_states(
    path: str | os.PathLike[str], specs: Collection[TensorSpec]
) -> dict[str, npt.NDArray[Any]]:
    """The states of a file: a block of some states, or a safetensors file of any.

    Of a safetensors file, the digest is checked, unless another program wrote it, without one.

    Raises:
        ArtifactError: It is damaged, a block of other states, or another kind of file.
        InvalidArgumentError: It is not the name of a file.
        OSError: It cannot be read.
        UnsupportedError: It is no block, and the package safetensors is not installed.
    """
    path = file_path("load", path)
    with open_regular(path) as file:
        data = file.read()
    size = sum(_size(each) for each in specs) + HEADER
    if data[:8] == layout_of(specs).to_bytes(8, "little"):
        return _of_block(path, data, specs, size)
    is_block = len(data) == size and not data[8:].startswith(b"{")
    if is_block:
        raise ArtifactError(
            f"{path}: a block of another module, or damaged: it is as long as one of these states, "
            "but has another hash of their names and types"
        )
    return _of_safetensors(path, data)


def _size(spec: TensorSpec) -> int:
    """The bytes of a state in a block."""
    return math.prod(spec.static_shape) * DTYPES[spec.dtype].numpy.itemsize


def _of_block(
    path: Path, data: bytes, specs: Iterable[TensorSpec], size: int
) -> dict[str, npt.NDArray[Any]]:
    """The states in a block that has the right names and types."""
    if len(data) != size:
        raise ArtifactError(f"{path}: a damaged block: {len(data)} bytes, not {size}")
    layout, digest = struct.unpack_from(_HEADER, data)
    if hashed(layout, data[HEADER:]) != digest:
        raise ArtifactError(
            f"{path}: a damaged block: its values are not those that were written; use an older one"
        )
    found: dict[str, npt.NDArray[Any]] = {}
    start = HEADER
    for each in specs:
        end = start + _size(each)
        part = np.frombuffer(data[start:end], np.uint8)
        found[each.name] = typed(part, DTYPES[each.dtype].numpy, each.static_shape)
        start = end
    return found


def _of_safetensors(path: Path, data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The states in a safetensors file."""
    _, deserialize = _safetensors()
    try:
        found = {name: _array(**each) for name, each in deserialize(data)}
        digest = _metadata(data).get(_DIGEST)
    except Exception as error:  # safetensors' own
        message = str(error).partition("\n")[0]
        raise ArtifactError(
            f"{path}: neither a safetensors file nor a block of these states, or damaged "
            f"({message})"
        ) from error
    if digest is not None and digest != _digest(found):
        raise ArtifactError(
            f"{path}: damaged: its values are not those that were written; use an older checkpoint"
        )
    return found


def file_path(caller: str, path: Any, argument: str = "path") -> Path:
    """A path that may be that of a file.

    Raises:
        InvalidArgumentError: It is no path, or has characters that no file's name has.
    """
    try:
        if "\0" not in str(Path(path)):
            return Path(path)
    except TypeError:
        pass
    raise InvalidArgumentError(caller, argument, "a path", describe(path))


def _digest(states: States) -> str:
    """The sha256 of names, types and values."""
    digest = hashlib.sha256()
    for name in sorted(states):
        array: Any = np.ascontiguousarray(states[name])
        digest.update(f"{name} {array.dtype.name} {list(states[name].shape)} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _array(dtype: str, shape: Sequence[int], data: bytes) -> npt.NDArray[Any]:
    """An array of a file, of any type of ours; the package's own reader has no bfloat16."""
    return typed(np.frombuffer(data, np.uint8), _TYPES[dtype], shape)


def _metadata(data: bytes) -> Mapping[str, str]:
    """The metadata of a safetensors file, from its header."""
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]).get("__metadata__", {})


def _safetensors() -> tuple[Callable[..., bytes], Callable[..., Any]]:
    """The package's functions that write and read files."""
    try:
        save = import_module("safetensors.numpy").save
        return save, import_module("safetensors").deserialize
    except ImportError:
        raise UnsupportedError(
            "safetensors files need the package safetensors, which is not installed; "
            f"{install_extra('safetensors')}; session.state has the same values as arrays"
        ) from None
