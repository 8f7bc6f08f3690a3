"""Lets parts of a function's arguments be read where they lie.

Puts a `util.optimization_barrier` on every tensor that a public function is given. IREE 3.13 reads
a contiguous slice in place unless it is one of an imported buffer, which it copies: a layer's
weights are slices of `params`, and would be copied at every call. The barrier is gone by the time
the decision falls, but not yet when the buffer and the tensor are seen to be one. The numbers stay
the same.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["pin_arguments"]


def pin_arguments(module: ir.Module, vectors: VectorUnit) -> None:
    """Adds the barriers.

    Args:
        module: The module, changed in place.
        vectors: The vector unit of the target; any.
    """
    del vectors
    with module.context, ir.Location.unknown():
        for function in module.body.operations:
            if "sym_visibility" in function.attributes:
                continue
            block = function.regions[0].blocks[0]
            for argument in block.arguments:
                if not any(True for _ in argument.uses):
                    continue
                barrier = ir.Operation.create(
                    "util.optimization_barrier",
                    operands=[argument],
                    results=[argument.type],
                    ip=ir.InsertionPoint.at_block_begin(block),
                )
                argument.replace_all_uses_except(barrier.results[0], barrier)
