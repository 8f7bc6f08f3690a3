"""Converts ONNX's operators LSTM, GRU and RNN to ops, from their attributes and weights.

`DynamicQuantizeLSTM` is imported as the LSTM that it approximates (`float_lstm`).

A node becomes CudnnRNNV3 if that computes it and its weights are constants (`cudnn_mode`); any
other becomes ONNX's op of the same name, with ONNX's inputs. Weights that are inputs of the graph,
or are computed in it, then stay arguments, with a note.

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
from rnn_compiler.model_import.layer import (
    CUDNN_NAMES,
    ONNX_NAMES,
    Layer,
    RefusedLayer,
    canonical,
    checked,
    cudnn_mode,
    optional_inputs,
)
from rnn_compiler.model_import.reading import Once, clipped
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.schema.int8 import LARGEST
from rnn_compiler.weights import from_onnx

# Weights that ONNX files store as integers, as floating-point numbers.
#
#     DynamicQuantizeLSTM    ONNX Runtime's: an LSTM whose W and R are integers, [D, K, 4H], with a
#                            scale and a zero point for each direction, or for each of its columns
#     QuantizeLinear         converts a constant to integers
#     DequantizeLinear       converts such integers back
#
# The latter two have one scale for all elements, for each index of an axis, or for blocks along
# it.
#
# Source: https://onnx.ai/onnx/operators (QuantizeLinear, DequantizeLinear), ONNX Runtime's
# docs/ContribOperators.md (DynamicQuantizeLSTM).

DYNAMIC = "DynamicQuantizeLSTM"
"""The operator whose weights are integers."""

_PLAIN = 8
"""The number of inputs of a plain LSTM; they come first."""

WEIGHTS = {
    "W": 1,
    "R": 2,
    "W_scale": 8,
    "W_zero_point": 9,
    "R_scale": 10,
    "R_zero_point": 11,
}
"""The inputs that determine its matrices, by name."""


def float_lstm(arrays: Sequence[Any]) -> tuple[list[Any], str]:
    """The inputs of the LSTM that one of int8 weights approximates, and a note; or ValueError."""
    made, kept = [*arrays[:_PLAIN]], True
    for name in "WR":
        parts = (arrays[WEIGHTS[f"{name}{part}"]] for part in ("", "_scale", "_zero_point"))
        numbers, scales = _matrix(*parts)
        most = np.abs(numbers).max(1, initial=0)
        kept &= bool(np.all((most == LARGEST) | (most == 0)))
        with np.errstate(all="ignore"):
            matrix = (numbers * scales).astype(np.float32)
        made[WEIGHTS[name]] = np.ascontiguousarray(matrix.transpose(0, 2, 1))
    which = "the same numbers" if kept else "numbers close to them, with a scale for each column"
    return made, f"W and R are integers in the model; quantize='int8' stores {which}"


def _matrix(numbers: Any, scales: Any, zeros: Any) -> tuple[Any, Any]:
    """A matrix as integers without zero points, and the scales to multiply it by."""
    if numbers.dtype.name not in ("int8", "uint8") or numbers.ndim != 3:
        raise ValueError(f"weights of {numbers.dtype} and {numbers.ndim} axes")
    directions, _, columns = numbers.shape
    known = ((directions,), (directions, columns))
    if scales.shape not in known or scales.dtype != np.float32 or zeros.shape != scales.shape:
        wanted = " or ".join(str(list(each)) for each in known)
        raise ValueError(
            f"scales {scales.dtype}{list(scales.shape)}, zero points {list(zeros.shape)}; "
            f"expected float32 scales and zero points {wanted}"
        )
    if zeros.dtype != numbers.dtype:
        raise ValueError(f"zero points of {zeros.dtype} for numbers of {numbers.dtype}")
    shape = (directions, 1, -1)
    return numbers.astype(np.int32) - zeros.reshape(shape), scales.reshape(shape)


LINEAR = ("QuantizeLinear", "DequantizeLinear")
"""The operators that convert constants."""

_OUTPUT_TYPES = {2: "uint8", 3: "int8", 4: "uint16", 5: "int16"}
"""Types of quantized numbers, by ONNX's number of each."""

_SCALE_TYPES = ("float16", "bfloat16", "float32", "float64")


def linear(operator: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """The result of an operator of `LINEAR`; ValueError or NotImplementedError if there is none."""
    array, scale = inputs[:2]
    zero: Any = inputs[2] if len(inputs) > 2 else None
    kind = array.dtype if operator == "DequantizeLinear" else _result_type(zero, attributes)
    if kind.name not in (*_OUTPUT_TYPES.values(), "int32"):
        raise NotImplementedError(f"numbers of {kind}")
    if scale.dtype.name not in _SCALE_TYPES:
        raise ValueError(f"scales of {scale.dtype}")
    if zero is None:
        zero = np.zeros_like(scale, kind)
    if zero.dtype != kind:
        raise ValueError(f"zero points of {zero.dtype} for numbers of {kind}")
    axis = attributes["axis"].i if "axis" in attributes else min(1, array.ndim - 1)
    block = attributes["block_size"].i if "block_size" in attributes else 0
    scales, zeros = (_spread(each, array.shape, axis, block) for each in (scale, zero))
    with np.errstate(all="ignore"):
        if operator == "DequantizeLinear":
            return (array.astype(np.int64) - zeros).astype(scale.dtype) * scales
        rounded = np.nan_to_num(np.rint(array / scales) + zeros)
    limits = np.iinfo(kind)
    return np.minimum(np.maximum(rounded, limits.min), limits.max).astype(kind)


def _result_type(zero: Any, attributes: Mapping[str, Any]) -> Any:
    """The type of `QuantizeLinear`'s result."""
    if zero is not None:
        return zero.dtype
    number = attributes["output_dtype"].i if "output_dtype" in attributes else 0
    if number and number not in _OUTPUT_TYPES:
        raise NotImplementedError(f"output_dtype {number}")
    return np.dtype(_OUTPUT_TYPES[number or 2])


def _spread(part: Any, shape: Sequence[int], axis: int, block: int) -> Any:
    """Scales or zero points, broadcast to the elements of an array."""
    if block:
        part = part.take(np.arange(shape[axis]) // block, axis)
        if block < 0 or part.shape != tuple(shape):
            raise ValueError(f"scales of blocks {list(part.shape)} of {list(shape)}")
        return part
    if part.size == 1:
        return part.reshape(())
    if part.shape != (shape[axis],):
        raise ValueError(f"{part.size} scales of {shape[axis]} indices")
    return part.reshape([-1 if k == axis % len(shape) else 1 for k in range(len(shape))])


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


def layer_of(node: Node, path: Path, once: Once, *, as_onnx: bool = False) -> Layer | RefusedLayer:
    """The layer of a node; with `as_onnx`, as ONNX's op even if CudnnRNNV3 computes it."""
    if node.operator == _REFUSED:
        return RefusedLayer(node.name, node.operator)
    if node.operator == DYNAMIC:
        return _float_layer(node, path, once)
    op, dtype = f"onnx.{node.operator}", _dtype(node, path)
    if unknown := _unknown(node):
        return RefusedLayer(node.name, unknown, f"which ONNX's {node.operator} does not have")
    try:
        attributes = canonical(op, _given(node, op), dtype)
    except InvalidArgumentError as error:
        reason = f"{error.argument}={error.got}"[:80]
        return RefusedLayer(node.name, reason, f"where {error.expected} is expected")
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


def _float_layer(node: Node, path: Path, once: Once) -> Layer | RefusedLayer:
    """The layer that a node with weights in int8 approximates."""
    known = [k for k, array in enumerate(node.arrays) if array is not None]
    lacking = [name for name, k in WEIGHTS.items() if k not in known]
    if lacking:
        reason = f"{DYNAMIC}, whose {' and '.join(lacking)} are not constants"
        return RefusedLayer(node.name, reason)
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
    return layer if isinstance(layer, RefusedLayer) else replace(layer, notes=(*layer.notes, note))


def _cudnn(
    node: Node, mode: str, attributes: Mapping[str, Any], path: Path, once: Once
) -> Layer | RefusedLayer:
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
    shape, inputs = node.shape("X"), node.last_size("W")
    if shape and (len(shape) != 3 or (shape[2] or inputs) != (inputs or shape[2])):
        sizes = ", ".join("?" if size is None else str(size) for size in shape)
        expected = f"3 axes, with the {inputs or '?'} inputs of W along the last"
        raise ArtifactError(f"{path}: {node.name}: X has the shape [{sizes}], not {expected}")
    direction = attributes["direction"]
    count = 2 if direction == "bidirectional" else 1
    for name in "WR":
        array = node.array(name)
        if array is not None and (array.ndim != 3 or array.shape[0] != count):
            raise ArtifactError(
                f"{path}: {node.name}: {name} has the shape {list(array.shape)}, for "
                f"direction={direction!r}"
            )


def _refused(node: Node) -> RefusedLayer | None:
    """The feature of a node that no op computes; None if there is none."""
    for name in _STATES:
        sizes, units = node.shape(name) or (), node.last_size("R")
        if len(sizes) == 3 and None not in (sizes[2], units) and sizes[2] != units:
            reason = f"{name} of {sizes[2]} units and weights of {units}"
            return RefusedLayer(node.name, reason, _PROJECTION)
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
