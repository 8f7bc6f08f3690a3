"""Graphs inside nodes: the branches of an If, the body of a Loop or Scan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_DEEPEST = 50


def inner_graphs(node: Any) -> Iterator[Any]:
    """The graphs that are attributes of a node."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def subgraphs(holder: Any, depth: int = 0) -> Iterator[Any]:
    """The graphs inside a graph or a node, at any depth."""
    for node in holder.node if hasattr(holder, "node") else [holder]:
        for graph in inner_graphs(node):
            yield graph
            if depth < _DEEPEST:
                yield from subgraphs(graph, depth + 1)


def read_by(node: Any) -> Iterator[str]:
    """The values that a node reads, including those read by graphs inside it."""
    yield from node.input
    for graph in subgraphs(node):
        for each in graph.node:
            yield from each.input
        yield from (output.name for output in graph.output)


def made_in(graph: Any) -> set[str]:
    """The names of the values of a graph: its inputs, constants and results of nodes."""
    names = {each.name for each in (*graph.input, *graph.initializer)}
    names |= {each.values.name for each in graph.sparse_initializer}
    return names | {name for node in graph.node for name in node.output if name}


def read_from_outside(node: Any) -> Iterator[str]:
    """The values that a node reads, except those of graphs inside it that only these read."""
    yield from node.input
    for graph in inner_graphs(node):
        own = made_in(graph)
        read = [name for each in graph.node for name in read_from_outside(each)]
        read += [output.name for output in graph.output]
        yield from (name for name in read if name not in own)
