"""Compares the sizes of a recurrent node's inputs: all must have the same rows and directions.

Inputs of an open size do not fit weights.

ONNX's shape inference does not, and sizes that stay open are not compared when the op is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.onnx_layers import INPUTS, OPERATORS, STATE_POSITIONS
from rnn_compiler.network_import.graph import Graph, attributes_of, value_in
from rnn_compiler.network_import.graph.axes import OpenAxis, shown
from rnn_compiler.schema.open_sizes import Open, Size, names_in

_X, _W, _LENGTHS = map(INPUTS.index, ("X", "W", "sequence_lens"))


def check_recurrent_sizes(
    graph: Graph, shapes: Mapping[str, Sequence[Size | None]], axes: Sequence[OpenAxis] = ()
) -> None:
    """Checks lengths and states of all recurrent nodes.

    Two axes that are open are taken for one: calls compare them.
    """
    for node in graph.proto.node:
        if node.domain or node.op_type not in OPERATORS:
            continue
        wrong = [
            (name, expected, got)
            for name, expected, got in compared(node, shapes)
            if len(got) != len(expected) or any(_differing(expected, got))
        ]
        if not wrong:
            continue
        keys = names_in(
            *(size for _, one, other in wrong for sizes in _differing(one, other) for size in sizes)
        )
        found = [str(axis) for axis in axes if axis.key in keys]
        remedy = f", so {' and '.join(found)}" if found else "; check its inputs"
        name, expected, got = wrong[0]
        raise UnsupportedError(
            f"import_network: node {node.name!r} ({node.op_type}): {name!r}: expected the shape "
            f"{shown(expected, axes)} for the rows of 'X', got {shown(got, axes)}{remedy}"
        )


def compared(
    node: Any, shapes: Mapping[str, Sequence[Size | None]]
) -> Iterator[tuple[str, Sequence[Size | None], Sequence[Size | None]]]:
    """The shapes that a node's inputs must have, and those they have, by ONNX's names.

    Known numbers of units are compared in `layer_of`.
    """
    X = shapes.get(node.input[_X], ())
    if len(X) != 3:
        return
    attributes = attributes_of(node)
    batch_first = value_in(attributes, "layout", 0)
    direction = value_in(attributes, "direction", b"").lower()
    rows, count = X[0 if batch_first else 1], 2 if direction == b"bidirectional" else 1
    units = attributes["hidden_size"].i if "hidden_size" in attributes else None
    if isinstance(X[2], Open):  # known numbers are compared in `layer_of`
        yield INPUTS[_W], [None, None, X[2]], shapes.get(node.input[_W]) or [None] * 3
    for position in (_LENGTHS, *STATE_POSITIONS):
        got = shapes.get(node.input[position]) if position < len(node.input) else None
        if got is None:
            continue
        expected: list[Size | None] = [rows]
        if position != _LENGTHS:
            first = [rows, count] if batch_first else [count, rows]
            expected = [*first, *(n if isinstance(n, int) else units for n in got[2:3] or [units])]
        yield INPUTS[position], expected, got


def _differing(
    expected: Sequence[Size | None], got: Sequence[Size | None]
) -> Iterator[tuple[Size | None, Size | None]]:
    """Pairs of sizes that differ, except unknown sizes and two axes that are open."""
    for one, other in zip(expected, got, strict=False):
        if None not in (one, other) and one != other and not (is_axis(one) and is_axis(other)):
            yield one, other


def is_axis(size: Size | None) -> bool:
    """Whether a size is an open axis of an input, and nothing else."""
    return isinstance(size, Open) and [*size.terms.items()] == [((*size.names,), 1)]
