"""MLIR's threads do not survive a fork: a child that prints a module waits for them forever."""

from __future__ import annotations

import subprocess
import sys

from traps.iree import trap

_FORK = """
import os, signal, warnings
from iree.compiler import ir
warnings.simplefilter("ignore")

def printed():
    with ir.Context(), ir.Location.unknown():
        functions = "".join("func.func @f%d() { return }" % k for k in range(9))
        module = ir.Module.parse(functions)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)

printed()
child = os.fork()
if child == 0:
    signal.alarm(5)
    printed()
    os._exit(0)
os._exit(os.waitpid(child, 0)[1] != 0)
"""


@trap("`new_context` in lowering/mlir.py")
def test_a_child_works() -> None:
    assert subprocess.run([sys.executable, "-c", _FORK], timeout=300).returncode == 0
