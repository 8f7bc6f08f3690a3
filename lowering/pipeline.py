"""From a portable module to a payload: the passes, in order, and the compiler."""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rnn_compiler.lowering import iree_compile
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.blocked_products import blocked_products
from rnn_compiler.lowering.passes.fuse_time_loop import fuse_time_loops
from rnn_compiler.lowering.passes.pin_arguments import pin_arguments
from rnn_compiler.lowering.passes.pin_time_loop import pin_time_loops
from rnn_compiler.lowering.passes.prepack_weights import prepack_weights
from rnn_compiler.lowering.passes.share_products import share_products
from rnn_compiler.lowering.passes.stamp_provenance import stamp_provenance
from rnn_compiler.lowering.targets.strategies import FUSED, PINNED, PORTABLE
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.manifest import FunctionSpec, TargetSpec

__all__ = ["PASSES", "lower", "rewrite"]

PASSES = {
    PORTABLE: (),
    FUSED: (fuse_time_loops, blocked_products, pin_arguments),
    PINNED: (pin_time_loops, share_products),
}
"""The passes of each strategy, in order."""


def rewrite(
    module: str,
    functions: Sequence[FunctionSpec],
    target: TargetSpec,
    package_version: str,
    strategy: str,
) -> str:
    """The module as it is given to the compiler.

    Args:
        module: Text of the portable module, with locations.
        functions: What its public functions are.
        target: What it will be compiled for.
        package_version: This package's version, to be recorded.
        strategy: The name of a strategy.
    """
    with ir.Context():
        parsed = ir.Module.parse(module)
        processor = VectorUnit.of(target) if target.device == "local" else Gpu()
        for each in PASSES[strategy]:
            each(parsed, processor)
        if strategy == FUSED:
            prepack_weights(parsed, functions)
        stamp_provenance(
            parsed,
            functions,
            target,
            {
                "strategy": strategy,
                "package_version": package_version,
                "compiler_version": iree_compile.compiler_identity().version,
            },
        )
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True)


def lower(
    module: str,
    functions: Sequence[FunctionSpec],
    target: TargetSpec,
    package_version: str,
    strategy: str,
    *,
    reproducers: Path,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> bytes:
    """Rewrites and compiles a portable module; see `rewrite` and `iree_compile.compile_module`."""
    rewritten = rewrite(module, functions, target, package_version, strategy)
    return iree_compile.compile_module(rewritten, target, reproducers=reproducers, timeout=timeout)
