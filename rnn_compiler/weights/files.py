"""Files of named arrays: safetensors (if that package is installed), numpy's npz, and torch's.

What is read is known by its first bytes, so it may have any name, or else by its suffix. Torch's
files can only be read (`torch_file`). Reading a file never runs code. Numpy's formats do
not support bfloat16: an npz file stores its bits as numpy's 2-byte void type, which is read back as
bfloat16.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rnn_compiler.base.files import ARCHIVE_MARK, open_regular, write_files
from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.schema.dtypes import DTYPES, canonical_name
from rnn_compiler.weights.stacked import Array, as_host_array
from rnn_compiler.weights.torch_file import TORCH_SUFFIXES, torch_arrays

_BFLOAT16 = DTYPES["bfloat16"].numpy

_ZIP = b"PK\3\4"
_OLD_TORCH = re.compile(rb"\x80.\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19", re.DOTALL)
"""A pickle of the number that torch.save wrote first before PyTorch 1.6."""


def load(path: str | os.PathLike[str]) -> dict[str, Array]:
    """The arrays of a file by name, in the file's order.

    Args:
        path: A safetensors or .npz file, or one from torch.save or torch.jit.save, whose tensors
            are named by their path in the saved object. It may have any suffix.

    Raises:
        InvalidArgumentError: It is another kind of file, or damaged.
        OSError: It cannot be read.
        UnsupportedError: It is a safetensors file, and that package is not installed.
    """
    path = _path("load", path)
    kind = ""
    if path.suffix in _READERS or path.is_file():
        with open_regular(path) as stream:
            kind = kind_of_arrays(stream)
    kind = kind or _checked_suffix("load", path, tuple(_READERS))
    try:
        return _READERS[kind](path)
    except (InvalidArgumentError, UnsupportedError):
        raise
    except Exception as error:  # numpy's, zipfile's, zlib's or safetensors' own
        message = str(error).partition("\n")[0] or type(error).__name__
        got = f"{path} ({message})"
        raise InvalidArgumentError("load", "path", f"a {kind} file", got) from error


def kind_of_arrays(stream: BinaryIO) -> str:
    """The usual suffix of a file of arrays, by its content; empty if it is another kind of file."""
    stream.seek(0)
    start = stream.read(16)
    if _OLD_TORCH.match(start):
        return ".pt"
    header = int.from_bytes(start[:8], "little")
    size = os.fstat(stream.fileno()).st_size
    if start[8:9] == b"{" and 8 + header <= size:
        return ".safetensors"
    names = zip_names(stream)
    if any(name.endswith("/data.pkl") for name in names):
        return ".pt"
    return ".npz" if names and all(name.endswith(".npy") for name in names) else ""


def zip_names(stream: BinaryIO) -> list[str]:
    """The names in a zip file; none if it is damaged, or another kind of file."""
    stream.seek(0)
    if stream.read(len(_ZIP)) != _ZIP:
        return []
    try:
        with zipfile.ZipFile(stream) as file:
            return file.namelist()
    except Exception:  # zipfile's, which has many for damaged files
        return []


def save(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Writes named arrays to a file; `load` reads them back.

    Args:
        path: A ``.safetensors`` or ``.npz`` file.
        arrays: Arrays by name: anything numpy can view, and torch tensors.

    Returns:
        The path.

    Raises:
        InvalidArgumentError: The suffix is unknown, or a value is not an array of numbers.
        OSError: The file cannot be written; an existing one is unchanged.
        UnsupportedError: It is a safetensors file, and that package is not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = save(f"{folder}/params.npz", {"params": np.arange(3.0)})
        ...     load(path)
        {'params': array([0., 1., 2.])}
    """
    path = _path("save", path)
    suffix = _checked_suffix("save", path, tuple(_WRITERS))
    if not isinstance(arrays, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        expected = "a mapping of names to arrays"
        raise InvalidArgumentError("save", "arrays", expected, describe(arrays))
    plain: dict[str, Any] = {}
    for name, value in arrays.items():
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgumentError("save", "arrays", "names that are strings", describe(name))
        array = as_host_array("save", name, value)
        dtype = canonical_name(array.dtype)
        if dtype is None:
            raise InvalidArgumentError("save", name, "numbers", f"dtype {array.dtype}")
        # safetensors writes the memory as it is, in any order.
        plain[name] = np.asarray(array, DTYPES[dtype].numpy, order="C")
    write_files((path, _WRITERS[suffix](plain)))
    return path


def npz_bytes(arrays: Mapping[str, Any]) -> memoryview:
    """The content of an .npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = ARCHIVE_MARK
    return buffer.getbuffer()


def _path(function: str, path: Any) -> Path:
    """An argument as a path."""
    try:
        return Path(path)
    except TypeError:
        raise InvalidArgumentError(function, "path", "a path", describe(path)) from None


def _checked_suffix(function: str, path: Path, suffixes: Sequence[str]) -> str:
    """The suffix of a path, which must be one of some."""
    if path.suffix not in suffixes:
        expected = f"a file name that ends in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise InvalidArgumentError(function, "path", expected, describe(str(path)))
    return path.suffix


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError:
        raise UnsupportedError(
            "safetensors files need the package safetensors, which is not installed; "
            f"{install_extra('safetensors')}"
        ) from None
    return safetensors.numpy


def _safetensors_arrays(path: Path) -> dict[str, Array]:
    try:
        return _safetensors().load_file(path)
    except (AttributeError, KeyError) as error:  # safetensors' own, of the type's name
        raise UnsupportedError(
            f"{path}: expected tensors of types that numpy has, got others ({error}); save them "
            "in float32"
        ) from error


def _npz_arrays(path: Path) -> dict[str, Array]:
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        arrays: dict[str, Any] = {name: _npz_array(path, file, name) for name in file.files}
    return {name: a.view(_BFLOAT16) if a.dtype == "V2" else a for name, a in arrays.items()}


def _npz_array(path: Path, file: Mapping[str, Any], name: str) -> Any:
    """An array of an .npz file, which is not one of Python objects."""
    try:
        return file[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        got = f"{path}, in which {describe(name)} has Python objects, such as a dict"
        remedy = f"store one array for each, named by its path, such as {name}_w for {name}['w']"
        raise InvalidArgumentError("load", "path", "arrays of numbers", got, remedy) from error


_READERS: Mapping[str, Callable[[Path], dict[str, Array]]] = {
    ".safetensors": _safetensors_arrays,
    ".npz": _npz_arrays,
    **dict.fromkeys(TORCH_SUFFIXES, torch_arrays),
}
_WRITERS: Mapping[str, Callable[[dict[str, Any]], bytes | memoryview]] = {
    ".safetensors": lambda arrays: _safetensors().save(arrays),
    ".npz": npz_bytes,
}
