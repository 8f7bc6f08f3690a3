"""Refuses nodes by name that IREE's importer does not take, or takes for others.

check_operators  names that ONNX does not have
check_types      results without a type, and operators and types that IREE computes incorrectly
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import FLOATS, Graph, onnx, subgraphs
from rnn_compiler.network_import.graph.resizing import IMAGES
from rnn_compiler.network_import.graph.results import unknown_result

__all__ = ["check_operators", "check_types"]

_UNSIGNED = {
    *(onnx.TensorProto.UINT8, onnx.TensorProto.UINT16),
    *(onnx.TensorProto.UINT32, onnx.TensorProto.UINT64),
}

_INTEGERS = {
    *(onnx.TensorProto.INT8, onnx.TensorProto.INT16, onnx.TensorProto.INT32),
    *(onnx.TensorProto.INT64, *_UNSIGNED),
}

_WITH_WINDOWS = ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool")
"""Operators whose attributes may leave no result."""

_SIGNED_ONLY = (
    *("MaxPool", "Div", "Mod", "ReduceMax", "ReduceMin", "TopK", "Clip", "Relu", "Abs", "Neg"),
    "Sign",
)
"""Operators whose results differ for unsigned numbers with the highest bit set."""


_SCAN_ORDERS = (
    *("scan_input_directions", "scan_output_directions", "scan_input_axes", "scan_output_axes"),
)
"""Attributes of Scan that IREE's importer does not read."""

_MOST_ELEMENTS = (1 << 31) - 1
"""The most elements of an array, whatever its open sizes are."""

_REFUSED = {
    "GridSample": "IREE's importer gives other numbers than ONNX for points beyond the edges",
    "Unique": "the size of its result depends on numbers that only calls know",
}
"""Operators that are not imported, and why."""


def check_operators(graph: Graph, also: Collection[str] = ()) -> None:
    """Checks that all operators are ONNX's own, or `also`: importers only look at their names."""
    for each in (graph.proto, *subgraphs(graph.proto)):
        for node in each.node:
            where = f"import_network: node {node.name!r}"
            if node.domain not in ("", "ai.onnx"):
                raise UnsupportedError(
                    f"{where} ({node.domain}.{node.op_type}): operators of other domains than "
                    "ONNX's own are not imported"
                )
            if node.op_type not in also and not onnx.defs.has(node.op_type):
                raise UnsupportedError(
                    f"{where} ({node.op_type}): expected an operator of ONNX, which has none "
                    f"of this name (onnx {onnx.__version__}); replace it in the model by "
                    "operators that ONNX has, and export it again"
                )


def check_types(graph: Graph) -> None:
    """Checks that the results of all nodes have valid types."""
    types = graph.types()
    for node in graph.proto.node:
        given, made = (
            [types[name].tensor_type for name in names if name in types]
            for names in (node.input, node.output)
        )
        sizes = [[axis.dim_value for axis in kind.shape.dim] for kind in made]
        wrong = next((each for each in sizes if min(each, default=0) < 0), None)
        has_type = all(kind.elem_type for kind in made)
        has_shape = all(kind.HasField("shape") for kind in made)
        if wrong or not has_type or (node.op_type in _WITH_WINDOWS and not has_shape):
            raise unknown_result(graph.named(node), node.op_type, wrong)
        _check_elements(graph, node, sizes)
        if node.op_type == "Resize":
            _check_resized(
                graph.named(node),
                *(
                    [axis.dim_value for axis in kind.shape.dim][:IMAGES]
                    for kind in (types[node.input[0]].tensor_type, made[0])
                ),
            )
        if any(kind.elem_type in _UNSIGNED for kind in (*given, *made)) and (
            node.op_type in _SIGNED_ONLY
            or (node.op_type == "Cast" and given[0].elem_type in FLOATS)
        ):
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: expected signed "
                "integers, got unsigned ones, which IREE's importer would treat as signed; "
                "cast to int32 first"
            )
        if node.op_type in ("Div", "Mod") and given and given[0].elem_type in _INTEGERS:
            _check_divisor(graph, node)
        if node.op_type == "Scan" and any(
            attribute.ints and any(attribute.ints)
            for attribute in node.attribute
            if attribute.name in _SCAN_ORDERS
        ):
            raise UnsupportedError(
                f"import_network: node {node.name!r} (Scan): expected forward scans along axis "
                "0, which are all that IREE's importer computes; reverse or transpose before it"
            )
        if node.op_type in _REFUSED:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: not supported, because "
                f"{_REFUSED[node.op_type]}"
            )


def _check_elements(graph: Graph, node: Any, shapes: Sequence[Sequence[int]]) -> None:
    """Checks that the results of a node are not too large; sizes of 0 are open."""
    for shape in shapes:
        count = math.prod(size for size in shape if size)
        if count > _MOST_ELEMENTS:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: expected results of at "
                f"most {_MOST_ELEMENTS:,} elements, got {count:,}; correct the constant sizes of "
                "the model, or fix smaller ones with dims="
            )


def _check_resized(node: str, before: Sequence[int], after: Sequence[int]) -> None:
    """Checks that a Resize keeps batch and channels; sizes of 0 are open."""
    for axis, (old, new) in enumerate(zip(before, after, strict=False)):
        if old and new and old != new:
            raise UnsupportedError(
                f"import_network: {node}: expected axis {axis} to keep its "
                f"size {old}, because IREE resizes only axes after the second, got {new}; correct "
                "the node's sizes, fix another size with dims=, or transpose before it"
            )


def _check_divisor(graph: Graph, node: Any) -> None:
    """Checks that integers are divided only by constants with a defined quotient."""
    tensor = graph.constants().get(node.input[1])
    values = [0] if tensor is None else onnx.numpy_helper.to_array(tensor).ravel().tolist()
    if 0 in values or -1 in values:
        number = 0 if 0 in values else -1
        got = "a computed divisor" if tensor is None else f"a divisor of {number}"
        raise UnsupportedError(
            f"import_network: {graph.named(node)}: expected integers divided "
            f"by a constant without 0 and -1, got {got}, which could end the process; use "
            "another constant, or divide floats"
        )
