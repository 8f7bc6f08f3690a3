"""What an ONNX model has besides recurrent nodes that may be recurrent layers: functions and loops.

A function's weights may be its arguments, so each call of it would be a layer of its own. Both are
named, not imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rnn_compiler.model_import.layer import Refused
from rnn_compiler.model_import.onnx_layers import OPERATORS
from rnn_compiler.model_import.reading import clipped

__all__ = ["LOOPS", "in_functions", "loops_beside", "nodes_within"]

LOOPS = ("Loop", "Scan")
"""The operators that run a graph once for each step."""

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


def loops_beside(model: Any) -> str:
    """The operators of a model's loops without a recurrent node in them; usually empty."""
    found: set[str] = set()
    for node in nodes_within(model.graph.node):
        if node.op in LOOPS and not any(each.op in OPERATORS for each in nodes_within([node])):
            found.add(node.op)
    return " and ".join(f"a {op}" for op in sorted(found))


def nodes_within(nodes: Any, depth: int = 0) -> Iterator[Any]:
    """Some nodes, and those in the graphs inside them."""
    for node in nodes:
        yield node
        for attribute in node.attr:
            if attribute.HasField("graph") and depth < _DEEPEST:
                yield from nodes_within(attribute.graph.node, depth + 1)
