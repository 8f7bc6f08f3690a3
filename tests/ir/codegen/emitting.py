"""Emitted ops as the text of a verified module."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.analysis.values import array_of
from rnn_compiler.lowering.codegen.body import Array, Number
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.mlir.bindings import ir


def given(function: FunctionBuilder) -> list[Array | Number]:
    """A function's arguments: arrays, and scalars or vectors of numbers."""

    def value(argument: ir.Value) -> Array | Number:
        if isinstance(argument.type, ir.RankedTensorType):
            return array_of(function, argument)
        if isinstance(argument.type, ir.VectorType):
            (lanes,) = argument.type.shape
            return Number(function, argument, str(argument.type.element_type), lanes)
        return Number(function, argument, str(argument.type))

    return [value(argument) for argument in function.arguments]


def module_of(*functions: FunctionBuilder) -> ir.Module:
    """A module of some functions, and of the executables that they dispatch."""
    module, made = ir.Module.create(), dict[str, str]()
    for function in functions:
        function.insert_at(ir.InsertionPoint(module.body), made)
    assert module.operation.verify()
    return module


def emitted(body: Callable[..., Array | Number | Sequence[Array]], *types: str) -> str:
    """A function ``@f`` that returns the values emitted from values of some types.

    Args:
        body: Emits it, given the function and the values.
        types: The types of the values.
    """
    function = FunctionBuilder("f", [ir.Type.parse(kind) for kind in types])
    made = body(function, *given(function))
    function.finish([made] if isinstance(made, Array | Number) else made)
    return str(module_of(function))
