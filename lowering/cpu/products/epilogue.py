"""The elementwise functions behind a convolution, applied to its sums while they are in registers.

    sums -> + bias -> activation -> + another array -> ...

A network has them as `linalg.generic`, one or several for each operator. In dispatches of their own
they would write all sums to memory and read them again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import (
    element,
    filled_with,
    ints,
    rank,
    shape,
    static_shape,
)
from rnn_compiler.lowering.codegen.attributes import parallel
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.cpu.products.windows import ZERO, constant_number
from rnn_compiler.lowering.mlir.bindings import block_of, ir, ops_of

EACH, FILTER = (0, 1, 2, 3), (1,)
"""The axes of an input among those of the result, ``[N, F, rows, columns]``: a number for each
point, or for each filter. A sequence has no rows."""

_ON_VECTORS = {
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.cmpf"),
    *("arith.maximumf", "arith.minimumf", "arith.select", "arith.constant", "arith.extf"),
    *("math.absf", "math.exp", "math.tanh"),
}
"""The ops on numbers that are also ops on vectors."""

_SUM = "sum"


class _EpilogueStep(NamedTuple):
    """An op on numbers, which its operands name, and the element type of its result."""

    name: str
    operands: tuple[str, ...]
    element: str
    attributes: tuple[tuple[str, str], ...]
    result: str


@dataclass(frozen=True)
class Epilogue:
    """A function of a sum and of some inputs.

    Attributes:
        inputs: The name and the axes of each input.
    """

    inputs: tuple[tuple[str, Sequence[int]], ...]
    steps: tuple[_EpilogueStep, ...]
    result: str

    def emit(self, body: Body, total: Number, inputs: Mapping[str, Number]) -> Number:
        """Emits the function of a vector of sums, given a vector of each input."""
        numbers = {_SUM: total, **inputs}
        for step in self.steps:
            attributes = {name: ir.Attribute.parse(text) for name, text in step.attributes}
            if step.name == "arith.constant":
                made = body.constant(attributes["value"], step.element, total.lanes)
            else:
                operands = [numbers[name] for name in step.operands]
                made = body.number(step.name, operands, step.element, total.lanes, attributes)
            numbers[step.result] = made
        return numbers[self.result]


NO_EPILOGUE = Epilogue((), (), _SUM)


class FoundEpilogue(NamedTuple):
    """An epilogue in a module.

    Attributes:
        inputs: The arrays that it reads besides the sums.
        replaced: The convolution and the ops of the epilogue, the last of which has its result.
    """

    epilogue: Epilogue
    inputs: Sequence[ir.Value]
    replaced: Sequence[ir.Operation]


def epilogue_of(convolution: ir.Operation) -> FoundEpilogue:
    """The longest epilogue of a convolution: up to an op whose result alone is read by others."""
    reading = _Reading(convolution)
    found = reading.found()
    block = ops_of(convolution.block)
    for op in block[block.index(convolution) + 1 :]:
        if reading.take(op) and reading.is_closed():
            found = reading.found()
    return found


class _Reading:
    """The ops read so far."""

    def __init__(self, convolution: ir.Operation) -> None:
        self.ops = [convolution]
        self.point = [f"d{axis}" for axis in range(rank(convolution.results[0]))]
        self.inputs: dict[ir.Value, Sequence[int]] = {}
        self.steps: list[_EpilogueStep] = []
        self.names: dict[ir.Value, str] = {convolution.results[0]: _SUM}
        start, axes = _start(convolution.operands[2])
        if start is not None:
            operands = [_SUM, self._input(start, axes)]
            self.names[convolution.results[0]] = self._step("arith.addf", operands, "f32", [])

    def found(self) -> FoundEpilogue:
        """The epilogue that ends with the last op."""
        inputs = tuple((self.names[value], axes) for value, axes in self.inputs.items())
        result = self.names[self.ops[-1].results[0]]
        return FoundEpilogue(
            Epilogue(inputs, tuple(self.steps), result), [*self.inputs], [*self.ops]
        )

    def is_closed(self) -> bool:
        """Whether the last op returns floats, and no other op reads the results of those before."""
        is_float = element(self.ops[-1].results[0]) == "f32"
        return is_float and all(
            use.owner in self.ops for op in self.ops[:-1] for use in op.results[0].uses
        )

    def take(self, op: ir.Operation) -> bool:
        """Reads an op, if it is one on vectors that reads results so far; else leaves it."""
        if op.name != "linalg.generic" or len(op.results) != 1:
            return False
        *operands, target = op.operands
        results = {each.results[0] for each in self.ops}
        if shape(op.results[0]) != shape(self.ops[0].results[0]) or results.isdisjoint(operands):
            return False
        block, maps = block_of(op), [*ir.ArrayAttr(op.attributes["indexing_maps"])]
        *ops, end = ops_of(block)
        is_pointwise = op.attributes["iterator_types"] == parallel(len(self.point))
        if not is_pointwise or _read(maps[len(operands)]) != self.point or target in results:
            return False
        inside = [*block.arguments[: len(operands)], *(each.results[0] for each in ops)]
        read = [value for each in (*ops, end) for value in each.operands]
        if not all(value in inside or constant_number(value) is not None for value in read):
            return False
        kinds = [self._axes(value, map) for value, map in zip(operands, maps, strict=False)]
        if None in kinds or not all(each.name in _ON_VECTORS for each in ops):
            return False
        for argument, value, kind in zip(block.arguments, operands, kinds, strict=False):
            self.names[argument] = self._input(value, kind) if kind else self._number(value)
        for each in ops:
            given = [self._number(value) for value in each.operands]
            attributes = [(name, str(each.attributes[name])) for name in each.attributes]
            made = self._step(each.name, given, element(each.results[0]), attributes)
            self.names[each.results[0]] = made
        self.names[op.results[0]] = self._number(end.operands[0])
        self.ops.append(op)
        return True

    def _axes(self, value: ir.Value, map: ir.Attribute) -> Sequence[int] | None:
        """The axes of an input; none for a constant number, None for an input that is not taken."""
        read, filters = _read(map), static_shape(self.ops[0].results[0])[1]
        if read == [""]:
            return None if constant_number(value) is None else ()
        sizes = static_shape(value)
        if value not in self.names and element(value) != "f32":
            return None
        if read == self.point:
            return EACH
        is_of_filters = math.prod(sizes) == filters and read[sizes.index(filters)] == "d1"
        return FILTER if is_of_filters else None

    def _number(self, value: ir.Value) -> str:
        """The name of a number; a constant from outside becomes a step."""
        if value not in self.names:
            attributes = [("value", str(constant_number(value)))]
            self.names[value] = self._step("arith.constant", [], element(value), attributes)
        return self.names[value]

    def _input(self, value: ir.Value, axes: Sequence[int]) -> str:
        """The name of an array."""
        if value not in self.names:
            self.inputs[value] = axes
            self.names[value] = f"input {len(self.inputs)}"
        return self.names[value]

    def _step(
        self, name: str, operands: Sequence[str], of: str, attributes: Sequence[tuple[str, str]]
    ) -> str:
        """Adds a step; returns the name of its result."""
        result = f"step {len(self.steps)}"
        self.steps.append(_EpilogueStep(name, tuple(operands), of, tuple(attributes), result))
        return result


def _read(map: ir.Attribute) -> list[str]:
    """The results of a map, as text: ``["d1", "0", "0"]``."""
    return [each.strip() for each in str(map).partition("-> (")[2].rstrip(")>").split(",")]


def _start(start: ir.Value) -> tuple[ir.Value | None, Sequence[int]]:
    """What a convolution is added to, and its axes; None for zeros."""
    if not isinstance(start.owner, ir.Block):
        op = start.owner.operation
        if filled_with(start) == ZERO:
            return None, ()
        others = [axis for axis in range(rank(start)) if axis not in FILTER]
        if op.name == "linalg.broadcast" and ints(op, "dimensions") == others:
            return op.operands[0], FILTER
    return start, EACH
