"""WebAssembly: links an object of compiled code to a module that an engine loads.

The compiler comes with a linker, `iree-lld`. The module exports its memory and its functions, these
through the table of an executable library (`schema.executable_library`). Its constants and other
data are custom sections, which engines make available to programs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.compiler_process import temporary_folder
from rnn_compiler.lowering.iree_compile import compiler_program
from rnn_compiler.schema.executable_library import QUERY_SUFFIX

__all__ = ["link"]

_MAGIC = b"\0asm\1\0\0\0"

_QUERY = re.compile(rb"[A-Za-z0-9_.$]+%b(?![A-Za-z0-9_])" % QUERY_SUFFIX.encode())

_MEMORY_ONLY = _MAGIC + bytes.fromhex(
    "05 03 01 00 01"  # a memory of one page at least
    "06 07 01 7f 00 41 80 08 0b"  # a global i32, 1024
    "07 18 02 06 6d656d6f7279 02 00 0b 5f5f686561705f62617365 03 00"  # "memory", "__heap_base"
)
"""A module without code, for functions that only copy."""

_TIMEOUT = 60


def link(object_file: bytes, sections: Mapping[str, bytes]) -> bytes:
    """Links an object.

    Args:
        object_file: The object; empty if there is no code.
        sections: Custom sections, by name.

    Raises:
        UnsupportedError: The code calls functions that the object does not have.
    """
    linked = _linked(object_file) if object_file else _MEMORY_ONLY
    return linked + b"".join(_section(name, data) for name, data in sections.items())


def _linked(object_file: bytes) -> bytes:
    query = _QUERY.search(object_file)
    if query is None:
        raise UnsupportedError("compile_js: its object does not have the table of its functions")
    with temporary_folder() as folder:
        source, target = Path(folder) / "code.o", Path(folder) / "code.wasm"
        source.write_bytes(object_file)
        command = [
            *(compiler_program("iree-lld"), "-flavor", "wasm", str(source)),
            *("-o", str(target), "--no-entry", "--gc-sections", "--strip-all"),
            *(f"--export={query[0].decode()}", "--export=__heap_base", "--export-table"),
            "--print-map",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
            raise UnsupportedError(f"compile_js: its code does not link ({reason})")
        if "__extendhfsf2" in done.stdout:  # see passes/widen_float16.py
            raise UnsupportedError(
                "compile_js: it widens float16 where IREE's code for WebAssembly is invalid; use "
                "float32 or bfloat16"
            )
        return target.read_bytes()


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
