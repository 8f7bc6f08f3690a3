"""Models with a changed field: of messages, configurations, HDF5 files and checkpoints.

Checksums are corrected afterwards, so that the change reaches the code behind them.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from model_import.checkpoints import entries_of, index_of

from rnn_compiler.errors import ArtifactError
from rnn_compiler.model_import.checkpoint import masked_crc32c
from rnn_compiler.model_import.messages import parse

__all__ = ["mutated_checkpoint", "mutated_hdf5", "mutated_json", "mutated_message"]

NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -1.0, 1e308, 1e-320, float("nan"), float("inf"))
TEXTS = ("", "a", "\0", "../x", "^a", "a:0", "a:output:7", "ä" * 5, "long" * 30_000)
_WIDTHS = {1: 32, 2: 64, 3: -32, 4: -64}
"""The bits of protobuf's whole numbers by their C++ type; negative, of those without a sign."""

_DOUBLE, _FLOAT, _BOOL, _STRING, _MESSAGE = 5, 6, 7, 9, 10
_DEEPEST = 12
_LARGEST = 1 << 18
"""Bytes that a field becomes longer by, at most."""


def mutated_message(kind: str, data: bytes, draw: random.Random) -> bytes:
    """A message in which one or a few fields are others."""
    message = parse(kind, data, Path())
    for _ in range(draw.choice((1, 2, 4, 8, 16))):
        _change(message, message, draw, 0)
    return bytes(message.SerializeToString())


def _change(message: Any, root: Any, draw: random.Random, depth: int) -> None:
    """Changes a field somewhere in a message."""
    there = [field for field, _ in message.ListFields()]
    inner = [field for field in there if field.cpp_type == _MESSAGE]
    if inner and depth < _DEEPEST and draw.random() < 0.85:
        field = draw.choice(inner)
        held = getattr(message, field.name)
        _change(draw.choice(held) if _repeats(field) else held, root, draw, depth + 1)
        return
    field = draw.choice(there if there and draw.random() < 0.8 else message.DESCRIPTOR.fields)
    if _repeats(field):
        _change_list(getattr(message, field.name), field, root, draw)
    elif field.cpp_type == _MESSAGE:
        change = draw.choice(
            (message.ClearField, lambda name: getattr(message, name).SetInParent())
        )
        change(field.name)
    elif draw.random() < 0.2:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _value(field, root, draw))


def _change_list(held: Any, field: Any, root: Any, draw: random.Random) -> None:
    """Changes which elements a repeated field has."""
    at = draw.randrange(len(held)) if held else 0
    kind = draw.randrange(5) if held else 4
    if kind == 0:
        del held[at]
    elif kind == 1:
        del held[:at]
    elif kind == 2:
        size = held[at].ByteSize() if field.cpp_type == _MESSAGE else len(str(held[at]))
        held.extend([held[at]] * min(draw.choice((1, 2, 100, 3000)), 1 + _LARGEST // (1 + size)))
    elif kind == 3 and field.cpp_type == _MESSAGE:
        held[at].CopyFrom(draw.choice(held))
    elif field.cpp_type == _MESSAGE:
        held.add()
    else:
        value = _value(field, root, draw)
        count = min(draw.choice((1, 2, 70, 1000)), 1 + _LARGEST // (1 + len(str(value))))
        held.extend([value] * count)


def _value(field: Any, root: Any, draw: random.Random) -> Any:
    """Another value of a field."""
    if field.cpp_type in _WIDTHS:
        bits = _WIDTHS[field.cpp_type]
        lowest, end = (0, 2**-bits) if bits < 0 else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        return draw.choice([n for n in NUMBERS if lowest <= n < end])
    if field.cpp_type in (_DOUBLE, _FLOAT):
        return draw.choice(FLOATS)
    if field.cpp_type == _BOOL:
        return draw.random() < 0.5
    is_text = field.type == _STRING
    found = draw.choice(TEXTS) if draw.random() < 0.3 else _text(root, draw)
    if is_text:
        return found if isinstance(found, str) else found.decode(errors="replace")
    if draw.random() < 0.3:
        return draw.randbytes(draw.choice((1, 4, 240, 4096)))
    return found.encode() if isinstance(found, str) else found


def _text(message: Any, draw: random.Random) -> str | bytes:
    """A text, or bytes, from somewhere in a message."""
    here = message
    for _ in range(_DEEPEST):
        fields = [(field, held) for field, held in here.ListFields() if field.cpp_type >= _STRING]
        if not fields:
            break
        field, held = draw.choice(fields)
        held = draw.choice(held) if _repeats(field) else held
        if field.cpp_type == _STRING:
            return held
        here = held
    return ""


def _repeats(field: Any) -> bool:
    known = getattr(field, "is_repeated", None)
    return field.label == 3 if known is None else bool(known)


VALUES = (-1, 0, 1, 2**31, 2**63, 10**40, 1e308, None, True, "", "a", [], {}, [[]], {"config": {}})


def mutated_json(data: bytes | str, draw: random.Random) -> bytes:
    """A configuration in which one or a few values are others."""
    config = json.loads(data)
    for _ in range(draw.choice((1, 1, 1, 3))):
        here: Any = config
        for _ in range(30):
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(here[key], (dict, list)) and draw.random() < 0.85:
                here = here[key]
                continue
            kind = draw.randrange(5)
            if kind == 0:
                del here[key]
            elif kind == 1:
                here[key] = here[draw.choice(keys)]
            elif kind == 2 and isinstance(here, list):
                here.extend([here[key]] * draw.choice((1, 1, 1500)))
            elif kind == 2:
                here[draw.choice(("name", "units", "layers", "cell", "class_name"))] = here[key]
            else:
                here[key] = draw.choice(VALUES)
            break
    return json.dumps(config).encode()


def mutated_hdf5(data: bytes, draw: random.Random) -> bytes:
    """An HDF5 file in which an array, a group or an attribute is another."""
    stream = io.BytesIO(data)
    with h5py.File(stream, "a") as file:
        places: list[str] = []
        file.visit(places.append)
        for _ in range(draw.choice((1, 1, 2))):
            name = draw.choice(places)
            if name in file:
                draw.choice(_CHANGES)(file, name, draw)
    return stream.getvalue()


def _delete(file: Any, name: str, draw: random.Random) -> None:
    del file[name]


def _replace(file: Any, name: str, draw: random.Random) -> None:
    """Another array, or one where a group was."""
    held = file[name]
    shape: tuple[int, ...] = held.shape if isinstance(held, h5py.Dataset) else (3,)
    sizes = [size + draw.choice((0, 0, 0, 1, -1)) for size in shape]
    sizes = draw.choice((sizes, sizes[::-1], [], [0], [*sizes, 1], [1 << 20, 1 << 10]))
    dtype = draw.choice(("f4", "f4", "f8", "f2", "i8", "u1", ">f4", "S5", "c8"))
    del file[name]
    large = int(np.prod(sizes)) > 1 << 16
    made = file.create_dataset(
        name, tuple(max(0, each) for each in sizes), dtype, chunks=large or None
    )
    if dtype[-2] == "f" and made.size and not large:
        made[...] = draw.choice((0, 1, np.nan, np.inf))


def _link(file: Any, name: str, draw: random.Random) -> None:
    """A link to elsewhere, or to another object."""
    others: list[str] = []
    file.visit(others.append)
    other = draw.choice(others)
    del file[name]
    kinds = (h5py.SoftLink("/x"), h5py.ExternalLink("/etc/passwd", "/"), file.get(other, file))
    file[name] = draw.choice(kinds)


def _attribute(file: Any, name: str, draw: random.Random) -> None:
    """An attribute of a group or of the file, or none."""
    held = draw.choice((file, file[name]))
    names = [*held.attrs, "weight_names", "name", "layer_names", "model_config"]
    key = draw.choice(names)
    if key in held.attrs and draw.random() < 0.3:
        del held.attrs[key]
        return
    config = held.attrs.get(key)
    if key == "model_config" and isinstance(config, str):
        held.attrs[key] = mutated_json(config, draw).decode()
        return
    values: tuple[Any, ...] = (1, 1.5, "", "x" * 5000, ["a", "b"], [b"../x"] * 50, np.zeros((2, 2)))
    held.attrs[key] = draw.choice(values)


_CHANGES: tuple[Callable[[Any, str, random.Random], None], ...] = (
    *(_delete, _replace, _replace, _link, _attribute, _attribute),
)

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


def mutated_checkpoint(folder: Path, draw: random.Random) -> None:
    """Changes entries of a checkpoint's index, or its objects."""
    (index,) = folder.glob("*.index")
    (data,) = folder.glob("*.data-00000-of-*")
    content = data.read_bytes()
    entries = entries_of(index)
    for _ in range(draw.choice((1, 1, 2))):
        key = draw.choice(list(entries))
        kind = draw.randrange(4)
        if kind == 0 and key:
            del entries[key]
        elif kind == 1:
            entries[draw.choice(("", "a", *entries))] = entries[key]
        elif _OBJECTS in entries and draw.random() < 0.4:
            with contextlib.suppress(ArtifactError):  # they have been changed before
                content = _changed_objects(entries, content, draw)
        else:
            entries[key] = mutated_message(
                "BundleEntry" if key else "BundleHeader", entries[key], draw
            )
    for key, value in entries.items():
        entry = parse("BundleEntry", value, index) if key else None
        if entry is not None and key != _OBJECTS and min(entry.offset, entry.size) >= 0:
            entry.crc32c = masked_crc32c(content[entry.offset : entry.offset + entry.size])
            entries[key] = entry.SerializeToString()
    index.write_bytes(index_of(entries))
    data.write_bytes(content)


def _changed_objects(entries: dict[str, bytes], content: bytes, draw: random.Random) -> bytes:
    """The data with other objects at its end, which the entry then tells."""
    entry = parse("BundleEntry", entries[_OBJECTS], Path())
    held = content[entry.offset : entry.offset + entry.size]
    start = next((k for k, byte in enumerate(held) if not byte & 0x80), 0) + 1
    objects = mutated_message("Trackables", held[start + 4 :], draw)
    size = len(objects)
    length = bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    whole = bytes((*length, size)) + bytes(4) + objects
    entry.offset, entry.size, entry.crc32c = len(content), len(whole), masked_crc32c(whole)
    entries[_OBJECTS] = entry.SerializeToString()
    return content + whole
