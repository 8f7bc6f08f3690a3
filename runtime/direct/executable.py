"""The compiled code of a payload, loaded into this process.

IREE's compiler links a module's code into a self-contained shared object (``embedded-elf-x86_64``).
The system's loader reads it from a sealed memory file: no folder needs to be writable or
executable, and no other process can change the code. It exports an executable library
(`schema.executable_library`).
"""

from __future__ import annotations

import _ctypes
import ctypes
import itertools
import os
import struct
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from rnn_compiler.schema.executable_library import (
    ATTRIBUTES,
    ENVIRONMENT,
    LIBRARY,
    QUERY,
    VERSION,
    Word,
)

__all__ = ["LoadedExecutable", "LoadedKernel", "NoDirectCallsError", "memory_file", "unique_path"]

_numbers = itertools.count()


class NoDirectCallsError(Exception):
    """Functions cannot be called directly here; the message gives the reason."""


@dataclass(frozen=True)
class LoadedKernel:
    """Compiled code that a dispatch calls.

    Attributes:
        address: Its address.
        constants: The number of constants it takes.
        buffers: The number of buffers it takes.
    """

    address: int
    constants: int
    buffers: int


@contextmanager
def memory_file(data: bytes) -> Generator[int]:
    """The descriptor of a sealed file in memory with the given content.

    Raises:
        OSError: The system does not support such files, or refuses.
    """
    if not hasattr(os, "memfd_create"):
        raise OSError("no memfd_create here")
    import fcntl  # exists wherever memfd_create does

    descriptor = os.memfd_create("rnn-compiler", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        yield descriptor
    finally:
        os.close(descriptor)


class LoadedExecutable:
    """A loaded shared object; it is unloaded when nothing references it.

    Attributes:
        kernels: Its code by name.
    """

    def __init__(self, data: bytes | None) -> None:
        """Loads the code.

        Raises NoDirectCallsError: the system does not load it, or its format is unknown.
        """
        self.kernels: dict[str, LoadedKernel] = {}
        if data is None:
            return
        try:
            with memory_file(data) as descriptor:
                self._library = ctypes.CDLL(
                    unique_path(descriptor), mode=os.RTLD_NOW | os.RTLD_LOCAL
                )
        except OSError as error:
            raise NoDirectCallsError(f"this system does not load code from memory ({error})") from (
                error
            )
        handle: int = self._library._handle
        weakref.finalize(self, _ctypes.dlclose, handle).atexit = False
        self.kernels = self._read()

    def _read(self) -> dict[str, LoadedKernel]:
        """Reads the library's table."""
        query = getattr(self._library, QUERY, None)
        if query is None:
            raise NoDirectCallsError(f"its code has no {QUERY}")
        query.restype, query.argtypes = ctypes.c_void_p, [ctypes.c_uint32, ctypes.c_void_p]
        library = query(VERSION, ctypes.create_string_buffer(ENVIRONMENT.size))  # without imports
        if not library:
            raise NoDirectCallsError("its code is for another version of IREE's runtime")
        words = LIBRARY.unpack(ctypes.string_at(library, LIBRARY.size))
        version = struct.unpack("<I", ctypes.string_at(words[Word.HEADER], 4))[0]
        imports, constants, count = (
            words[k] & 0xFFFFFFFF
            for k in (Word.IMPORT_COUNT, Word.CONSTANT_COUNT, Word.EXPORT_COUNT)
        )
        if version != VERSION or imports or constants:
            raise NoDirectCallsError("its code imports functions, or is of an unknown version")
        codes, names = (
            struct.unpack(f"<{count}Q", ctypes.string_at(words[k], 8 * count))
            for k in (Word.CODE, Word.NAMES)
        )
        rows = ATTRIBUTES.iter_unpack(
            ctypes.string_at(words[Word.ATTRIBUTES], count * ATTRIBUTES.size)
        )
        found: dict[str, LoadedKernel] = {}
        for code, name, (flags, pages, values, buffers, *_) in zip(codes, names, rows, strict=True):
            if not flags and not pages:  # others must run in order or need local memory
                found[ctypes.string_at(name).decode()] = LoadedKernel(code, values, buffers)
        return found


def unique_path(descriptor: int) -> str:
    """A path of a file descriptor that was never used before.

    The GNU loader takes two files with the same path for the same library, and descriptors are
    reused.
    """
    unique = "".join("/." if bit == "1" else "/" for bit in f"{next(_numbers):b}")
    return f"/proc/self/fd{unique}/{descriptor}"
