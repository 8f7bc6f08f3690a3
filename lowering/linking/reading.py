"""A user's module, whatever it is written in, as the text of StableHLO.

It may be MLIR text or bytecode. The bytecode that `jax.export` makes is of VHLO, the versioned form
of StableHLO, which the compiler legalizes and the bindings of IREE 3.13 cannot. So each module goes
through the compiler's first passes, in a process of its own: there is one way for all, and what is
no module cannot crash this process. The compiler writes what a module is after each pass into a
folder; what comes later, where it does not know our ops and fails, does not matter.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering import iree_compile

__all__ = ["stablehlo_text"]

_FLAGS = (
    "--compile-to=input",
    "--iree-input-type=stablehlo",
    "--mlir-disable-threading",
    "--mlir-print-ir-after-all",
    "--mlir-print-debuginfo",
)

_LEGALIZED = "*/*_vhlo-legalize-to-stablehlo.mlir"
"""Where the module is found in that folder."""


def stablehlo_text(source: bytes, timeout: float = iree_compile.DEFAULT_TIMEOUT) -> str:
    """The text of a module, with locations.

    Args:
        source: MLIR text or bytecode, of StableHLO or VHLO.
        timeout: Seconds that the compiler may take.

    Raises:
        InvalidArgumentError: It is no module that IREE's compiler reads.
        UnsupportedError: The compiler is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="rnn-compiler-") as folder:
        flags = (*_FLAGS, f"--mlir-print-ir-tree-dir={folder}")
        diagnostics = iree_compile.diagnose(source, flags, timeout)
        found = sorted(Path(folder).glob(_LEGALIZED))
        if len(found) == 1:
            return found[0].read_text()
    errors = [line.strip() for line in diagnostics.splitlines() if "error:" in line]
    version = iree_compile.compiler_identity().version
    expected = f"a module of StableHLO, as text or bytecode, that IREE {version} reads"
    raise InvalidArgumentError("link", "module", expected, errors[0][:400] if errors else "another")
