"""Gradients by the chain rule, from the results of a graph back to the values that are wanted.

Each operator's rule gives the gradients of its inputs from those of its results; what several nodes
read gets the sum. Only values that depend on wanted ones have gradients: what lies before them
needs no rule, and neither do integers and booleans, where the chain ends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, subgraphs
from rnn_compiler.network_import.graph.gradients.node import Backward, Gradients
from rnn_compiler.network_import.graph.gradients.rules import RULES
from rnn_compiler.network_import.graph.gradients.values import ShapedValue, Values

__all__ = ["depending", "gradients", "needed_by"]


_OF_SIZES = ("Shape", "Size", "DropoutMask")
"""Operators whose results depend only on the sizes of what they read."""


_INEXACT = ("Asinh", "Acosh", "Atanh")
"""Functions that the import writes as formulas whose gradients are inexact near 0 and NaN at 0."""


def depending(graph: Graph, sources: Collection[str]) -> set[str]:
    """The values of a graph that depend on some of them, and these themselves."""
    found = {*sources}
    for node in graph.proto.node:
        if node.op_type in _OF_SIZES:
            continue
        read = {*node.input, *(name for inner in subgraphs(node) for name in _read(inner))}
        if not found.isdisjoint(read):
            found.update(name for name in node.output if name)
    return found


def _read(graph: Any) -> list[str]:
    return [name for node in graph.node for name in node.input]


def needed_by(graph: Graph, results: Collection[str]) -> set[str]:
    """The values of a graph on which some results depend, and these themselves."""
    found = {*results}
    for node in reversed(graph.proto.node):
        if not found.isdisjoint(node.output):
            found.update(node.input, *(_read(inner) for inner in subgraphs(node)))
    return found


def gradients(values: Values, known: Mapping[str, ShapedValue], wanted: Sequence[str]) -> Gradients:
    """The gradients of values, given those of others that are computed from them."""
    active = depending(values.graph, wanted) & needed_by(values.graph, known)
    sums: dict[str, list[ShapedValue]] = {name: [each] for name, each in known.items()}
    for node in reversed([*values.graph.proto.node]):
        outputs = [name for name in node.output if name in sums]
        inputs = [name for name in node.input if name in active and values[name].is_float]
        if not outputs or not inputs:
            continue
        values.begin(f"{node.name}.gradient")
        results = [values.sum(sums.pop(name)) if name in outputs else None for name in node.output]
        for name, gradient in _of_inputs(values, node, results, {*inputs}).items():
            sums.setdefault(name, []).append(gradient)
    values.begin("gradient")
    return {name: values.sum(sums[name]) for name in wanted if name in sums}


def _of_inputs(
    values: Values, node: Any, results: Sequence[ShapedValue | None], wanted: Collection[str]
) -> Gradients:
    """The gradients of a node's inputs, those of an input that it reads twice added up."""
    _, operator = values.graph.origins.get(node.name, (node.name, node.op_type))
    rule = RULES.get(node.op_type)
    if rule is None or operator in _INEXACT:
        raise UnsupportedError(
            f"training_step: {values.graph.named(node)}: no rule for its gradient is "
            "known, and it lies between a trained weight and the loss; train only weights behind "
            "it, with train=[...] or --trainable"
        )
    backward = Backward(values, node, results, wanted)
    rule(backward)
    return {name: values.sum(each) for name, each in backward.gradients.items()}
