"""Takes the branches of an `If` into the graph that contains it.

If the condition is known, the nodes of one branch replace the node. If only calls know it, those of
both do, and the condition selects between their results:

    y = where(condition, then, else)

Nodes compute results and nothing else, so this is the same, and each of them is rewritten, checked
and replaced by our ops like any other node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of
from rnn_compiler.network_import.graph.loops import rename
from rnn_compiler.network_import.graph.replacement import Replacement

__all__ = ["select_results", "take_known_branch"]

_BRANCHES = ("then_branch", "else_branch")


def take_known_branch(
    node: Any, constants: Mapping[str, Any], taken: set[str], made: list[Any]
) -> list[Any] | None:
    """The nodes of the branch that an `If` takes; None if it is unknown, or for other nodes.

    `taken` are the names of the graph's values, and `made` receives the branch's constants.
    """
    if node.op_type != "If" or node.input[0] not in constants:
        return None
    condition = bool(onnx.numpy_helper.to_array(constants[node.input[0]]).all())
    branch = attributes_of(node)[_BRANCHES[not condition]].g
    return _inlined(node, branch, node.output, taken, made)


def select_results(graph: Graph) -> bool:
    """Takes both branches of every `If` into the graph; returns whether there were any."""
    taken = {*graph.types(), *graph.constants()}
    made: list[Any] = []
    changed = graph.replace_nodes(lambda node: _both(node, taken, made), ("If",))
    graph.proto.initializer.extend(made)
    return changed or graph.replace_nodes(lambda node: _selection(graph, node), ("If",))


def _both(node: Any, taken: set[str], made: list[Any]) -> list[Any] | None:
    """The nodes of both branches, and an `If` that only passes their results on."""
    nodes: list[Any] = []
    for name in _BRANCHES:
        branch = attributes_of(node)[name].g
        if not branch.node and not branch.initializer:
            continue
        results = [f"{node.name}/{name}/{k}" for k in range(len(branch.output))]
        nodes += _inlined(node, branch, results, taken, made)
        empty = onnx.GraphProto(name=branch.name)
        empty.output.extend(onnx.ValueInfoProto(name=each) for each in results)
        branch.CopyFrom(empty)
    return [*nodes, node] if nodes else None


def _selection(graph: Graph, node: Any) -> list[Any] | None:
    """The nodes that select the results of an `If`; None while the types of these are unknown."""
    types = graph.all_types()
    branches = [[each.name for each in attributes_of(node)[name].g.output] for name in _BRANCHES]
    pairs = [*zip(*branches, strict=True)]
    shapes = [[shape_of(types.get(name)) for name in pair] for pair in pairs]
    if any(shape is None or None in shape for pair in shapes for shape in pair):
        return None
    for output, (one, other) in zip(node.output, shapes, strict=True):
        if one != other and one is not None and other is not None:
            raise UnsupportedError(
                f"import_network: node {node.name!r} (If): expected branches that give results of "
                f"the same shape, got {_difference(one, other)} of {output!r}; fix sizes with "
                "dims= and inputs with values=, so that its condition is known at import"
            )
    made = Replacement(graph, node)
    condition = made.add("Reshape", node.input[0], made.constant([]))
    for pair, output in zip(pairs, node.output, strict=True):
        if output:
            made.add("Where", condition, *pair)
            made.nodes[-1].output[0] = output
    return made.nodes


def _difference(one: Sequence[int | None], other: Sequence[int | None]) -> str:
    """How two shapes differ."""
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} axes"
    axis = next(k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"sizes {one[axis]} and {other[axis]} along axis {axis}"


def _inlined(
    node: Any, branch: Any, results: Sequence[str], taken: set[str], made: list[Any]
) -> list[Any]:
    """The nodes of a branch, which give its results other names; its constants are added."""
    own = [tensor.name for tensor in branch.initializer]
    own += [name for each in branch.node for name in each.output if name]
    names = {name: f"{node.name}/{name}" for name in own if name in taken}
    taken.update(own)
    for tensor in branch.initializer:
        tensor.name = names.get(tensor.name, tensor.name)
        made.append(tensor)
    for number, each in enumerate(branch.node):
        each.name = each.name or f"{node.name}/{each.op_type}_{number}"
        rename(each, names)
    ends = [
        onnx.helper.make_node(
            "Identity", [names.get(inner.name, inner.name)], [outer], name=f"{node.name}/{outer}"
        )
        for inner, outer in zip(branch.output, results, strict=True)
        if outer
    ]
    return [*branch.node, *ends]
