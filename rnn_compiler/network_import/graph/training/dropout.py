"""Dropout: off, or with a mask that follows from a seed, the number of the step, and the node.

    y = x * mask    mask = 0 with the node's probability p, else 1 / (1 - p)

The mask is our op's (`lowering.ops.dropout_mask`), the same in every language. Without a seed,
and outside training, y = x.
"""

from __future__ import annotations

import json
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.ops.dropout_mask import OP
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, read_by
from rnn_compiler.network_import.graph.gradients.values import INT64, ShapedValue, Values
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import product

_RATE = 0.5
"""The probability of a node that has none."""


def without_dropout(graph: Graph) -> None:
    """Lets each Dropout pass on what it is given, whatever the file says of training."""
    _check(graph)
    graph.set_nodes([_passed_on(n) if n.op_type == "Dropout" else n for n in graph.proto.node])


def with_dropout(values: Values, seed: int, step: ShapedValue) -> None:
    """Lets each Dropout of a graph multiply by a mask that no other node and no other step has."""
    graph = values.graph
    _check(graph)
    nodes: list[Any] = []
    count = 0
    for node in graph.proto.node:
        rate = _rate(graph, node) if node.op_type == "Dropout" else None
        if rate is None:
            nodes.append(node)
        elif not rate:
            nodes.append(_passed_on(node))
        else:
            values.begin(node.name)
            mask = _mask(values, values[node.input[0]], rate, seed, count, step)
            count += 1
            nodes += values.made
            values.made.clear()
            inputs = [node.input[0], mask.name]
            nodes.append(onnx.helper.make_node("Mul", inputs, [node.output[0]], node.name))
    graph.set_nodes(nodes)


def _mask(
    values: Values, x: ShapedValue, rate: float, seed: int, number: int, step: ShapedValue
) -> ShapedValue:
    """The multipliers of an array, by the seed, the number of the node and that of the step."""
    keys = [values.constant(each, INT64) for each in (seed, number)]
    given = [x.reshape([product(x.sizes), 1]), *keys, step.cast(INT64)]
    name = values.name("mask")
    values.add_op(OP.name, DOMAIN, given, [name], json.dumps({"dropout": rate}))
    return values.typed(name, x.kind, given[0].shape).reshape(x.shape)


def _passed_on(node: Any) -> Any:
    """A node with the result of a Dropout that drops nothing."""
    return onnx.helper.make_node("Identity", [node.input[0]], [node.output[0]], node.name)


def _rate(graph: Graph, node: Any) -> float:
    """The probability with which a node drops elements."""
    attributes = attributes_of(node)
    if "ratio" in attributes:
        return attributes["ratio"].f
    name = node.input[1] if len(node.input) > 1 else ""
    if name and name not in graph.constants():
        raise UnsupportedError(
            f"training_step: {graph.named(node)}: expected a constant probability, got {name!r}, "
            "which is computed; train without dropout="
        )
    return float(onnx.numpy_helper.to_array(graph.constants()[name])) if name else _RATE


def _check(graph: Graph) -> None:
    """Checks that the masks of nodes are not read."""
    needed = {name for node in graph.proto.node for name in read_by(node)}
    needed.update(output.name for output in graph.proto.output)
    for node in graph.proto.node:
        if node.op_type == "Dropout" and needed.intersection(node.output[1:]):
            raise UnsupportedError(
                f"training_step: {graph.named(node)}: its second result, the mask, is not computed"
            )
