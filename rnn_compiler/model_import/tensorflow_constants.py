"""The arrays of values in a TensorFlow graph that are constants or only move constants.

A weight is a constant or a variable that may be sliced, concatenated, transposed and reshaped;
`Constants.array` does the same to its array (`tensorflow_data_movement`). With any other op,
such as a matrix product, the value is unknown.

The value of a variable is what the graph assigns to it when restoring a checkpoint: RestoreV2
lists keys, and each of its results is assigned to a variable, directly or after moves. (contrib's
CudnnLSTM stores matrices and biases in the checkpoint and assembles its buffer from them.) If a
graph restores nothing, variables are found by name.

A graph may have hundreds of functions that move the same weights. The same move of the same arrays
is computed once, and counts once.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from rnn_compiler.model_import.checkpoint import Checkpoint
from rnn_compiler.model_import.reading import Budget, damaged
from rnn_compiler.model_import.tensorflow_data_movement import DATA_MOVEMENT
from rnn_compiler.model_import.tensorflow_graph import (
    Graph,
    Scope,
    Value,
    attributes_of,
    data_inputs,
)
from rnn_compiler.model_import.tensors import tensor_of

__all__ = ["VARIABLES", "Constants"]

VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
"""The ops that stand for a variable."""

_RESTORE, _SAVE = "RestoreV2", "SaveV2"
_MOST_RESTORED = 1_000
_SMALL = 256
"""The size in bytes of arrays that are axes, sizes and the like."""
_DEEPEST = 100
"""The longest chain of nodes between a weight and its op."""


class Constants:
    """The arrays of a graph's values.

    Attributes:
        graph: The graph.
        keys: The key of each variable in the checkpoint, by the name of the variable's node, if it
            is restored without moves.
    """

    def __init__(self, graph: Graph, checkpoint: Checkpoint | None, budget: Budget) -> None:
        """Finds out how variables are restored.

        Args:
            graph: The graph.
            checkpoint: The variables; None if there are none.
            budget: The limit for the bytes of all moves.
        """
        self.graph = graph
        self.keys: dict[str, str] = {}
        self._checkpoint = checkpoint
        self._budget = budget
        self._known: dict[Value, Any] = {}
        self._constants: dict[tuple[str, str], Any] = {}
        self._moved: dict[Any, Any] = {}
        self._whole: dict[int, Any] = {}
        self._by_content: dict[Any, Any] = {}
        self._assigned: dict[str, Value] = {}
        self._saved: dict[Scope, set[str]] = {}
        if checkpoint is not None:
            self._find_restored()

    def array(self, value: Value, depth: int = 0) -> Any:
        """The array of a value; None if it is not constant.

        Raises:
            ArtifactError: A node's move does not fit its array.
        """
        value = self.graph.source(value)
        if value not in self._known:
            self._known[value] = None  # in case it depends on itself
            self._known[value] = self._array(value, depth)
        return self._known[value]

    def whole(self, array: Any) -> Any:
        """The array in contiguous memory; the same one for all arrays with equal elements.

        Raises:
            ArtifactError: It would be implausibly large for the file.
        """
        if id(array) not in self._whole:
            if not array.flags.c_contiguous:
                self._budget.take(array.nbytes)
            whole: Any = np.ascontiguousarray(array)  # this adds an axis to a single number
            whole = whole.reshape(array.shape)
            content = hashlib.blake2b(whole.reshape(-1).view(np.uint8).data).digest()
            key = (whole.dtype.name, whole.shape, content)
            # The array is kept, so that no other gets its id.
            self._whole[id(array)] = array, self._by_content.setdefault(key, whole)
        return self._whole[id(array)][1]

    def is_for_checkpoint(self, scope: Scope, node: Any) -> bool:
        """Whether a node is only used to save or restore variables."""
        if scope not in self._saved:
            nodes = scope.body.nodes
            waiting = [name for name, each in nodes.items() if each.op == _SAVE]
            found: set[str] = set()
            while waiting:
                name = waiting.pop()
                if name in nodes and name not in found:
                    found.add(name)
                    waiting += [text.split(":")[0] for text in data_inputs(nodes[name])]
            self._saved[scope] = found
        return node.name in self._saved[scope] or self.is_restored(Value(scope, node.name))

    def is_restored(self, value: Value) -> bool:
        """Whether a value comes from the checkpoint and is not an initial value."""
        waiting = [self.graph.source(value)]
        seen = set(waiting)
        while waiting and len(seen) < _MOST_RESTORED:
            node = self.graph.node(here := waiting.pop())
            if node is not None and node.op == _RESTORE:
                return True
            if node is not None and node.op in DATA_MOVEMENT:
                for text in data_inputs(node):
                    before = self.graph.source(self.graph.value(here.scope, text))
                    waiting += [] if before in seen else [before]
                    seen.add(before)
        return False

    def _array(self, value: Value, depth: int) -> Any:
        node = self.graph.node(value)
        if node is None:
            return None
        attributes = attributes_of(node)
        if node.op == "Const" and "value" in attributes:
            key = (value.scope.body.name, node.name)
            if key not in self._constants:
                held = attributes["value"].tensor
                self._constants[key] = tensor_of(held, self.graph.path, node.name, self._budget)
            return self._constants[key]
        if node.op in VARIABLES:
            return self._variable(node, depth)
        if node.op == _RESTORE:
            return self._stored(self._key(value))
        if node.op not in DATA_MOVEMENT or depth > _DEEPEST:
            return None
        inputs = [self.graph.value(value.scope, text) for text in data_inputs(node)]
        arrays = [self.array(each, depth + 1) for each in inputs]
        if any(array is None for array in arrays):
            return None
        key = (node.op, value.number, _content(attributes), *map(_identity, arrays))
        if key not in self._moved:
            self._budget.take(sum(array.nbytes for array in arrays))
            self._moved[key] = arrays, self._move(node, arrays, attributes, value.number)
        return self._moved[key][1]

    def _move(self, node: Any, arrays: list[Any], attributes: dict[str, Any], number: int) -> Any:
        """The result of a node for some arrays."""
        try:
            return DATA_MOVEMENT[node.op](arrays, attributes, number)
        except Exception as error:  # numpy rejects axes, shapes or sizes
            reason = f"{node.op} {node.name!r} cannot be: {error or type(error).__name__}"
            raise damaged(self.graph.path, reason) from error

    def _variable(self, node: Any, depth: int) -> Any:
        """The array of a variable."""
        if node.name in self._assigned:
            return self.array(self._assigned[node.name], depth + 1)
        shared = attributes_of(node).get("shared_name")
        name = shared.s.decode(errors="replace") if shared is not None else ""
        return self._stored(name or node.name)

    def _stored(self, name: str | None) -> Any:
        """The array in the checkpoint under a key, or for a variable's name."""
        if self._checkpoint is None or name is None:
            return None
        return self._checkpoint.array(name)

    def _find_restored(self) -> None:
        """Finds the values that variables are restored from."""
        for scope in self.graph.scopes({_RESTORE}):
            for node in scope.body.nodes.values():
                if node.op not in ("Assign", "AssignVariableOp"):
                    continue
                inputs = [self.graph.value(scope, text) for text in data_inputs(node)]
                if len(inputs) < 2:
                    continue
                target, value = (self.graph.source(each) for each in inputs[:2])
                variable, made = self.graph.node(target), self.graph.node(value)
                if variable is None or variable.op not in VARIABLES or made is None:
                    continue
                if made.op == _RESTORE and (key := self._key(value)) is not None:
                    self.keys[variable.name] = key
                if self.is_restored(value):
                    self._assigned[variable.name] = value

    def _key(self, value: Value) -> str | None:
        """The key that a result of RestoreV2 is restored from: its second input lists them."""
        inputs = data_inputs(self.graph.node(value))
        if len(inputs) < 2:
            return None
        node = self.graph.node(self.graph.source(self.graph.value(value.scope, inputs[1])))
        held = attributes_of(node).get("value") if node is not None else None
        names = held.tensor.string_val if held is not None else ()
        return names[value.number].decode(errors="replace") if value.number < len(names) else None


def _identity(array: Any) -> Any:
    """An identity that equal arrays share: the elements of small ones, the address of others."""
    if array.nbytes <= _SMALL:
        return array.dtype.name, array.shape, array.tobytes()
    return id(array)


def _content(attributes: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
    """The attributes of a node that belong to its op, without notes such as ``_output_shapes``."""
    held = sorted((name, each) for name, each in attributes.items() if not name.startswith("_"))
    return tuple((name, each.SerializeToString(deterministic=True)) for name, each in held)
