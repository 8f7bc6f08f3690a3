"""Rows of a constant table up to an open size, as learned positions are taken: ``table[:steps]``.

Such a slice would end with the table, so that the size of its result is not that of the axis. It
becomes a gather of as many rows, and the table limits the axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rnn_compiler.network_import.graph import Graph, onnx
from rnn_compiler.network_import.graph.replacement import Replacement
from rnn_compiler.schema.open_sizes import Size, terms


class SlicedTable(NamedTuple):
    """A slice: its first row, the row behind its last one, their axis, and the table's rows."""

    start: int
    end: int
    axis: int
    rows: int


def sliced_table(graph: Graph, node: Any, constants: Mapping[str, Any]) -> SlicedTable | None:
    """The slice of a constant table whose end follows from sizes of inputs; None for others."""
    if node.op_type != "Slice" or not graph.is_open or node.name in graph.clipped:
        return None
    table, start, end, *others = node.input
    if end not in constants or end not in graph.folded:
        return None
    fixed = [name for name in (table, start, *others) if name]
    if any(name in graph.folded or name not in constants for name in fixed):
        return None
    numbers = {name: _numbers(constants[name]) for name in (start, end, *others) if name}
    axes, steps = (
        numbers.get(name, [default])
        for name, default in zip([*others, "", ""][:2], (0, 1), strict=True)
    )
    if len(numbers[start]) != 1 or steps != [1]:
        return None
    (first,), (last,), (axis,) = numbers[start], numbers[end], axes
    rows = constants[table].dims[axis]
    return SlicedTable(first, last, axis, rows) if 0 <= first < rows and first < last else None


def _numbers(tensor: Any) -> list[int]:
    return onnx.numpy_helper.to_array(tensor).ravel().tolist()


def gather_sliced_tables(graph: Graph) -> bool:
    """Replaces the slices, and notes them; returns whether there were any."""
    constants = graph.constants()

    def gathered(node: Any) -> list[Any]:
        found = sliced_table(graph, node, constants)
        if found is None:
            return []
        graph.sliced[node.name] = found
        made = Replacement(graph, node)
        end = made.add("Cast", node.input[2], to=onnx.TensorProto.INT64)
        end = made.add("Reshape", end, made.constant([]))
        rows = made.add("Range", made.constant(found.start), end, made.constant(1))
        made.add("Gather", node.input[0], rows, axis=found.axis)
        return made.finished()

    return graph.replace_nodes(gathered)


def limit(end: Size | None, rows: int) -> tuple[str, int] | None:
    """The axis that determines the end of a slice, and the size at which it takes so many rows."""
    factors = {} if end is None else dict(terms(end))
    constant = factors.pop((), 0)
    if len(factors) != 1:
        return None
    ((names, factor),) = factors.items()
    return (names[0], (rows - constant) // factor) if len(names) == 1 and factor > 0 else None
