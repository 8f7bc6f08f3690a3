"""WebAssembly: links an object of compiled code to a module that an engine loads.

The compiler comes with a linker, `iree-lld`. The module exports its memory and its functions, these
through the table of an executable library (`schema.executable_library`). Its constants and other
data are custom sections, which engines make available to programs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.compiler.compiler_process import temporary_folder
from rnn_compiler.lowering.compiler.iree_compile import compiler_program
from rnn_compiler.schema.executable_library import QUERY_SUFFIX

_MAGIC = b"\0asm\1\0\0\0"

_CUSTOM, _SYMBOL_TABLE = 0, 8
"""The number of a custom section, and that of the symbols in the section ``linking``."""

_FUNCTION, _DATA, _SECTION = 0, 1, 3
"""Kinds of symbols."""

_UNDEFINED, _NAMED = 0x10, 0x40
"""Flags of symbols: defined elsewhere, and named although they are."""

_MEMORY_ONLY = _MAGIC + bytes.fromhex(
    "05 03 01 00 01"  # a memory of one page at least
    "06 07 01 7f 00 41 80 08 0b"  # a global i32, 1024
    "07 18 02 06 6d656d6f7279 02 00 0b 5f5f686561705f62617365 03 00"  # "memory", "__heap_base"
)
"""A module without code, for functions that only copy."""

_TIMEOUT = 60


def link(object_file: bytes, sections: Mapping[str, bytes]) -> bytes:
    """Links an object, empty if there is no code; adds custom sections."""
    linked = _linked(object_file) if object_file else _MEMORY_ONLY
    return linked + b"".join(_section(name, data) for name, data in sections.items())


def _linked(object_file: bytes) -> bytes:
    try:
        names = [*_functions(object_file)]
    except (IndexError, UnicodeDecodeError):  # it ends too early, or is another kind of file
        names = []
    query = next((name for name in names if name.endswith(QUERY_SUFFIX)), None)
    if query is None:
        raise UnsupportedError("compile_js: its object does not have the table of its functions")
    with temporary_folder() as folder:
        source, target = Path(folder) / "code.o", Path(folder) / "code.wasm"
        source.write_bytes(object_file)
        command = [
            *(compiler_program("iree-lld"), "-flavor", "wasm", str(source)),
            *("-o", str(target), "--no-entry", "--gc-sections", "--strip-all"),
            *(f"--export={query}", "--export=__heap_base", "--export-table"),
            "--print-map",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
            raise UnsupportedError(f"compile_js: its code does not link ({reason})")
        if "__extendhfsf2" in done.stdout:  # see passes/iree_faults/widen_float16.py
            raise UnsupportedError(
                "compile_js: it widens float16 where IREE's code for WebAssembly is invalid; use "
                "float32 or bfloat16"
            )
        return target.read_bytes()


def _functions(object_file: bytes) -> Iterator[str]:
    """The names of an object's functions, from its table of symbols.

    Source: the section ``linking`` of WebAssembly's tool conventions, version 2.
    """
    reader = _ObjectReader(object_file, len(_MAGIC), len(object_file))
    for number, section in reader.parts():
        if number != _CUSTOM or section.text() != "linking":
            continue
        section.number()  # the version
        for kind, part in section.parts():
            if kind == _SYMBOL_TABLE:
                yield from (_function(part) for _ in range(part.number()))


def _function(symbols: _ObjectReader) -> str:
    """Reads a symbol; returns its name if it is that of a function defined here."""
    kind, flags = symbols.number(), symbols.number()
    is_defined = not flags & _UNDEFINED
    if kind == _SECTION:
        symbols.number()
        return ""
    if kind != _DATA:
        symbols.number()
        if not is_defined and not flags & _NAMED:
            return ""
    name = symbols.text()
    if kind == _DATA and is_defined:
        for _ in range(3):
            symbols.number()
    return name if kind == _FUNCTION and is_defined else ""


class _ObjectReader:
    """Reads a part of an object."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self._data, self._at, self._end = data, at, end

    def parts(self) -> Iterator[tuple[int, _ObjectReader]]:
        """The sections that follow, each with a number and a size before it."""
        while self._at < self._end:
            number, size = self.number(), self.number()
            self._at += size
            yield number, _ObjectReader(self._data, self._at - size, self._at)

    def number(self) -> int:
        """An unsigned number in groups of seven bits (LEB128)."""
        value = shift = 0
        while True:
            group = self._data[self._at]
            self._at += 1
            value |= (group & 0x7F) << shift
            shift += 7
            if group < 0x80:
                return value

    def text(self) -> str:
        """A text after its size."""
        size = self.number()
        self._at += size
        return self._data[self._at - size : self._at].decode()


def _section(name: str, data: bytes) -> bytes:
    """A custom section."""
    content = _number(len(name)) + name.encode() + data
    return b"\0" + _number(len(content)) + content


def _number(value: int) -> bytes:
    """An unsigned number in groups of seven bits (LEB128)."""
    made = bytearray()
    while True:
        value, group = value >> 7, value & 0x7F
        made.append(group | (0x80 if value else 0))
        if not value:
            return bytes(made)
