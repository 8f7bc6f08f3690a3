"""Keras' layers that a TensorFlow graph has as loops of ordinary ops, found by their variables.

Such loops cannot be recognised. If a graph has other layers as well, they are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rnn_compiler.model_import.layer import Refused
from rnn_compiler.model_import.reading import clipped
from rnn_compiler.model_import.tensorflow_constants import VARIABLES
from rnn_compiler.model_import.tensorflow_graph import Graph, Scope, data_inputs
from rnn_compiler.model_import.tensorflow_state import StateVariables

__all__ = ["loops_of"]

_WEIGHTS = re.compile(r"(.+)/recurrent_kernel(_\d{1,9})?")
_REMEDY = "which cannot be recognised: save the model as .keras"
_MOST_NAMED = 300


def loops_of(
    graph: Graph, variables: StateVariables, calls: Iterable[tuple[Scope, Any]]
) -> list[Refused]:
    """The layers whose recurrent weights no op of the graph takes.

    Args:
        graph: The graph.
        variables: Traces values to variables.
        calls: The nodes that are layers, each with its scope.
    """
    bodies = [graph.main.body, *graph.functions.values()]
    nodes = (node for body in bodies for node in body.nodes.values())
    kept = {each.name for each in nodes if each.op in VARIABLES and _WEIGHTS.fullmatch(each.name)}
    if not kept:
        return []
    taken = {
        name
        for scope, node in calls
        for text in data_inputs(node)
        for name in variables.behind_moves(graph.value(scope, text))
    }
    known = set(taken)
    found: list[Refused] = []
    for name in sorted(kept - taken, key=lambda each: (each.count("/"), each)):
        parts = name.split("/")
        if len(found) >= _MOST_NAMED:
            break
        if not any("/".join(parts[k:]) in known for k in range(1, len(parts))):  # an optimizer's
            known.add(name)
            layer = clipped(name.rpartition("/")[0])
            found.append(Refused(layer, "recurrent weights in a loop of ordinary ops", _REMEDY))
    return found
