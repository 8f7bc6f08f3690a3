"""The nodes that replace a node."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, onnx


class Replacement:
    """Nodes that compute what another node does, and constants for them.

    Attributes:
        nodes: The nodes so far.
        graph: The graph that they are for.
    """

    def __init__(self, graph: Graph, node: Any) -> None:
        self.nodes: list[Any] = []
        self.graph = graph
        self._node = node
        self._constants = 0

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Adds a node; returns its result."""
        name = f"{self._node.name}.{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """Adds a constant; returns its name."""
        name = f"{self._node.name}.constant{self._constants}"
        self._constants += 1
        tensor = onnx.numpy_helper.from_array(np.asarray(value, dtype), name)
        self.graph.proto.initializer.append(tensor)
        return name

    def finished(self) -> list[Any]:
        """The nodes, the last of which has the replaced one's result.

        Each keeps a name of its own: what replaces it in turn names other values.
        """
        self.nodes[-1].output[0] = self._node.output[0]
        graph, node = self.graph, self._node
        graph.replaced.append(node)
        origin = graph.origins.get(node.name, (node.name, node.op_type))
        graph.origins |= dict.fromkeys((each.name for each in self.nodes), origin)
        return self.nodes


Rewrite = Callable[[Graph, Any, Any], "list[Any] | None"]
"""What a graph, a node and the type of its first input become; see `rewrite_nodes`."""


def rewrites(*operators: str, least_opset: int = 1) -> Callable[[Rewrite], Callable[[Graph], bool]]:
    """Decorates a function as in `rewrite_nodes` as a rewrite of graphs, from a version of ONNX."""
    return lambda rewrite: (
        lambda graph: graph.opset >= least_opset and rewrite_nodes(graph, operators, rewrite)
    )


def rewrite_nodes(graph: Graph, operators: Collection[str], rewrite: Rewrite) -> bool:
    """Replaces nodes of some operators whose types are known; returns whether there were any.

    `rewrite` takes the graph, a node, and the type of its first input, which may be a constant. It
    returns the nodes that replace the node; the node itself, or none, if it stays.
    """
    if not any(node.op_type in operators for node in graph.proto.node):
        return False
    types = graph.all_types()

    def replaced(node: Any) -> list[Any] | None:
        kind = types.get(node.input[0])
        return None if kind is None else rewrite(graph, node, kind)

    return graph.replace_nodes(replaced, operators)
