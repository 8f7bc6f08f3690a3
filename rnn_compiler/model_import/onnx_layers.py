"""Converts ONNX' operators LSTM, GRU and RNN to ops, from their attributes and weights.

LSTM, RNN and GRU with linear_before_reset=1 are CudnnRNNV3; GRU with linear_before_reset=0, the
default, is GRUBlockCell, one step per call (`older_gru`). layout=1 is time_major=False.

Features that no op computes are rejected by name; what the node does to its input or output becomes
a note. Weights that are inputs of the graph, or computed in it, stay arguments of the op, with a
note.

Source: https://onnx.ai/onnx/operators (LSTM, GRU, RNN).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.layer import Layer, Refused, checked
from rnn_compiler.model_import.older_gru import MADE_OF, older_gru
from rnn_compiler.model_import.reading import Once
from rnn_compiler.weights import from_onnx
from rnn_compiler.weights.stacked import reorder_gates

__all__ = ["OPERATORS", "STATES", "STATE_POSITIONS", "Node", "layers_of"]

_ACTIVATIONS = {"LSTM": ("sigmoid", "tanh", "tanh"), "GRU": ("sigmoid", "tanh"), "RNN": ("tanh",)}
_REFUSED = ("DynamicQuantizeLSTM", "AttnLSTM")
OPERATORS = (*_ACTIVATIONS, *_REFUSED)
"""The operators that are recurrent."""

_INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
STATES = ("initial_h", "initial_c")
STATE_POSITIONS = tuple(_INPUTS.index(name) for name in STATES)
_DIRECTIONS = ("forward", "reverse", "bidirectional")

_SATURATED = 746.0
"""From here on sigmoid and tanh are what they are at infinity, in float64 too: exp(-746) is 0."""

_PEEPHOLES = (
    "which CudnnRNNV3 does not compute; BlockLSTM with use_peephole=True does, from w, b, wci, wcf "
    "and wco"
)
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
        inputs: The names of its inputs; empty for those that it lacks.
        arrays: Their arrays; None for those that are not constant, and a single 0 for states that
            are zeros in any number.
        shapes: Their shapes, as far as they are known.
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
        """The array of an input; None if it is not constant, or not there."""
        position = _INPUTS.index(name)
        return self.arrays[position] if position < len(self.arrays) else None

    def shape(self, name: str) -> Sequence[int | None] | None:
        """The shape of an input; None if it is not known, or not there."""
        position = _INPUTS.index(name)
        return self.shapes[position] if position < len(self.shapes) else None

    def has(self, name: str) -> bool:
        """Whether it has an input."""
        position = _INPUTS.index(name)
        return position < len(self.inputs) and bool(self.inputs[position])

    def last_size(self, name: str) -> int | None:
        """The last size of a weight, which has an axis for directions; None if it is not known."""
        array, shape = self.array(name), self.shape(name)
        shape = shape if array is None else array.shape
        return shape[-1] if shape else None

    def number(self, name: str, default: int = 0) -> int:
        """An attribute that is a whole number."""
        return self.attributes[name].i if name in self.attributes else default


def layers_of(node: Node, path: Path, once: Once) -> list[Layer | Refused]:
    """The layers of a node: one, or one for each direction.

    Args:
        node: The node.
        path: The file, for messages.
        once: Makes arrays of its weights, once of those that nodes share.

    Raises:
        ArtifactError: Its weights are none that there can be.
    """
    activations = _activations(node)
    direction = _direction(node)
    refused = _refused(node, activations, direction)
    if refused is not None:
        return [refused]
    if not (node.has("W") and node.has("R")):
        raise ArtifactError(f"{path}: {node.name}: {node.operator} without W or R")
    _check_hidden_size(node, path)
    W, R, B = (node.array(name) for name in "WRB")
    known = all(node.array(name) is not None for name in "WRB" if node.has(name))
    if node.operator == "GRU" and not node.number("linear_before_reset"):
        return _older(node, direction, (W, R, B) if known else None, path, once)
    mode = {"LSTM": "lstm", "GRU": "gru"}.get(node.operator, f"rnn_{activations[0]}")
    attributes: dict[str, Any] = {
        "rnn_mode": mode,
        "direction": "bidirectional" if direction == "bidirectional" else "unidirectional",
        "is_training": False,
        "time_major": not node.number("layout"),
    }
    notes = _notes(node, direction)
    if not known:
        given = ", ".join(name for name in "WRB" if node.has(name))
        way = f"rc.weights.from_onnx({given}, rnn_mode={mode!r}) makes params of them"
        return [_with_arguments(node, node.name, "CudnnRNNV3", attributes, [way, *notes], path)]
    try:
        params: Any = once(mode, (W, R, B), lambda: from_onnx(W, R, B, rnn_mode=mode))
    except InvalidArgumentError as error:
        raise ArtifactError(f"{path}: {node.name}: {error}") from error
    _check_directions(node, direction, W, path)
    batch, steps = _batch_and_steps(node)
    dims = {"seq_length": steps, "batch_size": batch, "input_size": W.shape[2]}
    dims |= {"num_units": R.shape[2], "num_layers": 1}
    name = params.dtype.name
    made = Layer(node.name, "CudnnRNNV3", attributes, dims, name, {"params": params}, tuple(notes))
    return [checked(made, path)]


def _with_arguments(
    node: Node,
    name: str,
    op: str,
    attributes: dict[str, Any],
    notes: Sequence[str],
    path: Path,
) -> Layer:
    """The layer of a node whose weights are not constants: they stay arguments."""
    batch, steps = _batch_and_steps(node)
    known = {"seq_length": steps, "batch_size": batch, "input_size": node.last_size("W")}
    units = node.number("hidden_size") or node.last_size("R")
    if units is not None and not 0 < units < 2**31:
        raise ArtifactError(f"{path}: {node.name}: num_units is {units}")
    known |= {"num_units": units, "num_layers": 1}
    taken = OPS[op].signature.form(attributes).dimensions
    dims = {each: known[each] for each in taken}
    lacking = [each for each in "WRB" if node.has(each) and node.array(each) is None]
    names = " and ".join(f"{each} ({node.inputs[_INPUTS.index(each)][:80]!r})" for each in lacking)
    verb = "is no constant" if len(lacking) == 1 else "are not constants"
    first = [f"{names} {verb} of the model, and the weights stay arguments"]
    if node.dtype is None:
        first.append("the file does not state the dtype; float32 is assumed")
    dtype = node.dtype or "float32"
    return checked(Layer(name, op, attributes, dims, dtype, {}, (*first, *notes)), path)


def _older(
    node: Node, direction: str, weights: tuple[Any, Any, Any] | None, path: Path, once: Once
) -> list[Layer | Refused]:
    """A GRU of the older kind: a GRUBlockCell for each direction."""
    batch, _ = _batch_and_steps(node)
    D = 2 if direction == "bidirectional" else 1
    if weights is not None:
        _check_older(node, direction, *weights, path)
    found: list[Layer | Refused] = []
    for d in range(D):
        backward = d == 1 or direction == "reverse"
        name = f"{node.name}/{('forward', 'backward')[d]}" if D == 2 else node.name
        notes = ["it takes the steps from the last to the first"] if backward else []
        if node.has("sequence_lens"):
            notes.append("the model passes lengths: keep the h of a row past its length")
        if weights is None:
            found.append(_with_arguments(node, name, "GRUBlockCell", {}, [MADE_OF, *notes], path))
            continue
        layer = once(("older", d), weights, functools.partial(_older_direction, d, *weights))
        dims = {**layer.dims, "batch_size": batch}
        notes = (*layer.notes, *notes)
        found.append(checked(replace(layer, name=name, dims=dims, notes=notes), path))
    return found


def _older_direction(d: int, W: Any, R: Any, B: Any) -> Layer:
    """A direction of a GRU of the older kind, without a name."""
    bias = None if B is None else np.add(*np.split(B[d], 2))
    arrays = [W[d].T, R[d].T, *([] if bias is None else [bias])]
    gates = [reorder_gates(array, -1, "zrh", "rzh") for array in arrays]
    return older_gru("", *gates, batch=None, notes=())


def _check_hidden_size(node: Node, path: Path) -> None:
    """Checks that the attribute is what the weights have, where the node has it."""
    given, units = node.number("hidden_size"), node.last_size("R")
    if given and units is not None and given != units:
        raise ArtifactError(f"{path}: {node.name}: hidden_size is {given}, R is of {units} units")


def _check_older(node: Node, direction: str, W: Any, R: Any, B: Any, path: Path) -> None:
    """Checks the shapes of the weights of a GRU of the older kind."""
    _check_directions(node, direction, W, path)
    D, units = W.shape[0], R.shape[-1]
    shapes = {"W": (D, 3 * units, W.shape[-1]), "R": (D, 3 * units, units), "B": (D, 6 * units)}
    for (name, shape), array in zip(shapes.items(), (W, R, B), strict=True):
        if array is not None and (array.shape != shape or not units):
            raise ArtifactError(
                f"{path}: {node.name}: {name} has the shape {list(array.shape)}, not {list(shape)}"
            )


def _check_directions(node: Node, direction: str, W: Any, path: Path) -> None:
    """Checks that there are weights for each direction, and no others."""
    count = 2 if direction == "bidirectional" else 1
    if W.ndim != 3 or W.shape[0] != count:
        raise ArtifactError(
            f"{path}: {node.name}: W has the shape {list(W.shape)}, for direction={direction!r}"
        )


def _activations(node: Node) -> list[str]:
    """The activations of a node, in lower case."""
    default = list(_ACTIVATIONS.get(node.operator, ()))
    given = node.attributes["activations"].strings if "activations" in node.attributes else ()
    return [each.decode(errors="replace").lower() for each in given] or default


def _direction(node: Node) -> str:
    text = node.attributes["direction"].s if "direction" in node.attributes else b""
    return text.decode(errors="replace").lower() or "forward"


def _refused(node: Node, activations: Sequence[str], direction: str) -> Refused | None:
    """What a node has that CudnnRNNV3 and GRUBlockCell have not; None if there is nothing."""
    known = list(_ACTIVATIONS.get(node.operator, ()))
    allowed = [known, known * 2]
    if node.operator == "RNN":
        allowed += [["relu"], ["relu"] * 2]
    clip = node.attributes["clip"].f if "clip" in node.attributes else math.inf
    harmless = math.inf if "relu" in activations else _SATURATED
    reasons = {
        node.operator: node.operator in _REFUSED,
        f"direction={direction!r}": direction not in _DIRECTIONS,
        f"activations={','.join(activations)}": list(activations) not in allowed,
        f"clip={clip:g}": not clip >= harmless,
        "input_forget=1": bool(node.number("input_forget")),
    }
    for reason, holds in reasons.items():
        if holds:
            return Refused(node.name, reason[:80])
    if node.has("P") and (node.array("P") is None or np.any(node.array("P"))):
        return Refused(node.name, "peepholes (P)", _PEEPHOLES)
    for name in STATES:
        sizes, units = node.shape(name) or (), node.last_size("R")
        if len(sizes) == 3 and None not in (sizes[2], units) and sizes[2] != units:
            reason = f"{name} of {sizes[2]} units and weights of {units}"
            return Refused(node.name, reason, _PROJECTION)
    return None


def _notes(node: Node, direction: str) -> list[str]:
    """What the node does to the op's input, output and state, or calls otherwise."""
    notes: list[str] = []
    if node.has("sequence_lens"):
        notes.append("the model passes lengths: sequence_lens is sequence_lengths")
    if direction == "reverse":
        notes.append(
            "direction=reverse: reverse the steps of each row, within its length, in the input and "
            "in the output"
        )
    for name, argument in (("initial_h", "input_h"), ("initial_c", "input_c")):
        if node.has(name):
            array = node.array(name)
            always = "" if array is None else " always the same array"
            always = " always zeros" if array is not None and not np.any(array) else always
            notes.append(f"the model passes {name}, which is {argument}{always and ':' + always}")
    if direction == "bidirectional":
        notes.append("Y has an axis for the directions, whose halves the output has side by side")
    return notes


def _batch_and_steps(node: Node) -> tuple[int | None, int | None]:
    """The first two sizes of the input, as far as they are known."""
    shape = node.shape("X")
    if shape is None or len(shape) != 3:
        return None, None
    first, second = shape[:2]
    return (first, second) if node.number("layout") else (second, first)
