"""The context of passes: their input, and the reasons they record."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.analysis.control_flow import called_in_loops, called_repeatedly
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    function_of,
    ir,
    is_private,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import NETWORK
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import FunctionSpec, TargetSpec
from rnn_compiler.schema.symbols import owner_of

__all__ = ["PASS_DIALECTS", "PassContext", "Processor"]

PASS_DIALECTS = (
    *("arith", "cf", "chlo", "flow", "func", "iree_codegen", "iree_tensor_ext", "linalg", "llvm"),
    *("math", "memref", "scf", "stablehlo", "stream", "tensor", "util", "vector"),
)
"""The dialects of the ops that passes create. Parsing loads those of attributes."""

Processor: TypeAlias = VectorUnit | Gpu
"""The hardware that a module will run on."""

_LOG = logging.getLogger("rnn_compiler.lowering")


@dataclass
class PassContext:
    """A module on its way from portable StableHLO to the compiler.

    Attributes:
        module: The module; passes change it in place.
        functions: Its public functions.
        target: The target.
        processor: The hardware it will run on.
        facts: Further keys and values to write into the payload: the versions of the tools.
        plain_loops: The reasons why time loops stay plain, by their symbols.
        linked: Our ops in a user's module, by their private functions.
        known_weights: The functions whose weights are known at compile time, and kept only packed.
        portable: The functions that stay unchanged, because the compiler rejected them rewritten.
    """

    module: ir.Module
    functions: Sequence[FunctionSpec]
    target: TargetSpec
    processor: Processor
    facts: dict[str, str] = field(default_factory=dict[str, str])
    plain_loops: dict[str, str] = field(default_factory=dict[str, str])
    linked: Sequence[FunctionSpec] = ()
    known_weights: Collection[str] = ()
    portable: Collection[str] = ()

    def defined_functions(self) -> list[ir.Operation]:
        """The functions that have a body; a user's module may declare others."""
        functions = [op for op in ops_of(self.module.body) if op.name == "func.func"]
        return [op for op in functions if len(op.regions[0].blocks)]

    def op_functions(self) -> list[ir.Operation]:
        """The functions that passes rewrite: the public ones, or our ops in a user's module.

        The user's own functions are left unchanged, and so are those that stay portable.
        """
        if not self.linked:
            public = [op for op in self.defined_functions() if not is_private(op)]
            return [op for op in public if symbol_of(op) not in self.portable]
        symbols = {spec.function for spec in self.linked}
        return [
            op
            for op in self.defined_functions()
            if (symbol_of(op) in symbols or NETWORK in op.attributes)
            and symbol_of(op) not in self.portable
        ]

    def op_arguments(self) -> list[ir.BlockArgument]:
        """The arguments that those functions read, without those that a user's loops call."""
        looped = self.called_in_loops()
        functions = [op for op in self.op_functions() if symbol_of(op) not in looped]
        return [each for op in functions for each in block_of(op).arguments if [*each.uses]]

    def called_in_loops(self) -> set[str]:
        """The functions that a user's loops call, directly or through other functions."""
        return called_in_loops(self.module) if self.linked else set()

    def called_repeatedly(self) -> set[str]:
        """The functions that a user's module calls in several places, likewise."""
        return called_repeatedly(self.module) if self.linked else set()

    def weights_stay(self, op: ir.Operation) -> bool:
        """Whether the weights of an op's function stay the same, so that they are packed once.

        Those of an op in training do not: what is packed is packed at every call.
        """
        symbol = symbol_of(function_of(op))
        specs = [each for each in (*self.functions, *self.linked) if each.function == symbol]
        return not specs or any(spec.weights or spec.frozen for spec in specs)

    def ops(self) -> list[ir.Operation]:
        """The ops of those functions."""
        return [op for function in self.op_functions() for op in ops_of(block_of(function))]

    def not_open(self, reason: str) -> UnsupportedError:
        """The error for sizes that cannot be open, because of plain loops or another reason."""
        opened = [spec for spec in self.functions if spec.open_dims]
        loops = [
            (spec, f"{symbol}: {why}")
            for spec in opened
            for symbol, why in self.plain_loops.items()
            if owner_of(symbol) == spec.function
        ]
        guilty = [spec for spec, _ in loops] or opened
        why = "; ".join(text for _, text in loops) or reason
        names = list(dict.fromkeys(name for spec in guilty for name in spec.open_dims))
        ops = ", ".join(dict.fromkeys(spec.op for spec in guilty))
        sizes = ", ".join(f"{name}=None" for name in names)
        remedy = "give it a value" if len(names) == 1 else "give them values"
        return UnsupportedError(f"{ops}: {sizes} cannot be open here ({why}): {remedy}")

    def keep_plain(self, symbol: str, reason: str) -> None:
        """Records that a time loop stays plain, with the reason."""
        self.plain_loops[symbol] = reason
        _LOG.info("%s stays plain: %s", symbol, reason)
