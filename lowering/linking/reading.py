"""Reads a user's module in any form as the text of StableHLO.

It may be MLIR text or bytecode. The bytecode that `jax.export` makes is of VHLO, the versioned form
of StableHLO, which the compiler legalizes and IREE's bindings cannot. So each module goes through
the compiler's first passes, in a separate process: all forms are treated alike, and invalid input
cannot crash this process. The compiler prints the module after each pass, and is stopped after the
last of these passes, because later ones do not know our ops.
"""

from __future__ import annotations

import re

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT, compiler_identity
from rnn_compiler.lowering.linking.dump import dump_after

_FLAGS = ("--compile-to=input", "--iree-input-type=stablehlo", "--mlir-print-debuginfo")

_WITHOUT_SHARDINGS = (
    "modules run on one device: export the function without shardings, meshes and "
    "with_sharding_constraint, from arguments that are on no mesh; or, if the mesh has one device, "
    "pass the text, exported.mlir_module()"
)


def stablehlo_text(source: bytes, timeout: float = DEFAULT_TIMEOUT) -> str:
    """The text, with locations, of MLIR text or bytecode, of StableHLO or VHLO."""
    text, others = dump_after("VhloLegalizeToStablehloPass", source, _FLAGS, timeout)
    if text is not None:
        return text
    version = compiler_identity().version
    expected = f"a module of StableHLO, as text or bytecode, that IREE {version} reads"
    error = next(line.strip() for line in others.splitlines() if "error:" in line)
    remedy = _WITHOUT_SHARDINGS if re.search("dialect .sdy'", error, re.IGNORECASE) else ""
    raise InvalidArgumentError("link", "module", expected, error[:400], remedy)
