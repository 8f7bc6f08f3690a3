"""Imports the fused recurrent operators of TensorFlow Lite.

UNIDIRECTIONAL_SEQUENCE_LSTM, which the converter makes of Keras' LSTM, becomes BlockLSTMV2: this
op too has peepholes and limits the cell's values (`cell_clip`), which CudnnRNNV3 and ONNX's LSTM
do not. With a projection it becomes CudnnRNNV3, and with all values in integers IntegerLSTM.
BIDIRECTIONAL_SEQUENCE_LSTM becomes two layers, and LSTM is a single step.

Of the inputs, 0 is x, 1 to 4 are the input's matrices and 5 to 8 the recurrent ones of the gates
i, f, c, o ([units, inputs] and [units, units]), 9 to 11 peepholes of i, f, o, 12 to 15 biases, 16
and 17 a projection, 18 and 19 the states h and c, which the op keeps, and 20 to 23 weights of a
layer normalization. In both directions, 1 to 17 are there twice, then h and c of each.

Without matrices of i, i is 1 - f. As 1 - sigmoid(z) = sigmoid(-z), the weights of i are then those
of f, negated.

Source: tensorflow/lite/kernels/unidirectional_sequence_lstm.cc, lstm_eval.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.layer import STREAMED, Layer, RefusedLayer, checked
from rnn_compiler.model_import.loop_layers import HALVES, REVERSED
from rnn_compiler.model_import.reading import Budget, damaged
from rnn_compiler.model_import.tflite_integers import integer_lstm
from rnn_compiler.model_import.tflite_layers import (
    CALL_ONCE,
    FROM_KERAS,
    INT8,
    NOT_IN_FILE,
    READ_VARIABLE,
    FoundLayer,
    LayerInput,
    RefusedLayerError,
    input_of,
)
from rnn_compiler.model_import.tflite_reader import Operator, Subgraph, Tensor, TfliteFile
from rnn_compiler.weights import from_torch

_DEQUANTIZE = 6
_GATES = "ifco"
_WEIGHTS = (
    *(f"{kind}_{gate}" for kind in "wr" for gate in _GATES),
    *("p_i", "p_f", "p_o"),
    *(f"b_{gate}" for gate in _GATES),
    *("projection", "projection_bias"),
)
_SLOTS = ("x", *_WEIGHTS, "h", "c", *(f"norm_{gate}" for gate in _GATES))
_TANH = 4


@dataclass(frozen=True)
class _LstmOperator:
    """An operator with the LSTM's inputs: its options, and how many directions it has."""

    options: str
    directions: int = 1


_FORMS = {
    16: _LstmOperator("Lstm"),
    44: _LstmOperator("UnidirectionalSequenceLSTM"),
    52: _LstmOperator("BidirectionalSequenceLSTM", 2),
}
FUSED = frozenset(_FORMS)
"""The codes of the operators that are read here."""


@dataclass(frozen=True)
class _OperatorDirection:
    """One direction of an op in its graph, with the tensors of its slots that are not empty."""

    graph: Subgraph
    op: Operator
    numbers: Mapping[str, int]
    slots: Mapping[str, Tensor]


def fused_layers(
    file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget
) -> Iterator[FoundLayer]:
    """The layers of an op, one for each direction, or what is refused."""
    form = _FORMS[op.code]
    names = ("forward", "backward") if form.directions == 2 else ("lstm",)
    for direction, name in enumerate(names):
        try:
            found = _lstm(file, _call(file, graph, op, form, direction), form, budget)
        except RefusedLayerError as refusal:
            yield FoundLayer(op, RefusedLayer("lstm", refusal.reason, refusal.clause))
            return
        if form.directions == 1:
            yield found
            continue
        layer, notes = found.layer, [REVERSED] if direction else []
        assert isinstance(layer, Layer)
        assert found.input is not None
        turned = replace(found.input, is_reversed=found.input.is_reversed != bool(direction))
        halves = [HALVES[name]] if file.options(op, form.options)["merged"] else []
        notes = (*notes, *layer.notes, *halves)
        yield FoundLayer(op, replace(layer, name=name, notes=notes), turned)


def _call(
    file: TfliteFile, graph: Subgraph, op: Operator, form: _LstmOperator, direction: int
) -> _OperatorDirection:
    """The slots of a direction of an op."""
    numbers = dict(zip(_SLOTS, op.inputs, strict=False))
    if form.directions == 2:
        count = len(_WEIGHTS)
        if any(number >= 0 for number in op.inputs[39:]):
            raise RefusedLayerError("an auxiliary input")
        weights = op.inputs[1 + direction * count : 1 + (direction + 1) * count]
        states = op.inputs[35 + 2 * direction : 37 + 2 * direction]
        given = (*op.inputs[:1], *weights, *states)
        numbers = dict(zip(_SLOTS, given, strict=False))
    numbers = {slot: number for slot, number in numbers.items() if number >= 0}
    slots = {slot: file.tensor(graph, number) for slot, number in numbers.items()}
    return _OperatorDirection(graph, op, numbers, slots)


def _lstm(
    file: TfliteFile, call: _OperatorDirection, form: _LstmOperator, budget: Budget
) -> FoundLayer:
    """The layer of one direction of an op."""
    options, slots = file.options(call.op, form.options), call.slots
    _check_supported(call, options)
    x = slots["x"]
    is_step, time_major = form.options == "Lstm", bool(options.get("time_major"))
    given = (
        LayerInput(call.numbers["x"], 0, False)
        if is_step
        else input_of(file, call.graph, call.numbers["x"], 1 - time_major)
    )
    if len(x.shape) != 3 - is_step:
        raise damaged(file.path, f"the input of an LSTM has the shape {list(x.shape)}")
    steps, batch = x.shape[:2] if time_major else (1 if is_step else x.shape[1], x.shape[0])
    dims = {"seq_length": steps, "batch_size": batch}
    notes = [] if time_major or is_step else [_BATCH_FIRST]
    if is_step:
        notes.append("a single step: pass x as [1, batch, inputs]")
    if given.is_reversed and form.directions == 1:
        notes.append(REVERSED)
    if x.dtype == "int8":
        layer = integer_lstm(file, call.op, slots, options, dims, notes)
        return FoundLayer(call.op, checked(layer, file.path), given)
    arrays = {
        slot: _array(file, call, slot, budget) for slot in slots if slot not in ("x", "h", "c")
    }
    clip = max(0.0, options["cell_clip"])
    projection = arrays.pop("projection", None)
    weights, sizes = _block_weights(file.path, arrays, projection)
    if x.shape[-1] not in (None, sizes["input_size"]):
        raise damaged(file.path, f"the input of an LSTM has the shape {list(x.shape)}")
    attributes: dict[str, Any] = {"cell_clip": clip, "use_peephole": "p_f" in slots}
    op, states = "BlockLSTMV2", ("h and cs", "h_prev and cs_prev")
    if projection is not None:
        op, states = "CudnnRNNV3", ("output_h and output_c", "input_h and input_c")
        weights, attributes = (
            _projected(weights, projection, sizes),
            _CUDNN | {"num_proj": len(projection)},
        )
        dims["num_layers"] = 1
    notes += _notes(slots, clip, states)
    layer = Layer("lstm", op, attributes, {**dims, **sizes}, "float32", weights, tuple(notes))
    return FoundLayer(call.op, checked(layer, file.path), given)


def _check_supported(call: _OperatorDirection, options: Mapping[str, Any]) -> None:
    """Raises a refusal for a feature that the ops do not have."""
    slots = call.slots
    if missing := [slot for slot in ("x", "h", "c", "w_o", "r_o") if slot not in slots]:
        raise RefusedLayerError(f"no {missing[0]}", "so its file is damaged")
    if slots["x"].dtype not in ("float32", "int8"):
        raise RefusedLayerError(
            f"{slots['x'].dtype} as the type of its input",
            "whose sums are integers: convert the model without a representative dataset, and "
            "quantize its weights here (--quantize int8)",
        )
    for state in ("h", "c"):
        if not slots[state].is_variable or slots[state].size:
            raise RefusedLayerError(
                f"a state {state} that is not one that the op keeps and starts with zeros",
                f"which cannot be told from the file: {FROM_KERAS}",
            )
    if any(slot.startswith("norm") for slot in slots):
        raise RefusedLayerError("layer normalization")
    if "projection_bias" in slots:
        raise RefusedLayerError("a projection of its output with a bias")
    clips = options["cell_clip"] > 0 or options["projection_clip"] > 0
    if "projection" in slots and ("p_f" in slots or clips):
        raise RefusedLayerError("a projection of its output with peepholes or limits")
    if options.get("diagonal"):
        raise RefusedLayerError("diagonal recurrent matrices")
    if options.get("kernel"):
        raise RefusedLayerError("the basic kernel of the operator LSTM")
    if options["activation"] != _TANH:
        raise RefusedLayerError(f"an activation other than tanh (number {options['activation']})")


def _array(file: TfliteFile, call: _OperatorDirection, slot: str, budget: Budget) -> Any:
    """The weights in a slot as float32."""
    tensor, source = call.slots[slot], call.graph.producers.get(call.numbers[slot])
    if source is not None and source.code == _DEQUANTIZE and source.inputs:
        tensor, source = file.tensor(call.graph, source.inputs[0]), None  # stored as float16
    if tensor.is_sparse:
        raise RefusedLayerError(f"sparse weights ({slot})")
    if not tensor.size or tensor.is_variable or source is not None:
        raise _missing(file, slot, tensor, source)
    if tensor.dtype not in ("float32", "float16", "int8"):
        clause = f"which is not read: {FROM_KERAS}"
        raise RefusedLayerError(f"weights of {tensor.dtype} ({slot})", clause)
    array = file.real(tensor, budget)
    if array is None or len(tensor.scale) > 1:
        raise RefusedLayerError(f"int8 weights without a single scale ({slot})")
    return array


def _missing(
    file: TfliteFile, slot: str, tensor: Tensor, source: Operator | None
) -> RefusedLayerError:
    """The refusal of weights that are not in the file."""
    is_variable = source is not None and source.code == READ_VARIABLE
    if is_variable and CALL_ONCE not in file.codes:
        return RefusedLayerError(
            f"weights in a variable that nothing sets ({slot}): they are not in the file",
            NOT_IN_FILE,
        )
    if tensor.is_variable:
        return RefusedLayerError(
            f"a state as weights ({slot}), to which the converter reduces a matrix of zeros",
            f"so its results are not those of the model: {FROM_KERAS}",
        )
    reason = f"weights that are no constants of the model ({slot})"
    return RefusedLayerError(reason, f"which cannot be read: {FROM_KERAS}")


def _block_weights(
    path: Path, arrays: Mapping[str, Any], projection: Any
) -> tuple[dict[str, Any], dict[str, int]]:
    """The weights of BlockLSTMV2, and the sizes that they have."""
    held = dict(arrays)
    if "w_i" not in held and "r_i" not in held:
        for kind in ("w", "r", "b", *(["p"] if "p_f" in held else [])):
            if f"{kind}_f" in held:
                held[f"{kind}_i"] = -held[f"{kind}_f"]
    units, features = held["w_o"].shape if held["w_o"].ndim == 2 else (0, 0)
    outputs = units
    if projection is not None:
        outputs = projection.shape[0] if projection.ndim == 2 else 0
        held["projection"] = projection
    peepholes = ("p_i", "p_f", "p_o")
    shapes = {
        **{f"w_{gate}": (units, features) for gate in _GATES},
        **{f"r_{gate}": (units, outputs) for gate in _GATES},
        **{f"b_{gate}": (units,) for gate in _GATES},
        **(dict.fromkeys(peepholes, (units,)) if held.keys() & set(peepholes) else {}),
        **({"projection": (outputs, units)} if projection is not None else {}),
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


_CUDNN = {"rnn_mode": "lstm", "direction": "unidirectional", "is_training": False}


def _projected(
    weights: Mapping[str, Any], projection: Any, sizes: Mapping[str, int]
) -> dict[str, Any]:
    """The weights of CudnnRNNV3 with a projection, whose gates are in the same order."""
    matrix, bias = weights["w"].T, weights["b"]
    held = {
        "weight_ih_l0": matrix[:, : sizes["input_size"]],
        "weight_hh_l0": matrix[:, sizes["input_size"] :],
        "weight_hr_l0": projection,
        **{"bias_ih_l0": bias, "bias_hh_l0": np.zeros_like(bias)},
    }
    arrays = {name: np.ascontiguousarray(array) for name, array in held.items()}
    return {"params": from_torch(arrays, rnn_mode="lstm")}


_BATCH_FIRST = "the model has the batch first: transpose x to [steps, batch, inputs], and h back"


def _notes(slots: Mapping[str, Tensor], clip: float, states: Sequence[str]) -> Iterator[str]:
    """How the op differs from Keras' layer."""
    if clip:
        yield f"it keeps the cell within {clip:g}, as the converter adds to Keras' layers"
    kept = f"the last {states[0]} of a call are {states[1]} of the next one"
    yield f"in TensorFlow Lite, {kept}, even if Keras' layer is not stateful{STREAMED}"
    if any(tensor.dtype == "int8" for tensor in slots.values()):
        yield INT8
