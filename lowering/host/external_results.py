"""Makes the public functions of a module write their results to memory of the caller.

IREE's convention for this is an argument of type ``!hal.buffer`` with the attribute
``iree.abi.output``, the number of the result. Without it IREE allocates one buffer for all results.
The companions of `passes.hoist_weights` also lose their fences: these calls are synchronous.

Requires: the module as it would be compiled.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.mlir.bindings import (
    UNNAMED,
    block_of,
    ir,
    is_private,
    new_context,
    ops_of,
    reached,
    shape_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import CONSUMED, RESULT, STATE
from rnn_compiler.schema.dtypes import ELEMENTS
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

_FUNCTIONS = ("func.func", "util.func")


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


def external_results(module: str) -> tuple[str, Mapping[str, Types]]:
    """A module's text with an argument for each result, and the types of its functions before."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        found = {
            symbol_of(op): _add_outputs(op)
            for op in ops_of(parsed.body)
            if op.name in _FUNCTIONS and not is_private(op)
        }
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True), found


def public_types(module: ir.Module) -> Mapping[str, Types]:
    """The types of the public functions of a module that take and return tensors."""
    found: dict[str, Types] = {}
    for op in ops_of(module.body):
        if op.name in _FUNCTIONS and not is_private(op):
            kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
            with contextlib.suppress(KeyError, ValueError):  # not one of our tensors
                found[symbol_of(op)] = Types(_types(kind.inputs), _types(kind.results), _states(op))
    return found


def _states(function: ir.Operation) -> dict[int, int]:
    """The states of a function, by the marks of its arguments."""
    if "arg_attrs" not in function.attributes:
        return {}
    marks = map(ir.DictAttr, ir.ArrayAttr(function.attributes["arg_attrs"]))
    return {k: ir.IntegerAttr(row[STATE]).value for k, row in enumerate(marks) if STATE in row}


def _add_outputs(function: ir.Operation) -> Types:
    """Adds an argument for each result of a function that is not a state."""
    attributes, states = function.attributes, _states(function)
    kind = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
    buffer = ir.Type.parse("!hal.buffer")
    index = ir.IndexType.get()
    rows: list[ir.Attribute] = [
        ir.DictAttr.get({CONSUMED: ir.UnitAttr.get()} if number in states else {})
        for number in range(len(kind.inputs))
    ]
    own = [number for number in range(len(kind.results)) if number not in states.values()]
    for number in own:
        block_of(function).add_argument(buffer, ir.Location.name("result"))
        rows.append(ir.DictAttr.get({"iree.abi.output": ir.IntegerAttr.get(index, number)}))
    given = block_of(function).arguments[len(kind.inputs) :]
    _import_results(function, dict(zip(own, given, strict=True)))
    inputs = [*kind.inputs, *(buffer for _ in own)]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, kind.results))
    attributes["arg_attrs"] = ir.ArrayAttr.get(rows)
    if "iree.abi.model" in attributes:
        del attributes["iree.abi.model"]
    return Types(_types(kind.inputs), _types(kind.results), states)


def _import_results(function: ir.Operation, memory: Mapping[int, ir.Value]) -> None:
    """Writes the arrays that become results directly to the memory of these results.

    IREE would copy them at the end, because the dispatches that write to them also read them.
    """
    for op in ops_of(block_of(function)):
        if RESULT in op.attributes:
            (array,) = op.results
            made = ir.Operation.create(
                "hal.tensor.import",
                [array.type],
                [memory[ir.IntegerAttr(op.attributes[RESULT]).value]],
                {
                    "consume": ir.UnitAttr.get(),
                    "target_encoding": ir.TypeAttr.get(array.type),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
                },
                ip=ir.InsertionPoint(op),
                loc=op.location,
            )
            array.replace_all_uses_with(made.results[0])
            op.erase()


def _types(types: Sequence[ir.Type]) -> tuple[KnownType, ...]:
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


# The functions of a lowered module that pack weights, as a module of their own.
#
# Requires: the module as it would be compiled, with companions (`passes.hoist_weights`).
# Ensures: only the functions that pack and their callees remain, so the module compiles for the
# machine that packs, with the same results as the whole module.


def prepack_module(module: str, functions: Collection[str]) -> str:
    """The text of a module with some functions of another, and all that these refer to."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        known = {symbol_of(op): op for op in ops_of(parsed.body) if symbol_of(op)}
        needed = reached(known, functions)
        for symbol, op in known.items():
            if symbol not in needed:
                op.erase()
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True)
