"""Makes the public functions of a module write their results to memory of the caller.

IREE's convention for this is an argument of type ``!hal.buffer`` with the attribute
``iree.abi.output``, the number of the result. Without it IREE allocates one buffer for all results.
The companions of `passes.hoist_weights` also lose their fences: these calls are synchronous.

Requires: the module as it would be compiled.
"""

from __future__ import annotations

from collections.abc import Mapping

from rnn_compiler.lowering.host.types import FUNCTIONS, Types, states_of, types_of
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    ir,
    is_private,
    new_context,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import CONSUMED, RESULT


def external_results(module: str) -> tuple[str, Mapping[str, Types]]:
    """A module's text with an argument for each result, and the types of its functions before."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        found = {
            symbol_of(op): _add_outputs(op)
            for op in ops_of(parsed.body)
            if op.name in FUNCTIONS and not is_private(op)
        }
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True), found


def _add_outputs(function: ir.Operation) -> Types:
    """Adds an argument for each result of a function that is not a state."""
    attributes, states = function.attributes, states_of(function)
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
    return Types(types_of(kind.inputs), types_of(kind.results), states)


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
