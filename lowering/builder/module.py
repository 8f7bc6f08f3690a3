"""Modules of StableHLO: one public function per op, and their text for people."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from rnn_compiler.lowering.builder.builder import Builder
from rnn_compiler.lowering.builder.value import Type, Value
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["Emitter", "build_module", "module_text"]

Emitter = Callable[[Builder, FunctionSpec, Mapping[str, Value]], Sequence[Value]]
"""Emits one op: gets its arguments by name and gives its results in order."""


def build_module(functions: Iterable[tuple[FunctionSpec, Emitter]]) -> str:
    """The module text of some ops, one public function each, with source locations.

    Raises:
        ir.MLIRError: An emitter made an illegal op; the message names the step of its formula.
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        for spec, emit in functions:
            builder = Builder(module, spec)

            with ir.InsertionPoint(module.body):
                results = builder.function(
                    spec.function,
                    [Type(argument.shape, argument.dtype) for argument in spec.arguments],
                    [argument.name for argument in spec.arguments],
                    functools.partial(_emit, emit, builder),
                )
            expected = [Type(result.shape, result.dtype) for result in spec.results]
            if results != expected:
                raise TypeError(f"{spec.op}: emitted results {results}, declared {expected}")
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def _emit(emit: Emitter, builder: Builder, *values: Value) -> Sequence[Value]:
    names = [argument.name for argument in builder.spec.arguments]
    return emit(builder, builder.spec, dict(zip(names, values, strict=True)))


def module_text(located: str) -> str:
    """Module text for people: no locations, and values named after the formulas they come from."""
    with ir.Context():
        module = ir.Module.parse(located)
        return module.operation.get_asm(use_name_loc_as_prefix=True)
