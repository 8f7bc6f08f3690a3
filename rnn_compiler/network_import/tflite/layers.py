"""Recurrent layers of TensorFlow Lite, as nodes of ONNX's operators, and variables as states.

`model_import` recognises the layers. The fused LSTM limits its cell, which ONNX's does not: its
node is noted in `Network.clips`, unless it has too few steps to reach the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.helper

from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.loop_cells import UnknownCellError, onnx_weights
from rnn_compiler.model_import.tflite_fused import fused_layers
from rnn_compiler.model_import.tflite_layers import CALL_ONCE, NOT_IN_FILE
from rnn_compiler.model_import.tflite_loops import loop_of, plain_loop
from rnn_compiler.model_import.tflite_reader import VARIANT, Operator
from rnn_compiler.model_import.tflite_values import constant
from rnn_compiler.network_import.tflite.network import Network

_VAR_HANDLE, _ASSIGN = 142, 144
_RESHAPES = (22, 70)
"""RESHAPE and EXPAND_DIMS."""

_BIDIRECTIONAL, _STEP = 52, 16


def loop(n: Network, op: Operator) -> None:
    """A loop: a recurrent node if its step is that of a cell, else one of its steps."""
    try:
        found = loop_of(n.file, n.graph, op, n.budget)
    except UnknownCellError as error:
        _steps(n, op, str(error))
        return
    cell = found.cell
    if cell.mask is not None:  # which may have holes
        _steps(n, op, "a mask")
        return
    weights = [n.constant(array) for array in onnx_weights(cell)]
    first = n.constant(np.array([0], np.int64))
    states = [n.node("Unsqueeze", [n.value(op.inputs[k]), first]) for k in cell.states]
    inputs = [n.value(op.inputs[cell.sequence]), *weights, "", *states]
    count = 1 + len(states)
    Y, *last = n.several(cell.found.operator, inputs, count, **cell.found.attributes)
    second = n.constant(np.array([1], np.int64))
    values = {
        "rows": lambda: n.node("Squeeze", [Y, second]),
        "last": lambda: last[0],
        "h": lambda: n.node("Squeeze", [last[0], first]),
        "c": lambda: n.node("Squeeze", [last[1], first]),
    }
    for result, given, number in zip(found.results, op.inputs, op.outputs, strict=True):
        if result == "same":
            n.names[number] = n.value(given)
        elif result in values:
            n.names[number] = values[result]()


def _steps(n: Network, op: Operator, what: str) -> None:
    """A loop of ordinary nodes, which the graph's passes recognise or write out."""
    try:
        loop = plain_loop(n.file, n.graph, op, n.budget)
    except UnknownCellError as error:
        raise n.refused(f"a loop with {what}, and {error}") from error
    body = n.file.graph(n.file.options(op, "While")["body"])
    inner = Network(n.file, body, n.budget, n.rules, constants=n.constants, nested=n.nested + 1)
    inner.check_types()
    given: list[tuple[str, int]] = []  # the names and numbers of what changes
    for k, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True)):
        if before == after:
            inner.names[before] = n.names[op.outputs[k]] = n.value(op.inputs[k])
        else:
            inner.names[before] = f"{n.at}.argument_{k}"
            if k not in loop.rows and k not in loop.last:
                given.append((inner.names[before], k))
    rows = {k: _without_axis(inner, row) for k, row in loop.rows.items()}
    rows |= loop.last
    wanted = [*(body.outputs[k] for _, k in given), *rows.values()]
    inner.run(wanted, n.at)
    results = [inner.node("Identity", [inner.value(number)]) for number in wanted]
    index, more = f"{n.at}.index", f"{n.at}.more"
    inner.nodes.append(onnx.helper.make_node("Identity", [more], [f"{more}_"], name=f"{more}_"))
    scalar = [
        onnx.helper.make_tensor_value_info(index, onnx.TensorProto.INT64, []),
        onnx.helper.make_tensor_value_info(more, onnx.TensorProto.BOOL, []),
    ]
    changing = [inner.information(name, body.inputs[k]) for name, k in given]
    empty = [onnx.helper.make_empty_tensor_value_info(name) for name in (f"{more}_", *results)]
    graph = onnx.helper.make_graph(inner.nodes, n.at, [*scalar, *changing], empty)
    counts = [n.node("Cast", [n.value(each)], to=onnx.TensorProto.INT64) for each in loop.limits]
    if loop.most is not None:
        counts.append(n.constant(np.array(loop.most, np.int64)))
    count = n.node("Min", counts) if len(counts) > 1 else counts[0]
    starts = [n.value(op.inputs[k]) for _, k in given]
    made = n.several("Loop", [count, "", *starts], len(results), body=graph)
    for (_, k), value in zip(given, made, strict=False):
        n.names[op.outputs[k]] = value
    second = n.constant(np.array([1], np.int64))
    for (k, row), value in zip(rows.items(), made[len(given) :], strict=True):
        if k in loop.last:
            bounds = [n.constant(np.array([each], np.int64)) for each in (-1, 2**31 - 1, 0)]
            value = n.node("Slice", [value, *bounds])
        elif row == loop.rows[k] and n.tensor(op.outputs[k]).dtype != VARIANT:
            value = n.node("Squeeze", [value, second])
        n.names[op.outputs[k]] = value


def _without_axis(n: Network, row: int) -> int:
    """A row of a list before it got its axis of steps, or the row itself."""
    source = n.graph.producers.get(row)
    if source is None or source.code not in _RESHAPES:
        return row
    shape = n.shape(source.inputs[0])
    return source.inputs[0] if (1, *shape) == n.shape(row) else row


def stacked(n: Network, op: Operator) -> None:
    """The items of one of TensorFlow's lists, which are one array since a loop wrote them."""
    n.gives(op, n.value(op.inputs[0]))


def fused(n: Network, op: Operator) -> None:
    """A fused LSTM, in one direction or both."""
    parts: list[str] = []
    is_step = op.code == _STEP
    for found in fused_layers(n.file, n.graph, op, n.budget):
        layer = found.layer
        if isinstance(layer, RefusedLayer):
            raise n.refused(f"it has {layer.reason}, {layer.clause}")
        if layer.op != "BlockLSTMV2":
            raise n.refused("a projection")
        time_major = not is_step and not any("batch first" in note for note in layer.notes)
        x = n.value(op.inputs[0])
        if is_step:
            x = n.node("Unsqueeze", [x, n.constant(np.array([0], np.int64))])
        elif not time_major:
            x = n.node("Transpose", [x], perm=[1, 0, 2])
        y = _lstm(n, layer, x, "reverse" if parts else "forward")
        if is_step:
            y = n.node("Squeeze", [y, n.constant(np.array([0], np.int64))])
        elif not time_major:
            y = n.node("Transpose", [y], perm=[1, 0, 2])
        parts.append(y)
    if len(parts) == 2 and len(op.outputs) == 1:
        parts = [n.node("Concat", parts, axis=2)]
    n.gives(op, *parts)


def _lstm(n: Network, layer: Layer, x: str, direction: str) -> str:
    """The output of ONNX's LSTM with the weights of a BlockLSTMV2, time-major."""
    features, units = layer.dims["input_size"], layer.dims["num_units"]
    assert features is not None
    assert units is not None

    def ordered(array: Any) -> Any:
        """Gates of i, f, c, o along the first axis in ONNX's order."""
        i, f, c, o = np.split(array, 4)
        return np.concatenate([i, o, f, c])

    weights: Mapping[str, Any] = layer.weights
    w, b = weights["w"].T, ordered(weights["b"])
    arrays = [ordered(w[:, :features]), ordered(w[:, features:])]
    given = [n.constant(array[None]) for array in arrays]
    given.append(n.constant(np.concatenate([b, np.zeros_like(b)])[None]))
    if layer.attributes["use_peephole"]:
        peepholes = np.concatenate([weights[f"wc{gate}"] for gate in "iof"])
        given += ["", "", "", n.constant(peepholes[None])]
    (Y,) = n.several("LSTM", [x, *given], 1, hidden_size=units, direction=direction)
    clip, steps = float(layer.attributes["cell_clip"]), layer.dims["seq_length"]
    if clip and (steps is None or steps > clip):  # a step changes the cell by 1 at most
        if direction == "reverse":
            raise n.refused("a limit of the cell in reverse")
        n.clips[Y] = clip
    return n.node("Squeeze", [Y, n.constant(np.array([1], np.int64))])


# Variables. One that the network assigns is a state: an input, and an output for the next call.


def read_variable(n: Network, op: Operator) -> None:
    """The value of a variable."""
    handle = op.inputs[0]
    if CALL_ONCE not in n.file.codes:
        raise n.refused(f"a variable that nothing sets, {NOT_IN_FILE}")
    if handle not in n.states:
        initial = _initial(n, handle)
        if not any(each.code == _ASSIGN and each.inputs[0] == handle for each in n.graph.ops):
            n.states[handle] = n.constant(initial)
        elif initial.any():  # refused if it is read, unlike that of random numbers
            return
        else:
            name = f"state_{len(n.inputs)}"
            n.states[handle], n.inputs[name] = name, op.outputs[0]
    n.gives(op, n.states[handle])


def assign(n: Network, op: Operator) -> None:
    """Sets a variable; the last value is that of the next call."""
    handle, number = op.inputs
    before = n.states.get(handle)
    if before is None:
        return
    first = n.state_of.setdefault(handle, before)
    n.states[handle] = n.outputs[f"{first}_next"] = n.value(number)


def _initial(n: Network, handle: int) -> Any:
    """The value of a variable before the first call."""
    name = _name(n, n.graph.ops, handle)
    for graph in n.file.graphs:
        for op in graph.ops:
            if (
                op.code == _ASSIGN
                and graph is not n.graph
                and _name(n, graph.ops, op.inputs[0]) == name
            ):
                array = constant(n.file, graph, op.inputs[1], n.budget)
                if array is not None:
                    return array
    raise n.refused("a variable without a first value")


def _name(n: Network, ops: Sequence[Operator], handle: int) -> str:
    """The name of a variable, by its handle."""
    for op in ops:
        if op.code == _VAR_HANDLE and handle in op.outputs:
            return n.file.options(op, "VarHandle")["name"] or ""
    return ""
