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
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx
from rnn_compiler.schema.open_sizes import Open, Size, terms

_Range = tuple[Size, Size]
_Shapes = Mapping[str, Sequence[Size | None]]

_MOVED = {
    **dict.fromkeys(("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze"), 1),
    **dict.fromkeys(("Transpose", "Flatten", "Expand", "Tile"), 1),
    "Concat": None,
}
"""Operators whose results have all numbers of their first inputs, with the number of these."""

_X, _LENGTHS = INPUTS.index("X"), INPUTS.index("sequence_lens")


class Ranges(NamedTuple):
    """What keeps positions within their arrays.

    Attributes:
        inputs: The least and the largest value of each integer input that is a position, by name.
        minima: The sizes that open axes must at least have for constants, by key.
    """

    inputs: Mapping[str, _Range]
    minima: Mapping[str, int]


def ranges_of_positions(graph: Graph, shapes: _Shapes) -> Ranges:
    """The ranges of a graph's positions."""
    inputs = {each.name: each.type.tensor_type.elem_type for each in graph.proto.input}
    constants = graph.constants()
    makers = {name: node for node in graph.proto.node for name in node.output}
    found: dict[str, list[_Range]] = {}
    minima: dict[str, int] = {}
    for node, name, range in (*_positions(graph, shapes), *_reversed(graph, shapes)):
        if range is not None and name in constants:
            numbers = onnx.numpy_helper.to_array(constants[name])
            _check_constant(graph, node, numbers, range)
            for key, least in _needed(numbers, range):
                minima[key] = max(minima.get(key, 0), least)
        elif range is not None:
            for source in dict.fromkeys(_sources(name, makers, {*inputs})):
                found.setdefault(source, []).append(range)
    every = {name: _within(_common(ranges), inputs[name]) for name, ranges in found.items()}
    return Ranges({name: range for name, range in every.items() if range is not None}, minima)


def _positions(graph: Graph, shapes: _Shapes) -> Iterator[tuple[Any, str, _Range | None]]:
    """Each node that reads positions, their name, and their range."""
    for node in graph.proto.node:
        position = _POSITIONS.get(node.op_type)
        if position is not None and len(node.input) > position[0] and node.input[position[0]]:
            yield node, node.input[position[0]], position[1](node, shapes)


def _reversed(graph: Graph, shapes: _Shapes) -> Iterator[tuple[Any, str, _Range | None]]:
    """The same for nodes that reverse sequences and were replaced."""
    for node in graph.reversals:
        shape, attributes = shapes.get(node.input[0], ()), attributes_of(node)
        time = attributes["time_axis"].i if "time_axis" in attributes else 0
        steps = shape[time] if shape else None
        yield node, node.input[1], None if steps is None else (0, steps)


def _axis(node: Any, shapes: _Shapes) -> _Range | None:
    """The indices of one axis, which may count from its end."""
    shape = shapes.get(node.input[0], ())
    axis = attributes_of(node)["axis"].i if "axis" in attributes_of(node) else 0
    size = shape[axis] if -len(shape) <= axis < len(shape) else None
    return None if size is None else (-1 * size, size - 1)


def _axes(node: Any, shapes: _Shapes) -> _Range | None:
    """The indices of several axes: those of the largest one."""
    attributes = attributes_of(node)
    first = attributes["batch_dims"].i if "batch_dims" in attributes else 0
    tuples = shapes.get(node.input[1], ())
    count = tuples[-1] if tuples else None
    shape = shapes.get(node.input[0], ())
    sizes = [*shape[first : first + count]] if isinstance(count, int) else []
    known = [size for size in sizes if isinstance(size, int)]
    largest = max(known, default=None) if len(known) == len(sizes) else None
    if len({*sizes}) == 1:
        (largest,) = {*sizes}
    return None if largest is None else (-1 * largest, largest - 1)


def _lengths(node: Any, shapes: _Shapes) -> _Range | None:
    """The lengths of a recurrent node's sequences."""
    layout = attributes_of(node)["layout"].i if "layout" in attributes_of(node) else 0
    shape = shapes.get(node.input[_X], ())
    steps = shape[layout] if len(shape) == 3 else None
    return None if steps is None else (0, steps)


def _labels(node: Any, shapes: _Shapes) -> _Range | None:
    """The classes of a loss, and the number of those that it leaves out."""
    shape, attributes = shapes.get(node.input[0], ()), attributes_of(node)
    classes = shape[1] if len(shape) > 1 else None
    if classes is None or "ignore_index" not in attributes:
        return None if classes is None else (0, classes - 1)
    ignored = attributes["ignore_index"].i
    if ignored < 0 or isinstance(classes, Open):
        return min(ignored, 0), classes - 1
    return 0, max(ignored, classes - 1)


_POSITIONS: Mapping[str, tuple[int, Callable[[Any, _Shapes], _Range | None]]] = {
    **dict.fromkeys(("Gather", "GatherElements", "ScatterElements"), (1, _axis)),
    **dict.fromkeys(("GatherND", "ScatterND"), (1, _axes)),
    **dict.fromkeys(OPERATORS, (_LENGTHS, _lengths)),
    **dict.fromkeys(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), (1, _labels)),
}
"""The input of each operator that holds positions, and what gives their range."""


def _sources(name: str, makers: Mapping[str, Any], inputs: set[str]) -> Iterator[str]:
    """The inputs whose numbers are all among those of a value."""
    waiting, seen = [name], set[str]()
    while waiting:
        each = waiting.pop()
        node = makers.get(each)
        if each in inputs:
            yield each
        elif node is not None and node.op_type in _MOVED and each not in seen:
            seen.add(each)
            waiting += node.input[: _MOVED[node.op_type]]


def _common(ranges: Sequence[_Range]) -> _Range:
    """The common part of some ranges; of open bounds only the first counts, if none is known."""
    lows, highs = ([*bounds] for bounds in zip(*ranges, strict=True))
    known = [[n for n in bounds if isinstance(n, int)] for bounds in (lows, highs)]
    return max(known[0], default=lows[0]), min(known[1], default=highs[0])


def _within(range: _Range, kind: int) -> _Range | None:
    """The part of a range that a dtype has; None if that is all of it, or for floats."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    if dtype.kind not in "iu":
        return None
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    low, high = range
    low = least if least == 0 or (isinstance(low, int) and low < least) else low
    high = most if isinstance(high, int) and high > most else high
    return None if (low, high) == (least, most) else (low, high)


def _needed(numbers: Any, range: _Range) -> Iterator[tuple[str, int]]:
    """The least sizes of open axes for which constants are within a range."""
    low, high = range
    if numbers.size:
        for bound, number in ((high, int(numbers.max())), (-1 * low, -int(numbers.min()))):
            factors = dict(terms(bound))
            known = factors.pop((), 0)
            if len(factors) == 1:
                ((names, factor),) = factors.items()
                if len(names) == factor == 1:
                    yield names[0], number - known


def _check_constant(graph: Graph, node: Any, numbers: Any, range: _Range) -> None:
    """Checks positions that are constants."""
    low, high = range
    if isinstance(low, Open) or isinstance(high, Open):
        return
    wrong = numbers[(numbers < low) | (numbers > high)]
    if wrong.size:
        raise UnsupportedError(
            f"import_network: {graph.named(node)}: expected positions in "
            f"{low}..{high}, got the constant {wrong.flat[0]}; correct the model"
        )
