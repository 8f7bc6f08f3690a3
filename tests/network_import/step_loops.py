"""Recurrent layers as loops over their steps, in the form in which tf2onnx writes those of Keras.

A step reads the row of its array that a counter names, and its weights are states that stay the
same. A condition compares the counter and the iteration number with the number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

from tests.network_import.graphs import H, I, model, weight

BOOL, INT32, INT64 = TensorProto.BOOL, TensorProto.INT32, TensorProto.INT64
FLOAT, HALF = TensorProto.FLOAT, TensorProto.FLOAT16

Nodes = list[Any]


class Step:
    """The nodes of a step; each method returns the name of what it computes."""

    def __init__(self, element: int = FLOAT) -> None:
        self.element = element
        self.nodes: Nodes = []
        self.constants: dict[str, Any] = {}

    def add(self, operator: str, *inputs: str, count: int = 1, **rest: Any) -> Any:
        names = [f"{operator}{len(self.nodes)}.{k}" for k in range(count)]
        self.nodes.append(helper.make_node(operator, inputs, names, **rest))
        return names if count > 1 else names[0]

    def constant(self, value: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def applied(self, function: str, value: str) -> str:
        """A function of a value; the value itself if there is none."""
        return self.add(function, value) if function else value

    def columns(self, value: str, number: int) -> str:
        """One of some parts of H columns, as a slice of both axes."""
        ends = [2**31 - 1, H * (number + 1)]
        bounds = [self.constant(each) for each in ([0, H * number], ends, [0, 1])]
        return self.add("Slice", value, *bounds)

    def chosen(self, mask: str, new: str, old: str) -> str:
        """The new value where a mask is true, as tf2onnx writes SelectV2."""
        false = self.add("Cast", self.add("Not", mask), to=self.element)
        new = self.add("Mul", self.add("Cast", mask, to=self.element), new)
        return self.add("Add", new, self.add("Mul", old, false))


Cell = Callable[[Step, str, Sequence[str]], Sequence[str]]
"""Adds a cell's nodes, given x and the states; returns the next states, the output first."""


def gru(
    s: Step, x: str, states: Sequence[str], gate: str = "Sigmoid", activation: str = "Tanh"
) -> Sequence[str]:
    """Keras' GRU, which resets after the product."""
    (h,) = states
    bias, own = s.add("Split", "b2", count=2, axis=0)
    one = s.constant([0])
    xs = s.add("Add", s.add("MatMul", x, "W"), s.add("Squeeze", bias, one))
    hs = s.add("Add", s.add("MatMul", h, "R"), s.add("Squeeze", own, one))
    parts = s.add("Split", xs, count=3, axis=-1)
    z, r = (s.applied(gate, s.add("Add", parts[k], s.columns(hs, k))) for k in (0, 1))
    reset = s.add("Mul", r, s.columns(hs, 2))
    n = s.applied(activation, s.add("Add", parts[2], reset))
    return [blended(s, z, h, n)]


def gru_reset_before(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """Keras' GRU with reset_after=False, which slices R."""
    (h,) = states
    parts = s.add("Split", s.add("Add", s.add("MatMul", x, "W"), "b"), count=3, axis=-1)
    gates = s.add("MatMul", h, s.add("Slice", "R", *(s.constant(n) for n in ([0], [2 * H], [1]))))
    z, r = (s.add("Sigmoid", s.add("Add", parts[k], s.columns(gates, k))) for k in (0, 1))
    reset = s.add("MatMul", s.add("Mul", r, h), s.columns("R", 2))
    n = s.add("Tanh", s.add("Add", parts[2], reset))
    return [blended(s, z, h, n)]


def blended(s: Step, z: str, h: str, n: str) -> str:
    rest = s.add("Mul", s.add("Sub", s.constant(np.float32(1)), z), n)
    return s.add("Add", s.add("Mul", z, h), rest)


def hard_gru(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With hard sigmoids, shifted sums between 0 and 6 that are multiplied by 1/6.

    They are clipped at once, or by each bound on its own, as in TensorFlow Lite.
    """
    (h,) = states
    xs = s.add("Split", s.add("Add", s.add("MatMul", x, "W"), "b"), count=3, axis=-1)
    hs = s.add("Split", s.add("MatMul", h, "R"), count=3, axis=-1)
    low, high, shift, part = (s.constant(np.float32(n)) for n in (0, 6, 3, 1 / 6))
    sums = [s.add("Add", xs[k], s.add("Add", shift, hs[k])) for k in (0, 1)]
    z = s.add("Mul", s.add("Clip", sums[0], low, high), part)
    r = s.add("Mul", s.add("Max", low, s.add("Min", sums[1], high)), part)
    return [blended(s, z, h, s.add("Tanh", s.add("Add", xs[2], s.add("Mul", r, hs[2]))))]


def gru_of_mixed_columns(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """Every third column of a sum is of the same gate."""
    (h,) = states

    def parts(value: str) -> list[str]:
        bounds = [[s.constant([n]) for n in (k, 3 * H, 1, 3)] for k in range(3)]
        return [s.add("Slice", value, *each) for each in bounds]

    xs, hs = parts(s.add("Add", s.add("MatMul", x, "W"), "b")), parts(s.add("MatMul", h, "R"))
    z, r = (s.add("Sigmoid", s.add("Add", xs[k], hs[k])) for k in (0, 1))
    return [blended(s, z, h, s.add("Tanh", s.add("Add", xs[2], s.add("Mul", r, hs[2]))))]


def rnn(s: Step, x: str, states: Sequence[str], activation: str = "Tanh") -> Sequence[str]:
    """Keras' SimpleRNN."""
    xs = s.add("Add", s.add("MatMul", x, "W"), "b")
    return [s.applied(activation, s.add("Add", xs, s.add("MatMul", states[0], "R")))]


def lstm(s: Step, x: str, states: Sequence[str], **functions: str) -> Sequence[str]:
    """Keras' LSTM, of the gates i, f, c, o."""
    h, c = states
    return combined(s, lstm_gates(s, x, h), c, **functions)


def lstm_gates(s: Step, x: str, h: str) -> Sequence[str]:
    both = s.add("Add", s.add("MatMul", x, "W"), s.add("MatMul", h, "R"))
    return s.add("Split", s.add("Add", both, "b"), count=4, axis=-1)


def linear_lstm(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With activation=None."""
    return lstm(s, x, states, activation="")


def lstm_of_linear_gates(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With recurrent_activation=None."""
    return lstm(s, x, states, gate="")


def linear_gru(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With activation=None."""
    return gru(s, x, states, activation="")


def gru_of_linear_gates(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With recurrent_activation=None."""
    return gru(s, x, states, gate="")


def linear_rnn(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """With activation=None."""
    return rnn(s, x, states, "")


def lstm_with_peepholes(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """As TensorFlow's LSTMCell computes it: the output gate sees the new cell state."""
    h, c = states
    i, f, g, o = lstm_gates(s, x, h)
    own = [s.constant(weight(H)) for _ in range(3)]
    i, f = (s.add("Add", v, s.add("Mul", c, p)) for v, p in ((i, own[0]), (f, own[1])))
    new = s.add("Mul", s.add("Sigmoid", i), s.add("Tanh", g))
    c = s.add("Add", s.add("Mul", s.add("Sigmoid", f), c), new)
    o = s.add("Sigmoid", s.add("Add", o, s.add("Mul", own[2], c)))
    return [s.add("Mul", o, s.add("Tanh", c)), c]


def lstm_of_coupled_gates(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """Whose forget gate is 1 minus the input gate."""
    h, c = states
    i, _, g, o = lstm_gates(s, x, h)
    i = s.add("Sigmoid", i)
    c = blended(s, i, s.add("Tanh", g), c)
    return [s.add("Mul", s.add("Sigmoid", o), s.add("Tanh", c)), c]


def lstm_of_parts(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """Keras' LSTM with recurrent_dropout, which splits its weights in every step."""
    h, c = states
    W, b = s.add("Split", "W", count=4, axis=1), s.add("Split", "b", count=4, axis=0)
    xs = [s.add("Add", s.add("MatMul", x, W[k]), b[k]) for k in range(4)]
    products = [s.add("MatMul", h, s.columns("R", k)) for k in range(4)]
    return combined(s, [s.add("Add", a, p) for a, p in zip(xs, products, strict=True)], c)


def lstm_of_gemms(s: Step, x: str, states: Sequence[str]) -> Sequence[str]:
    """An LSTM as jax2onnx writes it: with Gemm, and casts that change nothing."""
    zero = s.constant(np.float32(0))
    products = [s.add("Gemm", value, name, zero) for value, name in ((x, "W"), (states[0], "R"))]
    gates = s.add("Split", s.add("Add", s.add("Add", *products), "b"), count=4, axis=-1)
    return [s.add("Cast", each, to=FLOAT) for each in combined(s, gates, states[1])]


def combined(
    s: Step, gates: Sequence[str], c: str, gate: str = "Sigmoid", activation: str = "Tanh"
) -> Sequence[str]:
    i, f, o = (s.applied(gate, gates[k]) for k in (0, 1, 3))
    new = s.add("Mul", i, s.applied(activation, gates[2]))
    c = s.add("Add", s.add("Mul", f, c), new)
    return [s.add("Mul", o, s.applied(activation, c)), c]


GATES = {
    gru: 3,
    gru_reset_before: 3,
    hard_gru: 3,
    gru_of_mixed_columns: 3,
    rnn: 1,
    lstm: 4,
    lstm_of_parts: 4,
    lstm_of_gemms: 4,
    linear_gru: 3,
    gru_of_linear_gates: 3,
    linear_rnn: 1,
    linear_lstm: 4,
    lstm_of_linear_gates: 4,
    lstm_with_peepholes: 4,
    lstm_of_coupled_gates: 4,
}
"""The cells, with their numbers of gates."""


def keras_loop(
    cell: Cell,
    shape: Sequence[int | str],
    *,
    gates: int = 4,
    states: int = 1,
    mask: str = "",
    start: bool = False,
    down: bool = False,
    half: bool = False,
    rename: Callable[[str], str] = lambda name: name,
) -> Any:
    """A model of ``x [B, T, I]`` with a layer as a loop.

    Args:
        cell: The cell.
        shape: B and T, numbers or names.
        gates: The number of its gates.
        states: The number of its states.
        mask: ``"keep"`` repeats the output where the input `mask` is false, ``"zero"`` gives zeros.
        start: Whether the states are inputs ``s0``, ``s1``, instead of zeros.
        down: Whether the steps read the rows from the last to the first.
        half: Whether values are float16, and the steps cast weights of float32.
        rename: Gives the body's values other names.

    Returns:
        The model, with the outputs ``y [B, T, H]`` and ``last0``, ``last1``.
    """
    weights = {"W": weight(I, gates * H), "R": weight(H, gates * H), "b": weight(gates * H)}
    weights["b2"] = weight(2, gates * H)
    step = Step(HALF if half else FLOAT)
    number = step.add("Sub", "last row", "k") if down else "k"
    x = row_of(step, number) if down else step.add("Gather", "rows", number, axis=0)
    own = [f"state{k}" for k in range(states)]
    ends = [*cell(step, x, own)]
    y = ends[0]
    if mask:
        row = step.add("Gather", "masks", number, axis=0)
        y = step.chosen(row, y, "previous" if mask == "keep" else "none")
        ends = [step.chosen(row, new, old) for new, old in zip(ends, own, strict=True)]
    following = step.add("Add", "k", step.constant(np.int32(1)))
    numbers = [step.add("Cast", each, to=FLOAT) for each in (following, "i")]
    below = [step.add("Less", each, "steps as float") for each in numbers]
    go = step.add("And", *below)
    each = step.add("Identity", y)
    names = ["W", "R", "b", "b2"]
    held = {"previous": y, "none": "none"} if mask else {}
    inputs = ["i", "c", "k", *own, *held, *names]
    outputs = [go, following, *ends, *held.values(), *names, each]
    kinds = {"i": INT64, "c": BOOL, "k": INT32}
    if half:
        weights_in_half(step, names)
    body = helper.make_graph(
        step.nodes,
        "body",
        [
            helper.make_tensor_value_info(n, kinds.get(n, FLOAT), [] if n in kinds else None)
            for n in inputs
        ],
        [helper.make_tensor_value_info(go, BOOL, []),
         helper.make_tensor_value_info(following, INT32, []),
         *(helper.make_tensor_value_info(n, FLOAT, None) for n in outputs[2:])],
        [numpy_helper.from_array(array, name) for name, array in step.constants.items()],
    )  # fmt: skip
    own_names = {name for node in step.nodes for name in node.output} | {*inputs, *step.constants}
    called = {name: rename(name) for name in own_names}
    for node in body.node:
        node.input[:] = [called.get(name, name) for name in node.input]
        node.output[:] = [called.get(name, name) for name in node.output]
    for value in (*body.input, *body.output, *body.initializer):
        value.name = called.get(value.name, value.name)
    made = _around(body, shape, weights, states, len(held), mask, start)
    if half:
        values_in_half(made)
    return made


def row_of(step: Step, number: str) -> str:
    """A row, as TensorFlow writes ``rows[number]``."""
    axis = step.constant(np.array([0]))
    first = step.add("Concat", step.add("Unsqueeze", number, axis), axis=0)
    behind = step.add("Add", first, step.constant(np.array([1], np.int32)))
    axis32, stride = (step.constant(np.array([n], np.int32)) for n in (0, 10**9))
    return step.add("Squeeze", step.add("Slice", "rows", first, behind, axis32, stride), axis)


def weights_in_half(step: Step, names: Sequence[str]) -> None:
    """Casts weights in a step, and the step's own numbers."""
    for node in step.nodes:
        node.input[:] = [f"half {each}" if each in names else each for each in node.input]
    casts = [helper.make_node("Cast", [each], [f"half {each}"], to=HALF) for each in names]
    step.nodes[:0] = casts
    for name, array in step.constants.items():
        if array.dtype == np.float32:
            step.constants[name] = array.astype(np.float16)


def values_in_half(made: Any) -> None:
    """Casts the input and the zeros of a model with a loop; the states become outputs in half."""
    nodes = made.graph.node
    nodes.insert(0, helper.make_node("Cast", ["x"], ["half x"], to=HALF))
    for node in nodes:
        for k, name in enumerate(node.input):
            if (node.op_type, name) in (("Transpose", "x"), ("Expand", "0.")):
                node.input[k] = f"half {name}"
    made.graph.initializer.append(numpy_helper.from_array(np.float16(0), "half 0."))
    for value in made.graph.output:
        value.type.tensor_type.elem_type = HALF


def _around(
    body: Any,
    shape: Sequence[int | str],
    weights: Mapping[str, Any],
    states: int,
    held: int,
    mask: str,
    start: bool,
) -> Any:
    """The model around the loop of a body."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["rows"], perm=[1, 0, 2]),
        helper.make_node("Shape", ["rows"], ["shape"]),
        helper.make_node("Gather", ["shape", "0"], ["steps"]),
        helper.make_node("Cast", ["steps"], ["steps32"], to=INT32),
        helper.make_node("Sub", ["steps32", "1 as int32"], ["last row"]),
        helper.make_node("Gather", ["shape", "[1]"], ["batch"]),
        helper.make_node("Concat", ["batch", "[H]"], ["sizes"], axis=0),
        helper.make_node("Expand", ["0.", "sizes"], ["zeros"]),
        helper.make_node("Cast", ["steps"], ["steps as float"], to=FLOAT),
        helper.make_node("Less", ["0.", "steps as float"], ["go"]),
    ]
    if mask:
        nodes += [
            helper.make_node("Unsqueeze", ["mask", "[2]"], ["column"]),
            helper.make_node("Transpose", ["column"], ["masks"], perm=[1, 0, 2]),
        ]
    first = [f"s{k}" if start else "zeros" for k in range(states)]
    results = [f"last{k}" for k in range(states)]
    inputs = ["steps", "go", "0 as int32", *first, *["zeros"] * held, *weights]
    unused = [f"unused{k}" for k in range(held + len(weights))]
    outputs = ["count", *results, *unused, "ys"]
    nodes.append(helper.make_node("Loop", inputs, outputs, name="again", body=body))
    nodes.append(helper.make_node("Transpose", ["ys"], ["y"], perm=[1, 0, 2]))
    constants = {
        "0": np.array(0), "[1]": np.array([1]), "[2]": np.array([2]), "[H]": np.array([H]),
        "0.": np.float32(0), "0 as int32": np.int32(0), "1 as int32": np.int32(1),
    }  # fmt: skip
    given: dict[str, Sequence[int | str | None]] = {"x": [*shape, I]}
    given |= {name: [shape[0], H] for name in first if start}
    given |= {"mask": [*shape]} if mask else {}
    return model(nodes, given, ["y", *results], {**weights, **constants}, dtypes={"mask": BOOL})


def stepped(made: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """The results of such a model, computed step by step.

    onnx's reference implementation joins the rows of a loop's results instead of stacking them.
    """
    graph = made.graph
    (loop,) = (node for node in graph.node if node.op_type == "Loop")
    body = loop.attribute[0].g
    before = [node for node in graph.node if node is not loop and node.output[0] != "y"]
    outer = {name for node in body.node for name in node.input}
    outer -= {name for node in body.node for name in node.output}
    outer -= {each.name for each in (*body.input, *body.initializer)}
    values = dict(inputs) | {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    wanted = sorted({*loop.input[:1], *loop.input[2:], *outer} - {*values})
    values |= dict(zip(wanted, _run(made, before, [], wanted, values), strict=True))
    names = [each.name for each in body.output]
    states, rows = [values[name] for name in loop.input[2:]], []
    for number in range(int(values[loop.input[0]])):
        given = [np.array(number), np.array(True), *states]
        known = dict(zip((each.name for each in body.input), given, strict=True))
        known |= {name: values[name] for name in outer}
        ends = _run(made, body.node, body.initializer, names, known)
        states = ends[1 : 1 + len(states)]
        rows.append(ends[-1])
    results = dict(zip(loop.output, states, strict=False))
    results["y"] = np.stack(rows).swapaxes(0, 1)
    return [results[each.name] for each in graph.output]


def _run(
    made: Any, nodes: Any, constants: Any, outputs: Sequence[str], known: Mapping[str, Any]
) -> list[Any]:
    read = {name for node in nodes for name in node.input} | {*outputs}
    given = {name: known[name] for name in read if name in known}
    inputs = [onnx.ValueInfoProto(name=name) for name in given]
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "part", inputs, results, constants)
    part = helper.make_model(graph, opset_imports=made.opset_import, ir_version=8)
    return onnx.reference.ReferenceEvaluator(part).run(None, given)
