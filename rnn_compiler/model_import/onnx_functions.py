"""Recurrent nodes in the functions of an ONNX model, which are not imported but named.

A function's weights may be its arguments, so each call of it would be a layer of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rnn_compiler.model_import.layer import Refused
from rnn_compiler.model_import.onnx_layers import OPERATORS
from rnn_compiler.model_import.reading import clipped

__all__ = ["in_functions", "nodes_within"]

_DEEPEST = 50
_INLINE = "which is not read: inline it with onnx.inliner.inline_local_functions"


def in_functions(model: Any) -> Iterator[Refused]:
    """The recurrent nodes in functions that the model calls, whose weights are not traced."""
    bodies = [model.graph.node, *(function.node for function in model.function)]
    called = {(node.domain, node.op) for body in bodies for node in nodes_within(body)}
    for function in model.function:
        if (function.domain, function.name) not in called:
            continue
        for node in nodes_within(function.node):
            if node.op in OPERATORS:
                name = clipped(f"{function.name}/{node.name or node.op}")
                yield Refused(name, f"{node.op} in a function", _INLINE)


def nodes_within(nodes: Any, depth: int = 0) -> Iterator[Any]:
    """Some nodes, and those in the graphs inside them."""
    for node in nodes:
        yield node
        for attribute in node.attr:
            if attribute.HasField("graph") and depth < _DEEPEST:
                yield from nodes_within(attribute.graph.node, depth + 1)
