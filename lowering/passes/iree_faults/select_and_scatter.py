"""Writes gradients of maxima and minima over windows as choices between parts of their input.

Requires: a portable module.
Matches: everywhere, `stablehlo.select_and_scatter` with small windows of known sizes, without
padding, whose selection is a comparison of its arguments, and which adds. The elements of all
windows that stand at the same place are a part of the input. The comparison chooses between each
part and the best elements so far; where a part is chosen, its elements get the numbers to scatter.
Ensures: the same numbers.

IREE takes only windows that lie side by side, and of several equal elements it chooses the last
one, where StableHLO chooses the first (`tests/linking/test_pool_gradients.py`).
"""

from __future__ import annotations

import itertools
import math

from rnn_compiler.lowering.analysis.scattered_windows import ScatteredWindows, scattered_windows
from rnn_compiler.lowering.analysis.values import element, static_shape
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.stablehlo import full, sliced
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import replace

_MOST = 64
"""The most elements of a window; more would make the module large."""


def no_elements_are_selected(context: PassContext) -> str | None:
    """No gradient is left that `select_and_scatter` takes."""
    return first(str(each.op) for each in _small(context))


@pass_with(requires=(), ensures=(no_elements_are_selected,))
def select_and_scatter(context: PassContext) -> None:
    """Rewrites the gradients."""
    for each in _small(context):
        replace(each.op, _in_parts(each).value)


def _small(context: PassContext) -> list[ScatteredWindows]:
    """The ops to rewrite."""
    found = scattered_windows(context.module)
    return [each for each in found if math.prod(each.window) <= _MOST]


def _in_parts(windows: ScatteredWindows) -> Array:
    """Emits the gradient."""
    op, window, strides, compared = windows
    body, kind = Body.before(op), element(op.operands[0])
    x, dy, start = (Array(each, static_shape(each), kind) for each in op.operands)
    attributes = {name: compared.attributes[name] for name in compared.attributes}
    flags, numbers = ArrayType(dy.shape, "i1"), ArrayType(dy.shape, "i32")
    places = [*itertools.product(*map(range, window))]
    counts = static_shape(op.operands[1])
    best, chosen = sliced(body, x, places[0], counts, strides), full(body, 0, numbers)
    for number, place in enumerate(places[1:], 1):
        other = sliced(body, x, place, counts, strides)
        stays = body.array("stablehlo.compare", [best, other], flags, attributes)
        best = body.array("stablehlo.select", [stays, best, other], dy.type)
        operands = [stays, chosen, full(body, number, numbers)]
        chosen = body.array("stablehlo.select", operands, numbers)
    none = {"broadcast_dimensions": integers([])}
    total = body.array("stablehlo.broadcast_in_dim", [start], x.type, none)
    zero, equal = full(body, 0, ArrayType((), kind)), _equal()
    for number, place in enumerate(places):
        here = [chosen, full(body, number, numbers)]
        is_here = body.array("stablehlo.compare", here, flags, equal)
        given = [is_here, dy, full(body, 0, dy.type)]
        part = body.array("stablehlo.select", given, dy.type)
        axes = zip(static_shape(op.operands[0]), counts, place, strides, strict=True)
        behind = [size - at - (count - 1) * stride - 1 for size, count, at, stride in axes]
        edges = {"edge_padding_low": integers(place), "edge_padding_high": integers(behind)}
        edges["interior_padding"] = integers([stride - 1 for stride in strides])
        spread = body.array("stablehlo.pad", [part, zero], x.type, edges)
        total = body.array("stablehlo.add", [total, spread], x.type)
    return total


def _equal() -> dict[str, ir.Attribute]:
    """The attributes of a comparison for equality."""
    return {"comparison_direction": ir.Attribute.parse("#stablehlo<comparison_direction EQ>")}
