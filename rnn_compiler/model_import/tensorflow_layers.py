"""The recurrent ops of a TensorFlow graph as layers, with their attributes, sizes and weights.

Sizes are derived from shapes: of the weights, of results, if the graph records them
(``_output_shapes``), and of placeholders, constants and variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.layer import (
    FOR_TRAINING,
    STREAMED,
    Layer,
    Refused,
    checked,
    named_apart,
)
from rnn_compiler.model_import.reading import damaged, exceeded, is_zeros, the_one_number
from rnn_compiler.model_import.sizes import Sizes
from rnn_compiler.model_import.tensorflow_cells import cells_of
from rnn_compiler.model_import.tensorflow_constants import VARIABLES, Constants
from rnn_compiler.model_import.tensorflow_graph import (
    Graph,
    Scope,
    Value,
    attributes_of,
    data_inputs,
    layer_name,
)
from rnn_compiler.model_import.tensorflow_loops import loops_of
from rnn_compiler.model_import.tensorflow_state import StateVariables
from rnn_compiler.model_import.tensors import Shape, dtype_of, shape_of
from rnn_compiler.schema.attributes import REQUIRED
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.schema.signatures import Signature

__all__ = ["layers_of"]

WEIGHTS = ("w", "wci", "wcf", "wco", "b", "w_ru", "w_c", "b_ru", "b_c", "params")
"""The arguments, of all ops, that models store."""

_STATES = ("cs_prev", "h_prev", "input_h", "input_c")
_PEEPHOLES = ("wci", "wcf", "wco")
_FOUND = {name for name, op in OPS.items() if op.signature.in_tensorflow}
_MOST_LAYERS, _MOST_NODES = 300, 2_000
"""The most layers, and places where they are called, that a model may have."""
_TOO_MANY = f"it has more than {_MOST_LAYERS} recurrent layers, or {_MOST_NODES} calls"


def layers_of(constants: Constants) -> list[Layer | Refused]:
    """The layers of a graph, in the order of its nodes; calls of one layer are one layer.

    Args:
        constants: The graph, with its known weights.

    Raises:
        ArtifactError: The graph is damaged.
    """
    graph = constants.graph
    variables = StateVariables(constants)
    found: list[Layer] = []
    calls = _calls(constants)
    for scope, node in calls:
        if len(found) > _MOST_LAYERS:
            raise exceeded(graph.path, _TOO_MANY)
        _add(found, read_layer(graph, constants, variables, scope, node), scope.is_reached)
    refused: dict[Refused, None] = {}
    for scope, layer in cells_of(constants):
        if isinstance(layer, Refused):
            refused[layer] = None
        else:
            _add(found, layer, scope.is_reached)
        if len(found) + len(refused) > _MOST_LAYERS:
            raise exceeded(graph.path, f"it has more than {_MOST_LAYERS} recurrent layers")
    traced = all(layer.weights.keys() >= _arguments(layer) for layer in found)
    loops = loops_of(graph, variables, calls) if calls and traced else []
    return named_apart([*found, *refused, *loops])


def _arguments(layer: Layer) -> set[str]:
    """The arguments of a layer's op that models store."""
    return {each.name for each in layer.signature.arguments} & {*WEIGHTS}


def _calls(constants: Constants) -> list[tuple[Scope, Any]]:
    """The nodes that are layers, each with its scope, counted before any of them is read."""
    calls: list[tuple[Scope, Any]] = []
    for scope in constants.graph.scopes(_FOUND):
        for node in scope.body.nodes.values():
            if node.op not in _FOUND:
                continue
            if "Params" in node.op and constants.is_for_checkpoint(scope, node):
                continue
            if len(calls) == _MOST_NODES:
                raise exceeded(constants.graph.path, _TOO_MANY)
            calls.append((scope, node))
    return calls


def _add(found: list[Layer], layer: Layer, reached: bool) -> None:
    """Adds a layer, unless it has been found already."""
    same = [k for k, other in enumerate(found) if _is_same(layer, other, reached)]
    if not same:
        found.append(layer)
    elif reached:
        found[same[0]] = _joined(found[same[0]], layer)


def read_layer(
    graph: Graph, constants: Constants, variables: StateVariables, scope: Scope, node: Any
) -> Layer:
    """The layer of a node."""
    signature = OPS[node.op].signature
    given = attributes_of(node)
    name = layer_name((*scope.path, node.name)) or node.name
    dtype: Any = dtype_of(given["T"].type) if "T" in given else np.dtype(np.float32)
    if dtype is None or dtype.name not in FLOAT_DTYPES:
        raise ArtifactError(f"{graph.path}: {name}: {node.op} of an unknown type")
    attributes = _attributes(graph, name, node.op, given)
    try:
        form = signature.form({**signature.canonical(attributes, dtype.name), **attributes})
    except InvalidArgumentError as error:
        raise ArtifactError(f"{graph.path}: {name}: {error}") from error
    values = _values(graph, scope, node, form, attributes)
    weights, notes = _weights(graph, constants, values, attributes)
    sizes = Sizes(signature, form, attributes)
    for tensor in form.arguments:
        if tensor.name in weights:
            sizes.see(tensor, weights[tensor.name].shape)
        elif tensor.name in values:
            sizes.see(tensor, _shape(graph, constants, values[tensor.name]))
            if tensor.equals is not None:
                sizes.see_value(tensor, constants.array(values[tensor.name]))
    for tensor, shape in zip(form.results, _noted(node), strict=False):
        sizes.see(tensor, shape)
    if "w" in weights and not attributes.get("use_peephole", True):
        units = weights["w"].shape[-1] // 4
        for each in _PEEPHOLES:  # not read, but arguments of the op
            weights.setdefault(each, constants.whole(np.zeros(units, dtype)))
    notes += _other_notes(graph, constants, variables, form, values)
    if attributes.get("is_training"):
        notes.append(FOR_TRAINING)
    if not scope.is_reached:
        notes.append(f"it is in {scope.path[0]}, a function that no signature calls")
    dims = sizes.dims(graph.path, name)
    ordered = {each.name: weights[each.name] for each in form.arguments if each.name in weights}
    layer = Layer(name, node.op, attributes, dims, dtype.name, ordered, tuple(notes))
    return checked(layer, graph.path)


def _attributes(graph: Graph, name: str, op: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The op's attributes, with defaults for those that the node lacks."""
    attributes: dict[str, Any] = {}
    for attribute in OPS[op].signature.attributes:
        value: Any = attribute.default
        if attribute.name in given:
            held = given[attribute.name]
            kind = held.WhichOneof("kind")
            value: Any = getattr(held, kind) if kind else value
            if kind == "s":
                value = value.decode(errors="replace")
            elif kind == "type":
                described: Any = dtype_of(value)
                value = "none" if described is None else described.name
        if value is REQUIRED:
            raise damaged(graph.path, f"{name} lacks the attribute {attribute.name} of {op}")
        if attribute.name in given or not attribute.at_run_time:
            attributes[attribute.name] = value
    return attributes


def _values(
    graph: Graph, scope: Scope, node: Any, form: Signature, attributes: Mapping[str, Any]
) -> dict[str, Value]:
    """The value of each argument that is a single tensor."""
    inputs = iter([graph.value(scope, text) for text in data_inputs(node)])
    values: dict[str, Value] = {}
    for tensor in form.arguments:
        if tensor.is_list:
            count = attributes.get(f"num_params_{tensor.name}", attributes.get("num_params", 0))
            if not 0 <= count <= len(node.input):
                raise damaged(graph.path, f"{node.name} has no {count} {tensor.name}")
            for _ in range(count):
                next(inputs, None)
        elif (value := next(inputs, None)) is not None:
            values[tensor.name] = value
    return values


def _weights(
    graph: Graph, constants: Constants, values: Mapping[str, Value], attributes: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The weights that are constant, and notes about the others."""
    weights: dict[str, Any] = {}
    notes: list[str] = []
    for name in WEIGHTS:
        if name not in values:
            continue
        array = constants.array(values[name])
        if array is not None:
            weights[name] = constants.whole(array)
        elif name not in _PEEPHOLES or attributes.get("use_peephole", True):
            origin = _origin(graph, values[name])
            notes.append(f"{name} is not a constant of the model; it comes from {origin}")
    return weights, notes


def _other_notes(
    graph: Graph,
    constants: Constants,
    variables: StateVariables,
    form: Signature,
    values: Mapping[str, Value],
) -> list[str]:
    """Notes about the origin of arguments that are not weights."""
    notes: list[str] = []
    for tensor in form.arguments:
        if tensor.name in WEIGHTS or tensor.name not in values or tensor.equals is not None:
            continue
        if tensor.ignored:
            continue
        value = graph.source(values[tensor.name])
        if (variable := variables.variable(value)) is not None:
            text = f"is kept from call to call, in the variable {variable}"
            text += STREAMED if tensor.name in _STATES else ""
        elif (array := constants.array(value)) is None:
            text = f"comes from {_origin(graph, value)}"
        elif array.ndim == 0:
            text = f"is always {array.item()}"
        elif number := the_one_number(array):
            text = f"is always {number} in each row"
        else:
            text = "is always zeros" if is_zeros(array) else "is always the same array"
        notes.append(f"{tensor.name} {text}")
    return notes


_STEPS_TOLD = 4
_MOST_AXES = 32


def _origin(graph: Graph, value: Value) -> str:
    """The ops that a value comes from, the last first, as text."""
    steps: list[str] = []
    for _ in range(_STEPS_TOLD):
        value = graph.source(value)
        node = graph.node(value)
        if node is None:
            return ", ".join([*steps, f"argument {value.name!r}"])
        inputs = data_inputs(node)
        if len(steps) == _STEPS_TOLD - 1 or not inputs or node.op in OPS:
            return ", ".join([*steps, f"{node.op} {node.name!r}"])
        steps.append(node.op)
        value = graph.value(value.scope, inputs[0])
    return ", ".join(steps)


def _noted(node: Any) -> list[Shape | None]:
    """The shapes that the graph records for the results of a node."""
    attributes = attributes_of(node)
    if "_output_shapes" not in attributes:
        return []
    return [shape_of(shape) for shape in attributes["_output_shapes"].list.shape]


def _shape(graph: Graph, constants: Constants, value: Value) -> Shape | None:
    """The shape of a value; None if it is not known."""
    for each in (value, graph.source(value)):
        node = graph.node(each)
        noted = _noted(node) if node is not None else []
        if each.number < len(noted) and noted[each.number]:
            return noted[each.number]
        if node is not None and node.op in ("Placeholder", "PlaceholderWithDefault", *VARIABLES):
            shape = attributes_of(node).get("shape")
            if shape is not None:
                return shape_of(shape.shape)
        if node is not None and node.op in ("Reshape", "Fill"):
            inputs = [graph.value(each.scope, text) for text in data_inputs(node)]
            sizes = constants.array(inputs[node.op == "Reshape"]) if len(inputs) == 2 else None
            if sizes is not None and sizes.size <= _MOST_AXES:
                return tuple(int(size) if size >= 0 else None for size in np.ravel(sizes))
    array = constants.array(value)
    return None if array is None else array.shape


def _is_same(layer: Layer, other: Layer, reached: bool) -> bool:
    """Whether two nodes compute the same and are one layer.

    A function that the main graph does not call may be a copy of one that it calls. The copy lacks
    the weights, which are known only at a call.
    """
    if (layer.op, layer.dtype, layer.attributes) != (other.op, other.dtype, other.attributes):
        return False
    pairs = [(size, other.dims[name]) for name, size in layer.dims.items()]
    if any(None not in pair and pair[0] != pair[1] for pair in pairs):
        return False
    if not _has_weights(layer):
        return not reached
    return _has_weights(other) and all(
        array is other.weights.get(name)  # `Constants.whole` makes equal arrays identical
        for name, array in layer.weights.items()
    )


def _has_weights(layer: Layer) -> bool:
    """Whether the matrices are known; biases and peepholes may be equal in several layers."""
    return any(name in layer.weights for name in ("w", "w_ru", "params"))


def _joined(first: Layer, second: Layer) -> Layer:
    """Merges two calls of a layer: sizes open in one may be known in the other."""
    dims = {
        name: size if size is not None else second.dims[name] for name, size in first.dims.items()
    }
    return replace(first, dims=dims)
