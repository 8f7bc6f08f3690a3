"""TensorFlow's checkpoints: ``PREFIX.index`` and ``PREFIX.data-00000-of-0000N``.

The index is a LevelDB table whose values are `BundleEntry` messages, one for each tensor, sorted by
key; the empty key has the `BundleHeader`. The elements of a tensor are in one of the data files, in
memory format. Blocks of the table and tensors have masked CRC-32C checksums, which are verified.

A table ends with 48 bytes: the handles (offset and size, varints) of two blocks, the second of
which is the index of all others, padding, and a magic number. A block is a list of entries, each of
which omits the prefix that its key shares with the previous one, followed by restart points, a byte
for the compression (none here), and the checksum.

Sources: leveldb/doc/table_format.md, tensorflow/core/protobuf/tensor_bundle.proto,
tensorflow/core/util/tensor_bundle.
"""

from __future__ import annotations

import functools
import importlib
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rnn_compiler.base.files import open_regular
from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.messages import STRING, dtype_of, parse, shape_of
from rnn_compiler.model_import.reading import array_of, damaged, exceeded, read_bytes, within

# The CRC-32C checksum of TensorFlow's files, computed by the package google-crc32c.
#
# Source of the mask: leveldb/util/crc32c.h.

_MASK = 0xA282EAD8


def masked_crc32c(data: bytes) -> int:
    """The checksum as TensorFlow stores it.

    Example:
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    crc = load_crc32c()(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


@functools.cache
def load_crc32c() -> Callable[[bytes], int]:
    """The package's function, loaded at first use."""
    try:
        return importlib.import_module("google_crc32c").value
    except ImportError:
        raise UnsupportedError(
            "TensorFlow's checkpoints need the package google-crc32c, which is not installed; "
            f"{install_extra('import')}"
        ) from None


_FOOTER = 48
_SPARE_KEYS = 1 << 20
MAGIC = 0xDB4775248B80FB57
"""The last eight bytes of an index."""
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "VARIABLE_VALUE"


class Checkpoint:
    """A checkpoint whose arrays are read on demand.

    Attributes:
        prefix: The path, without ``.index``.
        keys: The key of each variable by the variable's name; in files of TensorFlow 1, they are
            the same. None where two variables share a name.
        objects: The objects that TensorFlow 2 saved, as messages, the root first.
    """

    def __init__(self, prefix: Path, model: Path) -> None:
        """Reads the index of a path without ``.index``, which must be in the model's folder."""
        self.prefix = prefix
        self._model = model
        self._index = prefix.with_name(f"{prefix.name}.index")
        self._check_location(self._index)
        self._entries = dict(table(read_bytes(self._index), self._index))
        header = parse("BundleHeader", self._entries.pop("", b""), self._index)
        if header.endianness:
            raise UnsupportedError(f"{self._index}: written by a big-endian machine")
        self._shards = header.num_shards
        self._arrays: dict[str, Any] = {}
        self._left: dict[Path, int] = {}
        self.keys: dict[str, str | None] = {key: key for key in self._entries}
        self.objects: list[Any] = list(self._objects())
        self.keys |= self._keys_of_objects()

    def array(self, name: str) -> Any:
        """The array of a variable by its name; None if it does not exist or is ambiguous."""
        key = self.keys.get(name)
        if key is None or key not in self._entries:
            return None
        if key not in self._arrays:
            self._arrays[key] = self._read(key)
        return self._arrays[key]

    def _read(self, key: str) -> Any:
        entry = parse("BundleEntry", self._entries[key], self._index)
        dtype, shape = dtype_of(entry.dtype), shape_of(entry.shape)
        if dtype is None or shape is None or entry.slices:  # strings; a variable in several parts
            return None
        sizes = [-1 if size is None else size for size in shape]
        data = self._data(entry, key)
        return array_of(data, dtype, sizes, self._index, f"variable {key!r}")

    def _data(self, entry: Any, key: str) -> bytes:
        """The bytes of an entry."""
        name = f"{self.prefix.name}.data-{entry.shard:05}-of-{self._shards:05}"
        if not 0 <= entry.shard < self._shards:
            raise damaged(self._index, f"{key!r} is in {name}")
        path = self.prefix.with_name(name)
        if path not in self._left:
            self._check_location(path)
            with open_regular(path) as stream:  # which may be Git LFS' pointer to the file
                self._left[path] = os.fstat(stream.fileno()).st_size
        self._left[path] -= entry.size
        if self._left[path] < 0:  # tensors may share bytes
            raise damaged(self._index, f"its tensors are larger than {name} together")
        data = read_bytes(path, entry.offset, entry.size)
        if entry.dtype != STRING and masked_crc32c(data) != entry.crc32c:
            raise damaged(path, f"the CRC-32C of {key!r} is wrong")
        return data

    def _check_location(self, path: Path) -> None:
        """Checks that a file is in the model's folder, even through links."""
        folder = self._model.parent
        within(folder, os.path.relpath(path, folder), self._model)

    def key_of(self, node: Any) -> str | None:
        """The key of an object that is a variable; None for other objects."""
        keys = [each.checkpoint_key for each in node.attributes if each.name == _VALUE]
        return keys[0] if keys else None

    def _objects(self) -> Any:
        if _OBJECTS not in self._entries:
            return ()
        entry = parse("BundleEntry", self._entries[_OBJECTS], self._index)
        data = self._data(entry, _OBJECTS)
        size, start = _varint(data, 0, self._index)
        text = data[start + 4 :]
        if entry.dtype != STRING or len(text) != size:
            raise damaged(self._index, f"{_OBJECTS} is no string of {size} bytes")
        return parse("Trackables", text, self._index).nodes

    def _keys_of_objects(self) -> dict[str, str | None]:
        """The keys of variables that TensorFlow 2 saved, by the variables' full names."""
        found: dict[str, str | None] = {}
        for node in self.objects:
            for attribute in node.attributes:
                if attribute.name == _VALUE and attribute.full_name:
                    known = attribute.full_name in found
                    found[attribute.full_name] = None if known else attribute.checkpoint_key
        return found


def table(data: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    """The keys and values of a table."""
    if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != MAGIC:
        raise damaged(path, "not a checkpoint table, or truncated")
    footer = data[-_FOOTER:]
    _, _, end = _handle(footer, 0, path)
    offset, size, _ = _handle(footer, end, path)
    seen, keys = 0, 16 * len(data) + _SPARE_KEYS
    for _, handle in _block(data, offset, size, path):
        start, length, _ = _handle(handle, 0, path)
        seen += length
        if seen > len(data):  # some blocks are listed twice
            raise damaged(path, "its blocks overlap")
        for key, value in _block(data, start, length, path):
            keys -= len(key)
            if keys < 0:  # a key shares a prefix with the previous one, so few bytes can mean many
                raise exceeded(path, f"its keys are more than {16 * len(data)} bytes together")
            try:
                yield key.decode(), value
            except UnicodeDecodeError:
                raise damaged(path, f"the key {key[:40]!r} is not text") from None


def _block(data: bytes, offset: int, size: int, path: Path) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a block."""
    block, trailer = data[offset : offset + size], data[offset + size : offset + size + 5]
    if len(trailer) < 5 or size < 4:
        raise damaged(path, "a block is cut")
    if trailer[0]:
        raise damaged(path, "a block is compressed, which checkpoints never are")
    if masked_crc32c(block + trailer[:1]) != struct.unpack("<I", trailer[1:])[0]:
        raise damaged(path, "the CRC-32C of a block is wrong")
    end = size - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    key, at = b"", 0
    while at < end:
        common, at = _varint(block, at, path)
        own, at = _varint(block, at, path)
        length, at = _varint(block, at, path)
        if common > len(key) or at + own + length > end:
            raise damaged(path, "an entry of a block is truncated")
        key = key[:common] + block[at : at + own]
        yield key, block[at + own : at + own + length]
        at += own + length


def _handle(data: bytes, at: int, path: Path) -> tuple[int, int, int]:
    """Offset and size of a block, and where the handle ends."""
    offset, at = _varint(data, at, path)
    size, at = _varint(data, at, path)
    return offset, size, at


def _varint(data: bytes, at: int, path: Path) -> tuple[int, int]:
    """A number with seven bits per byte, and the offset after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
    raise damaged(path, "a number is truncated")
