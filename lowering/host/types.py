"""The types of a module's public functions, which its host program no longer says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.mlir.bindings import UNNAMED, ir, is_private, ops_of, shape_of, symbol_of
from rnn_compiler.lowering.mlir.marks import STATE
from rnn_compiler.schema.dtypes import ELEMENTS
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

FUNCTIONS = ("func.func", "util.func")


@dataclass(frozen=True)
class KnownType:
    """The type of a tensor: the name of its element type, and its shape.

    A module does not name its open sizes; `with_open_sizes` adds the names.
    """

    dtype: str
    shape: tuple[Size, ...]


@dataclass(frozen=True)
class Types:
    """The types of a function's arguments and results.

    Attributes:
        states: The arguments that the function updates, each with the result that is then the same
            memory.
        minima: The minima of open sizes above 1.
    """

    arguments: tuple[KnownType, ...]
    results: tuple[KnownType, ...]
    states: Mapping[int, int] = field(default_factory=dict[int, int])
    minima: Mapping[str, int] = field(default_factory=dict[str, int])


def public_types(module: ir.Module) -> Mapping[str, Types]:
    """The types of the public functions of a module that take and return tensors."""
    found: dict[str, Types] = {}
    for op in ops_of(module.body):
        if op.name in FUNCTIONS and not is_private(op):
            kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
            with contextlib.suppress(KeyError, ValueError):  # not one of our tensors
                found[symbol_of(op)] = Types(
                    types_of(kind.inputs), types_of(kind.results), states_of(op)
                )
    return found


def states_of(function: ir.Operation) -> dict[int, int]:
    """The states of a function, by the marks of its arguments."""
    if "arg_attrs" not in function.attributes:
        return {}
    marks = map(ir.DictAttr, ir.ArrayAttr(function.attributes["arg_attrs"]))
    return {k: ir.IntegerAttr(row[STATE]).value for k, row in enumerate(marks) if STATE in row}


def types_of(types: Sequence[ir.Type]) -> tuple[KnownType, ...]:
    """The types of some tensors; KeyError or ValueError if one is none of ours."""
    tensors = [ir.RankedTensorType(each) for each in types]
    return tuple(
        KnownType(ELEMENTS[str(each.element_type)].name, shape_of(each)) for each in tensors
    )


def with_open_sizes(
    types: Mapping[str, Types], specs: Iterable[FunctionSpec]
) -> Mapping[str, Types]:
    """Types with named open sizes, taken from the functions' descriptions."""
    found = dict(types)
    for spec in specs:
        for name in (spec.function, spec.prepacked):
            if name in types:
                arguments, results = types[name].arguments, types[name].results
                found[name] = Types(
                    *(_known(arguments, spec.arguments), _known(results, spec.results)),
                    *(types[name].states, spec.minima),
                )
    return found


def _known(types: tuple[KnownType, ...], tensors: Sequence[TensorSpec]) -> tuple[KnownType, ...]:
    """Types, the first of which are replaced by those of some tensors."""
    known: list[KnownType] = []
    for each, tensor in zip(types, tensors, strict=False):
        shape = each.shape
        if len(shape) == len(tensor.shape):
            sizes = zip(shape, tensor.shape, strict=True)
            shape = tuple(of if size == UNNAMED else size for size, of in sizes)
        known.append(KnownType(each.dtype, shape))
    return (*known, *types[len(known) :])
