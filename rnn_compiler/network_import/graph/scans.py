"""Checks `Scan`, which IREE computes as a loop, in graphs with open axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, read_by
from rnn_compiler.network_import.graph.axes import Axis
from rnn_compiler.schema.open_sizes import Size, names_in


def check_scans(
    graph: Graph, types: Mapping[str, Sequence[Size | None]], axes: Sequence[Axis]
) -> None:
    """Checks that no Scan returns a row for each of an open number of steps.

    IREE's importer makes an array of a single row for it.
    """
    read = {each.name for each in graph.proto.output}.union(*map(read_by, graph.proto.node))
    for node in graph.proto.node:
        scanned = attributes_of(node).get("num_scan_inputs")
        if node.op_type != "Scan" or scanned is None:
            continue
        for name in read.intersection(node.output[len(node.input) - scanned.i :]):
            keys = names_in(*types.get(name, ())[:1])
            axis = next((axis for axis in axes if axis.key in keys), None)
            if axis is not None:
                raise UnsupportedError(
                    f"import_network: node {node.name!r} (Scan) returns a row for each step, so "
                    f"{axis}"
                )
