"""Slices that begin where data says, written as gathers and scatters.

IREE reads the index of a slice on the host. If compiled code computes the index, or a call brings
it, a program that calls compiled code in a fixed order cannot. Gathers and scatters read their
indices where the data is. Slices at constants, or at what a loop counts, are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rnn_compiler.lowering.analysis.values import defining
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.stablehlo import concatenated, converted, reshaped
from rnn_compiler.lowering.linking.indices import array, clamped, scatter_rows, type_for
from rnn_compiler.lowering.mlir.bindings import (
    callee_of,
    end_of,
    ir,
    is_private,
    nested_ops,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.rewriting.edits import replace

_NAMES = ("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice")

_COMPUTED = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("add", "and", "clamp", "compare", "convert", "divide", "maximum", "minimum", "multiply"),
        *("negate", "not", "or", "remainder", "reshape", "select", "subtract"),
    )
)
"""The ops on single integers that the host computes."""


def index_by_data(module: ir.Module) -> None:
    """Replaces slices of known sizes whose indices are data."""
    host = _Host(module)
    for op in nested_ops(module.operation, *_NAMES):
        part = op.results[0] if op.name == _NAMES[0] else op.operands[1]
        whole, taken = array(op.operands[0]), array(part)
        indices = list(op.operands)[-len(whole.shape) :] if whole.shape else []
        if all(map(host.knows, indices)) or 0 in (*whole.shape, *taken.shape):
            continue
        with op.location:
            made = _replaced(op, whole, taken, [array(each) for each in indices])
        replace(op, made)


def _replaced(op: ir.Operation, whole: Array, part: Array, indices: Sequence[Array]) -> ir.Value:
    """Emits what a slice reads, or the array with the part that it writes."""
    body = Body.before(op)
    sizes, taken = known(whole.shape), known(part.shape)
    axes = [k for k, size in enumerate(sizes) if taken[k] < size]
    if not axes:
        return whole.value if op.name == _NAMES[0] else part.value
    kind = type_for(max(sizes))
    starts: list[Array] = []
    for k in axes:
        _, start = clamped(body, indices[k], [sizes[k] - taken[k]])
        starts.append(reshaped(body, converted(body, start, kind), [1]))
    at = concatenated(body, starts, 0)
    every = [*range(len(sizes))]
    if op.name == _NAMES[0]:
        attributes = {
            "dimension_numbers": ir.Attribute.parse(
                f"#stablehlo.gather<offset_dims = {every}, start_index_map = {axes}>"
            ),
            "slice_sizes": integers(taken),
        }
        return body.array("stablehlo.gather", [whole, at], part.type, attributes).value
    numbers = f"update_window_dims = {every}, scatter_dims_to_operand_dims = {axes}"
    attributes = {
        "scatter_dimension_numbers": ir.Attribute.parse(f"#stablehlo.scatter<{numbers}>"),
        "unique_indices": ir.BoolAttr.get(True),
    }
    made = body.op("stablehlo.scatter", [whole, at, part], [whole.type.mlir], attributes, regions=1)
    number = ArrayType((), whole.element).mlir
    block = ir.Block.create_at_start(made.regions[0], [number] * 2, [op.location] * 2)
    with ir.InsertionPoint(block):
        ir.Operation.create("stablehlo.return", operands=[block.arguments[1]], loc=op.location)
    result = scatter_rows(made, are_valid=True)
    made.erase()
    return result


def _number(values: Iterable[ir.Value], value: ir.Value) -> int:
    """The position of a value among others."""
    return next(number for number, each in enumerate(values) if each == value)


class _Host:
    """Which integers of a module the host knows: constants, and what is computed from them."""

    def __init__(self, module: ir.Module) -> None:
        self._functions = {symbol_of(op): op for op in ops_of(module.body) if op.regions}
        self._calls: dict[str, list[ir.Operation]] = {}
        for call in nested_ops(module.operation, "func.call"):
            self._calls.setdefault(callee_of(call), []).append(call)

    def knows(self, value: ir.Value) -> bool:
        """Whether the host knows a value: no data is among all that it is computed from."""
        waiting, seen = [value], set[ir.Value]()
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                sources = self._sources(each)
                if sources is None:
                    return False
                waiting += sources
        return True

    def _sources(self, value: ir.Value) -> list[ir.Value] | None:
        """What a value is computed from on the host; None if it is data."""
        if isinstance(value.owner, ir.Block):
            number = _number(value.owner.arguments, value)
            owner = value.owner.owner.operation
            if owner.name == "stablehlo.while":
                return self._carried(owner, number)
            if owner.name == "func.func" and is_private(owner):
                calls = self._calls.get(symbol_of(owner), [])
                return [call.operands[number] for call in calls] or None
            return None
        op = defining(value)
        number = _number(op.results, value)
        if op.name == "stablehlo.while":
            return self._carried(op, number)
        if op.name == "func.call":
            return [end_of(self._functions[callee_of(op)]).operands[number]]
        if op.name == "stablehlo.constant":
            return []
        return list(op.operands) if op.name in _COMPUTED else None

    @staticmethod
    def _carried(loop: ir.Operation, number: int) -> list[ir.Value]:
        """What a value that a loop carries comes from."""
        end = ops_of(loop.regions[1].blocks[0])[-1]
        return [loop.operands[number], end.operands[number]]
