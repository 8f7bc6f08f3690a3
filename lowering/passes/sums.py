"""Sums of all numbers of an array in several registers, for CPUs.

Requires: a portable module; the target is a CPU with memory.
Matches: in the functions of users and networks, `stablehlo.reduce` over all axes of at least
`_FEWEST` float32 by `stablehlo.add`, from 0, or a `linalg.generic` that computes this; also those
of squares, as in the norm of a gradient. Puts a dispatch in their place, one for all sums in a row
that do not read another's result, short ones included. IREE adds one number after the other, each
to the sum of those before.
Leaves: sums along some axes, and rows of short ones.
Ensures: the same numbers up to rounding; StableHLO leaves the order of a sum open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rnn_compiler.lowering.analysis.values import defining, static_shape
from rnn_compiler.lowering.analysis.whole_sums import FORMS, is_sum, squared
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Number, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.registers import accumulate, reduce
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_FEWEST = 256
"""The fewest numbers for which a dispatch pays."""

_MOST = 12
"""The most sums of a dispatch; IREE's runtime takes 32 arrays."""

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
    for row in _rows(context):
        values = [op.operands[0] for op in row]
        bases = [squared(value) for value in values]
        are_squares = [each is not None for each in bases]
        given = [x if y is None else y for x, y in zip(values, bases, strict=True)]
        made = calls.before(row[-1], "sum", given, _Sums(processor, are_squares), are_squares)
        for op, value, result in zip(row, values, made, strict=True):
            replace(op, result)
            _erase_unused(value)


def _long_sums(context: PassContext) -> list[ir.Operation]:
    """The long sums to rewrite."""
    return [op for row in _rows(context) for op in row if _count(op) >= _FEWEST]


def _rows(context: PassContext) -> list[list[ir.Operation]]:
    """The sums to rewrite, by dispatches."""
    is_users, processor = context.request.is_users, context.processor
    if not is_users or not isinstance(processor, VectorUnit) or not processor.has_memory:
        return []
    rows: list[list[ir.Operation]] = [[]]
    for op in filter(is_sum, nested_ops(context.module.operation, *FORMS)):
        if len(rows[-1]) == _MOST or any(not _may_wait(each, op) for each in rows[-1]):
            rows.append([])
        rows[-1].append(op)
    return [row for row in rows if any(_count(op) >= _FEWEST for op in row)]


def _may_wait(op: ir.Operation, later: ir.Operation) -> bool:
    """Whether a result is not read before another op of the same block."""
    order: Any = later  # the stubs lack the order
    users = [_in_block(use.owner.operation, op.block) for use in op.results[0].uses]
    return op.block == later.block and all(map(order.is_before_in_block, users))


def _in_block(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """The op of a block that an op is, or is in."""
    return op if op.block == block else _in_block(op.parent, block)


def _count(op: ir.Operation) -> int:
    """How many numbers are added up."""
    return math.prod(static_shape(op.operands[0]))


def _erase_unused(value: ir.Value) -> None:
    """Erases the arithmetic that computes a value, unless something else reads it."""
    if isinstance(value.owner, ir.Block):
        return
    op = defining(value)
    if any(True for result in op.results for _ in result.uses):
        return
    if op.name in ("stablehlo.multiply", "stablehlo.add", "linalg.generic"):
        operands = [*dict.fromkeys(op.operands)]
        op.erase()
        for operand in operands:
            _erase_unused(operand)


class _Sums:
    """The body of a function that adds up some arrays, or the squares of their numbers."""

    def __init__(self, processor: VectorUnit, are_squares: Sequence[bool]) -> None:
        self._lanes, self._are_squares = processor.lanes("f32"), are_squares

    def __call__(self, function: FunctionBuilder, *arrays: Array) -> list[Array]:
        flat = [reshape(function, each, [math.prod(known(each.shape))]) for each in arrays]
        executable = DispatchBuilder(function, "sum", 1)
        read = [executable.read(each) for each in flat]
        made = [executable.make(ArrayType((1,), "f32")) for _ in flat]
        for source, target, is_square in zip(read, made, self._are_squares, strict=True):
            total = self._sum(executable.body, source, is_square=is_square)
            executable.body.put(total, target, [0])
        executable.dispatch()
        return [reshape(function, each, ()) for each in made]

    def _sum(self, body: Body, read: Array, *, is_square: bool) -> Number:
        """Emits the sum of an array."""
        count, lanes = math.prod(known(read.shape)), self._lanes
        whole, vectors = count // (lanes * _REGISTERS) * _REGISTERS * lanes, count // lanes * lanes

        def side_by_side(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [
                _added(sum_, inside.read(read, [position + k * lanes], lanes), is_square)
                for k, sum_ in enumerate(sums)
            ]

        def one_vector(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [_added(sums[0], inside.read(read, [position], lanes), is_square)]

        def one(inside: Body, position: Number, sums: list[Number]) -> list[Number]:
            return [_added(sums[0], inside.element(read, [position]), is_square)]

        zeros = [body.constant(0, "f32", lanes)] * _REGISTERS
        parts = accumulate(body, whole, lanes * _REGISTERS, zeros, side_by_side)
        total = accumulate(body, vectors, lanes, [_pairwise(parts)], one_vector, first=whole)[0]
        start = [reduce(total, "add")]
        return accumulate(body, count, 1, start, one, first=vectors)[0]


def _added(total: Number, x: Number, is_square: bool) -> Number:
    """Emits the sum with a number, or with its square."""
    return total + (x * x if is_square else x)


def _pairwise(numbers: list[Number]) -> Number:
    """Emits the sum of a power of two of numbers."""
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    return _pairwise([x + y for x, y in zip(numbers[:half], numbers[half:], strict=True)])
