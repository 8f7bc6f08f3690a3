"""Recognises LSTM, GRU and SimpleRNN in loops of TensorFlow 2, as Keras' layers are written.

A loop (While) reads a list of the input's steps. Its body computes one step with ordinary ops,
which are followed as formulas (`formulas`) and compared with the cells (`loop_cells`), whatever
their names and order. So the layers of models without configurations are
found: those that Keras 3 exports, and functions that TensorFlow saved.

Sources: tensorflow/core/ops/list_ops.cc, keras/src/backend/tensorflow/rnn.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from rnn_compiler.model_import.formulas import Formula, formula_in, is_array, variable
from rnn_compiler.model_import.layer import Layer
from rnn_compiler.model_import.loop_cells import (
    MOST_STATES,
    Expressions,
    Other,
    UnknownCellError,
    Value,
    integers,
    is_next,
    is_number,
    onnx_weights,
)
from rnn_compiler.model_import.loop_layers import DirectedLoop, joined, layer_of
from rnn_compiler.model_import.messages import Shape
from rnn_compiler.model_import.reading import Budget
from rnn_compiler.model_import.tensorflow_graph import (
    LOOPS,
    Constants,
    GraphValue,
    Scope,
    attributes_of,
    data_inputs,
    layer_name,
    number_in,
)

_LIST, _READ = "TensorListFromTensor", "TensorListGetItem"
_FOUND = {"MatMul", _READ}
_MOST_TURNS = 10
"""The most ops that turn an input before a loop."""

_BYTES_OF_NODE = 1_000
"""About what following a node takes."""

_WHILE = re.compile(r"/while(_\d+)?$")
_HALF = re.compile(r"(?:^|/)(forward|backward)_[^/]*$")

_HALVES = {
    "forward": "the model combines its output with that of backward: it appends it, unless "
    "merge_mode says otherwise",
    "backward": "its output is in the order of its input: reverse it, unless the model uses its "
    "last step alone, and combine it with that of forward",
}

ShapeOf: TypeAlias = Callable[[GraphValue], "Shape | None"]


def loops_with_cells(
    constants: Constants,
    budget: Budget,
    shape_of: ShapeOf,
    is_kept: Callable[[GraphValue], bool],
) -> Iterator[tuple[Scope, list[Any], Layer | None]]:
    """The layers of loops whose step is that of a cell, each with its scope and its loops.

    Two loops that are both directions of a layer are one. A copy of one of them alone, in a
    function that no signature calls, is none. `is_kept` tells what is kept from call to call.
    """
    graph = constants.graph
    groups: list[tuple[Scope, tuple[_TensorflowLoop, ...]]] = []
    for scope in graph.scopes(LOOPS):
        found: list[_TensorflowLoop] = []
        for node in scope.body.nodes.values():
            if node.op not in LOOPS:
                continue
            attributes = attributes_of(node)
            names = [attributes[k].func.name if k in attributes else "" for k in ("body", "cond")]
            if any(name not in graph.functions or scope.calls_itself(name) for name in names):
                continue
            body, condition = (graph.child(scope, node, name) for name in names)
            if not body.body.ops >= _FOUND:
                continue
            budget.take(_BYTES_OF_NODE * len(body.body.nodes))  # a body may be that of many loops
            try:
                reader = _LoopReader(constants, budget, scope, body, condition)
                found.append(reader.loop(node, shape_of, is_kept))
            except UnknownCellError:
                continue
        groups += [(scope, loops) for loops in joined(found)]
    halves = {_numbers(each) for _, loops in groups if len(loops) > 1 for each in loops}
    for scope, loops in groups:
        nodes = [each.node for each in loops]
        if len(loops) == 1 and not scope.is_reached and halves and _numbers(loops[0]) in halves:
            yield scope, nodes, None
            continue
        yield scope, nodes, _layer(scope, loops, graph.path)


def _numbers(loop: _TensorflowLoop) -> bytes:
    """The weights of a loop's cell, which tell copies of it."""
    arrays = [np.ascontiguousarray(each) for each in onnx_weights(loop.cell)]
    return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).digest()


@dataclass(frozen=True, eq=False)
class _TensorflowLoop(DirectedLoop):
    """A loop of a cell.

    Attributes:
        node: Its node.
        name: Its name.
        time_axis: Which axis of its input are the steps.
        sizes: The number of steps, and the batch size.
    """

    node: Any
    name: str
    time_axis: int
    sizes: tuple[int | None, int | None]


def _layer(scope: Scope, loops: Sequence[_TensorflowLoop], path: Path) -> Layer:
    """The layer of a loop, or of those of both directions."""
    first, is_both = loops[0], len(loops) > 1
    half = _HALF.search(first.name)
    notes: list[str] = []
    if half is not None and not is_both:
        notes.append(_HALVES[half[1]])
    if not scope.is_reached:
        notes.append(f"it is in {scope.path[0]}, a function that no signature calls")
    name = first.name.removesuffix(half[0]) if half is not None and is_both else first.name
    name = name or first.cell.found.operator.lower()
    return layer_of(loops, name, first.time_axis, first.sizes, notes, path)


class _LoopReader:
    """Reads a loop.

    Attributes:
        lists: The lists that it reads step by step, which its values have numbers of.
    """

    def __init__(
        self, constants: Constants, budget: Budget, outer: Scope, body: Scope, condition: Scope
    ) -> None:
        self._constants, self._graph = constants, constants.graph
        self._outer, self._body, self._condition = outer, body, condition
        self._expressions = Expressions(budget)
        self._known: dict[GraphValue, Value] = {}
        self.lists: list[GraphValue] = []

    def loop(
        self, node: Any, shape_of: ShapeOf, is_kept: Callable[[GraphValue], bool]
    ) -> _TensorflowLoop:
        """The loop with its cell; UnknownCellError for others than those that read step by step."""
        states: dict[int, tuple[Value, Value]] = {}
        counters: dict[int, Formula] = {}
        for k, (name, result) in enumerate(
            zip(self._body.body.arguments, self._body.body.results, strict=False)
        ):
            old = self.value(GraphValue(self._body, name))
            new = self.value(self._graph.value(self._body, result))
            if self._counts(k, old, new):
                counters[k] = old
            elif old is not new:
                states[k] = old, new
        cell = self._expressions.cell(states, [*counters.values()])
        steps = self.lists[cell.sequence]
        source, time_axis, is_reversed = self._input(steps)
        shape = shape_of(source)
        if shape is None or len(shape) != 3:  # a list of matrices, as they are multiplied
            shape = (None, None, None)
        sizes = self._length(counters, steps, shape[time_axis]), shape[1 - time_axis]
        name = _WHILE.sub("", layer_name((*self._outer.path, node.name)))
        starts = [self._start(k, is_kept) for k in cell.states]
        sequence = source, time_axis
        name = name or cell.found.operator.lower()
        return _TensorflowLoop(cell, sequence, is_reversed, starts, node, name, time_axis, sizes)

    def _initial(self, k: int) -> GraphValue:
        """The value of an argument before the first step."""
        given = self._body.inputs
        if k >= len(given):
            raise UnknownCellError("a body with other arguments")
        return self._graph.source(self._graph.value(self._outer, given[k]))

    def _counts(self, k: int, old: Value, new: Value) -> bool:
        """Whether an argument counts from 0 by 1."""
        if not is_next(new, old):
            return False
        array = self._constants.array(self._initial(k))
        return array is not None and array.dtype.kind == "i" and not array.any()

    def _start(self, k: int, is_kept: Callable[[GraphValue], bool]) -> str:
        """What a state is before the first step, as in `DirectedLoop`."""
        value = self._initial(k)
        node, array = self._graph.node(value), self._constants.array(value)
        if is_kept(value):
            return "kept"
        if node is not None and node.op == "Fill":
            array = self._constants.array(self._input_of(value, 1))
        if (node is not None and node.op == "ZerosLike") or (array is not None and not array.any()):
            return ""
        return "passed" if array is None else "constant"

    def _input(self, steps: GraphValue) -> tuple[GraphValue, int, bool]:
        """A list's tensor before it was turned, its axis of steps, and whether it was reversed."""
        time_axis, is_reversed = 0, False
        value = self._input_of(steps)
        for _ in range(_MOST_TURNS):
            node = self._graph.node(value)
            if node is None or node.op not in ("Transpose", "ReverseV2"):
                break
            array = self._constants.array(self._input_of(value, 1))
            numbers: list[int] = [] if array is None else np.ravel(array).tolist()
            if node.op == "Transpose" and numbers == [1, 0, 2] and not time_axis:
                time_axis = 1  # a second one belongs to the layer before
            elif node.op == "ReverseV2" and numbers == [time_axis]:
                is_reversed = not is_reversed
            else:
                break
            value = self._input_of(value)
        return value, time_axis, is_reversed

    def _length(
        self, counters: Mapping[int, Value], steps: GraphValue, known: int | None
    ) -> int | None:
        """The number of steps, which is that of the input; None if it is open."""
        results = self._condition.body.results
        waiting = [self._graph.value(self._condition, results[0])] if results else []
        limits: list[GraphValue] = []
        while waiting:
            value = self._graph.source(waiting.pop())
            node = self._graph.node(value)
            inputs = [self._graph.value(value.scope, text) for text in data_inputs(node or _NO)]
            if node is None or len(inputs) != 2 or len(limits) > MOST_STATES:
                raise UnknownCellError("another condition than that of steps")
            if node.op == "LogicalAnd":
                waiting += inputs
            elif node.op == "Less" and self._argument(inputs[0]) in counters:
                limits.append(self._outside(inputs[1]))
            else:
                raise UnknownCellError("another condition than that of steps")
        found: set[int | None] = {known} - {None}
        for limit in limits:
            array = self._constants.array(limit)
            if array is not None and array.size == 1:
                found.add(int(array.item()))
            elif not self._is_length(limit, steps):
                raise UnknownCellError("a number of steps that is not its input's")
        if not limits or len(found) > 1:
            raise UnknownCellError("a number of steps that is not its input's")
        return next(iter(found), None)

    def _argument(self, value: GraphValue) -> int | None:
        """The position of an argument of the condition."""
        value = self._graph.source(value)
        is_argument = value.scope is self._condition and self._graph.node(value) is None
        return self._condition.body.arguments[value.name] if is_argument else None

    def _outside(self, value: GraphValue) -> GraphValue:
        """A value of the condition, which may be an argument that stays the same."""
        k = self._argument(value)
        if k is not None:
            names = [*self._body.body.arguments]
            value = GraphValue(self._body, names[k]) if k < len(names) else value
        value = self._graph.source(value)
        node = self._graph.node(value)
        if node is not None and node.op == "Max":  # of a single number, around which Keras has it
            value = self._input_of(value)
        return value

    def _is_length(self, value: GraphValue, steps: GraphValue) -> bool:
        """Whether a value is the first size of the tensor of a list, or of the one it reverses."""
        node = self._graph.node(value)
        if node is None or node.op != "StridedSlice":
            return False
        shape, begin = (self._input_of(value, k) for k in range(2))
        made, array = self._graph.node(shape), self._constants.array(begin)
        if made is None or made.op != "Shape" or array is None or array.any():
            return False
        ends = [self._input_of(each) for each in (shape, steps)]
        return self._unreversed(ends[0]) == self._unreversed(ends[1])

    def _unreversed(self, value: GraphValue) -> GraphValue:
        """A tensor, or the one that it is in reverse, of the same shape."""
        node = self._graph.node(value)
        if node is None or node.op != "ReverseV2":
            return value
        return self._input_of(value)

    def _input_of(self, value: GraphValue, k: int = 0) -> GraphValue:
        """An input of the node of a value, before all nodes that only pass it on."""
        inputs = data_inputs(self._graph.node(value))
        if k >= len(inputs):
            raise UnknownCellError(f"a node with {len(inputs)} inputs")
        return self._graph.source(self._graph.value(value.scope, inputs[k]))

    # The values of the body.

    def value(self, value: GraphValue) -> Value:
        """What computes a value."""
        value = self._graph.source(value)
        if value not in self._known:
            self._known[value] = Other("unknown")  # in case it depends on itself
            self._known[value] = self._value(value)
        return self._known[value]

    def _value(self, value: GraphValue) -> Value:
        array = self._constants.array(value)
        if array is not None:
            return array
        node = self._graph.node(value)
        if node is None:
            return variable(value.name) if value.scope is self._body else Other("unknown")
        if node.op == _LIST:
            self.lists.append(value)
            return Other("sequence", number=len(self.lists) - 1)
        given = [self.value(self._graph.value(value.scope, text)) for text in data_inputs(node)]
        found = None
        with contextlib.suppress(IndexError, KeyError, TypeError, ValueError, ZeroDivisionError):
            if node.op in _RULES:  # inputs that no such op has raise errors
                found = _RULES[node.op](self._expressions, given, attributes_of(node), value.number)
        return Other("unknown") if found is None else found


class _NoNode:
    """A node without inputs."""

    input: Sequence[str] = ()


_NO = _NoNode()

_Rule: TypeAlias = Callable[[Expressions, "list[Value]", "dict[str, Any]", int], "Value | None"]
"""The value of a result, by its number; None if it is not followed."""


def _activated(name: str) -> _Rule:
    """A function by ONNX's name."""
    return lambda e, of, attributes, k: e.activated(name, formula_in(*of))


def _product(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """A value times a constant matrix."""
    source, matrix = of
    if not is_array(matrix) or _flag(attributes, "transpose_a"):
        return None
    return e.matmul(source, matrix.T if _flag(attributes, "transpose_b") else matrix)


def _flag(attributes: dict[str, Any], name: str) -> bool:
    return name in attributes and attributes[name].b


def _quotient(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """A value divided by a number, as the product with its inverse."""
    value, divisor = of
    if not is_array(divisor) or divisor.size != 1 or not divisor.item():
        return None
    return e.multiply(value, 1.0 / divisor)


def _split(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """Equal parts along the last axis, the second."""
    axis, value = of
    parts = number_in(attributes, "num_split")
    size, rest = divmod(formula_in(value).width, parts)
    return None if rest else _part(e, value, axis, [size] * parts, k)


def _part(e: Expressions, value: Value, axis: Value, sizes: list[int], k: int) -> Value | None:
    """A part along the last axis, the second."""
    is_last = is_number(axis, 1) or is_number(axis, -1)
    return e.part(value, sizes, k) if is_last else None


def _strided(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """Columns, and all of the rows."""
    value, *places = of
    begin, end, stride = map(integers, places)
    masks = {
        name: number_in(attributes, f"{name}_mask")
        for name in ("begin", "end", "shrink_axis", "ellipsis", "new_axis")
    }
    changed = masks["shrink_axis"] or masks["ellipsis"] or masks["new_axis"]
    if changed or not len(begin) == len(end) == 2 or stride != [1, 1]:
        return None
    if not masks["begin"] & masks["end"] & 1:
        return None
    bounds = (None if masks[name] & 2 else at[1] for name, at in (("begin", begin), ("end", end)))
    return e.between(value, *bounds)


def _slice(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """Columns, and all of the rows."""
    value, *places = of
    (first, start), (all_rows, size) = map(integers, places)
    if first or start < 0 or all_rows != -1:
        return None
    return e.between(value, start, None if size == -1 else start + size)


def _repeated(e: Expressions, of: list[Value], attributes: dict[str, Any], k: int) -> Value | None:
    """A mask of the rows, for each unit."""
    return of[0] if isinstance(of[0], Formula) else None


_RULES: dict[str, _Rule] = {
    _READ: lambda e, of, attributes, k: e.item(of[0], of[1]),
    "TensorListSetItem": lambda e, of, attributes, k: Other("list"),
    "MatMul": _product,
    **dict.fromkeys(("Add", "AddV2", "BiasAdd"), lambda e, of, attributes, k: e.add(*of)),
    "Mul": lambda e, of, attributes, k: e.multiply(*of),
    "Sub": lambda e, of, attributes, k: e.subtract(*of),
    "Maximum": lambda e, of, attributes, k: e.at_least(*of),
    "Minimum": lambda e, of, attributes, k: e.at_most(*of),
    **{op: _activated(op) for op in ("Sigmoid", "Tanh", "Relu", "Relu6")},
    **dict.fromkeys(
        ("Select", "SelectV2"), lambda e, of, attributes, k: Other("select", (of[0], of[1], of[2]))
    ),
    "RealDiv": _quotient,
    "ClipByValue": lambda e, of, attributes, k: e.at_least(e.at_most(of[0], of[2]), of[1]),
    "Split": _split,
    "SplitV": lambda e, of, attributes, k: _part(e, of[0], of[2], integers(of[1]), k),
    "StridedSlice": _strided,
    "Slice": _slice,
    **dict.fromkeys(("Tile", "BroadcastTo"), _repeated),
}
"""The ops that are followed; `TensorflowGraph.source` skips those that pass a value on."""
