"""Imports the recurrent layers of TensorFlow Lite files.

UNIDIRECTIONAL_SEQUENCE_LSTM, which the converter makes of Keras' LSTM, becomes BlockLSTMV2: this
op too has peepholes and limits the cell's values (`cell_clip`), which CudnnRNNV3 and ONNX's LSTM
do not.

Of its inputs, 0 is x, 1 to 4 are the input's matrices and 5 to 8 the recurrent ones of the gates
i, f, c, o ([units, inputs] and [units, units]), 9 to 11 peepholes of i, f, o, 12 to 15 biases, 16
and 17 a projection, 18 and 19 the states h and c, which the op keeps, and 20 to 23 weights of a
layer normalization.

Without matrices of i, i is 1 - f. As 1 - sigmoid(z) = sigmoid(-z), the weights of i are then those
of f, negated.

Source: tensorflow/lite/kernels/unidirectional_sequence_lstm.cc, lstm_eval.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.layer import STREAMED, Layer, RefusedLayer, checked, named_apart
from rnn_compiler.model_import.reading import Budget, damaged, exceeded, stored_bytes
from rnn_compiler.model_import.tflite_reader import Graph, Op, Tensor, TfliteFile

_SEQUENCE_LSTM = 44
_CONCATENATION, _DEQUANTIZE, _FULLY_CONNECTED, _BATCH_MATMUL = 2, 6, 9, 126
_REVERSE, _WHILE, _CALL_ONCE, _READ_VARIABLE = 105, 119, 129, 143
_MOVEMENT = (22, 36, 39, 43, 45, 65, _REVERSE)
"""RESHAPE, GATHER, TRANSPOSE, SQUEEZE, STRIDED_SLICE, SLICE, and reversing."""

_FROM_KERAS = "import the model's .keras file instead"
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


def read_tflite(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a file, and a description of its other content."""
    file = TfliteFile(path)
    budget = Budget(path, stored_bytes(path))
    found: list[Layer | RefusedLayer] = []
    for graph in file.graphs:
        directions = _directions(file, graph)
        for op in graph.ops:
            made = _layer(file, graph, op, directions, budget)
            if made is None:
                continue
            if len(found) == _MOST_LAYERS:
                raise exceeded(path, f"it has more than {_MOST_LAYERS} recurrent layers")
            found.append(made)
    count = sum(len(graph.ops) for graph in file.graphs)
    return named_apart(found), f"{count} operators of TensorFlow Lite, none with recurrent weights"


def _layer(
    file: TfliteFile, graph: Graph, op: Op, directions: Mapping[Op, str], budget: Budget
) -> Layer | RefusedLayer | None:
    """The layer of an op; None if it is not recurrent."""
    if op.code in _REFUSED:
        return RefusedLayer(*_REFUSED[op.code], f"which is not imported: {_FROM_KERAS}")
    if op.code == _WHILE:
        body = file.graph(file.options(op, "While")["body"])
        if not any(each.code in (_FULLY_CONNECTED, _BATCH_MATMUL) for each in body.ops):
            return None
        reason = "its steps in a loop of ordinary operators (WHILE)"
        return RefusedLayer("loop", reason, f"which is not recognised: {_FROM_KERAS}")
    if op.code != _SEQUENCE_LSTM:
        return None
    name = directions.get(op, "lstm")
    try:
        return _lstm(file, graph, op, name, budget)
    except _RefusedError as refusal:
        return RefusedLayer(name, refusal.reason, refusal.clause)


def _lstm(file: TfliteFile, graph: Graph, op: Op, name: str, budget: Budget) -> Layer:
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
    weights, sizes = _block_weights(file.path, name, arrays)
    x, time_major = slots["x"], bool(options["time_major"])
    if len(x.shape) != 3 or x.shape[2] not in (None, sizes["input_size"]):
        raise damaged(file.path, f"the input of {name} has the shape {list(x.shape)}")
    steps, batch = (x.shape[0], x.shape[1]) if time_major else (x.shape[1], x.shape[0])
    clip = max(0.0, options["cell_clip"])
    layer = Layer(
        name,
        "BlockLSTMV2",
        {"cell_clip": clip, "use_peephole": "p_f" in slots},
        {"seq_length": steps, "batch_size": batch, **sizes},
        "float32",
        weights,
        tuple(_notes(file, call, name, clip, time_major)),
    )
    return checked(layer, file.path)


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
        raise _RefusedError(
            f"weights of {tensor.dtype} ({slot})", f"which is not read: {_FROM_KERAS}"
        )
    array = file.array(tensor)
    if tensor.dtype == "float32":
        return array
    budget.take(4 * array.size)
    if tensor.dtype == "float16":
        return array.astype(np.float32)
    if len(tensor.scale) != 1 or any(tensor.zero):
        raise _RefusedError(f"int8 weights without a single scale ({slot})")
    return array.astype(np.float32) * np.float32(tensor.scale[0])


def _missing(file: TfliteFile, slot: str, tensor: Tensor, source: Op | None) -> _RefusedError:
    """The refusal of weights that are not in the file."""
    is_set = any(op.code == _CALL_ONCE for graph in file.graphs for op in graph.ops)
    if source is not None and source.code == _READ_VARIABLE and not is_set:
        return _RefusedError(
            f"weights in a variable that nothing sets ({slot}): they are not in the file",
            "as the converter leaves them out: convert with TFLiteConverter.from_keras_model, "
            f"or {_FROM_KERAS}",
        )
    if tensor.is_variable:
        return _RefusedError(
            f"a state as weights ({slot}), to which the converter reduces a matrix of zeros",
            f"so its results are not those of the model: {_FROM_KERAS}",
        )
    reason = f"weights that are no constants of the model ({slot})"
    return _RefusedError(reason, f"which cannot be read: {_FROM_KERAS}")


def _block_weights(
    path: Path, name: str, arrays: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, int]]:
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
            raise damaged(path, f"{name} has no {slot}")
        if held[slot].shape != shape or not held[slot].size:
            sizes = list(held[slot].shape)
            raise damaged(path, f"{slot} of {name} has the shape {sizes}, not {list(shape)}")
    matrices = [[held[f"{kind}_{gate}"].T for gate in _GATES] for kind in "wr"]
    zeros = np.zeros(units, np.float32)
    weights: dict[str, Any] = {
        "w": np.block(matrices),
        **{f"wc{slot[-1]}": held.get(slot, zeros) for slot in peepholes},
        "b": np.concatenate([held[f"b_{gate}"] for gate in _GATES]),
    }
    return weights, {"input_size": features, "num_units": units}


def _notes(
    file: TfliteFile, call: _Call, name: str, clip: float, time_major: bool
) -> Iterator[str]:
    """What the model does around the op, and how the op differs from Keras' layer."""
    if not time_major:
        yield "the model has the batch first: transpose x to [steps, batch, inputs], and h back"
    if _reversed_input(file, call.graph, call.op) is not None:
        yield "the model reverses the input: pass the steps of each row from its last to its first"
    if name == "backward":
        yield "its h is in that order; the model reverses it, and appends it to that of forward"
    elif name == "forward":
        yield "the model appends the h of backward to its h"
    if clip:
        yield f"it keeps the cell within {clip:g}, as the converter adds to Keras' layers"
    kept = "the last h and cs of a call are h_prev and cs_prev of the next one"
    yield f"in TensorFlow Lite, {kept}, even if Keras' layer is not stateful{STREAMED}"
    if any(tensor.dtype == "int8" for tensor in call.slots.values()):
        yield "weights are int8 in the file, and float32 here: quantize='int8' stores them as int8"


def _directions(file: TfliteFile, graph: Graph) -> dict[Op, str]:
    """The ops that are the halves of a bidirectional layer, as ``"forward"`` or ``"backward"``.

    Both have the same input, which one of them reverses, and their outputs are concatenated.
    """
    found: dict[Op, str] = {}
    for op in graph.ops:
        if op.code != _CONCATENATION or len(op.inputs) != 2:
            continue
        forward, backward = (graph.producers.get(_source(graph, each)) for each in op.inputs)
        if forward is None or backward is None:
            continue
        if forward.code != _SEQUENCE_LSTM or backward.code != _SEQUENCE_LSTM or not forward.inputs:
            continue
        if _reversed_input(file, graph, backward) == forward.inputs[0]:
            found[forward], found[backward] = "forward", "backward"
    return found


def _source(graph: Graph, number: int) -> int:
    """The tensor that a tensor is, before it was moved."""
    for _ in range(_FURTHEST):
        op = graph.producers.get(number)
        if op is None or op.code not in _MOVEMENT or not op.inputs:
            break
        number = op.inputs[0]
    return number


def _reversed_input(file: TfliteFile, graph: Graph, op: Op) -> int | None:
    """The tensor whose steps the model reverses to make the input of an op; None if it does not."""
    source = graph.producers.get(op.inputs[0]) if op.inputs else None
    if source is None or source.code != _REVERSE or len(source.inputs) != 2:
        return None
    axes = file.tensor(graph, source.inputs[1])
    time_axis = 0 if file.options(op, "UnidirectionalSequenceLSTM")["time_major"] else 1
    if axes.dtype != "int32" or not axes.size or file.array(axes).ravel().tolist() != [time_axis]:
        return None
    return source.inputs[0]
