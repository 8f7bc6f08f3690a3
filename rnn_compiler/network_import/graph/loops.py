"""Writes a `Loop` out whose iterations can be counted at import, and a short `Scan`.

A Loop's can if the maximum number of iterations and the first condition are constants, and if later
conditions depend only on those, on the iteration number, and on states with the same property, such
as counters. Loops that are long, or whose number of iterations is open, stay loops; these become
Scans (`counted_loops`), which IREE takes. Loops that compute recurrent layers are replaced before
(`written_out`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import (
    Graph,
    attributes_of,
    onnx,
    read_by,
    shape_of,
    subgraphs,
    value_in,
)
from rnn_compiler.network_import.graph.axes import OpenAxis
from rnn_compiler.network_import.graph.counted_loops import scan_of
from rnn_compiler.network_import.graph.counters import Counters

_MOST_NODES = 1 << 13
"""The most nodes of a graph after loops are written out."""

_MOST_NODES_OF_SCAN = 1 << 10
"""The most nodes of a Scan that is written out; others stay loops."""

_SCANS_OF_ROWS = 9
"""The first version in which Scan has no axis of the batch."""


class _LoopLayout(NamedTuple):
    """How the inputs and outputs of a loop and of its body are ordered.

    Attributes:
        before: The number of inputs before the states, of the node and of the body.
        states: The number of states.
        ahead: The number of outputs of the body before the states.
    """

    before: int
    states: int
    ahead: int

    @staticmethod
    def of(node: Any) -> _LoopLayout:
        """The form of a Loop or Scan."""
        if node.op_type == "Loop":
            return _LoopLayout(2, len(node.input) - 2, 1)
        return _LoopLayout(0, len(node.input) - attributes_of(node)["num_scan_inputs"].i, 0)


def write_out_loops(graph: Graph) -> bool:
    """Writes loops out whose iterations can be counted; returns whether there were any."""
    counts = _all_iterations(graph)
    nodes: list[Any] = []
    made: list[Any] = []
    changed = False
    for node in graph.proto.node:
        count = counts.get(node.name)
        stays = count is None or _stays(graph, node, count, len(nodes))
        if count is None or (node.op_type == "Scan" and stays):
            nodes.append(node)
            continue
        changed = True
        if stays:
            nodes += scan_of(graph, node, count)
        else:
            nodes += _WrittenOut(graph, node, made).nodes(count)
    if changed:
        graph.proto.initializer.extend(made)
        graph.set_nodes(nodes)
    return changed


def results_of_open_lengths(
    graph: Graph, axes: Sequence[OpenAxis], folded: Iterable[Graph]
) -> frozenset[str]:
    """The results of loops with an open number of steps.

    `folded` are the graph at its usual sizes, and at another size of each axis, before loops are
    written out.
    """
    if not {"Loop", "Scan"}.intersection(graph.operators()):
        return frozenset()
    graphs = [*itertools.islice(folded, 1 + len(axes))]
    usual, *others = map(_all_iterations, graphs)
    found: set[str] = set()
    for counts in others:
        for node in graphs[0].proto.node:
            count = usual.get(node.name)
            if counts.get(node.name, count) == count:
                continue
            found.update(node.output)
    return frozenset(found)


def _all_iterations(graph: Graph) -> dict[str, int | None]:
    """The numbers of iterations of a graph's loops, by name; None for unknown ones."""
    constants, types = graph.constants(), graph.types()
    counts: dict[str, int | None] = {}
    for node in graph.proto.node:
        if node.op_type == "Loop":
            counts[node.name] = _iterations(graph, node, constants)
        elif node.op_type == "Scan" and graph.opset >= _SCANS_OF_ROWS:
            numbers = set[int | None]()
            orders = _orders(node, "scan_input_axes")
            for rows, axis in zip(node.input[_LoopLayout.of(node).states :], orders, strict=False):
                shape = shape_of(types.get(rows))
                shape = [*constants[rows].dims] if rows in constants else shape
                numbers.add(shape[axis] if shape else None)
            counts[node.name] = numbers.pop() if len(numbers) == 1 else None
    return counts


def _orders(node: Any, name: str) -> list[int]:
    """An attribute of a Scan that has a number for each of its arrays."""
    return value_in(attributes_of(node), name, [0] * len([*node.input, *node.output]))


def _stays(graph: Graph, node: Any, count: int, others: int) -> bool:
    """Whether a loop is not written out, beside so many other nodes."""
    _, repeated, _ = _divided(node)
    each = len(repeated)
    most = _MOST_NODES_OF_SCAN if node.op_type == "Scan" else _MOST_NODES
    is_long = count * each > min(most, _MOST_NODES - others)
    return count > 0 and (is_long or not graph.held.isdisjoint(node.output))


def _divided(node: Any) -> tuple[list[Any], list[tuple[int, Any]], list[int]]:
    """The nodes of a loop's body that compute the same in every iteration, and the others.

    The others come with their positions. Last are the numbers of the states that stay the same.
    """
    body, form = attributes_of(node)["body"].g, _LoopLayout.of(node)
    inputs = [each.name for each in body.input]
    own = inputs[form.before : form.before + form.states]
    ends = [each.name for each in body.output[form.ahead : form.ahead + form.states]]
    same = [k for k, (name, end) in enumerate(zip(own, ends, strict=True)) if name == end]
    varying = {*inputs} - {own[k] for k in same}
    once: list[Any] = []
    repeated: list[tuple[int, Any]] = []
    for position, each in enumerate(body.node):
        if varying.isdisjoint(read_by(each)):
            once.append(each)
        else:
            varying.update(each.output)
            repeated.append((position, each))
    return once, repeated, same


class _WrittenOut:
    """The iterations of a loop as nodes of the graph that contains it.

    Nodes that compute the same in every iteration, such as those that split weights, are written
    once.
    """

    def __init__(self, graph: Graph, node: Any, made: list[Any]) -> None:
        self._graph, self._node, self._made = graph, node, made
        self._body = attributes_of(node)["body"].g
        self._constant = _ConstantPool(node.name, made)
        self._used = {each.name for each in graph.proto.output}
        self._used.update(*map(read_by, graph.proto.node))
        self._names = {t.name: f"{node.name}/{t.name}" for t in self._body.initializer}
        for tensor in self._body.initializer:
            copy = onnx.TensorProto()
            copy.CopyFrom(tensor)
            copy.name = self._names[tensor.name]
            made.append(copy)

    def nodes(self, count: int) -> list[Any]:
        """The nodes of as many iterations, and those that give the loop's results their names."""
        node, body = self._node, self._body
        form = _LoopLayout.of(node)
        once, repeated, same = _divided(node)
        inputs = [each.name for each in body.input]
        states, arrays = self._parts(node.input[form.before :])
        carried, scanned = self._parts([each.name for each in body.output[form.ahead :]])
        self._names |= {inputs[form.before + k]: states[k] for k in same}
        self._names |= {n: f"{node.name}/{n}" for each in once for n in each.output if n}
        nodes = [self._copied(each, "all", k, self._names) for k, each in enumerate(once)]
        rows: list[list[str]] = [[] for _ in scanned]
        for number in range(count):
            given = [
                self._constant.of(np.array(number, np.int64)),
                self._constant.of(np.array(True)),
            ][: form.before]
            read = self._read_rows(arrays, number, count)
            nodes += read
            given += [*states, *(each.output[0] for each in read)]
            names = {**self._names, **dict(zip(inputs, given, strict=True))}
            own = (name for _, each in repeated for name in each.output if name)
            names |= {name: f"{node.name}/{number}/{name}" for name in own}
            nodes += [self._copied(each, number, k, names) for k, each in repeated]
            states = [names.get(name, name) for name in carried]
            for k, (row, name) in enumerate(zip(rows, scanned, strict=True)):
                made = f"{node.name}/{number}/row {k} of {name}"
                axis = _orders(node, "scan_output_axes")[k]
                parts = [names.get(name, name), self._constant.of(np.array([axis], np.int64))]
                nodes.append(onnx.helper.make_node("Unsqueeze", parts, [made], name=made))
                is_turned = _orders(node, "scan_output_directions")[k]
                row.insert(0 if is_turned else len(row), made)
        results: list[tuple[str, list[str], dict[str, int]]]
        results = [("Identity", [state], {}) for state in states]
        axes = _orders(node, "scan_output_axes")
        results += [("Concat", row, {"axis": axes[k]}) for k, row in enumerate(rows)]
        for (operator, parts, how), name in zip(results, node.output, strict=False):
            if name in self._used:
                called = f"{node.name}/{name}"
                parts = parts or [self._no_rows(name)]
                nodes.append(onnx.helper.make_node(operator, parts, [name], name=called, **how))
        return nodes

    def _parts(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """The states and the arrays among some inputs or outputs."""
        number = _LoopLayout.of(self._node).states
        return [*names[:number]], [*names[number:]]

    def _read_rows(self, arrays: Sequence[str], number: int, count: int) -> list[Any]:
        """The nodes that read the rows of an iteration of a Scan."""
        nodes: list[Any] = []
        for k, array in enumerate(arrays):
            name = f"{self._node.name}/{number}/row {k} of {array}"
            is_turned = _orders(self._node, "scan_input_directions")[k]
            row = self._constant.of(np.array(count - 1 - number if is_turned else number))
            axis = _orders(self._node, "scan_input_axes")[k]
            nodes.append(onnx.helper.make_node("Gather", [array, row], [name], name, axis=axis))
        return nodes

    def _no_rows(self, name: str) -> str:
        """A result of no iteration."""
        kind = self._graph.types().get(name)
        shape = [size or 0 for size in shape_of(kind) or ()]
        if kind is None or shape.count(0) != 1 or self._graph.is_open:
            raise UnsupportedError(
                f"import_network: node {self._node.name!r} ({self._node.op_type}): expected at "
                f"least one iteration for the rows of {name!r}, got none; correct the number of "
                "iterations, or fix all sizes with dims="
            )
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
        return self._constant.of(np.empty(shape, dtype))

    def _copied(self, node: Any, iteration: object, position: int, names: dict[str, str]) -> Any:
        """A node of an iteration, with other names."""
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        called = node.name or f"{node.op_type}_{position}"
        copy.name = f"{self._node.name}/{iteration}/{called}"
        rename(copy, names)
        return copy


def rename(node: Any, names: dict[str, str]) -> None:
    """Renames the values that a node reads and writes, also in graphs inside it."""
    for field in (node.input, node.output):
        field[:] = [names.get(name, name) for name in field]
    for graph in subgraphs(node):
        for each in graph.node:
            each.input[:] = [names.get(name, name) for name in each.input]
        for output in graph.output:
            output.name = names.get(output.name, output.name)


class _ConstantPool:
    """Constants added for a loop, without repetitions."""

    def __init__(self, name: str, made: list[Any]) -> None:
        self._name, self._made = name, made
        self._known: dict[str, str] = {}

    def of(self, array: Any) -> str:
        """The name of a constant."""
        key = f"{array.dtype}{array.tolist() if array.size else array.shape}"
        if key not in self._known:
            self._known[key] = f"{self._name}/{key}"
            self._made.append(onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]


def _iterations(graph: Graph, node: Any, constants: dict[str, Any]) -> int | None:
    """The number of iterations; None if it is unknown."""
    count = Counters(node, constants).iterations()
    return _evaluated_iterations(graph, node, constants) if count is None else count


def _evaluated_iterations(graph: Graph, node: Any, constants: dict[str, Any]) -> int | None:
    """The number of iterations, whose conditions are evaluated; None if it is too large."""
    body = attributes_of(node)["body"].g
    most, condition = (
        _value(name, constants) if name else default
        for name, default in zip(node.input[:2], (math.inf, True), strict=True)
    )
    if most is None or condition is None:
        return None
    limit = _MOST_NODES // max(len(body.node), 1) + 1
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
