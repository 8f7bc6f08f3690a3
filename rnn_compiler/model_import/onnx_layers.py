"""Converts ONNX's operators LSTM, GRU and RNN to ops, from their attributes and weights.

`DynamicQuantizeLSTM` is imported as the LSTM that it approximates (`onnx_int8`).

A node becomes CudnnRNNV3 if that computes it and its weights are constants (`onnx_ops`); any other
becomes ONNX's op of the same name, with ONNX's inputs. Weights that are inputs of the graph, or are
computed in it, then stay arguments, with a note.

Features that no op computes are rejected by name; what the node does to its input or output becomes
a note.

Source: https://onnx.ai/onnx/operators (LSTM, GRU, RNN).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.lowering.ops.onnx.kinds import KINDS
from rnn_compiler.model_import.layer import Layer, Refused, checked
from rnn_compiler.model_import.onnx_int8 import DYNAMIC, WEIGHTS, float_lstm
from rnn_compiler.model_import.onnx_ops import (
    CUDNN_NAMES,
    ONNX_NAMES,
    canonical,
    cudnn_mode,
    optional_inputs,
)
from rnn_compiler.model_import.reading import Once, clipped
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.weights import from_onnx

__all__ = ["INPUTS", "OPERATORS", "STATE_POSITIONS", "Node", "layer_of"]

_REFUSED = "AttnLSTM"
OPERATORS = (*KINDS, DYNAMIC, _REFUSED)
"""The recurrent operators."""

INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
"""The inputs of the operators, in order."""

_WEIGHTS = ("W", "R", "B", "P")
_STATES = ("initial_h", "initial_c")
STATE_POSITIONS = tuple(INPUTS.index(name) for name in _STATES)

_SATURATED = 746.0
"""From here on, sigmoid and tanh have their limits, also in float64: exp(-746) is 0."""

_PROJECTION = (
    "as PyTorch's exporter leaves an LSTM with proj_size: its projection is not in the file; "
    "convert the module's weights with rc.weights.from_torch"
)


@dataclass(frozen=True)
class Node:
    """A node.

    Attributes:
        name: Its name.
        operator: Its operator.
        attributes: Its attributes, as messages.
        inputs: The names of its inputs; empty for missing ones.
        arrays: Their arrays; None for those that are not constant. States that are zeros in any
            number are a single 0.
        shapes: Their shapes, if known.
        dtype: The element type of the input or a weight; None if it is not known.
    """

    name: str
    operator: str
    attributes: Mapping[str, Any]
    inputs: Sequence[str]
    arrays: Sequence[Any]
    shapes: Sequence[Sequence[int | None] | None]
    dtype: str | None

    def array(self, name: str) -> Any:
        """The array of an input; None if it is not constant or missing."""
        position = INPUTS.index(name)
        return self.arrays[position] if position < len(self.arrays) else None

    def shape(self, name: str) -> Sequence[int | None] | None:
        """The shape of an input; None if it is unknown or missing."""
        position = INPUTS.index(name)
        return self.shapes[position] if position < len(self.shapes) else None

    def has(self, name: str) -> bool:
        """Whether it has an input."""
        position = INPUTS.index(name)
        return position < len(self.inputs) and bool(self.inputs[position])

    def last_size(self, name: str) -> int | None:
        """The last size of a weight, which has an axis for directions; None if it is unknown."""
        array, shape = self.array(name), self.shape(name)
        shape = shape if array is None else array.shape
        return shape[-1] if shape else None

    @property
    def hidden_size(self) -> int:
        """The attribute; 0 if it is missing."""
        return self.attributes["hidden_size"].i if "hidden_size" in self.attributes else 0


def layer_of(node: Node, path: Path, once: Once, *, as_onnx: bool = False) -> Layer | Refused:
    """The layer of a node.

    Args:
        node: The node.
        path: The file, for messages.
        once: Computes arrays from its weights, once for weights that nodes share.
        as_onnx: Whether it becomes ONNX's op even if CudnnRNNV3 computes it.

    Raises:
        ArtifactError: Its weights are invalid.
    """
    if node.operator == _REFUSED:
        return Refused(node.name, node.operator)
    if node.operator == DYNAMIC:
        return _float_layer(node, path, once)
    op, dtype = f"onnx.{node.operator}", _dtype(node, path)
    if unknown := _unknown(node):
        return Refused(node.name, unknown, f"which ONNX's {node.operator} does not have")
    try:
        attributes = canonical(op, _given(node, op), dtype)
    except InvalidArgumentError as error:
        reason = f"{error.argument}={error.got}"[:80]
        return Refused(node.name, reason, f"where {error.expected} is expected")
    refused = _refused(node)
    if refused is not None:
        return refused
    if not (node.has("W") and node.has("R")):
        raise ArtifactError(f"{path}: {node.name}: {node.operator} without W or R")
    _check_sizes(node, attributes, path)
    inputs = ("W", "R", *attributes["inputs"].split())
    weights = {name: node.array(name) for name in _WEIGHTS if name in inputs}
    lacking = [name for name, array in weights.items() if array is None]
    mode = None if lacking or as_onnx else cudnn_mode(op, attributes)
    if mode is not None:
        return _cudnn(node, mode, attributes, path, once)
    notes = _notes_on_weights(node, lacking)
    notes += _notes(node, ONNX_NAMES)
    known = {name: array for name, array in weights.items() if array is not None}
    return checked(Layer(node.name, op, attributes, _dims(node), dtype, known, tuple(notes)), path)


def _float_layer(node: Node, path: Path, once: Once) -> Layer | Refused:
    """The layer that a node with weights in int8 approximates."""
    known = [k for k, array in enumerate(node.arrays) if array is not None]
    lacking = [name for name, k in WEIGHTS.items() if k not in known]
    if lacking:
        reason = f"{DYNAMIC}, whose {' and '.join(lacking)} are not constants"
        return Refused(node.name, reason)
    try:
        arrays, note = once(DYNAMIC, node.arrays, lambda: float_lstm(node.arrays))
    except ValueError as error:
        raise ArtifactError(f"{path}: {node.name}: {error}") from error
    plain = replace(
        node,
        operator="LSTM",
        inputs=node.inputs[: len(arrays)],
        arrays=arrays,
        shapes=node.shapes[: len(arrays)],
    )
    layer = layer_of(plain, path, once)
    return layer if isinstance(layer, Refused) else replace(layer, notes=(*layer.notes, note))


def _cudnn(
    node: Node, mode: str, attributes: Mapping[str, Any], path: Path, once: Once
) -> Layer | Refused:
    """The layer of a node that CudnnRNNV3 computes."""
    W, R, B = (node.array(name) for name in "WRB")
    try:
        params: Any = once(mode, (W, R, B), lambda: from_onnx(W, R, B, rnn_mode=mode))
    except InvalidArgumentError as error:
        raise ArtifactError(f"{path}: {node.name}: {error}") from error
    both = attributes["direction"] == "bidirectional"
    own = {
        "rnn_mode": mode,
        "direction": "bidirectional" if both else "unidirectional",
        "is_training": False,
        "time_major": not attributes["layout"],
    }
    notes = _notes(node, CUDNN_NAMES)
    if both:
        notes.append("Y has an axis for the directions, whose halves the output has side by side")
    dims, name = {**_dims(node), "num_layers": 1}, params.dtype.name
    weights = {"params": params}
    return checked(Layer(node.name, "CudnnRNNV3", own, dims, name, weights, tuple(notes)), path)


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


_READ: Mapping[str, Callable[[Any], Any]] = {
    "direction": lambda attribute: _text(attribute.s).lower() or None,
    "activations": lambda attribute: [_text(each) for each in attribute.strings],
    "activation_alpha": lambda attribute: list(attribute.floats),
    "activation_beta": lambda attribute: list(attribute.floats),
    "clip": lambda attribute: attribute.f,
    "layout": lambda attribute: attribute.i,
    **{
        each.name: lambda attribute: attribute.i
        for kind in KINDS.values()
        for each in kind.attributes
    },
}
"""The functions that read nodes' attributes from their messages."""


def _unknown(node: Node) -> str:
    """The attributes and inputs of a node that its operator does not have; usually empty."""
    others = {each.name for kind in KINDS.values() for each in kind.attributes}
    others -= {each.name for each in KINDS[node.operator].attributes}
    names = node.attributes.keys() - (_READ.keys() - others) - {"hidden_size", "output_sequence"}
    count = len(INPUTS) - 2 + len(KINDS[node.operator].inputs)
    extra = [each for each in node.inputs[count:] if each]
    told = [f"the attribute {name}" for name in sorted(names)]
    return clipped(" and ".join(told + [f"the input {name!r}" for name in extra]))


def _given(node: Node, op: str) -> dict[str, Any]:
    """The attributes of a node, without a clip that has no effect; and its inputs.

    Lengths and states are inputs whether or not the model passes them: they can be left out.
    """
    given = {
        name: read(node.attributes[name]) for name, read in _READ.items() if name in node.attributes
    }
    functions = {each.lower() for each in given.get("activations", ())}
    if functions <= {"sigmoid", "tanh"} and given.get("clip", 0) >= _SATURATED:
        given["clip"] = 0.0
    P = node.array("P")
    lacks = {"B": not node.has("B"), "P": not node.has("P") or (P is not None and not np.any(P))}
    given["inputs"] = [name for name in optional_inputs(op) if not lacks.get(name)]
    return given


def _dtype(node: Node, path: Path) -> str:
    """The dtype of a node's weights, or of its input; float32 if neither is known."""
    for name in "WR":
        array = node.array(name)
        if array is not None and array.dtype.name not in FLOAT_DTYPES:
            raise ArtifactError(f"{path}: {node.name}: {name} is {array.dtype}")
        if array is not None:
            return array.dtype.name
    return node.dtype or "float32"


def _dims(node: Node) -> dict[str, int | None]:
    """The sizes of a node; None for those that are open or unknown."""
    shape = node.shape("X")
    first = (None, None) if shape is None or len(shape) != 3 else tuple(shape[:2])
    batch_first = "layout" in node.attributes and node.attributes["layout"].i
    batch, steps = first if batch_first else first[::-1]
    units = node.hidden_size or node.last_size("R")
    known = {"seq_length": steps, "batch_size": batch, "input_size": node.last_size("W")}
    return {**known, "num_units": units}


def _check_sizes(node: Node, attributes: Mapping[str, Any], path: Path) -> None:
    """Checks that weights have the node's directions and units."""
    given, units = node.hidden_size, node.last_size("R")
    if given and units is not None and given != units:
        raise ArtifactError(f"{path}: {node.name}: hidden_size is {given}, R is of {units} units")
    units = given or units
    if units is not None and not 0 < units < 2**31:
        raise ArtifactError(f"{path}: {node.name}: num_units is {units}")
    direction = attributes["direction"]
    count = 2 if direction == "bidirectional" else 1
    for name in "WR":
        array = node.array(name)
        if array is not None and (array.ndim != 3 or array.shape[0] != count):
            raise ArtifactError(
                f"{path}: {node.name}: {name} has the shape {list(array.shape)}, for "
                f"direction={direction!r}"
            )


def _refused(node: Node) -> Refused | None:
    """The feature of a node that no op computes; None if there is none."""
    for name in _STATES:
        sizes, units = node.shape(name) or (), node.last_size("R")
        if len(sizes) == 3 and None not in (sizes[2], units) and sizes[2] != units:
            reason = f"{name} of {sizes[2]} units and weights of {units}"
            return Refused(node.name, reason, _PROJECTION)
    return None


def _notes_on_weights(node: Node, lacking: Sequence[str]) -> list[str]:
    """Notes about weights that stay arguments, and what the file does not say about them."""
    if not lacking:
        return []
    names = " and ".join(f"{each} ({node.inputs[INPUTS.index(each)][:80]!r})" for each in lacking)
    if len(lacking) == 1:
        notes = [f"{names} is not a constant of the model, and stays an argument"]
    else:
        notes = [f"{names} are not constants of the model, and stay arguments"]
    if node.dtype is None:
        notes.append("the file does not state the dtype; float32 is assumed")
    return notes


def _notes(node: Node, names: Mapping[str, str]) -> list[str]:
    """Notes about the inputs that the model passes other than X and weights."""
    notes: list[str] = []
    if node.has("sequence_lens"):
        called = _called("sequence_lens", names)
        notes.append(f"the model passes lengths: {called}")
    for name in _STATES:
        if node.has(name):
            array = node.array(name)
            always = "" if array is None else ": always the same array"
            always = ": always zeros" if array is not None and not np.any(array) else always
            notes.append(f"the model passes {_called(name, names, ', which')}{always}")
    return notes


def _called(name: str, names: Mapping[str, str], which: str = "") -> str:
    """The op's name for one of ONNX's inputs."""
    return name if names[name] == name else f"{name}{which} is {names[name]}"
