"""The compiled code of a payload, in this process's memory.

IREE's compiler links a module's code into a shared object that needs no other
(``embedded-elf-x86_64``). The system's loader takes it from a sealed memory file: no folder need be
writable or executable, and nobody else can change it. The shared object exports an executable
library (`schema.executable_library`).
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

__all__ = ["Executable", "Kernel", "NoDirectCallsError", "memory_file", "unique_path"]

_numbers = itertools.count()


class NoDirectCallsError(Exception):
    """Functions cannot be called directly here; says why."""


@dataclass(frozen=True)
class Kernel:
    """Compiled code that a dispatch calls.

    Attributes:
        address: Where it is.
        constants: How many constants it takes.
        buffers: How many buffers it takes.
    """

    address: int
    constants: int
    buffers: int


@contextmanager
def memory_file(data: bytes) -> Generator[int]:
    """A file in memory alone with some bytes, which nobody can change; gives its descriptor.

    Raises:
        OSError: The system has none, or refuses.
    """
    if not hasattr(os, "memfd_create"):
        raise OSError("no memfd_create here")
    import fcntl  # where there is memfd_create, there is this

    descriptor = os.memfd_create("rnn-compiler", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        yield descriptor
    finally:
        os.close(descriptor)


class Executable:
    """A loaded shared object, until nobody refers to it.

    Attributes:
        kernels: Its code, by name.
    """

    def __init__(self, data: bytes) -> None:
        """Loads one.

        Raises:
            NoDirectCallsError: The system does not load it, or it is none of those that are known.
        """
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

    def _read(self) -> dict[str, Kernel]:
        """What the library's table has."""
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
        found: dict[str, Kernel] = {}
        for code, name, (flags, pages, values, buffers, *_) in zip(codes, names, rows, strict=True):
            if not flags and not pages:  # the others need an order, or memory of their own
                found[ctypes.string_at(name).decode()] = Kernel(code, values, buffers)
        return found


def unique_path(descriptor: int) -> str:
    """A path of a file descriptor that none had before.

    The loader of the GNU system takes two files of one path for one library, and descriptors are
    used again.
    """
    unique = "".join("/." if bit == "1" else "/" for bit in f"{next(_numbers):b}")
    return f"/proc/self/fd{unique}/{descriptor}"
