"""Turns a `Loop` whose iterations can be counted into a `Scan`, which IREE's importer takes.

The number of the iteration becomes a state. Arrays of which every iteration reads the next row,
from the first or from the last on, are scanned; other rows are gathered by the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, read_by
from rnn_compiler.network_import.graph.counters import Counter, Counters, is_all
from rnn_compiler.network_import.graph.replacement import Replacement
from rnn_compiler.network_import.graph.reversals import reversed_rows


def scan_of(graph: Graph, node: Any, count: int) -> list[Any]:
    """The nodes that replace a Loop of so many iterations; adds their constants to the graph."""
    body, counters = attributes_of(node)["body"].g, Counters(node, graph.constants())
    number, go, *states = (each.name for each in body.input)
    ends = [each.name for each in body.output[1:]]
    found = dict(_rows(body, counters, count, graph.shapes()))
    nodes, needed = _needed(body, ends, found)
    rows = {name: row for name, row in found.items() if name in needed}
    made = Replacement(graph, node)
    arrays = [
        reversed_rows(made, array) if is_turned else array for array, is_turned in rows.values()
    ] or [made.add("ConstantOfShape", made.constant([count]))]
    one, after = f"{node.name}.one", f"{node.name}.after"
    own = [onnx.numpy_helper.from_array(np.array(1), one)]
    if go in needed:
        own.append(onnx.numpy_helper.from_array(np.array(True), go))
    nodes.append(onnx.helper.make_node("Add", [number, one], [after], after))
    results = [f"{node.name}.end{k}" for k in range(len(ends))]
    nodes += [
        onnx.helper.make_node("Identity", [end], [name], name)
        for end, name in zip(ends, results, strict=True)
    ]
    step = onnx.GraphProto(name=body.name, node=nodes, initializer=[*body.initializer, *own])
    step.input.extend(map(_value, [number, *states, *(rows or [f"{node.name}.row"])]))
    step.output.extend(map(_value, [after, *results]))
    starts = [made.constant(0), *node.input[2:], *arrays]
    outputs = [f"{node.name}.count", *node.output]
    named = [name or f"{node.name}.unread{k}" for k, name in enumerate(outputs)]
    scan = onnx.helper.make_node(
        "Scan", starts, named, node.name, body=step, num_scan_inputs=len(arrays)
    )
    graph.origins.setdefault(node.name, (node.name, node.op_type))
    return [*made.nodes, scan]


def _value(name: str) -> Any:
    return onnx.ValueInfoProto(name=name)


def _rows(
    body: Any, counters: Counters, count: int, shapes: Mapping[str, Sequence[int | None]]
) -> Iterator[tuple[str, tuple[str, bool]]]:
    """The values of a body that are an array's next row, with it, and whether from the last on."""
    for node in body.node:
        array, row = counters.row(node) or ("", None)
        sizes = shapes.get(array)
        if row is None or not sizes or not sizes[0] or not is_all(count, sizes[0]):
            continue
        if row == Counter(0, 1):
            yield node.output[0], (array, False)
        elif row.step == -1 and row.start in (-1, sizes[0] - 1):
            yield node.output[0], (array, True)


def _needed(body: Any, ends: Sequence[str], known: Mapping[str, Any]) -> tuple[list[Any], set[str]]:
    """The nodes that some values of a body need beside known ones, and the values they read."""
    nodes, needed = list[Any](), {*ends}
    for node in reversed(body.node):
        if needed.intersection(node.output) and node.output[0] not in known:
            nodes.insert(0, node)
            needed.update(read_by(node))
    return nodes, needed
