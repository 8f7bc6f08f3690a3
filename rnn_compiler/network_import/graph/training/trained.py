"""Which of a file's initializers are trained: they become inputs of the graph, and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from rnn_compiler.model_import.onnx_layers import KINDS, STATE_POSITIONS
from rnn_compiler.network_import.graph import FLOATS, Graph, onnx, subgraphs
from rnn_compiler.network_import.graph.nesting import made_in

_STATISTICS = {"BatchNormalization": (3, 4)}
"""Inputs that are never trained: the statistics of a normalization."""

_NUMBERS: Mapping[str, Sequence[int]] = {
    **dict.fromkeys(KINDS, STATE_POSITIONS),
    **dict.fromkeys(("Clip", "Dropout"), (1, 2)),
    **dict.fromkeys(("Pow",), (1,)),
    **dict.fromkeys(("Pad",), (2,)),
    **dict.fromkeys(("Resize", "Upsample"), (1, 2)),
}
"""Inputs that are no weights, although a pattern may name them."""

_INT8 = ("DequantizeLinear", "DynamicQuantizeLinear", "DynamicQuantizeLSTM", "QuantizeLinear")


def check_floats(graph: Graph) -> None:
    """Checks that a file has no weights in int8."""
    for node in _nodes(graph):
        operator = node.op_type
        if operator in _INT8 or operator.startswith("QLinear") or operator.endswith("Integer"):
            raise UnsupportedError(
                f"training_step: node {node.name!r} ({operator}): the file has weights or values "
                "in int8, which steps of training are too small to change; train the network "
                "in floating point that it was made from"
            )


def _nodes(graph: Graph) -> Iterator[Any]:
    """The nodes of a graph and of the graphs inside it."""
    for each in (graph.proto, *subgraphs(graph.proto)):
        yield from each.node


def take_trained(graph: Graph, patterns: Sequence[str] | None) -> dict[str, Any]:
    """Turns the trained initializers of a graph into inputs; returns their arrays by name.

    Constants, as which PyTorch writes arrays that are no parameters, need a pattern that matches.

    InvalidArgumentError: A pattern matches no initializer or constant of floats.
    """
    _separate(graph)
    _take_from_bodies(graph)
    constants = _take_constants(graph, patterns or ())
    places: dict[str, list[tuple[str, int]]] = {}
    for node in _nodes(graph):
        for number, name in enumerate(node.input):
            places.setdefault(name, []).append((node.op_type, number))
    tensors = {each.name: each for each in graph.proto.initializer if each.data_type in FLOATS}
    statistics = {name for name in tensors if _only(places.get(name, ()), _STATISTICS)}
    known = [name for name in tensors if name not in statistics]
    if patterns is None:
        chosen = [
            name
            for name in known
            if name in places and tensors[name].dims and not _only(places[name], _NUMBERS)
        ]
        if not chosen:
            raise InvalidArgumentError(
                "training_step", "path", "a network with weights, initializers of floats", "none"
            )
    else:
        chosen = [name for name in known if any(fnmatchcase(name, each) for each in patterns)]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in known):
                raise InvalidArgumentError(
                    "training_step",
                    "train",
                    f"patterns of the initializers of floats ({_listed(known)})",
                    repr(pattern),
                    did_you_mean(pattern, [*known, *constants]),
                )
    for name in chosen:
        graph.proto.initializer.remove(tensors[name])
        kind = onnx.helper.make_tensor_value_info(name, tensors[name].data_type, tensors[name].dims)
        graph.proto.input.append(kind)
    graph.trained = {name: onnx.numpy_helper.to_array(tensors[name]) for name in chosen}
    return graph.trained


def _take_constants(graph: Graph, patterns: Sequence[str]) -> list[str]:
    """Makes constants initializers that a pattern matches; returns the names of the others."""
    nodes: list[Any] = []
    others: list[str] = []
    for node in graph.proto.node:
        tensor = node.attribute[0].t if node.op_type == "Constant" else None
        if tensor is None or tensor.data_type not in FLOATS:
            nodes.append(node)
        elif any(fnmatchcase(node.output[0], each) for each in patterns):
            graph.proto.initializer.add().CopyFrom(tensor)
            graph.proto.initializer[-1].name = node.output[0]
        else:
            nodes.append(node)
            others.append(node.output[0])
    graph.set_nodes(nodes)
    return others


def _take_from_bodies(graph: Graph) -> None:
    """Moves the arrays that bodies of loops and branches store into the graph around these.

    Names that are there more than once stay where they are.
    """
    inner = [*subgraphs(graph.proto)]
    counts = Counter(each.name for each in (*graph.proto.initializer, *graph.proto.input))
    counts.update(name for node in graph.proto.node for name in node.output)
    counts.update(name for each in inner for name in made_in(each))
    for each in inner:
        moved = [one for one in each.initializer if one.data_type in FLOATS and one.dims]
        for tensor in (one for one in moved if counts[one.name] == 1):
            graph.proto.initializer.add().CopyFrom(tensor)
            each.initializer.remove(tensor)


def _separate(graph: Graph) -> None:
    """Gives weights of their own to nodes that repeat an initializer whose numbers are all equal.

    PyTorch's exporter stores equal initializers once, such as a normalization's scale and variance
    at first. Others that repeat one, of random numbers, are weights that are shared.
    """
    tensors = {each.name: each for each in graph.proto.initializer if each.data_type in FLOATS}
    nodes: list[Any] = []
    for node in graph.proto.node:
        tensor = tensors.get(node.input[0]) if node.op_type == "Identity" else None
        array: Any = None if tensor is None else onnx.numpy_helper.to_array(tensor)
        if array is None or not array.size or np.any(array != array.flat[0]):
            nodes.append(node)
        else:
            own = onnx.numpy_helper.from_array(array, node.output[0])
            tensors[own.name] = own
            graph.proto.initializer.append(own)
    graph.set_nodes(nodes)


def _only(places: Sequence[tuple[str, int]], known: Mapping[str, Sequence[int]]) -> bool:
    """Whether a value is only read as certain inputs of operators."""
    return bool(places) and all(number in known.get(operator, ()) for operator, number in places)


_MOST_LISTED = 20


def _listed(names: Sequence[str]) -> str:
    """Some names, for messages."""
    rest = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {rest} more" if rest > 0 else "") or "none"
