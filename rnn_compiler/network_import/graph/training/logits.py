"""Logits: the values before a network's last softmax or sigmoid.

A network that ends in one of them gives probabilities; a loss of logits is that of the values
before it. Nodes behind it that only move or select elements do so with the logits as well:

    y = Squeeze(Sigmoid(z))        logits = Squeeze(z)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import attributes_of, onnx
from rnn_compiler.network_import.graph.gradients.values import ShapedValue, Values
from rnn_compiler.schema.open_sizes import Size, product

_MOVES = (
    *("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose"),
    *("Slice", "Gather", "Concat"),
)
"""Operators that only move or select elements."""

_REDUCES = ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum")
"""Operators that do so if the axes that they reduce have one element."""

_JOINS = (
    *(*_REDUCES, "AveragePool", "MaxPool", "GlobalAveragePool", "GlobalMaxPool", "Clip"),
    *("Mean", "Max", "Min", "Where", "Concat"),
)
"""Operators whose results are probabilities if what they read are."""

_OF_SEVERAL = {"Concat": 0, "Mean": 0, "Max": 0, "Min": 0, "Where": 1}
"""Those among all of these that read several arrays, with the number of the first one."""


def logits(
    values: Values, output: ShapedValue, operator: str, axis: int | None = None
) -> ShapedValue:
    """An output without its last softmax or sigmoid; the output itself, if it has none.

    Args:
        values: The values of the graph, to which nodes may be added.
        output: The output.
        operator: The function, "Softmax" or "Sigmoid".
        axis: Of a softmax, the output's axis of classes.

    Raises:
        UnsupportedError: A node behind the function joins its results, or a softmax is not along
            the axis of classes.
    """
    search = _LogitsSearch(values, operator)
    name = output.name
    if name in search.joined:
        joins, maker = map(values.graph.named, (search.joined[name], search.makers[name]))
        raise UnsupportedError(
            f"training_step: {joins}: the loss is one of the values before {maker}, whose results "
            "this node joins or limits; choose another loss or output, or take the node out of the "
            "model"
        )
    if name not in search.makers:
        return output
    if axis is not None and search.axes[name] != axis:
        raise UnsupportedError(
            f"training_step: {values.graph.named(search.makers[name])}: the loss is one of the "
            f"values before it, but it is not along the axis of classes, {axis} of {name!r}; "
            "choose another axis, loss or output"
        )
    return search.before(name)


class _LogitsSearch:
    """The values that are a function's results, moved or joined.

    Attributes:
        makers: The function's node, by name.
        joined: The node that joins or limits results, by name, for values behind one.
        axes: The axis of classes of other values by name; None if it is no axis any more.
    """

    def __init__(self, values: Values, operator: str) -> None:
        self._values, self._operator = values, operator
        self.makers: dict[str, Any] = {}
        self.joined: dict[str, Any] = {}
        self.axes: dict[str, int | None] = {}
        for node in values.graph.proto.node:
            if all(each in values for each in (*node.input[:1], *node.output[:1])):
                self._read(node)

    def _read(self, node: Any) -> None:
        if node.op_type == self._operator:
            given = attributes_of(node)
            axis, rank = (
                given["axis"].i if "axis" in given else -1,
                self._values[node.output[0]].rank,
            )
            self.makers[node.output[0]] = node
            self.axes[node.output[0]] = axis % rank if rank else None
            return
        is_moving, joins = self._is_moving(node), node.op_type in _JOINS
        sources = self._sources(node) if is_moving or joins else []
        known = [each for each in sources if each in self.makers]
        if not known:
            return
        name, joined = node.output[0], [each for each in known if each in self.joined]
        self.makers[name] = self.makers[known[0]]
        if joined:
            self.joined[name] = self.joined[joined[0]]
        elif is_moving and known == sources:
            axes = {self._moved(node, each) for each in sources}
            self.axes[name] = axes.pop() if len(axes) == 1 else None
        else:
            self.joined[name] = node

    @staticmethod
    def _sources(node: Any) -> list[str]:
        """The arrays that a node moves or joins, without sizes and positions."""
        first = _OF_SEVERAL.get(node.op_type)
        return [*node.input[:1]] if first is None else [*node.input[first:]]

    def before(self, name: str) -> ShapedValue:
        """The softmax's input for a value: moved by copies of the nodes that moved its result."""
        nodes = [*self._values.graph.proto.node]
        needed, moves = {name}, list[Any]()
        for node in reversed(nodes):
            if needed.isdisjoint(node.output):
                continue
            if node.op_type != self._operator:
                needed.update(self._sources(node))
                moves.append(node)
        made: dict[str, ShapedValue] = {}
        for each in needed:
            if self.makers[each].output[0] == each:
                made[each] = self._values[self.makers[each].input[0]]
        for node in reversed(moves):
            copy, old = onnx.NodeProto(), self._values[node.output[0]]
            copy.CopyFrom(node)
            sources = self._sources(node)
            copy.input[: len(sources)] = [made[each].name for each in sources]
            copy.output[:] = [self._values.name("logits")]
            made[old.name] = self._values.typed(copy.output[0], old.kind, old.shape)
            nodes.append(copy)
        self._values.graph.set_nodes(nodes)
        return made[name]

    def _is_moving(self, node: Any) -> bool:
        """Whether a node moves elements, and joins none."""
        if node.op_type in _REDUCES:
            before, after = (self._values[each].shape for each in (node.input[0], node.output[0]))
            return _count(before) == _count(after)
        is_float = node.op_type != "Cast" or self._values[node.output[0]].is_float
        return node.op_type in _MOVES and is_float

    def _moved(self, node: Any, source: str) -> int | None:
        """Where a node's result has an input's axis of classes; None if it is no axis any more."""
        axis = self.axes[source]
        if axis is None or self._operator != "Softmax":
            return None
        before, after = self._values[source].shape, self._values[node.output[0]].shape
        given = attributes_of(node)
        if node.op_type == "Transpose":
            order = [*given["perm"].ints] if "perm" in given else [*range(len(before))][::-1]
            return order.index(axis)
        if node.op_type in ("Gather", "Concat", "Slice"):
            along = given["axis"].i % len(before) if "axis" in given else 0
            if node.op_type == "Slice":
                return axis if before[axis] == after[axis] else None
            moved = axis + (len(after) - len(before) if along < axis else 0)
            return None if along == axis else moved
        return _same_axis(before, after, axis)


def _count(shape: Sequence[Size | None]) -> Size | None:
    """The number of elements."""
    return product(each for each in shape if each is not None) if None not in shape else None


def _same_axis(
    before: Sequence[Size | None], after: Sequence[Size | None], axis: int
) -> int | None:
    """The axis of a reshaped array with as many elements before, along and behind it."""
    if None in before or None in after:
        return None
    parts = _count(before[:axis]), before[axis], _count(before[axis + 1 :])
    places = range(len(after))
    return next(
        (k for k in places if (_count(after[:k]), after[k], _count(after[k + 1 :])) == parts), None
    )
