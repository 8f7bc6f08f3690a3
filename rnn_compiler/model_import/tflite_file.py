"""Imports the recurrent layers of TensorFlow Lite files: fused operators, and loops.

Fused operators are read by `tflite_fused`. A loop (WHILE) whose step is one of Keras' cells
(`tflite_loops`) becomes CudnnRNNV3 or ONNX's op, as the layers of `.keras` files do; two that are
both directions of a layer become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rnn_compiler.model_import.layer import (
    Layer,
    RefusedLayer,
    named_apart,
)
from rnn_compiler.model_import.loop_cells import UnknownCellError
from rnn_compiler.model_import.loop_layers import HALVES, DirectedLoop, joined, layer_of
from rnn_compiler.model_import.reading import Budget, damaged, exceeded, stored_bytes
from rnn_compiler.model_import.tflite_fused import FUSED, fused_layers
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
    moved_from,
)
from rnn_compiler.model_import.tflite_loops import loop_of
from rnn_compiler.model_import.tflite_reader import Operator, Subgraph, TfliteFile
from rnn_compiler.model_import.tflite_values import constant

_CONCATENATION, _FULLY_CONNECTED, _FILL, _WHILE, _BATCH_MATMUL = 2, 9, 94, 119, 126

_REFUSED = {
    24: ("rnn", "the operator RNN, a single step as TensorFlow 1 converted it"),
    27: ("svdf", "the operator SVDF, which filters over time and is no recurrent layer"),
    35: ("rnn", "the operator UNIDIRECTIONAL_SEQUENCE_RNN"),
    46: ("rnn", "the operator BIDIRECTIONAL_SEQUENCE_RNN"),
}
"""The operators with states that are not imported: a name, and what is said of them."""

_MOST_LAYERS = 300
_BYTES_OF_OP = 1_000
"""About what following an op of a loop takes."""


@np.errstate(all="ignore")  # weights may be infinite or not numbers, which a note tells
def read_tflite(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a file, and a description of its other content."""
    file = TfliteFile(path)
    budget = Budget(path, stored_bytes(path))
    layers: list[Layer | RefusedLayer] = []
    for graph in file.graphs:
        found: list[FoundLayer | _TfliteLoop] = []
        for op in graph.ops:
            found += _found(file, graph, op, budget)
            if len(layers) + len(found) > _MOST_LAYERS:
                raise exceeded(path, f"it has more than {_MOST_LAYERS} recurrent layers")
        layers += _named(graph, [*_with_layers(file, graph, found, budget)])
    count = sum(len(graph.ops) for graph in file.graphs)
    return named_apart(layers), f"{count} operators of TensorFlow Lite, none with recurrent weights"


@dataclass(frozen=True, eq=False)
class _TfliteLoop(DirectedLoop):
    """A loop of a cell: its operator, and its input."""

    op: Operator
    input: LayerInput


def _found(
    file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget
) -> Iterator[FoundLayer | _TfliteLoop]:
    """The layers of an op, or the loop that it is; none if it is not recurrent."""
    if op.code in _REFUSED:
        clause = f"which is not imported: {FROM_KERAS}"
        yield FoundLayer(op, RefusedLayer(*_REFUSED[op.code], clause))
    elif op.code in FUSED:
        yield from fused_layers(file, graph, op, budget)
    elif op.code == _WHILE:
        try:
            found = _loop(file, graph, op, budget)
        except RefusedLayerError as refusal:
            found = FoundLayer(op, RefusedLayer("loop", refusal.reason, refusal.clause))
        if found is not None:
            yield found


def _loop(file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget) -> _TfliteLoop | None:
    """A loop and its cell; None if its body has no matrix."""
    body = file.graph(file.options(op, "While")["body"])
    budget.take(_BYTES_OF_OP * len(body.ops))  # a body may be that of many loops
    if not any(each.code in (_FULLY_CONNECTED, _BATCH_MATMUL) for each in body.ops):
        return None
    try:
        cell = loop_of(file, graph, op, budget).cell
    except UnknownCellError as error:
        raise _unknown_loop(file, str(error)) from error
    given = input_of(file, graph, op.inputs[cell.sequence], 0)
    sequence = replace(given, is_reversed=False)
    starts = [_start(file, graph, op.inputs[k], budget) for k in cell.states]
    return _TfliteLoop(cell, sequence, given.is_reversed, starts, op, given)


def _with_layers(
    file: TfliteFile, graph: Subgraph, found: Sequence[FoundLayer | _TfliteLoop], budget: Budget
) -> Iterator[FoundLayer]:
    """What was found in a graph, with the layers of loops; both directions are one."""
    groups = {loops[0]: loops for loops in joined([x for x in found if isinstance(x, _TfliteLoop)])}
    for each in found:
        if isinstance(each, FoundLayer):
            yield each
        elif each in groups:
            yield FoundLayer(each.op, _layer(file, graph, groups[each]), each.input)


def _layer(file: TfliteFile, graph: Subgraph, loops: Sequence[_TfliteLoop]) -> Layer:
    """The layer of a loop, or of those of both directions."""
    first = loops[0]
    given = first.input
    shape = file.tensor(graph, given.number).shape
    if len(shape) != 3:
        raise damaged(file.path, f"the input of a loop has the shape {list(shape)}")

    tensors = [*graph.tensors]
    for each in loops:
        tensors += file.graph(file.options(each.op, "While")["body"]).tensors
    return layer_of(
        loops,
        first.cell.found.operator.lower(),
        given.time_axis,
        (shape[given.time_axis], shape[1 - given.time_axis]),
        [INT8] if any(tensor.dtype == "int8" for tensor in tensors) else [],
        file.path,
    )


def _unknown_loop(file: TfliteFile, what: str) -> RefusedLayerError:
    """The refusal of a loop that is not recognised."""
    if READ_VARIABLE in file.codes and CALL_ONCE not in file.codes:
        reason = "weights in variables that nothing sets: they are not in the file"
        return RefusedLayerError(reason, NOT_IN_FILE)
    reason = f"its steps in a loop of ordinary operators (WHILE), with {what}"
    return RefusedLayerError(reason, f"which is not recognised: {FROM_KERAS}")


def _start(file: TfliteFile, graph: Subgraph, number: int, budget: Budget) -> str:
    """What a state of a loop is before the first step, as in `DirectedLoop`."""
    source = graph.producers.get(number)
    if source is not None and source.code == _FILL:
        number = source.inputs[-1]
    array = constant(file, graph, number, budget)
    if array is not None:
        return "constant" if np.any(array) else ""
    return "kept" if source is not None and source.code == READ_VARIABLE else "passed"


def _named(graph: Subgraph, found: Sequence[FoundLayer]) -> Iterator[Layer | RefusedLayer]:
    """The layers of a graph; two that are halves of one are called forward and backward.

    Both have the same input, which one of them reverses, and their outputs are concatenated.
    """
    names: dict[int, str] = {}
    numbers = {id(each.op): k for k, each in enumerate(found)}
    for op in graph.ops:
        if op.code != _CONCATENATION or len(op.inputs) != 2:
            continue
        halves = [graph.producers.get(moved_from(graph, each)) for each in op.inputs]
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
            layer = replace(layer, notes=(*layer.notes, HALVES[layer.name]))
        yield layer
