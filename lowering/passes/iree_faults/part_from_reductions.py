"""Keeps what reads a sum in two ways out of the dispatch that computes the sum.

Requires: a module whose time loops and products have been rewritten, and whose states are updated.
Matches: what ops compute that read several elements for one, as sums, maxima and convolutions do,
where one elementwise op reads it along different axes, as with ``s[:, None] - s[None, :]``, through
any elementwise ops, transpositions, broadcasts and reshapes. IREE puts that op into the dispatch of
the sum, which then has one of the two elements and reads undefined memory for the other, without a
diagnostic (`tests/traps/test_pairs_of_sums.py`).
Puts a `util.optimization_barrier`, which no dispatch crosses, on the sum.
Leaves: ops in loops, and functions that loops call, where IREE would not wait for what is behind a
barrier; unsigned integers, which barriers do not take.
Ensures: the same numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rnn_compiler.lowering.analysis.values import defining, element, shape, tie_results
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE
from rnn_compiler.lowering.mlir.bindings import block_of, ir, ops_of, symbol_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first

_REDUCTIONS = frozenset(
    f"stablehlo.{name}" for name in ("convolution", "dot_general", "reduce", "reduce_window")
)

_RESHAPES = (
    *("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "stablehlo.reshape"),
    *("flow.tensor.reshape", "flow.tensor.tie_shape"),
)
"""Ops whose only array is the same one, perhaps with other axes."""

_Axes = tuple[Hashable, ...]
"""For each axis of a value, the axis of a sum that it is; None if the sum is repeated along it."""

_Ways = dict[ir.Value, _Axes]
"""The sums that a value is computed from element by element, each along its axes."""


def no_op_reads_a_sum_in_two_ways(context: PassContext) -> str | None:
    """No dispatch has a sum and an op that reads it along different axes."""
    return first(str(value.owner) for value in _parted(context))


@pass_with(requires=(), ensures=(no_op_reads_a_sum_in_two_ways,))
def part_from_reductions(context: PassContext) -> None:
    """Adds the barriers."""
    for value in _parted(context):
        uses = [(use.owner, use.operand_number) for use in value.uses]
        barrier = Body.after(defining(value)).op("util.optimization_barrier", [value], [value.type])
        for op, number in uses:
            op.operands[number] = barrier.results[0]
        tie_results(barrier)


def _parted(context: PassContext) -> list[ir.Value]:
    """The sums without a barrier that an op reads in two ways."""
    repeated = context.called_in_loops()
    functions = [op for op in context.defined_functions() if symbol_of(op) not in repeated]
    return [value for function in functions for value in _twice_read(function)]


def _twice_read(function: ir.Operation) -> list[ir.Value]:
    found: dict[ir.Value, None] = {}
    ways: dict[ir.Value, _Ways] = {}
    for op in ops_of(block_of(function)):
        if not [each for each in op.results if isinstance(each.type, ir.RankedTensorType)]:
            continue
        if _is_reduction(op):
            for value in op.results:
                if not element(value).startswith("ui"):
                    ways[value] = {value: _without_units(value, range(len(shape(value))))}
            continue
        made: _Ways = {}
        for number, value in enumerate(op.operands):
            for sum, axes in ways.get(value, {}).items():
                moved = _moved(op, number, axes)
                if moved is not None and made.setdefault(sum, moved) != moved:
                    found[sum] = None
        if made:
            ways |= dict.fromkeys(op.results, made)
    return [*found]


def _is_reduction(op: ir.Operation) -> bool:
    """Whether an op reads several elements of an array for one of its results."""
    if op.name == "linalg.generic":
        return "reduction" in str(op.attributes["iterator_types"])
    moving = ("linalg.transpose", "linalg.broadcast", "linalg.fill", "linalg.map")
    return op.name in _REDUCTIONS or (op.name.startswith("linalg.") and op.name not in moving)


def _moved(op: ir.Operation, number: int, axes: _Axes) -> _Axes | None:
    """The axes of an op's result; None if it is not computed element by element."""
    result = op.results[0]
    rank = len(shape(result))
    if op.name == "linalg.generic":
        maps = [
            ir.AffineMapAttr(each).value for each in ir.ArrayAttr(op.attributes["indexing_maps"])
        ]
        loops = {str(axis): known for axis, known in zip(maps[number].results, axes, strict=True)}
        return _without_units(result, [loops.get(str(axis)) for axis in maps[-1].results])
    if op.name in ("stablehlo.transpose", "linalg.transpose"):
        order = [*ir.DenseI64ArrayAttr(op.attributes["permutation"])]
        return tuple(axes[axis] for axis in order) if not number else None
    if op.name == "linalg.broadcast":
        added = {*ir.DenseI64ArrayAttr(op.attributes["dimensions"])}
        kept = iter(axes)
        return tuple(None if k in added else next(kept) for k in range(rank))
    if op.name in ("stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim"):
        places = [*ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"])]
        at = dict(zip(places, axes, strict=True)) if not number else {}
        return _without_units(result, [at.get(k) for k in range(rank)])
    if op.name in _RESHAPES:
        return _reshaped(op, axes)
    return axes if op.name in ELEMENTWISE and len(axes) == rank else None


def _reshaped(op: ir.Operation, axes: _Axes) -> _Axes:
    """The axes of a reshape: the same if it adds or drops such of size 1, otherwise new ones."""
    before, after = shape(op.operands[0]), shape(op.results[0])
    left = [axis for axis, size in zip(axes, before, strict=True) if size != 1]
    if len(left) != len([size for size in after if size != 1]):
        return tuple((op.results[0], k) for k in range(len(after)))
    kept = iter(left)
    return tuple(None if size == 1 else next(kept) for size in after)


def _without_units(value: ir.Value, axes: Sequence[Hashable]) -> _Axes:
    """Axes of a value, without those of size 1."""
    return tuple(None if size == 1 else axis for axis, size in zip(axes, shape(value), strict=True))
