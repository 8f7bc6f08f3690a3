"""The formulas of LSTM, GRU and SimpleRNN, with which the steps of loops are compared.

A step is that of a cell if its new states are what the cell's formula makes of the old ones
(`loop_values`). The order and the number of operators vary from version to version.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rnn_compiler.model_import.keras_layers import OnnxFunction
from rnn_compiler.model_import.loop_values import Value, is_number


class UnknownCellError(Exception):
    """A loop that is none of the cells; the message says what was found."""


@dataclass(frozen=True)
class Gate:
    """An affine sum: matrices of the input and of the state, [units, size], and a bias."""

    input: Any
    state: Any
    bias: Any


@dataclass(frozen=True)
class Cell:
    """A cell of a loop.

    Attributes:
        operator: ONNX's operator that computes it.
        gates: Its gates in ONNX's order.
        functions: Its functions in ONNX's order.
        sequence: The number of the loop's argument that is the input.
        states: The numbers of those that are h and, of an LSTM, c.
        state_bias: What a GRU that resets after the product adds to the product; None for others.
        mask: The number of the argument that says which steps leave the states as they are.
    """

    operator: str
    gates: tuple[Gate, ...]
    functions: tuple[OnnxFunction, ...]
    sequence: int
    states: tuple[int, ...]
    state_bias: Any = None
    mask: int | None = None


MOST_STATES = 8
"""The most states of a loop; an LSTM has two, and the list of results."""

_FUNCTIONS = {
    "sigmoid": OnnxFunction("Sigmoid"),
    "tanh": OnnxFunction("Tanh"),
    "relu": OnnxFunction("Relu"),
    "linear": OnnxFunction("Affine", 1.0, 0.0),
}


# Each of these functions raises UnknownCellError if the states are not its cell's.


def pairs(value: Value, kind: str) -> Iterator[tuple[Value, Value]]:
    """The two values of a sum or product, in either order."""
    if value.kind == kind and len(value.of) == 2:
        one, other = value.of
        yield one, other
        yield other, one


def _scalar(value: Value, kind: str) -> Iterator[tuple[float, Value]]:
    """The number and the value of a sum or product, or bound, of both."""
    for one, other in pairs(value, kind):
        if one.kind == "constant" and one.data.size == 1:
            yield float(one.data.item()), other


_BOUNDS = {"maximum": 0.0, "minimum": 1.0}


def _within(value: Value, kind: str) -> Iterator[Value]:
    """What a value bounds by 0 from below, or by 1 from above."""
    if kind == "maximum" and value.kind == "relu":
        yield value.of[0]
    for bound, bounded in _scalar(value, kind):
        if bound == _BOUNDS[kind]:
            yield bounded


def _function(value: Value) -> tuple[OnnxFunction, Value]:
    """A value as a function and its argument."""
    for factor, bounded in _scalar(value, "mul"):  # Keras 3's hard_sigmoid
        if bounded.kind == "relu6" and abs(factor - 1 / 6) < 1e-6:
            return OnnxFunction("HardSigmoid", factor, 0.0), bounded.of[0]
    for first, second in itertools.permutations(_BOUNDS):
        for outer in _within(value, first):
            for scaled in _within(outer, second):
                for beta, product in _scalar(scaled, "add"):
                    for alpha, argument in _scalar(product, "mul"):
                        return OnnxFunction("HardSigmoid", alpha, beta), argument
    if value.kind in _FUNCTIONS:
        return _FUNCTIONS[value.kind], value.of[0]
    return _FUNCTIONS["linear"], value


class _Steps:
    """The states of a loop, old and new, and which of its values is the input's step."""

    def __init__(
        self, states: Mapping[int, tuple[Value, Value]], counters: Sequence[Value]
    ) -> None:
        self.states, self._counters = states, counters
        self.sequence: Value | None = None

    def is_input(self, value: Value) -> bool:
        """Whether a value is the step of the sequence whose turn it is."""
        if value.kind != "step" or value.of[1] not in self._counters:
            return False
        self.sequence = self.sequence or value.of[0]
        return value.of[0] is self.sequence

    def gate(self, value: Value, state: Value) -> Gate:
        """An affine sum of the input and a value of the state."""
        if value.kind != "affine":
            raise UnknownCellError(f"a gate that is {value.kind}")
        terms, bias = value.data
        found: dict[str, Any] = {}
        for source, matrix in terms.items():
            name = "state" if source is state else "input" if self.is_input(source) else ""
            if not name:
                raise UnknownCellError(f"a matrix times {source.kind}")
            found[name] = matrix
        return Gate(found.get("input"), found.get("state"), bias)


def _lstm(steps: _Steps, h: int, c: int) -> Cell:
    """New h is o * g(c'), with c' = f * c + i * g."""
    (old_h, new_h), (old_c, new_c) = steps.states[h], steps.states[c]
    for o, activated in pairs(new_h, "mul"):
        last, cell = _function(activated)
        if cell is not new_c:
            continue
        for left, right in pairs(new_c, "add"):
            for f, kept in pairs(left, "mul"):
                for i, new in pairs(right, "mul") if kept is old_c else ():
                    found = [_function(each) for each in (i, o, f, new)]
                    if len({each for each, _ in found[:3]}) > 1:
                        continue
                    gates = tuple(steps.gate(argument, old_h) for _, argument in found)
                    functions = (found[0][0], found[3][0], last)
                    return _cell("LSTM", gates, functions, steps, (h, c))
    raise UnknownCellError("no LSTM")


def _gru(steps: _Steps, h: int) -> Cell:
    """New h is z * h + (1 - z) * g, whose gate r resets h before or after its product."""
    old, new_h = steps.states[h]
    for left, right in pairs(new_h, "add"):
        for z, kept in pairs(left, "mul"):
            for rest, new in pairs(right, "mul") if kept is old else ():
                if rest.kind != "sub" or not is_number(rest.of[0], 1) or rest.of[1] is not z:
                    continue
                f, argument = _function(z)
                g, candidate = _function(new)
                first = steps.gate(argument, old)
                for reset, last, bias in _candidates(steps, candidate, old):
                    function, argument = _function(reset)
                    if function == f:
                        gates = (first, steps.gate(argument, old), last)
                        return _cell("GRU", gates, (f, g), steps, (h,), bias)
    raise UnknownCellError("no GRU")


def _candidates(steps: _Steps, value: Value, old: Value) -> Iterator[tuple[Value, Gate, Any]]:
    """The reset gate, the candidate's sum, and the bias of the state's product if it has one."""
    if value.kind == "affine":
        for source in value.data[0]:
            for reset, kept in pairs(source, "mul"):
                if kept is old:
                    yield reset, steps.gate(value, source), None
    for outside, product in pairs(value, "add"):
        for reset, inside in pairs(product, "mul"):
            if inside.kind == "affine":
                one, other = steps.gate(outside, old), steps.gate(inside, old)
                if one.state is None and other.input is None:
                    yield reset, Gate(one.input, other.state, one.bias), other.bias


def _rnn(steps: _Steps, h: int) -> Cell:
    """New h is a function of one sum."""
    old, new = steps.states[h]
    function, argument = _function(new)
    return _cell("RNN", (steps.gate(argument, old),), (function,), steps, (h,))


def _cell(
    operator: str,
    gates: tuple[Gate, ...],
    functions: tuple[OnnxFunction, ...],
    steps: _Steps,
    states: tuple[int, ...],
    state_bias: Any = None,
) -> Cell:
    """A cell, all of whose gates have both matrices, of one size."""
    sequence = steps.sequence
    if sequence is None or any(gate.input is None or gate.state is None for gate in gates):
        raise UnknownCellError("gates without a matrix")
    shapes = {(gate.input.shape, gate.state.shape) for gate in gates}
    units = len(gates[0].bias)
    if shapes != {((units, gates[0].input.shape[1]), (units, units))}:
        raise UnknownCellError("gates of several sizes")
    return Cell(operator, gates, functions, sequence.data, states, state_bias)


def recognised(states: Mapping[int, tuple[Value, Value]], counters: Sequence[Value]) -> Cell:
    """The cell of some states; of its others, one is the list of results."""
    if len(states) > MOST_STATES:
        raise UnknownCellError(f"{len(states)} states")
    masks = {
        k: new.of[0]
        for k, (old, new) in states.items()
        if new.kind == "select" and new.of[2] is old
    }
    plain = {k: (old, new.of[1] if k in masks else new) for k, (old, new) in states.items()}
    tries = [
        *((_lstm, pair) for pair in itertools.permutations(states, 2)),
        *((cell, (h,)) for h in states for cell in (_gru, _rnn)),
    ]
    for cell, numbers in tries:
        try:
            found = cell(_Steps(plain, counters), *numbers)
        except UnknownCellError:
            continue
        _check_rest(plain, found.states)
        return replace(found, mask=_mask([masks.get(k) for k in found.states], counters))
    raise UnknownCellError("a step that is not that of an LSTM, GRU or RNN")


def _check_rest(states: Mapping[int, tuple[Value, Value]], found: Sequence[int]) -> None:
    """Checks that states besides those of a cell are no other cell's: lists, and rows of them.

    Such a row may be another value, as zeros, in steps that a mask leaves out.
    """
    rows = [states[k][1] for k in found]
    for k, (_, new) in states.items():
        row = new.of[1] if new.kind == "select" else new
        if k not in found and row.kind != "list" and row not in rows:
            raise UnknownCellError("states of several cells")


def _mask(masks: Sequence[Value | None], counters: Sequence[Value]) -> int | None:
    """The argument whose steps choose between new and old states; None if all are new."""
    mask = masks[0]
    if any(each is not mask for each in masks):
        raise UnknownCellError("states with several masks")
    if mask is None:
        return None
    if mask.kind != "step" or mask.of[1] not in counters:
        raise UnknownCellError("a mask that is not read step by step")
    return mask.of[0].data


def onnx_weights(cell: Cell) -> tuple[Any, Any, Any]:
    """W, R and B of ONNX's operator, in the type of the matrices."""
    dtype: Any = cell.gates[0].input.dtype
    units = len(cell.gates[0].bias)
    state_bias: Any = np.zeros(units * len(cell.gates), np.float32)
    if cell.state_bias is not None:
        state_bias[-units:] = cell.state_bias
    columns = zip(*((gate.input, gate.state, gate.bias) for gate in cell.gates), strict=True)
    W, R, bias = (np.concatenate(arrays).astype(dtype) for arrays in columns)
    return W[None], R[None], np.concatenate([bias, state_bias.astype(dtype)])[None]
