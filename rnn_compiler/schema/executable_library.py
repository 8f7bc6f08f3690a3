"""IREE's executable library 0.6, the form in which compiled code for CPUs is loaded and called.

A query function returns the library, a table of pointers to functions, their names and their
attributes. Each function runs one workgroup of a dispatch. It is passed pointers to three structs:
the environment, the dispatch and the workgroup.

`lowering/c/templates.py` and `lowering/js/runtime.mjs` repeat parts of it in C and JavaScript;
``tests/packaging/test_executable_library.py`` compares them with this module.

Source: ``runtime/src/iree/hal/local/executable_library.h`` of IREE.
"""

from __future__ import annotations

import struct
from enum import IntEnum

VERSION = 6
"""The version of the layouts here, 0.6, as libraries and callers state it."""

QUERY_SUFFIX = "_library_query"
QUERY = f"iree_hal_executable{QUERY_SUFFIX}"
"""The query function of a shared object; in static objects it has another prefix."""

TABLE_SUFFIX = f"{QUERY_SUFFIX}_v0"
"""The end of the name of the table that it returns."""


class Word(IntEnum):
    """The words of a library that are used here, each as large as a pointer.

    The header begins with the version. Versions and counts have 32 bits.
    """

    HEADER = 0
    IMPORT_COUNT = 1
    EXPORT_COUNT = 3
    CODE = 4
    ATTRIBUTES = 5
    NAMES = 8
    CONSTANT_COUNT = 13


LIBRARY = struct.Struct("14P")
"""The words of a library in this process, up to the last that is used."""

ATTRIBUTES = struct.Struct("<QHBBIIHH40x")
"""The attributes of an exported function: its flags, the pages of local memory that it needs, its
number of constants and of buffers, the workgroup's size (x, y, z), the number of parameters."""

ENVIRONMENT = struct.Struct("PPPP8Q")
"""Pointers to constants, to a function that calls imports, to the imports and to their contexts;
what is known of the processor. All zeros are valid for a library without imports."""

DISPATCH = struct.Struct("IIHHIIHBBPPP")
"""The workgroup's size (x, y, z), the number of constants, the number of workgroups (x, y, z),
their concurrency, the number of buffers; pointers to the constants, to the buffers' addresses and
to their lengths."""

WORKGROUP = struct.Struct("IIHHIPI")
"""Its position (x, y, z), a reserved number, the processor's number; its memory and the size of
that."""

MOST_WORKGROUPS = (2**32 - 1, 2**32 - 1, 2**16 - 1)
"""The most workgroups of a dispatch along each axis, by the types of their numbers."""
