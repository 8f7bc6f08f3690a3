"""Loops as steps over the rows of arrays: a `Scan`, or a `Loop` that counts its iterations.

A step reads a row of some arrays, its states, and values that are the same in every step.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.network_import.graph import FLOATS, Graph, attributes_of, onnx, subgraphs
from rnn_compiler.network_import.graph.counters import Counter, Counters

RANDOM = ("Bernoulli", "Multinomial", "Random")
"""Prefixes of the names of random operators."""

_FORWARD, _BACKWARD = Counter(0, 1), Counter(-1, -1)


class CarriedState(NamedTuple):
    """A state of a loop.

    Attributes:
        start: The outer value that it is at first.
        end: The value of the body that it is in the next step.
        result: The outer name of its last value; empty if nothing reads it.
    """

    start: str
    end: str
    result: str


@dataclass(frozen=True)
class Steps:
    """A loop.

    Attributes:
        node: Its node.
        count: The number of steps; None for all rows.
        row: The number of the row that each step reads; below 0 it is one from behind.
        nodes: The nodes of a step, without those that only count.
        rows: The outer arrays of which a step reads a row, by the name of the row.
        states: The states by name.
        fixed: The outer values that are the same in all steps, by their names in the body.
        scanned: The values of the body that become rows of results, with the results' names.
        turned: Those results whose first row is the last step's.
        constants: The constant arrays that the nodes read.
    """

    node: Any
    count: int | None
    row: Counter
    nodes: Sequence[Any]
    rows: Mapping[str, str]
    states: Mapping[str, CarriedState]
    fixed: Mapping[str, str]
    scanned: Sequence[tuple[str, str]]
    turned: set[str]
    constants: Mapping[str, Any]


def steps_of(node: Any, constants: Mapping[str, Any], used: set[str]) -> Steps | None:
    """A node as steps; None if it is no such loop."""
    read = {"Loop": _loop, "Scan": _scan}.get(node.op_type)
    if read is None:
        return None
    body = attributes_of(node)["body"].g
    if any(each.op_type.startswith(RANDOM) or any(subgraphs(each)) for each in body.node):
        return None
    return read(node, body, constants, used)


def _loop(node: Any, body: Any, constants: Mapping[str, Any], used: set[str]) -> Steps | None:
    counters = Counters(node, constants)
    count = counters.iterations()
    if not count:
        return None
    found = {each.output[0]: row for each in body.node if (row := counters.row(each)) is not None}
    numbers = {number for _, number in found.values()}
    if len(numbers) != 1:
        return None
    rows = {name: source for name, (source, _) in found.items()}
    (row,) = numbers
    inputs = [each.name for each in body.input][2:]
    states = _states(inputs, node, 2, [each.name for each in body.output][1:], used)
    states = {
        name: state
        for name, state in states.items()
        if name not in counters.fixed and counters.counter(name) is None
    }
    wanted = {*node.output} & used
    left = {
        result
        for name, result in zip(inputs, node.output, strict=False)
        if name not in states and result in wanted
    }
    if left:
        return None
    read = count, row, rows
    return _made(node, body, constants, used, read, states, counters.fixed, len(inputs))


def _scan(node: Any, body: Any, constants: Mapping[str, Any], used: set[str]) -> Steps | None:
    attributes = attributes_of(node)
    orders = {name: [*each.ints] for name, each in attributes.items() if each.ints}
    directions = {*orders.pop("scan_input_directions", [0])}
    turned = orders.pop("scan_output_directions", [])
    if len(directions) != 1 or any(map(any, orders.values())):
        return None
    row = _BACKWARD if directions == {1} else _FORWARD
    number = len(node.input) - attributes["num_scan_inputs"].i
    inputs = [each.name for each in body.input]
    rows = dict(zip(inputs[number:], node.input[number:], strict=True))
    ends = [each.name for each in body.output]
    states = _states(inputs[:number], node, 0, ends, used)
    made = _made(node, body, constants, used, (None, row, rows), states, {}, number)
    results = zip(node.output[number:], turned, strict=False)
    return replace(made, turned={name for name, is_turned in results if is_turned})


def _states(
    names: Sequence[str], node: Any, first: int, ends: Sequence[str], used: set[str]
) -> dict[str, CarriedState]:
    results = itertools.chain((n if n in used else "" for n in node.output), itertools.repeat(""))
    parts = zip(names, node.input[first:], ends, results, strict=False)
    return {name: CarriedState(start, end, result) for name, start, end, result in parts}


def _made(
    node: Any,
    body: Any,
    constants: Mapping[str, Any],
    used: set[str],
    read: tuple[int | None, Counter, Mapping[str, str]],
    states: Mapping[str, CarriedState],
    fixed: Mapping[str, str],
    number: int,
) -> Steps:
    """The steps of a loop with as many states, given their count, and the rows that they read."""
    count, row, rows = read
    own = {tensor.name: tensor for tensor in body.initializer}
    ends = [each.name for each in body.output][number + (node.op_type == "Loop") :]
    results = node.output[number:]
    scanned = [(e, r) for e, r in zip(ends, results, strict=False) if r in used]
    needed = {name for name, _ in scanned} | {state.end for state in states.values()}
    nodes: list[Any] = []
    for each in reversed(body.node):
        if needed.intersection(each.output) and not rows.keys() & {*each.output}:
            nodes.append(each)
            needed.update(name for name in each.input if name)
    nodes.reverse()
    inner = {name for each in nodes for name in each.output}
    outer = {name: name for name in needed - inner - {*own, *rows, *states, *fixed}}
    fixed = {name: source for name, source in {**outer, **fixed}.items() if name in needed}
    tensors = {name: constants[each] for name, each in fixed.items() if each in constants}
    tensors |= {name: tensor for name, tensor in own.items() if name in needed}
    arrays = {name: onnx.numpy_helper.to_array(tensor) for name, tensor in tensors.items()}
    rows = {name: source for name, source in rows.items() if name in needed}
    return Steps(node, count, row, nodes, rows, states, fixed, scanned, set(), arrays)


def evaluated(graph: Graph, node: Any, arrays: Sequence[Any]) -> Sequence[Any]:
    """The results of a node with constant inputs; ValueError if they cannot be computed."""
    given = {name: array for name, array in zip(node.input, arrays, strict=True) if name}
    return Evaluation(graph, [node], [name for name in node.output if name])(given)


def with_results(
    graph: Graph, nodes: Sequence[Any], arrays: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Any]]:
    """Some arrays with what nodes compute from them alone, in their dtypes, and the other nodes."""
    known, left = dict(arrays), list[Any]()
    for node in nodes:
        if all(name in known for name in node.input if name):
            made = evaluated(graph, node, [known.get(name) for name in node.input])
            known.update(zip((name for name in node.output if name), made, strict=True))
        else:
            left.append(node)
    return known, left


class Evaluation:
    """Some nodes, computed by onnx's reference implementation, their floats as float64 if asked."""

    def __init__(
        self, graph: Graph, nodes: Sequence[Any], outputs: Sequence[str], *, as_double: bool = False
    ) -> None:
        nodes = [_in_double(node) for node in nodes] if as_double else nodes
        made = {name for node in nodes for name in node.output}
        read = dict.fromkeys(name for node in nodes for name in node.input if name)
        inputs = [onnx.ValueInfoProto(name=name) for name in read if name not in made]
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        alone = onnx.helper.make_graph(nodes, "step", inputs, results)
        versions = {"opset_imports": graph.model.opset_import, "ir_version": graph.model.ir_version}
        self._inputs = {each.name for each in inputs}
        self._model = onnx.helper.make_model(alone, **versions)

    def __call__(self, given: Mapping[str, Any]) -> Sequence[Any]:
        """The results; ValueError if they cannot be computed."""
        feeds = {name: array for name, array in given.items() if name in self._inputs}
        try:
            with np.errstate(all="ignore"):
                return onnx.reference.ReferenceEvaluator(self._model).run(None, feeds)
        except Exception as error:  # any error of numpy for the file's values
            raise ValueError(str(error)) from error


_DOUBLE = onnx.TensorProto.DOUBLE
_FLOATS = FLOATS - {_DOUBLE}


def _in_double(node: Any) -> Any:
    """A node with float64 in place of other floats."""
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for attribute in copy.attribute:
        if copy.op_type == "Cast" and attribute.name == "to" and attribute.i in _FLOATS:
            attribute.i = _DOUBLE
        if attribute.HasField("t") and attribute.t.data_type in _FLOATS:
            array = onnx.numpy_helper.to_array(attribute.t).astype(np.float64)
            attribute.t.CopyFrom(onnx.numpy_helper.from_array(array))
    return copy
