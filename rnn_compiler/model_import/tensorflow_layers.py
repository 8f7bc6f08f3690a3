"""The recurrent ops of a TensorFlow graph as layers, with their attributes, sizes and weights.

Sizes are derived from shapes: of the weights, of results, if the graph records them
(``_output_shapes``), and of placeholders, constants and variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.layer import (
    FOR_TRAINING,
    STREAMED,
    Layer,
    RefusedLayer,
    checked,
    named_apart,
)
from rnn_compiler.model_import.messages import Shape, dtype_of, shape_of
from rnn_compiler.model_import.reading import (
    MOST_AXES,
    Budget,
    clipped,
    damaged,
    exceeded,
    is_zeros,
    the_one_number,
)
from rnn_compiler.model_import.tensorflow_cells import cells_of
from rnn_compiler.model_import.tensorflow_graph import (
    DATA_MOVEMENT,
    VARIABLES,
    Constants,
    GraphValue,
    Scope,
    TensorflowGraph,
    attributes_of,
    data_inputs,
    layer_name,
)
from rnn_compiler.model_import.tensorflow_loops import loops_with_cells
from rnn_compiler.schema.attributes import REQUIRED
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import DIMENSIONS, OpTensor, ShapeAxis

# The variables in which a TensorFlow graph keeps state between calls.
#
# A variable keeps state if it is assigned anything but constants or values restored from a
# checkpoint, which only initialize or reset it.

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
        """Finds the variables that the graph assigns."""
        self._graph = constants.graph
        self._names = {
            variable
            for scope in self._graph.scopes(_ASSIGNING)
            for node in scope.body.nodes.values()
            if node.op in _ASSIGNING
            if (variable := self._changed(constants, scope, data_inputs(node))) is not None
        }

    def variable(self, value: GraphValue) -> str | None:
        """The state variable that a value is, possibly moved; None for other values."""
        for found in self._behind(value, only_movement=True):
            node = self._graph.node(found)
            if node is not None and node.op in VARIABLES and node.name in self._names:
                return node.name
        return None

    def behind_moves(self, value: GraphValue) -> list[str]:
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

    def _is_initial(self, value: GraphValue) -> bool:
        """Whether a value depends only on constants."""
        behind = self._behind(value)
        if len(behind) >= _MOST_NODES:
            return False
        nodes = [self._graph.node(each) for each in behind]
        return all(n is not None and n.op not in _GIVEN and n.op not in OPS for n in nodes)

    def _behind(self, value: GraphValue, *, only_movement: bool = False) -> list[GraphValue]:
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


# Keras' layers that a TensorFlow graph has as loops of ordinary ops, found by their variables.
#
# If a graph has other layers as well, those whose loops are not recognised are named.

_WEIGHTS = re.compile(r"(.+)/recurrent_kernel(_\d{1,9})?")
_SUFFIX = re.compile(r"_\d{1,9}$")
_REMEDY = "which cannot be recognised: save the model as .keras"
_MOST_NAMED = 300


def loops_of(
    constants: Constants, variables: StateVariables, calls: Iterable[tuple[Scope, Any]]
) -> list[RefusedLayer]:
    """The layers whose recurrent weights no op of the graph takes.

    Keras 3 exports a variable twice, and only one of the two has a value and is read.
    """
    graph = constants.graph
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
    valued = {each for each in kept if constants.array(GraphValue(graph.main, each)) is not None}
    stems = {_SUFFIX.sub("", name) for name in valued}
    found: list[RefusedLayer] = []
    for name in sorted(kept - taken, key=lambda each: (each.count("/"), each)):
        parts = name.split("/")
        if _SUFFIX.sub("", name) in stems and name not in valued:
            continue
        if len(found) >= _MOST_NAMED:
            break
        if not any("/".join(parts[k:]) in known for k in range(1, len(parts))):  # an optimizer's
            known.add(name)
            layer = clipped(name.rpartition("/")[0])
            found.append(
                RefusedLayer(layer, "recurrent weights in a loop of ordinary ops", _REMEDY)
            )
    return found


# Derives an op's dimensions from the known shapes of the tensors around it.

_WEIGHTED = ("num_units", "num_layers", "input_size")


class KnownSizes:
    """The known dimensions of an op."""

    def __init__(
        self, signature: Signature, form: Signature, attributes: Mapping[str, Any]
    ) -> None:
        """Creates it without known dimensions."""
        self._signature = signature
        self._attributes = attributes
        self._names = form.dimensions
        self._seen: list[tuple[str, ShapeAxis, int]] = []

    def see(self, tensor: OpTensor, shape: Shape | None) -> None:
        """Uses the shape of an argument or result; shapes of another rank are ignored."""
        if shape is None or tensor.ignored or len(shape) != len(tensor.sizes):
            return
        for size, found in zip(tensor.sizes, shape, strict=True):
            if found is not None:
                self._seen.append((tensor.name, size, found))

    def see_value(self, tensor: OpTensor, value: Any) -> None:
        """Uses the value of an argument that is a dimension."""
        if value is not None and value.ndim == 0 and tensor.equals is not None:
            self._seen.append((tensor.name, ShapeAxis.parse(tensor.equals), int(value)))

    def dims(self, path: Path, layer: str) -> dict[str, int | None]:
        """The dimensions, None for unknown ones."""
        known: dict[str, int] = {}
        teller: dict[str, str] = {}
        for single in (True, False):  # sums follow from single sizes
            for name, size, found in self._seen:
                terms = [(k, DIMENSIONS.get(s, s)) for k, s in size.terms]
                if single != (len(terms) == 1) or not all(s in self._names for _, s in terms):
                    continue
                rest = found - sum(k * known.get(s, 0) for k, s in terms)
                missing = [(k, s) for k, s in terms if s not in known]
                if len(missing) == 1:
                    (factor, dimension) = missing[0]
                    value, remainder = divmod(rest, factor)
                    if value >= 0 and not remainder:
                        known[dimension], teller[dimension] = value, name
                        continue
                elif missing or not rest:
                    continue
                told = ", ".join(f"{s} {known[s]} by {teller[s]}" for _, s in terms if s in known)
                reason = f"{name} has the size {found} where {size} is expected" + (
                    f", with {told}" if told else ""
                )
                raise ArtifactError(f"{path}: {layer}: {reason}")
        self._solve_params(known)
        return {name: known.get(name) for name in self._names}

    def _solve_params(self, known: dict[str, int]) -> None:
        """The input size, derived from the size of the parameter buffer."""
        found = [n for _, size, n in self._seen if str(size) == "params_size"]
        derived = self._signature.derived
        if not found or derived is None or known.keys() & set(_WEIGHTED) != set(_WEIGHTED[:2]):
            return
        open_sizes = {"seq_length": 1, "batch_size": 1, **self._attributes, **known}
        try:
            none, one = (
                derived(self._signature.name, {**open_sizes, "input_size": size})["params_size"]
                for size in (0, 1)
            )
        except InvalidArgumentError:  # skip_input, which has no weights for the input
            return
        if one > none and found[0] >= none and (found[0] - none) % (one - none) == 0:
            known["input_size"] = (found[0] - none) // (one - none)


WEIGHTS = ("w", "wci", "wcf", "wco", "b", "w_ru", "w_c", "b_ru", "b_c", "params")
"""The arguments, of all ops, that models store."""

_STATES = ("cs_prev", "h_prev", "input_h", "input_c")
_PEEPHOLES = ("wci", "wcf", "wco")
_FOUND = {name for name, op in OPS.items() if op.signature.in_tensorflow}
_MOST_LAYERS, _MOST_CALLS = 300, 2_000
"""The most layers, and places where they are called, that a model may have."""
_TOO_MANY = f"it has more than {_MOST_LAYERS} recurrent layers, or {_MOST_CALLS} calls"


def layers_of(constants: Constants, budget: Budget | None = None) -> list[Layer | RefusedLayer]:
    """The layers of a graph, in the order of its nodes; calls of one layer are one layer.

    Without a budget, loops of Keras' cells are not looked for.
    """
    graph = constants.graph
    variables = StateVariables(constants)
    found: list[Layer] = []
    calls = _calls(constants)
    for scope, node in calls:
        if len(found) > _MOST_LAYERS:
            raise exceeded(graph.path, _TOO_MANY)
        _add(found, read_layer(graph, constants, variables, scope, node), scope.is_reached)
    refused: dict[RefusedLayer, None] = {}
    for scope, layer in cells_of(constants):
        if isinstance(layer, RefusedLayer):
            refused[layer] = None
        else:
            _add(found, layer, scope.is_reached)
        if len(found) + len(refused) > _MOST_LAYERS:
            raise exceeded(graph.path, f"it has more than {_MOST_LAYERS} recurrent layers")
    if budget is not None:
        shape_of = partial(_shape, graph, constants)

        def is_kept(value: GraphValue) -> bool:
            return variables.variable(value) is not None

        for scope, nodes, layer in loops_with_cells(constants, budget, shape_of, is_kept):
            if layer is not None:
                _add(found, _with_whole_weights(constants, layer), scope.is_reached)
            calls += [(scope, node) for node in nodes]
            if len(calls) > _MOST_CALLS:
                raise exceeded(graph.path, _TOO_MANY)
    traced = all(layer.weights.keys() >= _arguments(layer) for layer in found)
    loops = loops_of(constants, variables, calls) if calls and traced else []
    return named_apart([*found, *refused, *loops])


def _with_whole_weights(constants: Constants, layer: Layer) -> Layer:
    """A layer whose arrays are the same objects as equal ones of other layers."""
    return replace(
        layer, weights={name: constants.whole(array) for name, array in layer.weights.items()}
    )


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
            if len(calls) == _MOST_CALLS:
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
    graph: TensorflowGraph, constants: Constants, variables: StateVariables, scope: Scope, node: Any
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
    sizes = KnownSizes(signature, form, attributes)
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


def _attributes(
    graph: TensorflowGraph, name: str, op: str, given: Mapping[str, Any]
) -> dict[str, Any]:
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
    graph: TensorflowGraph, scope: Scope, node: Any, form: Signature, attributes: Mapping[str, Any]
) -> dict[str, GraphValue]:
    """The value of each argument that is a single tensor."""
    inputs = iter([graph.value(scope, text) for text in data_inputs(node)])
    values: dict[str, GraphValue] = {}
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
    graph: TensorflowGraph,
    constants: Constants,
    values: Mapping[str, GraphValue],
    attributes: Mapping[str, Any],
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
    graph: TensorflowGraph,
    constants: Constants,
    variables: StateVariables,
    form: Signature,
    values: Mapping[str, GraphValue],
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


def _origin(graph: TensorflowGraph, value: GraphValue) -> str:
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


def _shape(graph: TensorflowGraph, constants: Constants, value: GraphValue) -> Shape | None:
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
            if sizes is not None and sizes.size <= MOST_AXES:
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
    return any(name in layer.weights for name in ("w", "w_ru", "params", "W"))


def _joined(first: Layer, second: Layer) -> Layer:
    """Merges two calls of a layer: sizes open in one may be known in the other."""
    dims = {
        name: size if size is not None else second.dims[name] for name, size in first.dims.items()
    }
    return replace(first, dims=dims)
