"""Vectors that stay in registers: accumulators of loops, bitcasts and intrinsics.

The vectors of `codegen.body` are read from arrays and written to them. Those here are passed from
one iteration of a loop to the next, or to an instruction that MLIR has no op for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rnn_compiler.lowering.codegen.attributes import integers, segments
from rnn_compiler.lowering.codegen.body import (
    Array,
    Body,
    Index,
    Number,
    bits,
    hand_on,
    is_float,
    vector_type,
)
from rnn_compiler.lowering.mlir.bindings import ir


def accumulate(
    body: Body,
    end: Index,
    stride: int,
    sums: Sequence[Number],
    iteration: Callable[[Body, Number, list[Number]], list[Number]],
    *,
    first: Index = 0,
    carried: Sequence[Array] = (),
) -> list[Number]:
    """Emits a loop with accumulators, of which each iteration returns the new values."""
    bounds = [body.index(bound) for bound in (first, end, stride)]
    types = [each.value.type for each in (*sums, *carried)]
    op = body.op("scf.for", [*bounds, *sums, *carried], types, regions=1)
    block = op.regions[0].blocks.append(ir.IndexType.get(), *types)
    inside = Body(block, body.location)
    index, *before = block.arguments
    hand_on(carried, before[len(sums) :])
    first_sums = _like(inside, sums, before[: len(sums)])
    after = iteration(inside, Number(inside, index, "index"), first_sums)
    inside.op("scf.yield", [*after, *carried])
    hand_on(carried, list(op.results)[len(sums) :])
    return _like(body, sums, list(op.results)[: len(sums)])


def accumulate_unrolled(
    body: Body,
    count: Index,
    factor: int,
    sums: list[Number],
    add: Callable[[Body, Number, list[Number]], list[Number]],
) -> list[Number]:
    """Emits a loop with accumulators and several indices per iteration; leftover indices follow it.

    If their number is computed, they follow in a loop.
    """

    def iteration(inside: Body, first: Number, sums: list[Number]) -> list[Number]:
        for number in range(factor):
            sums = add(inside, first + number, sums)
        return sums

    if isinstance(count, Number):
        end = count // factor * factor
        sums = accumulate(body, end, factor, sums, iteration)
        return accumulate(body, count, 1, sums, add, first=end)
    full = count // factor * factor
    if full:
        sums = accumulate(body, full, factor, sums, iteration)
    for number in range(full, count):
        sums = add(body, body.index(number), sums)
    return sums


def fma(total: Number, weight: Number, x: Number) -> Number:
    """Emits ``total + x * weight``, rounded once if they are floats."""
    if not is_float(total.element):
        return total + x * weight
    operands = [x, weight, total]
    return total.body.number("vector.fma", operands, total.element, total.lanes)


def add_outer_product(
    sums: Sequence[Number],
    lhs: Iterable[Number],
    rhs: Sequence[Number],
    add: Callable[[Number, Number, Number], Number] = fma,
) -> list[Number]:
    """Emits the sums of a tile after another index of the contracted axis.

    sums[row, column] = add(sums[row, column], rhs[column], lhs[row])
    """
    made: list[Number] = []
    for x in lhs:
        made += [add(sums[len(made) + k], weight, x) for k, weight in enumerate(rhs)]
    return made


def _like(body: Body, sums: Sequence[Number], values: Sequence[ir.Value]) -> list[Number]:
    """Values as numbers of the same types as others."""
    return [
        Number(body, value, each.element, each.lanes)
        for each, value in zip(sums, values, strict=True)
    ]


def bitcast(vector: Number, element: str) -> Number:
    """Emits a bitcast of a vector to elements of another width."""
    lanes = vector.lanes * bits(vector.element) // bits(element)
    return vector.body.number("vector.bitcast", [vector], element, lanes)


def interleave(first: Number, second: Number) -> Number:
    """Emits the interleaving of two vectors."""
    return first.body.number("vector.interleave", [first, second], first.element, 2 * first.lanes)


def _every_other(first: Number, second: Number) -> Number:
    """Emits the even numbers of a vector, and after them the odd numbers of another."""
    lanes = first.lanes
    order = [*range(0, lanes, 2), *range(lanes + 1, 2 * lanes, 2)]
    mask = {"mask": ir.DenseI64ArrayAttr.get(order)}
    return first.body.number("vector.shuffle", [first, second], first.element, lanes, mask)


def read_every(body: Body, step: int, array: Array, starts: Sequence[Index], lanes: int) -> Number:
    """Emits the reading of numbers `step` apart, 1 or 2, from the last axis of an array.

    Nothing beyond the last of them is read: the second of two vectors begins at an odd number.
    """
    value = body.read(array, starts, lanes)
    if step == 1:
        return value
    *others, last = starts
    return _every_other(value, body.read(array, [*others, last + (lanes - 1)], lanes))


def shuffled(first: Number, second: Number, lanes: Sequence[int]) -> Number:
    """Emits a vector of lanes taken from two vectors."""
    order, count = {"mask": integers(lanes)}, len(lanes)
    return first.body.number("vector.shuffle", [first, second], first.element, count, order)


def lane(vector: Number, number: int) -> Number:
    """Emits the extraction of one number of a vector."""
    position = {"static_position": integers([number])}
    return vector.body.number("vector.extract", [vector], vector.element, attributes=position)


def reduce(vector: Number, kind: str) -> Number:
    """Emits a reduction of a vector's numbers, such as "add" or "maxsi"."""
    attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>")}
    return vector.body.number("vector.reduction", [vector], vector.element, attributes=attributes)


def intrinsic(name: str, operands: Sequence[Number], like: Number) -> Number:
    """Emits an instruction by its LLVM intrinsic, ``"llvm.x86.avx512bf16.dpbf16ps.512"``.

    The target must have it: the compiler does not check that (`targets/vector_unit.py` does). The
    result has the type of `like`.
    """
    body = like.body
    attributes = {
        "intrin": ir.StringAttr.get(name),
        "operandSegmentSizes": segments(len(operands), 0),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
    }
    type = vector_type(like.element, like.lanes)
    op = body.op("llvm.call_intrinsic", operands, [type], attributes)
    return Number(body, op.results[0], like.element, like.lanes)
