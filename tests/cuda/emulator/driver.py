"""Kernels written in PTX, run through the emulator's driver API from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

REGISTERS = {"pred": "p", "b16": "rs", "b32": "r", "b64": "rd"}

HEAD = ".version 8.8\n.target {target}\n.address_size 64\n"


class DriverError(Exception):
    """An error of the driver: its number and the emulator's message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Driver:
    """The few functions of the driver that these tests need."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.call("cuInit", 0)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function.

        Raises:
            DriverError: It gave an error.
        """
        code = getattr(self.library, name)(*arguments)
        if code:
            raise DriverError(code, self.library.emulator_message(code).decode())

    def load(self, ptx: str) -> ctypes.c_void_p:
        """A module."""
        module = ctypes.c_void_p()
        text = ctypes.c_char_p(ptx.encode())
        self.call("cuModuleLoadDataEx", ctypes.byref(module), text, 0, None, None)
        return module

    def allocate(self, size: int) -> int:
        """Device memory that nothing has written."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def put(self, array: npt.NDArray[Any]) -> int:
        """A copy in device memory."""
        address = self.allocate(array.nbytes)
        source = ctypes.c_void_p(array.ctypes.data)
        size = ctypes.c_size_t(array.nbytes)
        self.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address), source, size, None)
        self.call("cuStreamSynchronize", None)
        return address

    def get(self, address: int, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The content of device memory, as an array like another."""
        array = np.empty_like(like)
        target, size = ctypes.c_uint64(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        self.call("cuMemcpyAsync", target, ctypes.c_uint64(address), size, None)
        self.call("cuStreamSynchronize", None)
        return array

    def free(self, *addresses: int) -> None:
        """Gives device memory back."""
        for address in addresses:
            self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def launch(
        self,
        module: ctypes.c_void_p,
        addresses: Sequence[int],
        *,
        kernel: str = "kernel",
        grid: int = 1,
        threads: int = 32,
        shared: int = 0,
    ) -> None:
        """Runs a kernel whose parameters are addresses, and waits for it."""
        function = ctypes.c_void_p()
        name = ctypes.c_char_p(kernel.encode())
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name)
        values = [ctypes.c_uint64(address) for address in addresses]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        size = (grid, 1, 1, threads, 1, 1, shared)
        self.call("cuLaunchKernel", function, *size, None, pointers, None)
        self.call("cuStreamSynchronize", None)

    def run(
        self, ptx: str, inputs: Sequence[npt.NDArray[Any]], like: npt.NDArray[Any], **size: int
    ) -> npt.NDArray[Any]:
        """The result of a kernel, whose parameters are the addresses of its result and inputs."""
        module = self.load(ptx)
        result = self.allocate(like.nbytes)
        places = [self.put(each) for each in inputs]
        try:
            self.launch(module, [result, *places], **size)
            return self.get(result, like)
        finally:
            self.library.cuModuleUnload(module)
            self.free(result, *places)


def element(register: str, base: str, size: int) -> str:
    """Sets a register to the address of this thread's element in an array."""
    return f"""mad.lo.s32 %r97, %r98, 32, %r99;
    mul.wide.u32 %rd97, %r97, {size};
    add.s64 {register}, {base}, %rd97;"""


def kernel(body: str, parameters: int, *, target: str = "sm_80", before: str = "") -> str:
    """A module of one kernel, whose parameters are addresses ``%rd100``, ``%rd101``, ...

    ``%r99`` is the thread's number in its block, ``%r98`` the block's.
    """
    names = [f"\t.param .u64 .ptr .global .align 16 p{n}" for n in range(parameters)]
    loads = [f"\tld.param.b64 \t%rd{100 + n}, [p{n}];" for n in range(parameters)]
    lines = [line.strip() for line in body.strip().split("\n")]
    return "\n".join(
        [
            HEAD.format(target=target) + before,
            ".visible .entry kernel(",
            ",\n".join(names),
            ")\n{",
            *(f"\t.reg .{t} \t%{r}<200>;" for t, r in REGISTERS.items()),
            *loads,
            "\tmov.u32 \t%r99, %tid.x;\n\tmov.u32 \t%r98, %ctaid.x;",
            *(line if line.endswith(":") else f"\t{line}" for line in lines),
            "\tret;\n}\n",
        ]
    )
