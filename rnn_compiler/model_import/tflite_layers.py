"""What readers of TensorFlow Lite's operators share: layers, refusals, and a layer's input."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.tflite_reader import Operator, Subgraph, TfliteFile

FROM_KERAS = "import the model's .keras file instead"
NOT_IN_FILE = (
    "as the converter leaves them out: convert with TFLiteConverter.from_keras_model, or "
    f"{FROM_KERAS}"
)
"""What to do about weights in variables that nothing sets."""

INT8 = "weights are int8 in the file, and float32 here: quantize='int8' stores them as int8"

CALL_ONCE, READ_VARIABLE = 129, 143
_RESHAPE, _TRANSPOSE, _REVERSE = 22, 39, 105
_MOVEMENT = (_RESHAPE, 36, _TRANSPOSE, 43, 45, 65, _REVERSE)
"""RESHAPE, GATHER, TRANSPOSE, SQUEEZE, STRIDED_SLICE, SLICE, and reversing."""

_FURTHEST = 10
"""The most ops that move a value between two others."""


class RefusedLayerError(Exception):
    """A layer that is not imported: the feature, and why or what to do."""

    def __init__(self, reason: str, clause: str = "which no op computes") -> None:
        super().__init__(reason)
        self.reason, self.clause = reason, clause


@dataclass(frozen=True)
class LayerInput:
    """The input of a layer: a tensor, which of its axes are the steps, and whether reversed."""

    number: int
    time_axis: int
    is_reversed: bool

    def turned(self) -> LayerInput:
        """The input of the other direction, if this one is forward."""
        return replace(self, is_reversed=True)


@dataclass(frozen=True)
class FoundLayer:
    """An op with its layer, and its input if that is known."""

    op: Operator
    layer: Layer | RefusedLayer
    input: LayerInput | None = None


def input_of(file: TfliteFile, graph: Subgraph, number: int, time_axis: int) -> LayerInput:
    """The input of a layer before it was transposed and reversed."""
    is_reversed = False
    for _ in range(_FURTHEST):
        source = graph.producers.get(number)
        if source is None or not source.inputs:
            break
        moves = source.code in (_TRANSPOSE, _REVERSE)  # others may lack their last input
        values = _integers(file, graph, source.inputs[-1]) if moves else []
        if (source.code == _TRANSPOSE and values == [1, 0, 2]) or _swaps(file, graph, source):
            time_axis = 1 - time_axis
        elif source.code == _REVERSE and values == [time_axis]:
            is_reversed = not is_reversed
        else:
            break
        number = source.inputs[0]
    return LayerInput(number, time_axis, is_reversed)


def _integers(file: TfliteFile, graph: Subgraph, number: int) -> list[int]:
    """The elements of a constant of integers; none for other tensors."""
    tensor = file.tensor(graph, number)
    return file.array(tensor).ravel().tolist() if tensor.size and tensor.dtype == "int32" else []


def _swaps(file: TfliteFile, graph: Subgraph, op: Operator) -> bool:
    """Whether an op swaps the first two axes by a change of shape: one of them has the size 1."""
    if op.code != _RESHAPE or not op.outputs:
        return False
    before, after = (file.tensor(graph, each).shape for each in (op.inputs[0], op.outputs[0]))
    return len(before) == 3 and 1 in before[:2] and after == (before[1], before[0], before[2])


def moved_from(graph: Subgraph, number: int) -> int:
    """The tensor that a tensor is, before it was moved."""
    for _ in range(_FURTHEST):
        op = graph.producers.get(number)
        if op is None or op.code not in _MOVEMENT or not op.inputs:
            break
        number = op.inputs[0]
    return number
