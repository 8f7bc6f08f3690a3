"""Unrolls a `Loop` whose iterations can be counted at import.

They can if the maximum number of iterations and the first condition are constants, and if later
conditions depend only on those, on the iteration number, and on states with the same property, such
as counters. Keras' GRU with `reset_after` is such a loop if its length is known, as tf2onnx
writes it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, subgraphs

__all__ = ["rename", "unrolled"]

_MOST_NODES = 1 << 13
"""The most nodes of a graph after unrolling."""


def unrolled(
    graph: Graph, node: Any, constants: dict[str, Any], made: list[Any]
) -> list[Any] | None:
    """The nodes of all iterations, for the graph that contains the loop; its constants are added.

    Args:
        graph: The graph.
        node: The node.
        constants: The constants of the graph, by name.
        made: Receives new constants.

    Returns:
        The nodes; None if this is not a loop, or its iterations cannot be counted or are too many.
    """
    if node.op_type != "Loop":
        return None
    body = attributes_of(node)["body"].g
    count = _iterations(graph, node, body, constants)
    states = [*node.input[2:]]
    carried, scanned = body.output[1 : 1 + len(states)], body.output[1 + len(states) :]
    if count is None or (scanned and not count):
        return None
    shared = {tensor.name: f"{node.name}/{tensor.name}" for tensor in body.initializer}
    for tensor in body.initializer:
        copy = onnx.TensorProto()
        copy.CopyFrom(tensor)
        copy.name = shared[tensor.name]
        made.append(copy)
    constant = _Constants(node.name, made)
    nodes: list[Any] = []
    rows: list[list[str]] = [[] for _ in scanned]
    for number in range(count):
        given = [constant.of(np.array(number, np.int64)), constant.of(np.array(True)), *states]
        names = {**shared, **dict(zip((each.name for each in body.input), given, strict=True))}
        own = (name for each in body.node for name in each.output if name)
        names |= {name: f"{node.name}/{number}/{name}" for name in own}
        for position, each in enumerate(body.node):
            copy = onnx.NodeProto()
            copy.CopyFrom(each)
            copy.name = f"{node.name}/{number}/{each.name or f'{each.op_type}_{position}'}"
            rename(copy, names)
            nodes.append(copy)
        states = [names.get(each.name, each.name) for each in carried]
        for row, each in zip(rows, scanned, strict=True):
            name = f"{node.name}/{number}/row of {each.name}"
            parts = [names.get(each.name, each.name), constant.of(np.array([0], np.int64))]
            nodes.append(onnx.helper.make_node("Unsqueeze", parts, [name], name=name))
            row.append(name)
    results: list[tuple[str, list[str], dict[str, int]]]
    results = [("Identity", [state], {}) for state in states]
    results += [("Concat", row, {"axis": 0}) for row in rows]
    for (operator, parts, how), name in zip(results, node.output, strict=False):
        if name:
            called = f"{node.name}/{name}"
            nodes.append(onnx.helper.make_node(operator, parts, [name], name=called, **how))
    return nodes


def rename(node: Any, names: dict[str, str]) -> None:
    """Renames the values that a node reads and writes, also in graphs inside it."""
    for field in (node.input, node.output):
        field[:] = [names.get(name, name) for name in field]
    for graph in subgraphs(node):
        for each in graph.node:
            each.input[:] = [names.get(name, name) for name in each.input]
        for output in graph.output:
            output.name = names.get(output.name, output.name)


class _Constants:
    """Constants added for a loop, without repetitions."""

    def __init__(self, name: str, made: list[Any]) -> None:
        self._name, self._made = name, made
        self._known: dict[str, str] = {}

    def of(self, array: Any) -> str:
        """The name of a constant."""
        key = f"{array.dtype}{array.tolist()}"
        if key not in self._known:
            self._known[key] = f"{self._name}/{key}"
            self._made.append(onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]


def _iterations(graph: Graph, node: Any, body: Any, constants: dict[str, Any]) -> int | None:
    """The number of iterations; None if it is unknown or too large."""
    most, condition = (
        _value(name, constants) if name else default
        for name, default in zip(node.input[:2], (math.inf, True), strict=True)
    )
    if most is None or condition is None:
        return None
    limit = (_MOST_NODES - len(graph.proto.node)) // max(len(body.node), 1)
    needed, nodes = _slice(body)
    inputs = [each.name for each in body.input]
    own = {name for each in nodes for name in each.output} | {*inputs}
    own |= {tensor.name for tensor in body.initializer}
    outer = {name for each in nodes for name in each.input if name} - own
    starts = {name: node.input[k] for k, name in enumerate(inputs) if k > 1 and name in needed}
    if not {*outer, *starts.values()} <= {*constants} or any(
        True for each in nodes for _ in subgraphs(each)
    ):
        return None
    values = {name: onnx.numpy_helper.to_array(constants[first]) for name, first in starts.items()}
    ends = [body.output[inputs.index(name) - 1].name for name in starts]
    outputs = [*dict.fromkeys([body.output[0].name, *ends])]
    step = onnx.helper.make_graph(
        nodes,
        "condition",
        [onnx.ValueInfoProto(name=name) for name in (*inputs[:2], *starts)],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [*body.initializer, *(constants[name] for name in sorted(outer))],
    )
    versions = {"opset_imports": graph.model.opset_import, "ir_version": graph.model.ir_version}
    number = 0
    try:
        evaluator = onnx.reference.ReferenceEvaluator(onnx.helper.make_model(step, **versions))
        while number < most and condition:
            if number >= limit:
                return None
            given = {inputs[0]: np.array(number), inputs[1]: np.array(True), **values}
            results = dict(zip(outputs, evaluator.run(None, given), strict=True))
            condition = bool(np.all(results[body.output[0].name]))
            values = {name: results[end] for name, end in zip(starts, ends, strict=True)}
            number += 1
    except Exception:  # any error of numpy for the file's values; the loop is refused then
        return None
    return number


def _value(name: str, constants: dict[str, Any]) -> int | None:
    if name not in constants:
        return None
    array = onnx.numpy_helper.to_array(constants[name])
    return int(array.reshape(-1)[0]) if array.size == 1 else None


def _slice(body: Any) -> tuple[set[str], list[Any]]:
    """The values that a loop's conditions depend on, and the nodes that compute them."""
    inputs = [each.name for each in body.input]
    needed = {body.output[0].name}
    while True:
        before = len(needed)
        nodes = [each for each in reversed(body.node) if needed.intersection(each.output)]
        needed.update(name for each in nodes for name in each.input)
        needed.update(
            body.output[k - 1].name for k, n in enumerate(inputs) if k > 1 and n in needed
        )
        if len(needed) == before:
            return needed, nodes[::-1]
