"""Leaves an array undefined at first if it is written whole: nothing fills it before.

Requires: a module whose products have been rewritten.
Matches: a constant vector that `stablehlo.dynamic_update_slice` replaces part by part, each at a
constant position, by a chain in which each update is read only by the next, if the parts cover it;
`builder.assemble` makes such chains. Puts a `flow.tensor.empty` in place of the constant. IREE
fills the array first, because it does not add up the parts: in the gradient of one row's step of an
LSTM of 128 units, that would take a quarter of the time.
Leaves: arrays that are written only in part, such as sums that are added to.
"""

from __future__ import annotations

from collections.abc import Iterator

from rnn_compiler.lowering.analysis.values import constant_int, is_constant, shape, static_shape
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, products_are_rewritten
from rnn_compiler.schema.open_sizes import is_static

_UPDATE = "stablehlo.dynamic_update_slice"


def nothing_is_filled_in_vain(context: PassContext) -> str | None:
    """No vector that is written whole, part by part, has numbers before."""
    return first(map(str, _filled_in_vain(context)))


@pass_with(requires=(products_are_rewritten,), ensures=(nothing_is_filled_in_vain,))
def leave_undefined(context: PassContext) -> None:
    """Rewrites the vectors of a module's functions."""
    for op in _filled_in_vain(context):
        old = op.operands[0]
        made = ir.Operation.create(
            "flow.tensor.empty", results=[old.type], ip=ir.InsertionPoint(op), loc=op.location
        )
        op.operands[0] = made.results[0]


def _filled_in_vain(context: PassContext) -> Iterator[ir.Operation]:
    """The first updates of constant vectors that are written whole."""
    for op in context.ops():
        if op.name == _UPDATE and is_constant(op.operands[0]) and _is_written_whole(op):
            yield op


def _is_written_whole(first: ir.Operation) -> bool:
    """Whether a chain of updates covers its vector."""
    sizes = shape(first.operands[0])
    if len(sizes) != 1 or not is_static(*sizes):
        return False
    end = 0
    for start, size in sorted(_parts(first)):
        if start > end:
            return False
        end = max(end, start + size)
    return end == sizes[0]


def _parts(update: ir.Operation) -> Iterator[tuple[int, int]]:
    """The positions and sizes of the parts that a chain of updates writes at constant positions."""
    while True:
        _, part, position = update.operands
        if is_constant(position):
            yield constant_int(position), static_shape(part)[0]
        uses = [*update.results[0].uses]
        is_chain = len(uses) == 1 and uses[0].operand_number == 0
        if not is_chain or uses[0].owner.name != _UPDATE:
            return
        update = uses[0].owner
