"""From a portable module to a payload: the passes, in order, and the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from rnn_compiler.lowering import iree_compile
from rnn_compiler.lowering.gpu.matmul_tiles import Gpu
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.passes.blocked_products import blocked_products
from rnn_compiler.lowering.passes.fuse_time_loop import fuse_time_loops
from rnn_compiler.lowering.passes.lowering import Lowering
from rnn_compiler.lowering.passes.pin_arguments import pin_arguments
from rnn_compiler.lowering.passes.pin_time_loop import pin_time_loops
from rnn_compiler.lowering.passes.prepack_weights import prepack_weights
from rnn_compiler.lowering.passes.share_products import share_products
from rnn_compiler.lowering.passes.stamp_provenance import stamp_provenance
from rnn_compiler.lowering.targets.strategies import FUSED, PINNED, PORTABLE
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import FunctionSpec, TargetSpec

__all__ = ["PASSES", "Rewritten", "lower", "rewrite"]

Pass: TypeAlias = Callable[[Lowering], None]
"""Changes a module in place; its module's docstring says what it requires and ensures."""

PASSES: Mapping[str, Sequence[Pass]] = MappingProxyType(
    {
        PORTABLE: (stamp_provenance,),
        FUSED: (
            fuse_time_loops,
            blocked_products,
            pin_arguments,
            prepack_weights,
            stamp_provenance,
        ),
        PINNED: (pin_time_loops, share_products, stamp_provenance),
    }
)
"""The passes of each strategy, in order."""


class Rewritten(NamedTuple):
    """A module as the compiler is given it.

    Attributes:
        text: Its text, with locations.
        left: Why time loops were left as they are, by their symbols.
    """

    text: str
    left: Mapping[str, str]


def rewrite(
    module: str,
    functions: Sequence[FunctionSpec],
    target: TargetSpec,
    package_version: str,
    strategy: str,
    last: str | None = None,
) -> Rewritten:
    """The module as it is given to the compiler.

    Args:
        module: Text of the portable module, with locations.
        functions: What its public functions are.
        target: What it will be compiled for.
        package_version: This package's version, to be recorded.
        strategy: The name of a strategy.
        last: The name of the last pass to run; default: all.

    Returns:
        Its text, and which time loops are left as they were.
    """
    facts = {
        "strategy": strategy,
        "package_version": package_version,
        "compiler_version": iree_compile.compiler_identity().version,
    }
    with ir.Context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        processor = VectorUnit.of(target) if target.device == "local" else Gpu()
        lowering = Lowering(parsed, functions, target, processor, facts)
        for each in PASSES[strategy]:
            each(lowering)
            if each.__name__ == last:
                break
        parsed.operation.verify()
        return Rewritten(parsed.operation.get_asm(enable_debug_info=True), lowering.left)


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
    rewritten = rewrite(module, functions, target, package_version, strategy).text
    return iree_compile.compile_module(rewritten, target, reproducers=reproducers, timeout=timeout)
