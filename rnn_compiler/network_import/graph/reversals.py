"""Rewrites ReverseSequence, which IREE's importer turns into a loop over the rows of the batch.

Step ``t`` of a row is gathered from step ``where(t < length, length - 1 - t, t)``. If all rows have
all steps, as in Keras' `go_backwards`, the array is sliced backwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement

_LEAST_OPSET = 12
"""The first version in which Min takes integers."""

_FIRST = -(1 << 31)
"""An end of slices that lies before every array."""


def plain_reversals(graph: Graph, *, waits: bool = True) -> bool:
    """Replaces the nodes; returns whether there were any.

    With `waits`, not those of an unknown number of steps: it is known once the loop is replaced
    that makes them, and then whether all rows have all of them.
    """
    if graph.opset < _LEAST_OPSET:
        return False
    types, constants = graph.all_types(), graph.constants()
    makers = {name: node for node in graph.proto.node for name in node.output}

    def plain(node: Any) -> list[Any]:
        sizes = shape_of(types.get(node.input[0]))
        if sizes is None or (waits and sizes[_time(node, sizes)] is None):
            return []
        return _plain(graph, node, sizes, _number(node.input[1], makers, constants))

    return graph.replace_nodes(plain, ("ReverseSequence",))


def reversed_rows(made: Replacement, array: str, axis: int = 0) -> str:
    """Adds the reversal of an array along an axis."""
    bounds = -1, _FIRST, axis, -1
    return made.add("Slice", array, *(made.constant([bound]) for bound in bounds))


def _number(name: str, makers: Mapping[str, Any], constants: Mapping[str, Any]) -> int | None:
    """The number that an array repeats, even one too large to be computed; None if not known."""
    while name not in constants and name in makers and makers[name].op_type == "Expand":
        name = makers[name].input[0]
    known = name in constants
    array: Any = onnx.numpy_helper.to_array(constants[name]) if known else np.zeros(0)
    return int(array.flat[0]) if array.size and np.all(array == array.flat[0]) else None


def _time(node: Any, sizes: Sequence[int | None]) -> int:
    """Which axis of a node's input are the steps."""
    return value_in(attributes_of(node), "time_axis", 0) % len(sizes)


def _plain(graph: Graph, node: Any, sizes: Sequence[int | None], number: int | None) -> list[Any]:
    """The nodes that reverse an array, given the number of steps that all of its rows have."""
    x, lengths = node.input
    time = _time(node, sizes)
    made = Replacement(graph, node)
    add, constant = made.add, made.constant
    if number is not None and number == sizes[time]:
        reversed_rows(made, x, time)
    else:
        shape, first, one = add("Shape", x), constant(0), constant(1)
        count = add("Gather", shape, constant(time))
        along, across = (
            constant([-1 if k == axis else 1 for k in range(len(sizes))])
            for axis in (time, 1 - time)
        )
        steps = add("Reshape", add("Range", first, count, one), along)
        lengths = add("Cast", lengths, to=onnx.TensorProto.INT64)
        lengths = add("Reshape", add("Min", lengths, count), across)
        reversed = add("Sub", add("Sub", lengths, one), steps)
        source = add("Where", add("Less", steps, lengths), reversed, steps)
        add("GatherElements", x, add("Expand", source, shape), axis=time)
    return made.finished()
