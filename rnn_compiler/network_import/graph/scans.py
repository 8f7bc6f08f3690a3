"""Scans that IREE computes as loops, in graphs with open axes: their types, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, read_by
from rnn_compiler.network_import.graph.axes import Axis
from rnn_compiler.schema.open_sizes import Size, names_in


def check_scans(
    graph: Graph, types: Mapping[str, Sequence[Size | None]], axes: Sequence[Axis]
) -> None:
    """Checks that no Scan returns a row for each step if the steps or the rows have open sizes.

    IREE's importer makes an array of a single row for it.
    """
    read = {each.name for each in graph.proto.output}.union(*map(read_by, graph.proto.node))
    for node in graph.proto.node:
        scanned = attributes_of(node).get("num_scan_inputs")
        if node.op_type != "Scan" or scanned is None:
            continue
        for name in read.intersection(node.output[len(node.input) - scanned.i :]):
            keys = [key for size in types.get(name, ()) for key in sorted(names_in(size))]
            axis = next((axis for key in keys for axis in axes if axis.key == key), None)
            if axis is not None:
                raise UnsupportedError(
                    f"import_network: node {node.name!r} (Scan) returns a row for each step, so "
                    f"{axis}"
                )


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
                    if k >= states:
                        del value.type.tensor_type.shape.dim[0]
