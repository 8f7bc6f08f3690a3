"""PyTorch's files, ``.pt``, ``.pth``, ``.ckpt``, ``.jit``: tensors by name. Torch is not needed.

torch.save and torch.jit.save write a zip file; before 1.6, torch.save wrote a series of pickles. A
pickle contains the saved object: a state dict, a checkpoint that contains one, a whole module, or
the objects of a script. Its tensors are views of storages, whose bytes are members of the zip file
or follow the pickles.

Nothing in them is run. A tensor's name is its path: keys of dictionaries, indices of lists and
attributes, separated by dots. The containers of nn.Module are left out, so the tensors of a whole
module have the names of its state dict; in a checkpoint, they are prefixed with the state dict's
key.

Sources: torch/serialization.py, torch/_utils.py, torch/csrc/jit/serialization/pickler.cpp.
"""

from __future__ import annotations

import io
import math
import os
import pickletools
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np

from rnn_compiler.base.files import open_regular
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.schema.dtypes import DTYPES

# Reads pickles as data, without running anything in them.
#
# A pickle is a program for a stack machine. Instructions that create data are executed here. A
# class or function becomes a `PickledGlobal`, and a call of one becomes a `PickledCall` with its
# arguments and the state set afterwards. Time and memory are bounded by the number of bytes and
# by `MOST_INSTRUCTIONS`.
#
# Source: Lib/pickletools.py of CPython.

MOST_INSTRUCTIONS = 2_000_000
"""More than any model's pickle has: about thirty per tensor."""

_KEYS = (str, int, float, bytes, type(None))
"""Allowed types of keys; hashing others, such as nested tuples, may never end."""


class PickleError(Exception):
    """The pickle is damaged, or has unsupported instructions."""


@dataclass(frozen=True)
class PickledGlobal:
    """A class or function named in a pickle."""

    module: str
    name: str


@dataclass(eq=False)
class PickledCall:
    """An object that a pickle creates by calling a class or function.

    Attributes:
        function: The class or function.
        arguments: The arguments of the call.
        state: The values of its attributes.
        items: Items set in it as in a dictionary, or appended to it, by position.
    """

    function: Any
    arguments: tuple[Any, ...]
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict[Any, Any])


@dataclass(frozen=True, eq=False)
class PickledReference:
    """Resolves a pickle's references to objects outside of it."""

    key: Any


def load_pickle(stream: IO[bytes], stored: list[PickledReference] | None = None) -> Any:
    """Reads the pickle at the current position of a stream, and advances the stream past it.

    Example:
        >>> import collections, io, pickle
        >>> load_pickle(io.BytesIO(pickle.dumps([1, {"a": (2.5, None)}])))
        [1, {'a': (2.5, None)}]
        >>> load_pickle(io.BytesIO(pickle.dumps(print, 2)))
        PickledGlobal(module='__builtin__', name='print')
    """
    machine = _Machine()
    try:
        for count, (instruction, argument, _) in enumerate(pickletools.genops(stream)):
            if count >= MOST_INSTRUCTIONS:
                raise PickleError(f"it has more than {MOST_INSTRUCTIONS} instructions")
            machine.step(instruction.name, argument)
        if stored is not None:
            stored += machine.stored
        return machine.stack.pop()
    except PickleError:
        raise
    except Exception as error:  # what the stack, numbers and texts of a damaged one lead to
        raise PickleError(f"{type(error).__name__}: {str(error)[:100]}") from error


class _Machine:
    """The stack machine.

    Attributes:
        stack: The stack above the last mark.
        below: The stacks below each mark.
        memo: The memo, by number.
        stored: Resolves external references.
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.stored: list[PickledReference] = []

    def step(self, name: str, argument: Any) -> None:
        """Executes an instruction."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name]())
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        elif name not in _NOTHING:
            raise PickleError(f"it has the instruction {name}")

    def marked(self) -> list[Any]:
        """Pops everything above the last mark."""
        items = self.stack
        self.stack = self.below.pop()
        return items

    def call(self, function: Any, arguments: Any) -> None:
        """Pushes the result of a call."""
        if not isinstance(arguments, tuple):
            raise PickleError("a call has no tuple of arguments")
        arguments = cast(tuple[Any, ...], arguments)
        if function == PickledGlobal("collections", "OrderedDict"):
            made: dict[Any, Any] = {}
            for key, value in arguments[0] if arguments else ():
                _set(made, key, value)
            self.stack.append(made)
        else:
            self.stack.append(PickledCall(function, arguments))


def _refer(machine: _Machine, key: Any) -> None:
    machine.stored.append(PickledReference(key))
    machine.stack.append(machine.stored[-1])


def _set(target: Any, key: Any, value: Any) -> None:
    """Sets an item of an object on the stack."""
    items = target.items if isinstance(target, PickledCall) else target
    if not isinstance(items, dict):
        raise PickleError("an item is set in something that has no items")
    if isinstance(key, _KEYS):
        items[key] = value


def _set_pairs(machine: _Machine, pairs: list[Any]) -> None:
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        _set(machine.stack[-1], key, value)


def _append(machine: _Machine, values: list[Any]) -> None:
    target = machine.stack[-1]
    if isinstance(target, PickledCall):
        target.items.update(enumerate(values, len(target.items)))
    else:
        target.extend(values)


def _keep(make: Callable[[list[Any]], Any]) -> Callable[[_Machine, Any], None]:
    """Replaces everything above the last mark by an object made of it."""

    def action(machine: _Machine, _: Any) -> None:
        items = machine.marked()
        machine.stack.append(make(items))

    return action


def _drop(machine: _Machine, _: Any) -> None:
    machine.marked()


def _mark(machine: _Machine, _: Any) -> None:
    machine.below.append(machine.stack)
    machine.stack = []


def _pop(machine: _Machine, _: Any) -> None:
    if machine.stack:
        machine.stack.pop()
    else:
        machine.marked()


def _tuple(count: int) -> Callable[[_Machine, Any], None]:
    def action(machine: _Machine, _: Any) -> None:
        items = tuple(machine.stack[-count:])
        if len(items) != count:
            raise PickleError("the stack is empty")
        machine.stack[-count:] = [items]

    return action


def _dict(machine: _Machine, _: Any) -> None:
    pairs = machine.marked()
    machine.stack.append({})
    _set_pairs(machine, pairs)


def _global(machine: _Machine, argument: Any) -> None:
    module, _, name = argument.partition(" ")
    machine.stack.append(PickledGlobal(module, name))


def _stack_global(machine: _Machine, _: Any) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise PickleError("a class has no name")
    machine.stack.append(PickledGlobal(module, name))


def _call(machine: _Machine, _: Any) -> None:
    arguments, function = machine.stack.pop(), machine.stack.pop()
    machine.call(function, arguments)


def _call_with_keywords(machine: _Machine, _: Any) -> None:
    machine.stack.pop()
    _call(machine, _)


def _build(machine: _Machine, _: Any) -> None:
    state = machine.stack.pop()
    if isinstance(machine.stack[-1], PickledCall):
        machine.stack[-1].state = state


def _remember(machine: _Machine, argument: Any) -> None:
    machine.memo[len(machine.memo) if argument is None else argument] = machine.stack[-1]


_PUSHED = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE"),
    *("BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
}
"""Instructions that push their argument."""

_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_SET": list,
    "EMPTY_DICT": dict,
}
"""Instructions that push a constant; a set becomes a list of its elements."""

_NOTHING = ("PROTO", "FRAME", "STOP")

_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _mark,
    "POP": _pop,
    "POP_MARK": _drop,
    "DUP": lambda m, _: m.stack.append(m.stack[-1]),
    "PUT": _remember,
    "BINPUT": _remember,
    "LONG_BINPUT": _remember,
    "MEMOIZE": _remember,
    "GET": lambda m, number: m.stack.append(m.memo[number]),
    "BINGET": lambda m, number: m.stack.append(m.memo[number]),
    "LONG_BINGET": lambda m, number: m.stack.append(m.memo[number]),
    "TUPLE": _keep(tuple),
    "TUPLE1": _tuple(1),
    "TUPLE2": _tuple(2),
    "TUPLE3": _tuple(3),
    "LIST": _keep(list),
    "FROZENSET": _keep(list),
    "APPEND": lambda m, _: _append(m, [m.stack.pop()]),
    "APPENDS": lambda m, _: _append(m, m.marked()),
    "ADDITEMS": lambda m, _: _append(m, m.marked()),
    "DICT": _dict,
    "SETITEM": lambda m, _: _set_pairs(m, [m.stack.pop(), m.stack.pop()][::-1]),
    "SETITEMS": lambda m, _: _set_pairs(m, m.marked()),
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _call,
    "NEWOBJ": _call,
    "NEWOBJ_EX": _call_with_keywords,
    "BUILD": _build,
    "PERSID": _refer,
    "BINPERSID": lambda m, _: _refer(m, m.stack.pop()),
}
"""Instructions that pop from the stack."""


TORCH_SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".jit")
"""Also those of Lightning's checkpoints, and of Hugging Face's ``pytorch_model.bin``."""

_LARGEST_PICKLE = 1 << 26
_DEEPEST = 64
_MAGIC = 0x1950A86A20F9469CFC6C
_SPARE_BYTES = 1 << 20

_BFLOAT16 = DTYPES["bfloat16"].numpy
_TYPES: dict[str, np.dtype[Any]] = {
    **{"Double": np.dtype("f8"), "Float": np.dtype("f4"), "Half": np.dtype("f2")},
    **{"BFloat16": _BFLOAT16, "Long": np.dtype("i8"), "Int": np.dtype("i4")},
    **{"Short": np.dtype("i2"), "Char": np.dtype("i1"), "Byte": np.dtype("u1")},
    **{"Bool": np.dtype("?"), "ComplexFloat": np.dtype("c8"), "ComplexDouble": np.dtype("c16")},
    **{"QInt8": np.dtype("i1"), "QUInt8": np.dtype("u1"), "QInt32": np.dtype("i4")},
}
"""Element types by the classes of storages, ``FloatStorage``."""

_DTYPES = {
    **{"float64": "Double", "float32": "Float", "float16": "Half", "bfloat16": "BFloat16"},
    **{"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte"},
}
"""The element types by torch's names, for untyped storages."""

DENSE = "which is not read: save it as a dense tensor of floats"
"""What is wrong with a weight that is something else, and the remedy."""

_PASSED_ON = ("_rebuild_parameter", "_rebuild_parameter_with_state")
_VIEWS = ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3")
_TRANSPARENT = ("_parameters", "_buffers", "_modules")
_LEFT_OUT = ("_flat_weights",)
_HEADER = struct.Struct("<26xHH")
"""The local header of a file in a zip file, with the lengths of name and extra field."""

_WEIGHT = re.compile(
    r"(?s:.*\.)?(?:weight_ih|weight_hh|weight_hr|bias_ih|bias_hh)(?:_l\d{1,9}(?:_reverse)?)?"
)
"""The names of weights of torch's recurrent modules."""

FACTS = ("batch_first", "mode", "nonlinearity")
"""Attributes of torch's recurrent modules that are read from whole modules."""


@dataclass(frozen=True)
class TorchStorage:
    """The elements that tensors are views of."""

    key: str
    dtype: np.dtype[Any]
    count: int

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.count * self.dtype.itemsize


Read = Callable[[TorchStorage], bytes]
"""Reads the bytes of a storage."""


@dataclass(frozen=True)
class TorchTensor:
    """A tensor in a file; strides and offset are in elements."""

    storage: TorchStorage
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    read: Read

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its element type."""
        return self.storage.dtype

    @property
    def nbytes(self) -> int:
        """The size of its elements in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self) -> Any:
        """Its elements as a new array."""
        flat: Any = np.frombuffer(self.read(self.storage), self.dtype)[self.offset :]
        steps = [each * self.dtype.itemsize for each in self.strides]
        view: Any = np.lib.stride_tricks.as_strided(flat, self.shape, steps)
        return view.copy()


@dataclass(frozen=True)
class TorchFile:
    """The content of a file.

    Attributes:
        tensors: The tensors by name.
        facts: The attributes `FACTS` of whole modules, by name.
        classes: The classes of all other objects by their names: modules, and what torch packs.
    """

    tensors: Mapping[str, TorchTensor]
    facts: Mapping[str, Any]
    classes: Mapping[str, PickledGlobal]

    def unread(self) -> dict[str, str]:
        """The weights of recurrent modules that are no tensors that are read: their classes."""
        modules = {name.rpartition(".")[0] for name in self.tensors}
        return {
            name: f"{kind.module}.{kind.name}"[:80]
            for name, kind in self.classes.items()
            if _WEIGHT.fullmatch(name) and name not in modules
        }


def read_torch_file(path: Path) -> TorchFile:
    """The tensors of a file from torch.save or torch.jit.save."""
    with open_regular(path) as stream:
        start = stream.read(4)
        stream.seek(0)
        try:
            root, read = _of_zip(stream, path) if start == b"PK\3\4" else _of_pickles(stream, path)
        except (PickleError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            reason = str(error)[:200] or type(error).__name__
            raise ArtifactError(
                f"{path}: damaged, or not a file from torch.save: {reason}"
            ) from error
    read = bounded(read, path)
    tensors: dict[str, TorchTensor] = {}
    facts: dict[str, Any] = {}
    classes: dict[str, PickledGlobal] = {}
    most = _SPARE_BYTES + 4 * path.stat().st_size
    for name, value in _leaves(root, path):
        most -= len(name)
        if most < 0:
            raise ArtifactError(f"{path}: damaged: the names in it are longer than the file")
        if isinstance(value, (bool, str)):
            if name.rpartition(".")[2] in FACTS:
                facts[name] = value
        elif (tensor := _tensor_of(value, name, read, path)) is not None:
            tensors[name] = tensor
        elif isinstance(value, PickledCall) and isinstance(value.function, PickledGlobal):
            classes[name] = value.function
        elif isinstance(value, (list, tuple)) and _WEIGHT.fullmatch(name):
            classes[name] = PickledGlobal("builtins", "list")
    return TorchFile(tensors, facts, classes)


def bounded(read: Read, path: Path) -> Read:
    """Reads storages, which are often shared by tensors that follow each other, not too often."""
    last: dict[str, bytes] = {}
    left = _SPARE_BYTES + 16 * path.stat().st_size

    def read_once(storage: TorchStorage) -> bytes:
        nonlocal left
        if storage.key not in last:
            left -= storage.nbytes
            if left < 0:
                raise ArtifactError(
                    f"{path}: its tensors share storages in an order that would "
                    "make it read many times"
                )
            last.clear()
            last[storage.key] = read(storage)
        return last[storage.key]

    return read_once


def torch_arrays(path: Path) -> dict[str, Any]:
    """The arrays of all tensors of a file.

    An error if they share far more than it stores, or if a recurrent module's weight is not read.
    """
    file = read_torch_file(path)
    for name, kind in file.unread().items():
        raise UnsupportedError(f"{path}: {name[:80]} is {kind}, {DENSE}")
    tensors = file.tensors
    if sum(each.nbytes for each in tensors.values()) > _SPARE_BYTES + 16 * path.stat().st_size:
        raise ArtifactError(f"{path}: its tensors are many times as large as the file")
    return {name: tensor.array() for name, tensor in tensors.items()}


def _of_zip(stream: BinaryIO, path: Path) -> tuple[Any, Read]:
    """The content of a zip file, and the function that reads its storages."""
    with zipfile.ZipFile(stream) as file:
        members = {each.filename: each for each in file.infolist()}
        pickles = [n for n in members if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(pickles) != 1:
            raise ArtifactError(f"{path}: not a file from torch.save: it has no NAME/data.pkl")
    folder = pickles[0].removesuffix("data.pkl")
    order = f"{folder}byteorder"
    if order in members and read_member(stream, members, order, 16, path) != b"little":
        raise ArtifactError(f"{path}: its numbers are big-endian, which is not supported")
    root = load_pickle(io.BytesIO(read_member(stream, members, pickles[0], _LARGEST_PICKLE, path)))

    def read(storage: TorchStorage) -> bytes:
        with open_regular(path) as again:
            data = read_member(again, members, f"{folder}data/{storage.key}", storage.nbytes, path)
        if len(data) != storage.nbytes:
            raise damaged_file(path, f"the storage {storage.key[:40]} has {len(data)} bytes")
        return data

    return root, read


def read_member(
    stream: BinaryIO, members: Mapping[str, zipfile.ZipInfo], name: str, most: int, path: Path
) -> bytes:
    """An uncompressed member of a zip file."""
    info = members.get(name)
    if info is None:
        raise damaged_file(path, f"it has no {name[:80]}")
    if info.compress_type != zipfile.ZIP_STORED:
        raise ArtifactError(f"{path}: {name[:80]} is compressed, which torch's files are not")
    if info.file_size > most or info.file_size != info.compress_size:
        raise damaged_file(path, f"{name[:80]} has {info.file_size} bytes, not {most}")
    stream.seek(info.header_offset)
    header = stream.read(_HEADER.size)
    if len(header) == _HEADER.size:
        lengths = _HEADER.unpack(header)
        stream.seek(sum(lengths), os.SEEK_CUR)
        data = stream.read(info.file_size)
        if len(data) == info.file_size and zlib.crc32(data) == info.CRC:
            return data
    raise damaged_file(path, f"{name[:80]} does not match its checksum")


def damaged_file(path: Path, reason: str) -> ArtifactError:
    """The error for a file that is not as torch writes it."""
    return ArtifactError(f"{path}: damaged: {reason}")


def _of_pickles(stream: BinaryIO, path: Path) -> tuple[Any, Read]:
    """The content of a file from before PyTorch 1.6, and the function that reads its storages.

    It has pickles of a magic number, a version, machine properties, the saved object, and the keys
    of the storages. The storages follow in that order, each as its number of elements and the
    elements.
    """
    head = io.BytesIO(stream.read(_LARGEST_PICKLE))
    if load_pickle(head) != _MAGIC:
        raise ArtifactError(f"{path}: not a file from torch.save: it begins with something else")
    load_pickle(head)
    machine = load_pickle(head)
    if not isinstance(machine, dict) or cast(Any, machine).get("little_endian") is not True:
        raise ArtifactError(f"{path}: its numbers are big-endian, which is not supported")
    stored: list[PickledReference] = []
    root, keys = load_pickle(head, stored), load_pickle(head)
    sizes = {each.key: each for each in map(_storage_of, stored) if each is not None}
    offsets: dict[str, int] = {}
    at = head.tell()
    for key in cast(list[Any], keys) if isinstance(keys, list) else ():
        if not isinstance(key, str) or key not in sizes:
            break  # an unsupported type, so the start of the next storage is unknown
        offsets[key] = at
        at += 8 + sizes[key].nbytes

    def read(storage: TorchStorage) -> bytes:
        offset = offsets.get(storage.key)
        with open_regular(path) as again:
            if offset is None or offset + 8 + storage.nbytes > os.fstat(again.fileno()).st_size:
                raise damaged_file(path, f"it ends before the storage {storage.key[:40]}")
            again.seek(offset)
            if int.from_bytes(again.read(8), "little") != storage.count:
                raise damaged_file(path, f"the storage {storage.key[:40]} has another size")
            return again.read(storage.nbytes)

    return root, read


def _storage_of(value: Any, untyped: Any = None) -> TorchStorage | None:
    """The storage that a pickle refers to; None if its type is not supported."""
    key: Any = value.key if isinstance(value, PickledReference) else None
    if not isinstance(key, tuple) or len(cast(Any, key)) < 5:
        return None
    what, kind, name, _, count = cast(tuple[Any, ...], key)[:5]
    kind = getattr(kind, "name", "")
    dtype = _TYPES.get(kind.removesuffix("Storage"))
    if kind == "UntypedStorage" and untyped is not None:  # which counts bytes
        dtype, count = untyped, count // untyped.itemsize if _is_size(count) else count
    if what != "storage" or not isinstance(name, str) or not _is_size(count) or dtype is None:
        return None
    return TorchStorage(name, dtype, count)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**48


def _tensor_of(value: Any, name: str, read: Read, path: Path) -> TorchTensor | None:
    """The tensor that a call creates; None if it creates something else."""
    for _ in range(_DEEPEST):
        function = value.function if isinstance(value, PickledCall) else None
        if not isinstance(function, PickledGlobal) or not function.module.startswith("torch"):
            return None
        arguments: tuple[Any, ...] = value.arguments
        if function.name in _PASSED_ON and arguments:
            value = arguments[0]
        elif function.name == "_rebuild_from_type_v2" and len(arguments) > 2:
            value = PickledCall(arguments[0], arguments[2])
        elif function.name in _VIEWS and len(arguments) > 3:
            return _view(arguments, name, read, path)
        else:
            return None
    return None


def _view(arguments: tuple[Any, ...], name: str, read: Read, path: Path) -> TorchTensor | None:
    """The tensor of a storage, an offset, sizes and strides."""
    stored, offset, shape, strides = arguments[:4]
    dtype = (
        _TYPES.get(_DTYPES.get(getattr(arguments[6], "name", ""), "")) if arguments[6:] else None
    )
    storage = _storage_of(stored, dtype)
    if storage is None:
        return None
    sizes = (offset, *shape, *strides) if all(type(x) is tuple for x in (shape, strides)) else ()
    if not sizes or not all(map(_is_size, sizes)) or len(shape) != len(strides) or len(shape) > 32:
        raise damaged_file(path, f"the tensor {name[:80]} has no sizes")
    return view_of(TorchTensor(storage, shape, strides, offset, read), name, path)


def view_of(tensor: TorchTensor, name: str, path: Path) -> TorchTensor:
    """A tensor whose elements are all in its storage."""
    steps = zip(tensor.shape, tensor.strides, strict=True)
    last = sum((size - 1) * step for size, step in steps)
    if math.prod(tensor.shape) and tensor.offset + last >= tensor.storage.count:
        raise damaged_file(path, f"the tensor {name[:80]} has more elements than its storage")
    return tensor


def _leaves(root: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """All leaves of an object with their paths; shared parts are visited once."""
    waiting: list[tuple[str, int, Any]] = [("", 0, root)]
    seen: set[int] = set()
    while waiting:
        name, depth, value = waiting.pop()
        yield name, value
        children = _children(value)
        if id(value) in seen or not children:
            continue
        seen.add(id(value))
        if depth >= _DEEPEST:
            raise damaged_file(path, "it is nested too deeply")
        for key, child in reversed(children):
            if not isinstance(child, (dict, list, tuple, PickledCall)) and key not in FACTS:
                continue
            below = f"{name}.{key}" if name else str(key)
            below = name if key in _TRANSPARENT else below
            waiting.append((below, depth + 1, cast(Any, child)))


def _children(value: Any) -> list[tuple[Any, Any]]:
    """The children of an object by key, index or attribute."""
    if isinstance(value, PickledCall):
        state: Any = value.state
        attributes = _children(state) if isinstance(state, dict) else []
        return [each for each in attributes if each[0] not in _LEFT_OUT] + _children(value.items)
    if isinstance(value, dict):
        return list(cast(dict[Any, Any], value).items())
    return list(enumerate(cast(list[Any], value))) if isinstance(value, (list, tuple)) else []
