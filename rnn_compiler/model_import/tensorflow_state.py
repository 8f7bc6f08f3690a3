"""The variables in which a TensorFlow graph keeps state between calls.

A variable keeps state if it is assigned anything but constants or values restored from a
checkpoint, which only initialize or reset it.
"""

from __future__ import annotations

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.tensorflow_constants import VARIABLES, Constants
from rnn_compiler.model_import.tensorflow_data_movement import DATA_MOVEMENT
from rnn_compiler.model_import.tensorflow_graph import Scope, Value, data_inputs

__all__ = ["StateVariables"]

_ASSIGNING = {
    *("Assign", "AssignAdd", "AssignSub", "ScatterUpdate", "ScatterNdUpdate"),
    *("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"),
    *("ResourceScatterUpdate", "ResourceScatterNdUpdate"),
}
"""Ops that change a variable, which is their first input."""

_GIVEN = ("Placeholder", "PlaceholderWithDefault", *VARIABLES)
_MOST_NODES = 1_000
"""The most nodes to examine behind a value; one with more is not an initial value."""


class StateVariables:
    """Which variables of a graph keep state."""

    def __init__(self, constants: Constants) -> None:
        """Finds the variables that the graph assigns.

        Args:
            constants: The graph, with its known values.
        """
        self._graph = constants.graph
        self._names = {
            variable
            for scope in self._graph.scopes(_ASSIGNING)
            for node in scope.body.nodes.values()
            if node.op in _ASSIGNING
            if (variable := self._changed(constants, scope, data_inputs(node))) is not None
        }

    def variable(self, value: Value) -> str | None:
        """The state variable that a value is, possibly moved; None for other values."""
        for found in self._behind(value, only_movement=True):
            node = self._graph.node(found)
            if node is not None and node.op in VARIABLES and node.name in self._names:
                return node.name
        return None

    def behind_moves(self, value: Value) -> list[str]:
        """The variables that a value consists of, if it is only moved."""
        nodes = (self._graph.node(each) for each in self._behind(value, only_movement=True))
        return [node.name for node in nodes if node is not None and node.op in VARIABLES]

    def _changed(self, constants: Constants, scope: Scope, inputs: list[str]) -> str | None:
        """The state variable that a node with some inputs changes, if any."""
        if len(inputs) < 2:
            return None
        target, value = (self._graph.value(scope, text) for text in (inputs[0], inputs[-1]))
        variable = self._graph.node(self._graph.source(target))
        if variable is None or variable.op not in VARIABLES:
            return None
        keeps_state = not constants.is_restored(value) and not self._is_initial(value)
        return variable.name if keeps_state else None

    def _is_initial(self, value: Value) -> bool:
        """Whether a value depends only on constants."""
        behind = self._behind(value)
        if len(behind) >= _MOST_NODES:
            return False
        nodes = [self._graph.node(each) for each in behind]
        return all(n is not None and n.op not in _GIVEN and n.op not in OPS for n in nodes)

    def _behind(self, value: Value, *, only_movement: bool = False) -> list[Value]:
        """The values that a value is computed or moved from, and itself, up to a limit."""
        graph = self._graph
        waiting = [graph.source(value)]
        found = dict.fromkeys(waiting)
        while waiting and len(found) < _MOST_NODES:
            here = waiting.pop()
            node = graph.node(here)
            if node is None or (only_movement and node.op not in DATA_MOVEMENT):
                continue
            for text in data_inputs(node):
                before = graph.source(graph.value(here.scope, text))
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return list(found)
