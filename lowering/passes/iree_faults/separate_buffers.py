"""Gives each initial array of a plain time loop a buffer of its own.

Requires: a module whose time loops have been rewritten, except for those that stay plain.
Matches: on GPUs, the arrays that a `stablehlo.while` carries. A loop without steps returns its
operands, and IREE frees them once for the loop and once for other values in the same buffer, such
as equal constants of two loops, or results of the function next to an initial state. On a GPU the
device is then lost (`tests/cuda/emulated/test_faults.py`). So each array starts as zeros of its
own, a splat of a number that `util.optimization_barrier` hides until buffers have been assigned; an
array that is not constant is put into the first row of two. On CPUs freeing twice does no harm, and
the pass does nothing.
Ensures: the same numbers.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import array_of, defining, is_constant, rank
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.whole_arrays import own_zeros, put_row
from rnn_compiler.lowering.mlir.bindings import bodies, ir, ops_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.lowering.targets.gpu import Gpu


def plain_loops_have_own_buffers(context: PassContext) -> str | None:
    """On GPUs, each array that a plain loop carries begins as a splat of its own."""
    seen = set[ir.Value]()
    for op, number in _carried(context):
        splat = _buffer_of(op.operands[number])
        if splat is None or splat in seen:
            return f"operand {number} of {op.name} at {op.location}"
        seen.add(splat)
    return None


@pass_with(requires=(), ensures=(plain_loops_have_own_buffers,))
def separate_buffers(context: PassContext) -> None:
    """Rewrites the initial arrays of a module's time loops."""
    for op, number in _carried(context):
        op.operands[number] = _separate(Body.before(op), op.operands[number]).value


def _carried(context: PassContext) -> list[tuple[ir.Operation, int]]:
    """On GPUs, the arrays that plain loops carry: each loop, and the number of its operand."""
    if not isinstance(context.processor, Gpu):
        return []
    ops = (op for block in bodies(context.module) for op in ops_of(block))
    return [
        (op, number)
        for op in ops
        if op.name == "stablehlo.while"
        for number, value in enumerate(op.operands)
        if rank(value)
    ]


def _buffer_of(value: ir.Value) -> ir.Value | None:
    """The splat that a value's buffer begins as: the op's, or that of the array it changes."""
    while not isinstance(value, ir.BlockArgument):
        op = defining(value)
        if op.name == "flow.tensor.splat":
            return value
        if not len(op.operands):
            break
        value = op.operands[0]
    return None


def _separate(body: Body, value: ir.Value) -> Array:
    """An array with a value's elements in a buffer of its own."""
    array = array_of(body, value)
    if is_constant(value) and _is_zero(defining(value)):
        return own_zeros(body, array.type)
    rows = own_zeros(body, ArrayType((2, *array.shape), array.element))
    put_row(body, rows, 0, array)
    return body.extract(rows, [0] * len(rows.shape), array.shape)


def _is_zero(constant: ir.Operation) -> bool:
    dense = ir.DenseElementsAttr(constant.attributes["value"])
    return dense.is_splat and str(dense.get_splat_value()).split(" ")[0] in ("0", "0.000000e+00")
