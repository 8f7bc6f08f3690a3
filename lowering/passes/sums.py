"""Sums of all numbers of an array in several registers, for CPUs.

Requires: a portable module; the target is a CPU with memory.
Matches: in a user's functions, `stablehlo.reduce` over all axes of at least `_FEWEST` float32 by
`stablehlo.add`, from 0; also those of squares, as in the norm of a gradient. Puts a dispatch in
their place. IREE adds one number after the other, each to the sum of those before.
Leaves: sums along some axes, and short ones.
Ensures: the same numbers up to rounding; StableHLO leaves the order of a sum open.
"""

from __future__ import annotations

import math

from rnn_compiler.lowering.analysis.values import (
    defining,
    element,
    ints,
    is_constant,
    shape,
    splat_of,
    static_shape,
)
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Number, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.registers import accumulate, reduce
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, ops_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_FEWEST = 256
"""The fewest numbers for which a dispatch pays."""

_REGISTERS = 8
"""The sums that are computed side by side, each of a vector."""


def long_sums_are_dispatches(context: PassContext) -> str | None:
    """No sum is left that `sums` takes."""
    return first(map(str, _long_sums(context)))


@pass_with(requires=(), ensures=(long_sums_are_dispatches,))
def sums(context: PassContext) -> None:
    """Rewrites the sums."""
    calls, processor = PrivateCalls(context.module), context.processor
    assert isinstance(processor, VectorUnit)
    for op in _long_sums(context):
        value = op.operands[0]
        squared = _squared(value)
        emit = _Sum(processor, is_of_squares=squared is not None)
        given = [value if squared is None else squared]
        replace(op, calls.before(op, "sum", given, emit, emit.is_of_squares)[0])
        if squared is not None and not any(True for _ in value.uses):
            defining(value).erase()


def _long_sums(context: PassContext) -> list[ir.Operation]:
    """The sums to rewrite."""
    processor = context.processor
    if not context.is_users or not isinstance(processor, VectorUnit) or not processor.has_memory:
        return []
    return [op for op in nested_ops(context.module.operation, "stablehlo.reduce") if _is_long(op)]


def _is_long(op: ir.Operation) -> bool:
    """Whether an op is the sum of all numbers of a long array."""
    value, start = [*op.operands][:2]
    if len(op.operands) != 2 or element(value) != "f32" or not is_static(*shape(value)):
        return False
    joined, *others = ops_of(op.regions[0].blocks[0])
    is_sum = joined.name == "stablehlo.add" and len(others) == 1
    is_whole = len(ints(op, "dimensions")) == len(shape(value))
    is_long = math.prod(static_shape(value)) >= _FEWEST
    return is_sum and is_whole and is_long and _is_zero(start)


def _is_zero(value: ir.Value) -> bool:
    return is_constant(value) and ir.FloatAttr(splat_of(value)).value == 0


def _squared(value: ir.Value) -> ir.Value | None:
    """What is squared to compute a value; None if it is no square."""
    if isinstance(value.owner, ir.Block) or defining(value).name != "stablehlo.multiply":
        return None
    x, y = defining(value).operands
    return x if x == y else None


class _Sum:
    """The body of a function that adds up an array, or the squares of its numbers."""

    def __init__(self, processor: VectorUnit, *, is_of_squares: bool) -> None:
        self._lanes, self.is_of_squares = processor.lanes("f32"), is_of_squares

    def __call__(self, function: FunctionBuilder, array: Array) -> list[Array]:
        count, lanes = math.prod(known(array.shape)), self._lanes
        flat = reshape(function, array, [count])
        executable = DispatchBuilder(function, "sum", 1)
        body, read, made = (
            executable.body,
            executable.read(flat),
            executable.make(ArrayType((1,), "f32")),
        )
        whole, vectors = count // (lanes * _REGISTERS) * _REGISTERS * lanes, count // lanes * lanes

        def side_by_side(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [
                self._added(sum_, inside.read(read, [position + k * lanes], lanes))
                for k, sum_ in enumerate(sums)
            ]

        def one_vector(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [self._added(sums[0], inside.read(read, [position], lanes))]

        def one(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [self._added(sums[0], inside.element(read, [position]))]

        zeros = [body.constant(0, "f32", lanes)] * _REGISTERS
        parts = accumulate(body, whole, lanes * _REGISTERS, zeros, side_by_side)
        total = accumulate(body, vectors, lanes, [_pairwise(parts)], one_vector, first=whole)[0]
        start = [reduce(total, "add")]
        body.put(accumulate(body, count, 1, start, one, first=vectors)[0], made, [0])
        executable.dispatch()
        return [reshape(function, made, ())]

    def _added(self, total: Number, x: Number) -> Number:
        """Emits the sum with a number, or with its square."""
        return total + (x * x if self.is_of_squares else x)


def _pairwise(numbers: list[Number]) -> Number:
    """Emits the sum of a power of two of numbers."""
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    return _pairwise([x + y for x, y in zip(numbers[:half], numbers[half:], strict=True)])
