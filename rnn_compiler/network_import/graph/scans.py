"""Scans that IREE computes as loops: the types of their states and of the rows they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of
from rnn_compiler.schema.open_sizes import Size


def check_scans(graph: Graph, types: Mapping[str, Sequence[Size | None]]) -> None:
    """Checks that the rows that Scans return have known or open sizes."""
    for node in graph.proto.node:
        for name in _rows_of(node):
            if None in types.get(name, (None,)):
                raise UnsupportedError(
                    f"import_network: node {node.name!r} (Scan): the size of its result {name!r} "
                    "is not known; fix open sizes with dims="
                )


def rows_of_scans(
    graph: Graph, types: Mapping[str, Sequence[Size | None]]
) -> dict[str, Sequence[Sequence[Size]]]:
    """The shapes of the results of Scans with a row for each step, by the names of the nodes."""
    return {
        node.name: [[size for size in types[name] if size is not None] for name in names]
        for node in graph.proto.node
        if (names := _rows_of(node))
    }


def _rows_of(node: Any) -> Sequence[str]:
    """The results of a Scan that have a row for each step."""
    if node.op_type != "Scan":
        return ()
    return node.output[len(node.input) - attributes_of(node)["num_scan_inputs"].i :]


def set_types_of_scans(graph: Graph) -> None:
    """Gives the states and rows of all Scans the types of the arrays that they come from.

    IREE's importer requires that both agree.
    """
    types = graph.all_types()
    for node in graph.proto.node:
        if node.op_type != "Scan":
            continue
        body = attributes_of(node)["body"].g
        states = len(node.input) - attributes_of(node)["num_scan_inputs"].i
        given = (types.get(name) for name in node.input)
        made = (types.get(name) for name in node.output)
        for values, kinds in ((body.input, given), (body.output, made)):
            for k, (value, kind) in enumerate(zip(values, kinds, strict=False)):
                if kind is not None:
                    value.type.CopyFrom(kind)
                    if k >= states and value.type.tensor_type.shape.dim:
                        del value.type.tensor_type.shape.dim[0]
