"""Rewrites the gradients of maxima over small windows as dispatches that read vectors, for CPUs.

Requires: a portable module; the target is a CPU.
Matches: `stablehlo.select_and_scatter` in float32 of known sizes, which adds to 0 where the first
largest number of each window is, for windows side by side along the last two axes, at most two
columns wide.
Ensures: the same numbers.
Leaves: other windows (`select_and_scatter`).
"""

from __future__ import annotations

import math

from rnn_compiler.lowering.analysis.scattered_windows import ScatteredWindows, scattered_windows
from rnn_compiler.lowering.analysis.values import element, is_constant, splat_of, static_shape
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.cpu.pools import MaximaGradient
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import PrivateCalls, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_IMAGE = 2
"""The axes of images."""


def small_windows_are_dispatches(context: PassContext) -> str | None:
    """No gradient is left that `pool_gradients` takes."""
    return first(str(op) for op, _ in _found(context))


@pass_with(requires=(), ensures=(small_windows_are_dispatches,))
def pool_gradients(context: PassContext) -> None:
    """Rewrites the gradients."""
    calls = PrivateCalls(context.module)
    for op, gradient in _found(context):
        _rewrite(calls, op, gradient)


def _found(context: PassContext) -> list[tuple[ir.Operation, MaximaGradient]]:
    """The gradients to rewrite."""
    assert isinstance(context.processor, VectorUnit)
    pairs = [
        (each.op, _gradient(each, context.processor)) for each in scattered_windows(context.module)
    ]
    return [(op, found) for op, found in pairs if found is not None]


def _gradient(windows: ScatteredWindows, vectors: VectorUnit) -> MaximaGradient | None:
    """The gradient that an op computes; None if it is not rewritten."""
    (given, source, start), window = windows.op.operands, windows.window
    sizes, results = static_shape(given), static_shape(source)
    are_apart = [*window] == [*windows.strides] and not any(each != 1 for each in window[:-2])
    if element(given) != "f32" or len(sizes) < _IMAGE or not are_apart:
        return None
    if [a * b for a, b in zip(results, window, strict=True)] != [*sizes]:
        return None  # numbers are left over
    is_of_maxima = "GE" in str(windows.compared.attributes["comparison_direction"])
    if not (is_of_maxima and is_constant(start) and ir.FloatAttr(splat_of(start)).value == 0):
        return None
    planes = math.prod(sizes[:-2]) * results[-2]
    found = MaximaGradient(vectors, planes, results[-1], (window[-2], window[-1]))
    return found if found.is_supported else None


def _rewrite(calls: PrivateCalls, op: ir.Operation, gradient: MaximaGradient) -> None:
    """Replaces an op by a call of its dispatch."""
    body, (given, source) = Body.before(op), [*op.operands][:2]
    images, made_of = (Array(each, static_shape(each), "f32") for each in (given, source))
    high, wide = gradient.window
    flat = reshape(body, images, (gradient.rows, high, gradient.columns * wide))
    maxima = reshape(body, made_of, (gradient.rows, gradient.columns))

    def made(function: FunctionBuilder, images: Array, dy: Array) -> list[Array]:
        return [gradient.emit(function, images, dy)]

    (result,) = calls.before(op, "pool_gradient", [flat.value, maxima.value], made, gradient)
    whole = Array(result, flat.shape, "f32")
    replace(op, reshape(body, whole, images.shape).value)
