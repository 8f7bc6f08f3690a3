"""Rewrites pools of images as dispatches that read their windows in vectors, for CPUs.

Requires: a module whose windows reach the end of their input (`crop_inputs`); the target is a CPU.
Matches: in the function of a network, `linalg.pooling_nchw_max`, `linalg.pooling_nchw_sum` and
those of one axis, in float32 of known sizes, that begin with the number that changes nothing.
Ensures: the same numbers.
Leaves: pools whose windows are large, or more than two columns apart.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import element, filled_with, shape, static_shape
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand
from rnn_compiler.lowering.cpu.pools import ImagePool
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static

_REDUCTIONS = {
    "linalg.pooling_nchw_max": ("arith.maximumf", "0xFF800000 : f32"),
    "linalg.pooling_ncw_max": ("arith.maximumf", "0xFF800000 : f32"),
    "linalg.pooling_nchw_sum": ("arith.addf", "0.000000e+00 : f32"),
    "linalg.pooling_ncw_sum": ("arith.addf", "0.000000e+00 : f32"),
}
"""The pools, with the op that joins two numbers and the number that it begins with."""


def small_pools_are_dispatches(context: PassContext) -> str | None:
    """No pool is left that `pools` takes."""
    return first(str(op) for op in context.ops() if _pool(context, op) is not None)


@pass_with(requires=(), ensures=(small_pools_are_dispatches,))
def pools(context: PassContext) -> None:
    """Rewrites the pools."""
    calls = PrivateCalls(context.module)
    for op in context.ops():
        found = _pool(context, op)
        if found is not None:
            _rewrite(calls, op, found)


def _pool(context: PassContext, op: ir.Operation) -> ImagePool | None:
    """The pool that an op computes, if it is rewritten."""
    if op.name not in _REDUCTIONS:
        return None
    if not all(is_static(*shape(value)) for value in (*op.operands, *op.results)):
        return None
    given, _, start = op.operands
    reduction, neutral = _REDUCTIONS[op.name]
    if element(given) != "f32" or filled_with(start) != neutral:
        return None
    one = [1] * (4 - len(static_shape(given)))  # of an axis that is not there
    window = [*one, *static_shape(op.operands[1])]
    batch, channels, *positions = static_shape(op.results[0])
    strides, dilations = (
        [*one, *ir.DenseIntElementsAttr(op.attributes[name])] for name in ("strides", "dilations")
    )
    pairs = ((a, b) for a, b in ([*one, *positions], window, strides, dilations))
    assert isinstance(context.processor, VectorUnit)
    found = ImagePool(context.processor, reduction, batch * channels, *pairs)
    return found if found.is_supported else None


def _rewrite(calls: PrivateCalls, op: ir.Operation, pool: ImagePool) -> None:
    """Replaces a pool by a call of its dispatch."""
    body, value = Body.before(op), op.operands[0]
    _, _, *last = axes = range(len(static_shape(value)))
    given = Array(value, static_shape(value), "f32")
    flat = collapse(body, given, [[0, 1], *([axis] for axis in last)])
    if len(axes) == 3:
        flat = expand(body, flat, [[0], [1, 2]], (flat.shape[0], 1, flat.shape[1]))

    def made(function: FunctionBuilder, images: Array) -> list[Array]:
        return [pool.emit(function, images)]

    (result,) = calls.before(op, "pool", [flat.value], made, pool)
    planes = Array(result, static_shape(result), "f32")
    sizes = static_shape(op.results[0])
    if len(axes) == 3:
        planes = collapse(body, planes, [[0], [1, 2]])
    replace(op, expand(body, planes, [[0, 1], *([axis] for axis in last)], sizes).value)
