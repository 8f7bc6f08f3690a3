"""Runs a list of calls of C functions, in one call from Python where possible.

The list is an array of 64-bit words, five for each call: the function's address, three arguments,
and a mask. A 0 ends it, and so does a result that has a bit in common with its mask; that result is
returned, else 0. The functions are compiled code and libc's memmove and memset.

The loop is 43 bytes of machine code on x86-64 and 72 on AArch64; elsewhere Python makes each call.

    int run(const struct { int (*call)(); void *a, *b, *c; uint64_t mask; } *each)
    {
        for (; each->call; each++) {
            int result = each->call(each->a, each->b, each->c) & each->mask;
            if (result)
                return result;
        }
        return 0;
    }
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from rnn_compiler.runtime.direct.executable import memory_file

__all__ = ["CODE", "WORDS", "runner"]

WORDS = 5
"""The number of words of a call."""

CODE = {
    "x86_64": """
        f3 0f 1e fa            endbr64
        53                     push   %rbx
        48 89 fb               mov    %rdi,%rbx
        48 8b 03            1: mov    (%rbx),%rax
        48 85 c0               test   %rax,%rax
        74 19                  je     2f
        48 8b 7b 08            mov    0x8(%rbx),%rdi
        48 8b 73 10            mov    0x10(%rbx),%rsi
        48 8b 53 18            mov    0x18(%rbx),%rdx
        ff d0                  call   *%rax
        23 43 20               and    0x20(%rbx),%eax
        75 06                  jne    2f
        48 83 c3 28            add    $0x28,%rbx
        eb df                  jmp    1b
        5b                  2: pop    %rbx
        c3                     ret
    """,
    "aarch64": """
        5f 24 03 d5            bti    c
        fd 7b be a9            stp    x29, x30, [sp, #-32]!
        fd 03 00 91            mov    x29, sp
        f3 0b 00 f9            str    x19, [sp, #16]
        f3 03 00 aa            mov    x19, x0
        63 02 40 f9         1: ldr    x3, [x19]
        e0 03 1f 2a            mov    w0, wzr
        03 01 00 b4            cbz    x3, 2f
        60 86 40 a9            ldp    x0, x1, [x19, #8]
        62 0e 40 f9            ldr    x2, [x19, #24]
        60 00 3f d6            blr    x3
        63 22 40 b9            ldr    w3, [x19, #32]
        73 a2 00 91            add    x19, x19, #40
        00 00 03 6a            ands   w0, w0, w3
        e0 fe ff 54            b.eq   1b
        f3 0b 40 f9         2: ldr    x19, [sp, #16]
        fd 7b c2 a8            ldp    x29, x30, [sp], #32
        c0 03 5f d6            ret
    """,
}
"""The machine code of `run` for each processor: bytes and their disassembly."""

_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_RUN: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


@functools.cache
def runner() -> Callable[[int], int]:
    """The function that runs a list: it takes the list's address and returns its result."""
    try:
        return _machine_code(CODE[platform.machine()])
    except (KeyError, OSError):  # unknown, or the system has no executable memory
        return _called_one_by_one


def _machine_code(listing: str) -> Callable[[int], int]:
    """Machine code as a function, in sealed memory."""
    lines = [line.strip()[:20] for line in listing.strip().splitlines()]
    with memory_file(bytes.fromhex("".join(lines))) as descriptor:
        pages = mmap.mmap(
            descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC
        )
    address: int = np.frombuffer(pages, np.uint8).ctypes.data
    run = _RUN(address)
    run.pages = pages
    return run


def _called_one_by_one(address: int) -> int:
    while True:
        call, a, b, c, mask = struct.unpack("<5Q", ctypes.string_at(address, 8 * WORDS))
        if not call:
            return 0
        result = _function(call)(a, b, c) & mask
        if result:
            return result
        address += 8 * WORDS


@functools.lru_cache(maxsize=1024)
def _function(address: int) -> Any:
    return _CALL(address)
