"""Ranges of inputs that are positions in arrays: indices of elements, and lengths of sequences.

Calls check them, and whether open axes are long enough for positions that are constants. Those that
the graph computes are clamped where they are used, indices by `lowering.networks.bounded_indices`
and lengths by our ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.onnx_layers import INPUTS, OPERATORS
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, value_in
from rnn_compiler.schema.open_sizes import Bound, Open, Size, parts_of, terms

_Column = tuple[Size, Size]
_Shapes = Mapping[str, Sequence[Size | None]]

_MOVED = {
    **dict.fromkeys(("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze"), 1),
    **dict.fromkeys(("Transpose", "Flatten", "Expand", "Tile"), 1),
    "Concat": None,
}
"""Operators whose results have all numbers of their first inputs, with the number of these."""

_KEEP_ORDER = ("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile")
"""Those of them that leave each number in its column if the last axis keeps its size."""

_X, _LENGTHS = INPUTS.index("X"), INPUTS.index("sequence_lens")


class Range(NamedTuple):
    """The values that positions may have.

    Attributes:
        low: The least one, or that of each along the last axis.
        high: The largest one, or that of each along the last axis.
        also: Another one, if there is one.
    """

    low: Bound
    high: Bound
    also: int | None = None

    @property
    def columns(self) -> list[_Column]:
        """The least and the largest values along the last axis; one pair if all are equal."""
        return [*zip(parts_of(self.low), parts_of(self.high), strict=True)]

    @staticmethod
    def of(columns: Sequence[_Column], also: int | None = None) -> Range:
        """The range with these values along the last axis."""
        lows, highs = zip(*columns, strict=True)
        is_one = len({*columns}) == 1
        return Range(lows[0], highs[0], also) if is_one else Range(lows, highs, also)


class Ranges(NamedTuple):
    """What keeps positions within their arrays.

    Attributes:
        inputs: The values that each integer input may have that is a position, by name.
        minima: The sizes that open axes must at least have for constants, by key.
    """

    inputs: Mapping[str, Range]
    minima: Mapping[str, int]


def ranges_of_positions(graph: Graph, shapes: _Shapes) -> Ranges:
    """The ranges of a graph's positions."""
    inputs = {each.name: each.type.tensor_type.elem_type for each in graph.proto.input}
    constants = graph.constants()
    makers = {name: node for node in graph.proto.node for name in node.output}
    found: dict[str, list[Range]] = {}
    minima: dict[str, int] = {}
    for node, name, range in (*_positions(graph, shapes), *_reversed(graph, shapes)):
        if range is not None and name in constants:
            numbers = onnx.numpy_helper.to_array(constants[name])
            _check_constant(graph, node, numbers, range)
            for key, least in _needed(numbers, range):
                minima[key] = max(minima.get(key, 0), least)
        elif range is not None:
            for source, part in _sources(name, range, makers, {*inputs}, shapes):
                found.setdefault(source, []).append(part)
    every = {name: _within(_common(ranges), inputs[name]) for name, ranges in found.items()}
    return Ranges({name: range for name, range in every.items() if range is not None}, minima)


def _positions(graph: Graph, shapes: _Shapes) -> Iterator[tuple[Any, str, Range | None]]:
    """Each node that reads positions, their name, and their range."""
    for node in graph.proto.node:
        position = _POSITIONS.get(node.op_type)
        if position is not None and len(node.input) > position[0] and node.input[position[0]]:
            yield node, node.input[position[0]], position[1](node, shapes)


def _reversed(graph: Graph, shapes: _Shapes) -> Iterator[tuple[Any, str, Range | None]]:
    """The same for nodes that reverse sequences and were replaced."""
    for node in graph.replaced:
        if node.op_type != "ReverseSequence":
            continue
        shape, attributes = shapes.get(node.input[0], ()), attributes_of(node)
        time = value_in(attributes, "time_axis", 0)
        steps = shape[time] if shape else None
        yield node, node.input[1], None if steps is None else Range(0, steps)


def _axis(node: Any, shapes: _Shapes) -> Range | None:
    """The indices of one axis, which may count from its end."""
    shape = shapes.get(node.input[0], ())
    axis = value_in(attributes_of(node), "axis", 0)
    size = shape[axis] if -len(shape) <= axis < len(shape) else None
    return None if size is None else Range(-1 * size, size - 1)


def _axes(node: Any, shapes: _Shapes) -> Range | None:
    """The indices of several axes, each with those of its own."""
    first = value_in(attributes_of(node), "batch_dims", 0)
    tuples, shape = shapes.get(node.input[1], ()), shapes.get(node.input[0], ())
    count = tuples[-1] if tuples else None
    sizes = shape[first : first + count] if isinstance(count, int) else ()
    known = [(-1 * size, size - 1) for size in sizes if size is not None]
    return Range.of(known) if known and len(known) == count else None


def _lengths(node: Any, shapes: _Shapes) -> Range | None:
    """The lengths of a recurrent node's sequences."""
    layout = value_in(attributes_of(node), "layout", 0)
    shape = shapes.get(node.input[_X], ())
    steps = shape[layout] if len(shape) == 3 else None
    return None if steps is None else Range(0, steps)


def _labels(node: Any, shapes: _Shapes) -> Range | None:
    """The classes of a loss, and the label of what it leaves out."""
    shape, attributes = shapes.get(node.input[0], ()), attributes_of(node)
    classes = shape[1] if len(shape) > 1 else None
    ignored = attributes["ignore_index"].i if "ignore_index" in attributes else None
    return None if classes is None else Range(0, classes - 1, ignored)


_POSITIONS: Mapping[str, tuple[int, Callable[[Any, _Shapes], Range | None]]] = {
    **dict.fromkeys(("Gather", "GatherElements", "ScatterElements"), (1, _axis)),
    **dict.fromkeys(("GatherND", "ScatterND"), (1, _axes)),
    **dict.fromkeys(OPERATORS, (_LENGTHS, _lengths)),
    **dict.fromkeys(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), (1, _labels)),
}
"""The input of each operator that holds positions, and what gives their range."""


def _sources(
    name: str, range: Range, makers: Mapping[str, Any], inputs: set[str], shapes: _Shapes
) -> Iterator[tuple[str, Range]]:
    """The inputs whose numbers are all among those of a value, each with its range."""
    waiting, seen = [(name, range)], set[tuple[str, Range]]()
    while waiting:
        each = waiting.pop()
        node = makers.get(each[0])
        if each in seen:
            continue
        seen.add(each)
        if each[0] in inputs:
            yield each
        elif node is not None and node.op_type in _MOVED:
            waiting += _given(node, each[1], shapes)


def _given(node: Any, range: Range, shapes: _Shapes) -> Iterator[tuple[str, Range]]:
    """The inputs of a node that moves numbers, each with the range that its numbers have."""
    names, columns = node.input[: _MOVED[node.op_type]], range.columns
    rows = [shapes.get(name) or [None] for name in names]
    if len(columns) > 1 and node.op_type == "Concat":
        axis = attributes_of(node)["axis"].i
        if axis in (-1, len(rows[0]) - 1):
            for name, row in zip(names, rows, strict=True):
                if not isinstance(row[-1], int):
                    return
                own, columns = columns[: row[-1]], columns[row[-1] :]
                if own:
                    yield name, Range.of(own, range.also)
            return
    elif len(columns) > 1 and not (
        node.op_type in _KEEP_ORDER and all(row[-1] == len(columns) for row in rows)
    ):
        known = [(a, b) for a, b in columns if isinstance(a, int) and isinstance(b, int)]
        if len(known) < len(columns):
            return
        lows, highs = zip(*known, strict=True)
        range = Range(min(lows), max(highs), range.also)
    yield from ((name, range) for name in names)


def _common(ranges: Sequence[Range]) -> Range:
    """The common part of some ranges; of open bounds only the first counts, if none is known."""
    count = max(len(each.columns) for each in ranges)
    rows = [each.columns if len(each.columns) == count else each.columns * count for each in ranges]
    columns: list[_Column] = []
    for column in zip(*rows, strict=True):
        lows, highs = zip(*column, strict=True)
        known = [[n for n in bounds if isinstance(n, int)] for bounds in (lows, highs)]
        columns.append((max(known[0], default=lows[0]), min(known[1], default=highs[0])))
    every = {each.also for each in ranges}
    return Range.of(columns, every.pop() if len(every) == 1 else None)


def _within(range: Range, kind: int) -> Range | None:
    """The part of a range that a dtype has; None if that is all of it, or for floats."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    if dtype.kind not in "iu":
        return None
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    columns = [
        (
            least if least == 0 or (isinstance(low, int) and low < least) else low,
            most if isinstance(high, int) and high > most else high,
        )
        for low, high in range.columns
    ]
    also = range.also if range.also is not None and least <= range.also <= most else None
    return None if {*columns} == {(least, most)} else Range.of(columns, also)


def _needed(numbers: Any, range: Range) -> Iterator[tuple[str, int]]:
    """The least sizes of open axes for which constants are within a range."""
    for own, (low, high) in _by_column(numbers, range):
        if not own.size:
            continue
        for bound, number in ((high, int(own.max())), (-1 * low, -int(own.min()))):
            factors = dict(terms(bound))
            known = factors.pop((), 0)
            if len(factors) == 1:
                ((names, factor),) = factors.items()
                if len(names) == factor == 1:
                    yield names[0], number - known


def _by_column(numbers: Any, range: Range) -> Iterator[tuple[Any, _Column]]:
    """The constants of each range, but the one that is always taken."""
    columns = range.columns
    for k, column in enumerate(columns):
        own = numbers[..., k] if len(columns) > 1 else numbers
        yield own[own != range.also] if range.also is not None else own, column


def _check_constant(graph: Graph, node: Any, numbers: Any, range: Range) -> None:
    """Checks positions that are constants."""
    for own, (low, high) in _by_column(numbers, range):
        if isinstance(low, Open) or isinstance(high, Open):
            continue
        wrong = own[(own < low) | (own > high)]
        if wrong.size:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: expected positions in "
                f"{low}..{high}, got the constant {wrong.flat[0]}; correct the model"
            )
