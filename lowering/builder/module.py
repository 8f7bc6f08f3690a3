"""Modules of StableHLO: one public function per op, and their text for people.

A frozen argument is a private function that returns it, ``@encoder.w() -> tensor<...>``. It has no
body: lowering a module does not need the values of weights. `module_text` adds them as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rnn_compiler.lowering.builder.builder import Builder, Type, Value
from rnn_compiler.lowering.builder.int8 import with_int8
from rnn_compiler.lowering.builder.narrowing import narrow
from rnn_compiler.lowering.mlir.bindings import (
    ir,
    new_context,
)
from rnn_compiler.schema.dtypes import canonical_name
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Emitter = Callable[[Builder, FunctionSpec, Mapping[str, Value]], Sequence[Value]]
"""Emits one op: takes its arguments by name and returns its results in order."""

BUILDER_DIALECTS = ("func", "stablehlo")
"""The dialects of the ops in functions."""


class EmittedOp(NamedTuple):
    """One function of a module: an op at given sizes.

    Attributes:
        whole: The description of its op with all arguments and results, which is emitted first.
        zeros: The names of arguments that are 0 instead.
    """

    spec: FunctionSpec
    whole: FunctionSpec
    emit: Emitter
    zeros: Sequence[str] = ()


def build_module(functions: Iterable[EmittedOp], name: str = "") -> str:
    """The module text of some ops, one public function each, with source locations.

    ir.MLIRError, for an invalid op, names the step of its formula; so it does in `add_function`.
    """
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.create()
        if name:
            module.operation.attributes["sym_name"] = ir.StringAttr.get(name)
        for function in functions:
            add_function(module, function)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def add_function(module: ir.Module, function: EmittedOp, *, private: bool = False) -> None:
    """Adds the function of an op to a module."""
    spec, whole, emit, zeros = function
    builder = Builder(module, whole)
    names = [argument.name for argument in spec.arguments]

    def body(*values: Value) -> Sequence[Value]:
        arguments = dict(zip(names, values, strict=True))
        for each in spec.frozen:
            builder.formula(f"{each.name} = frozen")
            type = Type(each.shape, each.dtype)
            arguments[each.name] = builder.declared(spec.parameter(each.name), type)
        for each in whole.arguments:
            if each.name in zeros:
                builder.formula(f"{each.name} = 0")
                arguments[each.name] = builder.full(0, each.shape, each.dtype)
        return emit(builder, whole, with_int8(whole, arguments))

    types = _types(spec.arguments)
    results = builder.function(spec.function, types, names, body, private=private)
    expected = _types(whole.results)
    if results != expected:
        raise TypeError(f"{spec.op}: emitted results {results}, declared {expected}")
    if spec.results != whole.results:
        positions = {result.name: k for k, result in enumerate(whole.results)}
        added = ir.SymbolTable(module.operation)[spec.function].operation
        narrow(module, added, [positions[result.name] for result in spec.results])


def _types(tensors: Iterable[TensorSpec]) -> list[Type]:
    return [Type(tensor.shape, tensor.dtype) for tensor in tensors]


def module_text(located: str, constants: Mapping[str, npt.NDArray[Any]] | None = None) -> str:
    """Module text for people: no locations, and values named after the formulas they come from.

    `constants` are the arrays that functions without a body return, by symbol.
    """
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(located)
        symbols = ir.SymbolTable(module.operation)
        for symbol, array in (constants or {}).items():
            if symbol in symbols:  # otherwise it is unused
                _define(symbols[symbol].operation, array)
        return module.operation.get_asm(use_name_loc_as_prefix=True)


def _define(function: ir.Operation, array: npt.NDArray[Any]) -> None:
    """Adds a body that returns a constant to a function without one."""
    (kind,) = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
    bits: Any = array
    if canonical_name(array.dtype) == "bfloat16":  # the bindings do not support it
        bits = bits.view(np.uint16)
    value = ir.DenseElementsAttr.get(bits, type=kind)
    at = ir.InsertionPoint(function.regions[0].blocks.append())
    constant = ir.Operation.create("stablehlo.constant", [kind], attributes={"value": value}, ip=at)
    ir.Operation.create("func.return", operands=list(constant.results), ip=at)
