"""Vectors that stay in registers: sums over a loop, and bits seen as other numbers.

The vectors of `codegen.body` are read from arrays and written to them. Those here are handed from
one iteration of a loop to the next, or to an instruction that MLIR has no op for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.attributes import integers, segments
from rnn_compiler.lowering.codegen.body import Array, Body, hand_on
from rnn_compiler.lowering.codegen.number import Index, Number, bits, vector_type
from rnn_compiler.lowering.mlir import ir

__all__ = ["accumulate", "bitcast", "interleave", "intrinsic", "lane", "reduce"]


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
    """Emits a loop that hands numbers on.

    Args:
        body: The body that gets the ops.
        end: Where the loop's index ends.
        stride: How far it goes at a time.
        sums: The numbers before the first iteration.
        iteration: Emits an iteration, given its body, the index and the numbers; gives what the
            numbers become.
        first: Where the index begins.
        carried: Arrays that its body writes to, as for `Body.loop`.

    Returns:
        The numbers after the last iteration.
    """
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


def _like(body: Body, sums: Sequence[Number], values: Sequence[ir.Value]) -> list[Number]:
    """Values as numbers of the types of others."""
    return [
        Number(body, value, each.element, each.lanes)
        for each, value in zip(sums, values, strict=True)
    ]


def bitcast(vector: Number, element: str) -> Number:
    """Emits the bits of a vector as numbers of another width."""
    lanes = vector.lanes * bits(vector.element) // bits(element)
    return vector.body.number("vector.bitcast", [vector], element, lanes)


def interleave(first: Number, second: Number) -> Number:
    """Emits a vector that has the numbers of two by turns."""
    return first.body.number("vector.interleave", [first, second], first.element, 2 * first.lanes)


def lane(vector: Number, number: int) -> Number:
    """Emits one number of a vector."""
    place = {"static_position": integers([number])}
    return vector.body.number("vector.extract", [vector], vector.element, attributes=place)


def reduce(vector: Number, kind: str) -> Number:
    """Emits what the numbers of a vector combine to: their "add", the "maxsi" of them."""
    attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>")}
    return vector.body.number("vector.reduction", [vector], vector.element, attributes=attributes)


def intrinsic(name: str, operands: Sequence[Number], like: Number) -> Number:
    """Emits an instruction of the processor by LLVM's name of it.

    Where the target lacks it, the compiler ends without a word (IREE 3.13).

    Args:
        name: LLVM's intrinsic, ``"llvm.x86.avx512bf16.dpbf16ps.512"``.
        operands: What it is given.
        like: A number of the type that it gives.
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
