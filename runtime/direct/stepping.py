"""Runs a list of calls of C functions, in one call from Python where possible.

The list is an array of 64-bit words, five for each call: the function's address, three arguments,
and a mask. A 0 ends it, with another 0 or the address of a number behind it. The results, each with
its mask, are joined, and with that number too; 0 if no function reported a failure. The functions
are compiled code, libc's memmove and memset, and those of `direct.threads`.

The functions below are 128 bytes of machine code on x86-64 and 216 on AArch64; elsewhere Python
makes each call.

    struct call { int (*function)(); void *a, *b, *c; uint64_t mask; };

    int run(const struct call *each)
    {
        int result = 0;
        for (; each->function; each++)
            result |= each->function(each->a, each->b, each->c) & each->mask;
        if (each->a)
            atomic_fetch_or((atomic_int *)each->a, result);
        return result;
    }

    void *serve(const struct call *list) /* what a thread does */
    {
        for (;;)
            run(list);
    }

    void meet(atomic_ulong *counter, int (*give_way)(void), unsigned long number)
    {
        atomic_fetch_add(counter, 1);
        for (;; give_way())
            for (int k = 0; k < 1024; k++, pause())
                if (*counter >= number)
                    return;
    }
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rnn_compiler.base.systems import anew_after_fork
from rnn_compiler.runtime.direct.executable import memory_file

__all__ = [
    "CODE",
    "MEMMOVE",
    "MEMSET",
    "WORDS",
    "Call",
    "Code",
    "assembled",
    "function_address",
    "machine_code",
    "runner",
]

WORDS = 5
"""The number of words of a call."""

CODE = {
    "x86_64": """
                              run:
        f3 0f 1e fa               endbr64
        53                        push %rbx
        55                        push %rbp
        50                        push %rax
        48 89 fb                  mov %rdi,%rbx
        31 ed                     xor %ebp,%ebp
        48 8b 03               1: mov (%rbx),%rax
        48 85 c0                  test %rax,%rax
        74 19                     je 2f
        48 8b 7b 08               mov 0x8(%rbx),%rdi
        48 8b 73 10               mov 0x10(%rbx),%rsi
        48 8b 53 18               mov 0x18(%rbx),%rdx
        ff d0                     call *%rax
        23 43 20                  and 0x20(%rbx),%eax
        09 c5                     or %eax,%ebp
        48 83 c3 28               add $0x28,%rbx
        eb df                     jmp 1b
        48 8b 53 08            2: mov 0x8(%rbx),%rdx
        48 85 d2                  test %rdx,%rdx
        74 03                     je 3f
        f0 09 2a                  lock or %ebp,(%rdx)
        89 e8                  3: mov %ebp,%eax
        59                        pop %rcx
        5d                        pop %rbp
        5b                        pop %rbx
        c3                        ret
                              serve:
        f3 0f 1e fa               endbr64
        53                        push %rbx
        48 89 fb                  mov %rdi,%rbx
        48 89 df               4: mov %rbx,%rdi
        e8 b1 ff ff ff            call run
        eb f6                     jmp 4b
                              meet:
        f3 0f 1e fa               endbr64
        53                        push %rbx
        55                        push %rbp
        41 54                     push %r12
        48 89 fb                  mov %rdi,%rbx
        49 89 f4                  mov %rsi,%r12
        48 89 d5                  mov %rdx,%rbp
        f0 48 ff 03               lock incq (%rbx)
        b9 00 04 00 00         5: mov $0x400,%ecx
        48 39 2b               6: cmp %rbp,(%rbx)
        73 0b                     jae 7f
        f3 90                     pause
        ff c9                     dec %ecx
        75 f5                     jne 6b
        41 ff d4                  call *%r12
        eb eb                     jmp 5b
        41 5c                  7: pop %r12
        5d                        pop %rbp
        5b                        pop %rbx
        c3                        ret
    """,
    "aarch64": """
                              run:
        5f 24 03 d5               bti c
        fd 7b be a9               stp x29, x30, [sp, #-32]!
        fd 03 00 91               mov x29, sp
        f3 53 01 a9               stp x19, x20, [sp, #16]
        f3 03 00 aa               mov x19, x0
        f4 03 1f 2a               mov w20, wzr
        63 02 40 a9            1: ldp x3, x0, [x19]
        03 01 00 b4               cbz x3, 2f
        61 0a 41 a9               ldp x1, x2, [x19, #16]
        60 00 3f d6               blr x3
        63 22 40 b9               ldr w3, [x19, #32]
        73 a2 00 91               add x19, x19, #0x28
        00 00 03 0a               and w0, w0, w3
        94 02 00 2a               orr w20, w20, w0
        f8 ff ff 17               b 1b
        a0 00 00 b4            2: cbz x0, 4f
        03 fc 5f 88            3: ldaxr w3, [x0]
        63 00 14 2a               orr w3, w3, w20
        03 fc 04 88               stlxr w4, w3, [x0]
        a4 ff ff 35               cbnz w4, 3b
        e0 03 14 2a            4: mov w0, w20
        f3 53 41 a9               ldp x19, x20, [sp, #16]
        fd 7b c2 a8               ldp x29, x30, [sp], #32
        c0 03 5f d6               ret
                              serve:
        5f 24 03 d5               bti c
        f3 03 00 aa               mov x19, x0
        e0 03 13 aa            5: mov x0, x19
        e5 ff ff 97               bl run
        fe ff ff 17               b 5b
                              meet:
        5f 24 03 d5               bti c
        fd 7b bd a9               stp x29, x30, [sp, #-48]!
        fd 03 00 91               mov x29, sp
        f3 53 01 a9               stp x19, x20, [sp, #16]
        f5 13 00 f9               str x21, [sp, #32]
        f3 03 00 aa               mov x19, x0
        f4 03 01 aa               mov x20, x1
        f5 03 02 aa               mov x21, x2
        63 fe 5f c8            6: ldaxr x3, [x19]
        63 04 00 91               add x3, x3, #0x1
        63 fe 04 c8               stlxr w4, x3, [x19]
        a4 ff ff 35               cbnz w4, 6b
        04 80 80 52            7: mov w4, #0x400
        63 fe df c8            8: ldar x3, [x19]
        7f 00 15 eb               cmp x3, x21
        c2 00 00 54               b.cs 9f
        df 3f 03 d5               isb
        84 04 00 71               subs w4, w4, #0x1
        61 ff ff 54               b.ne 8b
        80 02 3f d6               blr x20
        f8 ff ff 17               b 7b
        f3 53 41 a9            9: ldp x19, x20, [sp, #16]
        f5 13 40 f9               ldr x21, [sp, #32]
        fd 7b c3 a8               ldp x29, x30, [sp], #48
        c0 03 5f d6               ret
    """,
}
"""The machine code of each processor: bytes and their disassembly."""

Call: TypeAlias = tuple[int, tuple[Any, Any, Any], int]
"""A call of a list: the address of a C function, three arguments, the mask of its result."""


def function_address(function: Any) -> int:
    """The address of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


MEMMOVE, MEMSET = map(function_address, (ctypes.memmove, ctypes.memset))

_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_RUN: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Code(NamedTuple):
    """The addresses of the functions above, and what keeps them in memory."""

    run: int
    serve: int
    meet: int
    pages: mmap.mmap


def assembled(listing: str) -> tuple[bytes, dict[str, int]]:
    """The bytes of a listing, and where its functions start."""
    data, starts = b"", dict[str, int]()
    for line in map(str.strip, listing.strip().splitlines()):
        if line.endswith(":"):
            starts[line[:-1]] = len(data)
        else:
            data += bytes.fromhex(line[:23])
    return data, starts


def machine_code() -> Code | None:
    """The functions above as machine code, in sealed memory, once for all threads.

    None on an unknown processor, or if the system has no executable memory.
    """
    with _once:
        return _made()


_once = anew_after_fork(threading.Lock())


@functools.cache
def _made() -> Code | None:
    """The machine code; it must not be made twice, as others have its addresses."""
    if platform.machine() not in CODE:
        return None
    data, starts = assembled(CODE[platform.machine()])
    try:
        with memory_file(data) as descriptor:
            pages = mmap.mmap(
                descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC
            )
    except OSError:
        return None
    address: int = np.frombuffer(pages, np.uint8).ctypes.data
    return Code(**{name: address + start for name, start in starts.items()}, pages=pages)


@functools.cache
def runner() -> Callable[[int], int]:
    """The function that runs a list: it takes the list's address and returns its result."""
    code = machine_code()
    return _called_one_by_one if code is None else _RUN(code.run)


def _called_one_by_one(address: int) -> int:
    result = 0
    while True:
        call, a, b, c, mask = struct.unpack("<5Q", ctypes.string_at(address, 8 * WORDS))
        if not call:
            return result
        result |= _function(call)(a, b, c) & mask
        address += 8 * WORDS


@functools.lru_cache(maxsize=1024)
def _function(address: int) -> Any:
    return _CALL(address)
