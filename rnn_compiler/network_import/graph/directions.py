"""Joins recurrent nodes that read one sequence, one of them in reverse, as one of both directions.

Files of TensorFlow Lite have a node for each direction of a bidirectional layer, and so have loops
that became nodes. The second direction is known by its input, the reversed sequence, and by its
output, whose rows are reversed again unless the last one alone is read. How the model combines both
outputs does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rnn_compiler.model_import.formulas import ACTIVATIONS
from rnn_compiler.model_import.onnx_layers import INPUTS, STATE_POSITIONS
from rnn_compiler.network_import.graph import (
    Graph,
    attributes_of,
    onnx,
    read_by,
    shape_of,
    value_in,
)
from rnn_compiler.network_import.graph.order import order_nodes
from rnn_compiler.network_import.graph.replacement import Replacement

_FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
"""The operators, with the number of functions of a direction."""

_PER_DIRECTION = ("activations", "activation_alpha", "activation_beta")
_MOVEMENT = ("Identity", "Squeeze", "Unsqueeze", "Reshape", "Transpose")
_PAIR = 2
_FURTHEST = 10
"""The most nodes that move a sequence before a recurrent node."""

_OPEN = 1 << 30
"""Stands for an open size."""


class _Sequence(NamedTuple):
    """A value, and which of its axes are the steps."""

    value: str
    time_axis: int


@dataclass(frozen=True, eq=False)
class _Half:
    """A node of one direction.

    Attributes:
        node: The node.
        place: Its number.
        kind: What both halves have in common.
        forward: The sequence that it reads from the first step to the last; None if it is reversed.
        backward: The sequence that it reads from the last step to the first; None if there is none.
        ends: The nodes that reverse its output again, or take its last row.
    """

    node: Any
    place: int
    kind: Hashable
    forward: _Sequence | None
    backward: _Sequence | None
    ends: Sequence[Any] = ()


def join_directions(graph: Graph) -> bool:
    """Joins the nodes; returns whether there were any."""
    if sum(each.op_type in _FUNCTIONS for each in graph.proto.node) < _PAIR:
        return False
    search = _DirectionSearch(graph)
    replaced = dict[str, list[Any]]()
    for forward, backward in search.pairs():
        made = search.joined(forward, backward)
        replaced |= {forward.node.name: made, backward.node.name: []}
        replaced |= {end.name: search.turned(end) for end in backward.ends}
    if replaced:
        nodes = graph.proto.node
        graph.set_nodes([new for old in nodes for new in replaced.get(old.name, [old])])
        order_nodes(graph.proto, graph.path)
    return bool(replaced)


class _DirectionSearch:
    """Finds halves, and writes what replaces them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes = [*graph.proto.node]
        self._constants, self._types = graph.constants(), graph.all_types()
        self._makers = {name: node for node in self._nodes for name in node.output if name}
        self._others = dict[str, Any]()  # of joined nodes, by name

    @cached_property
    def _readers(self) -> dict[str, list[Any]]:
        """The nodes that read each value; None stands for the model's results."""
        found: dict[str, list[Any]] = {each.name: [None] for each in self._graph.proto.output}
        for node in self._nodes:
            for name in read_by(node):
                found.setdefault(name, []).append(node)
        return found

    def pairs(self) -> Iterator[tuple[_Half, _Half]]:
        """The halves that belong together, forward and backward: of several, the nearest."""
        halves = [*self._halves()]
        for backward in [each for each in halves if each.backward is not None]:
            others = [
                each
                for each in halves
                if each.forward == backward.backward and each.kind == backward.kind
                if each is not backward and not self._need(each, backward)
            ]
            if backward in halves and others:
                forward = min(others, key=lambda each: abs(each.place - backward.place))
                halves = [each for each in halves if each not in (forward, backward)]
                self._others[forward.node.name] = backward.node
                self._others[backward.node.name] = forward.node
                yield forward, backward

    def _halves(self) -> Iterator[_Half]:
        """The nodes of one direction whose functions can be those of two."""
        for place, node in enumerate(self._nodes):
            attributes = attributes_of(node)
            direction = value_in(attributes, "direction", b"forward").lower()
            is_one = node.op_type in _FUNCTIONS and not node.domain
            is_one = is_one and direction in (b"forward", b"reverse")
            if not is_one or node.output[0] in self._graph.clips or not _doubles(node):
                continue
            kind = self._kind(node)
            plain, turned = self._sequences(node)
            if direction == b"reverse":
                yield _Half(node, place, kind, None, plain)
                continue
            has_lengths = bool(_input(node, INPUTS.index("sequence_lens")))
            ends = None if turned is None or has_lengths else self._ends(node)
            yield _Half(node, place, kind, plain, None if ends is None else turned, ends or ())

    def _kind(self, node: Any) -> Hashable:
        """Operator, attributes without the direction, lengths, and which inputs there are."""
        attributes = sorted(
            each.SerializeToString(deterministic=True)
            for each in node.attribute
            if each.name != "direction"
        )
        lengths = _input(node, INPUTS.index("sequence_lens"))
        weights = [self._shape(name) for name in node.input[1:3]]
        given = [bool(_input(node, k)) for k in range(len(INPUTS))]
        return repr((node.op_type, attributes, lengths, weights, given))

    def _shape(self, name: str) -> list[int | None] | None:
        return shape_of(self._types.get(name))

    def _need(self, one: _Half, other: _Half) -> bool:
        """Whether one of two nodes is computed from the other; of joined ones, both are needed."""
        for node, names in ((one.node, other.node.input), (other.node, one.node.input)):
            seen, waiting = set[str](), [*names]
            while waiting:
                name = waiting.pop()
                if name in node.output and name:
                    return True
                if name not in seen and name in self._makers:
                    made = self._makers[name]
                    joined = self._others.get(made.name)
                    waiting += [*read_by(made), *(read_by(joined) if joined else ())]
                seen.add(name)
        return False

    # Sequences.

    def _sequences(self, node: Any) -> tuple[_Sequence, _Sequence | None]:
        """What a node reads before its axes were swapped, and what it reads in reverse."""
        value, axis = node.input[0], _time_axis(node)
        plain: _Sequence | None = None
        for _ in range(_FURTHEST):
            made = self._makers.get(value)
            if made is not None and self._reverses(made, axis):
                if plain is not None:
                    break
                plain = _Sequence(value, axis)
            elif made is not None and self._swaps(made):
                axis = 1 - axis
            elif made is None or made.op_type != "Identity":
                break
            value = made.input[0]
        found = _Sequence(value, axis)
        return (found, None) if plain is None else (plain, found)

    def _swaps(self, node: Any) -> bool:
        """Whether a node swaps the first two of three axes, one of which may have the size 1."""
        if node.op_type == "Transpose":
            attributes = attributes_of(node)
            return "perm" in attributes and [*attributes["perm"].ints] == [1, 0, 2]
        before, after = self._shape(node.input[0]), self._shape(node.output[0])
        if node.op_type != "Reshape" or before is None or after is None or None in before:
            return False
        return len(before) == 3 and 1 in before[:2] and after == [before[1], before[0], before[2]]

    def _reverses(self, node: Any, axis: int) -> bool:
        """Whether a node takes all rows along an axis from the last to the first."""
        if node.op_type == "Gather":
            return self._graph.turned.get(node.output[0]) == axis
        size = self._size(node, axis) if node.op_type == "Slice" else None
        return size is not None and self._rows(node) == {axis: range(size - 1, -1, -1)}

    def _size(self, node: Any, axis: int) -> int | None:
        """The size of a node's input along an axis; None if its rank is not known."""
        shape = self._shape(node.input[0])
        return None if shape is None or len(shape) <= axis else shape[axis] or _OPEN

    def _rows(self, node: Any) -> dict[int, range]:
        """The rows that a Slice takes along each axis that it changes; none if not known."""
        shape = self._shape(node.input[0])
        given = [self._numbers(name) for name in node.input[1:] if name]
        if shape is None or len(given) < len(node.input) - 1 or [] in given:
            return {}
        starts, ends, *rest = given
        axes = rest[0] if rest else [*range(len(starts))]
        steps = rest[1] if len(rest) > 1 else [1] * len(starts)
        found: dict[int, range] = {}
        for start, end, axis, step in zip(starts, ends, axes, steps, strict=False):
            if not step or not -len(shape) <= axis < len(shape):
                return {}
            size = shape[axis] or _OPEN
            taken = range(*slice(start, end, step).indices(size))
            if taken != range(size):
                found[axis % len(shape)] = taken
        return found

    def _numbers(self, name: str) -> list[int]:
        """The elements of a constant; none if it is not one."""
        known = name in self._constants
        return onnx.numpy_helper.to_array(self._constants[name]).ravel().tolist() if known else []

    # The output of the second direction.

    def _ends(self, node: Any) -> list[Any] | None:
        """The nodes that reverse a node's output again or take its last row; None with others."""
        found: list[Any] = []
        waiting = [(node.output[0], _time_axis(node))] if node.output[0] else []
        while waiting:
            name, axis = waiting.pop()
            for reader in self._readers.get(name, ()):
                if reader is None:
                    return None
                if reader.op_type in _MOVEMENT and reader.input[0] == name:
                    after = self._moved(reader, axis)
                    if after is None:
                        return None
                    waiting.append((reader.output[0], after))
                elif self._is_end(reader, axis):
                    found.append(reader)
                else:
                    return None
        return found

    def _moved(self, node: Any, axis: int) -> int | None:
        """Where a node that moves elements puts an axis; None if it is not known."""
        if node.op_type == "Transpose":
            attributes = attributes_of(node)
            return [*attributes["perm"].ints].index(axis) if "perm" in attributes else None
        before, after = (self._shape(name) for name in (node.input[0], node.output[0]))
        if before is None or after is None or None in before or None in after:
            return None
        size, ahead = before[axis], math.prod(each or 1 for each in before[:axis])
        for k, each in enumerate(after):
            if each == size and math.prod(n or 1 for n in after[:k]) == ahead:
                return k
        return None

    def _is_end(self, node: Any, axis: int) -> bool:
        """Whether a node reverses the rows along an axis, or takes the last one."""
        size = self._size(node, axis)
        if size is None or self._reverses(node, axis):
            return size is not None
        if node.op_type == "Slice":
            return self._rows(node) == {axis: range(size - 1, size)}
        taken = value_in(attributes_of(node), "axis", 0)
        if node.op_type != "Gather" or taken % len(self._shape(node.input[0]) or [0]) != axis:
            return False
        return self._numbers(node.input[1]) in ([-1], [size - 1])

    # What replaces them.

    def turned(self, end: Any) -> list[Any]:
        """What an end becomes: the rows as they are, or the first one."""
        made = Replacement(self._graph, end)
        if end.output[0] in self._graph.turned:
            made.add("Identity", end.input[0])
        elif end.op_type == "Gather":
            axis, shape = attributes_of(end).get("axis"), self._constants[end.input[1]].dims
            first = made.constant([0] if len(shape) else 0)
            made.add("Gather", end.input[0], first, axis=axis.i if axis is not None else 0)
        else:
            ((axis, rows),) = self._rows(end).items()
            if len(rows) == 1 and rows.step == 1:
                bounds = (made.constant([each]) for each in (0, 1, axis))
                made.add("Slice", end.input[0], *bounds)
            else:
                made.add("Identity", end.input[0])
        return made.finished()

    def joined(self, forward: _Half, backward: _Half) -> list[Any]:
        """The node of both directions, and those that take the results of each."""
        one, other = forward.node, backward.node
        made = Replacement(self._graph, one)
        batch_first = bool(_time_axis(one))
        inputs = [one.input[0]]
        for k in range(1, len(one.input)):
            names = [_input(node, k) for node in (one, other)]
            if not names[0] or INPUTS[k] == "sequence_lens":
                inputs.append(names[0])
            else:
                axis = int(batch_first and k in STATE_POSITIONS)
                inputs.append(made.add("Concat", *names, axis=axis))
        both = onnx.NodeProto()
        both.CopyFrom(one)
        count = max(len(one.output), len(other.output))
        pairs = [[_output(node, k) for node in (one, other)] for k in range(count)]
        both.input[:] = inputs
        both.output[:] = [f"{one.name}.both{k}" if any(p) else "" for k, p in enumerate(pairs)]
        kept = [each for each in both.attribute if each.name != "direction"]
        for each in kept:
            if each.name in _PER_DIRECTION:
                each.strings.extend([*each.strings])
                each.floats.extend([*each.floats])
        del both.attribute[:]
        both.attribute.extend([*kept, onnx.helper.make_attribute("direction", "bidirectional")])
        nodes = [*made.nodes, both]
        for k, (names, result) in enumerate(zip(pairs, both.output, strict=True)):
            axis = (2 if k == 0 else 1) if batch_first else (1 if k == 0 else 0)
            for direction, name in enumerate(names):
                bounds = [made.constant([n]) for n in (direction, direction + 1, axis)]
                label = f"{one.name}.{k}of{direction}"
                if name:
                    nodes.append(onnx.helper.make_node("Slice", [result, *bounds], [name], label))
        origin = self._graph.origins.get(one.name, (one.name, one.op_type))
        self._graph.origins |= dict.fromkeys((each.name for each in nodes), origin)
        return nodes


def _input(node: Any, position: int) -> str:
    """The name of an input; empty if the node lacks it."""
    return node.input[position] if position < len(node.input) else ""


def _output(node: Any, position: int) -> str:
    """The name of an output; empty if the node lacks it."""
    return node.output[position] if position < len(node.output) else ""


def _time_axis(node: Any) -> int:
    """Which axis of a node's input are the steps."""
    return int(value_in(attributes_of(node), "layout", 0) == 1)


def _doubles(node: Any) -> bool:
    """Whether a node's functions, twice, are those of both directions.

    Numbers that are left out have defaults, so that others would move to other functions.
    """
    attributes: Mapping[str, Any] = attributes_of(node)
    names = [*attributes["activations"].strings] if "activations" in attributes else []
    if names and len(names) != _FUNCTIONS[node.op_type]:
        return False
    known = {name.lower(): numbers for name, numbers in ACTIVATIONS.items()}
    takers = [known.get(name.decode(errors="replace").lower(), ()) for name in names]
    return all(
        len(attributes[f"activation_{each}"].floats) in (0, sum(each in n for n in takers))
        for each in ("alpha", "beta")
        if f"activation_{each}" in attributes
    )
