"""Rewrites ReduceLogSumExp, which IREE's importer computes in float64, and as infinity from 710 on.

The largest number is taken out of the sum, unless it is infinite:

    log(sum(exp(x))) = log(sum(exp(x - largest))) + largest
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import FLOATS, Graph, attributes_of, onnx, value_in
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites


@rewrites("ReduceLogSumExp", least_opset=10)  # from which there is IsInf
def plain_log_sums(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The nodes of a sum, of small floats in float32; itself if it is one of integers."""
    element, attributes = kind.tensor_type.elem_type, attributes_of(node)
    keeps_empty = value_in(attributes, "noop_with_empty_axes", 0)
    if element not in FLOATS or keeps_empty:
        return [node]
    made = Replacement(graph, node)
    add, (x, *axes) = made.add, node.input
    given = {"axes": [*attributes["axes"].ints]} if "axes" in attributes else {}
    kept = value_in(attributes, "keepdims", 1)
    is_double = element == onnx.TensorProto.DOUBLE
    is_small = not is_double and element != onnx.TensorProto.FLOAT
    x = add("Cast", x, to=onnx.TensorProto.FLOAT) if is_small else x
    zero = made.constant(0, np.float64 if is_double else np.float32)

    def largest(keepdims: int) -> str:
        most = add("ReduceMax", x, *axes, keepdims=keepdims, **given)
        inside = add("Cast", most, to=onnx.TensorProto.FLOAT) if is_double else most
        return add("Where", add("IsInf", inside), zero, most)

    shifted = add("Exp", add("Sub", x, largest(1)))
    add("Add", add("ReduceLogSum", shifted, *axes, keepdims=kept, **given), largest(kept))
    if is_small:
        add("Cast", made.nodes[-1].output[0], to=element)
    return made.finished()
