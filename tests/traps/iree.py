"""IREE itself, without this project: compiles a module's text, reads its phases, calls its code."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from iree import runtime

from rnn_compiler.lowering.compiler.iree_compile import compiler_folder

CPU = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
)
GPU = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")


class CompileError(Exception):
    """The compiler gave no result."""


def trap(cure: str) -> pytest.MarkDecorator:
    """Marks a test that fails as long as IREE has a trap.

    Args:
        cure: What this project does about it, and where. It can go when the test passes.
    """
    return pytest.mark.xfail(
        strict=True, raises=(AssertionError, CompileError), reason=f"worked round by {cure}"
    )


def compiled(text: str, *flags: str, target: Sequence[str] = CPU) -> bytes:
    """The output of `iree-compile` for a module.

    Raises:
        CompileError: It ended with an error or by a signal.
    """
    command = [str(compiler_folder() / "iree-compile"), "-", "-o", "-"]
    flags = ("--iree-input-type=stablehlo", *target, *flags)
    done = subprocess.run([*command, *flags], input=text.encode(), capture_output=True, timeout=300)
    if done.returncode:
        raise CompileError(f"exit status {done.returncode}: {done.stderr.decode()[:500]}")
    return done.stdout


def phase(name: str, text: str, target: Sequence[str] = CPU) -> str:
    """The module after one of the compiler's phases, "flow" or "stream"."""
    return compiled(text, f"--compile-to={name}", target=target).decode()


class Loaded:
    """A compiled module with a function `main`, on a device of this process."""

    def __init__(self, payload: bytes) -> None:
        self.config = runtime.Config("local-sync")
        context = runtime.SystemContext(config=self.config)
        module = runtime.VmModule.copy_buffer(self.config.vm_instance, payload)
        context.add_vm_module(module)
        self.main = context.modules[module.name]["main"]

    def __call__(self, *arguments: Any) -> list[np.ndarray]:
        results = self.main(*arguments)
        several = isinstance(results, (tuple, list))
        return [np.array(each.to_host()) for each in (results if several else [results])]


def called(text: str, *arguments: Any, flags: Sequence[str] = ()) -> list[np.ndarray]:
    """Compiles a module for CPUs and calls its function `main`; gives its results."""
    return Loaded(compiled(text, *flags))(*arguments)
