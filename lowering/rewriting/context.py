"""The request to lower a module, and the context of its passes: their input and their reasons."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.analysis.control_flow import called_in_loops, called_repeatedly
from rnn_compiler.lowering.analysis.time_loop import is_time_loop
from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    bodies,
    function_of,
    ir,
    is_private,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.composites import composite_name, decomposition_of
from rnn_compiler.lowering.mlir.marks import NETWORK
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.open_sizes import is_static
from rnn_compiler.schema.specs import FunctionSpec, owner_of

PASS_DIALECTS = (
    *("arith", "cf", "chlo", "flow", "func", "iree_codegen", "iree_tensor_ext", "linalg", "llvm"),
    *("math", "memref", "scf", "stablehlo", "stream", "tensor", "util", "vector"),
)
"""The dialects of the ops that passes create. Parsing loads those of attributes."""

Processor: TypeAlias = VectorUnit | Gpu
"""The hardware that a module will run on."""

_LOG = logging.getLogger("rnn_compiler.lowering")


@dataclass(frozen=True)
class LoweringRequest:
    """A portable module, and how to lower it.

    Attributes:
        text: Its text, with locations.
        package_version: This package's version, to be recorded.
        is_users: Whether the functions are a user's, or a network's.
        linked: Our ops in a user's module, by their private functions.
        known_weights: The functions whose weights are known at compile time, and kept only packed.
        portable: The functions that stay unchanged, because the compiler rejected them rewritten.
        format: ``"vmfb"``, or ``"parts"`` for what C and JavaScript are made of (`lowering.parts`).
    """

    text: str
    functions: Sequence[FunctionSpec]
    target: TargetSpec
    strategy: str
    package_version: str
    is_users: bool = False
    linked: Sequence[FunctionSpec] = ()
    known_weights: Collection[str] = ()
    portable: Collection[str] = ()
    format: str = "vmfb"


@dataclass
class PassContext:
    """A module on its way from portable StableHLO to the compiler.

    Attributes:
        facts: Further keys and values to write into the payload: the versions of the tools.
        plain_loops: The reasons why time loops stay plain, by their symbols.
    """

    module: ir.Module
    request: LoweringRequest
    processor: Processor
    facts: dict[str, str] = field(default_factory=dict[str, str])
    plain_loops: dict[str, str] = field(default_factory=dict[str, str])

    def defined_functions(self) -> list[ir.Operation]:
        """The functions that have a body; a user's module may declare others."""
        functions = [op for op in ops_of(self.module.body) if op.name == "func.func"]
        return [op for op in functions if len(op.regions[0].blocks)]

    def op_functions(self) -> list[ir.Operation]:
        """The functions that passes rewrite: the public ones, or our ops in a user's module.

        The user's own functions are left unchanged, and so are those that stay portable.
        """
        if not self.request.is_users:
            public = [op for op in self.defined_functions() if not is_private(op)]
            return [op for op in public if symbol_of(op) not in self.request.portable]
        symbols = {spec.function for spec in self.request.linked}
        return [
            op
            for op in self.defined_functions()
            if (symbol_of(op) in symbols or NETWORK in op.attributes)
            and symbol_of(op) not in self.request.portable
        ]

    def op_arguments(self) -> list[ir.BlockArgument]:
        """The arguments that those functions read, without those that a user's loops call."""
        looped = self.called_in_loops()
        functions = [op for op in self.op_functions() if symbol_of(op) not in looped]
        return [each for op in functions for each in block_of(op).arguments if [*each.uses]]

    def called_in_loops(self) -> set[str]:
        """The functions that a user's loops call, directly or through other functions."""
        return called_in_loops(self.module) if self.request.is_users else set()

    def called_repeatedly(self) -> set[str]:
        """The functions that a user's module calls in several places, perhaps through others."""
        return called_repeatedly(self.module) if self.request.is_users else set()

    def weights_stay(self, op: ir.Operation) -> bool:
        """Whether the weights of an op's function stay the same, so that they are packed once.

        Those of an op in training do not: what is packed is packed at every call.
        """
        symbol = symbol_of(function_of(op))
        specs = [
            each
            for each in (*self.request.functions, *self.request.linked)
            if each.function == symbol
        ]
        return not specs or any(spec.weights or spec.frozen for spec in specs)

    def ops(self) -> list[ir.Operation]:
        """The ops of those functions."""
        return [op for function in self.op_functions() for op in ops_of(block_of(function))]

    def users_ops(self) -> list[ir.Operation]:
        """The ops of the user's own functions, outside loops."""
        if not self.request.is_users:
            return []
        others = {symbol_of(op) for op in self.op_functions()} | self.called_in_loops()
        functions = [op for op in self.defined_functions() if symbol_of(op) not in others]
        kept = [op for op in functions if symbol_of(op) not in self.request.portable]
        return [op for function in kept for op in ops_of(block_of(function))]

    def not_open(self, reason: str) -> UnsupportedError:
        """The error for sizes that cannot be open, because of plain loops or another reason."""
        opened = [spec for spec in self.request.functions if spec.open_dims]
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


# The time loops of a module that a pass may rewrite.


def take_time_loops(context: PassContext) -> dict[str, ir.Operation]:
    """Maps the symbol of each time loop's decomposition to its composite.

    A decomposition that several composites share stays plain, and so do those of functions that
    stay portable.
    """
    found = [
        (decomposition_of(op), op)
        for block in bodies(context.module)
        for op in ops_of(block)
        if is_time_loop(op)
    ]
    times = Counter(symbol for symbol, _ in found)
    for symbol in times:
        if times[symbol] > 1:
            context.keep_plain(symbol, "the decomposition of several composites")
        elif owner_of(symbol) in context.request.portable:
            context.keep_plain(symbol, "the compiler refused its function with fast loops")
    plain = context.plain_loops
    return {symbol: composite for symbol, composite in found if symbol not in plain}


# The properties that several passes require or ensure, as checks of a module.
#
# A property returns a description of a violation, or None if it holds. Passes name theirs
# (`passes.pass_with`), and the tests check them around each pass of every strategy.

Property: TypeAlias = Callable[[PassContext], "str | None"]


def first(found: Iterable[str]) -> str | None:
    """The first of some violations, or None."""
    return next(iter(found), None)


def frozen_weights_are_parameters(context: PassContext) -> str | None:
    """No function without a body returns a frozen weight."""
    symbols = {
        spec.parameter(each.name) for spec in context.request.functions for each in spec.frozen
    }
    found = (op for op in ops_of(context.module.body) if op.name == "func.func")
    return first(symbol_of(op) for op in found if symbol_of(op) in symbols)


def time_loops_are_rewritten(context: PassContext) -> str | None:
    """No time loop is a plain `while`, but for those that `PassContext.plain_loops` names."""
    symbols = ir.SymbolTable(context.module.operation)
    loops = {decomposition_of(op) for op in _ops(context) if is_time_loop(op)}
    return first(
        symbol
        for symbol in sorted(loops - {*context.plain_loops})
        if any(op.name == "stablehlo.while" for op in ops_of(block_of(symbols[symbol].operation)))
    )


def sizes_are_indices(context: PassContext) -> str | None:
    """No op of StableHLO has the open size of its result, or of a slice, as an operand."""
    return first(
        op.name
        for op in context.ops()
        if op.name.startswith(("stablehlo.dynamic_", "stablehlo.get_dimension_size"))
        and not all(is_static(*shape(value)) for value in (*op.operands, *op.results))
    )


def products_are_rewritten(context: PassContext) -> str | None:
    """No composite of `builder.products` is left in a function."""
    return first(str(op) for op in context.ops() if composite_name(op) == "product")


def _ops(context: PassContext) -> list[ir.Operation]:
    return [op for block in bodies(context.module) for op in ops_of(block)]
