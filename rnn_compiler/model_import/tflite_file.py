"""Imports the recurrent layers of TensorFlow Lite files: fused operators, and loops.

UNIDIRECTIONAL_SEQUENCE_LSTM, which the converter makes of Keras' LSTM, becomes BlockLSTMV2: this
op too has peepholes and limits the cell's values (`cell_clip`), which CudnnRNNV3 and ONNX's LSTM
do not.

Of its inputs, 0 is x, 1 to 4 are the input's matrices and 5 to 8 the recurrent ones of the gates
i, f, c, o ([units, inputs] and [units, units]), 9 to 11 peepholes of i, f, o, 12 to 15 biases, 16
and 17 a projection, 18 and 19 the states h and c, which the op keeps, and 20 to 23 weights of a
layer normalization.

Without matrices of i, i is 1 - f. As 1 - sigmoid(z) = sigmoid(-z), the weights of i are then those
of f, negated.

A loop (WHILE) whose step is one of Keras' cells (`tflite_loops`) becomes CudnnRNNV3 or ONNX's op,
as the layers of `.keras` files do.

Source: tensorflow/lite/kernels/unidirectional_sequence_lstm.cc, lstm_eval.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.keras_layers import activation_attributes, notes_on_masks
from rnn_compiler.model_import.layer import (
    CUDNN_NAMES,
    ONNX_NAMES,
    STREAMED,
    Layer,
    RefusedLayer,
    canonical,
    checked,
    cudnn_mode,
    named_apart,
)
from rnn_compiler.model_import.reading import Budget, damaged, exceeded, stored_bytes
from rnn_compiler.model_import.tflite_cells import Cell, UnknownCellError
from rnn_compiler.model_import.tflite_loops import cell_of
from rnn_compiler.model_import.tflite_reader import Graph, Op, Tensor, TfliteFile
from rnn_compiler.model_import.tflite_values import constant
from rnn_compiler.weights import from_onnx

_SEQUENCE_LSTM = 44
_CONCATENATION, _DEQUANTIZE, _FULLY_CONNECTED, _RESHAPE, _BATCH_MATMUL = 2, 6, 9, 22, 126
_TRANSPOSE, _FILL, _REVERSE, _WHILE, _CALL_ONCE, _READ_VARIABLE = 39, 94, 105, 119, 129, 143
_MOVEMENT = (_RESHAPE, 36, _TRANSPOSE, 43, 45, 65, _REVERSE)
"""RESHAPE, GATHER, TRANSPOSE, SQUEEZE, STRIDED_SLICE, SLICE, and reversing."""

_FROM_KERAS = "import the model's .keras file instead"
_CONVERT = (
    "as the converter leaves them out: convert with TFLiteConverter.from_keras_model, or "
    f"{_FROM_KERAS}"
)
_REFUSED = {
    16: ("lstm", "the operator LSTM, a single step as TensorFlow 1 converted it"),
    24: ("rnn", "the operator RNN, a single step as TensorFlow 1 converted it"),
    27: ("svdf", "the operator SVDF, which filters over time and is no recurrent layer"),
    35: ("rnn", "the operator UNIDIRECTIONAL_SEQUENCE_RNN"),
    46: ("rnn", "the operator BIDIRECTIONAL_SEQUENCE_RNN"),
    52: ("lstm", "the operator BIDIRECTIONAL_SEQUENCE_LSTM"),
}
"""The operators with states that are not imported: a name, and what is said of them."""

_GATES = "ifco"
_SLOTS = (
    "x",
    *(f"{kind}_{gate}" for kind in "wr" for gate in _GATES),
    *("p_i", "p_f", "p_o"),
    *(f"b_{gate}" for gate in _GATES),
    *("projection", "projection_bias", "h", "c"),
    *(f"norm_{gate}" for gate in _GATES),
)
_TANH = 4
_MOST_LAYERS = 300
_BYTES_OF_OP = 1_000
"""About what following an op of a loop takes."""

_FURTHEST = 10
"""The most ops that move a value between two others."""


class _RefusedError(Exception):
    """A layer that is not imported: the feature, and why or what to do."""

    def __init__(self, reason: str, clause: str = "which no op computes") -> None:
        super().__init__(reason)
        self.reason, self.clause = reason, clause


@dataclass(frozen=True)
class _Call:
    """An op in its graph, with the tensors of its slots that are not empty."""

    graph: Graph
    op: Op
    slots: Mapping[str, Tensor]

    def number(self, name: str) -> int:
        """The number of the tensor in a slot."""
        return self.op.inputs[_SLOTS.index(name)]


@dataclass(frozen=True)
class _Input:
    """The input of a layer: a tensor, which of its axes are the steps, and whether reversed."""

    number: int
    time_axis: int
    is_reversed: bool

    def turned(self) -> _Input:
        """The input of the other direction, if this one is forward."""
        return replace(self, is_reversed=True)


@dataclass(frozen=True)
class _Found:
    """An op with its layer, and its input if that is known."""

    op: Op
    layer: Layer | RefusedLayer
    input: _Input | None = None


@np.errstate(all="ignore")  # weights may be infinite or not numbers, which a note tells
def read_tflite(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a file, and a description of its other content."""
    file = TfliteFile(path)
    budget = Budget(path, stored_bytes(path))
    layers: list[Layer | RefusedLayer] = []
    for graph in file.graphs:
        found: list[_Found] = []
        for op in graph.ops:
            made = _found(file, graph, op, budget)
            if made is None:
                continue
            if len(layers) + len(found) == _MOST_LAYERS:
                raise exceeded(path, f"it has more than {_MOST_LAYERS} recurrent layers")
            found.append(made)
        layers += _named(graph, found)
    count = sum(len(graph.ops) for graph in file.graphs)
    return named_apart(layers), f"{count} operators of TensorFlow Lite, none with recurrent weights"


def _found(file: TfliteFile, graph: Graph, op: Op, budget: Budget) -> _Found | None:
    """The layer of an op; None if it is not recurrent."""
    if op.code in _REFUSED:
        clause = f"which is not imported: {_FROM_KERAS}"
        return _Found(op, RefusedLayer(*_REFUSED[op.code], clause))
    read, name = _READERS.get(op.code, (None, ""))
    try:
        return read and read(file, graph, op, budget)
    except _RefusedError as refusal:
        return _Found(op, RefusedLayer(name, refusal.reason, refusal.clause))


def _lstm(file: TfliteFile, graph: Graph, op: Op, budget: Budget) -> _Found:
    """The BlockLSTMV2 of a UNIDIRECTIONAL_SEQUENCE_LSTM."""
    slots = {
        slot: file.tensor(graph, number)
        for slot, number in zip(_SLOTS, op.inputs, strict=False)
        if number >= 0
    }
    call = _Call(graph, op, slots)
    options = file.options(op, "UnidirectionalSequenceLSTM")
    _check_supported(call, options)
    arrays = {
        slot: _array(file, call, slot, budget) for slot in slots if slot not in ("x", "h", "c")
    }
    weights, sizes = _block_weights(file.path, arrays)
    x, time_major = slots["x"], bool(options["time_major"])
    if len(x.shape) != 3 or x.shape[2] not in (None, sizes["input_size"]):
        raise damaged(file.path, f"the input of an LSTM has the shape {list(x.shape)}")
    steps, batch = (x.shape[0], x.shape[1]) if time_major else (x.shape[1], x.shape[0])
    clip = max(0.0, options["cell_clip"])
    given = _input(file, graph, op.inputs[0], 1 - time_major)
    layer = Layer(
        "lstm",
        "BlockLSTMV2",
        {"cell_clip": clip, "use_peephole": "p_f" in slots},
        {"seq_length": steps, "batch_size": batch, **sizes},
        "float32",
        weights,
        tuple(_notes(slots, given, clip, time_major)),
    )
    return _Found(op, checked(layer, file.path), given)


def _check_supported(call: _Call, options: Mapping[str, Any]) -> None:
    """Raises a refusal for a feature that BlockLSTMV2 does not have."""
    slots = call.slots
    if missing := [slot for slot in ("x", "h", "c", "w_o", "r_o") if slot not in slots]:
        raise _RefusedError(f"no {missing[0]}", "so its file is damaged")
    if slots["x"].dtype != "float32":
        raise _RefusedError(
            f"{slots['x'].dtype} as the type of its input: a full-integer layer",
            "whose sums are integers: convert the model without a representative dataset, and "
            "quantize its weights here (--quantize int8)",
        )
    for state in ("h", "c"):
        if not slots[state].is_variable or slots[state].size:
            raise _RefusedError(
                f"a state {state} that is not one that the op keeps and starts with zeros",
                f"which cannot be told from the file: {_FROM_KERAS}",
            )
    if any(slot.startswith("norm") for slot in slots):
        raise _RefusedError("layer normalization")
    if any(slot.startswith("projection") for slot in slots):
        raise _RefusedError("a projection of its output")
    if options["diagonal"]:
        raise _RefusedError("diagonal recurrent matrices")
    if options["activation"] != _TANH:
        raise _RefusedError(f"an activation other than tanh (number {options['activation']})")


def _array(file: TfliteFile, call: _Call, slot: str, budget: Budget) -> Any:
    """The weights in a slot as float32."""
    tensor, source = call.slots[slot], call.graph.producers.get(call.number(slot))
    if source is not None and source.code == _DEQUANTIZE and source.inputs:
        tensor, source = file.tensor(call.graph, source.inputs[0]), None  # stored as float16
    if tensor.is_sparse:
        raise _RefusedError(f"sparse weights ({slot})")
    if not tensor.size or tensor.is_variable or source is not None:
        raise _missing(file, slot, tensor, source)
    if tensor.dtype not in ("float32", "float16", "int8"):
        clause = f"which is not read: {_FROM_KERAS}"
        raise _RefusedError(f"weights of {tensor.dtype} ({slot})", clause)
    array = file.real(tensor, budget)
    if array is None or len(tensor.scale) > 1:
        raise _RefusedError(f"int8 weights without a single scale ({slot})")
    return array


def _missing(file: TfliteFile, slot: str, tensor: Tensor, source: Op | None) -> _RefusedError:
    """The refusal of weights that are not in the file."""
    is_variable = source is not None and source.code == _READ_VARIABLE
    if is_variable and _CALL_ONCE not in file.codes:
        return _RefusedError(
            f"weights in a variable that nothing sets ({slot}): they are not in the file",
            _CONVERT,
        )
    if tensor.is_variable:
        return _RefusedError(
            f"a state as weights ({slot}), to which the converter reduces a matrix of zeros",
            f"so its results are not those of the model: {_FROM_KERAS}",
        )
    reason = f"weights that are no constants of the model ({slot})"
    return _RefusedError(reason, f"which cannot be read: {_FROM_KERAS}")


def _block_weights(path: Path, arrays: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """The weights of BlockLSTMV2, and the sizes that they have."""
    held = dict(arrays)
    if "w_i" not in held and "r_i" not in held:
        for kind in ("w", "r", "b", *(["p"] if "p_f" in held else [])):
            if f"{kind}_f" in held:
                held[f"{kind}_i"] = -held[f"{kind}_f"]
    units, features = held["w_o"].shape if held["w_o"].ndim == 2 else (0, 0)
    peepholes = ("p_i", "p_f", "p_o")
    shapes = {
        **{f"w_{gate}": (units, features) for gate in _GATES},
        **{f"r_{gate}": (units, units) for gate in _GATES},
        **{f"b_{gate}": (units,) for gate in _GATES},
        **(dict.fromkeys(peepholes, (units,)) if held.keys() & set(peepholes) else {}),
    }
    for slot, shape in shapes.items():
        if slot not in held:
            raise damaged(path, f"an LSTM has no {slot}")
        if held[slot].shape != shape or not held[slot].size:
            sizes = list(held[slot].shape)
            raise damaged(path, f"{slot} of an LSTM has the shape {sizes}, not {list(shape)}")
    matrices = [[held[f"{kind}_{gate}"].T for gate in _GATES] for kind in "wr"]
    zeros = np.zeros(units, np.float32)
    weights: dict[str, Any] = {
        "w": np.block(matrices),
        **{f"wc{slot[-1]}": held.get(slot, zeros) for slot in peepholes},
        "b": np.concatenate([held[f"b_{gate}"] for gate in _GATES]),
    }
    return weights, {"input_size": features, "num_units": units}


def _notes(
    slots: Mapping[str, Tensor], given: _Input, clip: float, time_major: bool
) -> Iterator[str]:
    """What the model does around the op, and how the op differs from Keras' layer."""
    if not time_major:
        yield "the model has the batch first: transpose x to [steps, batch, inputs], and h back"
    if given.is_reversed:
        yield _REVERSED
    if clip:
        yield f"it keeps the cell within {clip:g}, as the converter adds to Keras' layers"
    kept = "the last h and cs of a call are h_prev and cs_prev of the next one"
    yield f"in TensorFlow Lite, {kept}, even if Keras' layer is not stateful{STREAMED}"
    if any(tensor.dtype == "int8" for tensor in slots.values()):
        yield _INT8


_REVERSED = "the model reverses the input: pass the steps of each row from its last to its first"
_INT8 = "weights are int8 in the file, and float32 here: quantize='int8' stores them as int8"


def _loop(file: TfliteFile, graph: Graph, op: Op, budget: Budget) -> _Found | None:
    """The layer of a loop; None if its body has no matrix."""
    body = file.graph(file.options(op, "While")["body"])
    budget.take(_BYTES_OF_OP * len(body.ops))  # a body may be that of many loops
    if not any(each.code in (_FULLY_CONNECTED, _BATCH_MATMUL) for each in body.ops):
        return None
    try:
        cell = cell_of(file, graph, op, budget)
    except UnknownCellError as error:
        raise _unknown_loop(file, str(error)) from error
    given = _input(file, graph, op.inputs[cell.sequence], 0)
    shape = file.tensor(graph, given.number).shape
    if len(shape) != 3:
        raise damaged(file.path, f"the input of a loop has the shape {list(shape)}")
    W, R, B = _onnx_weights(cell)
    kind = f"onnx.{cell.operator}"
    inputs = ["B", "sequence_lens", "initial_h", *(["initial_c"] if len(cell.states) > 1 else [])]
    plain = {"inputs": inputs, "layout": given.time_axis}
    if cell.operator == "GRU":
        plain["linear_before_reset"] = int(cell.state_bias is not None)
    attributes = canonical(kind, {**plain, **activation_attributes(cell.functions)}, "float32")
    dims: dict[str, int | None] = {
        **{"seq_length": shape[given.time_axis], "batch_size": shape[1 - given.time_axis]},
        **{"input_size": W.shape[-1], "num_units": R.shape[-1]},
    }
    mode = cudnn_mode(kind, attributes)
    notes = tuple(_loop_notes(file, graph, op, cell, given, mode is not None, budget))
    weights: dict[str, Any] = {"W": W, "R": R, "B": B}
    if mode is not None:
        attributes = {
            **{"rnn_mode": mode, "direction": "unidirectional", "is_training": False},
            "time_major": not given.time_axis,
        }
        kind, dims["num_layers"] = "CudnnRNNV3", 1
        weights = {"params": from_onnx(W, R, B, rnn_mode=mode)}
    layer = Layer(cell.operator.lower(), kind, attributes, dims, "float32", weights, notes)
    return _Found(op, checked(layer, file.path), given)


def _unknown_loop(file: TfliteFile, what: str) -> _RefusedError:
    """The refusal of a loop that is not recognised."""
    if _READ_VARIABLE in file.codes and _CALL_ONCE not in file.codes:
        reason = "weights in variables that nothing sets: they are not in the file"
        return _RefusedError(reason, _CONVERT)
    reason = f"its steps in a loop of ordinary operators (WHILE), with {what}"
    return _RefusedError(reason, f"which is not recognised: {_FROM_KERAS}")


def _onnx_weights(cell: Cell) -> tuple[Any, Any, Any]:
    """W, R and B of ONNX's operator."""
    units = len(cell.gates[0].bias)
    state_bias: Any = np.zeros(units * len(cell.gates), np.float32)
    if cell.state_bias is not None:
        state_bias[-units:] = cell.state_bias
    columns = zip(*((gate.input, gate.state, gate.bias) for gate in cell.gates), strict=True)
    W, R, bias = (np.concatenate(arrays).astype(np.float32) for arrays in columns)
    return W[None], R[None], np.concatenate([bias, state_bias])[None]


def _loop_notes(
    file: TfliteFile,
    graph: Graph,
    op: Op,
    cell: Cell,
    given: _Input,
    is_cudnn: bool,
    budget: Budget,
) -> Iterator[str]:
    """What the model does around a loop."""
    if given.is_reversed:
        yield _REVERSED if cell.mask is None else f"{_REVERSED}, masked ones at the end"
    if cell.mask is not None:
        names = CUDNN_NAMES if is_cudnn else ONNX_NAMES
        yield from notes_on_masks(["the model masks steps"], names)
    for name, argument in zip(("initial_h", "initial_c"), cell.states, strict=False):
        number = op.inputs[argument]
        source = graph.producers.get(number)
        if source is not None and source.code == _FILL:
            number = source.inputs[-1]
        array = constant(file, graph, number, budget)
        if array is not None and not np.any(array):
            continue
        called = CUDNN_NAMES[name] if is_cudnn else name
        if source is not None and source.code == _READ_VARIABLE:
            yield f"stateful: pass the states that a call gives to the next{STREAMED}"
            break
        always = "" if array is None else ": always the same array"
        yield f"the model passes an initial state, which is {called}{always}"
    body = file.graph(file.options(op, "While")["body"])
    if any(tensor.dtype == "int8" for tensor in (*graph.tensors, *body.tensors)):
        yield _INT8


def _named(graph: Graph, found: Sequence[_Found]) -> Iterator[Layer | RefusedLayer]:
    """The layers of a graph; halves of a bidirectional one are called forward and backward.

    Both have the same input, which one of them reverses, and their outputs are concatenated.
    """
    names: dict[int, str] = {}
    numbers = {id(each.op): k for k, each in enumerate(found)}
    for op in graph.ops:
        if op.code != _CONCATENATION or len(op.inputs) != 2:
            continue
        halves = [graph.producers.get(_source(graph, each)) for each in op.inputs]
        first, second = (numbers.get(id(each)) for each in halves)
        if first is None or second is None:
            continue
        inputs = [found[k].input for k in (first, second)]
        if inputs[0] is not None and inputs[0].turned() == inputs[1]:
            names.setdefault(first, "forward")
            names.setdefault(second, "backward")
    for k, each in enumerate(found):
        layer = replace(each.layer, name=names.get(k, each.layer.name))
        if isinstance(layer, Layer) and k in names:
            layer = replace(layer, notes=(*layer.notes, _HALVES[layer.name]))
        yield layer


_HALVES = {
    "forward": "the model appends the output of backward to its output",
    "backward": "its output is in the order of its input: reverse it, unless the model uses its "
    "last step alone, and append it to that of forward",
}
"""Notes on the halves of a bidirectional layer."""


def _input(file: TfliteFile, graph: Graph, number: int, time_axis: int) -> _Input:
    """The input of a layer before it was transposed and reversed."""
    is_reversed = False
    for _ in range(_FURTHEST):
        source = graph.producers.get(number)
        if source is None or not source.inputs:
            break
        values = _integers(file, graph, source.inputs[-1])
        if (source.code == _TRANSPOSE and values == [1, 0, 2]) or _swaps(file, graph, source):
            time_axis = 1 - time_axis
        elif source.code == _REVERSE and values == [time_axis]:
            is_reversed = not is_reversed
        else:
            break
        number = source.inputs[0]
    return _Input(number, time_axis, is_reversed)


def _integers(file: TfliteFile, graph: Graph, number: int) -> list[int]:
    """The elements of a constant of integers; none for other tensors."""
    tensor = file.tensor(graph, number)
    return file.array(tensor).ravel().tolist() if tensor.size and tensor.dtype == "int32" else []


def _swaps(file: TfliteFile, graph: Graph, op: Op) -> bool:
    """Whether an op swaps the first two axes by a change of shape: one of them has the size 1."""
    if op.code != _RESHAPE or not op.outputs:
        return False
    before, after = (file.tensor(graph, each).shape for each in (op.inputs[0], op.outputs[0]))
    return len(before) == 3 and 1 in before[:2] and after == (before[1], before[0], before[2])


def _source(graph: Graph, number: int) -> int:
    """The tensor that a tensor is, before it was moved."""
    for _ in range(_FURTHEST):
        op = graph.producers.get(number)
        if op is None or op.code not in _MOVEMENT or not op.inputs:
            break
        number = op.inputs[0]
    return number


_READERS = {_SEQUENCE_LSTM: (_lstm, "lstm"), _WHILE: (_loop, "loop")}
"""The functions that read ops as layers, and what these are called if they are refused."""
