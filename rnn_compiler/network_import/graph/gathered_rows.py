"""Multiplies the rows of an array by a matrix at once, where a graph gathers them one by one.

A recurrent layer that is written out as operators multiplies the input of each step separately:

    Gemm(Gather(x, 0), w, b), Gemm(Gather(x, 1), w, b), ..

and reads the matrix each time. These become ``y = x @ w + b`` and ``Gather(y, 0)``, ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.folding import fold


class _GatheredProduct(NamedTuple):
    """The common part of products that can be joined: ``x @ w + b``, gathered along an axis."""

    source: str
    axis: int
    matrix: str
    is_transposed: bool
    bias: str


def join_gathered_rows(graph: Graph) -> None:
    """Joins the products of single rows of an array if they cover at least half of its rows."""
    constants, types = graph.constants(), graph.types()
    gathers = {
        node.output[0]: node
        for node in graph.proto.node
        if node.op_type == "Gather" and node.input[1] in constants
    }
    groups: dict[_GatheredProduct, list[Any]] = {}
    for node in graph.proto.node:
        found = _read(node, gathers, constants, types)
        if found is not None:
            groups.setdefault(found, []).append(node)
    replaced: dict[str, list[Any]] = {}
    for number, (product, members) in enumerate(groups.items()):
        sizes = shape_of(types.get(product.source))
        rows = None if sizes is None or len(sizes) != 3 else sizes[product.axis]
        if rows is None or len(members) < 2 or 2 * len(members) < rows:
            continue
        made = _joined(product, f"{members[0].name}.{number}", constants)
        for node in members:
            given = [made[-1].output[0], gathers[node.input[0]].input[1]]
            names = node.output, node.name
            row = onnx.helper.make_node("Gather", given, *names, axis=product.axis)
            replaced[node.name] = [*(made if node is members[0] else ()), row]
    if graph.replace_nodes(lambda node: replaced.get(node.name)):
        fold(graph)


def _read(
    node: Any,
    gathers: Mapping[str, Any],
    constants: Mapping[str, Any],
    types: Mapping[str, Any],
) -> _GatheredProduct | None:
    """A node as the product of a row of an array and a matrix; None if it is not one."""
    if node.op_type not in ("Gemm", "MatMul") or node.input[0] not in gathers:
        return None
    gather, attributes = gathers[node.input[0]], attributes_of(node)
    axis = attributes_of(gather)["axis"].i if "axis" in attributes_of(gather) else 0
    matrix, bias = node.input[1], node.input[2] if len(node.input) > 2 else ""
    is_plain = (
        axis in (0, 1)
        and not constants[gather.input[1]].dims
        and _rank(matrix, constants, types) == 2
        and (not bias or _rank(bias, constants, types) == 1)
        and all(attributes[name].f == 1 for name in ("alpha", "beta") if name in attributes)
        and not value_in(attributes, "transA", 0)
    )
    if not is_plain:
        return None
    is_transposed = "transB" in attributes and bool(attributes["transB"].i)
    return _GatheredProduct(gather.input[0], axis, matrix, is_transposed, bias)


def _rank(name: str, constants: Mapping[str, Any], types: Mapping[str, Any]) -> int | None:
    """The number of axes of a value; None if it is not known."""
    shape = constants[name].dims if name in constants else shape_of(types.get(name))
    return None if shape is None else len(shape)


def _joined(product: _GatheredProduct, name: str, constants: dict[str, Any]) -> list[Any]:
    """The nodes that multiply all rows."""
    matrix, nodes = product.matrix, list[Any]()
    if product.is_transposed:
        matrix = f"{name}.matrix"
        made = onnx.helper.make_node("Transpose", [product.matrix], [matrix], matrix, perm=[1, 0])
        nodes.append(made)
    rows = f"{name}.rows"
    nodes.append(onnx.helper.make_node("MatMul", [product.source, matrix], [rows], rows))
    if product.bias:
        total = f"{name}.sum"
        nodes.append(onnx.helper.make_node("Add", [rows, product.bias], [total], total))
    return nodes
