"""Cuts from the inputs of a network's convolutions and pools what no window reads.

With strides, the last columns of an input, or of its padding, may be read by no window. IREE 3.13
takes such an input for a larger one where there is a single window: it writes and reads beyond
arrays, without a diagnostic.
"""

from __future__ import annotations

import re

from rnn_compiler.lowering.analysis.values import element, shape, static_shape
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.schema.open_sizes import is_static

__all__ = ["cut_unread"]

_WINDOWED = re.compile(r"linalg\.(conv|depthwise_conv|pooling)_(\w+_)?ng?c(w|hw|dhw)(_|$)")
"""Ops whose windows move along the last axes of the first operand, and have the sizes of the last
axes of the second."""


def cut_unread(op: ir.Operation) -> None:
    """Cuts the input of an op, if windows move along it and do not reach its end."""
    if not _WINDOWED.match(op.name) or not is_static(*shape(op.operands[0])):
        return
    strides, dilations = (
        [*ir.DenseIntElementsAttr(op.attributes[name])] for name in ("strides", "dilations")
    )
    moved = len(strides)
    given = static_shape(op.operands[0])
    places = static_shape(op.results[0])[-moved:]
    window = static_shape(op.operands[1])[-moved:]
    moves = zip(places, window, strides, dilations, strict=True)
    reach = [(o - 1) * stride + (k - 1) * dilation + 1 for o, k, stride, dilation in moves]
    sizes = (*given[:-moved], *reach)
    if sizes != given:
        array = Array(op.operands[0], given, element(op.operands[0]))
        op.operands[0] = Body.before(op).extract(array, [0] * len(given), sizes).value
