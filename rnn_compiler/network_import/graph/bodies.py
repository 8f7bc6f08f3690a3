"""Rewrites and checks the nodes in Scans that stay loops, like those of the graph itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, read_by
from rnn_compiler.network_import.graph.checks import check_types
from rnn_compiler.network_import.graph.scans import set_types_of_scans

_DONE = "/"
"""What the names of nodes of a rewritten body contain behind the loop's."""


def rewrite_bodies(graph: Graph, fold: Callable[[Graph], None]) -> bool:
    """Folds the bodies of all Scans; returns whether there were any to fold."""
    types = graph.all_types()
    changed = False
    for node in graph.proto.node:
        if node.op_type == "Scan" and not _is_done(node):
            set_types_of_scans(graph)
            _rewrite(graph, node, types, fold)
            changed = True
    return changed


def _is_done(node: Any) -> bool:
    """Whether a body was rewritten."""
    start = f"{node.name}{_DONE}"
    return all(each.name.startswith(start) for each in attributes_of(node)["body"].g.node)


def check_bodies(graph: Graph) -> None:
    """Checks the nodes of all bodies as those of the graph are checked."""
    types = graph.all_types()
    for node in graph.proto.node:
        if node.op_type == "Scan":
            check_types(_inner(graph, node, types))


def _outer(graph: Graph, node: Any) -> set[str]:
    """The values of the graph that a body reads."""
    body = attributes_of(node)["body"].g
    own = {each.name for each in (*body.input, *body.initializer)}
    own.update(name for each in body.node for name in each.output)
    known = {*graph.types(), *graph.constants()}
    return {name for each in body.node for name in read_by(each)} & known - own


def _inner(graph: Graph, node: Any, types: dict[str, Any]) -> Graph:
    """A body as a graph whose inputs are also the values of the outer graph that it reads."""
    model = onnx.ModelProto()
    model.opset_import.extend(graph.model.opset_import)
    model.ir_version = graph.model.ir_version
    model.graph.CopyFrom(attributes_of(node)["body"].g)
    constants, outer = graph.constants(), _outer(graph, node)
    model.graph.initializer.extend(constants[name] for name in sorted(outer & constants.keys()))
    for name in sorted(outer - constants.keys()):
        model.graph.input.append(onnx.ValueInfoProto(name=name, type=types[name]))
    inner = Graph(model, graph.path, largest=graph.largest)
    inner.is_open, inner.origins = graph.is_open, graph.origins
    return inner


def _rewrite(graph: Graph, node: Any, types: dict[str, Any], fold: Callable[[Graph], None]) -> None:
    """Folds the body of a Scan."""
    body, outer = attributes_of(node)["body"].g, _outer(graph, node)
    inner = _inner(graph, node, types)
    for number, each in enumerate(inner.proto.node):
        each.name = f"{node.name}{_DONE}{each.name or f'{each.op_type}_{number}'}"
    fold(inner)
    made = onnx.GraphProto(name=body.name)
    made.input.extend(body.input)
    made.output.extend(inner.proto.output)
    made.value_info.extend(inner.proto.value_info)
    made.initializer.extend(each for each in inner.proto.initializer if each.name not in outer)
    made.node.extend(inner.proto.node)
    body.CopyFrom(made)
